"""What is varied and what flags say do not contradict each other."""

import pytest

from loadtests.overrides import Flags, Values
from loadtests.scenario import ScenarioError
from loadtests.simulation.engines import Engine
from loadtests.simulation.sweep.checking import plan


@pytest.mark.parametrize(
    ("axis", "flags", "named"),
    [
        ("load.utilisation=0.5,0.6", Flags(rate="5/s"), "load.utilisation and --rate"),
        ("load.rate=5/s,6/s", Flags(utilisation="50%"), "load.rate and --utilisation"),
        ("target.workers=1,2", Flags(capacity="5/s"), "target.workers and --capacity"),
        ("target.service_time=1s", Flags(service_time="2s"), "--service-time"),
        ("warm_up=5s,6s", Flags(warm_up="5s"), "warm_up and --warm-up"),
        ("dip.for=1s,2s", Flags(dip="20% for 2s"), "dip.for and --dip"),
        ("dip.workers=0,1", Flags(dip="20% for 2s"), "dip.workers and --dip"),
        ("policy.attempts=1,2", Flags(policies=["full-jitter:attempts=3"]), "policy.attempts and"),
        ("policy.base=1s", Flags(policies=["full-jitter:base_s=2s"]), "policy.base and"),
    ],
)
def test_an_axis_and_a_flag_that_spell_one_field_are_refused(
    axis: str, flags: Flags, named: str
) -> None:
    """Naming both."""
    values: Values = {}
    flags.change(values)
    with pytest.raises(ScenarioError, match=f"{named}.* are two spellings of one field"):
        plan(values, [axis], flags, 1, Engine.AUTO)


def test_other_flags_go_with_an_axis() -> None:
    """A policy's other parameters, too."""
    values: Values = {}
    flags = Flags(policies=["full-jitter:attempts=3"], rate="5/s", seed=3)
    flags.change(values)
    sweep = plan(values, ["policy.base=1s,2s", "dip.for=1s,2s"], flags, 1, Engine.AUTO)
    assert sweep.lanes == ("full-jitter:attempts=3",)
    assert sweep.values["policies"] == [
        {"name": "full-jitter", "lane": "full-jitter:attempts=3", "attempts": "3"}
    ]


def test_the_policies_are_those_of_the_article_where_none_are_named() -> None:
    """As in a run."""
    assert len(plan({}, ["dip.for=1s"], Flags(), 1, Engine.AUTO).lanes) == 5
