"""Policies from files: which format a file has, and which of its policies is meant."""

from collections.abc import Mapping
from pathlib import Path

from loadtests.imports.aws import AWS, ENVIRONMENT_NAME, is_ini, read_ini
from loadtests.imports.documents import read_json, read_yaml
from loadtests.imports.envoy import ENVOY
from loadtests.imports.errors import PolicyFileError
from loadtests.imports.format import Format, Source, Syntax
from loadtests.imports.grpc import GRPC
from loadtests.imports.imported import Imported
from loadtests.imports.istio import ISTIO
from loadtests.imports.linkerd import LINKERD
from loadtests.imports.node import Node
from loadtests.imports.resilience4j import RESILIENCE4J
from loadtests.imports.text import read_text

FORMATS: tuple[Format, ...] = (AWS, GRPC, ISTIO, LINKERD, RESILIENCE4J, ENVOY)
"""In the order in which a file is tried: Envoy's signs are the least particular, so it is last."""
_ENDINGS = (".json", ".yaml", ".yml", ".conf", ".cfg", ".ini")
_NO_ENVIRONMENT: Mapping[str, str] = {}


def import_policy(
    path: Path, select: str | None = None, environ: Mapping[str, str] = _NO_ENVIRONMENT
) -> Imported:
    """The policy that the file has, or the one of that name. `environ` is read for AWS alone.

    Raises `PolicyFileError` with the file, the path inside it, and what was expected there.
    """
    source = _source(path, environ)
    format_ = _format(source)
    reading = format_.read(source, select)
    imported = Imported(
        preset_name=reading.preset_name,
        parameters=reading.parameters,
        name=f"{path.stem or path.name}{f'#{select}' if select else ''}",
        format=format_.name,
        ignored=reading.ignored,
        notes=reading.notes,
    )
    try:
        imported.preset()
    except ValueError as error:
        raise PolicyFileError(source.file, "", str(error)) from None
    return imported


def choices(path: Path) -> list[str]:
    """The names of the policies in the file, as `select` takes them. Raises `PolicyFileError`."""
    source = _source(path, _NO_ENVIRONMENT)
    return list(dict.fromkeys(_format(source).choices(source)))


def looks_like_file(text: str) -> bool:
    """Whether a policy's name means a file: by its ending, by a slash in it, or ``aws-env``.

    What stands after ``#`` chooses in the file and says nothing here.
    """
    name, _ = _parted(text)
    return name == ENVIRONMENT_NAME or name.lower().endswith(_ENDINGS) or "/" in name


def split_select(text: str) -> tuple[Path, str | None]:
    """The file and what is selected in it, in ``FILE#SELECT``. Raises `PolicyFileError`."""
    name, select = _parted(text)
    return _at_home(name), select or None


def _is_file(name: str) -> bool:
    try:
        return Path(name).expanduser().is_file()
    except (OSError, RuntimeError, ValueError):  # too long a name, no such home, a NUL in it
        return False


def _at_home(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise PolicyFileError(name, "", "there is no such home") from None


def _parted(text: str) -> tuple[str, str]:
    """The longest part before a ``#`` that is a file, since a path may have one too."""
    at = len(text)
    while at > 0:
        if _is_file(text[:at]):
            return text[:at], text[at + 1 :]
        at = text.rfind("#", 0, at)
    name, _, select = text.partition("#")
    return name, select


def _source(path: Path, environ: Mapping[str, str]) -> Source:
    file = str(path)
    if file == ENVIRONMENT_NAME and not path.exists():
        return Source(ENVIRONMENT_NAME, Syntax.ENVIRONMENT, (), environ)
    text = read_text(path)
    syntax = _syntax(path, text)
    try:
        return _of(file, syntax, _values(file, text, syntax), environ)
    except PolicyFileError as error:
        if _is_one_by_name(path, syntax):
            raise
        where = f"{error.path}: " if error.path else ""
        raise _unknown(file, f" ({where}{error.problem})") from None


def _syntax(path: Path, text: str) -> Syntax:
    if is_ini(text):
        return Syntax.INI
    ending = path.suffix.lower()
    if ending == ".json" or (text.lstrip()[0] in "{[" and ending not in _ENDINGS):
        return Syntax.JSON
    return Syntax.YAML


def _values(file: str, text: str, syntax: Syntax) -> list[object]:
    if syntax is Syntax.INI:
        return [read_ini(file, text)]
    return [read_json(file, text)] if syntax is Syntax.JSON else read_yaml(file, text)


def _is_one_by_name(path: Path, syntax: Syntax) -> bool:
    """Whether a text that cannot be read is meant to be one: AWS's files have no ending."""
    return path.suffix.lower() in _ENDINGS or (not path.suffix and syntax is not Syntax.YAML)


def _of(file: str, syntax: Syntax, values: list[object], environ: Mapping[str, str]) -> Source:
    """Several documents have their number in their paths."""
    numbered = len(values) > 1
    nodes = (
        Node(file, f"document {number}" if numbered else "", value)
        for number, value in enumerate(values, start=1)
    )
    return Source(file, syntax, tuple(nodes), environ)


def _format(source: Source) -> Format:
    for format_ in FORMATS:
        if format_.knows(source):
            return format_
    raise _unknown(source.file)


def _unknown(file: str, why: str = "") -> PolicyFileError:
    known = "; ".join(f"{format_.name} ({format_.sign})" for format_ in FORMATS)
    return PolicyFileError(file, "", f"not a policy file that is known{why}. Those are: {known}")
