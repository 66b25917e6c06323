"""Istio's VirtualServices, with the DestinationRule of the host that a route goes to."""

from pathlib import Path

import pytest

from loadtests.imports import choices, import_policy
from tests.loadtests.imports.written import EXAMPLES, read, refusal, why


def service(http: str, rules: str = "") -> str:
    """A VirtualService with one route to `reviews`."""
    return (
        "kind: VirtualService\nmetadata: {name: v}\nspec:\n"
        f"  http: [{{route: [{{destination: {{host: reviews}}}}], {http}}}]\n{rules}"
    )


def test_a_route_with_retries() -> None:
    """Statuses bring the word with them that Envoy needs for them."""
    imported = import_policy(EXAMPLES / "istio.yaml", "reviews/reads")
    assert imported.preset_name == "istio-1.27"
    assert imported.parameters == {
        "attempts": 3,
        "per_try_timeout_s": 0.5,
        "retry_on": ["connect-failure", "gateway-error", "retriable-status-codes"],
        "retriable_status_codes": [429],
        "base_interval_s": 0.05,
        "timeout_s": 3.0,
        "max_retries": 20,
    }
    imported.preset().build()
    assert why(imported) == {
        "document 2.spec.trafficPolicy.connectionPool.http.http2MaxRequests": (
            "a limit on all requests, not on retries"
        ),
        "document 1.spec.http[1].retries.retryRemoteLocalities": (
            "there is one target, and its hosts are not told apart"
        ),
    }
    assert choices(EXAMPLES / "istio.yaml") == ["reviews/writes", "reviews/reads"]
    assert import_policy(EXAMPLES / "istio.yaml", "writes").preset_name == "no-retry"


def test_a_route_without_retries_has_istios_own(tmp_path: Path) -> None:
    """Two, which nobody asked for."""
    imported = read(tmp_path, service("timeout: 1m30s"))
    assert (imported.preset_name, imported.parameters) == ("istio-1.27", {"timeout_s": 90.0})
    assert imported.notes == ("it has no retries of its own: Istio's default holds, 2 retries",)


@pytest.mark.parametrize(
    ("host", "taken"),
    [
        ("reviews", True),
        ("reviews.prod.svc.cluster.local", True),
        ("reviews2", False),
        ("review", False),
        ("ratings", False),
    ],
)
def test_a_destination_rule_is_for_its_host(tmp_path: Path, host: str, taken: bool) -> None:
    """A short name is the first part of a long one."""
    rule = (
        f"---\nkind: DestinationRule\nspec: {{host: {host}, trafficPolicy: "
        "{connectionPool: {http: {maxRetries: 5}}}}"
    )
    imported = read(tmp_path, service("retries: {attempts: 1}", rule))
    assert imported.parameters.get("max_retries") == (5 if taken else None)
    assert ("document 2" in why(imported)) is not taken


def test_a_retry_budget_makes_an_envoy(tmp_path: Path) -> None:
    """Its preset has one; Istio's defaults stand in it in full."""
    rule = (
        "---\nkind: DestinationRule\nspec: {host: reviews, trafficPolicy: "
        "{retryBudget: {percent: 30, budgetInterval: 1s}}}"
    )
    imported = read(tmp_path, service("name: a", rule))
    assert imported.preset_name == "envoy-1.40"
    assert imported.parameters["budget_share"] == 0.3
    assert imported.parameters["min_retry_concurrency"] == 3
    assert imported.parameters["num_retries"] == 2
    assert imported.parameters["timeout_s"] is None
    assert "unavailable" in str(imported.parameters["retry_on"])
    assert "document 2.spec.trafficPolicy.retryBudget.budgetInterval" in why(imported)


def test_a_list_of_resources(tmp_path: Path) -> None:
    """As `kubectl get -o yaml` prints them."""
    items = "\n".join(f"  {line}" for line in service("retries: {attempts: 4}").splitlines())
    imported = read(tmp_path, f"kind: List\nitems:\n-\n{items}\n- {{kind: Pod}}")
    assert imported.parameters == {"attempts": 4}


