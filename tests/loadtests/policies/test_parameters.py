"""Every parameter of every preset: what is in bounds works, and what is not is refused by name."""

import math
import tomllib
from dataclasses import Field, fields
from types import NoneType, UnionType
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.policies import PRESETS, Preset, preset
from loadtests.policies.catalogue import Value
from loadtests.policies.catalogue.parameters import short_name
from loadtests.policy_names import parse_policy
from loadtests.policy_pages import words
from tests.loadtests.policies.drive import SERVED
from tests.loadtests.policies.play import World, few, tapes

NAMES = list(PRESETS)
PARAMETERS = [(name, item.name) for name, cls in PRESETS.items() for item in fields(cls)]

TEXTS = {
    "policy": tuple(name for name in NAMES if name not in {"impatient-users", "stacked-retries"}),
    "rate_limited_reset": (
        "",
        "retry-after:seconds",
        "x-ratelimit-reset:unix Retry-After:seconds",
    ),
}
"""What is allowed for text of which not every one is."""
WORDS = ("GET", "POST", "x-reset", "5xx", "é", "a" * 64)
FURTHER_RULES = {
    "seed-003-credits": "retry_cost",  # at most max_credits
    "hystrix-1.5": "snapshot",  # a ten-thousandth of the window at least
    "grpc-a6": "max_tokens",  # 0, or a thousandth at least
    "grpc-a6-hedging": "max_tokens",
}
"""Presets that refuse some of what is within bounds, and the parameter that they name then."""


def field_of(preset_name: str, name: str) -> "Field[Any]":
    """The parameter as it is declared."""
    return next(item for item in fields(PRESETS[preset_name]) if item.name == name)


def types_of(preset_name: str, name: str) -> tuple[object, ...]:
    """The types of its annotation."""
    type_ = get_type_hints(PRESETS[preset_name])[name]
    return get_args(type_) if isinstance(type_, UnionType) else (type_,)


def values_of(preset_name: str, name: str) -> st.SearchStrategy[Any]:
    """Values that the declaration allows."""
    item = field_of(preset_name, name)
    choices, least, most = (item.metadata[key] for key in ("choices", "least", "most"))
    of: dict[object, st.SearchStrategy[Any]] = {
        NoneType: st.none(),
        bool: st.booleans(),
        frozenset[int]: st.frozensets(st.integers(100, 599), max_size=12)
        | st.just(frozenset(range(400, 600))),
        frozenset[str]: st.frozensets(st.sampled_from(choices or WORDS), max_size=6),
        str: st.sampled_from(choices or TEXTS.get(name, ("a",))),
    }
    if least is not None:
        of[int] = st.integers(int(least), int(min(most, 2**53))) | st.sampled_from(
            (math.ceil(least), int(most))
        )
        of[float] = st.floats(least, most) | st.sampled_from((float(least), float(most)))
    return st.one_of(*(of[type_] for type_ in types_of(preset_name, name)))


@st.composite
def presets(draw: st.DrawFn, name: str) -> Preset | None:
    """That preset with some values; None where they do not go together."""
    items = fields(PRESETS[name])
    chosen = draw(st.sets(st.sampled_from(items), min_size=1)) if items else set()
    values = {
        short_name(item.name): draw(values_of(name, item.name)) for item in items if item in chosen
    }
    try:
        return preset(name, **values)
    except ValueError as error:
        if not is_further_rule(name, error):
            raise
        return None


def is_further_rule(name: str, error: ValueError) -> bool:
    """Within bounds, and yet refused."""
    return str(error).startswith(f"{name}: {FURTHER_RULES.get(name)} is ")


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), tape=tapes(200))
@few(15)
def test_whatever_is_allowed_works(name: str, data: st.DataObject, tape: bytes) -> None:
    """It is built, described and played with; then, what has an end and succeeds, ends."""
    source = data.draw(presets(name))
    if source is None:
        return
    policy = source.build()
    assert policy.describe() == source.describe()
    World(policy, tape).play().end_all(SERVED, most_rounds=50)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@few(15)
def test_what_is_shown_of_a_value_is_read_as_that_value(name: str, data: st.DataObject) -> None:
    """By itself, in the text of a command line, and in a scenario's table."""
    source = data.draw(presets(name))
    if source is None:
        return
    shown = {
        short_name(item.name): words.value(item.name, getattr(source, item.name))
        for item in fields(source)
    }
    assert preset(name, **shown) == source
    if shown:
        text = f"{name}:" + ",".join(f"{key}={value}" for key, value in shown.items())
        read_name, read = parse_policy(text)
        assert preset(read_name, **read) == source
    table = "\n".join(f"{key} = {words.toml(key, value)}" for key, value in source.changed.items())
    assert preset(name, **tomllib.loads(table)) == source


