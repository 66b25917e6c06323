"""Where in an Envoy configuration routes and clusters stand.

A whole bootstrap, a dump of one, a RouteConfiguration, a virtual host, a route, a route's action or
a bare retry policy: what is searched for is a list of virtual hosts, and where there is none the
document is taken for what it looks like. Fields may be in snake_case or in protobuf's camelCase.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loadtests.imports.format import Choice, Source
from loadtests.imports.node import Node


def camel(name: str) -> str:
    """``retry_policy`` is ``retryPolicy``."""
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name)


def get(node: Node, name: str) -> Node | None:
    """The field in either spelling."""
    return node.get(name, camel(name))


def has(node: Node, *names: str) -> bool:
    """Whether a mapping has one of these fields in either spelling."""
    return isinstance(node.value, dict) and any(
        spelling in node.value for name in names for spelling in (name, camel(name))
    )


_INSTEAD = ("redirect", "direct_response", "filter_action", "non_forwarding_action")
"""What a route may have in the place of one that forwards."""


@dataclass(frozen=True, slots=True)
class Place:
    """A route: the policy that holds there, its action, and everything that was looked at."""

    choice: Choice
    policy: Node | None
    action: Node | None
    around: tuple[Node, ...]
    """The virtual host and the route, whose other fields are to be ignored aloud."""
    instead: str = ""
    """What the route does that forwards nothing, such as a redirect."""


def places(source: Source) -> list[Place]:
    """Every route, and every virtual host that has a retry policy for several routes."""
    found = [
        place
        for document in source.documents
        for node in _walk(document)
        if has(node, "virtual_hosts")
        for host in _items(node, "virtual_hosts")
        for place in _of_host(host)
    ]
    return found or [place for node in _roots(source) for place in _of_snippet(node)]


def clusters(source: Source) -> list[Node]:
    """Everything that has circuit breakers."""
    return [
        node
        for document in source.documents
        for node in _walk(document)
        if has(node, "circuit_breakers")
    ]


def cluster_names(action: Node) -> list[str]:
    """The clusters that a route's action goes to, one or several with weights."""
    weighted = get(_fresh(action), "weighted_clusters")
    members = get(weighted, "clusters") if weighted and isinstance(weighted.value, dict) else None
    listed = members.value if members and isinstance(members.value, list) else []
    names = [action.fields().get("cluster")]
    names += [member.get("name") for member in listed if isinstance(member, dict)]
    return [name for name in names if isinstance(name, str)]


def has_istios_metadata(node: Node) -> bool:
    """Whether a route or a virtual host says which of Istio's resources it was made of."""
    found: object = node.value
    for name in ("metadata", "filter_metadata", "istio"):
        found = (found.get(name, found.get(camel(name)))) if isinstance(found, dict) else None
    return found is not None


def looks_like_envoy(source: Source) -> bool:
    """Whether anything in it is called as Envoy calls what is read here."""
    return any(
        has(node, "virtual_hosts", "retry_policy", "retry_on", "circuit_breakers")
        for document in source.documents
        for node in _walk(document)
    )


def _walk(root: Node) -> Iterator[Node]:
    """Every mapping, from the outside in. Documents are bounded, in depth too."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node.value, dict):
            yield node
            pending += [child for _, child in _sorted_children(node)]
        elif isinstance(node.value, list):
            pending += reversed(node.items())


def _sorted_children(node: Node) -> list[tuple[str, Node]]:
    """The last first, as a stack wants them; on fresh nodes, so that nothing counts as read."""
    return list(reversed(list(_fresh(node).children())))


def _fresh(node: Node) -> Node:
    return Node(node.file, node.path, node.value)


def _roots(source: Source) -> list[Node]:
    """The documents, or the members of one that is a list, as ``istioctl`` prints them."""
    return [
        node
        for document in source.documents
        for node in (document.items() if isinstance(document.value, list) else [document])
        if isinstance(node.value, dict)
    ]


def _items(node: Node, name: str) -> list[Node]:
    found = get(node, name)
    return found.items() if found else []


def _of_host(host: Node) -> Iterator[Place]:
    name, policy = _text(host, "name"), get(host, "retry_policy")
    routes = _items(host, "routes")
    if policy is not None and len(routes) != 1:
        yield Place(Choice(name or "virtual host"), policy, None, (host,))
    for index, route in enumerate(routes):
        place = _of_route(route, str(index))
        own = place.choice.label
        label = f"{name}/{own.removeprefix('/')}" if name else own
        within = {f"{name}/{spelling}" for spelling in (str(index), own, *_paths(route)) if name}
        names = place.choice.names | within | ({name} if name and len(routes) == 1 else set())
        yield Place(
            Choice(label, names),
            place.policy or (None if place.instead else policy),
            place.action,
            (host, *place.around),
            place.instead,
        )


def _of_route(route: Node, unnamed: str) -> Place:
    name = _text(route, "name")
    action = get(route, "route")
    paths = _paths(route)
    names = {name, _text(action, "cluster") if action else "", *paths} - {""}
    choice = Choice(name or next(iter(paths), unnamed), frozenset(names))
    policy = get(action, "retry_policy") if action else None
    instead = next((key for key in _INSTEAD if action is None and has(route, key)), "")
    return Place(choice, policy, action, (route,), instead)


def _paths(route: Node) -> list[str]:
    """What the route matches, without the slashes around it and with them: so it is called too."""
    match = get(route, "match")
    if match is None or not isinstance(match.value, dict):
        return []
    named = [_text(match, key) for key in ("path", "prefix", "path_separated_prefix")]
    return [spelling for text in named if text for spelling in (text.strip("/") or text, text)]


def _of_snippet(node: Node) -> Iterator[Place]:
    """What a document without virtual hosts is."""
    if has(node, "routes"):
        yield from _of_host(node)
    elif has(node, "route"):
        yield _of_route(node, "route")
    elif has(node, "retry_policy"):
        action = node if has(node, "cluster", "timeout", "weighted_clusters") else None
        around = () if action else (node,)
        label = _text(node, "name") or "retry_policy"
        yield Place(Choice(label), get(node, "retry_policy"), action, around)
    elif has(node, "retry_on"):
        yield Place(Choice("retry_policy"), node, None, ())


def _text(node: Node, name: str) -> str:
    found = get(node, name)
    return found.text() if found else ""
