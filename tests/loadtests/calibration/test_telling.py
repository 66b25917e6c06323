"""What is said: the answer with its confidence, what it would take, and no secrets."""

import json
from dataclasses import replace
from io import StringIO
from random import Random

import pytest
from rich.console import Console

from loadtests.calibration.history import History
from loadtests.calibration.judging import Baseline
from loadtests.calibration.planning import Plan
from loadtests.calibration.request import TargetRequest, parse_request
from loadtests.calibration.steps import Purpose, Step, StepLimits
from loadtests.calibration.telling import (
    Teller,
    announcement,
    as_json,
    conclusion,
    remarks,
    step_line,
    tell,
)
from loadtests.calibration.verdict import Finding, Verdict
from tests.loadtests.calibration.servers import calibrate, measure, rejecting

REQUEST = parse_request("http://staging:8080/work", None, "GET", ["Authorization: Bearer secret"])
PLAIN = parse_request("http://staging:8080/work", None, "GET", [])
BASELINE = Baseline(1.0, 0.003, 0.053)
FOUND = Verdict(Finding.SATURATED, "goodput stopped growing", 199, 199.9, 199.7, 200.2, 199)
SHARED = (
    "Each policy of a run has a lane, --capacity is that of each lane, and all lanes share the "
    "target: run one policy at a time, or divide it by their number: 39.8/s for five."
)


def test_an_answer_is_told_with_its_confidence_and_what_to_give() -> None:
    """The commands can be copied, and the target is not given to each lane as a whole."""
    assert conclusion(FOUND, PLAIN, BASELINE) == [
        "capacity: 199.9/s, with 95% confidence between 199.7/s and 200.2/s: "
        "goodput stopped growing",
        "seen to keep up with 199/s, p95 within 53.0 ms; give:",
        "  aftershock serve --upstream http://staging:8080 --capacity 199/s",
        "and, while that serves:",
        "  aftershock run --target http://127.0.0.1:8000 --path /work --policy full-jitter "
        "--rate 189/s",
        SHARED,
    ]


@pytest.mark.parametrize(
    "request_", [REQUEST, parse_request("http://staging:8080/work", None, "POST", [])]
)
def test_no_run_is_given_that_would_ask_for_something_else(request_: TargetRequest) -> None:
    """A run sends GET, with no headers of anybody's."""
    assert conclusion(FOUND, request_, BASELINE)[2:] == [
        "  aftershock serve --upstream http://staging:8080 --capacity 199/s",
        SHARED,
    ]


def test_the_gate_gets_another_port_than_a_target_on_this_machine() -> None:
    """And what a shell would read stays as it is."""
    request = parse_request("http://127.0.0.1:8000/work?a=1&b", None, "GET", [])
    _, _, serve, _, run, _ = conclusion(FOUND, request, BASELINE)
    assert serve.endswith("--upstream http://127.0.0.1:8000 --capacity 199/s --port 8001")
    assert "--target http://127.0.0.1:8001 --path '/work?a=1&b' " in run


def test_lines_end_where_the_console_does_but_for_the_commands() -> None:
    """Words are not torn, and what is copied is one line."""
    console = Console(file=StringIO(), width=60)
    tell(console, conclusion(FOUND, PLAIN, BASELINE))
    assert isinstance(console.file, StringIO)
    long = [line for line in console.file.getvalue().splitlines() if len(line) > 60]
    assert long == [line for line in conclusion(FOUND, PLAIN, BASELINE) if line.startswith("  ")]


def test_no_columns_are_named_before_there_is_a_step() -> None:
    """A target that does not answer gets a sentence, and no empty table above it."""
    console = Console(file=StringIO(), width=80)
    _, results = calibrate(rejecting(50.0), 1, Plan(ceiling_per_s=100))
    assert isinstance(console.file, StringIO)
    with Teller(console, StepLimits()) as teller:
        assert not console.file.getvalue()
        for result in results[:2]:
            teller.done(result, History(results[:2], None))
    lines = console.file.getvalue().splitlines()
    assert [line.split()[0] for line in lines] == ["step", "light", "latency", "grow"]


