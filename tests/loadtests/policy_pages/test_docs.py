"""`docs/policies.md` is made from the catalogue, and is what it would be if made now.

So is what the command shows; it stands here because a process plays each outage once, and for long.
"""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from loadtests.opaque.catalogue import OPAQUE
from loadtests.policies import PRESETS
from loadtests.policy_pages.markdown import PICTURES, files
from tests.loadtests.policy_pages.test_cli import policies

pytestmark = pytest.mark.timeout(300)  # the first test plays them all

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """What the catalogue makes now."""
    return files()


def test_the_docs_are_not_stale(made: dict[str, str]) -> None:
    """`make docs` mends this."""
    stale = [
        name
        for name, text in made.items()
        if not (DOCS / name).exists() or (DOCS / name).read_text(encoding="utf-8") != text
    ]
    assert not stale, f"run `make docs`: {stale}"


def test_no_picture_of_a_preset_that_is_gone(made: dict[str, str]) -> None:
    """`make docs` takes it away."""
    there = {f"{PICTURES}/{path.name}" for path in (DOCS / PICTURES).glob("*.svg")}
    assert there == set(made) - {"policies.md"}


def test_every_preset_has_a_section(made: dict[str, str]) -> None:
    """With what it comes from."""
    for name, cls in PRESETS.items():
        section = made["policies.md"].split(f"\n### {name}\n")
        assert len(section) == 2, name
        assert f"- source: {cls.source}" in section[1].split("\n### ")[0]


def test_pictures_are_well_formed(made: dict[str, str]) -> None:
    """As XML, with nothing outside of the frame."""
    for name, text in made.items():
        if not name.endswith(".svg"):
            continue
        root = ET.fromstring(text)  # noqa: S314 - our own
        width = float(root.attrib["width"])
        for rect in root.iter("{http://www.w3.org/2000/svg}rect"):
            assert 0 <= float(rect.attrib["x"]) <= width - float(rect.attrib["width"]), name


@pytest.mark.parametrize("name", list(PRESETS))
def test_texts_are_of_one_form(name: str) -> None:
    """Summaries and faults are clauses, notes are sentences; a fault names a sound preset."""
    cls = PRESETS[name]
    assert not cls.summary.endswith(".")
    assert all(fault.sound in PRESETS and fault.sound != name for fault in cls.faults)
    assert not any(fault.text.endswith(".") for fault in cls.faults)
    assert all(note.endswith(".") for note in cls.notes)


@pytest.mark.parametrize("name", [*PRESETS, *OPAQUE])
def test_every_preset_can_be_shown(name: str) -> None:
    """At 80 columns."""
    result = policies(name)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.output.splitlines())) <= 80
