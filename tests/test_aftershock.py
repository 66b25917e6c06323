"""The command line as a whole."""

import re
import subprocess
import sys
from itertools import pairwise

import pytest
from typer.testing import CliRunner

from aftershock_verbs import _MODULES, app_for

runner = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})


def test_the_verbs_are_listed_in_the_order_in_which_they_are_met() -> None:
    """First a run and its report, then its parts, then what helps to set them."""
    shown = runner.invoke(app_for(), ["--help"]).output.partition("Commands")[2]
    assert re.findall(r"^\W+([a-z]+) {2,}[A-Z]", shown, re.MULTILINE) == [
        *("run", "simulate", "sweep", "advise", "report", "check", "compare", "export"),
        *("serve", "gateway"),
        *("dip", "fault", "operate", "audit", "calibrate", "policies"),
    ]


def test_a_verb_is_asked_for_alone_and_shown_as_among_all() -> None:
    """A verb that there is not is answered with all of them."""
    for name in ("gateway", "operate"):
        among_all = runner.invoke(app_for(), [name, "--help"])
        alone = runner.invoke(app_for([name]), [name, "--help"])
        assert (alone.exit_code, alone.output) == (0, among_all.output)
    assert "No such command 'gatway'" in runner.invoke(app_for(["gatway"]), ["gatway"]).output


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("operate shed", "aftershock operate shed: Missing option '--share'."),
        ("operate shed --share", "aftershock: Option '--share' requires an argument."),
        ("fault", "aftershock fault: Missing argument 'TYPE'."),
        ("dip --deep", "aftershock dip: No such option: --deep"),
        ("gatway", "aftershock: No such command 'gatway'"),
        ("--loud", "aftershock: No such option: --loud"),
    ],
)
def test_a_wrong_command_line_is_one_line(asked: str, says: str) -> None:
    """As everything else is that is wrong, with the same exit code."""
    arguments = asked.split()
    done = runner.invoke(app_for(arguments), arguments, prog_name="aftershock")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(says)
    assert done.stderr.count("\n") == 1


def test_a_command_of_verbs_alone_shows_its_help() -> None:
    """It lists them."""
    done = runner.invoke(app_for(["operate"]), ["operate"])
    assert done.exit_code == 2
    assert "block-retries" in done.output


def test_every_help_has_an_example() -> None:
    for name in ("", *_MODULES):
        asked = [name] if name else []
        assert "Example" in runner.invoke(app_for(asked), [*asked, "--help"]).output, name


@pytest.mark.parametrize("verb", ["run", "report", "check", "compare", "export"])
def test_a_help_is_broken_where_a_line_is_full(verb: str) -> None:
    """Typer breaks what is too long, and keeps our breaks: a line would end in mid-sentence."""
    shown = runner.invoke(app_for([verb]), [verb, "--help"]).output.partition("Arguments")[0]
    lines = [line.strip() for line in shown.splitlines()]
    said = lines[lines.index("", 4) :]
    for line, after in pairwise(said):
        assert not after or not line or len(f"{line} {after.split()[0]}") > 70


def test_a_gateway_imports_nothing_that_draws_reports() -> None:
    """It starts once for each layer, and stays."""
    code = (
        "import sys; from aftershock_verbs import app_for; app_for(['gateway']); "
        "print({'polars', 'reports', 'locust', 'gevent'} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "set()\n"


def test_stopped_while_it_imports_it_ends_without_a_traceback() -> None:
    """As by Ctrl-C in the first half second."""
    code = (
        "import importlib, sys, aftershock\n"
        "def stopped(name): raise KeyboardInterrupt\n"
        "importlib.import_module = stopped\n"
        "sys.argv = ['aftershock', 'run']; aftershock.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (130, "stopped before it began\n")
