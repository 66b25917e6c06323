"""A dip lowers capacity in whole ticks; of several the lowest wins; none ever raises it."""

import random

import pytest

from target_service.dips import DipPlan, Dips
from target_service.levels import Base, parse_level
from target_service.limits import MAX_DIPS
from target_service.timed import TooManyError, UnknownIdError


def capacities(dips: Dips, base_per_s: float, seqs: range, lane: str = "a") -> list[float]:
    """The capacity in force in each tick."""
    return [dips.keep_to(lane, Base(base_per_s), seq).capacity_per_s for seq in seqs]


def test_a_step_is_in_force_from_its_start_until_before_its_end() -> None:
    """[start, end): the end tick has full capacity again."""
    dips = Dips()
    dips.plan(DipPlan(parse_level("20/s"), 0.3), start=2, length=3)
    assert capacities(dips, 100, range(7)) == [100, 100, 20, 20, 20, 100, 100]


def test_a_percentage_is_of_the_base() -> None:
    """20% of 40/s is 8/s."""
    dips = Dips()
    dips.plan(DipPlan(parse_level("20%"), 0.1), start=0, length=1)
    assert capacities(dips, 40, range(2)) == [8, 40]


def test_a_dip_never_raises_capacity() -> None:
    """A dip to more than the base changes nothing."""
    dips = Dips()
    dips.plan(DipPlan(parse_level("200/s"), 0.1), start=0, length=1)
    assert capacities(dips, 100, range(1)) == [100]


@pytest.mark.parametrize("shape", ["step", "ramp"])
def test_of_several_dips_the_lowest_wins(shape: str) -> None:
    """In every tick and lane capacity is the lowest of what each dip alone would leave."""
    rng = random.Random(f"0/dips/{shape}")
    for _ in range(50):
        together = Dips()
        alone = []
        for _ in range(4):
            plan = DipPlan(
                parse_level(f"{rng.randrange(100)}%"),
                1,
                shape="ramp" if shape == "ramp" else "step",
            )
            start, length = rng.randrange(20), rng.randrange(1, 20)
            together.plan(plan, start, length)
            single = Dips()
            single.plan(plan, start, length)
            alone.append(capacities(single, 100, range(45)))
        assert capacities(together, 100, range(45)) == [
            min(column) for column in zip(*alone, strict=True)
        ]


def test_a_ramp_falls_to_the_middle_and_climbs_back() -> None:
    """Each tick has the capacity of its own middle; the dip's level is met in the middle only."""
    dips = Dips()
    dips.plan(DipPlan(parse_level("20%"), 0.4, shape="ramp"), start=1, length=4)
    assert capacities(dips, 100, range(6)) == pytest.approx([100, 80, 40, 40, 80, 100])
    odd = Dips()
    odd.plan(DipPlan(parse_level("0%"), 0.5, shape="ramp"), start=0, length=5)
    assert capacities(odd, 100, range(5)) == pytest.approx([80, 40, 0, 40, 80])


def test_a_ramp_ended_early_keeps_its_slope_until_then() -> None:
    """Ending a dip does not bend what is left of it."""
    dips = Dips()
    dip = dips.plan(DipPlan(parse_level("20%"), 0.4, shape="ramp"), start=1, length=4)
    dips.stop(dip.id, boundary=3)
    assert capacities(dips, 100, range(6)) == pytest.approx([100, 80, 40, 100, 100, 100])


def test_a_dip_for_one_lane_leaves_the_others_alone() -> None:
    """Lanes are isolated under dips too."""
    dips = Dips()
    dips.plan(DipPlan(parse_level("0/s"), 0.1, lanes=("a",)), start=0, length=1)
    assert capacities(dips, 100, range(1), "a") == [0]
    assert capacities(dips, 100, range(1), "b") == [100]


def test_a_dip_goes_through_its_states() -> None:
    """Pending, active, ended."""
    dip = Dips().plan(DipPlan(parse_level("0/s"), 0.2), start=2, length=2)
    assert [dip.state(seq) for seq in range(1, 5)] == ["pending", "active", "active", "ended"]


def test_a_dip_that_has_not_begun_is_cancelled() -> None:
    """It then has no length, at the place where it would have begun, and says so ever after."""
    dips = Dips()
    dip = dips.plan(DipPlan(parse_level("0/s"), 0.2), start=10, length=2)
    for boundary in (3, 30):
        stopped = dips.stop(dip.id, boundary)
        assert (stopped.start, stopped.end, stopped.state(boundary)) == (10, 10, "cancelled")
    assert capacities(dips, 100, range(10, 12)) == [100, 100]


def test_ending_a_dip_that_is_over_changes_nothing() -> None:
    """Its end stays where it was."""
    dips = Dips()
    dip = dips.plan(DipPlan(parse_level("0/s"), 0.2), start=2, length=2)
    dips.retire_before(9)
    assert dips.stop(dip.id, boundary=10).end == 4


def test_an_unknown_id_is_an_error() -> None:
    """There is nothing to end."""
    with pytest.raises(UnknownIdError):
        Dips().stop("dip-1", 0)


def test_live_and_remembered_dips_are_bounded() -> None:
    """The 101st live dip is refused; of those that are over the last hundred stay listed."""
    dips = Dips()
    for _ in range(MAX_DIPS):
        dips.plan(DipPlan(parse_level("0/s"), 0.1), start=0, length=1)
    with pytest.raises(TooManyError):
        dips.plan(DipPlan(parse_level("0/s"), 0.1), start=0, length=1)
    dips.retire_before(1)
    late = [dips.plan(DipPlan(parse_level("0/s"), 0.1), start=5, length=1).id for _ in range(7)]
    dips.retire_before(6)
    listed = [dip.id for dip in dips]
    assert len(listed) == MAX_DIPS
    assert listed[-7:] == late
