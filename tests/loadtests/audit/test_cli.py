"""What the verb refuses, in one line each."""

import pytest
import typer
from typer.testing import CliRunner

from loadtests.audit.cli import audit

verb = typer.Typer()
verb.command()(audit)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--entry", "mesh:8080"), "entry: 'mesh:8080' is not a URL"),
        (("--target", "http://a:/"), "target: 'http://a:/' is not a URL"),
        (("--target", "ftp://a"), "target: 'ftp://a' is not a URL"),
        (("--timeout", "5"), "timeout: '5' is not a duration"),
        (("--timeout", "1h"), "timeout: expected a duration from 10ms to 2m"),
        (("--pause", "1h"), "pause: expected a duration of at most 2m"),
        (("--refusal", "418"), "refusal: '418' is not one of 503"),
        (("--method", "BREW"), "method: 'BREW' is not one of GET"),
        (("--path", "work"), "path: 'work' is not a path such as /work"),
        (("--lane", "a\nb"), "lane: expected a lane name: 1 to 64 printable"),
        (("--lane", " a"), "lane: expected a lane name: 1 to 64 printable"),
        (("--header", "Authorization"), "header: one without a colon: expected"),
        (("--header", "X-Aftershock-Trace: a"), "header: X-Aftershock-Trace is set by the sender"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(options: tuple[str, str], sentence: str) -> None:
    """Before anything is sent."""
    given = {"--entry": "http://127.0.0.1:1", "--target": "http://127.0.0.1:1"}
    given |= {options[0]: options[1]}
    result = CliRunner().invoke(verb, [word for pair in given.items() for word in pair])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"aftershock audit: --{sentence}")
    assert result.stderr.count("\n") == 1
