"""An upstream and a client in this process, for a gateway in virtual time."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from starlette.types import Message, Scope

from loadtests.gateway.app import GatewayApp
from loadtests.gateway.exchange import Terms
from loadtests.gateway.headers import Header
from loadtests.gateway.lanes import LanePolicies
from loadtests.policies import Action, Call, Outcome, RetryPolicy, preset
from target_service.upstream import UpstreamError, UpstreamErrorKind
from tests.loadtests.gateway.virtual import now_s, run

EPOCH_S = 1_796_031_449.0
"""The wall clock, when the virtual one is at 0."""


@dataclass
class Reply:
    """What becomes of an attempt, `after_s` seconds: an answer, or an error in place of one.

    Nothing is sent before `connect_s`. Each piece of the body takes `piece_s`; then it ends as it
    should, or is `cut`.
    """

    status: int = 200
    headers: Sequence[Header] = ()
    body: Sequence[bytes] = (b"done",)
    connect_s: float = 0.0
    after_s: float = 0.0
    piece_s: float = 0.0
    cut: bool = False
    error: UpstreamErrorKind | None = None

    def with_length(self) -> "Reply":
        """The same, saying how long its body is."""
        length = (b"content-length", b"%d" % sum(map(len, self.body)))
        return Reply(**{**vars(self), "headers": [*self.headers, length]})


REFUSED = Reply(503, [(b"x-aftershock-error-owned", b"true")], [b"full"]).with_length()
SERVED = Reply().with_length()


class FakeResponse:
    def __init__(self, reply: Reply) -> None:
        self.status = reply.status
        self.headers = list(reply.headers)
        self._left = list(reply.body)
        self._reply = reply
        self.closed_at_s: float | None = None

    async def next_part(self) -> bytes:
        assert self.closed_at_s is None
        await asyncio.sleep(self._reply.piece_s)
        if self._left:
            return self._left.pop(0)
        if self._reply.cut:
            raise UpstreamError(UpstreamErrorKind.CLOSED)
        return b""

    async def read(self, limit: int) -> bytes:
        read = b""
        while len(read) < limit and (part := await self.next_part()):
            read += part
        return read

    def close(self) -> None:
        if self.closed_at_s is None:
            self.closed_at_s = round(now_s(), 6)


@dataclass
class Sent:
    """One message that an attempt sent, and when."""

    at_s: float
    method: bytes
    target: bytes
    headers: dict[bytes, bytes]
    body: bytes
    timeout_s: float | None


@dataclass
class FakeUpstream:
    """Answers attempt after attempt with `replies`, and the last of them again and again.

    `takes` is how many pieces of a streamed body it takes before it answers; the rest it takes
    then. An attempt that is cancelled ends after `ends_s`.
    """

    replies: Sequence[Reply]
    takes: int = 1_000_000
    ends_s: float = 0.0
    sent: list[Sent] = field(default_factory=list)
    responses: list[FakeResponse] = field(default_factory=list)
    cancelled: int = 0
    rest: asyncio.Task[None] | None = None

    async def send(
        self,
        method: bytes,
        target: bytes,
        headers: Sequence[Header],
        body: bytes | AsyncIterator[bytes],
        timeout_s: float | None = None,
    ) -> FakeResponse:
        reply = self.replies[min(len(self.sent), len(self.replies) - 1)]
        sent = Sent(round(now_s(), 6), method, target, dict(headers), b"", timeout_s)
        self.sent.append(sent)
        if reply.error in {UpstreamErrorKind.REFUSED, UpstreamErrorKind.CONNECT_TIMEOUT}:
            raise UpstreamError(reply.error)
        try:
            async with asyncio.timeout(timeout_s):
                await asyncio.sleep(reply.connect_s)
                await self._take(sent, body)
                await asyncio.sleep(reply.after_s)
        except TimeoutError:
            raise UpstreamError(UpstreamErrorKind.TIMEOUT) from None
        except asyncio.CancelledError:
            self.cancelled += 1
            await asyncio.sleep(self.ends_s)
            raise
        if reply.error is not None:
            raise UpstreamError(reply.error)
        self.responses.append(FakeResponse(reply))
        return self.responses[-1]

    async def _take(self, sent: Sent, body: bytes | AsyncIterator[bytes]) -> None:
        if isinstance(body, bytes):
            sent.body = body
            return
        taken = 0
        async for part in body:
            sent.body += part
            taken += 1
            if taken == self.takes:
                self.rest = asyncio.create_task(self._take(sent, body))
                return

    async def close(self) -> None:
        pass


class Same:
    """Lanes have this one policy, so that a test can see what it was told."""

    name = "same"

    def __init__(self, policy: RetryPolicy) -> None:
        self.policy = policy

    def build(self) -> RetryPolicy:
        return self.policy

    def describe(self) -> str:
        return "same"


def gateway(upstream: FakeUpstream, policy: RetryPolicy, **terms: bool | float) -> GatewayApp:
    """A gateway in front of it, whose every lane has this policy. An attempt may take 5 s."""
    options: dict[str, bool] = {name: bool(value) for name, value in terms.items()}
    policies = LanePolicies(Same(policy), {}, "0")
    epoch: Callable[[], float] = lambda: EPOCH_S + now_s()  # noqa: E731 - it has a type
    return GatewayApp(upstream, policies, Terms(5.0, **options), now_s, epoch)


@dataclass
class Got:
    """What the client got, and whether it was all of it."""

    status: int = 0
    headers: dict[bytes, bytes] = field(default_factory=dict)
    body: bytes = b""
    complete: bool = False
    failed: bool = False
    at_s: float = 0.0


async def ask(
    app: GatewayApp,
    *,
    headers: Mapping[str, str] | None = None,
    body: Sequence[bytes] = (b"",),
    method: str = "GET",
    leaves_at_s: float = float("inf"),
    piece_s: float = 0.0,
    on_body: Callable[[bytes], None] = lambda _: None,
) -> Got:
    """One request of a client that goes away at `leaves_at_s`, by the virtual clock.

    Each piece of its body takes it `piece_s`.
    """
    pieces, got = list(body), Got()

    async def receive() -> Message:
        if pieces and now_s() < leaves_at_s:
            await asyncio.sleep(piece_s)
            piece = pieces.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(pieces)}
        if leaves_at_s == float("inf"):
            await asyncio.Event().wait()
        await asyncio.sleep(max(0.0, leaves_at_s - now_s()))
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            got.status, got.headers = message["status"], dict(message["headers"])
            got.failed = message.get("aftershock.failed", False)
        else:
            on_body(message["body"])
            got.body += message["body"]
            got.complete = not message.get("more_body", False)

    await app(_scope(method, headers or {}), receive, send)
    got.at_s = round(now_s(), 6)
    return got


def _scope(method: str, headers: Mapping[str, str]) -> Scope:
    return {
        "type": "http",
        "method": method,
        "scheme": "http",
        "path": "/work",
        "raw_path": b"/work",
        "query_string": b"a=1",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("192.0.2.1", 50_000),
    }


class Scripted:
    """A policy that gives these answers one after another, and notes when it was abandoned."""

    def __init__(self, *answers: Action | Exception) -> None:
        self.answers = list(answers)
        self.abandoned_at_s: list[float] = []

    def begin(self, call: Call) -> "Scripted":
        return self

    def describe(self) -> str:
        return "scripted"

    def start(self, at_s: float) -> Action:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def finished(self, at_s: float, outcome: Outcome) -> Action:
        return self.start(at_s)

    def resumed(self, at_s: float) -> Action:
        return self.start(at_s)

    def abandoned(self, at_s: float) -> None:
        self.abandoned_at_s.append(round(at_s, 9))


def three_attempts() -> RetryPolicy:
    return preset("immediate", attempts=3, base="1s").build()


def answered(
    upstream: FakeUpstream,
    policy: RetryPolicy | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    leaves_at_s: float = float("inf"),
    method: str = "GET",
    **terms: bool,
) -> Got:
    """What a client gets for one request."""
    app = gateway(upstream, policy or three_attempts(), **terms)

    async def main() -> Got:
        got = await ask(app, headers=headers, leaves_at_s=leaves_at_s, method=method)
        await asyncio.sleep(1.0)  # for what was cancelled to end, and what was left to show
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return got

    return run(main)


def closed(upstream: FakeUpstream) -> bool:
    return all(response.closed_at_s is not None for response in upstream.responses)
