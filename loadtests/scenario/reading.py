"""Scenarios from files and from plain values."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from loadtests.scenario.errors import ScenarioError, in_words
from loadtests.scenario.scenario import Scenario

MAX_SCENARIO_BYTES = 1 << 20


def parse_scenario(values: Mapping[str, object]) -> Scenario:
    """A scenario from its TOML or JSON values. Raises `ScenarioError`."""
    try:
        return Scenario.model_validate(values)
    except ValidationError as error:
        said = in_words(error, Scenario)
        if isinstance(values.get("check"), Mapping):
            said = said.replace("check.0", "check")  # one table is read as a list of one
        raise ScenarioError(said) from None


def load_scenario_values(path: Path) -> dict[str, object]:
    """The values in a scenario's file: TOML, or JSON when it is called so.

    Raises `ScenarioError` when there is no such file or it cannot be read.
    """
    try:
        if path.stat().st_size > MAX_SCENARIO_BYTES:
            raise ScenarioError(f"{path}: larger than {MAX_SCENARIO_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
        values = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except RecursionError:
        raise ScenarioError(f"{path}: nested too deeply") from None
    except UnicodeDecodeError:
        raise ScenarioError(f"{path}: is not text in UTF-8") from None
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{path}: {_sentence(error)}") from None
    if not isinstance(values, dict):
        raise ScenarioError(f"{path}: expected a table of settings")
    return values


def _sentence(error: OSError | ValueError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
