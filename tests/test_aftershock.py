"""The command line as a whole."""

import re

from typer.testing import CliRunner

from aftershock import app

runner = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})


def test_the_verbs_are_listed_in_the_order_in_which_they_are_met() -> None:
    """First a run and its report, then its parts, then what helps to set them."""
    shown = runner.invoke(app, ["--help"]).output.partition("Commands")[2]
    assert re.findall(r"^\W+([a-z]+) {2,}[A-Z]", shown, re.MULTILINE) == [
        *("run", "report", "serve", "gateway", "dip", "fault", "operate"),
        *("audit", "calibrate", "policies"),
    ]
