"""Writes a policy file and reads it: what the tests of importers share."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from loadtests.imports import Imported, PolicyFileError, import_policy

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "policies"


def read(
    folder: Path,
    text: str,
    select: str | None = None,
    *,
    name: str = "policy.yaml",
    environ: Mapping[str, str] | None = None,
) -> Imported:
    """What a file with this text makes; its preset takes all the parameters."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    imported = import_policy(path, select, environ or {})
    imported.preset().build()
    return imported


def refusal(
    folder: Path,
    text: str,
    select: str | None = None,
    *,
    name: str = "policy.yaml",
    environ: Mapping[str, str] | None = None,
) -> PolicyFileError:
    """How a file with this text is refused."""
    with pytest.raises(PolicyFileError) as caught:
        read(folder, text, select, name=name, environ=environ)
    assert str(caught.value).startswith(caught.value.file)
    assert len(str(caught.value)) < 1500
    return caught.value


def why(imported: Imported) -> dict[str, str]:
    """What was ignored, by path."""
    return {item.path: item.why for item in imported.ignored}
