"""An audit on the terminal and as JSON, however long its figures are and whatever layers say."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from loadtests.audit.answer import End
from loadtests.audit.course import Audit
from loadtests.audit.terminal import render
from loadtests.audit.to_json import to_json
from tests.loadtests.audit.made import audit, course

HOSTILE = {"server": "a\x1b]0;b\x07\x9b31m" + "c" * 900, "via": "[bold red]x[/]"}


def shown(seen: Audit, columns: int = 80) -> str:
    """What is printed on a terminal of this width."""
    output = io.StringIO()
    render(seen, Console(file=output, width=columns, force_terminal=False))
    return output.getvalue()


def wild() -> Audit:
    """Everything at its longest."""
    times_s = [0.0, 111.11, 222.22, 333.33, 444.44]
    return audit(
        course("OPTIONS", None, times_s, 200, headers=HOSTILE),
        course("OPTIONS", "429", times_s, 503, End.CUT_SHORT, HOSTILE, 119.9, left_off=99_999),
        course("OPTIONS", "reset", (), None, End.REFUSED),
        course("DELETE", "hang", [0.0, 0.0001], None, End.TIMED_OUT, elapsed_s=120.0),
        strangers=1_000_000,
        timeout_s=120.0,
    )


def test_a_row_says_what_became_of_a_request() -> None:
    """The refusal is said once for all of its methods."""
    seen = audit(course("GET", "503", (1.0, 1.011, 1.05)), course("POST", "503", elapsed_s=0.003))
    lines = [line.split() for line in shown(seen).splitlines()]
    assert ["503", "GET", "3", "11,", "39", "ms", "503", "50", "ms"] in lines
    assert ["POST", "1", "–", "503", "3", "ms"] in lines


@pytest.mark.parametrize("columns", [80, 200])
def test_no_line_is_longer_than_80_columns(columns: int) -> None:
    """Figures are never cut short."""
    output = shown(wild(), columns)
    assert max(len(line.rstrip()) for line in output.splitlines()) <= 80
    assert "100,004" in output
    assert "111.11" in output
    assert "429, Retry-After" in output


def test_intervals_of_seconds_fit_on_a_line() -> None:
    """Beside the longest of the other columns."""
    output = shown(
        audit(
            course("POST", "429", (1.0, 2.01, 3.01, 4.01), status=429),
            course("POST", "cut", (1.0, 1.1), 200, End.CUT_SHORT, elapsed_s=0.433),
        )
    )
    assert "1.01, 1.00, 1.00 s" in output


def test_nothing_that_a_layer_says_is_obeyed() -> None:
    """Neither by the terminal nor as markup."""
    output = shown(wild())
    assert not {char for char in output if not char.isprintable()} - {"\n"}
    assert "[bold red]x[/]" in " ".join(output.split())
    assert "\x9b" not in to_json(wild())


def test_doubt_comes_first() -> None:
    """Before what it is about."""
    assert shown(audit(course("GET", None, (), 200))).startswith("It cannot be told whether")
    assert "cannot be told" not in shown(audit(course("GET", "503")))


def test_what_was_disturbed_is_shown_though_it_proves_nothing() -> None:
    """In its place in the table and in JSON, with why."""
    seen = audit(
        course("GET", "hang", (1.0, 3.0), disturbances=["the dip dip-1 (0%) was in force"]),
        course("POST", "hang", (1.0,)),
    )
    lines = shown(seen).splitlines()
    assert lines[0] == "It cannot be told whether something retries."
    assert lines[1].startswith("Nothing can be told of a missing answer (GET): the dip dip-1 (0%)")
    assert ["hang", "GET", "2", "2.00", "s", "503", "50", "ms"] in [line.split() for line in lines]
    document = json.loads(to_json(seen))
    assert document["verdict"] == "unknown"
    assert [each["disturbances"] for each in document["requests"]] == [
        [], ["the dip dip-1 (0%) was in force"], []
    ]  # fmt: skip


def test_json_has_all_that_was_seen() -> None:
    """For programs."""
    document = json.loads(to_json(audit(course("GET", "429", (1.0, 1.0250004), envoy=True))))
    assert document["verdict"] == "retries"
    assert document["findings"][0]["text"].startswith("Something between you and the service")
    served, refused = document["requests"]
    assert served["refused_with"] is None
    assert (refused["method"], refused["refused_with"], refused["retry_after_s"]) == (
        "GET", "429", 1.0,
    )  # fmt: skip
    assert (refused["attempts"], refused["intervals_s"]) == (2, [0.025])
    assert refused["seen"][1] == {
        "t_s": 1.025,
        "attempt": 1,
        "outcome": "admitted",
        "numbers": {"x-aftershock-attempt": 1, "x-envoy-attempt-count": 2},
    }
    assert refused["answer"] == {
        "end": "answered",
        "status": 503,
        "elapsed_s": 0.05,
        "retry_after": None,
        "problem": "",
    }


def test_an_audit_that_was_stopped_says_why_it_cannot_tell() -> None:
    """The others do not."""
    seen = audit(course("GET", None))
    assert "something retries, because the audit was stopped." in shown(replace(seen, stopped=True))
    assert "because the audit was stopped" not in shown(seen)
