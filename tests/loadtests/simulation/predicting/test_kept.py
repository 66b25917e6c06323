"""A prediction is made once, kept beside the record, and shown by the report."""

import io
import json
import os
import signal
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

import aftershock_verbs
from aftershock_verbs import app_for
from loadtests.policies.request import PolicyError
from loadtests.scenario import ScenarioError
from loadtests.simulation.predicting import kept
from loadtests.simulation.predicting.prediction import pieces_of
from reports import __main__ as reports_alone
from reports.prediction import Prediction
from tests.loadtests.simulation.predicting.runs import a_run, played, short, with_header, write


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few runs, and no other processes: what these do is tested elsewhere."""
    monkeypatch.setattr(kept, "default_processes", lambda: 1)
    monkeypatch.setattr(kept, "pieces_of", lambda likeness: pieces_of(likeness, 3))


def predict(run: Path) -> Prediction:
    return kept.predict(run, Console(file=io.StringIO()))


def stamp(run: Path) -> None:
    """Make the file of the prediction old, to see whether it is written again."""
    os.utime(run / kept.NAME, (1e9, 1e9))


def written_again(run: Path) -> bool:
    return (run / kept.NAME).stat().st_mtime > 1e9


def test_it_is_made_once(tmp_path: Path) -> None:
    """Asked again, the file that lies beside the record is read and not written."""
    run = a_run(tmp_path)
    first = predict(run)
    stamp(run)
    assert predict(run) == first
    assert not written_again(run)
    assert sorted(path.name for path in run.iterdir()) == ["prediction.json", "record.ndjson"]


@pytest.mark.parametrize("spoilt", ["no lanes", "another lane", "short band", "other runs"])
def test_what_cannot_be_of_this_run_is_made_anew(tmp_path: Path, spoilt: str) -> None:
    """However right its sum is."""
    run = a_run(tmp_path)
    first = predict(run)
    path = run / kept.NAME
    file = json.loads(path.read_text())
    prediction = file["prediction"]
    if spoilt == "no lanes":
        prediction["lanes"] = []
    elif spoilt == "another lane":
        prediction["lanes"][0]["lane"] = "nobody"
    elif spoilt == "short band":
        prediction["lanes"][0]["band"]["low_per_s"].pop()
    else:
        prediction["runs"] = 1
    path.write_text(json.dumps(file))
    assert predict(run) == first
    assert json.loads(path.read_text())["prediction"]["lanes"]


def test_it_is_made_anew_of_another_seed_or_scenario(tmp_path: Path) -> None:
    """The file says of which it is."""
    run = a_run(tmp_path)
    first = predict(run)
    for change in ({"seed": 8}, {"scenario": played(short(load={"rate": "30/s"})).header.scenario}):
        with_header(run, **change)
        stamp(run)
        assert predict(run) != first
        assert written_again(run)


@pytest.mark.parametrize("broken", ["", "{", "[]", '{"schema": 1, "made_of": "x"}'])
def test_it_is_made_anew_where_the_file_cannot_be_read(tmp_path: Path, broken: str) -> None:
    """Whatever stands in it, the prediction is the same."""
    run = a_run(tmp_path)
    first = predict(run)
    (run / kept.NAME).write_text(broken)
    assert predict(run) == first


def test_it_is_made_anew_of_another_schema(tmp_path: Path) -> None:
    """One that another version wrote is not believed."""
    run = a_run(tmp_path)
    first = predict(run)
    values = json.loads((run / kept.NAME).read_text())
    values["schema"], values["prediction"]["runs"] = 0, 99
    (run / kept.NAME).write_text(json.dumps(values))
    assert predict(run) == first


def test_what_cannot_be_simulated_is_named_with_its_run(tmp_path: Path) -> None:
    """A real library, for one; and no file is left."""
    libraries = short(policies=[{"name": "opaque-urllib3"}]).model_dump(mode="json", by_alias=True)
    run = a_run(tmp_path, scenario=libraries)
    with pytest.raises(ScenarioError, match="run: policies: opaque-urllib3 is a real library"):
        predict(run)
    assert [path.name for path in run.iterdir()] == ["record.ndjson"]


def test_a_policy_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One's own code that raises is an error in one line, with the run it was for."""

    def fail(*_: object) -> Prediction:
        raise PolicyError("ownpolicy: on_outcome: KeyError: 1")

    monkeypatch.setattr(kept, "foresee", fail)
    run = a_run(tmp_path)
    with pytest.raises(ScenarioError, match="run: ownpolicy: on_outcome"):
        predict(run)
    assert [path.name for path in run.iterdir()] == ["record.ndjson"]


def report(*arguments: str | Path) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(
        app_for(["report"]), ["report", *map(str, arguments)]
    )


def test_the_report_shows_it_over_what_was_measured(tmp_path: Path) -> None:
    """In terminal, page and JSON; a report made later without it has none of it."""
    run = a_run(tmp_path, source="simulated")
    result = report(run, "--predicted")
    assert result.exit_code == 0, result.output
    assert "measured beside predicted" in result.output
    assert "figures are within the range of 3 predictions" in " ".join(result.output.split())
    assert json.loads((run / "report.json").read_text())["prediction"]["seed"] == 7
    assert "Measured beside predicted" in (run / "report.html").read_text()
    assert report(run).exit_code == 0
    assert "prediction" not in json.loads((run / "report.json").read_text())


def test_what_cannot_be_predicted_writes_no_report(tmp_path: Path) -> None:
    """One line says why, and the exit code is 2."""
    result = report(write(tmp_path / "run", played(short(), scenario={})), "--predicted")
    assert result.exit_code == 2
    [line] = result.output.splitlines()
    assert line == (
        f"aftershock report: {tmp_path / 'run'}: its record does not say which scenario was run"
    )
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["record.ndjson"]


def test_stopped_while_it_predicts_it_has_written_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C exits with 130, says so, and leaves the record alone."""

    def stopped(_run: Path) -> Prediction:
        raise KeyboardInterrupt

    monkeypatch.setattr(aftershock_verbs, "_predict", stopped)
    run = a_run(tmp_path)
    result = report(run, "--predicted")
    assert (result.exit_code, result.output) == (130, "stopped: nothing was written\n")
    assert [path.name for path in run.iterdir()] == ["record.ndjson"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_told_to_stop_in_another_way_it_is_as_by_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """One line, and exit code 130."""

    def told(_run: Path, _console: Console) -> Prediction:
        signal.raise_signal(number)
        raise AssertionError("it goes on")

    # So that a failure of this is one, and not the end of all tests.
    before = signal.signal(number, signal.SIG_IGN)
    monkeypatch.setattr("loadtests.simulation.predicting.predict", told)
    result = report(a_run(tmp_path), "--predicted")
    signal.signal(number, before)
    assert (result.exit_code, result.output) == (130, "stopped: nothing was written\n")


def test_the_reports_alone_cannot_predict(tmp_path: Path) -> None:
    """`python -m reports` knows nothing of simulations, and says who does."""
    result = CliRunner().invoke(reports_alone.app, [str(a_run(tmp_path)), "--predicted"])
    assert (result.exit_code, result.output) == (
        2, "aftershock report: --predicted simulates: ask `aftershock report` for it\n"
    )  # fmt: skip
