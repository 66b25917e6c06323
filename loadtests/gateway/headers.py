"""What a gateway passes on of heads, upstream and back, and what of them the policy sees.

Names are in lower case, as ASGI servers and `UpstreamClient` give them.
"""

from collections.abc import Iterable, Mapping, Sequence

from loadtests.gateway.deadlines import GRPC_TIMEOUT, format_grpc_timeout
from loadtests.policies import Outcome
from loadtests.policies.words.grpc import forbids_retry
from target_service.gate import ATTEMPT_HEADER, attempt_number
from target_service.upstream import end_to_end
from target_service.words import OWNED

Header = tuple[bytes, bytes]

IDEMPOTENCY_KEY = b"idempotency-key"
SHOULD_RETRY = "x-should-retry"
PUSHBACK = "grpc-retry-pushback-ms"

_VIA = b"1.1 aftershock"
_NOT_SENT_ON = frozenset({b"host", b"expect", ATTEMPT_HEADER, GRPC_TIMEOUT})
"""Said anew for each attempt, but for ``Expect``: the body has been asked for by then."""
_BODILESS = frozenset({204, 304})


def incoming_attempt(headers: Iterable[Header]) -> int:
    """Which attempt of the caller's this is; 1 where it is not said."""
    return attempt_number(dict(headers)) or 1


def upstream_headers(
    headers: Sequence[Header], own_attempt: int, left_s: float | None = None
) -> list[Header]:
    """The headers of our attempt `own_attempt`, from 1, with `left_s` left until the deadline.

    The attempt number is that of the caller − 1 + our own, so that 1 is a first attempt of every
    layer. A ``grpc-timeout`` counts from when it is sent, so it says what is left.
    """
    number = incoming_attempt(headers) - 1 + own_attempt
    passed = [header for header in end_to_end(headers) if header[0] not in _NOT_SENT_ON]
    if left_s is not None and any(name == GRPC_TIMEOUT for name, _ in headers):
        passed.append((GRPC_TIMEOUT, format_grpc_timeout(left_s)))
    return [*with_via(passed), (ATTEMPT_HEADER, b"%d" % number)]


def client_headers(
    headers: Sequence[Header], status: int, *, withhold_ownership: bool = False
) -> list[Header]:
    """The headers of an answer that is passed on.

    An error from below is not our own: the mark that it is somebody's is taken off, so that no
    caller but us retries it. `withhold_ownership` leaves it, as a careless gateway does.
    """
    left_off = {b"date"}  # the server says when it answers, as nginx does
    if not withhold_ownership:
        left_off.add(OWNED)
    if status in _BODILESS:
        left_off.add(b"content-length")  # it may say what a body would have; servers take it amiss
    return with_via([header for header in end_to_end(headers) if header[0] not in left_off])


def with_via(headers: Sequence[Header]) -> list[Header]:
    """Headers that name us among those who passed them on (RFC 9110, section 7.6.3)."""
    said = [value for name, value in headers if name == b"via"]
    rest = [header for header in headers if header[0] != b"via"]
    return [*rest, (b"via", b", ".join([*said, _VIA]))]


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
