"""The variables of the compose stack are the same wherever they are named. Needs no engine."""

import re

from tests.compose.stack import ROOT


def _used() -> dict[str, str]:
    """The variables of docker-compose.yml and their defaults."""
    text = (ROOT / "docker-compose.yml").read_text()
    used = dict(re.findall(r"\$\{(\w+):?-([^}]*)\}", text))
    assert len(re.findall(r"\$\{", text)) == len(re.findall(r"\$\{\w+:?-", text))
    return used | dict.fromkeys(re.findall(r"^ +(PIP_\w+):$", text, re.MULTILINE), "")


def test_the_example_names_every_variable_with_its_default() -> None:
    """So that uncommenting a line changes nothing."""
    shown = dict(re.findall(r"^#(\w+)=(.*)$", (ROOT / ".env.example").read_text(), re.MULTILINE))
    # The target's own default, which compose leaves to it.
    assert shown == _used() | {"AFTERSHOCK_TICK": "100ms", "AFTERSHOCK_STATUS": "503"}


def test_the_documentation_names_every_variable_with_its_default() -> None:
    """Where a default is not a value, it is told in words."""
    page = (ROOT / "docs" / "compose.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", page, re.MULTILINE)
    assert {name for name, _ in rows} == set(_used())
    for name, default in rows:
        assert not _used()[name] or default == f"`{_used()[name]}`"


def test_the_base_image_is_the_same_in_both_files_and_pinned_to_a_patch() -> None:
    """A build without compose begins with the same image."""
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert f"ARG PYTHON_IMAGE={_used()['PYTHON_IMAGE']}\n" in dockerfile
    assert re.search(r":\d+\.\d+\.\d+-", _used()["PYTHON_IMAGE"])
