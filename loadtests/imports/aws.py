"""AWS: profiles of ``~/.aws/config``, and the environment, as botocore 1.44 reads them.

The environment wins over the profile, and the mode is ``standard`` unless said otherwise. Values of
other settings may be secrets: none is ever shown.
"""

import configparser
import re
import shlex

from loadtests.imports.bounds import bounds
from loadtests.imports.errors import PolicyFileError, listed, shown
from loadtests.imports.format import Format, Source, Syntax
from loadtests.imports.imported import NOT_RETRIES, Ignored, Notes, Reading
from loadtests.imports.node import Node

ENVIRONMENT_NAME = "aws-env"
"""Names no file but the environment alone."""
_PRESETS = {
    "legacy": "botocore-legacy",
    "standard": "botocore-1.44-standard",
    "adaptive": "botocore-1.44-adaptive",
}
_SECTION = re.compile(r"""\[[^\[\]{},:]{1,200}\]\s*([#;].*)?""")
_PROFILE_VARIABLES = ("AWS_DEFAULT_PROFILE", "AWS_PROFILE")
"""The first that is set names the profile."""
_WHY = {
    "defaults_mode": "it sets how long connecting may take; the retry mode is standard in any case",
}


def is_ini(text: str) -> bool:
    """Whether the first line that says anything is a section's head."""
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and line[0] not in "#;"), "")
    return _SECTION.fullmatch(first) is not None


def read_ini(file: str, text: str) -> dict[str, object]:
    """The sections of an INI text, read as botocore does. Raises `PolicyFileError`."""
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.MissingSectionHeaderError as error:
        raise PolicyFileError(file, f"line {error.lineno}", "expected a [section]") from None
    except (configparser.DuplicateSectionError, configparser.DuplicateOptionError) as error:
        option = getattr(error, "option", None)
        twice = f"setting {shown(option)}" if option else f"section {shown(error.section)}"
        raise PolicyFileError(file, f"line {error.lineno}", f"the {twice} stands twice") from None
    except configparser.ParsingError as error:
        line = error.errors[0][0] if error.errors else 0
        raise PolicyFileError(file, f"line {line}", "expected setting = value") from None
    except (configparser.Error, AttributeError):  # a line that goes on before any setting began
        raise PolicyFileError(file, "", "expected [section] and setting = value") from None
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _knows(source: Source) -> bool:
    return source.syntax is Syntax.ENVIRONMENT or (
        source.syntax is Syntax.INI and bool(_profiles(source))
    )


def _profiles(source: Source) -> dict[str, Node]:
    """The profiles by name: ``[default]`` and every ``[profile NAME]``."""
    profiles: dict[str, Node] = {}
    for root in source.mappings():
        for section, values in root.fields().items():
            name = _profile_name(section)
            if name is not None:
                profiles[name] = Node(source.file, listed([f"[{section}]"]), values)
    return profiles


def _profile_name(section: str) -> str | None:
    if section == "default":
        return section
    try:
        words = shlex.split(section)
    except ValueError:
        return None
    return words[1] if len(words) == 2 and words[0] == "profile" else None


def _choices(source: Source) -> list[str]:
    return list(_profiles(source))


def _profile(source: Source, select: str | None, notes: Notes) -> Node:
    """The selected profile, the one that the environment names, or the default one."""
    profiles, environ = _profiles(source), source.environ
    variable = next((name for name in _PROFILE_VARIABLES if name in environ), None)
    name = select or ("default" if variable is None else environ[variable])
    if name in profiles:
        if not select:
            by = f", from {variable}" if variable else ""
            notes.notes.append(f"profile {listed([name])} is read{by}")
        return profiles[name]
    if source.syntax is Syntax.ENVIRONMENT:
        return Node(source.file, "", {})
    raise PolicyFileError(
        source.file,
        "",
        f"there is no profile {shown(name)}: expected one of {listed(list(profiles))}",
    )


def _read(source: Source, select: str | None) -> Reading:
    notes = Notes()
    profile = _profile(source, select, notes)
    mode = _setting(source, profile, "AWS_RETRY_MODE", "retry_mode", notes)
    attempts = _setting(source, profile, "AWS_MAX_ATTEMPTS", "max_attempts", notes)
    if mode is None:
        notes.notes.append("no retry mode is set: that of botocore 1.44 is standard")
    name = _PRESETS[mode.word(*_PRESETS)] if mode else _PRESETS["standard"]
    parameters: dict[str, object] = {}
    if attempts is not None:
        parameters["max_attempts"] = attempts.whole(*bounds(name, "max_attempts"))
    notes.ignored += [
        Ignored(item.path, _WHY.get(item.path.rpartition(".")[2], NOT_RETRIES))
        for item in profile.unread()
    ]
    return notes.reading(name, parameters)


def _setting(
    source: Source, profile: Node, variable: str, setting: str, notes: Notes
) -> Node | None:
    """From the environment, else from the profile."""
    in_file = profile.get(setting)
    if variable not in source.environ:
        return in_file
    if in_file is not None:
        notes.ignored.append(Ignored(in_file.path, f"{variable} is set, and wins"))
    elif source.syntax is Syntax.INI:
        notes.notes.append(f"{variable} is set, and read")
    return Node(source.file, variable, source.environ[variable])


AWS = Format("AWS config", "[default] or [profile NAME]", _knows, _choices, _read)