def test_a_target_that_kept_up_with_the_ceiling_has_at_least_that() -> None:
    """It is an answer, too."""
    verdict, _ = calibrate(rejecting(500.0), 1, Plan(ceiling_per_s=100))
    lines = conclusion(verdict, REQUEST, BASELINE)
    assert lines[0].startswith("capacity: at least 100/s;")
    assert "--ceiling" in lines[1]
    assert lines[3].endswith("--capacity 100/s")


def test_no_more_is_to_be_given_than_was_seen_below_the_ceiling() -> None:
    """A target keeps up with what it does 98% of; the rest was asked for and not done."""
    verdict, _ = calibrate(rejecting(98.5), 1, Plan(ceiling_per_s=100))
    assert verdict.finding is Finding.AT_LEAST
    assert verdict.give_per_s is not None
    assert verdict.capacity_per_s is not None
    assert 98 <= verdict.give_per_s <= verdict.capacity_per_s < 99


@pytest.mark.parametrize(
    "finding", [finding for finding in Finding if not Verdict(finding, "").trusted]
)
def test_where_there_is_no_answer_no_capacity_is_named(finding: Finding) -> None:
    """What was kept up with is all that is known."""
    lines = conclusion(Verdict(finding, "because of that", kept_up_per_s=80.0), REQUEST, BASELINE)
    assert lines == ["no answer: because of that", "known: the target kept up with 80/s"]


def test_what_it_will_do_is_said_before() -> None:
    """Which URL, how much at most, how long at most, and that it is not for production."""
    said = " ".join(announcement(REQUEST, Plan(), StepLimits(), 600.0))
    for part in ("GET http://staging:8080/work", "1000/s", "600s", "never for production"):
        assert part in said
    assert "secret" not in said


def test_a_line_for_each_step_fits_in_80_columns() -> None:
    """Also where every number is long."""
    light = measure(rejecting(9.0), Step(10.0, Purpose.LIGHT), StepLimits(), Random(1))
    high = measure(rejecting(2000.0), Step(12345.67, Purpose.NARROW, 0.06), StepLimits(), Random(1))
    for history in (History([light], None), History([light, high], None)):
        for result in history.results:
            assert len(step_line(result, history)) <= 80


def test_the_json_says_all_but_headers() -> None:
    """Steps with what they were judged to be."""
    verdict, results = calibrate(rejecting(200.0), 1)
    told = as_json(verdict, REQUEST, results, History(results, None))
    text = json.dumps(told)
    assert "secret" not in text
    read = json.loads(text)
    assert read["schema"] == 1
    assert read["target"] == "http://staging:8080/work"
    assert read["verdict"]["finding"] == "saturated"
    assert read["verdict"]["capacity_per_s"] == pytest.approx(200)
    assert len(read["steps"]) == len(results)
    assert {step["load"] for step in read["steps"]} == {"sustained", "short"}


def test_what_disturbed_it_is_remarked() -> None:
    """Late steps, and a machine of ours that was full; of another machine we know nothing."""
    light = measure(rejecting(50.0), Step(10.0, Purpose.LIGHT), StepLimits(), Random(1))
    results = [light, replace(light, late_p99_s=0.2), replace(light, machine_busy=0.99)]
    local = parse_request("http://localhost", None, "GET", [])
    said = remarks(local, results, History(results, None))
    assert [line.split(":")[0] for line in said] == ["note", "note"]
    assert "in 1 of 3 steps the generator was late" in said[0]
    assert "in 1 of 3 steps this machine had no CPU to spare" in said[1]
    assert len(remarks(REQUEST, results, History(results, None))) == 1
    assert remarks(local, [light], History([light], None)) == []


def test_a_step_that_is_repeated_says_so() -> None:
    """What is measured over and over on purpose does not."""
    first, second = (
        measure(rejecting(50.0), Step(80.0, Purpose.GROW), StepLimits(), Random(n)) for n in (1, 2)
    )
    history = History([first, second], None)
    assert "again" not in step_line(first, history)
    assert " again" in step_line(second, history)
    far = [
        measure(rejecting(50.0), Step(80.0, Purpose.FAR), StepLimits(), Random(n)) for n in (1, 2)
    ]
    assert "again" not in step_line(far[1], History(far, None))