class Odd:
    """Nothing that is a value."""


HOSTILE: tuple[object, ...] = (
    *(math.nan, math.inf, -math.inf, 1e308, -1, -0.5, 0, 0.5, 1e-320, 10**400, -(10**5000)),
    *("", " ", "nan", "inf", "-inf", "1e999", "-1s", "1e9h", "-5%", "1e999%", "9" * 400),
    *("9" * 5000, "x" * 100_000, "٣", "\x00", "\ud800", "🦜" * 300, "[red]", "none", "true", '""'),
    *(True, False, None, b"1", 1j, Odd(), Odd, (), [], {}, [[]], {"a": 1}, [None], [Odd()]),
    *([math.nan], [math.inf], [500.5], [10**5000], [True], [99], [600], ["500-"], ["x"], [""]),
    *([b"GET"], ["a" * 65], {"GET": 1}, frozenset({1.5}), frozenset({"x", 500}), "600-700"),
    *("500-499", "1-999", "5٣٣", range(400, 500), iter([500])),
)
NEVER_A_VALUE: tuple[object, ...] = (
    *(math.nan, math.inf, 10**400, b"1", 1j, Odd(), {"a": 1}, [[]], [None]),
)


@pytest.mark.parametrize(("preset_name", "name"), PARAMETERS)
def test_whatever_is_wrong_is_refused_by_name(preset_name: str, name: str) -> None:
    """With `ValueError`, naming preset and parameter; what is accepted is within the bounds."""
    for value in HOSTILE:
        try:
            source = preset(preset_name, **{short_name(name): value})
        except ValueError as error:
            assert_names_it(preset_name, name, error)
        else:
            assert_allowed(preset_name, name, getattr(source, name))
            source.build()


@pytest.mark.parametrize(("preset_name", "name"), PARAMETERS)
def test_some_values_are_none_of_any_parameter(preset_name: str, name: str) -> None:
    """So that the test above does not take them for allowed."""
    for value in NEVER_A_VALUE:
        with pytest.raises(ValueError, match=r"expected|unknown policy") as caught:
            preset(preset_name, **{name: value})
        assert_names_it(preset_name, name, caught.value)


@pytest.mark.parametrize(("preset_name", "name"), PARAMETERS)
def test_a_preset_made_in_code_is_checked_as_well(preset_name: str, name: str) -> None:
    """The types too, which nobody reads there: no text for a number, no list for a set."""
    cls = PRESETS[preset_name]
    for value in HOSTILE:
        try:
            made = cls(**{name: value})
        except ValueError as error:
            assert_names_it(preset_name, name, error)
        else:
            assert_allowed(preset_name, name, getattr(made, name))


def assert_names_it(preset_name: str, name: str, error: ValueError) -> None:
    """The message says which preset, which parameter and what is expected, and is not long."""
    text = str(error)
    named = text.startswith(f"{preset_name}: {short_name(name)}")
    assert named or is_further_rule(preset_name, error), text
    assert "expected" in text or "did you mean" in text or "lists them" in text
    assert len(text) < 1000


def assert_allowed(preset_name: str, name: str, value: Value) -> None:
    """By the declaration, read here once more."""
    item, types = field_of(preset_name, name), types_of(preset_name, name)
    choices, least, most = (item.metadata[key] for key in ("choices", "least", "most"))
    if value is None:
        assert NoneType in types
    elif isinstance(value, frozenset):
        if frozenset[int] in types:
            assert all(isinstance(member, int) and 100 <= member <= 599 for member in value)
        else:
            assert frozenset[str] in types
            assert all(isinstance(member, str) and 0 < len(member) <= 64 for member in value)
            assert not choices or set(value) <= set(choices)
    elif isinstance(value, bool | str):
        assert type(value) in types
        assert not choices or value in choices
    else:
        assert float in types or (int in types and isinstance(value, int))
        assert math.isfinite(value)
        assert least <= value <= most


@pytest.mark.parametrize("key", ["", "x" * 100_000, "\ud800", "attempts_", "__class__", "self"])
def test_a_parameter_that_there_is_not_is_refused_with_those_that_there_are(key: str) -> None:
    """In few words, however many it has."""
    for name in NAMES:
        with pytest.raises(ValueError, match="has no parameter") as caught:
            preset(name, **{key: 1})
        assert str(caught.value).startswith(name)
        assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("name", NAMES)
def test_no_two_parameters_are_typed_alike(name: str) -> None:
    """Without their units, by which they are read."""
    typed = [short_name(item.name) for item in fields(PRESETS[name])]
    assert len(set(typed)) == len(typed)
