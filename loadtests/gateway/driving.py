"""Carries one request through its policy with asyncio: the twin of the driver that uses gevent.

Attempts are made by a `Sender`. Time is what `now_s` says, and waits are the event loop's own.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from loadtests.policies import Action, Outcome, PolicyError, Request, Send, Stop, StopReason, Wait


class Held(Protocol):
    """What came back from an attempt, while nobody knows yet whether it is the last."""

    def set_aside(self) -> None:
        """More attempts follow: keep little of it, and hold nothing up."""
        ...

    def close(self) -> None:
        """It is not wanted any more."""
        ...


Answer = TypeVar("Answer", bound=Held)


@dataclass(frozen=True, slots=True)
class Ended(Generic[Answer]):
    """One attempt that ended; `answer` is None where none came."""

    outcome: Outcome
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Carried(Generic[Answer]):
    """How a request ended. `last` is what came last: None if no attempt was made.

    `reason` is the policy's; None where the sender allowed no further attempt.
    """

    last: Ended[Answer] | None
    reason: StopReason | None


class Sender(Protocol[Answer]):
    """Makes the attempts of one request, and says when there can be no more of them."""

    @property
    def hedges(self) -> bool:
        """Whether two attempts may be in flight at once."""
        ...

    def may_send_at(self, at_s: float) -> bool:
        """Whether an attempt may begin then, whatever the policy wants."""
        ...

    async def attempt(self, number: int, send: Send) -> Ended[Answer]:
        """Make attempt `number`, within the limits of `send`. What goes wrong is told, not raised.

        Cancelled, it leaves no connection behind.
        """
        ...


async def carry_out(
    request: Request, sender: Sender[Answer], now_s: Callable[[], float]
) -> Carried[Answer]:
    """Attempt after attempt, until the policy stops or the sender allows no more.

    Raises `PolicyError`. When this is cancelled, so are the attempts in flight, and the policy is
    told that the request is abandoned.
    """
    carriage = _Carriage(request, sender, now_s)
    try:
        carried = await carriage.run()
        await carriage.end_flights()
        return carried
    except PolicyError:
        carriage.drop_last()
        raise
    except BaseException:
        carriage.drop_last()
        _abandon(request, now_s())
        raise
    finally:
        await carriage.end_flights()


class _Carriage(Generic[Answer]):
    def __init__(
        self, request: Request, sender: Sender[Answer], now_s: Callable[[], float]
    ) -> None:
        self._request = request
        self._sender = sender
        self._now_s = now_s
        self._last: Ended[Answer] | None = None
        self._flights: set[asyncio.Task[None]] = set()
        self._landed: asyncio.Queue[Ended[Answer] | Exception] = asyncio.Queue()

    async def run(self) -> Carried[Answer]:
        request, now_s = self._request, self._now_s
        action = request.start(now_s())
        while not isinstance(action, Stop):
            match action:
                case Wait(seconds):
                    if not self._sender.may_send_at(now_s() + seconds):
                        return await self._without_policy()
                    await asyncio.sleep(seconds)
                    action = request.resumed(now_s())
                case Send() if not self._sender.may_send_at(now_s()):
                    return await self._without_policy()
                case Send(hedge_after_s=None) if not request.in_flight:
                    ended = await self._sender.attempt(request.sent(), action)
                    action = self._finished(ended)
                case Send(hedge_after_s=hedge_after_s):
                    self._take_off(action)
                    action = await self._next(hedge_after_s if self._sender.hedges else None)
                case _:
                    action = await self._next(action.seconds)
        return Carried(self._last, action.reason)

    def _take_off(self, send: Send) -> None:
        number = self._request.sent()

        async def fly() -> None:
            try:
                self._landed.put_nowait(await self._sender.attempt(number, send))
            except Exception as error:  # noqa: BLE001 - it belongs to whoever waits for this attempt
                self._landed.put_nowait(error)

        self._flights.add(asyncio.create_task(fly()))

    async def _next(self, ask_again_s: float | None) -> Action:
        """What the policy says to the next attempt that ends, or that none has after so long."""
        try:
            async with asyncio.timeout(ask_again_s):
                landed = await self._landed.get()
        except TimeoutError:
            await asyncio.sleep(0)  # an attempt that ends at this very moment goes first
            if self._landed.empty():
                return self._request.resumed(self._now_s())
            landed = self._landed.get_nowait()
        return self._finished(_ended(landed))

    def _finished(self, ended: Ended[Answer]) -> Action:
        self._keep(ended)
        action = self._request.finished(self._now_s(), ended.outcome)
        if not isinstance(action, Stop) and ended.answer is not None:
            ended.answer.set_aside()
        return action

    def _keep(self, ended: Ended[Answer]) -> None:
        self.drop_last()
        self._last = ended

    def drop_last(self) -> None:
        if self._last is not None and self._last.answer is not None:
            self._last.answer.close()
        self._last = None

    async def _without_policy(self) -> Carried[Answer]:
        """No attempt may follow: wait for those in flight, until one of them succeeds."""
        left = self._request.in_flight
        _abandon(self._request, self._now_s())
        for _ in range(left):
            ended = _ended(await self._landed.get())
            self._keep(ended)
            if ended.outcome.succeeded:
                break
        return Carried(self._last, None)

    async def end_flights(self) -> None:
        """Cancel what is in flight still, and close what has landed since."""
        for flight in self._flights:
            flight.cancel()
        if self._flights:
            await asyncio.gather(*self._flights, return_exceptions=True)
        while not self._landed.empty():
            ended = self._landed.get_nowait()
            if isinstance(ended, Ended) and ended.answer is not None:
                ended.answer.close()


def _ended(landed: Ended[Answer] | Exception) -> Ended[Answer]:
    if isinstance(landed, Exception):
        raise landed
    return landed


def _abandon(request: Request, now_s: float) -> None:
    try:
        request.abandoned(now_s)
    except Exception as error:
        raise PolicyError(f"the policy raised {type(error).__name__}: {error}") from error
