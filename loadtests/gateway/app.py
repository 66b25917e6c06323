"""The gateway as an ASGI app: takes a request, carries it upstream, passes on what came of it."""

import logging
import time
from collections.abc import Callable

from starlette.types import Receive, Scope
from starlette.types import Send as SendMessage

from loadtests.gateway.answers import Answer
from loadtests.gateway.bodies import Client, ClientGoneError, Store
from loadtests.gateway.driving import Carried, carry_out
from loadtests.gateway.errors import (
    DEADLINE_OVER,
    OwnAnswer,
    no_answer,
    not_sent,
    policy_raised,
    too_large_to_keep,
)
from loadtests.gateway.exchange import Exchange, Message, Terms, Upstream
from loadtests.gateway.headers import IDEMPOTENCY_KEY, Forwarded, client_headers
from loadtests.gateway.lanes import LanePolicies, LanePolicy
from loadtests.policies import Call, PolicyError, Request
from target_service.connection import connection_of
from target_service.marks import DEFAULT_LANE, LANE_HEADER, deadline_s, read_marks
from target_service.upstream import UpstreamError
from target_service.upstream.forwarded import request_target

_log = logging.getLogger("aftershock.gateway")


class GatewayApp:
    """Passes requests on to one upstream, each by its lane's policy."""

    def __init__(
        self,
        upstream: Upstream,
        policies: LanePolicies,
        terms: Terms,
        now_s: Callable[[], float] = time.monotonic,
        epoch_s: Callable[[], float] = time.time,
    ) -> None:
        self._upstream = upstream
        self._policies = policies
        self._terms = terms
        self._now_s = now_s
        self._epoch_s = epoch_s
        self._store = Store()

    async def __call__(self, scope: Scope, receive: Receive, send: SendMessage) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._forward(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: SendMessage) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._upstream.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _forward(self, scope: Scope, receive: Receive, send: SendMessage) -> None:
        """Serve the request for as long as its client is there."""
        client = Client(receive, self._store)
        try:
            async with client.there():
                await self._serve(scope, client, send)
        except ClientGoneError:
            pass
        finally:
            client.close()

    async def _serve(self, scope: Scope, client: Client, send: SendMessage) -> None:
        marks = read_marks(scope["headers"])
        lane = self._policies.of(marks.get(LANE_HEADER, DEFAULT_LANE).decode("latin-1"))
        until_s = deadline_s(marks, self._now_s(), self._epoch_s())
        peer = (scope.get("client") or ("unknown",))[0]
        message = Message(
            scope["method"].encode(),
            request_target(scope),
            Forwarded(scope["headers"], marks, peer, scope["scheme"]),
            await client.body(),
        )
        call = _call(scope, message, lane)
        exchange = Exchange(
            self._upstream, message, self._terms, until_s, self._now_s, self._epoch_s
        )
        outward = await self._carry(call, exchange, lane)
        if isinstance(outward, OwnAnswer):
            await outward(send)
        else:
            await self._pass_on(outward, scope, send)

    async def _carry(self, call: Call, exchange: Exchange, lane: LanePolicy) -> Answer | OwnAnswer:
        """What the client is to get."""
        request = None
        try:
            request = Request(lane.policy, call)
            carried = await carry_out(request, exchange, self._now_s)
        except PolicyError as error:
            if not lane.has_raised:
                lane.has_raised = True
                _log.error("%s; answering 500 (said once)", error, exc_info=error.__cause__)
            return policy_raised(owned=request is None or request.attempts == 0)
        return _outward(carried, exchange)

    async def _pass_on(self, answer: Answer, scope: Scope, send: SendMessage) -> None:
        """One that is cut short is cut short for the client too: it must not look complete."""
        withheld = self._terms.withhold_ownership
        headers = client_headers(answer.headers, answer.status, withhold_ownership=withheld)
        start = {"type": "http.response.start", "status": answer.status, "headers": headers}
        try:
            if not await answer.settled():
                await too_large_to_keep(answer.status)(send)
                return
            await send(start)
            if not answer.is_kept:
                # The head is to go out now; servers of ASGI keep it until some body is sent.
                await send({"type": "http.response.body", "body": b"", "more_body": True})
            async for piece in answer.pieces():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except UpstreamError:
            # Any server closes what is not completed; ours need not complain of it first.
            if (connection := connection_of(scope)) is not None:
                connection.close()
        finally:
            answer.close()


def _call(scope: Scope, message: Message, lane: LanePolicy) -> Call:
    """What the policy knows of the request."""
    has_key = any(name == IDEMPOTENCY_KEY for name, _ in scope["headers"])
    return Call(lane.jitter, scope["method"], has_key, message.target.decode("latin-1"))


def _outward(carried: Carried[Answer], exchange: Exchange) -> Answer | OwnAnswer:
    last = carried.last
    if exchange.is_over and not (last and last.outcome.succeeded):
        if last and last.answer:
            last.answer.close()
        return DEADLINE_OVER
    if last is None:
        return not_sent(carried.reason)
    if last.answer is not None:
        return last.answer
    assert last.outcome.error is not None  # noqa: S101 - an outcome without a status has one
    return no_answer(last.outcome.error)
