"""Istio: `retries` of VirtualServices, with what a DestinationRule says of the destination."""

from dataclasses import dataclass

from loadtests.imports import kubernetes
from loadtests.imports.bounds import bounds
from loadtests.imports.durations import go_s
from loadtests.imports.errors import printable
from loadtests.imports.format import Choice, Format, Source, chosen
from loadtests.imports.imported import NOT_RETRIES, ONE_TARGET, Ignored, Notes, Reading
from loadtests.imports.node import Node, read_all
from loadtests.policies import preset
from loadtests.policies.conditions.envoy import WORDS

PRESET = "istio-1.27"
ENVOY_PRESET = "envoy-1.40"
_WHY = {
    "retryRemoteLocalities": ONE_TARGET,
    "retryIgnorePreviousHosts": ONE_TARGET,
    "match": "every request is taken to be for this route",
    "fault": "faults are injected at the target here",
    "mirror": NOT_RETRIES,
    "loadBalancer": "there is one target",
    "outlierDetection": ONE_TARGET,
    "tls": NOT_RETRIES,
    "http1MaxPendingRequests": "a limit on all requests, not on retries",
    "http2MaxRequests": "a limit on all requests, not on retries",
    "tcp": "a limit on connections, not on retries",
    "budgetInterval": "the budget is of requests that are active now",
}


_SUBSETS = "subsets are not told apart"
_SPEC_WHY = {
    "tcp": NOT_RETRIES,
    "tls": NOT_RETRIES,
    "gateways": "the rule is the same in every proxy that has the route",
}
_DESTINATION_WHY = {
    "weight": "which destination is drawn is not known",
    "subset": _SUBSETS,
    "port": "there is one target",
    "headers": NOT_RETRIES,
}


@dataclass(frozen=True, slots=True)
class _Route:
    """One entry under `spec.http`."""

    choice: Choice
    node: Node
    spec: Node


def _knows(source: Source) -> bool:
    return any(kubernetes.kind(node) == "VirtualService" for node in kubernetes.resources(source))


def _routes(source: Source) -> list[_Route]:
    routes: list[_Route] = []
    for service in kubernetes.resources(source):
        if kubernetes.kind(service) != "VirtualService":
            continue
        name = kubernetes.name(service) or "VirtualService"
        spec = service.need("spec", "the routes")
        http = spec.get("http")
        nodes = http.items() if http else []
        for index, node in enumerate(nodes):
            own = node.get("name")
            label = f"{name}/{own.text() if own else index}"
            names = ({own.text()} if own else set()) | ({name} if len(nodes) == 1 else set())
            routes.append(_Route(Choice(label, frozenset(names)), node, spec))
    return routes


def _choices(source: Source) -> list[str]:
    return [route.choice.label for route in _routes(source)]


def _read(source: Source, select: str | None) -> Reading:
    routes = _routes(source)
    index = chosen(source.file, select, [route.choice for route in routes], "HTTP route")
    route, notes = routes[index].node, Notes()
    retries, timeout = route.get("retries"), route.get("timeout")
    parameters: dict[str, object] = {}
    if retries is None:
        notes.notes.append("it has no retries of its own: Istio's default holds, 2 retries")
    else:
        parameters = _retries(retries)
    if timeout is not None:
        parameters["timeout_s"] = timeout.seconds_or_none(go_s)
    parameters |= _destination(source, route, notes)
    read_all(route, ("name", "route"))
    notes.ignored += route.unread(_why_not())
    notes.ignored += _of_destinations(route)
    read_all(routes[index].spec, ("hosts", "exportTo"))
    notes.ignored += routes[index].spec.unread(_SPEC_WHY)
    notes.ignored += _other_documents(source)
    if parameters.get("attempts") == 0:
        notes.notes.append("attempts is 0: nothing is retried")
        return notes.reading("no-retry", {})
    if "budget_share" in parameters:
        notes.notes.append("with a retryBudget it is built as the Envoy that Istio configures")
        return notes.reading(ENVOY_PRESET, _as_envoy(parameters))
    return notes.reading(PRESET, parameters)


def _of_destinations(route: Node) -> list[Ignored]:
    """What stands beside the hosts that the route goes to."""
    ignored: list[Ignored] = []
    destinations = route.get("route")
    for item in destinations.items() if destinations else []:
        if destination := item.get("destination"):
            read_all(destination, ("host",))
        ignored += item.unread(_DESTINATION_WHY)
    return ignored


def _other_documents(source: Source) -> list[Ignored]:
    """Documents and members of Lists of which nothing is read."""
    known = ("VirtualService", "DestinationRule")
    of_kinds = kubernetes.resources(source)
    others = [*of_kinds, *(node for node in source.mappings() if not kubernetes.kind(node))]
    return [
        Ignored(
            node.path, f"{_said_kind(node)}: only VirtualServices and DestinationRules are read"
        )
        for node in others
        if kubernetes.kind(node) not in known
    ]


def _said_kind(node: Node) -> str:
    kind = printable(kubernetes.kind(node)[:60])
    return f"kind: {kind}" if kind else "it has no kind"


