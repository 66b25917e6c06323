"""The verb: bad input in one line, a small run, and an interrupted one."""

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from loadtests.simulation.advising import cli
from loadtests.simulation.workers import LocalWorkers, R, T
from tests.reports.verbs.printing import ended, printing_to, unread

app = typer.Typer()
app.command()(cli.advise)

SHORT = """
name = "short <b>"
warm_up = "3s"
observation = "8s"
[load]
rate = "38/s"
[target]
capacity = "40/s"
[[policies]]
name = "exponential"
[[dips]]
for = "1s"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A short one, in a file."""
    file = tmp_path / "short.toml"
    file.write_text(SHORT, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--failed", "150%"], "--failed: '150%' is not a share from 0% to 100%"),
        (["--budget", "much"], "--budget: 'much' is not a share"),
        (["--budget", "0%"], "--budget: 0%: expected more than 0%, up to 100%"),
        (["--policy", "exponental"], "unknown policy 'exponental': did you mean exponential"),
        (["--policy", "exponential:speed=3"], "exponential has no parameter 'speed': expected"),
        (["--policy", "opaque-urllib3"], "--policy: opaque-urllib3 is a real library"),
        (["--runs", "0"], "--runs: 0: expected 1 to 10000"),
        (["--processes", "0"], "--processes: 0: expected 1 to 256"),
        (["--engine", "steam"], "--engine: 'steam' is none: expected auto, events or ticks"),
        (["--out", "/proc/foo"], "--out: /proc/foo: /proc cannot be written to: expected a folder"),
        (["--lane", "none"], "--lane: unknown lane 'none': expected exponential"),
    ],
)
def test_bad_input(scenario: Path, options: list[str], said: str) -> None:
    """It names the option and what is allowed, and nothing is simulated or written."""
    done = CliRunner().invoke(app, [str(scenario), "--out", str(scenario.parent / "x"), *options])
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("aftershock advise: ")
    assert said in line
    assert not (scenario.parent / "x").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("dips = []\n", "dips: nothing disturbs the service"),
        ('rate = "x"\n', "rate: there is no such setting"),
    ],
)
def test_a_bad_scenario_is_named(tmp_path: Path, change: str, said: str) -> None:
    """The file, the key and what is allowed."""
    file = tmp_path / "bad.toml"
    file.write_text(change, encoding="utf-8")
    done = CliRunner().invoke(app, [str(file)])
    assert done.exit_code == 2
    assert f"{file}: {said}" in done.stderr


def _advise(scenario: Path, out: Path, *options: str) -> tuple[int, str]:
    few = ["--policy", "full-jitter-budget", "--policy", "exponential:attempts=2", "--runs", "3"]
    done = CliRunner().invoke(
        app, [str(scenario), *few, "--out", str(out), "--processes", "1", *options]
    )
    return done.exit_code, done.stdout


def test_a_small_run(scenario: Path, tmp_path: Path) -> None:
    """It prints 80 columns, and writes all figures and a page in which no text is markup."""
    code, said = _advise(scenario, tmp_path / "a")
    assert code == 0
    table = said[: said.index("See it live")]
    assert max(map(len, table.splitlines())) <= 80
    assert f"aftershock run {scenario} --policy" in said
    written = json.loads((tmp_path / "a" / "advice.json").read_text(encoding="utf-8"))
    assert {one["name"] for one in written["candidates"]} == {
        "exponential", "no-retry", "full-jitter-budget", "exponential:attempts=2"
    }  # fmt: skip
    assert all(one["runs"] == 3 for one in written["candidates"])
    page = (tmp_path / "a" / "advice.html").read_text(encoding="utf-8")
    assert "short &lt;b&gt;" in page
    assert "short <b>" not in page


