"""What a gateway passes on of heads, and what the policy sees of them."""

import pytest

from loadtests.gateway.headers import (
    Forwarded,
    Header,
    client_headers,
    policy_headers,
    says_do_not_retry,
)
from target_service.marks import read_marks

VIA = (b"via", b"1.1 aftershock")
FROM = [(b"x-forwarded-for", b"192.0.2.1"), (b"x-forwarded-proto", b"http"), VIA]


def upstream_headers(headers: list[Header], own: int, left_s: float | None = None) -> list[Header]:
    return Forwarded(headers, read_marks(headers), "192.0.2.1", "http").of_attempt(own, left_s)


def attempt(number: int) -> Header:
    return (b"x-aftershock-attempt", b"%d" % number)


KEPT = [
    (b"host", b"front:8001"),
    (b"x-aftershock-lane", b"orders"),
    (b"x-priority", b"1"),
    (b"x-deadline", b"1796031449.5"),
    (b"x-aftershock-trace", b"abc"),
    (b"idempotency-key", b"k-1"),
    (b"content-type", b"text/plain"),
    (b"content-length", b"3"),
    (b"accept", b"*/*"),
]


def test_what_is_meant_for_upstream_is_passed_on() -> None:
    """In its order; those of the connection, and what it names, are not."""
    hop_by_hop = [
        (b"connection", b"close, x-private"),
        (b"x-private", b"1"),
        (b"keep-alive", b"timeout=5"),
        (b"te", b"trailers"),
        (b"transfer-encoding", b"chunked"),
        (b"upgrade", b"h2c"),
        (b"proxy-authorization", b"Basic eA=="),
        (b"expect", b"100-continue"),
    ]
    assert upstream_headers([*hop_by_hop, *KEPT], 1) == [*KEPT, *FROM, attempt(1)]


@pytest.mark.parametrize(
    ("headers", "own", "passed"),
    [
        ([], 1, 1),
        ([], 3, 3),
        ([attempt(1)], 1, 1),
        ([attempt(1)], 2, 2),
        ([attempt(3)], 1, 3),
        ([attempt(3)], 3, 5),
        ([(b"x-aftershock-attempt", b"many")], 2, 2),
        ([(b"x-aftershock-attempt", b"0")], 2, 2),
        ([(b"x-envoy-attempt-count", b"2")], 2, 3),
        ([(b"grpc-previous-rpc-attempts", b"2")], 1, 3),
    ],
)
def test_the_number_of_an_attempt_counts_those_of_all_layers(
    headers: list[Header], own: int, passed: int
) -> None:
    """1 is a first attempt of every layer."""
    sent = upstream_headers(headers, own)
    assert [header for header in sent if header[0] == b"x-aftershock-attempt"] == [attempt(passed)]


@pytest.mark.parametrize(
    ("headers", "left_s", "passed"),
    [
        ([(b"grpc-timeout", b"1S")], 0.25, [b"250000u"]),
        ([(b"grpc-timeout", b"1S")], 0.0, [b"0n"]),
        ([(b"grpc-timeout", b"1S")], None, []),
        ([(b"x-deadline", b"1796031449.5")], 0.25, []),
    ],
)
def test_a_grpc_timeout_says_what_is_left(
    headers: list[Header], left_s: float | None, passed: list[bytes]
) -> None:
    """It counts from the sending. One that could not be read is not passed on, and none is made."""
    sent = upstream_headers(headers, 1, left_s)
    assert [value for name, value in sent if name == b"grpc-timeout"] == passed


ANSWER: list[Header] = [
    (b"content-type", b"application/json"),
    (b"content-length", b"2"),
    (b"retry-after", b"2"),
    (b"x-should-retry", b"false"),
    (b"set-cookie", b"a=1"),
    (b"set-cookie", b"b=2"),
]
OWNED = (b"x-aftershock-error-owned", b"true")


def test_an_error_from_below_is_not_our_own() -> None:
    """The mark is taken off, so that nobody but its immediate caller retries it."""
    headers = [*ANSWER, OWNED, (b"connection", b"keep-alive")]
    assert client_headers(headers, 503) == [*ANSWER, VIA]
    assert client_headers(headers, 503, withhold_ownership=True) == [*ANSWER, OWNED, VIA]


@pytest.mark.parametrize(("status", "kept"), [(200, True), (404, True), (204, False), (304, False)])
def test_an_answer_without_a_body_has_no_length(status: int, kept: bool) -> None:
    """The server would wait for a body that never comes."""
    passed = client_headers([(b"content-length", b"10")], status)
    assert ((b"content-length", b"10") in passed) == kept


@pytest.mark.parametrize(
    ("headers", "forbids"),
    [
        ([], False),
        ([(b"x-should-retry", b"false")], True),
        ([(b"x-should-retry", b" False ")], True),
        ([(b"x-should-retry", b"true")], False),
        ([(b"grpc-retry-pushback-ms", b"-1")], True),
        ([(b"grpc-retry-pushback-ms", b"soon")], True),
        ([(b"grpc-retry-pushback-ms", b"0")], False),
        ([(b"grpc-retry-pushback-ms", b"200")], False),
        ([(b"retry-after", b"120")], False),
    ],
)
def test_do_not_retry(headers: list[Header], forbids: bool) -> None:
    """Said in two ways; ignored, they are gone before the policy sees them, and nothing else is."""
    headers = [(b"retry-after", b"1"), *headers]
    seen = policy_headers(headers, ignore_do_not_retry=False)
    assert says_do_not_retry(seen) == forbids
    assert len(seen) == len(dict(headers))
    ignoring = policy_headers(headers, ignore_do_not_retry=True)
    assert not says_do_not_retry(ignoring)
    assert ignoring == ({"retry-after": "1"} if forbids else seen)


def test_headers_of_one_name_are_one_to_the_policy() -> None:
    """Joined as RFC 9110 says."""
    headers = [(b"warning", b"a"), (b"warning", b"\xe9")]
    assert policy_headers(headers, ignore_do_not_retry=False) == {"warning": "a, é"}
