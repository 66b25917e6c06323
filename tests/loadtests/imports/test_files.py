"""Which format a file has, what it is called, and that every example builds."""

from pathlib import Path

import pytest

from loadtests.imports import (
    FORMATS,
    PolicyFileError,
    choices,
    import_policy,
    looks_like_file,
    split_select,
)
from loadtests.policies import PRESETS
from loadtests.policies.catalogue.parameters import short_name
from tests.loadtests.imports.written import EXAMPLES

_FORMATS = {
    "application.yaml": "Spring's resilience4j",
    "aws.ini": "AWS config",
    "envoy.yaml": "Envoy",
    "istio.yaml": "Istio VirtualService",
    "linkerd-profile.yaml": "Linkerd",
    "linkerd-route.yaml": "Linkerd",
    "service_config.json": "gRPC service config",
}


@pytest.mark.parametrize(("file", "format_"), _FORMATS.items())
def test_every_example_builds(file: str, format_: str) -> None:
    """Each of its policies: with what the file says, whatever the preset's defaults."""
    names = choices(EXAMPLES / file)
    for name in names:
        imported = import_policy(EXAMPLES / file, name)
        assert imported.format == format_
        preset = imported.preset()
        assert preset.build().describe() == preset.describe() != ""
        assert {key: getattr(preset, key) for key in imported.parameters} == {
            key: frozenset(value) if isinstance(value, list) else value
            for key, value in imported.parameters.items()
        }
        assert imported.name == f"{Path(file).stem}#{name}"


def test_every_example_is_tested() -> None:
    """And every format has one, and every preset that they make there is."""
    assert {path.name for path in EXAMPLES.iterdir()} == set(_FORMATS)
    assert {format_.name for format_ in FORMATS} == set(_FORMATS.values())
    made = {
        import_policy(EXAMPLES / file, name).preset_name
        for file in _FORMATS
        for name in choices(EXAMPLES / file)
    }
    assert made < PRESETS.keys()
    assert len(made) == 12


def test_the_docs_name_what_is_made(tmp_path: Path) -> None:
    """Every preset and every parameter that an example makes, and a refusal as it is."""
    text = (EXAMPLES.parents[1] / "docs" / "importing.md").read_text(encoding="utf-8")
    for file in _FORMATS:
        for name in choices(EXAMPLES / file):
            imported = import_policy(EXAMPLES / file, name)
            for word in (imported.preset_name, *map(short_name, imported.parameters)):
                assert f"`{word}`" in text, word
    path = tmp_path / "service_config.json"
    one = (EXAMPLES / path.name).read_text(encoding="utf-8").replace('ts": 4', 'ts": 1')
    path.write_text(one, encoding="utf-8")
    with pytest.raises(PolicyFileError) as caught:
        import_policy(path, "shop.Catalogue")
    assert f"\n{path.name}: {caught.value.path}: {caught.value.problem}\n" in text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config", '{"methodConfig": [{"name": [{}]}]}'),
        ("x.conf", "methodConfig: [{name: [{}]}]"),
        ("no-ending", "\n# AWS\n[default]\nretry_mode = standard"),
        ("a.YML", "retry_on: 5xx"),
        ("credentials", "; comment\n[default] # here\n"),
    ],
)
def test_the_content_says_which_format(tmp_path: Path, name: str, content: str) -> None:
    """A file may be called anything."""
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert import_policy(path).name == path.stem


def test_an_unknown_file_is_told_the_known_ones(tmp_path: Path) -> None:
    """All of them, with what shows each."""
    path = tmp_path / "nginx.conf"
    path.write_text("proxy_next_upstream: error", encoding="utf-8")
    with pytest.raises(PolicyFileError, match="not a policy file that is known") as caught:
        import_policy(path)
    for format_ in FORMATS:
        assert f"{format_.name} ({format_.sign})" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "service_config.json", "envoy.yaml#shop/orders", "a.YML", "./config", "~/.aws/config",
        "/etc/x", "aws-env", "aws.ini#batch", "x.conf", "x.cfg",
    ],
)  # fmt: skip
def test_what_looks_like_a_file(text: str) -> None:
    """By its ending, a slash, or the environment's name."""
    assert looks_like_file(text)


@pytest.mark.parametrize(
    "text", [*PRESETS, "urllib3-2:total=3", "pkg.module:factory", "no-retry#a/b", "json", ""]
)
def test_what_does_not(text: str) -> None:
    """No preset and no code does; what stands after # is not looked at."""
    assert not looks_like_file(text)


def test_a_file_and_what_is_chosen_in_it() -> None:
    """The first # parts them."""
    assert split_select("a.json#b#c") == (Path("a.json"), "b#c")
    assert split_select("a.json#") == (Path("a.json"), None)
    assert split_select("~/a.json") == (Path.home() / "a.json", None)


def test_a_home_that_nobody_has_is_refused() -> None:
    """As a file that is not there."""
    with pytest.raises(PolicyFileError, match=r"~nosuch-user/x\.json: there is no such home"):
        split_select("~nosuch-user/x.json")


def test_a_path_may_have_a_number_sign(tmp_path: Path) -> None:
    """The longest part before one that is a file is the file."""
    folder = tmp_path / "a#1"
    folder.mkdir()
    path = folder / "b#2.json"
    path.write_text('{"methodConfig": [{"name": [{}]}]}', encoding="utf-8")
    assert split_select(str(path)) == (path, None)
    assert split_select(f"{path}#c#d") == (path, "c#d")
    assert looks_like_file(str(path))
    assert looks_like_file(f"{path}#c")
    assert split_select(f"{tmp_path}#{'x' * 5000}") == (tmp_path, "x" * 5000)
    assert split_select("a\0.json#b") == (Path("a\0.json"), "b")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[project]\nname = 'x'\nkeys = [\n'a',\n]\n"),
        ("ruff.toml", "[lint]\nselect = 3\n"),
        ("README.md", "# Read me\n\nIt is: easy: so\n\n- `x`\n"),
        ("LICENSE", "Copyright: me\n\tand: you\n"),
        ("tox.ini", "[tox]\nx = 1\n"),
    ],
)
def test_what_is_no_policy_file_is_told_so_first(tmp_path: Path, name: str, text: str) -> None:
    """Not where its reader stopped, which nobody asked."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PolicyFileError) as caught:
        import_policy(path)
    assert str(caught.value).startswith(f"{path}: not a policy file that is known")
    assert "gRPC service config (methodConfig)" in str(caught.value)
