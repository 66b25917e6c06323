"""AWS's profiles and variables, read as the real botocore reads them."""

from collections.abc import Mapping
from pathlib import Path
from random import Random

import botocore.loaders
import botocore.session
import pytest
from botocore.exceptions import BotoCoreError

from loadtests.imports import PolicyFileError, choices, import_policy
from tests.loadtests.imports.written import EXAMPLES, read, refusal, why

_MODES = {
    "legacy": "botocore-legacy",
    "standard": "botocore-1.44-standard",
    "adaptive": "botocore-1.44-adaptive",
}
_MODELS = botocore.loaders.create_loader()
"""Shared by all sessions: reading the models takes long, and keeps what it has read."""


def test_profiles() -> None:
    """Without a mode it is standard; other settings are named, never shown."""
    path = EXAMPLES / "aws.ini"
    assert choices(path) == ["default", "batch", "old"]
    imported = import_policy(path)
    assert imported.preset_name == "botocore-1.44-standard"
    assert imported.parameters == {"max_attempts": 5}
    assert why(imported) == {"[default].region": "says nothing about retries"}
    assert imported.notes == (
        "profile default is read",
        "no retry mode is set: that of botocore 1.44 is standard",
    )
    batch = import_policy(path, "batch")
    assert batch.preset_name == "botocore-1.44-adaptive"
    assert batch.parameters == {"max_attempts": 8}
    assert import_policy(path, "old").preset_name == "botocore-legacy"


def test_the_environment_wins(tmp_path: Path) -> None:
    """Over the file, aloud; it can name the profile too."""
    text = "[profile a]\nretry_mode = legacy\nmax_attempts = 9\n[default]\n"
    environ = {"AWS_PROFILE": "a", "AWS_RETRY_MODE": "adaptive"}
    imported = read(tmp_path, text, environ=environ)
    assert imported.preset_name == "botocore-1.44-adaptive"
    assert imported.parameters == {"max_attempts": 9}
    assert why(imported) == {"[profile a].retry_mode": "AWS_RETRY_MODE is set, and wins"}
    selected = read(tmp_path, text, "default", environ=environ)
    assert selected.parameters == {}
    assert selected.notes == ("AWS_RETRY_MODE is set, and read",)


def test_the_environment_alone() -> None:
    """`aws-env` names no file."""
    imported = import_policy(Path("aws-env"), None, {"AWS_MAX_ATTEMPTS": "7"})
    assert (imported.name, imported.parameters) == ("aws-env", {"max_attempts": 7})
    assert imported.preset_name == "botocore-1.44-standard"
    with pytest.raises(PolicyFileError, match="aws-env: AWS_RETRY_MODE: found 'fast': expected"):
        import_policy(Path("aws-env"), None, {"AWS_RETRY_MODE": "fast"})


def _botocore(path: Path, environ: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> object:
    """The mode and the attempts of a client of the real botocore; None where it refuses."""
    with monkeypatch.context() as patch:
        for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_RETRY_MODE", "AWS_MAX_ATTEMPTS"):
            patch.delenv(name, raising=False)
        for name, value in environ.items():
            patch.setenv(name, value)
        patch.setenv("AWS_CONFIG_FILE", str(path))
        patch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(path.with_name("none")))
        try:
            session = botocore.session.Session()
            session.register_component("data_loader", _MODELS)
            client = session.create_client(
                "sts", "eu-central-1", aws_access_key_id="x", aws_secret_access_key="x"
            )
        except (BotoCoreError, ValueError):
            return None
        retries = client.meta.config.retries
        return _MODES[retries["mode"]], retries.get("total_max_attempts")


