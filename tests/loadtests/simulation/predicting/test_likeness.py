"""The scenario of a run, from its record: whole, or a clear line why not."""

from dataclasses import replace
from pathlib import Path

import pytest

from loadtests.scenario import ScenarioError, parse_scenario
from loadtests.simulation.predicting import liken
from loadtests.target_found import wanted_by
from reports.record import RECORD_NAME
from tests.loadtests.simulation.predicting.runs import (
    SHORT,
    a_run,
    played,
    short,
    with_header,
    write,
)

WORKERS: dict[str, object] = {"workers": 4, "service_time": "100ms"}


def refused(run: Path) -> str:
    with pytest.raises(ScenarioError) as refusal:
        liken(run)
    return str(refusal.value)


def test_a_live_run_has_its_whole_scenario_in_its_record(tmp_path: Path) -> None:
    """Found by the folder or by the record in it."""
    run = a_run(tmp_path)
    for path in (run, run / RECORD_NAME):
        found = liken(path)
        assert found.scenario == short()
        assert found.scenario.seed == 7
        assert found.notes == ()


def test_so_has_a_simulated_one_at_any_scale(tmp_path: Path) -> None:
    """Whose ticks have so many times the capacity that its scenario names."""
    scenario = short(simulation={"scale": 3})
    found = liken(write(tmp_path / "run", played(scenario, source="simulated")))
    assert (found.scenario, found.notes) == (scenario, ())


def test_a_live_run_was_as_large_as_it_was(tmp_path: Path) -> None:
    """It did not ask for the scale of its scenario, nor for whom a tick is to admit."""
    simulation = {"scale": 3, "admits": "by-chance", "network": "5ms"}
    scenario = played(short(simulation=simulation)).header.scenario
    found = liken(a_run(tmp_path, scenario=scenario))
    assert found.scenario == short(simulation={"network": "5ms"})
    assert found.notes == ()


def test_the_seed_is_that_which_the_run_had(tmp_path: Path) -> None:
    """The header's, whatever the scenario says."""
    assert liken(a_run(tmp_path, seed=123)).scenario.seed == 123


def test_a_run_of_locusts_own_command_line_does_not_say_enough(tmp_path: Path) -> None:
    """It names no load: refused in one line."""
    options = {"rate_per_user": "95/s", "arrivals": "constant", "dips": "", "seed": 0}
    said = refused(a_run(tmp_path, scenario=options))
    assert said.startswith(f"{tmp_path / 'run'}: made by Locust's own command line, and its record")
    assert "how many users" in said
    assert "\n" not in said


def test_a_record_without_a_scenario_says_so(tmp_path: Path) -> None:
    """And is not taken for a run of the defaults."""
    assert refused(a_run(tmp_path, scenario={})) == (
        f"{tmp_path / 'run'}: its record does not say which scenario was run"
    )


def test_a_scenario_that_cannot_be_is_named_with_its_run(tmp_path: Path) -> None:
    """A line for each mistake, and in each the run."""
    scenario = {**SHORT, "warm_up": "x", "policies": [{"name": "no-such"}]}
    lines = refused(a_run(tmp_path, scenario=scenario)).splitlines()
    assert all(line.startswith(f"{tmp_path / 'run'}: ") for line in lines)
    assert "warm_up" in lines[0] + lines[-1]
    assert any("no-such" in line for line in lines)


@pytest.mark.parametrize("content", [b"", b"\n", b"{}\n", b"\xff\xfe\n", b'{"kind":"tick"}\n'])
def test_what_is_no_record_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    """With its folder, and without a traceback."""
    run = tmp_path / "run"
    run.mkdir()
    (run / RECORD_NAME).write_bytes(content)
    said = refused(run)
    assert said.startswith(f"{run}: ")
    assert "\n" not in said


def test_no_run_at_all_is_named(tmp_path: Path) -> None:
    """Neither a folder that is not there, nor one without a record."""
    assert refused(tmp_path / "none") == f"{tmp_path / 'none'}: no such run"
    assert refused(tmp_path) == f"{tmp_path}: no record.ndjson in it"


def test_a_record_that_was_cut_off_has_its_scenario_all_the_same(tmp_path: Path) -> None:
    """The header is its first line."""
    run = a_run(tmp_path)
    data = (run / RECORD_NAME).read_bytes()
    (run / RECORD_NAME).write_bytes(data[: data.index(b"\n") + 1])
    assert liken(run).scenario == short()


def ran_against(
    tmp_path: Path, /, had: dict[str, object], planned: dict[str, object], **header: object
) -> Path:
    """A run against a target of somebody else: its settings, and those of the scenario."""
    scenario = played(short(target=planned)).header.scenario
    run = played(short(target=had), scenario=scenario, **header)  # type: ignore[arg-type]
    return write(tmp_path / "run", run)


