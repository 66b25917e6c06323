"""Work on records in processes of their own that give way to the load, which must be on time."""

import sys
from pathlib import Path

# Not by a function that is called between fork and exec: under gevent that is not safe. And not
# at the lowest priority: on a machine that is busy with the load it would never end.
_NICE = (
    "import os, runpy, sys; getattr(os, 'nice', id)(10); "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


class BusyError(Exception):
    """As many of them as may be are at work; the message is a sentence."""


def niced(module: str, *arguments: str | Path) -> list[str]:
    """The command that runs ``python -m module arguments`` at a low priority."""
    return [sys.executable, "-c", _NICE, module, *map(str, arguments)]
