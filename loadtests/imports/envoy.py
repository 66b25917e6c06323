"""Envoy: retry policies of routes and virtual hosts, and the retry limits of clusters."""

import re

from loadtests.imports.bounds import bounds
from loadtests.imports.durations import protobuf_s
from loadtests.imports.envoy_places import (
    Place,
    camel,
    cluster_names,
    clusters,
    get,
    has,
    has_istios_metadata,
    looks_like_envoy,
    places,
)
from loadtests.imports.errors import shown, step
from loadtests.imports.format import Format, Source, chosen
from loadtests.imports.imported import NOT_RETRIES, ONE_TARGET, Ignored, Notes, Reading
from loadtests.imports.node import Node
from loadtests.policies.conditions.envoy import WORDS

_LIMITS = ("clusters", "circuit_breakers")
"""Where a cluster's limits stand beside a snippet."""
_PRESET = "envoy-1.40"
_UNLIMITED = 2**32 - 1
"""What Istio sets `max_retries` to."""
_STEP_END = re.compile(r"[.\[]|\Z")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_RESET_FORMATS = {"SECONDS": "seconds", "UNIX_TIMESTAMP": "unix", "0": "seconds", "1": "unix"}
_LONG_STREAMS = "streams are not modelled"
_SNAKE_WHY = {
    "retry_host_predicate": ONE_TARGET,
    "retry_priority": ONE_TARGET,
    "host_selection_retry_max_attempts": ONE_TARGET,
    "retriable_request_headers": "headers of requests are not matched",
    "retry_options_predicates": "extensions are not run",
    "retry_policy_typed_config": "extensions are not run",
    "per_try_idle_timeout": _LONG_STREAMS,
    "hedge_policy": "a route's hedging is not modelled",
    "idle_timeout": _LONG_STREAMS,
    "max_stream_duration": _LONG_STREAMS,
    "grpc_timeout_header_max": "the client's own deadline is not passed on",
    "max_grpc_timeout": "the client's own deadline is not passed on",
    "include_attempt_count_in_response": NOT_RETRIES,
    "include_request_attempt_count": "attempts are numbered by a header of their own",
    "weighted_clusters": "which cluster is drawn is not known",
    "cluster_header": "which cluster is named is not known",
    "per_host_thresholds": ONE_TARGET,
    "track_remaining": NOT_RETRIES,
    "max_connections": "a limit on connections, not on retries",
    "max_pending_requests": "a limit on all requests, not on retries",
    "max_requests": "a limit on all requests, not on retries",
    "max_connection_pools": "a limit on connections, not on retries",
    "budget_interval": "the budget is of requests that are active now",
}
_WHY = {spelling: why for name, why in _SNAKE_WHY.items() for spelling in (name, camel(name))}


def _retrying(source: Source) -> list[Place]:
    return [place for place in places(source) if place.policy is not None]


def _choices(source: Source) -> list[str]:
    return [place.choice.label for place in _retrying(source)]


def _read(source: Source, select: str | None) -> Reading:
    """The only route that retries, or the selected one, whether it retries or not."""
    retrying = _retrying(source)
    every = places(source) if select is not None else []
    is_another = not any(_called(place, select) for place in retrying)
    among = every if is_another and any(_called(place, select) for place in every) else retrying
    place = among[chosen(source.file, select, [p.choice for p in among], "route that retries")]
    notes = Notes()
    notes.ignored += _outside(source, place)
    for node in place.around:
        notes.ignored += _others(
            node, "route", "routes", "retry_policy", "name", "match", "domains", *_LIMITS
        )
    if place.policy is None:
        notes.notes.append(
            f"it forwards nothing ({place.instead}): there is nothing to retry"
            if place.instead
            else "it has no retry policy: Envoy makes one attempt"
        )
        return notes.reading("no-retry", {})
    parameters = _policy(place.policy, notes)
    parameters |= _route(place.action, notes)
    parameters |= _limits(source, place, notes)
    return notes.reading(_PRESET, parameters)


def _called(place: Place, select: str | None) -> bool:
    return select == place.choice.label or select in place.choice.names


def _outside(source: Source, place: Place) -> list[Ignored]:
    """What a document has at its top that is neither around the route nor around a cluster."""
    inside = {node.path for node in (*place.around, *clusters(source), place.action) if node}
    paths = [
        step(document.path, name)
        for document in source.mappings()
        if document.path not in inside
        for name in document.fields()
    ]
    around = _beginnings(inside, max(map(len, paths), default=0))
    return [
        Ignored(path, NOT_RETRIES)
        for path in paths
        if path not in around and not (place.policy and place.policy.path in (path, ""))
    ]