@pytest.mark.parametrize(
    ("http", "problem"),
    [
        ("retries: {attempts: -1}", "spec.http[0].retries.attempts: found -1: expected a whole"),
        ("retries: {attempts: 0, retryOn: 5xx}", "expected attempts of 1 or more"),
        ("retries: {perTryTimeout: 1s}", "expected attempts of 1 or more"),
        ("retries: {attempts: 1, retryOn: 'nope,5xx'}", "words of Envoy or statuses, not 'nope'"),
        ("retries: {attempts: 1, retryOn: '99'}", "not '99'"),
        ("retries: {attempts: 1, perTryTimeout: 100us}", "a duration of at least 1ms"),
        ("retries: {attempts: 1, perTryTimeout: 1}", 'found 1: expected a duration, as in "25ms"'),
        ("retries: {attempts: 1, backoff: fast}", "backoff: found 'fast': expected a duration"),
        ("retries: 3", "retries: found 3: expected a mapping"),
        ("timeout: PT1S", "timeout: found 'PT1S': expected a duration"),
        (
            "retries: {attempts: 20000}",
            "attempts: found 20000: expected a whole number, 0 to 10000",
        ),
    ],
)
def test_a_wrong_route_is_refused(tmp_path: Path, http: str, problem: str) -> None:
    """As Istio's own check does, with the path."""
    assert problem in str(refusal(tmp_path, service(http)))


def test_what_is_not_read_is_said(tmp_path: Path) -> None:
    """Unknown fields too."""
    imported = read(tmp_path, service("retries: {attempts: 1, tries: 2}, fault: {}, headers: {}"))
    assert why(imported) == {
        "spec.http[0].retries.tries": "not a field that is known here",
        "spec.http[0].fault": "faults are injected at the target here",
        "spec.http[0].headers": "says nothing about retries",
    }


def test_services_without_routes(tmp_path: Path) -> None:
    """There is nothing to choose."""
    text = "kind: VirtualService\nspec: {}"
    assert "there is no HTTP route in it" in str(refusal(tmp_path, text))
    assert "spec: there is none" in str(refusal(tmp_path, "kind: VirtualService"))


_BUDGET = (
    "---\nkind: DestinationRule\nspec: {host: reviews, trafficPolicy: {retryBudget: {percent: 30}}}"
)


@pytest.mark.parametrize("rules", ["", _BUDGET])
@pytest.mark.parametrize(
    ("http", "problem"),
    [
        ("retries: {attempts: 65536}", "retries.attempts: found 65536: expected a whole number, 0"),
        ("retries: {attempts: 1, backoff: 25h}", "backoff: found '25h': expected a duration"),
        ("timeout: 25h", "spec.http[0].timeout: found '25h': expected a duration, 0s to 86400s"),
    ],
)
def test_beyond_the_presets_bounds(tmp_path: Path, http: str, problem: str, rules: str) -> None:
    """With file and path, also where a budget makes an Envoy of it."""
    assert problem in str(refusal(tmp_path, service(http, rules)))


def test_what_a_route_is_for_is_said(tmp_path: Path) -> None:
    """Matches, gateways, weights, and documents of other kinds."""
    text = (
        "kind: VirtualService\nmetadata: {name: v}\nspec:\n  gateways: [mesh]\n  http:\n"
        "  - match: [{uri: {prefix: /a}}]\n    retries: {attempts: 1}\n"
        "    route: [{destination: {host: h, subset: v1, port: {number: 80}}, weight: 90}]\n"
        "---\nkind: Gateway\nmetadata: {name: g}\n---\nfoo: 1\n"
    )
    assert why(read(tmp_path, text)) == {
        "document 1.spec.http[0].match": "every request is taken to be for this route",
        "document 1.spec.http[0].route[0].weight": "which destination is drawn is not known",
        "document 1.spec.http[0].route[0].destination.subset": "subsets are not told apart",
        "document 1.spec.http[0].route[0].destination.port": "there is one target",
        "document 1.spec.gateways": "the rule is the same in every proxy that has the route",
        "document 2": "kind: Gateway: only VirtualServices and DestinationRules are read",
        "document 3": "it has no kind: only VirtualServices and DestinationRules are read",
    }


def test_a_member_without_a_kind_is_said(tmp_path: Path) -> None:
    """Of a List."""
    items = "\n".join(f"  {line}" for line in service("retries: {attempts: 4}").splitlines())
    imported = read(tmp_path, f"kind: List\nitems:\n-\n{items}\n- {{x: 1}}")
    assert why(imported)["items[1]"].startswith("it has no kind: only")


def test_no_rule_is_for_several_hosts(tmp_path: Path) -> None:
    """Nor is it for another host."""
    text = service("retries: {attempts: 1}", "---\nkind: DestinationRule\nspec: {host: reviews}")
    both = text.replace("reviews}}]", "reviews}}, {destination: {host: b}}]")
    assert both != text
    assert why(read(tmp_path, both))["document 2"] == "the route goes to several hosts"
