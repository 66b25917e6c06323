"""gRPC service configs: what holds for which method, and what gRPC would refuse."""

import json
from pathlib import Path

import pytest

from loadtests.imports import choices, import_policy
from tests.loadtests.imports.written import EXAMPLES, read, refusal, why

RETRY: dict[str, object] = {
    "maxAttempts": 3,
    "initialBackoff": "0.2s",
    "maxBackoff": "2s",
    "backoffMultiplier": 1.5,
    "retryableStatusCodes": ["unavailable", 8],
}


def config(**fields: object) -> str:
    """One method config for every method."""
    return json.dumps({"methodConfig": [{"name": [{}], **fields}]})


def test_a_retry_policy(tmp_path: Path) -> None:
    """Names in any case, and numbers, are codes; without retryThrottling there is none."""
    imported = read(tmp_path, config(retryPolicy=RETRY, timeout="1.5s"), name="grpc.json")
    assert imported.preset_name == "grpc-a6"
    assert imported.name == "grpc"
    assert imported.parameters == {
        "max_attempts": 3,
        "initial_backoff_s": 0.2,
        "max_backoff_s": 2.0,
        "multiplier": 1.5,
        "codes": ["RESOURCE_EXHAUSTED", "UNAVAILABLE"],
        "max_tokens": 0,
        "timeout_s": 1.5,
    }
    assert imported.ignored == ()


def test_a_hedging_policy(tmp_path: Path) -> None:
    """Without a delay all attempts go out at once; without codes every failure is fatal."""
    text = config(hedgingPolicy={"maxAttempts": 2})
    imported = read(tmp_path, text, name="grpc.json")
    assert imported.preset_name == "grpc-a6-hedging"
    assert imported.parameters == {
        "max_attempts": 2,
        "hedging_delay_s": 0.0,
        "non_fatal_codes": [],
        "max_tokens": 0,
    }


def test_more_than_five_attempts_are_five(tmp_path: Path) -> None:
    """And that is said."""
    imported = read(tmp_path, config(retryPolicy={**RETRY, "maxAttempts": 9}), name="a.json")
    assert imported.parameters["max_attempts"] == 5
    [note] = imported.notes
    assert note == "methodConfig[0].retryPolicy.maxAttempts is 9: gRPC clients take it as 5"


def test_throttling_is_the_whole_channels(tmp_path: Path) -> None:
    """Of tokenRatio three decimals count."""
    text = json.dumps(
        {
            "methodConfig": [{"name": [{}], "retryPolicy": RETRY}],
            "retryThrottling": {"maxTokens": 100, "tokenRatio": 0.12399},
        }
    )
    imported = read(tmp_path, text, name="a.json")
    assert imported.parameters["max_tokens"] == 100
    assert imported.parameters["token_ratio"] == 0.123
    exact = read(tmp_path, text.replace("0.12399", "1.001"), name="a.json")
    assert exact.parameters["token_ratio"] == 1.001


@pytest.mark.parametrize(
    ("select", "attempts"),
    [
        ("shop.Orders/Get", 2),
        ("/shop.Orders/Get", 2),
        ("shop.Orders/Put", 3),
        ("shop.Orders", 3),
        ("shop.Search/Find", 4),
        ("default", 4),
    ],
)
def test_the_methods_own_config_wins(tmp_path: Path, select: str, attempts: int) -> None:
    """Then its service's, then the default."""
    names = [
        ({"service": "shop.Orders", "method": "Get"}, 2),
        ({"service": "shop.Orders"}, 3),
        ({}, 4),
    ]
    text = json.dumps(
        {"methodConfig": [
            {"name": [name], "retryPolicy": {**RETRY, "maxAttempts": count}}
            for name, count in names
        ]}
    )  # fmt: skip
    imported = read(tmp_path, text, select, name="a.json")
    assert imported.parameters["max_attempts"] == attempts
    assert imported.name == f"a#{select}"
    error = refusal(tmp_path, text, name="a.json")
    assert "shop.Orders/Get, shop.Orders, default" in str(error)


