"""Linkerd's ServiceProfiles and annotations."""

from pathlib import Path

import pytest

from loadtests.imports import choices, import_policy
from tests.loadtests.imports.written import EXAMPLES, read, refusal, why


def profile(route: str, budget: str = "") -> str:
    """A profile with one route that is retried."""
    return f"kind: ServiceProfile\nspec:\n  routes: [{{isRetryable: true, {route}}}]\n  {budget}\n"


def annotated(**annotations: str) -> str:
    """A Service with retry annotations."""
    lines = "".join(f"    retry.linkerd.io/{key}: {value}\n" for key, value in annotations.items())
    return f"kind: Service\nmetadata:\n  name: orders\n  annotations:\n{lines}"


def test_a_service_profile() -> None:
    """The only route that is retried, with the profile's budget."""
    imported = import_policy(EXAMPLES / "linkerd-profile.yaml")
    assert imported.preset_name == "linkerd-2"
    assert imported.parameters == {
        "retry_ratio_share": 0.2,
        "min_retries_per_second": 10,
        "ttl_s": 10.0,
        "timeout_s": 0.3,
        "statuses": [429, *range(500, 600)],
    }
    imported.preset().build()
    path = EXAMPLES / "linkerd-profile.yaml"
    assert choices(path) == ["orders.shop.svc.cluster.local/GET /orders"]
    assert import_policy(path, "POST /orders").preset_name == "no-retry"


def test_without_a_budget_linkerds_default_holds(tmp_path: Path) -> None:
    """And without a timeout there is none."""
    imported = read(tmp_path, profile("name: a"))
    assert imported.parameters == {}
    assert imported.notes == (
        "there is no retryBudget: Linkerd's default holds, 20% and 10 a second",
    )


@pytest.mark.parametrize(
    ("classes", "statuses"),
    [
        ("[]", [*range(500, 600)]),
        ("[{condition: {status: {min: 404, max: 404}}, isFailure: true}]", [404, *range(500, 600)]),
        ("[{condition: {status: {min: 500, max: 501}}}]", [*range(502, 600)]),
        ("[{condition: {status: {min: 599}}, isFailure: true}]", [*range(500, 600)]),
        ("[{condition: {not: {status: {max: 598}}}, isFailure: true},"
         " {condition: {status: {min: 100}}}]", [599]),
        ("[{condition: {any: [{status: {min: 410, max: 411}}, {status: {max: 100}}]},"
         " isFailure: true}]", [100, 410, 411, *range(500, 600)]),
        ("[{condition: {all: [{status: {min: 410}}, {status: {max: 412}}]}, isFailure: true}]",
         [410, 411, 412, *range(500, 600)]),
    ],
)  # fmt: skip
def test_response_classes(tmp_path: Path, classes: str, statuses: list[int]) -> None:
    """The first that fits decides; what fits none is a failure from 500 on."""
    imported = read(tmp_path, profile(f"responseClasses: {classes}"))
    assert imported.parameters == {"statuses": statuses}


def test_annotations() -> None:
    """Of a Service or a route."""
    imported = import_policy(EXAMPLES / "linkerd-route.yaml")
    assert imported.preset_name == "linkerd-2-annotations"
    assert imported.parameters == {
        "limit": 2,
        "statuses": [429, *range(500, 600)],
        "timeout_s": 0.4,
        "request_timeout_s": 2.0,
    }
    imported.preset().build()


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        ("5XX", [*range(500, 600)]),
        ("gateway-error", [502, 503, 504]),
        ("429", [429]),
        ("429,500-502", [429, 500, 501, 502]),
    ],
)
def test_conditions(tmp_path: Path, text: str, statuses: list[int]) -> None:
    """Words, statuses and ranges."""
    assert read(tmp_path, annotated(http=text)).parameters == {"statuses": statuses}


def test_a_limit_of_0_is_1(tmp_path: Path) -> None:
    """Linkerd takes it so; and without conditions any 5xx is retried."""
    imported = read(tmp_path, annotated(limit='"0"'))
    assert imported.parameters == {"limit": 1}
    assert [note[:30] for note in imported.notes] == [
        "metadata.annotations['retry.li",
        "no retry.linkerd.io/http: any ",
    ]


