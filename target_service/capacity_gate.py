"""The gate as middleware of somebody's own ASGI app. Off unless it is switched on."""

import os
from collections.abc import Collection

from starlette.types import ASGIApp, Receive, Scope, Send

from target_service.app import control_of, target_of
from target_service.gate import Gate
from target_service.paths import path_below_mount
from target_service.settings import BadSettingError, read_settings
from target_service.ticker import clock_from_now

SWITCH = "AFTERSHOCK_GATE"
"""Switches every `CapacityGate` that is not told by its `enabled`: ``on`` or ``off``."""
DEFAULT_ADMIN_PATH = "/aftershock"


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
        **options: str,
    ) -> None:
        """`options` are those of ``aftershock serve``, as text; the environment has the others.

        `enabled` None is as `AFTERSHOCK_GATE` says, off when it says nothing. `open_paths` are
        paths of the app that never pass the gate, such as a health check. Raises
        `BadSettingError`, also when the gate is off: a wrong setting shows before it matters.
        """
        settings = read_settings(**options)
        self._app = app
        self._admin_path = _checked_path("admin_path", admin_path)
        self._open = frozenset(_checked_path("open_paths", path) for path in open_paths)
        self._gate: Gate | None = None
        if enabled if enabled is not None else _switched_on():
            target, clock = target_of(settings), clock_from_now()
            self._gate = Gate(app, target, clock, word=settings.word(), open_paths=())
            self._control = control_of(target, clock, settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
