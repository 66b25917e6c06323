"""A scenario with limits, from its file to the exit code: played, recorded, and checked."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aftershock_verbs import app_for

SCENARIO = """
warm_up = "2s"
observation = "8s"
policies = [{name = "no-retry"}, {name = "immediate"}]
[check]
max_settled = "%s"
max_amplification = 1.5
"""


def aftershock(verb: str, *arguments: str | Path) -> Result:
    runner = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1", "GITHUB_ACTIONS": None})
    return runner.invoke(app_for([verb]), [verb, *map(str, arguments)])


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "runs"


def scenario(folder: Path, settled: str) -> Path:
    path = folder / "scenario.toml"
    path.write_text(SCENARIO % settled)
    return path


def test_a_run_that_keeps_its_limits_exits_0(tmp_path: Path, out: Path) -> None:
    played = aftershock("simulate", scenario(tmp_path, "3x"), "--out", out)
    assert played.exit_code == 0
    assert "4 rules kept by " in played.stdout


def test_a_run_that_breaks_one_exits_1_and_so_does_its_check(tmp_path: Path, out: Path) -> None:
    """The same lines from the verb that made the run and from the one that reads its record."""
    played = aftershock("simulate", scenario(tmp_path, "100ms"), "--out", out)
    checked = aftershock("check", out)
    assert (played.exit_code, checked.exit_code) == (1, 1)
    lines = checked.stdout.splitlines()
    assert lines[2].startswith("FAIL  immediate  settled ")
    assert lines[2].endswith(" > 0.1 s")
    assert lines[-1].startswith("1 of 4 rules broken by ")
    assert "\n".join(lines) in played.stdout


def test_a_run_that_is_not_valid_exits_3(tmp_path: Path, out: Path) -> None:
    path = scenario(tmp_path, "3x")
    played = aftershock("simulate", path, "--out", out, "--observation", "2s")
    assert played.exit_code == 3
    assert "The result is not valid: no rule was judged." in played.stdout
    assert "pass" not in played.stdout
    assert aftershock("check", out).exit_code == 3


def test_json_stays_json(tmp_path: Path, out: Path) -> None:
    played = aftershock("simulate", scenario(tmp_path, "100ms"), "--out", out, "--json")
    assert played.exit_code == 1
    assert played.stdout.startswith("{")
    assert played.stdout.endswith("}\n")
    assert "1 of 4 rules broken by " in played.stderr


@pytest.mark.parametrize(
    ("settled", "code", "last"),
    [("3x", 0, "4 rules kept by 3 runs."), ("100ms", 1, "1 of 4 rules broken by 3 runs.")],
)
def test_many_seeds_are_judged_together(
    tmp_path: Path, out: Path, settled: str, code: int, last: str
) -> None:
    played = aftershock("simulate", scenario(tmp_path, settled), "--out", out, "--runs", "3")
    assert played.exit_code == code
    assert ", worst of 3" in played.stdout
    assert last in played.stdout


def test_many_seeds_of_which_one_is_not_valid_do_not_pass(tmp_path: Path, out: Path) -> None:
    path = scenario(tmp_path, "3x")
    played = aftershock("simulate", path, "--out", out, "--runs", "3", "--observation", "2s")
    assert played.exit_code == 3
    assert "3 of 3 runs are not valid: no rule was judged." in played.stdout


def test_a_run_like_it_has_its_limits_too(tmp_path: Path, out: Path) -> None:
    aftershock("simulate", scenario(tmp_path, "100ms"), "--out", out)
    [run] = out.iterdir()
    again = aftershock("simulate", "--like", run, "--out", tmp_path / "again")
    assert again.exit_code == 1
    assert "1 of 4 rules broken by " in again.stdout


def test_other_seeds_are_runs_that_are_checked_together(tmp_path: Path, out: Path) -> None:
    path = scenario(tmp_path, "3x")
    for seed in range(5):
        aftershock("simulate", path, "--out", out, "--seed", str(seed))
    checked = aftershock("check", out, "--confidence", "95%", "--policy", "immediate")
    assert checked.exit_code == 0
    assert checked.stdout.splitlines()[0] == (
        "pass  immediate  settled 5 of 5 within 6.0 s (3x the dip): 96.8% sure, 95% required"
    )
