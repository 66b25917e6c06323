"""Which headers go on, and what a head looks like on the wire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from target_service.upstream.forwarded import answer_headers, host_of, request_headers
from target_service.upstream.headers import RequestHead, end_to_end

HOP_BY_HOP = [
    (b"connection", b"close, X-Mine"),
    (b"keep-alive", b"timeout=5"),
    (b"proxy-authenticate", b"Basic"),
    (b"proxy-authentication-info", b"a"),
    (b"proxy-authorization", b"Basic a"),
    (b"proxy-connection", b"keep-alive"),
    (b"te", b"trailers"),
    (b"trailer", b"x-sum"),
    (b"transfer-encoding", b"chunked"),
    (b"upgrade", b"h2c"),
]

tokens = st.from_regex(rb"[a-z][a-z-]{0,8}", fullmatch=True)
values = st.binary(max_size=8).filter(lambda value: not set(value) & set(b"\r\n\0"))


def test_what_belongs_to_the_connection_stays_with_it() -> None:
    """RFC 9110 §7.6.1, and what `Connection` names, in any case; order and repeats stay."""
    kept = [(b"a", b"1"), (b"set-cookie", b"x"), (b"set-cookie", b"y"), (b"expect", b"z")]
    sent = [kept[0], *HOP_BY_HOP, (b"x-mine", b"1"), *kept[1:], (b"connection", b"X-Other ,")]
    assert end_to_end([*sent, (b"x-other", b"2")]) == kept


def test_connection_cannot_take_the_frame_out_of_a_message() -> None:
    """Host and Content-Length are for all recipients."""
    framing = [(b"host", b"a"), (b"content-length", b"3")]
    assert end_to_end([(b"connection", b"Host, content-length"), *framing]) == framing


@given(st.lists(st.tuples(tokens, values), max_size=8))
def test_without_connection_only_the_named_ones_go(headers: list[tuple[bytes, bytes]]) -> None:
    """And a second time changes nothing."""
    plain = [header for header in headers if header[0] != b"connection"]
    names = {name for name, _ in HOP_BY_HOP}
    once = end_to_end(plain)
    assert once == [header for header in plain if header[0] not in names]
    assert end_to_end(once) == once


def test_the_upstream_is_told_who_asks() -> None:
    """X-Forwarded-For grows by one address; the scheme is said unless it is; Host stays."""
    assert request_headers([(b"host", b"shop")], "10.0.0.9", "http") == [
        (b"host", b"shop"),
        (b"x-forwarded-for", b"10.0.0.9"),
        (b"x-forwarded-proto", b"http"),
        (b"via", b"1.1 aftershock"),
    ]
    before = [
        (b"x-forwarded-for", b"1.1.1.1"),
        (b"via", b"1.0 edge"),
        (b"x-forwarded-proto", b"https"),
        (b"x-forwarded-for", b"2.2.2.2"),
    ]
    assert request_headers(before, "::1", "http") == [
        (b"via", b"1.0 edge"),
        (b"x-forwarded-for", b"1.1.1.1, 2.2.2.2, ::1"),
        (b"x-forwarded-proto", b"https"),
        (b"via", b"1.1 aftershock"),
    ]


@pytest.mark.parametrize(
    ("target", "host"),
    [
        (b"/a", None),
        (b"/to/http://b/", None),
        (b"*", None),
        (b"http://b/a", b"b"),
        (b"http://u@b:1?a/", b"b:1"),
        (b"http://[::1]:8080", b"[::1]:8080"),
    ],
)
def test_a_target_in_absolute_form_names_its_host(target: bytes, host: bytes | None) -> None:
    """Which holds, whatever the header says."""
    assert host_of(target) == host


@pytest.mark.parametrize(("status", "kept"), [(200, True), (204, False), (304, False)])
def test_a_length_without_a_body_is_not_passed_on(status: int, kept: bool) -> None:
    """The server would wait for that many bytes."""
    passed = answer_headers(status, [(b"content-length", b"3"), (b"etag", b"a")])
    assert ((b"content-length", b"3") in passed) is kept
    assert (b"etag", b"a") in passed
    assert passed[-1] == (b"via", b"1.1 aftershock")


def head(headers: list[tuple[bytes, bytes]], body: bytes | None = b"") -> RequestHead:
    """The head of a GET."""
    return RequestHead(b"GET", b"/a?b", b"up:80", headers, body)


def test_the_frame_of_a_message_is_said_by_who_sends_it() -> None:
    """Whatever the headers say of it."""
    said = [(b"Content-Length", b"7"), (b"transfer-encoding", b"chunked")]
    assert head(said).text == b"GET /a?b HTTP/1.1\r\nhost: up:80\r\n\r\n"
    assert head(said, b"abc").text.endswith(b"\r\ncontent-length: 3\r\n\r\n")
    assert head(said, None).text.endswith(b"\r\nhost: up:80\r\ncontent-length: 7\r\n\r\n")
    assert head([], None).text.endswith(b"\r\ntransfer-encoding: chunked\r\n\r\n")
    post = RequestHead(b"POST", b"/", b"h", [], b"")
    assert post.text == b"POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 0\r\n\r\n"


@pytest.mark.parametrize("said", [b"+7", b"-1", b"7 7", b"", b"9" * 19, b"0x10", b"\xb2"])
def test_a_length_that_makes_no_sense_is_none(said: bytes) -> None:
    """The body is sent chunked then."""
    assert head([(b"content-length", said)], None).chunked
    assert head([(b"content-length", b"1"), (b"content-length", b"1")], None).chunked


def test_the_host_that_was_said_stays() -> None:
    """Once, and in its place."""
    assert head([(b"X", b"1"), (b"Host", b"shop")]).text == (
        b"GET /a?b HTTP/1.1\r\nhost: shop\r\nX: 1\r\n\r\n"
    )


@pytest.mark.parametrize("where", ["method", "target", "host", "name", "value"])
@pytest.mark.parametrize("what", [b"\r\nX: y", b"\n", b"\r", b"\0"])
def test_nothing_smuggles_in_a_line(where: str, what: bytes) -> None:
    """Of anything that comes from outside."""
    parts = dict.fromkeys(("method", "target", "host", "name", "value"), b"a") | {
        where: b"a" + what
    }
    with pytest.raises(ValueError, match="line break"):
        RequestHead(
            parts["method"],
            parts["target"],
            parts["host"],
            [(parts["name"], parts["value"])],
            b"",
        )


@pytest.mark.parametrize("target", [b"", b"/a b"])
def test_a_target_is_one_word(target: bytes) -> None:
    """Or the line would have more."""
    with pytest.raises(ValueError, match="request target"):
        RequestHead(b"GET", target, b"h", [], b"")
