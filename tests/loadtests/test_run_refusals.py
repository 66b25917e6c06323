"""What `aftershock run` refuses, before anything is started."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from loadtests.cli import run
from loadtests.verb import BAD_INPUT

app = typer.Typer()
app.command()(run)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ("--policy", "hope"),
            "policies.0: unknown policy 'hope': `aftershock policies` lists them",
        ),
        (("--rate", "fast"), "load.rate: 'fast' is not a rate per second"),
        (("--dip", "20%"), "--dip: '20%' is not a dip"),
        (("--spike", "3 for 2s"), "--spike: in the spike '3 for 2s': factor"),
        (("--workers", "0"), "target: workers: expected a whole number from 1"),
        (("--workers", "5"), "target: workers need a service_time (--service-time)"),
        (("none.toml",), "none.toml: No such file"),
        (("--target", "localhost"), "localhost"),
        (("--out", __file__), f"--out: {__file__}: {__file__} is a file: expected a folder"),
        (("--out", "/proc/foo"), "--out: /proc/foo: /proc cannot be written to: expected a fold"),
    ],
)
def test_bad_input_exits_with_2_and_says_what_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], says: str
) -> None:
    """In a line each, however long: what reads it may be a program."""
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, options)
    assert done.exit_code == BAD_INPUT
    assert says in done.stderr
    assert all(line.startswith("aftershock run: ") for line in done.stderr.splitlines())
    assert not list(tmp_path.iterdir())
