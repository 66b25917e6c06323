"""Every parameter of breakers, throttles and articles reaches a part."""

import re
from dataclasses import fields

import pytest

from loadtests.policies import Preset, RetryPolicy, preset
from loadtests.policies.catalogue import articles, breakers, throttles, users_and_layers

CHECKED: tuple[type[Preset], ...] = (
    *breakers.PRESETS,
    breakers.Seed002Breaker,
    *throttles.PRESETS,
    *users_and_layers.PRESETS,
    articles.Seed001GrpcBudget,
    articles.Seed002SuccessBudget,
    articles.Seed003Credits,
)
OTHERS: dict[str, object] = {
    "window_type": "time",
    "spread": "fixed",
    "policy": "immediate",
    "max_wait_in_open_s": 1.5,
    "max_wait_s": 1.5,
    "deadline_s": 1.5,
    "budget_share": 0.5,
    "multiplier": 2.0,
    "step_s": 0.2,
}


def other(value: object, name: str) -> object:
    """Another value that a parameter of that kind can have."""
    if name in OTHERS:
        return OTHERS[name]
    if isinstance(value, bool):
        return not value
    if isinstance(value, frozenset):
        return frozenset({418})
    assert isinstance(value, int | float)
    if name.endswith("_share") or name == "randomization":
        return 0.25
    return value + 1


def parts(policy: RetryPolicy) -> str:
    """All of them with their values; a part without any is only its name."""
    return re.sub(r" object at 0x[0-9a-f]+", "", repr(policy))


@pytest.mark.parametrize(
    ("name", "parameter"),
    [(each.name, item.name) for each in CHECKED for item in fields(each)],
)
def test_a_parameter_makes_another_policy(name: str, parameter: str) -> None:
    """One whose parts are not all equal to those of the defaults."""
    attempts = {"max_attempts": 3} if name in {each.name for each in throttles.PRESETS} else {}
    default = preset(name, **attempts)
    changed = preset(name, **{**attempts, parameter: other(getattr(default, parameter), parameter)})
    assert parts(changed.build()) != parts(default.build())
    assert parts(default.build()) == parts(preset(name, **attempts).build())
