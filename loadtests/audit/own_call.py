"""Requests sent by code of one's own: an SDK is a layer too, and sits in the process."""

import importlib
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from loadtests.audit.answer import Answer, End

Call = Callable[[str, str, dict[str, str]], object]
"""Makes one request with this method, URL and headers. May return a status or a response."""

_NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def load_call(name: str) -> Call:
    """The function ``package.module:function``. Raises `ValueError` with what is wrong."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"through: {name[:64]!r} is not of the form package.module:function")
    module_name, _, attribute = name.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)  # as Python does for `-m`: the user's module is where they are
    try:
        call: object = getattr(importlib.import_module(module_name), attribute)
    except (Exception, SystemExit) as error:
        raise ValueError(f"through: {name}: {type(error).__name__}: {error}") from error
    if not callable(call):
        raise ValueError(f"through: {name} is no function")
    return call


class CallSender:
    """Sends by calling `call`; what it raises is how the request ended."""

    def __init__(self, call: Call, url: str, timeout_s: float) -> None:
        """A call that takes longer than `timeout_s` is left to itself."""
        self._call = call
        self._url = url
        self._timeout_s = timeout_s

    def send(self, method: str, headers: Mapping[str, str]) -> Answer:
        """Call it once, in a thread, as there is no other way to stop waiting for it."""
        ended: list[Answer] = []
        started_s = time.monotonic()

        def run() -> None:
            try:
                returned = self._call(method, self._url, dict(headers))
                ended.append(_answer(returned, time.monotonic() - started_s))
            except BaseException as error:  # noqa: BLE001 - whatever an SDK raises is its answer
                elapsed_s = time.monotonic() - started_s
                problem = f"{type(error).__name__}: {error}"
                raised = Answer(End.RAISED, elapsed_s, problem=problem, shows_headers=False)
                ended.append(raised)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(self._timeout_s)
        if ended:
            return ended[0]
        return Answer(End.TIMED_OUT, time.monotonic() - started_s, shows_headers=False)


def _answer(returned: object, elapsed_s: float) -> Answer:
    """What a call returned, with its headers where it has them as libraries do."""
    status, found = _status(returned), getattr(returned, "headers", None)
    if not isinstance(found, Mapping):
        return Answer(End.ANSWERED, elapsed_s, status, shows_headers=False)
    headers = {str(name).lower(): str(value) for name, value in found.items()}
    return Answer(End.ANSWERED, elapsed_s, status, headers)


def _status(returned: object) -> int | None:
    """A status, or that of a response as libraries have them."""
    for name in ("status_code", "status"):
        found = getattr(returned, name, None)
        if isinstance(found, int):
            return found
    return returned if isinstance(returned, int) else None
