"""What resilience4j's settings become. Each function takes out of the settings what it reads."""

from loadtests.imports.imported import Ignored, Notes
from loadtests.imports.node import Node
from loadtests.imports.spring_tree import canonical, seconds

Settings = dict[str, Node]
"""By canonical name."""
_BIG = 2**31 - 1
_MULTIPLIER = 1.5
_RANDOMIZED = 0.5
_CLASSES = "classes of the program; statuses and transport errors stand for its exceptions"
_NOT_DECIDING = "says nothing about when to retry"


def _reasons(names: dict[str, str]) -> dict[str, str]:
    return {canonical(name): why for name, why in names.items()}


RETRY_WHY = _reasons(
    {
        "retryExceptions": _CLASSES,
        "ignoreExceptions": _CLASSES,
        "retryExceptionPredicate": _CLASSES,
        "resultPredicate": _CLASSES,
        "consumeResultBeforeRetryAttempt": _CLASSES,
        "intervalBiFunction": "a class of the program, whose waits are not known",
        "ignoreClassBindingExceptions": _NOT_DECIDING,
        "failAfterMaxAttempts": _NOT_DECIDING,
        "eventConsumerBufferSize": _NOT_DECIDING,
    }
)
BREAKER_WHY = _reasons(
    {
        "recordExceptions": _CLASSES,
        "ignoreExceptions": _CLASSES,
        "recordFailurePredicate": _CLASSES,
        "recordResultPredicate": _CLASSES,
        "recordExceptionPredicate": _CLASSES,
        "ignoreExceptionPredicate": _CLASSES,
        "ignoreClassBindingExceptions": _NOT_DECIDING,
        "registerHealthIndicator": _NOT_DECIDING,
        "allowHealthIndicatorToFail": _NOT_DECIDING,
        "writableStackTraceEnabled": _NOT_DECIDING,
        "eventConsumerBufferSize": _NOT_DECIDING,
        "automaticTransitionFromOpenToHalfOpenEnabled": (
            "the next request finds the breaker half-open either way"
        ),
        "initialState": "the breaker begins closed",
        "enableExponentialBackoff": "the open state lasts the same time each time",
        "exponentialBackoffMultiplier": "the open state lasts the same time each time",
        "exponentialMaxWaitDurationInOpenState": "the open state lasts the same time each time",
        "enableRandomizedWait": "the open state lasts the same time each time",
        "randomizedWaitFactor": "the open state lasts the same time each time",
    }
)


def _take(settings: Settings, name: str) -> Node | None:
    return settings.pop(canonical(name), None)


def _flag(settings: Settings, name: str) -> bool:
    node = _take(settings, name)
    return node is not None and node.flag()


def retry(settings: Settings, notes: Notes) -> dict[str, object]:
    """Attempts and waits. Without a waitDuration the library builds no growth and no jitter."""
    parameters: dict[str, object] = {}
    if attempts := _take(settings, "maxAttempts"):
        parameters["max_attempts"] = attempts.whole(1, _BIG)
    grows, varies = (
        _flag(settings, "enableExponentialBackoff"),
        _flag(settings, "enableRandomizedWait"),
    )
    multiplier = _take(settings, "exponentialBackoffMultiplier")
    factor = _take(settings, "randomizedWaitFactor")
    longest = _take(settings, "exponentialMaxWaitDuration")
    wait = _take(settings, "waitDuration")
    if wait is None:
        notes.ignored += [
            Ignored(node.path, "counts only beside waitDuration")
            for node in (multiplier, factor, longest)
            if node
        ]
        if grows or varies:
            notes.notes.append("there is no waitDuration: the library waits 500 ms, always")
        return parameters
    parameters["wait_s"] = _wait_s(wait, grows=grows or varies)
    if grows:
        parameters["multiplier"] = _multiplier(multiplier)
        parameters |= _longest(longest, needs=(multiplier, factor) if varies else (multiplier,))
    if varies:
        parameters["randomization"] = factor.number(0, 1) if factor else _RANDOMIZED
    unused = [] if grows else [multiplier, longest]
    unused += [] if varies else [factor]
    notes.ignored += [Ignored(node.path, "is not enabled") for node in unused if node]
    if grows and longest and "max_wait_s" not in parameters:
        why = "counts only beside a multiplier (and a factor, where waits are randomized)"
        notes.ignored.append(Ignored(longest.path, why))
    return parameters


def _wait_s(wait: Node, *, grows: bool) -> float:
    wait_s = seconds(wait)
    if grows and wait_s < 0.001:
        raise wait.wrong("a duration of at least a millisecond")
    return wait_s


def _multiplier(node: Node | None) -> float:
    if node is None:
        return _MULTIPLIER
    multiplier = node.number(0, 1e6)
    if multiplier == 0:
        raise node.wrong("a number above 0")
    return multiplier


def _longest(longest: Node | None, needs: tuple[Node | None, ...]) -> dict[str, object]:
    """The cap, where all that the library wants beside it are set."""
    if longest is None or any(node is None for node in needs):
        return {}
    longest_s = seconds(longest)
    if longest_s < 0.001:
        raise longest.wrong("a duration of at least a millisecond")
    return {"max_wait_s": longest_s}


_COUNTS = {
    "window_size": "slidingWindowSize",
    "minimum_calls": "minimumNumberOfCalls",
    "permitted_in_half_open": "permittedNumberOfCallsInHalfOpenState",
}
_SHARES = {
    "failure_rate_share": "failureRateThreshold",
    "slow_call_rate_share": "slowCallRateThreshold",
}
_TIMES = {
    "slow_call_s": "slowCallDurationThreshold",
    "wait_in_open_s": "waitDurationInOpenState",
    "max_wait_in_half_open_s": "maxWaitDurationInHalfOpenState",
}


def breaker(settings: Settings, notes: Notes) -> dict[str, object]:
    """Window, thresholds and states."""
    parameters: dict[str, object] = {}
    if kind := _take(settings, "slidingWindowType"):
        parameters["window_type"] = _window_type(kind)
    for name, setting in _COUNTS.items():
        if node := _take(settings, setting):
            parameters[name] = node.whole(1, _BIG)
    for name, setting in _SHARES.items():
        if node := _take(settings, setting):
            parameters[name] = _share(node)
    for name, setting in _TIMES.items():
        if node := _take(settings, setting):
            parameters[name] = seconds(node)
    if parameters.get("wait_in_open_s") == 0.0:
        del parameters["wait_in_open_s"]
        notes.notes.append("waitDurationInOpenState is 0: the library keeps its own 60 s")
    return parameters


def _window_type(node: Node) -> str:
    word = node.text().upper().replace("-", "_")
    if word not in ("COUNT_BASED", "TIME_BASED"):
        raise node.wrong("COUNT_BASED or TIME_BASED")
    return word.removesuffix("_BASED").lower()


def _share(node: Node) -> float:
    percent = node.number(0, 100)
    if percent == 0:
        raise node.wrong("a percentage above 0, up to 100")
    return percent / 100
