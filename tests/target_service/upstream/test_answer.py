"""Answers as they are parsed, whatever pieces they come in."""

import http.client
import io
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from target_service.upstream.answer import MAX_HEAD_BYTES, Answer
from target_service.upstream.errors import UpstreamError, UpstreamErrorKind

OK = b"HTTP/1.1 200 OK\r\n"


class _Socket:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, _mode: str) -> io.BytesIO:
        """What http.client reads from."""
        return io.BytesIO(self._data)


def as_python_reads(data: bytes, method: str) -> tuple[int, list[tuple[str, str]], bytes]:
    """What the standard library makes of it."""
    response = http.client.HTTPResponse(_Socket(data), method=method)  # type: ignore[arg-type]
    response.begin()
    return response.status, response.getheaders(), response.read()


def parsed(data: bytes, method: bytes = b"GET", cuts: tuple[int, ...] = ()) -> tuple[Answer, bytes]:
    """The answer and its body, fed in pieces, and then the end of the connection."""
    answer, body = Answer(method), b""
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for start, end in itertools.pairwise(edges):
        if start < end:
            answer.feed(data[start:end])
            body += answer.take()
    answer.feed_end()
    return answer, body


def chunked(parts: list[bytes], trailer: bytes = b"") -> bytes:
    """As it goes on the wire."""
    return b"".join(b"%x;ext=1\r\n%b\r\n" % (len(p), p) for p in parts if p) + (
        b"0\r\n" + trailer + b"\r\n"
    )


@st.composite
def messages(draw: st.DrawFn) -> tuple[str, bytes]:
    """A method and its answer of any kind, perhaps with an interim one before it."""
    method = draw(st.sampled_from(["GET", "HEAD"]))
    parts = draw(st.lists(st.binary(max_size=40), max_size=4))
    status = draw(st.sampled_from([200, 201, 204, 304, 404, 503, 599]))
    head = (
        b"HTTP/1.1 %d Some Words\r\nX-A: \xe9t\xe9\r\nSet-Cookie: a\r\nset-cookie: b\r\n" % status
    )
    frames = ["length", "end"] if status in {204, 304} else ["length", "end", "chunked"]
    match draw(st.sampled_from(frames)):
        case "length":
            body = b"".join(parts)
            head += b"Content-Length: %d\r\n" % len(body)
        case "chunked":
            body = chunked(parts, draw(st.sampled_from([b"", b"X-Sum: 1\r\n"])))
            head += b"Transfer-Encoding: chunked\r\n"
        case _:
            body = b"".join(parts)
    if method == "HEAD" or status in {204, 304}:
        body = b""
    interim = draw(st.sampled_from([b"", b"HTTP/1.1 100 Continue\r\n\r\n"]))
    return method, interim + head + b"\r\n" + body


@given(messages(), st.lists(st.integers(0, 400), max_size=6))
def test_what_is_read_is_what_python_reads(message: tuple[str, bytes], cuts: list[int]) -> None:
    """Of any answer in any pieces."""
    method, data = message
    status, headers, body = as_python_reads(data, method)
    answer, got = parsed(data, method.encode(), tuple(cuts))
    assert answer.complete
    assert (answer.status, got) == (status, body)
    assert [(n.decode(), v.decode("latin-1")) for n, v in answer.headers] == [
        (name.lower(), value) for name, value in headers
    ]


@pytest.mark.parametrize(
    ("data", "method", "reusable"),
    [
        (OK + b"content-length: 2\r\n\r\nab", b"GET", True),
        (OK + b"content-length: 2\r\nconnection: Close\r\n\r\nab", b"GET", False),
        (b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nab", b"GET", False),
        (OK + b"content-length: 2\r\n\r\nabHTTP/1.1 200 OK\r\n", b"GET", False),
        (OK + b"content-length: 2\r\n\r\nab\0", b"GET", False),
        (OK + b"\r\nab", b"GET", False),
        (OK + b"transfer-encoding: chunked\r\n\r\n0\r\n\r\n", b"GET", True),
        (b"HTTP/1.1 204 No\r\n\r\n", b"GET", True),
        (b"HTTP/1.1 304 No\r\ncontent-length: 9\r\n\r\n", b"GET", True),
        (OK + b"content-length: 9\r\n\r\n", b"HEAD", True),
        (OK + b"\r\n", b"HEAD", True),
        (OK + b"connection: close\r\n\r\n", b"HEAD", False),
        (b"HTTP/1.0 200 OK\r\n\r\n", b"HEAD", False),
        (OK + b"content-length: 2\r\n\r\nab", b"HEAD", False),
    ],
)
def test_when_the_connection_can_serve_again(data: bytes, method: bytes, reusable: bool) -> None:
    """The answer has an end of its own, nothing follows it, and nobody says close."""
    answer, _ = parsed(data, method)
    assert answer.complete
    assert answer.reusable is reusable


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"HTTP/1.1 2",
        OK + b"content-le",
        OK + b"content-length: 3\r\n\r\nab",
        OK + b"transfer-encoding: chunked\r\n\r\n2\r\nab\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n2\r\na",
        b"HTTP/1.1 100 Continue\r\n\r\n",
    ],
)
def test_an_answer_that_is_cut_off_is_not_complete(data: bytes) -> None:
    """Wherever its length is said."""
    answer = Answer(b"GET")
    if data:
        answer.feed(data)
    assert not answer.feed_end()


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 099 No\r\n\r\n",
        b"HTTP/1.1 600 No\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        b"HTTP/1.1 101 No\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
        OK + b"content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
        OK + b"content-length: 1\r\ncontent-length: 2\r\n\r\n",
        OK + b"content-length: x\r\n\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\nx\r\n",
        OK + b"a: b\0c\r\n\r\n",
        OK + b"a" * (MAX_HEAD_BYTES + 1),
        OK + b"a: b\r\n" * MAX_HEAD_BYTES,
        OK + b"a: b\r\n" * MAX_HEAD_BYTES + b"content-length: 0\r\n\r\n",
        b"HTTP/1.1 102 Wait\r\n\r\n" * MAX_HEAD_BYTES,
        OK + b"transfer-encoding: gzip, chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        OK + b"transfer-encoding: gzip\r\n\r\nab",
        OK + b"transfer-encoding: chunked\r\n\r\n0\r\n" + b"a: b\r\n" * MAX_HEAD_BYTES,
    ],
    ids=range(17),
)
@pytest.mark.parametrize("size", [1000, 250_000])
def test_what_is_no_answer_is_said_to_be_none(data: bytes, size: int) -> None:
    """Heads and trailers without end, too, in small pieces and in the largest that are read."""
    answer = Answer(b"GET")

    def feed() -> None:
        for start in range(0, len(data), size):
            answer.feed(data[start : start + size])

    with pytest.raises(UpstreamError) as told:
        feed()
    assert told.value.kind is UpstreamErrorKind.NOT_HTTP


def test_a_long_body_in_small_pieces_is_no_long_head() -> None:
    """Nor many chunks."""
    answer = Answer(b"GET")
    answer.feed(OK + b"transfer-encoding: chunked\r\n\r\n")
    for _ in range(MAX_HEAD_BYTES // 4):
        answer.feed(b"1\r\na\r\n")
        assert answer.take() == b"a"
    answer.feed(b"0\r\n\r\n")
    assert answer.reusable
