"""What every format's module answers, and how one of several policies is chosen."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from loadtests.imports.errors import PolicyFileError, listed, shown
from loadtests.imports.imported import Reading
from loadtests.imports.node import Node


class Syntax(StrEnum):
    """How a file is written."""

    JSON = "JSON"
    YAML = "YAML"
    INI = "INI"
    ENVIRONMENT = "environment variables"


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was read: its documents, and what else a format may look at."""

    file: str
    syntax: Syntax
    documents: tuple[Node, ...]
    environ: Mapping[str, str]

    def mappings(self) -> tuple[Node, ...]:
        """The documents that have fields."""
        return tuple(document for document in self.documents if isinstance(document.value, dict))


@dataclass(frozen=True, slots=True)
class Format:
    """One format of policy files."""

    name: str
    """As in ``gRPC service config``."""
    sign: str
    """What in a file shows that it is one, for the error where nothing does."""
    knows: Callable[[Source], bool]
    """Whether the file looks like one, however wrong it may be inside."""
    choices: Callable[[Source], list[str]]
    """The names of the policies that it holds."""
    read: Callable[[Source, str | None], Reading]
    """The policy of that name, or the only one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One policy of a file: what it is listed as, and what else it can be called."""

    label: str
    names: frozenset[str] = frozenset()


def chosen(file: str, select: str | None, choices: Sequence[Choice], what: str) -> int:
    """The index of the chosen one, or of the only one. Raises `PolicyFileError`."""
    labels = listed(list(dict.fromkeys(choice.label for choice in choices)))
    if not choices:
        raise PolicyFileError(file, "", f"there is no {what} in it")
    if select is None:
        if len(choices) == 1:
            return 0
        raise PolicyFileError(
            file, "", f"holds more than one {what}; choose by FILE#NAME or --select: {labels}"
        )
    found = [index for index, choice in enumerate(choices) if choice.label == select]
    found = found or [index for index, choice in enumerate(choices) if select in choice.names]
    if len(found) == 1:
        return found[0]
    which = f"more than one {what} is" if found else f"no {what} is"
    raise PolicyFileError(file, "", f"{which} called {shown(select)}: expected one of {labels}")
