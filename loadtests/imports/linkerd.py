"""Linkerd: ServiceProfiles, and annotations of Services and routes."""

from dataclasses import dataclass

from loadtests.imports import kubernetes
from loadtests.imports.bounds import bounds
from loadtests.imports.durations import go_s, linkerd_s
from loadtests.imports.format import Choice, Format, Source, chosen
from loadtests.imports.imported import NOT_RETRIES, Ignored, Notes, Reading
from loadtests.imports.linkerd_statuses import conditions, failures
from loadtests.imports.node import Node

_PROFILE = "ServiceProfile"
_BUDGETED = "linkerd-2"
_LIMITED = "linkerd-2-annotations"
_RETRY = "retry.linkerd.io/"
_WHY = {
    "condition": f"what a route matches {NOT_RETRIES}",
    "retry.linkerd.io/grpc": "answers are told apart by their HTTP status",
    "timeout.linkerd.io/response": "a time from the first byte to the last is not modelled",
    "timeout.linkerd.io/idle": "streams are not modelled",
}


@dataclass(frozen=True, slots=True)
class _Entry:
    """A route of a profile, or an annotated resource."""

    choice: Choice
    resource: Node
    route: Node | None


def _knows(source: Source) -> bool:
    return any(
        kubernetes.kind(node) == _PROFILE or _is_annotated(node)
        for node in kubernetes.resources(source)
    )


def _is_annotated(node: Node) -> bool:
    metadata = node.fields().get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return isinstance(annotations, dict) and any(key.startswith(_RETRY) for key in annotations)


def _entries(source: Source) -> list[_Entry]:
    entries: list[_Entry] = []
    for node in kubernetes.resources(source):
        if kubernetes.kind(node) == _PROFILE:
            entries += _routes(node)
        elif _is_annotated(node):
            kind, name = kubernetes.kind(node), kubernetes.name(node)
            entries.append(_Entry(Choice(f"{kind}/{name}", frozenset({name})), node, None))
    return entries


def _routes(profile: Node) -> list[_Entry]:
    name = kubernetes.name(profile) or _PROFILE
    routes = profile.need("spec", "the routes").get("routes")
    entries = []
    for index, route in enumerate(routes.items() if routes else []):
        own = route.get("name")
        called = own.text() if own else str(index)
        choice = Choice(f"{name}/{called}", frozenset({called}))
        entries.append(_Entry(choice, profile, route))
    return entries


def _retries(entry: _Entry) -> bool:
    if entry.route is None:
        return True
    flag = entry.route.get("isRetryable")
    return flag is not None and flag.flag()


def _choices(source: Source) -> list[str]:
    return [entry.choice.label for entry in _entries(source) if _retries(entry)]


def _read(source: Source, select: str | None) -> Reading:
    """The only route that is retried, or the selected one, whether it is or not."""
    entries = _entries(source)
    among = [entry for entry in entries if select is not None or _retries(entry)]
    index = chosen(source.file, select, [entry.choice for entry in among], "route that is retried")
    entry = among[index]
    if entry.route is None:
        return _annotated(entry.resource)
    if not _retries(entry):
        notes = Notes(notes=["the route is not isRetryable: Linkerd makes one attempt"])
        return notes.reading("no-retry", {})
    return _profiled(entry.resource, entry.route)


def _profiled(profile: Node, route: Node) -> Reading:
    notes = Notes()
    parameters: dict[str, object] = {}
    spec = profile.need("spec", "the routes")
    budget = spec.get("retryBudget")
    if budget is None:
        notes.notes.append("there is no retryBudget: Linkerd's default holds, 20% and 10 a second")
    else:
        parameters = _budget(budget)
        notes.ignored += budget.unread()
    if timeout := route.get("timeout"):
        parameters["timeout_s"] = timeout.seconds_or_none(go_s, *bounds(_BUDGETED, "timeout_s"))
    if classes := route.get("responseClasses"):
        parameters["statuses"] = failures(classes, notes)
    notes.ignored += route.unread(_WHY)
    notes.ignored += spec.unread({"dstOverrides": "traffic is not split here"})
    return notes.reading(_BUDGETED, parameters)


def _budget(budget: Node) -> dict[str, object]:
    ratio = budget.need("retryRatio", "a number, as in 0.2")
    least = budget.need("minRetriesPerSecond", "a whole number")
    ttl = budget.need("ttl", 'a duration, as in "10s"')
    ttl_s = ttl.seconds(go_s)
    if not 1 <= ttl_s <= 60:  # the proxy takes no other
        raise ttl.wrong("a duration from 1s to 60s")
    return {
        "retry_ratio_share": ratio.number(0, 1000),
        "min_retries_per_second": least.whole(*bounds(_BUDGETED, "min_retries_per_second")),
        "ttl_s": ttl_s,
    }


def _annotated(resource: Node) -> Reading:
    notes = Notes()
    annotations = resource.need("metadata", "annotations").need("annotations", "retry.linkerd.io/…")
    parameters: dict[str, object] = {}
    if limit := annotations.get(f"{_RETRY}limit"):
        parameters["limit"] = _limit(limit, notes)
    if http := annotations.get(f"{_RETRY}http"):
        parameters["statuses"] = conditions(http)
    elif f"{_RETRY}grpc" in annotations.fields():
        notes.notes.append(
            "retry.linkerd.io/grpc is not read, and there is no retry.linkerd.io/http: any HTTP "
            "status from 500 to 599 is retried here, in the place of those gRPC statuses"
        )
    else:
        notes.notes.append("no retry.linkerd.io/http: any status from 500 to 599 is retried")
    if timeout := annotations.get(f"{_RETRY}timeout"):
        parameters["timeout_s"] = timeout.seconds_or_none(linkerd_s, *bounds(_LIMITED, "timeout_s"))
    if request := annotations.get("timeout.linkerd.io/request"):
        parameters["request_timeout_s"] = request.seconds_or_none(
            linkerd_s, *bounds(_LIMITED, "request_timeout_s")
        )
    notes.ignored += [
        Ignored(item.path, _WHY.get(_annotation(item), NOT_RETRIES))
        for item in annotations.unread()
    ]
    return notes.reading(_LIMITED, parameters)


def _annotation(item: Ignored) -> str:
    """The annotation's name, whose dots make it a quoted step of the path."""
    return item.path.rpartition("[")[2].strip("]'")


def _limit(limit: Node, notes: Notes) -> int:
    number = limit.whole(*bounds(_LIMITED, "limit"))
    if number == 0:
        notes.notes.append(f"{limit.path} is 0: Linkerd takes it as 1")
    return number or 1


LINKERD = Format(
    "Linkerd", "kind: ServiceProfile or retry.linkerd.io/ annotations", _knows, _choices, _read
)