def test_a_method_without_a_policy_is_not_retried(tmp_path: Path) -> None:
    """And one that no config names is refused."""
    imported = import_policy(EXAMPLES / "service_config.json", "default")
    assert (imported.preset_name, imported.parameters) == ("no-retry", {})
    assert why(imported) == {"methodConfig[2].timeout": "nothing is retried"}
    text = json.dumps({"methodConfig": [{"name": [{"service": "a"}], "retryPolicy": RETRY}]})
    assert "no method config is for 'b/c'" in str(refusal(tmp_path, text, "b/c", name="a.json"))


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        (
            {"retryPolicy": {**RETRY, "maxAttempts": 1}},
            "maxAttempts: found 1: expected a whole",
        ),
        ({"retryPolicy": {**RETRY, "maxAttempts": 2.5}}, "found 2.5: expected a whole number"),
        ({"retryPolicy": {**RETRY, "maxAttempts": True}}, "found true: expected a whole number"),
        ({"retryPolicy": {**RETRY, "initialBackoff": "0s"}}, "expected a duration above 0"),
        ({"retryPolicy": {**RETRY, "initialBackoff": "100ms"}}, "found '100ms': expected a dur"),
        ({"retryPolicy": {**RETRY, "maxBackoff": None}}, "maxBackoff: there is none: expected"),
        ({"retryPolicy": {**RETRY, "backoffMultiplier": 0}}, "expected a number, 0.001 to"),
        ({"retryPolicy": {**RETRY, "backoffMultiplier": "x"}}, "found 'x': expected a number"),
        ({"retryPolicy": {**RETRY, "retryableStatusCodes": []}}, "expected at least one status"),
        ({"retryPolicy": {**RETRY, "retryableStatusCodes": ["OK"]}}, "Codes[0]: found 'OK'"),
        ({"retryPolicy": {**RETRY, "retryableStatusCodes": [17]}}, "found 17: expected a gRPC"),
        ({"retryPolicy": {**RETRY, "retryableStatusCodes": "X"}}, "expected a list"),
        ({"retryPolicy": []}, "methodConfig[0].retryPolicy: found an empty list: expected a map"),
        ({"retryPolicy": RETRY, "hedgingPolicy": {"maxAttempts": 2}}, "expected one of the two"),
        ({"hedgingPolicy": {"maxAttempts": 2, "hedgingDelay": "-1s"}}, "hedgingDelay: found '-1s'"),
        ({"hedgingPolicy": {}}, "hedgingPolicy.maxAttempts: there is none: expected 2 or more"),
        ({"retryPolicy": RETRY, "timeout": 3}, "methodConfig[0].timeout: found 3: expected a dur"),
    ],
)
def test_what_grpc_refuses_is_refused(
    tmp_path: Path, fields: dict[str, object], problem: str
) -> None:
    """With the path, what was found, and what was expected."""
    assert problem in str(refusal(tmp_path, config(**fields), name="a.json"))


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"methodConfig": {}}, "methodConfig: found an empty mapping: expected a list"),
        ({"methodConfig": []}, "there is no method in it"),
        ({"methodConfig": [{"retryPolicy": RETRY}]}, "there is no method in it"),
        ({"methodConfig": [{"name": [{"method": "x"}]}]}, "methodConfig[0].name[0]: found a meth"),
        ({"methodConfig": [{"name": [{}]}, {"name": [{}]}]}, "is named at methodConfig[0].name[0]"),
        ({"methodConfig": [{"name": [{"service": 1.5e9, "method": []}]}]}, "expected text"),
        (
            {"methodConfig": [{"name": [{}]}], "retryThrottling": {"maxTokens": 1001}},
            "retryThrottling.tokenRatio: there is none",
        ),
        (
            {
                "methodConfig": [{"name": [{}]}],
                "retryThrottling": {"maxTokens": 1001, "tokenRatio": 1},
            },
            "retryThrottling.maxTokens: found 1001: expected a number, 0 to 1000",
        ),
        (
            {
                "methodConfig": [{"name": [{}]}],
                "retryThrottling": {"maxTokens": 0, "tokenRatio": 1},
            },
            "retryThrottling.maxTokens: found 0: expected a number above 0",
        ),
        (
            {
                "methodConfig": [{"name": [{}]}],
                "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.0004},
            },
            "tokenRatio: found 0.0004",
        ),
    ],
)
def test_a_wrong_config_is_refused(tmp_path: Path, value: object, problem: str) -> None:
    """Also one that names a method twice."""
    assert problem in str(refusal(tmp_path, json.dumps(value), name="a.json"))


