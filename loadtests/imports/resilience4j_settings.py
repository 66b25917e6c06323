"""What resilience4j's settings become: those of a retry, and those of a circuit breaker.

Settings come in layers, the instance's own first; each function says what it leaves out of them.
"""

from loadtests.imports.bounds import bounds
from loadtests.imports.imported import NOT_RETRIES, Ignored, Notes
from loadtests.imports.node import UNKNOWN, Node
from loadtests.imports.resilience4j_waits import (
    OPEN_WAIT,
    RETRY_WAIT,
    Settings,
    refuse_growth_with_jitter,
    take_wait,
)
from loadtests.imports.spring_tree import canonical, seconds

_BREAKER = "resilience4j-2-breaker"
_CLASSES = "classes of the program; statuses and transport errors stand for its exceptions"


def _reasons(names: dict[str, str]) -> dict[str, str]:
    return {canonical(name): why for name, why in names.items()}


_RETRY_WHY = _reasons(
    {
        "retryExceptions": _CLASSES,
        "ignoreExceptions": _CLASSES,
        "retryExceptionPredicate": _CLASSES,
        "resultPredicate": _CLASSES,
        "consumeResultBeforeRetryAttempt": _CLASSES,
        "intervalBiFunction": "a class of the program, whose waits are not known",
        "ignoreClassBindingExceptions": NOT_RETRIES,
        "failAfterMaxAttempts": NOT_RETRIES,
        "eventConsumerBufferSize": NOT_RETRIES,
    }
)
_BREAKER_WHY = _reasons(
    {
        "recordExceptions": _CLASSES,
        "ignoreExceptions": _CLASSES,
        "recordFailurePredicate": _CLASSES,
        "recordResultPredicate": _CLASSES,
        "recordExceptionPredicate": _CLASSES,
        "ignoreExceptionPredicate": _CLASSES,
        "ignoreClassBindingExceptions": NOT_RETRIES,
        "registerHealthIndicator": NOT_RETRIES,
        "allowHealthIndicatorToFail": NOT_RETRIES,
        "writableStackTraceEnabled": NOT_RETRIES,
        "eventConsumerBufferSize": NOT_RETRIES,
        "initialState": "the breaker begins closed",
        "transitionToStateAfterWaitDuration": "after maxWaitDurationInHalfOpenState it is open",
    }
)


def _take(settings: Settings, name: str) -> Node | None:
    return settings.pop(canonical(name), None)


def _merged(layers: list[Settings]) -> Settings:
    merged: Settings = {}
    for layer in reversed(layers):
        merged |= layer
    return merged


def _left_out(settings: Settings, why: dict[str, str]) -> list[Ignored]:
    """What was not taken."""
    return [Ignored(node.path, why.get(name, UNKNOWN)) for name, node in settings.items()]


def _said(parameters: dict[str, float | None]) -> dict[str, object]:
    return {name: value for name, value in parameters.items() if value is not None}


def retry(layers: list[Settings], notes: Notes) -> dict[str, object]:
    """Attempts and waits."""
    wait = take_wait(layers, RETRY_WAIT, notes)
    settings = _merged(layers)
    parameters: dict[str, object] = {}
    if attempts := _take(settings, "maxAttempts"):
        parameters["max_attempts"] = attempts.whole(*bounds("resilience4j-2", "max_attempts"))
    notes.ignored += _left_out(settings, _RETRY_WHY)
    return parameters | _said(
        {
            "wait_s": wait.wait_s,
            "multiplier": wait.multiplier,
            "max_wait_s": wait.longest_s,
            "randomization": wait.randomization,
        }
    )


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
    "max_wait_in_half_open_s": "maxWaitDurationInHalfOpenState",
}


def breaker(layers: list[Settings], notes: Notes) -> dict[str, object]:
    """Window, thresholds and states."""
    refuse_growth_with_jitter(layers)
    wait = take_wait(layers, OPEN_WAIT, notes)
    if wait.randomization is not None:
        notes.notes.append("the open state is not randomized here: it lasts the wait itself")
    settings = _merged(layers)
    parameters: dict[str, object] = {}
    if kind := _take(settings, "slidingWindowType"):
        parameters["window_type"] = _window_type(kind)
    for name, setting in _COUNTS.items():
        if node := _take(settings, setting):
            parameters[name] = node.whole(*bounds(_BREAKER, name))
    for name, setting in _SHARES.items():
        if node := _take(settings, setting):
            parameters[name] = node.number(1, 100) / 100
    for name, setting in _TIMES.items():
        if node := _take(settings, setting):
            parameters[name] = seconds(node, bounds(_BREAKER, name)[0])
    if automatic := _take(settings, "automaticTransitionFromOpenToHalfOpenEnabled"):
        parameters["automatic_half_open"] = automatic.flag()
    notes.ignored += _left_out(settings, _BREAKER_WHY)
    return parameters | _said(
        {
            "wait_in_open_s": wait.wait_s,
            "wait_in_open_multiplier": wait.multiplier,
            "max_wait_in_open_s": wait.longest_s,
        }
    )


def _window_type(node: Node) -> str:
    word = node.text().upper().replace("-", "_")
    if word not in ("COUNT_BASED", "TIME_BASED"):
        raise node.wrong("COUNT_BASED or TIME_BASED")
    return word.removesuffix("_BASED").lower()