def _beginnings(paths: set[str], longest: int) -> set[str]:
    """What the paths begin with, up to a step, as far as `longest` characters."""
    return {
        path[: end.start()] for path in paths for end in _STEP_END.finditer(path[: longest + 1])
    }


def _others(node: Node, *known: str) -> list[Ignored]:
    """A mapping's own fields beside these; such as what a route matches, which says nothing."""
    names = {*known, *map(camel, known)}
    fresh = Node(node.file, node.path, node.value)  # what was read of the node itself is no matter
    return [
        Ignored(item.path, _WHY.get(_last(item), NOT_RETRIES))
        for item in fresh.unread()
        if _last(item) not in names
    ]


def _last(item: Ignored) -> str:
    return item.path.rpartition(".")[2]


def _policy(policy: Node, notes: Notes) -> dict[str, object]:
    parameters: dict[str, object] = {"retry_on": _retry_on(policy, notes)}
    if retries := get(policy, "num_retries"):
        parameters["num_retries"] = retries.whole(*bounds(_PRESET, "num_retries"))
    if statuses := get(policy, "retriable_status_codes"):
        parameters["retriable_status_codes"] = sorted(
            {item.whole(100, 599) for item in statuses.items()}
        )
    if headers := get(policy, "retriable_headers"):
        parameters["retriable_headers"] = _header_names(headers, notes)
    if per_try := get(policy, "per_try_timeout"):
        parameters["per_try_timeout_s"] = per_try.seconds_or_none(protobuf_s)
    if back_off := get(policy, "retry_back_off"):
        parameters |= _back_off(back_off, notes)
    if limited := get(policy, "rate_limited_retry_back_off"):
        parameters |= _rate_limited(limited)
    notes.ignored += policy.unread(_WHY)
    return parameters


def _retry_on(policy: Node, notes: Notes) -> list[str]:
    node = get(policy, "retry_on")
    words = set(node.between_commas()) if node else set()
    for word in sorted(words.difference(WORDS)):
        notes.ignored.append(
            Ignored(node.path if node else "", f"Envoy knows no {shown(word)}, and passes over it")
        )
    known = sorted(words.intersection(WORDS))
    if not known:
        notes.notes.append("retry_on has no word that Envoy knows: nothing is retried")
    return known


def _header_names(headers: Node, notes: Notes) -> list[str]:
    """The headers whose mere presence is matched; matches of their values are left out."""
    names = []
    for item in headers.items():
        name, present = item.need("name", "a header's name"), get(item, "present_match")
        if not _HEADER.fullmatch(name.text()):
            raise name.wrong("a header's name")
        if (present is None and len(item.fields()) == 1) or (present and present.flag()):
            names.append(name.text().lower())
        else:
            notes.ignored.append(Ignored(item.path, "only a header's presence is matched"))
    return sorted(set(names))


def _back_off(node: Node, notes: Notes) -> dict[str, object]:
    base = get(node, "base_interval") or node.need("base_interval", 'a duration, as in "0.025s"')
    least_s, most_s = bounds(_PRESET, "base_interval_s")
    base_s = base.seconds(protobuf_s, 0, most_s, above_zero=True)
    if base_s < least_s:
        notes.notes.append(f"{base.path} is below a millisecond: Envoy waits at least one")
        base_s = least_s
    longest = get(node, "max_interval")
    if longest is None:
        return {"base_interval_s": base_s}
    longest_s = longest.seconds(protobuf_s, *bounds(_PRESET, "max_interval_s"), above_zero=True)
    if longest_s < base_s:
        raise longest.wrong("a duration not below base_interval")
    return {"base_interval_s": base_s, "max_interval_s": longest_s}


def _rate_limited(node: Node) -> dict[str, object]:
    headers = get(node, "reset_headers") or node.need("reset_headers", "a list of headers")
    words = [_reset_header(item) for item in headers.items()]
    if not words:
        raise headers.wrong("at least one header")
    longest = get(node, "max_interval")
    return {
        "rate_limited_reset": " ".join(words),
        "rate_limited_max_interval_s": (
            longest.seconds(
                protobuf_s, *bounds(_PRESET, "rate_limited_max_interval_s"), above_zero=True
            )
            if longest
            else 300.0
        ),
    }