def test_a_full_disk_is_a_line_and_a_reader_that_goes_is_none(
    scenario: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The page is there by then."""
    few = ["advise", str(scenario), "--policy", "no-retry", "--runs", "1", "--processes", "1"]
    with unread(monkeypatch):
        assert ended([*few, "--out", str(tmp_path / "a")]) == 0
    assert "aftershock advise: " not in capsys.readouterr().err
    with printing_to(os.open("/dev/full", os.O_WRONLY), monkeypatch):
        assert ended([*few, "--out", str(tmp_path / "b")]) == 2
    assert "aftershock advise: the output cannot be written: No space" in capsys.readouterr().err
    assert (tmp_path / "a" / "advice.html").exists()
    assert (tmp_path / "b" / "advice.html").exists()


@pytest.mark.parametrize(
    ("change", "command"),
    [
        ('lane = "mine"', "--policy exponential"),
        ('layers = ["immediate"]', None),
    ],
)
def test_the_command_that_shows_it_live(
    scenario: Path, tmp_path: Path, change: str, command: str | None
) -> None:
    """It names policies and not lanes; gateways are in no option, so there is none."""
    file = tmp_path / "changed.toml"
    own = 'name = "exponential"'
    file.write_text(SHORT.replace(own, f"{own}\n{change}"), encoding="utf-8")
    code, said = _advise(file, tmp_path / "a")
    assert code == 0
    assert (f"aftershock run {file} --policy" in said) == (command is not None)
    if command is not None:
        assert command in said
        assert "--policy mine" not in said


class _Backwards(LocalWorkers):
    """The last run first, as many processes might."""

    def each(self, job: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R]]:
        yield from reversed(list(super().each(job, items)))


def test_who_is_done_first_changes_no_result(
    scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the byte."""
    _advise(scenario, tmp_path / "a")
    monkeypatch.setattr(cli, "LocalWorkers", _Backwards)
    _advise(scenario, tmp_path / "b")
    for name in ("advice.json", "advice.html"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


class _StoppedAfter(LocalWorkers):
    """Ctrl-C after so many runs."""

    most = 0

    def each(self, job: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R]]:
        for index, item in enumerate(items[: self.most]):
            yield index, job(item)
        raise KeyboardInterrupt


def test_interrupted_it_gives_the_advice_of_what_is_done(
    scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seed by seed, so that all have runs; exit code 130."""
    monkeypatch.setattr(cli, "LocalWorkers", _StoppedAfter)
    monkeypatch.setattr(_StoppedAfter, "most", 6)
    code, said = _advise(scenario, tmp_path / "a")
    assert code == 130
    assert said.startswith("Interrupted")
    assert re.search("medians of 1 to 2 runs", said)
    assert json.loads((tmp_path / "a" / "advice.json").read_text(encoding="utf-8"))["interrupted"]


class _ToldAfter(_StoppedAfter):
    """Told to end, by whom ends others."""

    tell: Callable[[], None]

    def each(self, job: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R]]:
        for index, item in enumerate(items):
            if index == self.most:
                self.tell()
            yield index, job(item)


def test_being_told_to_end_is_a_ctrl_c(
    scenario: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    told_to_end: Callable[[], None],
) -> None:
    """What is done is compared and written."""
    monkeypatch.setattr(cli, "LocalWorkers", _ToldAfter)
    monkeypatch.setattr(_ToldAfter, "most", 6)
    monkeypatch.setattr(_ToldAfter, "tell", staticmethod(told_to_end), raising=False)
    code, said = _advise(scenario, tmp_path / "a")
    assert code == 130
    assert said.startswith("Interrupted")


def test_interrupted_too_early_there_is_no_advice(
    scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written."""
    monkeypatch.setattr(cli, "LocalWorkers", _StoppedAfter)
    monkeypatch.setattr(_StoppedAfter, "most", 1)
    few = ("--policy", "full-jitter-budget", "--runs", "3", "--processes", "1")
    done = CliRunner().invoke(app, [str(scenario), *few, "--out", str(tmp_path / "a")])
    assert (done.exit_code, done.stdout) == (130, "")
    assert done.stderr == ("3 policies × 3 runs = 9 simulated runs\nstopped: nothing was written\n")
    assert not (tmp_path / "a").exists()