def _as_envoy(parameters: dict[str, object]) -> dict[str, object]:
    """The same with a budget, which `istio-1.27` has not: Istio's defaults are said in full."""
    budget = {name: parameters[name] for name in ("budget_share", "min_retry_concurrency")}
    own = {k: v for k, v in parameters.items() if k not in budget and k != "max_retries"}
    values = vars(preset(PRESET, **own))
    said = ("retry_on", "retriable_status_codes", "base_interval_s", "max_interval_s",
            "per_try_timeout_s", "timeout_s")  # fmt: skip
    plain = {name: _plain(values[name]) for name in said}
    return {"num_retries": values["attempts"], **plain, **budget}


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, frozenset) else value


def _why_not() -> dict[str, str]:
    """What a route may have beside its retries; a name that is not here is unknown."""
    other = (
        "headers", "rewrite", "redirect", "directResponse", "delegate", "corsPolicy", "mirrors",
        "mirrorPercentage", "mirrorPercent", "mirror_percent",
    )  # fmt: skip
    return {**dict.fromkeys(other, NOT_RETRIES), **_WHY}


def _retries(retries: Node) -> dict[str, object]:
    attempts, per_try = retries.get("attempts"), retries.get("perTryTimeout")
    words, backoff = retries.get("retryOn"), retries.get("backoff")
    count = attempts.whole(*bounds(PRESET, "attempts")) if attempts else 0
    if count == 0 and (per_try or words):
        # Istio refuses it too: none is what `attempts` means where it is left out.
        raise (attempts or retries).error(
            "found settings for no attempts: expected attempts of 1 or more"
        )
    parameters: dict[str, object] = {"attempts": count}
    if per_try is not None:
        parameters["per_try_timeout_s"] = _at_least_1_ms(per_try)
    if words is not None and words.text():
        parameters |= _retry_on(words)
    if backoff is not None:
        parameters["base_interval_s"] = _at_least_1_ms(backoff)
    return parameters


def _at_least_1_ms(node: Node) -> float:
    seconds = node.seconds(go_s)
    if seconds < 0.001:
        raise node.wrong("a duration of at least 1ms")
    return seconds


def _retry_on(node: Node) -> dict[str, object]:
    """Words of Envoy and statuses; statuses bring the word that they need with them."""
    words, statuses = set(), set()
    for part in node.between_commas():
        if part.isascii() and part.isdecimal() and 100 <= int(part[:4]) <= 599:
            statuses.add(int(part))
        elif part in WORDS:
            words.add(part)
        else:
            raise node.wrong(f"words of Envoy or statuses, not {part[:40]!r}")
    if statuses:
        words.add("retriable-status-codes")
    return {"retry_on": sorted(words), "retriable_status_codes": sorted(statuses)}


def _destination(source: Source, route: Node, notes: Notes) -> dict[str, object]:
    """The retry limits of the DestinationRule that is for the route's only destination."""
    rules = [
        node for node in kubernetes.resources(source) if kubernetes.kind(node) == "DestinationRule"
    ]
    host = _host(route)
    for rule in rules:
        spec = rule.get("spec")
        ruled = spec.get("host") if spec else None
        if not (spec and ruled and host and _same_host(host, ruled.text())):
            reason = "is for another host" if host else "the route goes to several hosts"
            notes.ignored.append(Ignored(rule.path or "DestinationRule", reason))
            continue
        if subsets := spec.get("subsets"):
            notes.ignored.append(Ignored(subsets.path, _SUBSETS))
        policy = spec.get("trafficPolicy")
        return _traffic_policy(policy, notes) if policy else {}
    return {}


def _host(route: Node) -> str:
    """Where the route goes; nothing where it goes to several hosts."""
    destinations = Node(route.file, route.path, route.value).get("route")
    hosts = set()
    for item in destinations.items() if destinations else []:
        destination = item.get("destination")
        host = destination.get("host") if destination else None
        hosts.add(host.text() if host else "")
    return hosts.pop() if len(hosts) == 1 else ""


def _same_host(one: str, other: str) -> bool:
    """``reviews`` is ``reviews.prod.svc.cluster.local`` too."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _traffic_policy(policy: Node, notes: Notes) -> dict[str, object]:
    parameters: dict[str, object] = {}
    pool = policy.get("connectionPool")
    http = pool.get("http") if pool else None
    most = http.get("maxRetries") if http else None
    if most is not None:
        parameters["max_retries"] = most.whole(*bounds(PRESET, "max_retries"))
    if budget := policy.get("retryBudget"):
        percent, least = budget.get("percent"), budget.get("minRetryConcurrency")
        parameters["budget_share"] = (percent.number(0, 100) if percent else 20.0) / 100
        parameters["min_retry_concurrency"] = (
            least.whole(*bounds(ENVOY_PRESET, "min_retry_concurrency")) if least else 3
        )
    known = {**_WHY, **dict.fromkeys(_HTTP_SETTINGS, NOT_RETRIES)}
    notes.ignored += policy.unread(known)
    return parameters


_HTTP_SETTINGS = (
    "maxRequestsPerConnection", "idleTimeout", "h2UpgradePolicy", "useClientProtocol",
    "maxConcurrentStreams", "portLevelSettings", "tunnel", "proxyProtocol",
)  # fmt: skip

ISTIO = Format("Istio VirtualService", "kind: VirtualService", _knows, _choices, _read)
