"""The verb `simulate`: what it makes of its flags, and what it refuses."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aftershock_verbs import app_for
from loadtests.simulation import simulating
from loadtests.simulation.many import Task, play_and_sample
from reports.measuring.sampling import SampledRun
from tests.reports.verbs.printing import ended, printing_to, unread

runner = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})
BRIEF = ["--warm-up", "2s", "--observation", "7s", "--policy", "no-retry", "--policy", "immediate"]


def simulate(out: Path, *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error, each on one line."""
    done = runner.invoke(app_for(["simulate"]), ["simulate", "--out", str(out), *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, " ".join(done.stdout.split()), " ".join(done.stderr.split())


def only_folder(out: Path) -> Path:
    [folder] = out.iterdir()
    return folder


def test_one_run_is_reported_like_a_live_one(tmp_path: Path) -> None:
    """The report, which engine, and where the page is; the folder is one that is reported again."""
    code, said, errors = simulate(tmp_path, *BRIEF)
    folder = only_folder(tmp_path)
    assert (code, errors) == (0, "")
    assert "This result is valid." in said
    assert said.count("the events engine") == 1
    assert "why this engine: the ticks engine cannot: requests are served in or" in said
    assert "no service was loaded" in said
    assert said.endswith(f"report: {folder / 'report.html'}")
    again = runner.invoke(app_for(["report"]), ["report", str(folder)])
    assert again.exit_code == 0
    assert "This result is valid." in again.stdout


def test_json_is_the_report_and_nothing_else(tmp_path: Path) -> None:
    """What is told beside it goes to standard error."""
    code, said, errors = simulate(tmp_path, *BRIEF, "--json", "--seed", "3")
    told = json.loads(said)
    assert (code, told["run"]["source"], told["run"]["seed"]) == (0, "simulated", 3)
    assert told == json.loads((only_folder(tmp_path) / "report.json").read_text(encoding="utf-8"))
    assert errors.startswith("why this engine: the ticks engine cannot")


def test_a_run_that_is_not_valid_exits_3(tmp_path: Path) -> None:
    """The load is above capacity before the dip already."""
    code, said, _ = simulate(tmp_path, *BRIEF, "--utilisation", "120%")
    assert code == 3
    assert "NOT VALID" in said


@pytest.mark.parametrize("more", [(), ("--runs", "2", "--processes", "1")])
def test_a_scenario_in_which_nothing_happens_exits_2(tmp_path: Path, more: tuple[str]) -> None:
    file = tmp_path / "calm.toml"
    file.write_text('dips = []\n[check]\nmax_failed = "50%"\n')
    code, said, _ = simulate(tmp_path / "runs", str(file), *BRIEF, *more)
    assert code == 2
    assert "pass" not in said


def test_many_runs_give_their_distribution(tmp_path: Path) -> None:
    """A table, a page, and every run by its seed."""
    code, said, _ = simulate(tmp_path, *BRIEF, "--runs", "7", "--processes", "1", "--seed", "5")
    folder = only_folder(tmp_path)
    told = json.loads((folder / "distribution.json").read_text(encoding="utf-8"))
    assert code == 0
    assert [run["seed"] for run in told["runs"]] == list(range(5, 12))
    assert "7 simulated runs, seeds 5 to 11" in said
    assert said.endswith(f"report: {folder / 'distribution.html'}")
    assert (folder / "distribution.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_what_many_runs_say_can_be_exported_with_it(tmp_path: Path) -> None:
    """They leave no record of which it could be made later."""
    many = ("--runs", "2", "--processes", "1", "--export")
    code, _, errors = simulate(tmp_path, *BRIEF, *many)
    assert (code, errors) == (0, "")
    found = {path.name for path in (only_folder(tmp_path) / "export").iterdir()}
    assert {"summary.md", "sheet-settled.svg", "sheet-settled.png", "measures.csv"} <= found
    code, _, errors = simulate(tmp_path / "one", *BRIEF, "--export")
    assert (code, "it is for --runs; `aftershock export` does it of one" in errors) == (2, True)


def test_a_reader_that_goes_ends_nothing_and_a_full_disk_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The files are there by then; a verdict is not lost with the output either."""
    strict = tmp_path / "strict.toml"
    strict.write_text('[check]\nmax_peak = "1/s"\n')
    arguments = ["simulate", str(strict), *BRIEF, "--out"]
    for place, (more, name) in enumerate(
        (((), "report.html"), (("--runs", "2", "--processes", "1"), "distribution.html"))
    ):
        out = tmp_path / str(place)
        with unread(monkeypatch):
            assert ended([*arguments, str(out), *more]) == 1
        assert (only_folder(out) / name).exists()
        assert not capsys.readouterr().err
    with printing_to(os.open("/dev/full", os.O_WRONLY), monkeypatch):
        assert ended([*arguments, str(tmp_path / "full")]) == 2
    assert "the output cannot be written: No space left" in capsys.readouterr().err


def test_a_dip_that_is_repeated_is_a_sample_each_time(tmp_path: Path) -> None:
    """Of each run, in the file and in what is said."""
    dip = ("--dip", "20% for 1s at 4s every 20s repeat 2")
    code, said, _ = simulate(tmp_path, *BRIEF, *dip, "--runs", "2", "--processes", "1")
    told = json.loads((only_folder(tmp_path) / "distribution.json").read_text(encoding="utf-8"))
    assert code == 0
    assert "Over 2 runs with 4 dips every lane recovered" in said
    assert [lane["n"] for lane in told["conditions"][0]["lanes"]] == [4, 4]
    assert [len(run["lanes"][0]["samples"]) for run in told["runs"]] == [2, 2]


def test_runs_that_are_not_valid_are_left_out_and_when_half_are_it_exits_3(tmp_path: Path) -> None:
    """What is left would be those by chance."""
    full = (*BRIEF, "--utilisation", "120%", "--runs", "2", "--processes", "1")
    code, said, _ = simulate(tmp_path, *full)
    told = json.loads((only_folder(tmp_path) / "distribution.json").read_text(encoding="utf-8"))
    assert code == 3
    assert "2 of 2 runs do not count: one-dip-seed-0: " in said
    assert [bool(run["left_out_because"]) for run in told["runs"]] == [True, True]
    assert (told["left_out"], told["conditions"][0]["lanes"]) == (2, [])


def test_the_number_of_processes_changes_nothing(tmp_path: Path) -> None:
    """Not a byte of the JSON or of the page."""
    texts = []
    for processes in ("1", "2"):
        out = tmp_path / processes
        assert simulate(out, *BRIEF, "--runs", "9", "--processes", processes)[0] == 0
        texts.append([path.read_bytes() for path in sorted(only_folder(out).iterdir())])
    assert texts[0] == texts[1]
    assert len(texts[0]) == 2


def test_stopped_it_keeps_the_runs_that_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the fourth of nine."""

    def play(task: Task) -> SampledRun:
        if task.seed == 3:
            raise KeyboardInterrupt
        return play_and_sample(task)

    monkeypatch.setattr(simulating, "play_and_sample", play)
    code, said, errors = simulate(tmp_path, *BRIEF, "--runs", "9", "--processes", "1")
    assert code == 130
    assert "3 simulated runs of 9, stopped before the end" in said
    assert errors == "stopped: this is the distribution of 3 of 9 runs"
    told = json.loads((only_folder(tmp_path) / "distribution.json").read_text(encoding="utf-8"))
    assert (told["planned"], told["done"]) == (9, 3)


@pytest.mark.parametrize(
    ("replaced", "more"), [("simulate", ()), ("play_and_sample", ("--runs", "3"))]
)
def test_stopped_before_anything_is_done_it_writes_nothing(
    replaced: str, more: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, and no folder."""

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulating, replaced, stopped)
    code, _, errors = simulate(tmp_path, *BRIEF, "--processes", "1", *more)
    assert (code, errors) == (130, "stopped: nothing was written")
    assert list(tmp_path.iterdir()) == []


def test_flags_override_the_scenario(tmp_path: Path) -> None:
    """And what only a simulation can be told reaches it."""
    file = tmp_path / "a.toml"
    file.write_text('name = "a"\n[load]\nrate = "50/s"\n[target]\ncapacity = "60/s"\n')
    out = tmp_path / "runs"
    more = ("--rate", "57/s", "--scale", "2", "--admits", "shuffled", "--engine", "events")
    code, said, _ = simulate(out, str(file), *BRIEF, *more)
    assert code == 0
    assert said.count("events engine") == 1
    header = json.loads((only_folder(out) / "record.ndjson").read_text().partition("\n")[0])
    assert header["scenario"]["load"]["rate"] == "57/s"
    assert header["scenario"]["simulation"] == {
        "admits": "shuffled", "scale": 2.0, "network": "0.001s",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--runs", "0"), "--runs: 0: expected 1 to 10000"),
        (("--runs", "1000000000"), "--runs: 1000000000: expected 1 to 10000"),
        (("--processes", "0"), "--processes: 0: expected 1 to 256"),
        (("--engine", "fast"), "--engine: 'fast' is none: expected auto, events or ticks"),
        (
            ("--engine", "ticks", "--workers", "5", "--service-time", "100ms"),
            "--engine ticks cannot do this scenario: ",
        ),
        (("--workers", "5"), 'target: workers need a service_time, as in "100ms": in a simulat'),
        (("--policy", "opaque-urllib3"), "policies: opaque-urllib3 is a real library, which can"),
        (("--policy", "hope"), "policies.0: unknown policy 'hope': `aftershock policies` lists"),
        (("--utilisation", "0"), "load.utilisation: 0 is out of bounds: expected more than 0%"),
        (("--rate", "9/s", "--utilisation", "90%"), "load: rate and utilisation are two spelli"),
        (("--dip", "20% for 2s at 0s"), "dips.0: at: 0s is before any load was seen: expected"),
        (("--dip", "20% for 2s at 25h"), "--dip: in the dip '20% for 2s at 25h': at: a dip beg"),
        (("--dip", "9% for 2s every 1s repeat 3"), "--dip: in the dip '9% for 2s every 1s repeat"),
        (("--dip", "20% for 2s in nobody"), "dips: unknown lane 'nobody': expected no-retry, im"),
        (("--scale", "0"), "simulation.scale: expected at least 0.001"),
        (("--scale", "much"), "simulation.scale: expected a number"),
        (("--admits", "all"), "simulation.admits: expected 'in-order', 'shuffled' or 'by-chan"),
        (("--preset", "seed-999"), "--preset 'seed-999': expected seed-000, "),
        (("--preset", "seed-000", "--rate", "9/s"), "--preset: an article is played as it was p"),
        (("--like", "nowhere"), "nowhere: no such run"),
        (("a.toml", "--like", "nowhere"), "--like takes the scenario of a run: leave a.toml ou"),
        (("nowhere.toml",), "nowhere.toml: No such file or directory"),
    ],
)
def test_what_cannot_be_is_said_in_one_line_and_leaves_nothing(
    arguments: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    """What is wrong and what is allowed; no folder, nor a part of one."""
    code, said, errors = simulate(tmp_path / "runs", *arguments)
    assert (code, said) == (2, "")
    assert errors.startswith(f"aftershock simulate: {says}")
    assert errors.count("aftershock simulate: ") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[load]\nrate = "0/s"', "load.rate: 0/s is out of bounds: expected more than 0/s"),
        ("[load]\nutilisation = 0", "load.utilisation: 0 is out of bounds: expected more than 0%"),
        ('[load]\nrate = "9/s"\nutilisation = 0.9', "load: rate and utilisation are two spelling"),
        ('[[dips]]\nat = "500ms"', "dips.0: at: 0.5s is before any load was seen: expected at l"),
        ('[[policies]]\nname = "hope"', "policies.0: unknown policy 'hope'"),
        ("[simulation]\nscales = 3", "simulation.scales: there is no such setting (did you mean "),
        ("[load", "Expected ']'"),
    ],
)
def test_a_mistake_in_a_file_is_said_with_its_name(text: str, says: str, tmp_path: Path) -> None:
    """The file, the key, and what is allowed."""
    file = tmp_path / "a.toml"
    file.write_text(text)
    code, said, errors = simulate(tmp_path / "runs", str(file))
    assert (code, said) == (2, "")
    assert errors.startswith(f"aftershock simulate: {file}: {says}")
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """In the words of the system."""
    (tmp_path / "taken").write_text("")
    code, _, errors = simulate(tmp_path / "taken", *BRIEF)
    assert code == 2
    assert "taken" in errors


@pytest.mark.parametrize("verb", ["run", "simulate"])
def test_the_help_says_whose_parameters_a_policy_has(verb: str) -> None:
    """One that the scenario lists is not the preset alone."""
    shown = runner.invoke(app_for([verb]), [verb, "--help"]).stdout
    words = " ".join(shown.replace("│", " ").split())
    assert "One that the scenario lists keeps the scenario's parameters." in words
