"""The client against servers made by hand: one send, one message, and every way to fail."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import pytest

from target_service.upstream import (
    UpstreamClient,
    UpstreamError,
    UpstreamErrorKind,
)
from tests.target_service.upstream.raw import Raw, answering, eventually, raw, reset, run

pytestmark = pytest.mark.live

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"transfer-encoding: chunked\r\n\r\n"
EMPTY = OK + b"content-length: 0\r\n\r\n"
ENOUGH = 2**30
MAX_ON_THE_WAY = 24 * 2**20
"""What two sockets of the kernel and two buffers of ours may hold."""


@contextlib.asynccontextmanager
async def client_of(upstream: Raw, **options: float) -> AsyncIterator[UpstreamClient]:
    """A client that is closed afterwards."""
    client = UpstreamClient(upstream.url, **options)  # type: ignore[arg-type]
    yield client
    await client.close()


async def get(client: UpstreamClient, target: bytes = b"/", method: bytes = b"GET") -> bytes:
    """The status and the body."""
    response = await client.send(method, target, [], b"")
    body = await response.read(ENOUGH)
    response.close()
    return b"%d %b" % (response.status, body)


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (OK + b"content-length: 2\r\n\r\nab", b"200 ab"),
        (
            OK + b"transfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\nx: y\r\n\r\n",
            b"200 ab",
        ),
        (b"HTTP/1.1 204 No\r\n\r\n", b"204 "),
        (b"HTTP/1.1 304 No\r\ncontent-length: 5\r\n\r\n", b"304 "),
        (b"HTTP/1.1 103 Early\r\nlink: a\r\n\r\n" + OK + b"content-length: 1\r\n\r\nz", b"200 z"),
    ],
    ids=["length", "chunked", "204", "304", "interim"],
)
def test_one_connection_serves_one_exchange_after_the_other(answer: bytes, body: bytes) -> None:
    """As long as each answer has an end of its own."""

    async def main() -> None:
        async with answering(answer) as upstream, client_of(upstream) as client:
            assert [await get(client) for _ in range(3)] == [body] * 3
            assert len(upstream.connections) == 1
            assert (
                upstream.requests
                == [b"GET / HTTP/1.1\r\nhost: %b\r\n\r\n" % client.address.netloc] * 3
            )

    run(main)


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"content-length: 2\r\nconnection: close\r\n\r\nab",
        b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nab",
        OK + b"content-length: 2\r\n\r\nab" + EMPTY,
    ],
    ids=["close", "1.0", "an answer to nothing"],
)
def test_other_connections_are_not_used_again(answer: bytes) -> None:
    """The next exchange has one of its own."""

    async def main() -> None:
        async with answering(answer) as upstream, client_of(upstream) as client:
            assert [await get(client) for _ in range(3)] == [b"200 ab"] * 3
            assert [len(requests) for requests in upstream.connections] == [1, 1, 1]

    run(main)


def test_the_path_of_the_upstream_stands_before_every_path() -> None:
    """But not before the asterisk, which is none."""

    async def main() -> None:
        async with answering(EMPTY) as upstream:
            client = UpstreamClient(f"{upstream.url}/base/")
            await get(client, b"/a")
            await get(client, b"*", b"OPTIONS")
            await client.close()
            first = [head.partition(b" HTTP")[0] for head in upstream.requests]
            assert first == [b"GET /base/a", b"OPTIONS *"]

    run(main)


def test_a_body_without_a_length_ends_with_the_connection() -> None:
    """And cannot be told from one that is cut off, but by a reset."""

    async def main() -> None:
        async with answering(OK + b"\r\nab", close=True) as upstream:
            async with client_of(upstream) as client:
                assert await get(client) == b"200 ab"

    run(main)


def test_after_head_the_connection_goes_on() -> None:
    """Its answer says a length and has no body."""

    async def main() -> None:
        answers = (OK + b"content-length: 9\r\n\r\n", OK + b"\r\n", EMPTY)
        async with answering(*answers) as upstream, client_of(upstream) as client:
            for _ in range(2):
                assert await get(client, method=b"HEAD") == b"200 "
            assert await get(client) == b"200 "
            assert len(upstream.connections) == 1

    run(main)


def test_exchanges_at_once_have_connections_of_their_own() -> None:
    """And of those no more are kept than is allowed."""

    async def main() -> None:
        async with answering(EMPTY) as upstream, client_of(upstream, max_idle=2) as client:
            responses = [await client.send(b"GET", b"/", [], b"") for _ in range(4)]
            for response in responses:
                response.close()
            await eventually(lambda: upstream.ended == 2, "two are closed")
            for _ in range(3):
                await get(client)
            assert len(upstream.connections) == 4
        await eventually(lambda: upstream.ended == 4, "closing the client closes the others")

    run(main)


@pytest.mark.parametrize(("max_idle_s", "connections"), [(60.0, 1), (0.01, 2)])
def test_what_was_idle_for_long_is_not_used_again(max_idle_s: float, connections: int) -> None:
    """The upstream may close it at that very moment."""

    async def main() -> None:
        async with answering(EMPTY) as upstream:
            async with client_of(upstream, max_idle_s=max_idle_s) as client:
                await get(client)
                await asyncio.sleep(0.02)
                await get(client)
                assert len(upstream.connections) == connections

    run(main)


@pytest.mark.parametrize("last_word", [b"", b"HTTP/1.1 408 Late\r\ncontent-length: 0\r\n\r\n"])
def test_a_connection_that_ended_while_idle_is_noticed_before_it_is_used(last_word: bytes) -> None:
    """Also when the event loop has not been told yet; nothing is sent on it, nothing read."""

    async def main() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            client = UpstreamClient(f"http://127.0.0.1:{listener.getsockname()[1]}")
            loop = asyncio.get_running_loop()
            listener.setblocking(False)
            first = asyncio.create_task(get(client))
            theirs, _ = await loop.sock_accept(listener)
            await loop.sock_recv(theirs, 1000)
            await loop.sock_sendall(theirs, EMPTY)
            assert await first == b"200 "
            # From here to the next send the loop does not turn.
            theirs.setblocking(True)
            if last_word:
                theirs.sendall(last_word)
            else:
                theirs.shutdown(socket.SHUT_WR)
            second = client.send(b"POST", b"/", [], b"x")
            step = asyncio.ensure_future(second)
            again, _ = await loop.sock_accept(listener)
            assert (await loop.sock_recv(again, 1000)).endswith(b"\r\n\r\nx")
            await loop.sock_sendall(again, EMPTY)
            (await step).close()
            assert theirs.recv(1000) == b""
            await client.close()
            theirs.close()
            again.close()

    run(main)


async def _close(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"")


async def _reset(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    reset(writer)


async def _wait(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def _garbage(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 ready\r\n")


async def _odd_status(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 600 Odd\r\ncontent-length: 2\r\n\r\nab" + EMPTY)


async def _half_a_head(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(OK + b"content-le")


async def _endless_head(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"HTTP/1.1 102 Wait\r\n\r\n" * 100)
        await writer.drain()


FAILURES = {
    "closed": (_close, UpstreamErrorKind.CLOSED),
    "half a head": (_half_a_head, UpstreamErrorKind.CLOSED),
    "reset": (_reset, UpstreamErrorKind.RESET),
    "garbage": (_garbage, UpstreamErrorKind.NOT_HTTP),
    "a status above 599": (_odd_status, UpstreamErrorKind.NOT_HTTP),
    "an endless head": (_endless_head, UpstreamErrorKind.NOT_HTTP),
    "no answer": (_wait, UpstreamErrorKind.TIMEOUT),
}


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("used_before", [False, True])
def test_whatever_fails_was_sent_once(name: str, used_before: bool) -> None:
    """On a connection that is new, and on one that served before: there others send again."""
    fail, kind = FAILURES[name]

    async def main() -> None:
        heads: list[bytes] = []

        async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while True:
                heads.append(await reader.readuntil(b"\r\n\r\n"))
                if len(heads) > used_before:
                    break
                writer.write(EMPTY)
            await fail(reader, writer)

        async with raw(act) as upstream, client_of(upstream) as client:
            if used_before:
                await get(client)
            timeout_s = 0.3 if kind is UpstreamErrorKind.TIMEOUT else None
            with pytest.raises(UpstreamError) as told:
                await client.send(b"GET", b"/once", [], b"", timeout_s=timeout_s)
            assert told.value.kind is kind
            await asyncio.sleep(0.05)  # for a message that must not come
            assert sum(b"/once" in head for head in heads) == 1
            await eventually(lambda: upstream.ended == 1, "the connection is closed")

    run(main)


@pytest.mark.parametrize(
    "head", [b"content-length: 9\r\n\r\nab", b"transfer-encoding: chunked\r\n\r\n2\r\nab\r\n"]
)
@pytest.mark.parametrize("by_reset", [False, True])
def test_half_an_answer_is_an_error_after_its_half(head: bytes, by_reset: bool) -> None:
    """What has come can be read."""

    async def main() -> None:
        go = asyncio.Event()

        async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(OK + head)
            await go.wait()
            if by_reset:
                reset(writer)

        async with raw(act) as upstream, client_of(upstream) as client:
            response = await client.send(b"GET", b"/", [], b"")
            assert await response.next_part() == b"ab"
            go.set()
            with pytest.raises(UpstreamError) as told:
                await response.next_part()
            assert told.value.kind is (
                UpstreamErrorKind.RESET if by_reset else UpstreamErrorKind.CLOSED
            )
            response.close()

    run(main)


def test_who_cannot_be_reached_is_told_apart() -> None:
    """Nobody listening, no such name, no answer to the first packet."""

    async def kind_of(url: str, connect_timeout_s: float = 10.0) -> UpstreamErrorKind:
        client = UpstreamClient(url, connect_timeout_s=connect_timeout_s)
        with pytest.raises(UpstreamError) as told:
            await client.send(b"GET", b"/", [], b"")
        assert url in str(told.value)
        return told.value.kind

    async def main() -> None:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        assert await kind_of(f"http://127.0.0.1:{port}") is UpstreamErrorKind.REFUSED
        assert await kind_of("http://nowhere.invalid") is UpstreamErrorKind.UNREACHABLE
        with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
            address = full.getsockname()
            with socket.create_connection(address):  # the queue is full with it
                url = f"http://127.0.0.1:{address[1]}"
                assert await kind_of(url, 0.2) is UpstreamErrorKind.CONNECT_TIMEOUT
                with pytest.raises(UpstreamError) as told:
                    await UpstreamClient(url).send(b"GET", b"/", [], b"", timeout_s=0.2)
                assert told.value.kind is UpstreamErrorKind.CONNECT_TIMEOUT

    run(main)


def test_who_is_cancelled_leaves_no_connection_open() -> None:
    """The upstream sees its client go."""

    async def main() -> None:
        has_come = asyncio.Event()

        async def act(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
            has_come.set()
            await reader.read()

        async with raw(act) as upstream, client_of(upstream) as client:
            sending = asyncio.create_task(client.send(b"GET", b"/", [], b""))
            await has_come.wait()
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
            await eventually(lambda: upstream.ended == 1, "the upstream sees it close")

    run(main)


def test_an_answer_that_is_not_read_to_its_end_costs_the_connection() -> None:
    """What is left of it would be taken for the next one."""

    async def main() -> None:
        answers = (OK + b"content-length: 9\r\n\r\nab", OK + b"content-length: 2\r\n\r\ncd")
        async with answering(*answers) as upstream, client_of(upstream) as client:
            response = await client.send(b"GET", b"/", [], b"")
            assert await response.next_part() == b"ab"
            response.close()
            response.close()
            with pytest.raises(ValueError, match="closed"):
                await response.next_part()
            await eventually(lambda: upstream.ended == 1, "it is closed")

    run(main)


def test_reading_up_to_a_limit_leaves_the_rest_to_be_read() -> None:
    """And says whether there is one."""

    async def main() -> None:
        answer = OK + b"content-length: 6\r\n\r\nabcdef"
        async with answering(answer) as upstream, client_of(upstream) as client:
            response = await client.send(b"GET", b"/", [], b"")
            assert [await response.read(2), response.received] == [b"ab", False]
            assert [await response.read(3), response.received] == [b"cde", False]
            assert [part async for part in response] == [b"f"]
            assert response.received
            assert await response.read(5) == b""
            response.close()

    run(main)


async def parts(*what: bytes) -> AsyncIterator[bytes]:
    """A body in parts."""
    for part in what:
        yield part


@pytest.mark.parametrize(
    ("headers", "wire"),
    [
        ([], b"5\r\nhello\r\n3\r\nyou\r\n0\r\n\r\n"),
        ([(b"content-length", b"8")], b"helloyou"),
    ],
    ids=["chunked", "length"],
)
def test_a_body_in_parts_is_sent_as_it_is_said_to_be(
    headers: list[tuple[bytes, bytes]], wire: bytes
) -> None:
    """Chunked, or of the length that is said; an empty part ends nothing, and no byte follows."""

    async def main() -> None:
        received: list[bytes] = []

        async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            received.append(await reader.readexactly(len(wire)))
            writer.write(EMPTY)
            received.append(await reader.read())

        async with raw(act) as upstream:
            async with client_of(upstream) as client:
                body = parts(b"hello", b"", b"you")
                response = await client.send(b"POST", b"/", headers, body)
                response.close()
                assert len(client._idle) == 1
            await eventually(lambda: received == [wire, b""], "the body, and nothing more")

    run(main)


@pytest.mark.parametrize("body", [[b"abc"], [b"ab", b"cde"]])
def test_a_body_of_another_length_than_was_said_is_not_passed_off(body: list[bytes]) -> None:
    """Neither one that is too short nor one that is too long, whose end would be a request."""

    async def main() -> None:
        received: list[bytes] = []

        async def act(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            received.append(await reader.read())

        async with raw(act) as upstream, client_of(upstream) as client:
            with pytest.raises(ValueError, match="Content-Length"):
                await client.send(b"POST", b"/", [(b"content-length", b"4")], parts(*body))
            await eventually(lambda: bool(received), "the connection is closed")
            assert len(received[0]) < 4

    run(main)


def test_what_the_body_raises_the_sender_gets() -> None:
    """And the upstream does not get a body that looks whole."""

    class GoneError(Exception):
        pass

    async def broken() -> AsyncIterator[bytes]:
        yield b"ab"
        raise GoneError

    async def main() -> None:
        received: list[bytes] = []

        async def act(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            with contextlib.suppress(ConnectionError):
                received.append(await reader.read())
            received.append(b"")

        async with raw(act) as upstream, client_of(upstream) as client:
            with pytest.raises(GoneError):
                await client.send(b"POST", b"/", [], broken())
            await eventually(lambda: bool(received), "the connection is closed")
            assert b"0\r\n\r\n" not in received[0]

    run(main)


class Endless:
    """A body without end that knows how much was taken of it, and whether it was ended."""

    def __init__(self) -> None:
        self.taken = 0
        self.ended = False

    async def __call__(self) -> AsyncIterator[bytes]:
        """The parts."""
        try:
            while True:
                self.taken += 65_536
                yield bytes(65_536)
                await asyncio.sleep(0)
        finally:
            self.ended = True


def test_an_answer_may_come_before_the_body_is_all_sent() -> None:
    """Closing it ends the sending, and the connection."""

    async def main() -> None:
        async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno")
            while await reader.read(65_536):
                pass

        body = Endless()
        async with raw(act) as upstream, client_of(upstream) as client:
            response = await client.send(b"POST", b"/", [], body())
            assert (response.status, await response.read(9)) == (413, b"no")
            assert not body.ended
            response.close()
            await eventually(lambda: body.ended and upstream.ended == 1, "the sending ends")
            assert client._idle == []

    run(main)


def test_a_body_is_taken_no_faster_than_the_upstream_takes_it() -> None:
    """Nothing piles up between."""

    async def main() -> None:
        go = asyncio.Event()

        async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await go.wait()
            await reader.readuntil(b"\r\n\r\n")
            writer.write(EMPTY)
            await reader.read(1)

        body = Endless()
        async with raw(act) as upstream, client_of(upstream) as client:
            sending = asyncio.create_task(client.send(b"POST", b"/", [], body()))
            taken = 0
            while not taken or taken != body.taken:
                taken = body.taken
                await asyncio.sleep(0.2)
            assert 0 < taken < MAX_ON_THE_WAY
            go.set()
            (await sending).close()

    run(main)


def test_an_answer_is_read_no_faster_than_it_is_taken() -> None:
    """Nothing piles up between; then it comes whole."""
    size = 2 * MAX_ON_THE_WAY

    async def main() -> None:
        written = 0

        async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal written
            await reader.readuntil(b"\r\n\r\n")
            writer.write(OK + b"content-length: %d\r\n\r\n" % size)
            while written < size:
                writer.write(bytes(65_536))
                await writer.drain()
                written += 65_536

        async with raw(act) as upstream, client_of(upstream) as client:
            response = await client.send(b"GET", b"/", [], b"")
            seen = 0
            while not seen or seen != written:
                seen = written
                await asyncio.sleep(0.2)
            assert 0 < seen < MAX_ON_THE_WAY
            assert sum([len(part) async for part in response]) == size
            assert response.received
            response.close()
            assert len(client._idle) == 1

    run(main)


@pytest.mark.parametrize("says", [b"HTTP/1.1 100 Continue\r\n\r\n", b"", b"HTTP/1.1 417 No\r\n"])
def test_a_body_waits_for_leave_to_be_sent(says: bytes) -> None:
    """Until the upstream gives it, or has been silent for a second; a refusal spares the body."""

    async def main() -> None:
        body = Endless()
        before: list[int] = []

        async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            assert b"expect: 100-continue\r\n" in await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(0.1)
            before.append(body.taken)
            if b"417" in says:
                writer.write(says + b"content-length: 0\r\n\r\n")
                await reader.read()
                return
            writer.write(says)
            await reader.readexactly(10)
            writer.write(EMPTY)
            await reader.read(1)

        async with raw(act) as upstream, client_of(upstream) as client:
            headers = [(b"expect", b"100-continue")]
            response = await client.send(b"PUT", b"/", headers, body())
            response.close()
            assert before == [0]
            assert response.status == (417 if b"417" in says else 200)
            assert (body.taken == 0) is (b"417" in says)

    run(main)
