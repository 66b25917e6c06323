"""Attempts over a socket of our own: what a fault does to a connection is seen byte by byte."""

import socket
from dataclasses import dataclass

from tests.target_service.live import LIMIT_S


@dataclass(frozen=True)
class Seen:
    """What came back before the connection ended, and how it ended."""

    head: bytes
    body: bytes
    was_reset: bool

    @property
    def status(self) -> int:
        """Of the answer; 0 when there was none."""
        return int(self.head.split()[1]) if self.head else 0

    def header(self, name: str) -> str | None:
        """The value of a header."""
        for line in self.head.split(b"\r\n")[1:]:
            said, _, value = line.decode("latin-1").partition(":")
            if said.strip().lower() == name:
                return value.strip()
        return None


def attempt(
    port: int,
    lane: str = "a",
    number: int = 1,
    path: str = "/work",
    method: str = "GET",
    body: bytes = b"",
) -> socket.socket:
    """A connection on which one attempt has been sent."""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Aftershock-Lane: {lane}\r\n"
        f"X-Aftershock-Attempt: {number}\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    connection = socket.create_connection(("127.0.0.1", port), LIMIT_S)
    connection.sendall(head.encode() + body)
    return connection


def seen_on(connection: socket.socket) -> Seen:
    """Read until the connection ends."""
    read, was_reset = b"", False
    with connection:
        try:
            while part := connection.recv(65_536):
                read += part
        except ConnectionResetError:
            was_reset = True
    head, _, body = read.partition(b"\r\n\r\n")
    return Seen(head, body, was_reset)


def answer_of(port: int, lane: str = "a", number: int = 1) -> Seen:
    """Make one attempt and read until the connection ends."""
    return seen_on(attempt(port, lane, number))
