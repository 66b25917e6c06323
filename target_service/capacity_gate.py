"""The gate as middleware of somebody's own ASGI app. Off unless it is switched on."""

import asyncio
import os
import re
from collections.abc import Collection, Mapping

from starlette.types import ASGIApp, Receive, Scope, Send

from target_service.app import control_of, target_of
from target_service.gate import Gate
from target_service.paths import path_below_mount
from target_service.settings import BadSettingError, Settings, read_settings
from target_service.ticker import clock_from_now

SWITCH = "AFTERSHOCK_GATE"
"""Switches every `CapacityGate` that is not told by its `enabled`: ``on`` or ``off``."""
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
        self._wrong: BadSettingError | None = None
        try:
            self._set_up(enabled, admin_path, open_paths, options)
        except BadSettingError as error:
            # Frameworks make their middleware at the first call, which is that of the lifespan.
            # Servers take what is raised then for an app without one, and would serve errors.
            if not _is_in_a_server():
                raise
            self._wrong = error

    def _set_up(
        self,
        enabled: bool | None,
        admin_path: str,
        open_paths: Collection[str],
        options: Mapping[str, str | int],
    ) -> None:
        settings = _settings_of(options)
        if enabled not in {None, True, False}:
            raise BadSettingError(
                "enabled: expected True, False, or None for what the variable says"
            )
        if isinstance(open_paths, str):
            raise BadSettingError(f"open_paths: expected a list, as in [{open_paths[:64]!r}]")
        self._admin_path = _checked_path("admin_path", admin_path)
        self._open = frozenset(_checked_path("open_paths", path) for path in open_paths)
        self._gate: Gate | None = None
        if enabled if enabled is not None else _switched_on():
            target, clock = target_of(settings), clock_from_now()
            self._gate = Gate(self._app, target, clock, word=settings.word(), open_paths=())
            self._control = control_of(target, clock, settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._wrong is not None:
            await _fail(self._wrong, scope, receive, send)
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


async def _fail(wrong: BadSettingError, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != "lifespan":
        raise wrong
    await receive()
    await send({"type": "lifespan.startup.failed", "message": f"CapacityGate: {wrong}"})


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


def _checked_path(name: str, path: str) -> str:
    plain = path.isascii() and path.isprintable() and not {" ", "?", "#", "%"} & set(path)
    if not plain or not path.startswith("/") or path == "/" or path.endswith("/"):
        raise BadSettingError(f'{name}: {path[:64]!r} is no path such as "/aftershock"')
    return path


def _switched_on() -> bool:
    said = os.environ.get(SWITCH, "").lower()
    if said not in {"", "on", "off"}:
        raise BadSettingError(f"{SWITCH}: expected on or off")
    return said == "on"
