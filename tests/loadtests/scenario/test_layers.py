"""The gateways that a scenario's policies have between them and the target."""

import pytest

from loadtests.policies import preset
from loadtests.scenario import ScenarioError, parse_scenario


def test_layers_are_listed_from_the_outermost_inward() -> None:
    """A lane with fewer than others has its own next to the target."""
    scenario = parse_scenario(
        {
            "policies": [
                {"name": "immediate", "layers": ["immediate:attempts=3", "full-jitter"]},
                {"name": "no-retry"},
                {"name": "full-jitter", "lane": "inner", "layers": ["no-retry"]},
            ]
        }
    )
    assert scenario.layers() == (
        {"immediate": "immediate:attempts=3"},
        {"immediate": "full-jitter", "inner": "no-retry"},
    )
    assert parse_scenario(scenario.model_dump(mode="json", by_alias=True)) == scenario


def test_without_layers_there_is_no_gateway() -> None:
    """The load goes to the target."""
    assert parse_scenario({}).layers() == ()


def test_layers_that_are_a_number_are_the_policys_own() -> None:
    """`stacked-retries` has a parameter of that name."""
    scenario = parse_scenario({"policies": [{"name": "stacked-retries", "layers": 2}]})
    assert scenario.layers() == ()
    assert scenario.policies[0].source() == preset("stacked-retries", layers=2)
    assert parse_scenario(scenario.model_dump(mode="json", by_alias=True)) == scenario


@pytest.mark.parametrize(
    ("layers", "says"),
    [
        (["hope"], "policies.0.layers: unknown policy 'hope'"),
        (["immediate:atempts=3"], "policies.0.layers: immediate has no parameter 'atempts'"),
        (["opaque-urllib3"], "layers: opaque-urllib3: a gateway needs a policy"),
        ([3], "policies.0.layers.0: expected text"),
        (["immediate"] * 7, "policies.0.layers: expected at most 6 of them"),
        ("immediate", 'policies.0: layers: expected a list, as in ["immediate:attempts=3"]'),
    ],
)
def test_a_layer_that_is_no_policy_is_named(layers: object, says: str) -> None:
    """Before anything is started."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario({"policies": [{"name": "immediate", "layers": layers}]})
    assert says in str(caught.value)


def test_a_lane_with_layers_has_no_equals_sign() -> None:
    """A gateway's option for one lane is LANE=POLICY."""
    with pytest.raises(ScenarioError, match="can have no = in its name"):
        parse_scenario(
            {"policies": [{"name": "immediate", "lane": "a=b", "layers": ["immediate"]}]}
        )


def test_a_real_library_says_no_deadline() -> None:
    """Deadlines of some lanes only would be compared with none."""
    values = {"load": {"deadlines": True}, "policies": [{"name": "opaque-urllib3"}]}
    with pytest.raises(ScenarioError, match=r"load\.deadlines: opaque-urllib3 is a real library"):
        parse_scenario(values)
