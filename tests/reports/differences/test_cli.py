"""`aftershock compare`: what it reads, what it prints, how it exits."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aftershock_verbs import app_for
from reports.record import End
from tests.reports.synthetic import Made, Shape, plain, storm

SCENARIO = {"name": "x", "seed": 1, "load": {"rate": "90/s"}}


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app_for(["compare"]), ["compare", *map(str, arguments)])


def made(length: int, **changes: object) -> Made:
    """A storm of so many ticks after the dip, in a lane `a`."""
    return Made([Shape("a", plain(storm(length)))], scenario=SCENARIO).but(**changes)


def write(folder: Path, *runs: Made) -> Path:
    """Each begins a minute after the one before: else they would be copies of one run."""
    for number, one in enumerate(runs):
        path = one.write(folder / f"run-{number}") / "record.ndjson"
        moment = f'"anchor_epoch_s":{1796033700 + 60 * number}.0'
        path.write_text(path.read_text().replace('"anchor_epoch_s":1796033700.0', moment))
    return folder


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    root = tmp_path_factory.mktemp("sides")
    base = write(root / "base", *(made(20 + tick) for tick in range(5)))
    new = write(root / "new", *(made(60 + tick) for tick in range(5)))
    return base, new


def test_worse_exits_1_and_better_0(sides: tuple[Path, Path]) -> None:
    base, new = sides
    worse = run(base, new)
    assert worse.exit_code == 1
    assert "NEW is worse: settled of a; amplification of a." in worse.output
    assert "2.2 s 6.2 s" in worse.output
    better = run(new, base)
    assert better.exit_code == 0
    assert "NEW is better: settled of a" in better.output
    assert "−4.0 s" in better.output


def test_records_and_runs_can_be_named(sides: tuple[Path, Path]) -> None:
    base, new = sides
    result = run(base / "run-0", new / "run-0" / "record.ndjson")
    assert result.exit_code == 0
    assert "With 1 against 1 runs nothing can be shown" in result.output


def test_measures_can_be_chosen_and_differences_be_small(sides: tuple[Path, Path]) -> None:
    result = run(*sides, "--measure", "settled", "--least", "5s", "--json")
    assert result.exit_code == 0
    rows = json.loads(result.output)["lanes"][0]["measures"]
    assert {name: row["verdict"] for name, row in rows.items()} == {"settled_s": "too small"}


def test_markdown_and_json_are_the_whole_output(sides: tuple[Path, Path]) -> None:
    assert run(*sides, "--markdown").output.startswith("**NEW is worse: ")
    assert json.loads(run(*sides, "--json").output)["worse"] is True
    both = run(*sides, "--markdown", "--json")
    assert (both.exit_code, both.output.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--measure", "speed"], "one of first-fit, settled"),
        (["--least", "much"], 'neither a share of BASE\'s median, as in "10%", nor a duration'),
        (["--policy", "b"], "'b' is not in both: there are `a`"),
    ],
)
def test_bad_options_say_what_is_allowed(
    sides: tuple[Path, Path], arguments: list[str], said: str
) -> None:
    result = run(*sides, *arguments)
    assert result.exit_code == 2
    assert said in result.output
    assert result.output.count("\n") == 1


def test_a_run_on_both_sides_is_an_error(sides: tuple[Path, Path]) -> None:
    result = run(sides[0], sides[0] / "run-1")
    assert result.exit_code == 2
    assert "run-1 is in both BASE and NEW" in result.output


def test_a_record_that_cannot_be_read_is_named(sides: tuple[Path, Path], tmp_path: Path) -> None:
    write(tmp_path, made(20))
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "record.ndjson").write_text("not a record\n")
    result = run(sides[0], tmp_path)
    assert result.exit_code == 2
    assert "broken: " in result.output


def test_runs_that_are_not_valid_are_left_out_by_name(
    sides: tuple[Path, Path], tmp_path: Path
) -> None:
    write(tmp_path, *(made(60 + tick) for tick in range(5)), made(0, end=End(42.0, "error: x")))
    result = run(sides[0], tmp_path)
    assert result.exit_code == 1
    assert "5 runs, 1 of 6 left out" in " ".join(result.output.split())
    assert "run-5: not valid: the run ended in an error" in result.output


def test_a_side_without_a_valid_run_exits_3(sides: tuple[Path, Path], tmp_path: Path) -> None:
    write(tmp_path, made(0, end=None), made(0, dips=[]))
    result = run(sides[0], tmp_path)
    assert result.exit_code == 3
    assert "run-0" in result.output
    assert "run-1" in result.output
    assert "no valid run is left in NEW" in result.output


def test_without_a_common_lane_it_exits_2(sides: tuple[Path, Path], tmp_path: Path) -> None:
    write(tmp_path, made(20, shapes=[Shape("b", plain(storm(20)))]))
    result = run(sides[0], tmp_path)
    assert result.exit_code == 2
    assert "no lane is in both: BASE has `a`, NEW has `b`" in result.output


def test_scenarios_that_differ_are_told_between_sides_and_refused_within_one(
    sides: tuple[Path, Path], tmp_path: Path
) -> None:
    other = SCENARIO | {"load": {"rate": "95/s"}, "seed": 2, "name": "y"}
    write(tmp_path / "other", *(made(60 + tick, scenario=other) for tick in range(5)))
    result = run(sides[0], tmp_path / "other")
    assert result.exit_code == 1
    assert "not made alike: they differ in load.rate." in result.output
    write(tmp_path / "mixed", made(20), made(20, scenario=other))
    result = run(sides[0], tmp_path / "mixed")
    assert result.exit_code == 2
    assert "run-0 and run-1 differ in load.rate" in result.output


def test_copies_of_a_run_count_once(sides: tuple[Path, Path], tmp_path: Path) -> None:
    for name in "xy":
        made(20).write(tmp_path / name)
    result = run(sides[0], tmp_path)
    assert "NEW: " in result.output
    assert "y: the same run as x" in result.output


def test_help_has_an_example() -> None:
    assert "aftershock compare runs/before runs/after" in run("--help").output
