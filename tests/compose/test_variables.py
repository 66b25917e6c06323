"""The variables of the compose stack are the same wherever they are named. Needs no engine."""

import re

from tests.compose.stack import ROOT

OF_THE_TARGET = {
    "AFTERSHOCK_CAPACITY": "100/s",
    "AFTERSHOCK_TICK": "100ms",
    "AFTERSHOCK_STATUS": "503",
}
"""The target's own defaults, which compose leaves to it."""


def _used() -> dict[str, str]:
    """The variables of docker-compose.yml and their defaults."""
    text = (ROOT / "docker-compose.yml").read_text()
    found = re.findall(r"\$\{(\w+):?-([^}]*)\}", text)
    used = dict(found)
    assert set(found) == set(used.items()), "a variable has two defaults"
    assert len(re.findall(r"\$\{", text)) == len(re.findall(r"\$\{\w+:?-", text))
    return used | dict.fromkeys(re.findall(r"^ +(PIP_\w+):$", text, re.MULTILINE), "")


def test_the_example_names_every_variable_with_its_default() -> None:
    """So that uncommenting a line changes nothing."""
    shown = dict(re.findall(r"^#(\w+)=(.*)$", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert shown == _used() | OF_THE_TARGET


def test_the_documentation_names_every_variable_with_its_default() -> None:
    """Where a default is not a value, it is told in words."""
    page = (ROOT / "docs" / "compose.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", page, re.MULTILINE)
    assert {name for name, _ in rows} == set(_used())
    for name, default in rows:
        assert not _used()[name] or default == f"`{_used()[name]}`"


def test_the_base_image_is_the_same_everywhere_and_pinned_to_a_patch() -> None:
    """A build without compose begins with the same image."""
    for path in ("Dockerfile", "deploy/envoy/Dockerfile"):
        assert f"ARG PYTHON_IMAGE={_used()['PYTHON_IMAGE']}\n" in (ROOT / path).read_text()
    assert re.search(r":\d+\.\d+\.\d+-", _used()["PYTHON_IMAGE"])
