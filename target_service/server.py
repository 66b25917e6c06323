"""Runs the target under uvicorn until it is told to stop."""

import logging
import os
import signal
import socket
import sys
from types import FrameType

import uvicorn

from aftershock_units import format_rate
from target_service.app import create_app
from target_service.protocol import BoundedHeadProtocol
from target_service.settings import Settings

_log = logging.getLogger("aftershock.target")

_KEEP_ALIVE_S = 120
"""Longer than any client is idle: a connection closed under a client looks like a failure."""
_BACKLOG = 4096
"""A storm arrives on many new connections at once; the kernel cuts this to its own limit."""
_GRACE_S = 3


class CannotListenError(OSError):
    """One sentence that names the address and says why it cannot be listened on."""


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise CannotListenError(f"cannot listen on {host}: {error.strerror}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        # Listening now makes a port in use fail here, before anything else has begun.
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        reason = error.strerror
        raise CannotListenError(f"cannot listen on {host} port {port}: {reason}") from error
    return listener


def _announce(settings: Settings, port: int) -> None:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    capacity = format_rate(settings.capacity)
    _log.info("aftershock target on http://%s:%d, capacity %s per lane", host, port, capacity)
    if settings.admin_token is None:
        _log.info("no AFTERSHOCK_ADMIN_TOKEN is set: the admin API answers loopback clients only")


class _Server(uvicorn.Server):
    """Announces itself when it serves, and stops without ado when it is told to."""

    def __init__(self, config: uvicorn.Config, settings: Settings) -> None:
        super().__init__(config)
        self._settings = settings

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve `sockets`, and say so."""
        await super().startup(sockets)
        for listener in sockets or ():
            _announce(self._settings, listener.getsockname()[1])

    def stop(self, _signal: int, _frame: FrameType | None) -> None:
        """Stop as soon as may be, also when the signal comes before uvicorn takes signals over.

        Uvicorn raises the signal again once it has stopped; being told to is not a failure.
        """
        self.should_exit = True


def _watch_parent(server: uvicorn.Server, parent_pid: int) -> None:
    """Stop the server within a second of `parent_pid` having died.

    A harness that starts a target names itself in AFTERSHOCK_PARENT_PID, so that even when it is
    killed outright nothing of it is left behind.
    """

    async def look() -> None:
        if os.getppid() != parent_pid:
            _log.info("the process that started the target is gone: stopping")
            server.should_exit = True

    server.config.callback_notify = look
    server.config.timeout_notify = 0


def run(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM, or until the parent named in the settings is gone.

    Raises `CannotListenError`.
    """
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    _log.setLevel(logging.INFO)
    listener = _listen(settings.host, settings.port)
    config = uvicorn.Config(
        create_app(settings),
        loop="uvloop",
        http=BoundedHeadProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        # A client must not be able to say that it is on loopback.
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=_GRACE_S,
    )
    server = _Server(config, settings)
    if settings.parent_pid is not None:
        _watch_parent(server, settings.parent_pid)
    signal.signal(signal.SIGTERM, server.stop)
    signal.signal(signal.SIGINT, server.stop)
    server.run(sockets=[listener])
