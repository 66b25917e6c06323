"""Who is tried, and in what situation."""

import pytest

from loadtests.scenario import ScenarioError, parse_scenario
from loadtests.simulation.advising.advice import what_of
from loadtests.simulation.advising.candidates import Candidate, Kind, field_of
from loadtests.simulation.advising.service import changes_of
from loadtests.simulation.advising.situation import Values, situation_of


def _tried(
    *policies: Values, asked: tuple[str, ...] = (), budgets: tuple[float, ...] = ()
) -> list[Candidate]:
    scenario = parse_scenario({"policies": list(policies)} if policies else {})
    return list(field_of(situation_of(scenario), asked, budgets).candidates)


def _changes(*policies: Values, budgets: tuple[float, ...] = (0.1,)) -> dict[str, str]:
    return {
        one.name: one.change
        for one in _tried(*policies, budgets=budgets)
        if one.kind is Kind.CHANGE
    }


def test_the_default_scenario_is_tried_with_the_catalogue() -> None:
    """What there is comes first; nobody is tried twice; whom nobody would choose is left out."""
    tried = _tried()
    assert [one.name for one in tried[:5]] == [
        "no-retry", "immediate", "exponential", "full-jitter", "full-jitter-budget"
    ]  # fmt: skip
    names = [one.name for one in tried]
    assert len(set(names)) == len(names)
    assert "grpc-a6" in names
    assert not {"stacked-retries", "impatient-users", "error-ownership", "tenacity-9"} & set(names)


@pytest.mark.parametrize(
    ("events", "what"),
    [
        ({}, "the dip"),
        ({"dips": [{"repeat": 10, "every": "30s"}]}, "the last dip"),
        ({"spikes": [{"factor": 2, "repeat": 2, "every": "9s"}]}, "the last load spike"),
        ({"dips": [{}], "spikes": [{"factor": 2}]}, "the last disturbance"),
    ],
)
def test_advice_says_what_recovery_is_measured_after(events: Values, what: str) -> None:
    """What comes again is several."""
    assert what_of(parse_scenario(events)) == what


def test_one_without_retries_is_always_among_them() -> None:
    """The limit is told by it."""
    tried = _tried({"name": "exponential"}, asked=("full-jitter",))
    assert [(one.name, one.kind) for one in tried] == [
        ("exponential", Kind.HAVE), ("no-retry", Kind.REFERENCE), ("full-jitter", Kind.ASKED)
    ]  # fmt: skip


def test_errors_have_owners_only_where_the_service_claims_them() -> None:
    """Elsewhere the policy would retry nothing."""
    scenario = parse_scenario({"target": {"owns_errors": True}})
    names = [one.name for one in field_of(situation_of(scenario), (), ()).candidates]
    assert "error-ownership" in names


def test_changes_of_one_thing_at_a_time() -> None:
    """Fewer attempts, full jitter, a budget; what else was set stays."""
    assert _changes({"name": "exponential", "base": "50ms", "lane": "mine"}) == {
        "exponential:base=50ms,attempts=3": "3 attempts in place of 4",
        "exponential:base=50ms,attempts=2": "2 attempts in place of 4",
        "full-jitter:base=50ms": "full jitter in place of none",
        "full-jitter-budget:base=50ms,budget_ratio=0.1": "a budget of 10% and full jitter",
    }


def test_retries_are_counted_as_their_preset_counts_them() -> None:
    """Three attempts are two retries, also where a preset calls those attempts."""
    assert "polly-8:max_retry_attempts=2" in _changes({"name": "polly-8"})
    assert "istio-1.27:attempts=1" in _changes({"name": "istio-1.27"})
    assert "istio-1.27:attempts=2" not in _changes({"name": "istio-1.27"})


def test_budgets_of_its_own_are_changed_in_place() -> None:
    """By the parameter that the preset has for it."""
    found = _changes({"name": "sre-client-budget"}, budgets=(0.05, 0.1))
    assert found["sre-client-budget:budget=0.05"] == "a budget of 5%"
    assert "sre-client-budget:budget=0.1" not in found  # which it has


