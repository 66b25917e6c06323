"""Other forms of a gRPC service config: with keys in any case, and as a DNS record has it."""

from collections.abc import Iterator

from loadtests.imports.errors import listed, shown
from loadtests.imports.imported import Ignored, Notes
from loadtests.imports.node import Node

_NAMES = {
    name.lower(): name
    for name in (
        "backoffMultiplier", "clientHostname", "clientLanguage", "hedgingDelay", "hedgingPolicy",
        "initialBackoff", "maxAttempts", "maxBackoff", "maxTokens", "method", "methodConfig",
        "name", "nonFatalStatusCodes", "percentage", "retryPolicy", "retryThrottling",
        "retryableStatusCodes", "service", "serviceConfig", "timeout", "tokenRatio",
        "waitForReady",
    )
}  # fmt: skip
_CLIENTS = ("clientLanguage", "clientHostname", "percentage")


def in_gos_case(document: Node, notes: Notes) -> Node:
    """With the keys that are read here in their own case: Go's JSON takes them in any.

    Raises `PolicyFileError` where a mapping has one in two spellings.
    """
    spelt: list[str] = []
    value = _renamed(document, spelt)
    if spelt:
        names = listed(list(dict.fromkeys(spelt)))
        notes.notes.append(
            f"keys are read in any case, as grpc-go does and other clients do not: {names}"
        )
    return Node(document.file, document.path, value)


def _renamed(node: Node, spelt: list[str]) -> object:
    if isinstance(node.value, list):
        return [_renamed(item, spelt) for item in node.items()]
    if not isinstance(node.value, dict):
        return node.value
    spellings: dict[str, str] = {}
    renamed: dict[str, object] = {}
    for key, child in node.children():
        name = _NAMES.get(key.lower(), key)
        if name in spellings:
            raise node.error(
                f"found {shown(spellings[name])[1:-1]} and {shown(key)[1:-1]}: "
                "expected one of the two"
            )
        if name != key:
            spelt.append(key)
        spellings[name] = key
        renamed[name] = _renamed(child, spelt)
    return renamed


def choice_of_record(document: Node, notes: Notes) -> Node:
    """The service config itself; of a DNS record's list the first that a client may have."""
    if not isinstance(document.value, list):
        return document
    choices = document.items()
    at = next(_open_to_some(choices), None)
    if at is None:
        raise document.wrong("a choice whose percentage is above 0")
    config = choices[at].need("serviceConfig", "a service config")
    notes.notes.append(f"{config.path} is read: the first that a client may have")
    others = [choice for index, choice in enumerate(choices) if index != at]
    notes.ignored += [
        Ignored(other.path, "another choice of the DNS record is read") for other in others
    ]
    notes.ignored += [
        Ignored(f"{choices[at].path}.{name}", "which clients have it is not asked")
        for name in _CLIENTS
        if name in choices[at].fields()
    ]
    return config


def _open_to_some(choices: list[Node]) -> Iterator[int]:
    for index, choice in enumerate(choices):
        percentage = choice.get("percentage")
        if percentage is None or percentage.whole(0, 100) > 0:
            yield index
