"""`aftershock check`: what it prints and writes, and how it exits."""

import json
import os
from dataclasses import replace
from pathlib import Path

import junitparser
import pytest
from typer.testing import CliRunner, Result

from aftershock_verbs import app_for
from reports.judging.gate.limits import examples, limited
from reports.record import encode
from reports.several.checking import check_report
from reports.summary import build_report
from reports.verbs.ending import exit_code
from tests.reports.gate.test_rendering import HOSTILE
from tests.reports.synthetic import Made, Shape, plain, storm

SLOW, QUICK = (Shape(name, plain(storm(length))) for name, length in (("slow", 70), ("quick", 30)))
BOTH = Made([SLOW, QUICK])
CHECK = {"max_settled": "2x", "policies": ["quick"]}
"""A dip of 2 s, after which one lane settles after 7 s and the other after 3 s."""


def check(*arguments: str | Path, **variables: str) -> Result:
    return CliRunner(env={"GITHUB_ACTIONS": None, "COLUMNS": "80", **variables}).invoke(
        app_for(["check"]), ["check", *map(str, arguments)]
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return BOTH.write(tmp_path / "runs" / "one")


def test_a_breach_exits_1_and_is_a_line(folder: Path) -> None:
    result = check(folder, "--max-settled", "3x", "--max-peak", "900/s")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == "FAIL  slow   settled 7.0 s > 6.0 s (3x the dip)"
    assert result.stdout.splitlines()[-1] == f"1 of 4 rules broken by {folder}."


def test_what_is_kept_exits_0(folder: Path) -> None:
    result = check(folder / "record.ndjson", "--max-settled", "7s")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (
        0,
        f"2 rules kept by {folder / 'record.ndjson'}.",
    )


def test_a_lane_can_be_checked_alone(folder: Path) -> None:
    assert check(folder, "--max-settled", "3x", "--policy", "quick").exit_code == 0
    assert check(folder, "--max-settled", "3x", "--policy", "slow").exit_code == 1
    result = check(folder, "--max-settled", "3x", "--policy", "none")
    assert result.exit_code == 2
    assert "unknown lane or policy 'none': expected slow, quick" in result.stderr


def test_a_policy_can_be_checked_alone(tmp_path: Path) -> None:
    shapes = [replace(one, policy=one.lane[0]) for one in (SLOW, QUICK)]
    run = Made(shapes).write(tmp_path / "run")
    assert check(run, "--max-settled", "3x", "--policy", "q").exit_code == 0
    assert check(run, "--max-settled", "3x", "--policy", "s").exit_code == 1


def test_a_run_that_cannot_be_read_is_named(folder: Path) -> None:
    bad = folder.parent / "two"
    bad.mkdir()
    (bad / "record.ndjson").write_text("no record\n")
    result = check(folder.parent, "--max-settled", "3x")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"aftershock check: {bad}: ")


def test_ctrl_c_says_that_nothing_was_judged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("reports.several.reading.build_report", interrupted)
    result = check(folder, "--max-settled", "3x")
    assert (result.exit_code, result.output) == (130, "stopped: nothing was judged\n")


def test_what_is_not_valid_exits_3_whatever_it_says(tmp_path: Path, folder: Path) -> None:
    bad = BOTH.but(end=None).write(tmp_path / "runs" / "two")
    for runs in ([bad], [folder, bad], [folder.parent]):
        result = check(*runs, "--max-settled", "1h")
        assert result.exit_code == 3
        assert f"NOT VALID  {bad}: the record breaks off" in result.stdout
        assert "pass" not in result.stdout


def test_what_nothing_disturbed_exits_2(tmp_path: Path) -> None:
    result = check(BOTH.but(dips=[]).write(tmp_path / "run"), "--max-settled", "3x")
    assert result.exit_code == 2
    assert "no dip found" in result.stderr


