"""What a gateway passes on of heads, upstream and back, and what of them the policy sees.

Names are in lower case, as ASGI servers and `UpstreamClient` give them.
"""

from collections.abc import Iterable, Mapping, Sequence

from loadtests.gateway.deadlines import format_grpc_timeout
from loadtests.policies import Outcome
from loadtests.policies.words.grpc import forbids_retry
from target_service.marks import ATTEMPT_HEADER, GRPC_TIMEOUT_HEADER, Marks, attempt_number
from target_service.upstream.forwarded import answer_headers, request_headers
from target_service.words import OWNED

Header = tuple[bytes, bytes]

IDEMPOTENCY_KEY = b"idempotency-key"
SHOULD_RETRY = "x-should-retry"
PUSHBACK = "grpc-retry-pushback-ms"

_NOT_PASSED_ON = frozenset({ATTEMPT_HEADER, GRPC_TIMEOUT_HEADER, b"expect"})
"""The first two are said anew; the last asks for leave to send a body, which it has had by then."""


class Forwarded:
    """The headers of a request as its attempts send them on.

    `marks` are what they say of the attempt; `client` is the address that it came from, by http or
    https as `scheme` says.
    """

    def __init__(self, headers: Sequence[Header], marks: Marks, client: str, scheme: str) -> None:
        self._before = (attempt_number(marks) or 1) - 1
        self._tells_left = GRPC_TIMEOUT_HEADER in marks
        passed = request_headers(headers, client, scheme)
        self._passed = [header for header in passed if header[0] not in _NOT_PASSED_ON]

    def of_attempt(self, own: int, left_s: float | None = None) -> list[Header]:
        """Those of our attempt `own`, from 1, with `left_s` left until the deadline.

        The attempt number is that of the caller − 1 + our own, so that 1 is a first attempt of
        every layer. A ``grpc-timeout`` counts from when it is sent, so it says what is left.
        """
        sent = [*self._passed, (ATTEMPT_HEADER, b"%d" % (self._before + own))]
        if self._tells_left and left_s is not None:
            sent.append((GRPC_TIMEOUT_HEADER, format_grpc_timeout(left_s)))
        return sent


def client_headers(
    headers: Sequence[Header], status: int, *, withhold_ownership: bool = False
) -> list[Header]:
    """The headers of an answer that is passed on.

    An error from below is not our own: the mark that it is somebody's is taken off, so that no
    caller but us retries it. `withhold_ownership` leaves it, as a careless gateway does.
    """
    passed = answer_headers(status, headers)
    if withhold_ownership:
        return passed
    return [header for header in passed if header[0] != OWNED]


def policy_headers(headers: Iterable[Header], *, ignore_do_not_retry: bool) -> dict[str, str]:
    """The headers of an answer as the policy sees them; of several alike, joined by commas."""
    seen: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        seen[name] = f"{seen[name]}, {value}" if name in seen else value
    if ignore_do_not_retry:
        for name in (SHOULD_RETRY, PUSHBACK):
            if forbidding(name, seen):
                del seen[name]
    return seen


def says_do_not_retry(headers: Mapping[str, str]) -> bool:
    """Whether an answer forbids a retry: ``x-should-retry: false``, or a pushback for good."""
    return any(forbidding(name, headers) for name in (SHOULD_RETRY, PUSHBACK))


def forbidding(name: str, headers: Mapping[str, str]) -> bool:
    """Whether this header, one of the two, forbids it."""
    if name == SHOULD_RETRY:
        return headers.get(name, "").strip().lower() == "false"
    return forbids_retry(Outcome(503, headers=headers))
