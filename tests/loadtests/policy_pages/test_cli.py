"""`aftershock policies` as a person at 80 columns sees it."""

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aftershock_verbs import app_for
from loadtests.policies import PRESETS
from loadtests.scenario import PolicyChoice, choose_policy

runner = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})


def policies(*arguments: str) -> Result:
    return runner.invoke(app_for(["policies"]), ["policies", *arguments])


def test_the_list_has_every_preset_under_its_family() -> None:
    """One line each, or its continuation."""
    result = policies()
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert max(map(len, lines)) <= 80
    for name, cls in PRESETS.items():
        assert any(line.startswith(f"  {name} ") for line in lines), name
        assert cls.family.value in lines


def test_one_policy_is_shown_in_full() -> None:
    """Rule, parameters, waits, outage."""
    result = policies("full-jitter-budget:base=200ms")
    assert result.exit_code == 0
    for part in (
        "U(200 ms, min(6.4 s, 200 ms·2^n))",
        "Parameters",
        "Wait before each retry",
        "1,100  every attempt is answered 503",
        "source",
    ):
        assert part in result.output
    assert max(map(len, result.output.splitlines())) <= 80


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("hope", "unknown policy 'hope'"),
        ("full-jiter", "did you mean full-jitter"),
        ("full-jitter:base", "expected NAME:parameter=value"),
        ("full-jitter:bse=1s", "has no parameter 'bse': expected attempts, base, cap"),
        ("full-jitter:base=-1s", "expected a duration, 0 to 1 h"),
        ("full-jitter:attempts=1.5", "expected a whole number, 1 to 10,000"),
        ("full-jitter:attempts=nan", "expected a whole number"),
        ("no.such.module:make", "ModuleNotFoundError"),
        ("[red]x", "unknown policy '[red]x'"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(name: str, says: str) -> None:
    """Exit code 2, no traceback."""
    result = policies(name)
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())


CONFIG = """{"methodConfig": [{"name": [{}], "waitForReady": true, "retryPolicy": {
  "maxAttempts": 3, "initialBackoff": "0.05s", "maxBackoff": "1s", "backoffMultiplier": 2,
  "retryableStatusCodes": ["UNAVAILABLE"]}}]}"""


def test_an_import_shows_the_policy_what_is_ignored_and_a_table_for_a_scenario(
    tmp_path: Path,
) -> None:
    """The table gives the same policy."""
    file = tmp_path / "service_config.json"
    file.write_text(CONFIG)
    result = policies("import", str(file))
    assert result.exit_code == 0, result.output
    assert max(map(len, result.output.splitlines())) <= 80
    assert "waitForReady" in result.output.split("Ignored")[1]
    table = result.output.split("[[policies]]")[1].split("\n\n")[0]
    values = tomllib.loads(table)
    assert 'initial_backoff = "50ms"' in table
    assert choose_policy(str(file)).source() == PolicyChoice.model_validate(values).source()


def test_a_bad_file_is_named_with_the_place_in_it(tmp_path: Path) -> None:
    """Exit code 2, no traceback."""
    file = tmp_path / "service_config.json"
    file.write_text(CONFIG.replace("3,", "1,"))
    result = policies("import", str(file))
    assert result.exit_code == 2
    said = "".join(result.output.split())
    assert "service_config.json:methodConfig[0].retryPolicy.maxAttempts" in said
