"""gRPC service configs: retryPolicy, hedgingPolicy and retryThrottling (gRFC A6)."""

from dataclasses import dataclass

from loadtests.imports.bounds import bounds
from loadtests.imports.durations import protobuf_s
from loadtests.imports.errors import PolicyFileError, listed, shown
from loadtests.imports.format import Choice, Format, Source, chosen
from loadtests.imports.grpc_forms import choice_of_record, in_gos_case
from loadtests.imports.imported import NOT_RETRIES, Ignored, Notes, Reading
from loadtests.imports.node import MOST_INT, Node
from loadtests.policies.catalogue.rpc import MOST_ATTEMPTS
from loadtests.policies.conditions.grpc import GRPC_CODES

_PRESET = "grpc-a6"
DEFAULT = "default"
"""What a config is called whose name is ``{}``: it is every method's that no other one names."""
_WHY = {
    "waitForReady": "no connection is waited for here",
    "maxRequestMessageBytes": NOT_RETRIES,
    "maxResponseMessageBytes": NOT_RETRIES,
    "loadBalancingPolicy": "there is one target",
    "loadBalancingConfig": "there is one target",
    "healthCheckConfig": "there is one target",
    "perAttemptRecvTimeout": "experimental in gRPC; give the lane's attempts a time-out instead",
}


@dataclass(frozen=True, slots=True)
class _Config:
    """A method config and the names that it is for."""

    node: Node
    names: tuple[str, ...]


def _knows(source: Source) -> bool:
    return any(
        {"methodconfig", "retrythrottling"} & {key.lower() for key in node.fields()}
        for node in source.mappings()
    ) or any(_is_record(document) for document in source.documents)


def _root(source: Source, notes: Notes) -> Node:
    if len(source.documents) != 1:
        raise PolicyFileError(source.file, "", "expected one service config")
    return choice_of_record(in_gos_case(source.documents[0], notes), notes)


def _is_record(document: Node) -> bool:
    return isinstance(document.value, list) and any(
        isinstance(item, dict) and "serviceconfig" in map(str.lower, item)
        for item in document.value
    )


def _configs(root: Node) -> list[_Config]:
    """Every method config that is for a method; each name is there once."""
    configs: list[_Config] = []
    seen: dict[str, Node] = {}
    listed_configs = root.get("methodConfig")
    for node in listed_configs.items() if listed_configs else []:
        names = node.get("name")
        own: list[str] = []
        for name in names.items() if names else []:
            label = _label(name)
            if label in seen:
                raise name.error(f"{shown(label)} is named at {seen[label].path} already")
            seen[label] = name
            own.append(label)
        if own:  # gRPC passes over a config without a name
            configs.append(_Config(node, tuple(own)))
    return configs


def _label(name: Node) -> str:
    service, method = name.get("service"), name.get("method")
    service_name = service.text() if service else ""
    method_name = method.text() if method else ""
    if not service_name and method_name:
        raise name.error("found a method without its service: expected both, or the service alone")
    return f"{service_name}/{method_name}".strip("/") or DEFAULT


def _choices(source: Source) -> list[str]:
    return _names(_configs(_root(source, Notes())))


def _pick(source: Source, configs: list[_Config], select: str | None) -> _Config:
    """As gRPC does: the method's own config, else its service's, else the default."""
    if select is None:
        labels = list(configs[0].names[:1]) if len(configs) == 1 else _names(configs)
        return configs[chosen(source.file, None, [Choice(label) for label in labels], "method")]
    wanted = select.strip("/")
    for name in (wanted, wanted.rpartition("/")[0], DEFAULT):
        for config in configs:
            if name and name in config.names:
                return config
    names = listed(_names(configs))
    raise PolicyFileError(
        source.file, "", f"no method config is for {shown(select)}: expected one of {names}"
    )


def _names(configs: list[_Config]) -> list[str]:
    return [name for config in configs for name in config.names]


