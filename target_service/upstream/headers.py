"""Which headers belong to one connection, and the head of a request as it is sent."""

from collections.abc import AsyncIterator, Iterable, Sequence

Headers = Sequence[tuple[bytes, bytes]]

_HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authentication-info",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
_NOT_TO_BE_NAMED = frozenset({b"host", b"content-length"})
"""`Connection` may name no field that is meant for all recipients (RFC 9110 §7.6.1). Taking these
out would make another message of it."""

_OUR_WORD = frozenset({b"content-length", b"expect", b"host", b"transfer-encoding"})
"""Of these the head that is sent says what is the case, each once."""
_WITH_A_BODY = frozenset({b"POST", b"PUT", b"PATCH"})


def end_to_end(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers that are passed on; names in lower case.

    Left out are `Connection` and what it names, `Keep-Alive`, those of proxies, `TE`, `Trailer`,
    `Transfer-Encoding` and `Upgrade` (RFC 9110 §7.6.1). `Via` is added by whoever passes them on.
    """
    kept, named = [], b""
    for header in headers:
        if header[0] not in _HOP_BY_HOP:
            kept.append(header)
        elif header[0] == b"connection":
            named += b"," + header[1]
    if not named:
        return kept
    options = {option.strip() for option in named.lower().split(b",")} - _NOT_TO_BE_NAMED
    return [header for header in kept if header[0] not in options]


def has_option(headers: Iterable[tuple[bytes, bytes]], name: bytes, option: bytes) -> bool:
    """Whether the list in the header `name` has this option, in any case."""
    return any(
        option in (part.strip() for part in value.lower().split(b","))
        for key, value in headers
        if key == name
    )


def content_length(headers: Headers) -> int | None:
    """The length that is said, if it is said once and makes sense."""
    said = [value for name, value in headers if name.lower() == b"content-length"]
    if len(said) != 1 or not said[0].isdigit() or len(said[0]) > 18:
        return None
    return int(said[0])


class RequestHead:
    """The head of one request. How its body ends is said by us, whatever `headers` say of it."""

    __slots__ = ("chunked", "expects", "length", "text")

    def __init__(
        self, method: bytes, target: bytes, host: bytes, headers: Headers, body: bytes | None
    ) -> None:
        """`body` None is one that comes in parts; `host` goes where `headers` have none.

        Raises `ValueError` for what cannot stand in a head.
        """
        lines = [b"%b %b HTTP/1.1" % (method, target), b"host: %b" % host]
        self.expects = False
        for header in headers:
            key = header[0].lower()
            if key not in _OUR_WORD:
                lines.append(b": ".join(header))
            elif key == b"host":
                lines[1] = b"host: %b" % header[1]
            elif key == b"expect":
                # Who has the whole body need not wait for leave to send it.
                self.expects = body is None and header[1].lower() == b"100-continue"
        if self.expects:
            lines.append(b"expect: 100-continue")
        self.length = content_length(headers) if body is None else len(body)
        self.chunked = self.length is None
        if self.chunked:
            lines.append(b"transfer-encoding: chunked")
        elif self.length or method in _WITH_A_BODY or body is None:
            lines.append(b"content-length: %d" % (self.length or 0))
        text = b"\r\n".join(lines)
        # Each line ends where we end it: a stray line break would smuggle in a second message.
        breaks = len(lines) - 1
        if text.count(b"\n") != breaks or text.count(b"\r") != breaks or b"\0" in text:
            raise ValueError("a method, target or header with a line break in it")
        if b" " in target or b" " in method or not target:
            raise ValueError(f"{target!r} is no request target: write %20 for a space")
        self.text = text + b"\r\n\r\n"

    async def framed(self, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The body as it goes on the wire, for a head whose body comes in parts.

        Raises `ValueError` when it has not the length that was said.
        """
        left = self.length
        async for part in body:
            if left is not None:
                left -= len(part)
                if left < 0:
                    break
                yield part
            elif part:  # an empty chunk would be the last
                yield b"%x\r\n%b\r\n" % (len(part), part)
        if left:
            raise ValueError("the body has not the length that its Content-Length says")
        if left is None:
            yield b"0\r\n\r\n"
