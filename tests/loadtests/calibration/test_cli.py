"""Bad input is one line and exit 2, before anything is sent."""

import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from loadtests.calibration.cli import calibrate

app = typer.Typer()
app.command()(calibrate)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--target", "nonsense"], "--target: 'nonsense' is no URL such as http://host:8000/work"),
        (["--target", "127.0.0.1:8080/orders"], "work: put http:// or https:// before it"),
        (["--ceiling", "many"], "--ceiling: 'many' is not a rate"),
        (["--ceiling", "20001/s"], "expected 1/s to 20000/s"),
        (["--ceiling", "5/s"], "--start: 10/s: expected 1/s up to the ceiling of 5/s"),
        (["--start", "0.5/s"], "--start: 0.5/s: expected 1/s"),
        (["--latency-bound", "0s"], "--latency-bound: 0s: expected 0.001s to 60s"),
        (["--step", "400ms"], "--step: 400ms: expected 0.5s to 60s"),
        (["--timeout", "2h"], "--timeout: 2h: expected 0.01s to 60s"),
        (["--max-time", "1s"], "--max-time: 1s: expected 5s to 3600s"),
        (["--max-in-flight", "0"], "--max-in-flight: 0: expected a number from 1 to 10000"),
        (["--arrivals", "tidal"], "--arrivals: 'tidal' is none: expected constant or poisson"),
        (["--header", "secret"], "--header: one without a colon"),
    ],
)
def test_bad_input(options: list[str], said: str) -> None:
    """It names the option and what is allowed."""
    done = CliRunner().invoke(app, ["--target", "http://127.0.0.1:1", *options])
    assert done.exit_code == 2
    lines = [line for line in done.stderr.splitlines() if line]
    assert said in " ".join(lines)
    assert "secret" not in done.output
    assert lines[0].startswith("aftershock calibrate: ")


def test_the_verb_needs_no_gevent_before_it_runs() -> None:
    """Importing it takes time that the other verbs would pay for."""
    check = "import sys, loadtests.calibration.cli; sys.exit('gevent' in sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True, timeout=30)
