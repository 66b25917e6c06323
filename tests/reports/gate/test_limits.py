"""Every text is a limit, or is refused with what is allowed."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.judging.gate.limits import Limit, examples, limited, parse_limit
from reports.measuring.catalogue import MEASURES
from reports.measuring.measure import Measure, Unit
from tests.reports.gate.made import FIGURES, measure

READ = [
    ("settled", "6s", Unit.SECONDS, 6.0, 6.0),
    ("settled", "500ms", Unit.SECONDS, 0.5, 0.5),
    ("settled", "3x", Unit.MULTIPLE, 3.0, 6.0),
    ("settled", " 0.5 × ", Unit.MULTIPLE, 0.5, 1.0),
    ("failed", "120", Unit.COUNT, 120.0, 120.0),
    ("failed", "5%", Unit.SHARE, 0.05, 200.0),
    ("failed", "0", Unit.COUNT, 0.0, 0.0),
    ("amplification", "1.2", Unit.FACTOR, 1.2, 1.2),
    ("amplification", "1.2x", Unit.FACTOR, 1.2, 1.2),
    ("peak", "150/s", Unit.RATE, 150.0, 150.0),
    ("peak", "1.5x", Unit.FACTOR, 1.5, 150.0),
    ("work-lost", "5%", Unit.SHARE, 0.05, 0.05),
]
REFUSED = [
    ("settled", "6", 'a duration: a number and ms, s, m or h, as in "2s" or "500ms", or a multiple '
     'of the trigger, as in "3x"'),
    ("settled", "5%", "a multiple of the trigger"),
    ("settled", "-1s", "a duration"),
    ("settled", "1e9s", "a duration"),
    ("settled", "", "a duration"),
    ("failed", "120%", 'a whole number, as in "120", or a share of the requests, as in "5%"'),
    ("failed", "1.5", "a whole number"),
    ("relapses", "3x", 'a whole number, as in "120"'),
    ("amplification", "120%", 'a factor, as in "1.2" or "1.2x"'),
    ("peak", "150", 'a rate per second, as in "100/s", or a multiple of the capacity'),
    ("peak", "5%", "a rate per second"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "text", "unit", "amount", "bound"), READ)
def test_a_limit_is_read_and_comes_to_what_it_says(
    word: str, text: str, unit: Unit, amount: float, bound: float
) -> None:
    """Of a dip of 2 s, 4,000 requests, and a capacity of 100/s."""
    limit = parse_limit(measure(word), text)
    assert (limit.unit, limit.amount, limit.text) == (unit, amount, text.replace(" ", ""))
    assert limit.bound(measure(word), FIGURES) == pytest.approx(bound)


@pytest.mark.parametrize(("word", "text", "allowed"), REFUSED)
def test_what_is_none_is_refused_with_what_is_allowed(word: str, text: str, allowed: str) -> None:
    with pytest.raises(ValueError, match="is not") as refused:
        parse_limit(measure(word), text)
    assert allowed in str(refused.value)
    assert repr(text) in str(refused.value)


@pytest.mark.parametrize(
    ("word", "text"),
    [("failed", "9" * 15), ("settled", "9" * 20 + "s"), ("settled", "9" * 20 + "x"),
     ("amplification", "9" * 20), ("peak", "1000000001/s")],
)  # fmt: skip
def test_what_nobody_means_is_refused(word: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"is too large: expected at most 1,000,000,000$"):
        parse_limit(measure(word), text)


TEXTS = st.text(max_size=40) | st.from_regex(r"[0-9.]{1,9}[msx%/×h]{0,2}")


@given(st.sampled_from(limited()), TEXTS)
def test_every_text_is_a_limit_or_refused_in_one_line(one: Measure, text: str) -> None:
    limit, refused = _read(one, text)
    if limit is None:
        assert len(refused.splitlines()) == 1
        assert '"' in refused or "too large" in refused
    else:
        assert limit.unit in one.limits
        assert math.isfinite(limit.amount)
        assert limit.text.isprintable()
        assert limit.amount >= 0


def _read(one: Measure, text: str) -> tuple[Limit | None, str]:
    try:
        return parse_limit(one, text), ""
    except ValueError as error:
        return None, str(error)


@pytest.mark.parametrize("one", limited(), ids=lambda one: one.word)
def test_the_examples_in_the_help_are_allowed(one: Measure) -> None:
    for number, example in enumerate(examples(one).split(", or ")):
        assert parse_limit(one, example.split(" ")[0]).unit is one.limits[number]


def test_what_has_nothing_to_multiply_has_no_bound() -> None:
    """A lane without a trigger, or without a request."""
    of_none = replace(FIGURES, trigger=None, requests=0, capacity_per_s=0.0)
    for word, text in (("settled", "3x"), ("failed", "5%"), ("peak", "2x")):
        assert parse_limit(measure(word), text).bound(measure(word), of_none) is None
    assert parse_limit(measure("settled"), "3s").bound(measure("settled"), of_none) == 3.0


def test_a_limit_can_be_set_of_every_measure_that_says_so() -> None:
    assert set(limited()) == {one for one in MEASURES if one.limits}
    assert len({one.word for one in limited()}) == len(limited())
