"""resilience4j's waits, of retries and of open breakers: which settings count, and for what.

The library builds a wait of every config that has one by itself, the instance's over its base's:
growth and jitter count beside a wait of the same config.
"""

from dataclasses import dataclass

from loadtests.imports.bounds import bounds
from loadtests.imports.imported import Ignored, Notes
from loadtests.imports.node import Node
from loadtests.imports.spring_tree import canonical, seconds

Settings = dict[str, Node]
"""By canonical name."""
_MULTIPLIER = 1.5
_RANDOMIZED = 0.5
_LEAST_S = 0.001
_GROWS = canonical("enableExponentialBackoff")
_MULTIPLIED_BY = canonical("exponentialBackoffMultiplier")
_VARIES = canonical("enableRandomizedWait")
_FACTOR = canonical("randomizedWaitFactor")


@dataclass(frozen=True, slots=True)
class WaitNames:
    """What a wait is called, and the longest one; `handed_on`: a base's growth is handed on.

    `multipliers`: the least and the most of them.
    """

    wait: str
    longest: str
    handed_on: bool
    multipliers: tuple[float, float]


RETRY_WAIT = WaitNames(
    "waitDuration", "exponentialMaxWaitDuration", True, bounds("resilience4j-2", "multiplier")
)
OPEN_WAIT = WaitNames(
    "waitDurationInOpenState",
    "exponentialMaxWaitDurationInOpenState",
    False,
    bounds("resilience4j-2-breaker", "wait_in_open_multiplier"),
)


@dataclass(frozen=True, slots=True)
class Wait:
    """What was said of a wait; None: nothing."""

    wait_s: float | None = None
    multiplier: float | None = None
    longest_s: float | None = None
    randomization: float | None = None


def take_wait(layers: list[Settings], names: WaitNames, notes: Notes) -> Wait:
    """Take all that is of the wait out of the layers, the instance's own first."""
    settings = _that_count(layers, names, notes)
    wait = settings.get(canonical(names.wait))
    if wait is None:
        return Wait()
    grows, varies = _flag(settings, _GROWS), _flag(settings, _VARIES)
    multiplier, factor = settings.get(_MULTIPLIED_BY), settings.get(_FACTOR)
    longest = settings.get(canonical(names.longest))
    unused = ([] if grows else [multiplier, longest]) + ([] if varies else [factor])
    notes.ignored += [Ignored(node.path, "is not enabled") for node in unused if node]
    # The library has no constructor with a cap but without the figures that stand before it.
    is_capped = grows and multiplier is not None and (factor is not None or not varies)
    if grows and longest and not is_capped:
        why = "counts only beside a multiplier (and a factor, where waits are randomized)"
        notes.ignored.append(Ignored(longest.path, why))
    return Wait(
        _at_least_1_ms(wait) if grows or varies or names is OPEN_WAIT else seconds(wait),
        _multiplier(multiplier, *names.multipliers) if grows else None,
        _at_least_1_ms(longest) if longest and is_capped else None,
        _randomization(factor) if varies else None,
    )


def _that_count(layers: list[Settings], names: WaitNames, notes: Notes) -> Settings:
    """Those of the first layer that has the wait itself.

    Under its flags, its multiplier and its cap are those of the layer right below, where they are
    handed on. A factor never is.
    """
    wait, longest = canonical(names.wait), canonical(names.longest)
    every = (wait, longest, _GROWS, _MULTIPLIED_BY, _VARIES, _FACTOR)
    own = [{name: layer.pop(name) for name in every if name in layer} for layer in layers]
    at = next((index for index, layer in enumerate(own) if wait in layer), len(own))
    counting: Settings = {}
    for layer in own[at + 1 : at + 2] if names.handed_on else []:
        counting |= {name: node for name, node in layer.items() if name not in (wait, _FACTOR)}
    for layer in own[at : at + 1]:
        counting |= layer
    notes.ignored += [
        Ignored(node.path, f"counts only beside {names.wait} in the same config")
        for index, layer in enumerate(own)
        for name, node in layer.items()
        if index < at or name not in counting
    ]
    return counting


def refuse_growth_with_jitter(layers: list[Settings]) -> None:
    """Raises `PolicyFileError` where one config enables both, which a breaker cannot have."""
    for layer in layers:
        if _flag(layer, _GROWS) and _flag(layer, _VARIES):
            raise layer[_VARIES].error(
                "found exponential and randomized waits enabled: expected one of the two"
            )


def _flag(settings: Settings, name: str) -> bool:
    return name in settings and settings[name].flag()


def _at_least_1_ms(node: Node) -> float:
    wait_s = seconds(node)
    if wait_s < _LEAST_S:
        raise node.wrong("a duration of at least a millisecond")
    return wait_s


def _multiplier(node: Node | None, least: float, most: float) -> float:
    return _MULTIPLIER if node is None else node.number(least, most)


def _randomization(node: Node | None) -> float:
    if node is None:
        return _RANDOMIZED
    factor = node.number(0, 1)
    if factor == 1:
        raise node.wrong("a number from 0 to below 1")
    return factor