def test_asked_policies_with_budgets() -> None:
    """Each with each, beside itself; the catalogue is not tried."""
    tried = _tried({"name": "immediate"}, asked=("full-jitter:attempts=3",), budgets=(0.1, 0.2))
    assert [one.name for one in tried if one.kind is Kind.ASKED] == [
        "full-jitter:attempts=3",
        "full-jitter-budget:attempts=3,budget_ratio=0.1",
        "full-jitter-budget:attempts=3,budget_ratio=0.2",
    ]


def test_everybody_has_the_fleet_of_what_there_is() -> None:
    """A hundred clients with a budget each are not one with one."""
    fleet: Values = {"name": "linkerd-2", "clients": 100, "scope": "client"}
    for one in _tried(fleet):
        assert (one.choice.clients, one.choice.scope) == (100, "client")


def test_gateways_that_retry_are_tried_quiet_too() -> None:
    """And in all other candidates they retry on."""
    layered: Values = {"name": "immediate", "layers": ["immediate:attempts=3"]}
    tried = _tried(layered)
    quiet = next(one for one in tried if one.choice.layer_policies == ("no-retry",))
    assert quiet.change == "no retries at the gateways"
    assert sum(one.choice.layer_policies == ("immediate:attempts=3",) for one in tried) > 40


def test_a_candidate_meets_what_its_lane_met() -> None:
    """Disturbances lose the names of lanes, and those of other lanes are left out."""
    scenario = parse_scenario(
        {
            "policies": [{"name": "immediate", "lane": "a"}, {"name": "immediate", "lane": "b"}],
            "dips": [{"for": "1s", "lanes": ["a"]}, {"for": "2s", "lanes": ["b"]}],
        }
    )
    situation = situation_of(scenario, "b")
    alone = situation.alone(situation.have[0])
    assert [(dip.for_s, dip.lanes) for dip in alone.dips] == [(2.0, None)]
    with pytest.raises(ScenarioError, match="expected --lane with one of a, b"):
        situation_of(scenario)
    with pytest.raises(ScenarioError, match="unknown lane 'c': expected a, b"):
        situation_of(scenario, "c")


def test_without_a_disturbance_there_is_nothing_to_recover_from() -> None:
    """It is refused, with what is allowed."""
    with pytest.raises(ScenarioError, match="expected a dip, a fault or a spike"):
        situation_of(parse_scenario({"dips": []}))


def test_changes_of_the_service_are_those_that_it_does_not_have() -> None:
    """Half of the timeout is left to whoever is last in the shorter queue: 50/s · 1 s ÷ 2."""
    target: Values = {"workers": 5, "service_time": "100ms", "queue": 500}
    words = [
        one.words
        for one in changes_of(parse_scenario({"target": target, "load": {"timeout": "1s"}}))
    ]
    assert words == [
        '`abandoned = "drop"` in [target]',
        "`deadlines = true` in [load] and `heed_deadlines = true` in [target]",
        "`queue = 25` in [target] in place of 500",
    ]
    dropping: Values = {**target, "abandoned": "drop", "queue": 20, "heed_deadlines": True}
    assert list(changes_of(parse_scenario({"target": dropping, "load": {"timeout": "1s"}}))) == []
    assert list(changes_of(parse_scenario({}))) == []  # it has no queue


def test_a_preset_that_is_called_as_what_there_is_says_that_it_is_another() -> None:
    """One that has a lane of another name is called as its policy, if it is alone."""
    tried = _tried({"name": "full-jitter", "base": "2s", "lane": "mine"}, asked=("full-jitter",))
    assert [one.name for one in tried] == ["full-jitter", "no-retry", "full-jitter (defaults)"]
    several = _tried({"name": "immediate", "lane": "a"}, {"name": "immediate", "lane": "b"})
    assert [one.name for one in several[:3]] == ["a", "b", "no-retry"]
