"""A lane opens by a step when the last step went well, else stays; each lane by itself."""

import pytest

from target_service.disorder.reopening import Reopening, errors_in, let_through_in
from target_service.meter import LaneTick


def tick(offered: int, errors: int = 0, blocked: int = 0) -> LaneTick:
    """A tick of first attempts; errors are turned away for lack of capacity."""
    return LaneTick(
        capacity_per_s=100.0,
        offered=(0, offered),
        admitted=(0, offered - errors - blocked),
        turned_away=(0, errors + blocked),
        blocked=(0, blocked),
    )


GOOD, BAD = tick(10), tick(10, errors=1)


def shares(reopening: Reopening, ticks: list[LaneTick], lane: str = "a") -> list[float]:
    """The share that is shed in each of these ticks, and after the last."""
    seen = [reopening.share(lane)]
    for one in ticks:
        reopening.close_tick({lane: one})
        seen.append(reopening.share(lane))
    return [round(share, 9) for share in seen]


def test_a_lane_that_goes_well_opens_in_equal_steps() -> None:
    """One after each `every` ticks; it is over when all is open."""
    reopening = Reopening(0.25, 2, 0.0)
    assert shares(reopening, [GOOD] * 5) == [0.75, 0.75, 0.5, 0.5, 0.25, 0.25]
    assert not reopening.over
    assert shares(reopening, [GOOD]) == [0.25, 0.0]
    assert reopening.over


@pytest.mark.parametrize(
    ("step", "steps"),
    [(0.2, 5), (1 / 3, 3), (0.33333333333, 3), (0.3, 4), (0.1, 10), (0.01, 100), (1.0, 1)],
)
def test_the_last_step_opens_all(step: float, steps: int) -> None:
    """Also where steps do not come to exactly one; the first is taken at the start."""
    reopening = Reopening(step, 1, 0.0)
    taken = 1
    while reopening.share("a") > 0:
        reopening.close_tick({"a": GOOD})
        taken += 1
    assert taken == steps


def test_a_lane_that_goes_badly_stays_as_it_is() -> None:
    """And goes on once it goes well for a whole step."""
    reopening = Reopening(0.5, 2, 0.04)
    assert shares(reopening, [GOOD, BAD, BAD, GOOD, GOOD]) == [0.5] * 6
    assert shares(reopening, [GOOD]) == [0.5, 0.0]


@pytest.mark.parametrize(("errors", "opens"), [(29, True), (30, False), (0, True)])
def test_the_condition_is_at_most(errors: int, opens: bool) -> None:
    """29% of 100 are 29, though 0.29 · 100 is a hair less as floats multiply."""
    reopening = Reopening(0.5, 1, 0.29)
    reopening.close_tick({"a": tick(100, errors)})
    assert (reopening.share("a") == 0.0) is opens


def test_what_an_operator_blocked_is_no_error_and_was_not_let_through() -> None:
    """90 blocked, 10 let through of which 1 went wrong: 10%, not 1% and not 91%."""
    busy = tick(100, errors=1, blocked=90)
    assert (errors_in(busy), let_through_in(busy)) == (1, 10)
    for max_errors, opens in ((0.1, True), (0.09, False)):
        reopening = Reopening(0.5, 1, max_errors)
        reopening.close_tick({"a": busy})
        assert (reopening.share("a") == 0.0) is opens


def test_every_way_to_go_wrong_counts() -> None:
    """Turned away, shed, failed, abandoned; of every attempt number."""
    wrong = LaneTick(
        100.0,
        offered=(0, 20, 10),
        turned_away=(0, 4, 3),
        blocked=(0, 1),
        completed=(0, 9, 9),
        shed=(0, 0, 2),
        failed=(1, 2),
        abandoned=(0, 0, 5),
    )
    assert (errors_in(wrong), let_through_in(wrong)) == (6 + 2 + 3 + 5, 29)


def test_without_traffic_it_opens_unless_something_went_wrong() -> None:
    """Abandoned attempts of before count, though nothing is let through now."""
    idle = LaneTick(100.0)
    assert shares(Reopening(0.5, 1, 0.0), [idle]) == [0.5, 0.0]
    assert shares(Reopening(0.5, 1, 0.5), [LaneTick(100.0, abandoned=(0, 1))]) == [0.5, 0.5]


def test_lanes_open_each_by_itself() -> None:
    """One that stays shut does not hold the others up, but is waited for."""
    reopening = Reopening(0.5, 1, 0.0)
    for _ in range(3):
        reopening.close_tick({"good": GOOD, "bad": BAD})
    assert reopening.shares() == {"good": 0.0, "bad": 0.5}
    assert (reopening.highest_share, reopening.over) == (0.5, False)
    reopening.close_tick({"good": BAD, "bad": GOOD})
    assert reopening.shares() == {"good": 0.0, "bad": 0.0}
    assert reopening.over


def test_before_any_lane_is_seen_nothing_is_over() -> None:
    """The first step is in force for whoever comes."""
    reopening = Reopening(0.2, 1, 0.0)
    reopening.close_tick({})
    assert (reopening.highest_share, reopening.shares(), reopening.over) == (0.8, {}, False)