def test_what_is_not_read_is_said(tmp_path: Path) -> None:
    """Known fields have a reason of their own, others are unknown; other methods' are no matter."""
    text = json.dumps(
        {
            "loadBalancingConfig": [{"round_robin": {}}],
            "methodConfig": [
                {
                    "name": [{"service": "a"}],
                    "waitForReady": True,
                    "retryPolicy": {**RETRY, "max_attempts": 4, "perAttemptRecvTimeout": "1s"},
                },
                {"name": [{"service": "b"}], "waitForReady": True, "retryPolicy": RETRY},
            ],
        }
    )
    assert why(read(tmp_path, text, "a", name="a.json")) == {
        "loadBalancingConfig": "there is one target",
        "methodConfig[0].waitForReady": "no connection is waited for here",
        "methodConfig[0].retryPolicy.max_attempts": "not a field that is known here",
        "methodConfig[0].retryPolicy.perAttemptRecvTimeout": (
            "experimental in gRPC; give the lane's attempts a time-out instead"
        ),
    }


def test_the_choices_are_the_names() -> None:
    """In the file's order."""
    assert choices(EXAMPLES / "service_config.json") == [
        "shop.Orders/Get", "shop.Catalogue", "shop.Search", "default",
    ]  # fmt: skip


_GO = """{"methodConfig": [{"name": [{"service": "grpc.examples.echo.Echo"}], "waitForReady": true,
 "retryPolicy": {"MaxAttempts": 4, "InitialBackoff": ".01s", "MaxBackoff": ".01s",
  "BackoffMultiplier": 1.0, "RetryableStatusCodes": ["UNAVAILABLE"]}}]}"""


def test_keys_in_any_case_as_go_reads_them(tmp_path: Path) -> None:
    """As in grpc-go's own example; said, since other clients know neither."""
    imported = read(tmp_path, _GO, name="a.json")
    assert imported.parameters["max_attempts"] == 4
    assert imported.parameters["initial_backoff_s"] == 0.01
    assert imported.notes[0] == (
        "keys are read in any case, as grpc-go does and other clients do not: MaxAttempts, "
        "InitialBackoff, MaxBackoff, BackoffMultiplier, RetryableStatusCodes"
    )
    assert imported.notes[1] == (
        "methodConfig[0].retryPolicy.initialBackoff is '.01s': grpc-go reads it, other clients "
        "want a digit before the point"
    )
    assert set(why(imported)) == {"methodConfig[0].waitForReady"}
    upper = read(tmp_path, _GO.replace("methodConfig", "METHODCONFIG"), name="a.json")
    assert upper.parameters == imported.parameters
    twice = _GO.replace('"MaxAttempts": 4', '"MaxAttempts": 4, "maxAttempts": 3')
    assert "found MaxAttempts and maxAttempts: expected one of the two" in str(
        refusal(tmp_path, twice, name="a.json")
    )


def test_the_form_of_a_dns_record(tmp_path: Path) -> None:
    """A list of choices: the first that can be anybody's is read, and that is said."""
    own = json.loads(config(retryPolicy=RETRY))
    other = json.loads(config(retryPolicy={**RETRY, "maxAttempts": 5}))
    text = json.dumps(
        [
            {"percentage": 0, "serviceConfig": other},
            {"clientLanguage": ["go"], "serviceConfig": own},
            {"serviceConfig": other},
        ]
    )
    imported = read(tmp_path, text, name="a.json")
    assert imported.parameters["max_attempts"] == 3
    assert imported.notes == ("[1].serviceConfig is read: the first that a client may have",)
    assert why(imported) == {
        "[0]": "another choice of the DNS record is read",
        "[1].clientLanguage": "which clients have it is not asked",
        "[2]": "another choice of the DNS record is read",
    }
    assert "[0].serviceConfig.methodConfig: found 3: expected a list" in str(
        refusal(tmp_path, '[{"serviceConfig": {"methodConfig": 3}}]', name="a.json")
    )
    assert "expected a choice whose percentage is above 0" in str(
        refusal(tmp_path, '[{"percentage": 0, "serviceConfig": {}}]', name="a.json")
    )


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"retryPolicy": {**RETRY, "maxBackoff": "90000s"}}, "maxBackoff: found '90000s': expec"),
        ({"retryPolicy": {**RETRY, "initialBackoff": "0.00000001s"}}, "a duration, 1e-06s to"),
        ({"retryPolicy": {**RETRY, "backoffMultiplier": 2000}}, "expected a number, 0.001 to 1000"),
        ({"retryPolicy": RETRY, "timeout": "0.0001s"}, "timeout: found '0.0001s': expected a dur"),
    ],
)
def test_beyond_the_presets_bounds(tmp_path: Path, fields: dict[str, object], problem: str) -> None:
    """With the path."""
    assert problem in str(refusal(tmp_path, config(**fields), name="a.json"))
