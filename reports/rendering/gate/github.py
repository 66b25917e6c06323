"""What GitHub Actions shows of a verdict: annotations, and the summary of the job.

https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

import os
from pathlib import Path

from reports.judging.gate.verdict import Outcome, Verdict
from reports.rendering import words
from reports.rendering.gate.markdown import to_markdown
from reports.rendering.gate.sentences import lane_title, said, why_not_valid

MAX_SUMMARY_BYTES = 1 << 20
"""Of a step; GitHub shows none of a larger one."""
MAX_ANNOTATIONS = 10
"""Of a step and a kind; GitHub drops those after them."""


def annotations(verdict: Verdict) -> list[str]:
    """A workflow command for each breach, or each run that is not valid.

    Where there are more than are shown, the last one says so.
    """
    if verdict.outcome is Outcome.NOT_VALID:
        found = [
            _error(f"aftershock: {run.name} is not valid", why_not_valid(run))
            for run in verdict.not_valid
        ]
    else:
        found = [
            _error(f"aftershock: {lane_title(finding)}", said(finding))
            for finding in verdict.broken
        ]
    if len(found) <= MAX_ANNOTATIONS:
        return found
    left = len(found) - MAX_ANNOTATIONS + 1
    more = _error("aftershock", f"and {left} more: the log of this step has them all")
    return [*found[: MAX_ANNOTATIONS - 1], more]


def append_summary(verdict: Verdict, path: Path) -> None:
    """Add the verdict to what the step has in its summary, as far as there is room.

    Raises `OSError`, and does not wait for somebody to read from a pipe.
    """
    with open(path, "ab", opener=_at_once) as file:
        room = MAX_SUMMARY_BYTES - file.tell() - 1
        begun = "\n" if file.tell() else ""
        if text := to_markdown(verdict, room):
            file.write((begun + text).encode())


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)


def harmless(line: str) -> str:
    """A line of output in which GitHub finds no command, whatever names are in it.

    It heeds ``##[error]`` anywhere in a line.
    """
    return line.replace("##[", "## [")


def _error(title: str, message: str) -> str:
    return f"::error title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return words.printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