def test_the_real_botocore_reads_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over random profiles and variables: the same mode, the same attempts, the same refusals."""
    rng = Random(3)
    path = tmp_path / "config"
    modes, counts = ["legacy", "standard", "adaptive", "Standard", ""], ["1", "5", " 7 ", "0", "x"]
    refused = 0
    for _ in range(60):
        lines: list[str] = []
        for section in ("[default]", "[profile a]", '[profile "b c"]'):
            lines.append(section)
            lines += [f"retry_mode = {rng.choice(modes)}"] * (rng.random() < 0.5)
            lines += [f"max_attempts = {rng.choice(counts)}"] * (rng.random() < 0.5)
        path.write_text("\n".join(lines), encoding="utf-8")
        environ = {
            name: rng.choice(values)
            for name, values in {
                "AWS_PROFILE": ["a", "b c", "default", "none"],
                "AWS_DEFAULT_PROFILE": ["a", "default", ""],
                "AWS_RETRY_MODE": modes,
                "AWS_MAX_ATTEMPTS": counts,
            }.items()
            if rng.random() < 0.3
        }
        theirs = _botocore(path, environ, monkeypatch)
        try:
            imported = import_policy(path, None, environ)
            ours: object = (imported.preset_name, imported.parameters.get("max_attempts"))
        except PolicyFileError:
            ours = None
            refused += 1
        assert ours == theirs, (lines, environ)
    assert 10 < refused < 50


def test_of_two_variables_for_the_profile_the_default_one_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In botocore `AWS_DEFAULT_PROFILE` comes before `AWS_PROFILE`."""
    path = tmp_path / "config"
    path.write_text("[profile a]\nmax_attempts = 2\n[profile b]\nmax_attempts = 3\n")
    environ = {"AWS_PROFILE": "a", "AWS_DEFAULT_PROFILE": "b"}
    assert import_policy(path, None, environ).parameters == {"max_attempts": 3}
    assert _botocore(path, environ, monkeypatch) == ("botocore-1.44-standard", 3)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[default]\nretry_mode = fast", "[default].retry_mode: found 'fast': expected one of leg"),
        ("[default]\nmax_attempts = 0", "[default].max_attempts: found '0': expected a whole num"),
        ("[default]\nmax_attempts = 2.5", "found '2.5': expected a whole number"),
        ("[default]\nmax_attempts =", "found '': expected a whole number"),
        ("[default]\na = 1\na = 2", "line 3: the setting 'a' stands twice"),
        ("[default]\n[default]", "line 2: the section 'default' stands twice"),
        ("[default]\nsecret", "line 2: expected setting = value"),
        ("[profile a]\n[preview]\nx = 1", "there is no profile 'default': expected one of a"),
        ("[preview]\nx = 1", "not a policy file that is known"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, text: str, problem: str) -> None:
    """With the line, or the setting."""
    assert problem in str(refusal(tmp_path, text, name="config"))


def test_no_value_but_those_of_retries_is_shown(tmp_path: Path) -> None:
    """Others may be secrets."""
    text = "[default]\naws_secret_access_key = hunter2\n"
    assert "hunter2" not in str(read(tmp_path, text))
    for broken in ("hunter2\n", "aws_secret_access_key = hunter2\n", "[x\nhunter2"):
        assert "hunter2" not in str(refusal(tmp_path, text + broken))


@pytest.mark.parametrize(
    ("environ", "note"),
    [
        ({"AWS_PROFILE": "batch"}, "profile batch is read, from AWS_PROFILE"),
        ({"AWS_DEFAULT_PROFILE": "batch", "AWS_PROFILE": "old"},
         "profile batch is read, from AWS_DEFAULT_PROFILE"),
        ({}, "profile default is read"),
    ],
)  # fmt: skip
def test_which_profile_was_read_is_said(environ: Mapping[str, str], note: str) -> None:
    """Unless it was selected, by whom it was chosen."""
    assert import_policy(EXAMPLES / "aws.ini", None, environ).notes[0] == note
    assert not [
        one for one in import_policy(EXAMPLES / "aws.ini", "old", environ).notes if "profile" in one
    ]