def test_what_is_not_read_is_said(tmp_path: Path) -> None:
    """Also annotations that are not about retries."""
    text = (
        annotated(limit="2", grpc="internal") + "    timeout.linkerd.io/idle: 1s\n    owner: me\n"
    )
    assert why(read(tmp_path, text)) == {
        "metadata.annotations['retry.linkerd.io/grpc']": (
            "answers are told apart by their HTTP status"
        ),
        "metadata.annotations['timeout.linkerd.io/idle']": "streams are not modelled",
        "metadata.annotations.owner": "says nothing about retries",
    }
    text = profile("name: a, color: red", "opaque: 1\n  dstOverrides: []")
    assert why(read(tmp_path, text)) == {
        "spec.routes[0].color": "not a field that is known here",
        "spec.opaque": "not a field that is known here",
        "spec.dstOverrides": "traffic is not split here",
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (annotated(http="5xx, 429"), "found '5xx, 429': expected 5xx, gateway-error"),
        (annotated(http="504-500"), "expected 5xx"),
        (annotated(http="600"), "expected 5xx"),
        (annotated(limit="-1"), "['retry.linkerd.io/limit']: found -1: expected a whole number"),
        (annotated(timeout="1.5s"), "found '1.5s': expected a whole number and a unit"),
        (annotated(timeout="5"), "found 5: expected a whole number and a unit"),
        (profile("", "retryBudget: {}"), "spec.retryBudget.retryRatio: there is none"),
        (
            profile("", "retryBudget: {retryRatio: 1, minRetriesPerSecond: 1, ttl: 90s}"),
            "ttl: found '90s': expected a duration from 1s to 60s",
        ),
        (
            profile("", "retryBudget: {retryRatio: -1, minRetriesPerSecond: 1, ttl: 9s}"),
            "retryRatio: found -1: expected a number, 0 to 1000",
        ),
        (profile("timeout: soon"), "spec.routes[0].timeout: found 'soon': expected a duration"),
        (profile("responseClasses: [{}]"), "responseClasses[0].condition: there is none"),
        (profile("responseClasses: [{condition: {}}]"), "expected a status, all, any or not"),
        (
            profile("responseClasses: [{condition: {status: {min: 99}}}]"),
            "min: found 99: expected a whole number, 100 to 599",
        ),
        (
            profile("").replace("true", "maybe"),
            "isRetryable: found 'maybe': expected true or false",
        ),
        ("kind: ServiceProfile\nspec: {routes: []}", "there is no route that is retried in it"),
    ],
)
def test_wrong_values_are_refused(tmp_path: Path, text: str, problem: str) -> None:
    """With the path, what was found, and what was expected."""
    assert problem in str(refusal(tmp_path, text))


def test_the_bounds_are_the_proxys_and_the_presets(tmp_path: Path) -> None:
    """A ttl of a minute is taken, a second more is not; refusals have a path."""
    budget = "retryBudget: {retryRatio: 1, minRetriesPerSecond: 1, ttl: 60s}"
    assert read(tmp_path, profile("", budget)).parameters["ttl_s"] == 60
    assert "ttl: found '61s'" in str(refusal(tmp_path, profile("", budget.replace("60", "61"))))
    many = budget.replace("Second: 1", "Second: 1000001")
    assert "minRetriesPerSecond: found 1000001" in str(refusal(tmp_path, profile("", many)))
    assert "timeout: found '25h'" in str(refusal(tmp_path, profile("timeout: 25h")))
    assert "limit']: found 10001" in str(refusal(tmp_path, annotated(limit="10001")))
    assert "timeout']: found '2d'" in str(refusal(tmp_path, annotated(timeout="2d")))


def test_grpc_alone_is_said_to_be_another_rule(tmp_path: Path) -> None:
    """Linkerd retries those gRPC statuses, and no HTTP status."""
    imported = read(tmp_path, annotated(grpc="internal"))
    assert imported.parameters == {}
    assert imported.notes == (
        "retry.linkerd.io/grpc is not read, and there is no retry.linkerd.io/http: any HTTP status "
        "from 500 to 599 is retried here, in the place of those gRPC statuses",
    )