@pytest.mark.parametrize(
    ("had", "planned", "said"),
    [
        ({"capacity": "80/s"}, {"capacity": "40/s"}, "capacity 80/s and not 40/s"),
        (WORKERS, {"capacity": "40/s"}, "workers 4 and not none"),
        ({"capacity": "40/s"}, WORKERS, "workers none and not 4"),
        ({**WORKERS, "workers": 8}, WORKERS, "capacity 80/s and not 40/s, workers 8 and not 4"),
        ({**WORKERS, "abandoned": "drop"}, WORKERS, "abandoned drop and not finish"),
        (
            {"status": 429, "retry_after": "1s..2s"},
            {},
            "status 429 and not 503, retry_after 1s..2s",
        ),
        ({"turn_away_cost": "10%"}, {}, "turn_away_cost 10% and not 0%"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_target_that_a_run_had_is_simulated_in_place_of_the_scenarios(
    tmp_path: Path, had: dict[str, object], planned: dict[str, object], said: str
) -> None:
    """That of somebody else is its own, in every setting, and it is said."""
    found = liken(ran_against(tmp_path, had, planned))
    assert wanted_by(found.scenario) == wanted_by(short(target=had))
    (note,) = found.notes
    assert note.startswith(
        f"The target of this run was not its scenario's, and is simulated as it was: {said}"
    )


def test_of_a_target_that_did_not_tell_the_capacity_is_taken(tmp_path: Path) -> None:
    """It shows in the ticks; that nothing else is known is said."""
    run = ran_against(tmp_path, {"capacity": "80/s"}, {"capacity": "40/s"}, target=None)
    found = liken(run)
    assert found.scenario == replace_capacity(80.0)
    assert found.notes == (
        "The lanes of this run had a capacity of 80/s, which is simulated, and not 40/s.",
        "The record does not say which service the target of this run was: that of its scenario is "
        "simulated.",
    )


def test_workers_that_took_as_long_as_an_app_cannot_be_simulated(tmp_path: Path) -> None:
    """A gate in front of a service of one's own: how long that takes is nowhere written."""
    target = {**wanted_by(short(target=WORKERS)), "service_time": None}
    assert "the workers of its target took as long as the app behind them" in refused(
        a_run(tmp_path, target=target)
    )


def test_what_a_record_says_of_its_target_is_checked(tmp_path: Path) -> None:
    """It may have been written by anybody."""
    target = {**wanted_by(short()), "capacity": "a lot"}
    said = refused(a_run(tmp_path, target=target))
    assert "a lot" in said
    assert "\n" not in said


def replace_capacity(per_s: float) -> object:
    return parse_scenario({**SHORT, "target": {"capacity": f"{per_s}/s"}})


def test_a_load_that_was_given_as_utilisation_stays_what_it_was(tmp_path: Path) -> None:
    """The clients of that run sent at the rate that the scenario came to."""
    planned = short(load={"utilisation": 0.95})
    assert planned.load.rate_per_s == 38.0
    header = played(planned).header
    run = write(
        tmp_path / "run", played(short(target={"capacity": "80/s"}), scenario=header.scenario)
    )
    assert liken(run).scenario.load.rate_per_s == 38.0


def test_of_workers_another_capacity_does_not_say_enough(tmp_path: Path) -> None:
    """The same capacity can be of fewer workers or of faster ones."""
    workers = {"workers": 4, "service_time": "100ms"}
    scenario = played(short(target=workers)).header.scenario
    assert liken(write(tmp_path / "same", played(short(target=workers)))).notes == ()
    other = short(target={"workers": 8, "service_time": "100ms"})
    for number, target in enumerate((None, wanted_by(short(target=workers)))):
        run = played(other, scenario=scenario, target=target)
        said = refused(write(tmp_path / f"run-{number}", run))
        assert (
            "its target had a capacity of 80/s, and the workers that are known of make 40" in said
        )


def test_lanes_of_several_capacities_are_refused(tmp_path: Path) -> None:
    """A scenario has one capacity for all lanes."""
    run = played(short())
    first, second = run.lanes
    metered = replace(second.metered, capacity_per_s=second.metered.capacity_per_s * 2)
    mixed = replace(run, lanes=(first, replace(second, metered=metered)))
    said = refused(write(tmp_path / "run", mixed))
    assert "its lanes had capacities from 40/s to 80/s: a scenario has one for all" in said


def test_a_header_can_be_of_a_version_to_come(tmp_path: Path) -> None:
    """It is refused by the number of its schema."""
    said = refused(with_header(a_run(tmp_path), schema=99))
    assert said.startswith(f"{tmp_path / 'run'}: the record has schema 99")
