"""What a gateway can be told, and what it says to what it cannot."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from aftershock_verbs import app_for
from loadtests.gateway.settings import BadGatewaySettingError, GatewaySettings, read_gateway

URL = "http://127.0.0.1:8000"


def read(*lanes: str, **options: object) -> GatewaySettings:
    usual: dict[str, Any] = {"upstream": URL, "policy": "no-retry", "lane_policies": lanes}
    return read_gateway(**{**usual, "environ": {}, **options})


def describe(settings: GatewaySettings, lane: str) -> str:
    return settings.policies.of(lane).policy.describe()


def test_a_lane_has_its_own_policy() -> None:
    """Others have the one for all, each lane a new one of it."""
    settings = read("a=immediate:attempts=3", "b=full-jitter")
    assert describe(settings, "a").startswith("attempts: 3;")
    assert describe(settings, "b").startswith("attempts: 4;")
    assert describe(settings, "c") == "one attempt"
    policies = settings.policies
    assert policies.of("c") is policies.of("c")
    assert policies.of("c").policy is not policies.of("d").policy


@pytest.mark.parametrize(
    ("text", "lane"),
    [
        ("orders=immediate", "orders"),
        ("an order=immediate", "an order"),
        ("immediate:attempts=3=immediate:attempts=3", "immediate:attempts=3"),
        ("a=b=immediate", "a=b"),
        ("immediate=immediate:attempts=3,base=5ms", "immediate"),
    ],
)
def test_names_of_lanes_may_have_an_equals_sign(text: str, lane: str) -> None:
    """As those have that are called as their policy is."""
    assert list(read(text).policies.own) == [lane]


def test_a_policy_may_be_a_file_or_code(tmp_path: Path) -> None:
    """Whatever `aftershock run --policy` takes, but for real libraries."""
    config = tmp_path / "service_config.json"
    config.write_text(
        '{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": '
        '"0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": '
        '["UNAVAILABLE"]}}]}'
    )
    assert "attempts: 3" in describe(read(policy=str(config)), "a")
    own = "tests.loadtests.gateway.test_settings:no_retry"
    assert describe(read(policy=own), "a") == "one attempt"


def no_retry() -> object:
    return read().policies.of("any").policy


def test_jitter_is_drawn_by_seed_and_lane() -> None:
    """The same each time where a seed is given, and else not."""

    def drawn(seed: int | None, lane: str) -> float:
        return read(seed=seed).policies.of(lane).jitter.random()

    assert drawn(1, "a") == drawn(1, "a")
    assert len({drawn(1, "a"), drawn(2, "a"), drawn(1, "b")}) == 3
    assert drawn(None, "a") != drawn(None, "a")


def test_a_token_is_not_shown() -> None:
    """Neither in the settings nor in what is said of them."""
    settings = read(environ={"AFTERSHOCK_ADMIN_TOKEN": "hush", "AFTERSHOCK_PARENT_PID": "17"})
    assert (settings.token, settings.parent_pid) == ("hush", 17)
    assert "hush" not in repr(settings) + settings.describe()


WRONG: list[tuple[dict[str, object], str]] = [
    ({"upstream": "ftp://a"}, "--upstream: 'ftp://a' is no upstream: expected a URL such as"),
    ({"upstream": URL, "port": 8000}, "--upstream: http://127.0.0.1:8000 is this gateway itself"),
    ({"policy": "immediat"}, "--policy: "),
    ({"policy": "immediate:attempts=0"}, "--policy: "),
    ({"policy": "opaque-urllib3"}, "--policy: 'opaque-urllib3' is a real library in a client"),
    ({"policy": "nowhere.json"}, "--policy: "),
    ({"lane_policies": ["immediate"]}, "--lane-policy: 'immediate': expected LANE=NAME"),
    ({"lane_policies": ["a=immediat"]}, "--lane-policy a: "),
    ({"lane_policies": ["a=immediate:attempts=0"]}, "--lane-policy a: "),
    ({"lane_policies": ["=immediate"]}, "--lane-policy: expected a lane name"),
    ({"lane_policies": ["é=immediate"]}, "--lane-policy: expected a lane name"),
    ({"lane_policies": ["a=no-retry", "a=no-retry"]}, "--lane-policy: lane 'a' is named twice"),
    ({"timeout": "5"}, "--timeout: "),
    ({"timeout": "0s"}, "--timeout: an attempt may take up to 1h"),
    ({"timeout": "2h"}, "--timeout: an attempt may take up to 1h"),
]


@pytest.mark.parametrize(("options", "said"), WRONG)
def test_what_is_wrong_is_named(options: dict[str, object], said: str) -> None:
    """With the option, and what is allowed."""
    with pytest.raises(BadGatewaySettingError) as raised:
        read(**options)
    assert str(raised.value).startswith(said)


def test_the_command_says_it_in_a_line() -> None:
    """And ends with 2."""
    command = ["gateway", "--upstream", URL, "--policy", "no-retry", "--timeout", "soon"]
    ended = CliRunner().invoke(app_for(), command)
    assert ended.exit_code == 2
    [line] = ended.stderr.splitlines()
    assert line.startswith("aftershock gateway: --timeout: 'soon' is not a duration")


def test_help_has_an_example() -> None:
    """That can be pasted."""
    said = " ".join(CliRunner().invoke(app_for(["gateway"]), ["gateway", "--help"]).stdout.split())
    assert "aftershock gateway --upstream http://127.0.0.1:8000 --policy" in said