def _read(source: Source, select: str | None) -> Reading:
    notes = Notes()
    root = _root(source, notes)
    config = _pick(source, _configs(root), select)
    node = config.node
    throttling = _throttling(root)
    retry, hedging = node.get("retryPolicy"), node.get("hedgingPolicy")
    timeout = node.get("timeout")
    if retry and hedging:
        raise node.error("found a retryPolicy and a hedgingPolicy: expected one of the two")
    timeout_s = _seconds(timeout, "timeout_s", notes) if timeout else None
    name, parameters = "no-retry", {}
    if retry:
        name, parameters = _PRESET, _retry(retry, notes)
    elif hedging:
        name, parameters = "grpc-a6-hedging", _hedging(hedging, notes)
    if parameters:
        parameters |= throttling
        parameters |= {} if timeout_s is None else {"timeout_s": timeout_s}
    else:
        notes.notes.append("it has no retryPolicy and no hedgingPolicy: gRPC makes one attempt")
        notes.ignored += [Ignored(item.path, "nothing is retried") for item in (timeout,) if item]
    notes.ignored += [item for part in (node, root) for item in part.unread(_WHY)]
    return notes.reading(name, parameters)


def _retry(policy: Node, notes: Notes) -> dict[str, object]:
    attempts = _attempts(policy, notes)
    seconds = 'a duration above 0, as in "0.1s"'
    initial, longest = policy.need("initialBackoff", seconds), policy.need("maxBackoff", seconds)
    multiplier = policy.need("backoffMultiplier", "a number above 0")
    return {
        "max_attempts": attempts,
        "initial_backoff_s": _seconds(initial, "initial_backoff_s", notes),
        "max_backoff_s": _seconds(longest, "max_backoff_s", notes),
        "multiplier": multiplier.number(*bounds(_PRESET, "multiplier")),
        "codes": _codes(policy.need("retryableStatusCodes", "at least one status code"), least=1),
    }


def _seconds(node: Node, parameter: str, notes: Notes) -> float:
    """A duration above 0."""
    if isinstance(node.value, str) and node.value.startswith("."):
        notes.notes.append(
            f"{node.path} is {shown(node.value)}: grpc-go reads it, other clients want a digit "
            "before the point"
        )
    return node.seconds(protobuf_s, *bounds(_PRESET, parameter), above_zero=True)


def _hedging(policy: Node, notes: Notes) -> dict[str, object]:
    delay, codes = policy.get("hedgingDelay"), policy.get("nonFatalStatusCodes")
    return {
        "max_attempts": _attempts(policy, notes),
        "hedging_delay_s": delay.seconds(protobuf_s) if delay else 0.0,
        "non_fatal_codes": _codes(codes) if codes else [],
    }


def _attempts(policy: Node, notes: Notes) -> int:
    node = policy.need("maxAttempts", "2 or more")
    attempts = node.whole(2, MOST_INT)
    if attempts > MOST_ATTEMPTS:
        notes.notes.append(f"{node.path} is {attempts}: gRPC clients take it as {MOST_ATTEMPTS}")
    return min(attempts, MOST_ATTEMPTS)


def _codes(node: Node, least: int = 0) -> list[str]:
    """Names from names in any case or from numbers."""
    expected = "a gRPC status code other than OK, as in UNAVAILABLE or 14"
    names = set()
    for item in node.items():
        value = item.value
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < len(GRPC_CODES):
            names.add(GRPC_CODES[value])
        elif isinstance(value, str) and value.upper() in GRPC_CODES[1:]:
            names.add(value.upper())
        else:
            raise item.wrong(expected)
    if len(names) < least:
        raise node.wrong("at least one status code")
    return sorted(names)


def _throttling(root: Node) -> dict[str, object]:
    node = root.get("retryThrottling")
    if node is None:
        return {"max_tokens": 0}
    tokens = node.need("maxTokens", "a number above 0, up to 1000")
    ratio = node.need("tokenRatio", "a number above 0")
    most, per_success = tokens.number(0, 1000), ratio.number(0, 1000)
    if most == 0:
        raise tokens.wrong("a number above 0, up to 1000")
    # gRPC keeps three decimals; what is less than that is nothing.
    if per_success < 0.001:
        raise ratio.wrong("a number of at least 0.001")
    return {"max_tokens": most, "token_ratio": int(per_success * 1000 + 1e-9) / 1000}


GRPC = Format("gRPC service config", "methodConfig", _knows, _choices, _read)
