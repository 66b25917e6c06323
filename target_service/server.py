"""Runs the target, or another app of ours, under uvicorn until it is told to stop."""

import asyncio
import gc
import logging
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from target_service.app import create_app, create_proxy
from target_service.protocol import BoundedHeadProtocol
from target_service.settings import Settings
from target_service.upstream.client import UpstreamClient
from target_service.upstream.serving import protocol_for

_logs = logging.getLogger("aftershock")
_log = _logs.getChild("target")

_KEEP_ALIVE_S = 120
"""Longer than any client is idle: a connection closed under a client looks like a failure."""
_BACKLOG = 4096
"""A storm arrives on many new connections at once; the kernel cuts this to its own limit."""
_FILES = 10_240
"""Open files that we ask for where there is no hard limit: all that macOS allows."""
_GRACE_S = 1
"""A container of ours is killed 2 s after it was told to stop."""


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


def url_of(host: str, port: int) -> str:
    """Where what listens there is found."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _announce(settings: Settings, port: int) -> None:
    _log.info(
        "aftershock target on %s, %s per lane%s",
        url_of(settings.host, port),
        settings.in_words(),
        f", in front of {settings.upstream}" if settings.upstream else "",
    )
    if settings.admin_token is None:
        _log.info("no AFTERSHOCK_ADMIN_TOKEN is set: the admin API answers loopback clients only")


class _Server(uvicorn.Server):
    """Announces itself when it serves, and stops without ado when it is told to."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[int], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve `sockets`, and say so."""
        await super().startup(sockets)
        for listener in sockets or ():
            self._announce(listener.getsockname()[1])

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
            _logs.info("the process that started this one is gone: stopping")
            server.should_exit = True

    server.config.callback_notify = look
    server.config.timeout_notify = 0


def run(settings: Settings) -> None:
    """Serve the target, or the gate in front of an upstream. Raises `CannotListenError`."""
    protocol = BoundedHeadProtocol
    if settings.upstream is None:
        app = create_app(settings)
    else:
        client = UpstreamClient(settings.upstream)
        app, protocol = create_proxy(settings, client), protocol_for(client.address)
    run_app(
        app,
        settings.host,
        settings.port,
        parent_pid=settings.parent_pid,
        announce=lambda port: _announce(settings, port),
        protocol=protocol,
        # What passes through has its own.
        date_header=settings.upstream is None,
    )


def _spare_the_collector() -> None:
    """What is there by now stays, and what an attempt leaves behind goes without the collector.

    To have it look through all that for every few hundred objects costs a tenth of each attempt.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def _allow_many_clients() -> None:
    """Use all files that we may open: each client that waits takes one, and so does the admin API.

    Many shells allow 1024 unless they are asked for more, which a storm soon takes. Then those who
    come next are not even seen, and nobody can ask why.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else hard
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _is_news(record: logging.LogRecord) -> bool:
    """Not what happens on purpose: a request that we end, as we stop."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


def run_app(  # noqa: PLR0913 - all that uvicorn is told
    app: ASGIApp,
    host: str,
    port: int,
    *,
    parent_pid: int | None,
    announce: Callable[[int], None],
    protocol: type[BoundedHeadProtocol] = BoundedHeadProtocol,
    date_header: bool = True,
) -> None:
    """Serve until SIGINT or SIGTERM, or until the process `parent_pid`, if any, is gone.

    `announce` is told the port once it serves. Raises `CannotListenError`.
    """
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    _logs.setLevel(logging.INFO)
    # Anybody can send what is no HTTP: no reason to write a line each time.
    uvicorns = logging.getLogger("uvicorn.error")
    uvicorns.setLevel(logging.ERROR)
    uvicorns.addFilter(_is_news)
    listener = _listen(host, port)
    config = uvicorn.Config(
        app,
        loop="uvloop",
        http=protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        # A client must not be able to say that it is on loopback.
        proxy_headers=False,
        server_header=False,
        date_header=date_header,
        timeout_keep_alive=_KEEP_ALIVE_S,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=_GRACE_S,
    )
    _spare_the_collector()
    _allow_many_clients()
    server = _Server(config, announce)
    if parent_pid is not None:
        _watch_parent(server, parent_pid)
    signal.signal(signal.SIGTERM, server.stop)
    signal.signal(signal.SIGINT, server.stop)
    server.run(sockets=[listener])
