"""Attempts per layer: known factors come out, and clients are compared with the first gateway."""

from dataclasses import replace
from itertools import pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.measuring.recovery import Recovery
from reports.measuring.stack import Level, Stack, stack_of
from reports.reading.read import parse_record
from reports.reading.series import LayerSeries
from reports.record import Fault, LayerTick, encode
from reports.rendering import multiplied, sentences
from reports.summary import Report, fold
from tests.reports.layered import DIP, RATE, layered
from tests.reports.synthetic import Made, Shape, plain

OUT = Fault("dip", "dip-1", 10.0, 12.0, "0/s")


def made(*shapes: Shape) -> Made:
    return Made(shapes, capacity=lambda tick: 0.0 if tick in DIP else 10.0, dips=[OUT])


def report_of(*shapes: Shape) -> Report:
    return fold(parse_record(made(*shapes).encoded()))


def product(policy: Recovery) -> float | None:
    assert policy.stacks is not None
    assert policy.stacks.in_trigger is not None
    return policy.stacks.in_trigger.product


def test_three_layers_of_three_are_27() -> None:
    """In 10 of the dip's 20 ticks: the second half."""
    [policy] = report_of(layered("a", (3, 3, 3))).policies
    assert policy.stacks is not None
    stack = policy.stacks.in_trigger
    assert stack is not None
    assert [(level.made_by, level.attempts, level.factor) for level in stack.levels] == [
        ("client", 10 * RATE * 3, 3),
        ("gateway 1", 10 * RATE * 9, 3),
        ("gateway 2", 10 * RATE * 27, 3),
    ]
    assert (stack.requests, stack.attempts, stack.product) == (10 * RATE, 10 * RATE * 27, 27)
    over_run = (400 + 20 * 27) / 420
    assert policy.stacks.over_run.product == pytest.approx(over_run)
    assert policy.amplification == pytest.approx(over_run)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_the_product_is_that_of_the_factors(factors: list[int]) -> None:
    record = parse_record(made(layered("a", (1,))).encoded())
    counts = [7 * prod(factors[:place]) for place in range(1, len(factors) + 1)]
    layers = [LayerSeries(f"g{n}", "a", np.array([c]), 0) for n, c in enumerate(counts[:-1])]
    by_attempt = np.array([[0], [counts[-1]]])
    lane = replace(record.lanes[0], by_attempt=by_attempt, issued=np.array([7]))
    stack = stack_of(lane, layers, slice(0, 1))
    assert stack.product == prod(factors)
    known = [level.factor for level in stack.levels if level.factor is not None]
    assert known == factors[: len(known)], "after a layer that lets nothing through there is none"


def test_layers_stand_in_the_order_of_their_numbers() -> None:
    """Gateway 10 is behind gateway 9."""
    [policy] = report_of(layered("a", (2, *[1] * 10))).policies
    assert policy.stacks is not None
    names = [level.made_by for level in policy.stacks.over_run.levels]
    assert names == ["client", *(f"gateway {number}" for number in range(1, 11))]
    assert product(policy) == 2


def test_what_the_layers_need_to_get_going_is_not_counted() -> None:
    """For a second the retries are still on their way: the product is that of the second after."""
    shape = layered("a", (3, 3))
    slow = [[RATE, 0] if 100 <= tick < 110 else load for tick, load in enumerate(shape.offered)]
    [policy] = report_of(replace(shape, offered=slow)).policies
    assert product(policy) == 9


def test_a_lane_that_passes_no_gateway_has_no_layers() -> None:
    """Where gateways run they have ticks of every lane, also of those that go past them."""
    past = Shape("past", plain([9] * 420), layers={"gateway 1": [0] * 420})
    report = report_of(layered("a", (3, 3)), past)
    assert [policy.stacks is None for policy in report.policies] == [False, True]


def test_the_clients_attempts_are_compared_with_what_the_first_gateway_metered() -> None:
    report = report_of(layered("a", (3, 3, 3)))
    assert report.valid, report.invalid_because


def test_attempts_of_strangers_at_the_first_gateway() -> None:
    shape = layered("a", (3, 3))
    doubled = [2 * count for count in shape.layers["gateway 1"]]
    strange = Shape("a", shape.offered, requests=shape.requests, layers={"gateway 1": doubled})
    [reason] = report_of(strange).invalid_because
    assert reason == (
        "the first gateway metered other attempts than the clients sent: "
        "8,280 instead of 4,140 in `a`"
    )


def test_a_gap_in_the_ticks_of_a_gateway() -> None:
    lines = made(layered("a", (1, 1))).lines()
    kept = [line for line in lines if not (isinstance(line, LayerTick) and line.seq == 1200)]
    report = fold(parse_record("".join(encode(line) + "\n" for line in kept).encode()))
    assert report.invalid_because == ("1 tick is missing of `gateway 1`",)


def test_the_second_sentence_says_what_layers_multiplied() -> None:
    report = report_of(layered("one", (3, 1)), layered("all", (3, 4)))
    assert sentences.runner_up(report) == (
        "Layers multiply: `all` made 3 · 4 = 12 attempts of a request."
    )
    assert sentences.runner_up(report_of(layered("none", (1, 1)))) is None


@pytest.mark.parametrize(
    ("requests", "value", "shown"),
    [
        (25, 73 / 25, "3"),
        (25, 225 / 73, "3"),
        (25, 1612 / 25, "64"),
        (25, 76 / 75, "1"),
        (25, 27 / 25, "1.1"),
        (25, 90 / 25, "3.6"),
        (1000, 4.03, "4.03"),
        (0, 0.0, "0"),
    ],
)
def test_a_factor_is_shown_to_what_counting_can_tell(
    requests: int, value: float, shown: str
) -> None:
    """Within one part in as many as there were requests. 1 of 25 is 4%: 1.08 is not 1."""
    assert Stack(requests, (), 0, None).counted(value) == shown


def test_factors_are_told_in_the_digits_that_make_the_product() -> None:
    """In 2 of 10 ticks 4 and not 27 of a request arrive: 22.4 at the target, of 9 before it."""
    shape = layered("a", (3, 3, 3))
    fewer = [[RATE, RATE * 3] if 110 <= t < 112 else load for t, load in enumerate(shape.offered)]
    report = report_of(replace(shape, offered=fewer))
    assert sentences.runner_up(report) == (
        "Layers multiply: `a` made 3 · 3 · 2.49 ≈ 22.4 attempts of a request."
    )


def test_four_times_four_times_four_is_not_sixty_two() -> None:
    """25 requests: each of the factors is 4 as far as counting can tell, and the product is not."""
    arrived = (25, 99, 388, 1548)
    levels = tuple(
        Level(f"layer {place}", made, made / came)
        for place, (came, made) in enumerate(pairwise(arrived))
    )
    stack = Stack(25, levels, arrived[-1], arrived[-1] / 25)
    assert multiplied.equation(stack) == "3.96 · 3.92 · 3.99 ≈ 62"
    even = tuple(replace(level, factor=4.0) for level in levels)
    assert multiplied.equation(Stack(25, even, 1600, 64.0)) == "4 · 4 · 4 = 64"
