"""Spring's configuration: documents laid over one another, dotted keys, and relaxed names."""

import re

from loadtests.imports.documents import MAX_DEPTH
from loadtests.imports.durations import spring_s
from loadtests.imports.errors import PolicyFileError, listed, step
from loadtests.imports.format import Source
from loadtests.imports.imported import Ignored
from loadtests.imports.node import Node

_PLACEHOLDER = re.compile(r"\$\{[^{}:]*(?::(?P<default>[^{}]*))?\}")
_BRACKETED = re.compile(r"\[([^\]]*)\]")


def canonical(name: str) -> str:
    """``max-attempts``, ``max_attempts`` and ``maxAttempts`` are one name."""
    return name.replace("-", "").replace("_", "").lower()


def laid_over(source: Source) -> tuple[Node, list[Ignored]]:
    """One tree of all documents, later ones over earlier; those of a profile are left out."""
    ignored: list[Ignored] = []
    whole: dict[str, object] = {}
    for number, document in enumerate(source.mappings(), start=1):
        tree = _expanded(document.value, source.file)
        if _of_profile(Node(source.file, "", tree)):
            ignored.append(Ignored(f"document {number}", "is for a Spring profile only"))
        else:
            whole = _merged(whole, tree)
    return Node(source.file, "", whole), ignored


def _expanded(value: object, file: str, path: str = "", depth: int = 0) -> dict[str, object]:
    """With ``a.b: 1`` as ``a: {b: 1}``; a key in brackets is one name, dots and all.

    What stands between dots is a level as any other: `depth` counts those above.
    """
    tree: dict[str, object] = {}
    for key, child in value.items() if isinstance(value, dict) else ():
        here = step(path, key)
        first, *rest = _steps(key)
        below = depth + 1 + len(rest)
        if below > MAX_DEPTH:
            raise PolicyFileError(file, here, f"nested deeper than {MAX_DEPTH} levels")
        inner = _expanded(child, file, here, below) if isinstance(child, dict) else child
        for name in reversed(rest):
            inner = {name: inner}
        there = tree.get(first)
        if isinstance(there, dict) and isinstance(inner, dict):
            tree[first] = _joined(there, inner, file, here)
        elif first in tree:
            raise PolicyFileError(file, here, "stands twice")
        else:
            tree[first] = inner
    return tree


def _steps(key: str) -> list[str]:
    if match := _BRACKETED.fullmatch(key):
        return [match[1]]
    return key.split(".") if all(key.split(".")) else [key]


def _joined(
    one: dict[str, object], other: dict[str, object], file: str, path: str
) -> dict[str, object]:
    """Two spellings of one mapping in the same document; no setting may be in both."""
    both = dict(one)
    for key, value in other.items():
        there = both.get(key)
        if isinstance(there, dict) and isinstance(value, dict):
            both[key] = _joined(there, value, file, step(path, key))
        elif key in both:
            raise PolicyFileError(file, step(path, key), "stands twice")
        else:
            both[key] = value
    return both


def _merged(below: dict[str, object], above: dict[str, object]) -> dict[str, object]:
    merged = dict(below)
    for key, value in above.items():
        there = merged.get(key)
        if isinstance(there, dict) and isinstance(value, dict):
            merged[key] = _merged(there, value)
        else:
            merged[key] = value
    return merged


def _of_profile(tree: Node) -> bool:
    spring = tree.fields().get("spring")
    if not isinstance(spring, dict):
        return False
    node = Node(tree.file, "spring", spring)
    return descend(node, "config", "activate", "on-profile") is not None or (
        descend(node, "profiles") is not None and not isinstance(spring.get("profiles"), dict)
    )


def descend(node: Node, *names: str) -> Node | None:
    """What is under these names, however they are spelled; None where it ends before."""
    found: Node | None = node
    for name in names:
        if found is None or not isinstance(found.value, dict):
            return None
        found = relaxed(found, name)
    return found


def relaxed(node: Node, name: str) -> Node | None:
    """The field in whatever spelling. Raises `PolicyFileError` where there are two."""
    spellings = [key for key in node.fields() if canonical(key) == canonical(name)]
    if len(spellings) > 1:
        raise node.error(f"found {listed(spellings)}: expected one of these spellings")
    return node.get(spellings[0]) if spellings else None


def resolved(node: Node, notes: list[str]) -> Node:
    """The value, or the default of a placeholder such as ``${RETRIES:3}``."""
    if not isinstance(node.value, str) or "${" not in node.value:
        return node
    match = _PLACEHOLDER.fullmatch(node.value.strip())
    if match is None or match["default"] is None:
        raise node.wrong("a value, or a placeholder with a default as in ${NAME:3}")
    notes.append(f"{node.path} is a placeholder: its default is read")
    return Node(node.file, node.path, match["default"])


def seconds(node: Node, least_s: float = 0.0) -> float:
    """A duration in one of Spring's forms."""
    return node.seconds(spring_s, least_s)
