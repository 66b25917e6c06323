"""Kubernetes resources in a file of several documents, or in a List."""

from loadtests.imports.format import Source
from loadtests.imports.node import Node


def resources(source: Source) -> list[Node]:
    """Every document that has a kind; the members of a List in its place."""
    found: list[Node] = []
    for node in source.mappings():
        members = node.get("items") if kind(node) == "List" else None
        if members is not None and isinstance(members.value, list):
            found += [item for item in members.items() if isinstance(item.value, dict)]
        elif kind(node):
            found.append(node)
    return found


def kind(node: Node) -> str:
    """The resource's kind, or nothing."""
    value = node.fields().get("kind")
    return value if isinstance(value, str) else ""


def name(node: Node) -> str:
    """The resource's name, or nothing."""
    metadata = node.get("metadata")
    found = metadata.get("name") if metadata else None
    return found.text() if found else ""
