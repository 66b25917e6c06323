"""The gate as middleware of somebody's own ASGI app. Off unless it is switched on."""

import asyncio
import logging
import os
import re
from collections.abc import Collection, Iterable, Mapping

from starlette.types import ASGIApp, Receive, Scope, Send

from target_service.app import control_of, target_of
from target_service.gate import Gate
from target_service.paths import path_below_mount
from target_service.settings import BadSettingError, Settings, read_settings
from target_service.ticker import clock_from_now

_log = logging.getLogger("aftershock.gate")

SWITCH = "AFTERSHOCK_GATE"
"""Switches every `CapacityGate` that is not told by its `enabled`."""
_ON = ("on", "1", "true", "yes")
_OFF = ("off", "0", "false", "no", "")
DEFAULT_ADMIN_PATH = "/aftershock"
_NOT_OURS = {"host", "port", "upstream", "service_time", "admin_token", "parent_pid"}
"""What the app's own server says, what the app's work takes, and what no code shall hold."""
_SETTINGS = Settings.model_fields.keys() - _NOT_OURS


class CapacityGate:
    """Turns attempts away at the app's door when a lane is at capacity, and dips on command.

    ::

        app.add_middleware(CapacityGate, capacity="50/s")

    The admin API is at ``/aftershock/admin/…``, the metrics at ``/aftershock/metrics``; it takes
    the token in ``AFTERSHOCK_ADMIN_TOKEN``, or loopback clients only. Nothing is changed and
    nothing is served there while the gate is off.
    """

    def __init__(
        self,
        app: ASGIApp,
        /,
        *,
        enabled: bool | None = None,
        admin_path: str = DEFAULT_ADMIN_PATH,
        open_paths: Collection[str] = (),
        **options: str | int,
    ) -> None:
        """`options` are settings of ``aftershock serve``; the environment has the others.

        `enabled` None is as `AFTERSHOCK_GATE` says, off when it says nothing. `open_paths` are
        paths of the app that never pass the gate, such as a health check. Raises
        `BadSettingError`, also when the gate is off: a wrong setting shows before it matters. Made
        inside a server it says so when that starts, which then ends.
        """
        self._app = app
        self._gate: Gate | None = None
        self._wrong: _Wrong | None = None
        on = False
        try:
            on = _is_on(enabled)
            self._set_up(on, admin_path, open_paths, options)
        except BadSettingError as error:
            # Frameworks make their middleware at the first call, which is that of the lifespan.
            # Servers take what is raised then for an app without one, and would serve errors.
            if not _is_in_a_server():
                raise
            self._wrong = _Wrong(error, None if on else app)

    def _set_up(
        self,
        on: bool,
        admin_path: str,
        open_paths: Collection[str],
        options: Mapping[str, str | int],
    ) -> None:
        settings = _settings_of(options)
        if isinstance(open_paths, str) or not isinstance(open_paths, Iterable):
            raise BadSettingError(f"open_paths: {open_paths!r:.64} is no list, as in ['/healthz']")
        self._admin_path = _checked_path("admin_path", admin_path)
        self._open = frozenset(_checked_path("open_paths", path) for path in open_paths)
        if on:
            target, clock = target_of(settings), clock_from_now()
            self._gate = Gate(self._app, target, clock, word=settings.word(), open_paths=())
            self._control = control_of(target, clock, settings)
            _announce(settings, self._admin_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._wrong is not None:
            await self._wrong(scope, receive, send)
            return
        if self._gate is None:
            await self._app(scope, receive, send)
            return
        path = path_below_mount(scope) if scope["type"] == "http" else ""
        below = self._admin_path + "/"
        if path.startswith(below):
            root: str = scope.get("root_path", "") + self._admin_path
            await self._control({**scope, "root_path": root}, receive, send)
        elif path in self._open:
            await self._app(scope, receive, send)
        else:
            await self._gate(scope, receive, send)


class _Wrong:
    """In the place of a gate that cannot be made: ends the start of the server.

    Not every start is asked (``--lifespan off``, an app that is mounted in another). Where the gate
    is off what comes then passes untouched: a gate that nobody wants must not cost a request. Where
    it is on every call fails: nobody shall take an app without a gate for one with it.
    """

    def __init__(self, error: BadSettingError, app: ASGIApp | None) -> None:
        """`app` gets what passes, if anything does."""
        self._said = f"CapacityGate: {error}"
        self._app = app
        self._told = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.failed", "message": self._said})
            return
        if self._app is None:
            raise BadSettingError(self._said)
        if not self._told:
            self._told = True
            _log.error("%s; the gate is off, and all passes it untouched", self._said)
        await self._app(scope, receive, send)


def _announce(settings: Settings, admin_path: str) -> None:
    """Say that it is on, and whom it obeys: as a warning, which also shows where no log is set up.

    One line a process: several are several gates, each with a capacity and dips of its own.
    """
    _log.warning(
        "CapacityGate is on in process %d: %s per lane; admin API at %s/admin, for %s",
        os.getpid(),
        settings.in_words(),
        admin_path,
        "loopback clients only, as no AFTERSHOCK_ADMIN_TOKEN is set"
        if settings.admin_token is None
        else "whoever has the token",
    )


def _is_in_a_server() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _settings_of(options: Mapping[str, str | int]) -> Settings:
    """The settings, with errors that name arguments, not options of a command."""
    unknown = options.keys() - _SETTINGS
    if unknown:
        allowed = ", ".join(sorted(_SETTINGS))
        raise BadSettingError(f"{min(unknown)}: no such setting: expected one of {allowed}")
    try:
        return read_settings(**{name: str(value) for name, value in options.items()})
    except BadSettingError as error:
        said = re.sub("--([a-z-]+)", lambda found: found[1].replace("-", "_"), str(error))
        raise BadSettingError(said) from None


def _checked_path(name: str, path: object) -> str:
    if (
        isinstance(path, str)
        and path.isascii()
        and path.isprintable()
        and not {" ", "?", "#", "%"} & set(path)
        and path.startswith("/")
        and not path.endswith("/")
    ):
        return path
    raise BadSettingError(f'{name}: {path!r:.64} is no path such as "/aftershock"')


def _is_on(enabled: object) -> bool:
    """As `enabled` says, or else the variable."""
    if isinstance(enabled, bool):
        return enabled
    if enabled is not None:
        raise BadSettingError(
            f"enabled: {enabled!r:.64}: expected True, False, or None for what {SWITCH} says"
        )
    said = os.environ.get(SWITCH, "")
    word = said.strip().lower()
    if word not in _ON + _OFF:
        raise BadSettingError(
            f"{SWITCH}: {said!r:.64}: expected one of {', '.join(_ON)}, "
            f"or of {', '.join(filter(None, _OFF))}"
        )
    return word in _ON