@pytest.mark.parametrize("lanes", [(), ("ghost",)])
def test_a_dip_of_no_lane_that_is_there_exits_2(tmp_path: Path, lanes: tuple[str, ...]) -> None:
    dips = [replace(dip, lanes=lanes) for dip in BOTH.dips]
    made = BOTH.but(dips=dips, scenario={"check": {"max_peak": "900/s"}})
    run = made.write(tmp_path / "run")
    result = check(run)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no lane was disturbed" in result.stderr
    report = build_report(run)
    assert check_report(report, "run") is None
    assert exit_code(report) == 2


def test_without_any_limit_it_exits_2_and_names_the_options(folder: Path) -> None:
    result = check(folder)
    assert result.exit_code == 2
    assert all(f"--max-{one.word}" in result.stderr for one in limited())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--max-settled", "3"], "--max-settled: '3' is not a duration"),
        (["--max-failed", "120%"], "--max-failed: '120%' is not a whole number"),
        (["--max-settled", "3x", "--confidence", "40%"], "--confidence: '40%' is not a share"),
        (["none", "--max-settled", "3x"], "none: no such run"),
    ],
)
def test_bad_input_is_one_line_and_exits_2(folder: Path, arguments: list[str], said: str) -> None:
    result = check(folder, *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"aftershock check: {said}")
    assert len(result.stderr.splitlines()) == 1


def test_a_folder_of_runs_is_all_of_them(tmp_path: Path) -> None:
    for number in range(5):
        made = replace(BOTH.header(), seed=number)
        lines = [made, *BOTH.lines()[1:]]
        folder = tmp_path / "runs" / str(number)
        folder.mkdir(parents=True)
        (folder / "record.ndjson").write_text("".join(f"{encode(line)}\n" for line in lines))
    result = check(tmp_path / "runs", "--max-settled", "2x", "--confidence", "95%")
    assert result.stdout.splitlines() == [
        "FAIL  slow   settled 0 of 5 within 4.0 s (2x the dip): 0% sure, 95% required",
        "pass  quick  settled 5 of 5 within 4.0 s (2x the dip): 96.8% sure, 95% required",
        "1 of 2 rules broken by 5 runs.",
    ]


def test_a_copy_of_a_run_is_no_second_sample(tmp_path: Path) -> None:
    """Five copies of one good run would make anything sure."""
    for number in range(5):
        BOTH.write(tmp_path / "runs" / str(number))
    result = check(tmp_path / "runs", "--max-settled", "7s", "--confidence", "95%")
    assert result.exit_code == 2
    assert "is the same run as" in result.stderr
    assert check(tmp_path / "runs", "--max-settled", "7s").exit_code == 0


def test_a_confidence_is_of_runs_under_one_condition(tmp_path: Path) -> None:
    for rate in (90, 95):
        scenario = {"load": {"rate": f"{rate}/s"}, "seed": rate}
        BOTH.but(scenario=scenario).write(tmp_path / "runs" / str(rate))
    result = check(tmp_path / "runs", "--max-settled", "7s", "--confidence", "95%")
    assert result.exit_code == 2
    assert "the runs differ in load.rate: expected runs under one condition" in result.stderr
    assert check(tmp_path / "runs", "--max-settled", "7s").exit_code == 0


def test_the_newest_run_is_checked_when_none_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = Made([QUICK]).write(folder.parent / "newer")
    os.utime(newer / "record.ndjson", (2e9, 2e9))
    monkeypatch.chdir(folder.parent.parent)
    assert check("--max-settled", "3x").stdout.splitlines()[-1] == "1 rule kept by runs/newer."