def _reset_header(item: Node) -> str:
    """As in ``retry-after:seconds``."""
    name, format_ = item.need("name", "a header's name"), item.get("format")
    if not _HEADER.fullmatch(name.text()):
        raise name.wrong("a header's name")
    kind = shown(format_.value).strip("'") if format_ else "SECONDS"
    if format_ and kind not in _RESET_FORMATS:
        raise format_.wrong("SECONDS or UNIX_TIMESTAMP")
    return f"{name.text().lower()}:{_RESET_FORMATS[kind]}"


def _route(action: Node | None, notes: Notes) -> dict[str, object]:
    """The time for all attempts: 15 s unless said, none at all where it is 0."""
    if action is None:
        return {}
    notes.ignored += _others(action, "cluster", "retry_policy", "timeout", "name", *_LIMITS)
    timeout = get(action, "timeout")
    return {"timeout_s": timeout.seconds_or_none(protobuf_s)} if timeout else {}


def _limits(source: Source, place: Place, notes: Notes) -> dict[str, object]:
    """The retry limit of the cluster that the route goes to."""
    limited = clusters(source)
    name = get(place.action, "cluster") if place.action else None
    if name is not None:
        found = [node for node in limited if _name(node) == name.text()]
        found = found or [node for node in limited if not _name(node)]
    else:
        found = limited
    if len(found) > 1:
        notes.ignored += [
            Ignored(node.path, "which of several clusters it is, is not known") for node in found
        ]
        return _limit_elsewhere(place, notes)
    if not found:
        return _limit_elsewhere(place, notes)
    thresholds = _thresholds(found[0], notes)
    return _threshold(thresholds, notes) if thresholds else {}


def _limit_elsewhere(place: Place, notes: Notes) -> dict[str, object]:
    """The limit of a cluster that is not here: Envoy's default, or Istio's, which is none."""
    if _is_istios(place):
        notes.notes.append(
            "Istio configured it: it lifts Envoy's limit of 3 retries at once, unless a "
            "DestinationRule has maxRetries, which is not here"
        )
        return {"max_retries": _UNLIMITED}
    notes.notes.append("no circuit breakers of its cluster are here: at most 3 retries at once")
    return {}


def _is_istios(place: Place) -> bool:
    """By the names that Istio gives to clusters, or by what it writes beside routes."""
    names = cluster_names(place.action) if place.action else []
    return any(name.startswith(("outbound|", "inbound|")) for name in names) or any(
        has_istios_metadata(node) for node in place.around
    )


def _name(node: Node) -> str:
    found = get(node, "name")
    return found.text() if found else ""


def _thresholds(cluster: Node, notes: Notes) -> Node | None:
    """Those of the default priority: the first, where there are several."""
    breakers = get(cluster, "circuit_breakers")
    listed = get(breakers, "thresholds") if breakers else None
    default = None
    for node in listed.items() if listed else []:
        priority = node.get("priority")
        if default is None and (priority is None or priority.value in ("DEFAULT", 0)):
            default = node
        else:
            notes.ignored.append(Ignored(node.path, "only the first of priority DEFAULT is read"))
    if breakers and has(breakers, "per_host_thresholds"):
        notes.ignored.append(Ignored(f"{breakers.path}.per_host_thresholds", ONE_TARGET))
    return default


def _threshold(node: Node, notes: Notes) -> dict[str, object]:
    most, budget = get(node, "max_retries"), get(node, "retry_budget")
    if budget is None:
        parameters: dict[str, object] = (
            {"max_retries": most.whole(*bounds(_PRESET, "max_retries"))} if most else {}
        )
    else:
        if most is not None:
            notes.ignored.append(Ignored(most.path, "the retry budget takes its place"))
        parameters = _budget(budget)
    notes.ignored += node.unread(_WHY)
    return parameters


def _budget(budget: Node) -> dict[str, object]:
    percent, least = get(budget, "budget_percent"), get(budget, "min_retry_concurrency")
    value = percent.get("value") if percent else None
    of_hundred = 20.0 if percent is None else (value.number(0, 100) if value else 0.0)
    return {
        "budget_share": of_hundred / 100,
        "min_retry_concurrency": (
            least.whole(*bounds(_PRESET, "min_retry_concurrency")) if least else 3
        ),
    }


ENVOY = Format("Envoy", "virtual_hosts or retry_policy", looks_like_envoy, _choices, _read)