def test_a_report_of_several_runs_that_was_made_later_is_no_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last line names the run that was judged, so that nobody takes it for another."""
    study = folder.parent / "many" / "distribution.json"
    study.parent.mkdir()
    study.write_text("{}")
    monkeypatch.chdir(folder.parent.parent)
    os.utime(study, (2e9, 2e9))
    result = check("--max-settled", "7s")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "2 rules kept by runs/one.")


def test_the_scenarios_own_limits_hold_without_options(tmp_path: Path) -> None:
    run = BOTH.but(scenario={"check": CHECK}).write(tmp_path / "run")
    result = check(run)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "pass  quick  settled 3.0 s ≤ 4.0 s (2x the dip)"


def test_an_option_takes_the_place_of_the_scenarios_limit_of_that_name(tmp_path: Path) -> None:
    table = {**CHECK, "max_peak": "100/s", "policies": ["slow", "quick"]}
    run = BOTH.but(scenario={"check": [table]}).write(tmp_path / "run")
    assert check(run).stdout.count("FAIL") == 3
    result = check(run, "--max-peak", "2x")
    assert [line[:4] for line in result.stdout.splitlines()[:4]] == ["FAIL", *["pass"] * 3]


def test_runs_whose_scenarios_ask_for_different_things_are_refused(tmp_path: Path) -> None:
    BOTH.but(scenario={"check": CHECK}).write(tmp_path / "runs" / "1")
    BOTH.write(tmp_path / "runs" / "2")
    result = check(tmp_path / "runs")
    assert result.exit_code == 2
    assert "have not the same [check]" in result.stderr
    assert check(tmp_path / "runs", "--max-settled", "7s").exit_code == 0


@pytest.mark.parametrize("table", ["3x", {"max_setled": "3x"}, [{"max_settled": "3"}], {}])
def test_a_record_with_limits_that_are_none_exits_2(tmp_path: Path, table: object) -> None:
    run = BOTH.but(scenario={"check": table}).write(tmp_path / "run")
    result = check(run)
    assert result.exit_code == 2
    assert f"{run}: check" in result.stderr


def test_json_is_the_whole_output(folder: Path) -> None:
    result = check(folder, "--max-settled", "3x", "--json", "--github")
    assert json.loads(result.stdout)["verdict"] == "breach"
    assert result.stderr.startswith("::error ")


def test_junit_is_written(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "reports" / "junit.xml"
    assert check(folder, "--max-settled", "3x", "--junit", path).exit_code == 1
    [suite] = junitparser.JUnitXml.fromfile(str(path))
    assert (suite.tests, suite.failures) == (2, 1)


def test_junit_that_cannot_be_written_exits_2(folder: Path) -> None:
    """And the verdict is told all the same."""
    result = check(folder, "--max-settled", "7s", "--junit", "/proc/none/junit.xml")
    assert (result.exit_code, len(result.stdout.splitlines())) == (2, 3)
    assert "/proc/none/junit.xml" in result.stderr


def test_github_gets_annotations_and_a_summary(folder: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("what another tool said\n")
    said = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    result = check(folder, "--max-settled", "3x", **said)
    assert result.stdout.splitlines()[-1] == (
        "::error title=aftershock%3A slow::settled 7.0 s > 6.0 s (3x the dip)"
    )
    assert summary.read_text().startswith("what another tool said\n\n### ❌")
    before = summary.read_text()
    assert "::error" not in check(folder, "--max-settled", "3x", "--no-github", **said).stdout
    assert summary.read_text() == before


def test_a_summary_that_cannot_be_written_is_a_warning(folder: Path) -> None:
    result = check(
        folder, "--max-settled", "7s", "--github", GITHUB_STEP_SUMMARY="/proc/none/summary"
    )
    assert result.exit_code == 0
    assert "the job's summary cannot be written" in result.stderr


def test_on_github_no_name_is_a_command(tmp_path: Path) -> None:
    name = HOSTILE.replace("\ud800", "")
    run = Made([Shape(name, plain(storm(70)))]).write(tmp_path / "run")
    lines = check(run, "--max-settled", "3x", "--github").stdout.splitlines()
    assert len([line for line in lines if line.lstrip().startswith("::")]) == 1
    assert "##[" not in "".join(lines[:-1])


def test_every_limit_is_an_option_and_says_what_is_allowed() -> None:
    shown = " ".join(check("--help", COLUMNS="200").stdout.split())
    for one in limited():
        assert f"--max-{one.word} LIMIT {one.title}: {examples(one)}." in shown
    assert "Example: aftershock check runs/" in shown
