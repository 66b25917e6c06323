"""Real layers do to marked requests what their settings say, and the audit counts just that."""

from pathlib import Path

import pytest

from loadtests.audit.course import Audit, Verdict
from loadtests.audit.finding import Kind
from loadtests.audit.findings import findings
from tests.loadtests.audit.audited import audited, counted, statuses
from tests.loadtests.audit.layers import envoy, gateway, haproxy, nginx
from tests.target_service.live import LiveTarget

pytestmark = pytest.mark.live

ALL = ("503", "429", "500", "502", "504", "reset", "cut", "hang")
ONCE = dict.fromkeys(ALL, 1)


def said(seen: Audit, kind: Kind) -> str:
    """The sentences of one kind."""
    return " ".join(finding.text for finding in findings(seen) if finding.kind is kind)


def test_without_a_layer_every_request_is_one_attempt(target: LiveTarget) -> None:
    """And what is refused arrives as it is."""
    seen = audited(target, target.url, timeout_s=0.4)
    assert counted(seen, "GET") == counted(seen, "POST") == ONCE
    assert statuses(seen, "POST") == {
        "503": 503, "429": 429, "500": 500, "502": 502, "504": 504,
        "reset": None, "cut": 200, "hang": None,
    }  # fmt: skip
    ends = {c.probe.refusal.name: c.answer.end.value for c in seen.courses if c.probe.refusal}
    assert (ends["reset"], ends["cut"], ends["hang"]) == ("reset", "cut short", "timed out")
    assert seen.verdict is Verdict.NO_RETRIES
    assert seen.strangers == 0
    assert "is passed on to you" in said(seen, Kind.RETRY_AFTER)


def test_nginx_with_all_retries(target: LiveTarget, tmp_path: Path) -> None:
    """`non_idempotent` takes in POST, `tries` is of attempts, and statuses are as listed.

    What is cut has begun to reach the client, so that no layer can retry it.
    """
    settings = """
        proxy_next_upstream error timeout http_503 http_429 non_idempotent;
        proxy_next_upstream_tries 2;
        proxy_read_timeout 300ms;
    """
    with nginx(tmp_path, target.port, settings) as url:
        seen = audited(target, url)
    expected = {**ONCE, "503": 2, "429": 2, "reset": 2, "hang": 2}
    assert counted(seen, "GET") == counted(seen, "POST") == expected
    assert statuses(seen, "GET")["reset"] == 502
    assert statuses(seen, "GET")["hang"] == 504
    assert "POST is retried too" in said(seen, Kind.DANGER)
    assert "is not heeded" in said(seen, Kind.RETRY_AFTER)
    assert "No header tells the service" in said(seen, Kind.NUMBERS)
    assert "server: nginx" in said(seen, Kind.ANSWERS)


def test_nginx_as_it_comes(target: LiveTarget, tmp_path: Path) -> None:
    """By default errors and timeouts go to the next server, of what is idempotent, up to all."""
    refusals = ("503", "500", "reset", "hang")
    with nginx(tmp_path, target.port, "proxy_read_timeout 200ms;") as url:
        seen = audited(target, url, refusals)
    assert counted(seen, "GET") == {"503": 1, "500": 1, "reset": 3, "hang": 3}
    assert counted(seen, "POST") == dict.fromkeys(refusals, 1)
    assert said(seen, Kind.DANGER) == ""
    [waited] = [c for c in seen.courses if c.total == 3 and c.answer.status == 504]
    assert all(interval_s > 0.19 for interval_s in waited.intervals_s)


def test_nginx_without_retries(target: LiveTarget, tmp_path: Path) -> None:
    """`off`, and however many servers there are."""
    settings = "proxy_next_upstream off; proxy_read_timeout 200ms;"
    refusals = ("503", "reset", "hang")
    with nginx(tmp_path, target.port, settings) as url:
        seen = audited(target, url, refusals)
    assert counted(seen, "GET") == counted(seen, "POST") == dict.fromkeys(refusals, 1)
    assert seen.verdict is Verdict.NO_RETRIES


def test_nginx_that_avoids_servers_that_failed(target: LiveTarget, tmp_path: Path) -> None:
    """Its passive health checks let nothing through for a while, and are not taken for no retries.

    Each of the two servers counts as failed for `fail_timeout`, which nginx counts in whole
    seconds: up to two.
    """
    settings = "proxy_read_timeout 200ms;"
    servers = "server 127.0.0.1:PORT fail_timeout=1s;\n" * 2
    with nginx(tmp_path, target.port, settings, servers) as url:
        seen = audited(target, url, ("reset", "hang"), ("GET",))
        # Begins while they still count as failed; the second may do so for longer than the first.
        rested = audited(target, url, ("reset",), ("GET",), pause_s=1.2)
    [closure] = seen.closures
    assert closure.answer.status == 502
    assert closure.lasted_s is not None
    assert "nothing was let through for" in said(seen, Kind.LIMITS)
    assert counted(seen, "GET")["hang"] in {1, 2}
    assert len(rested.closures) == 1
    assert counted(rested, "GET") == {"reset": 2}


def test_nginx_that_goes_on_without_its_client(target: LiveTarget, tmp_path: Path) -> None:
    """`proxy_ignore_client_abort`: what is retried after the client gave up is seen as well."""
    settings = "proxy_ignore_client_abort on; proxy_read_timeout 400ms;"
    with nginx(tmp_path, target.port, settings) as url:
        seen = audited(target, url, ("hang",), ("GET",), timeout_s=0.2)
    assert counted(seen, "GET") == {"hang": 3}
    assert "came after you had given up (200 ms)" in said(seen, Kind.DANGER)


def test_nginx_that_caches(target: LiveTarget, tmp_path: Path) -> None:
    """What is served once is served by the cache from then on, and shows nothing of retries."""
    cache = f"proxy_cache_path {tmp_path}/cache keys_zone=all:1m;"
    settings = "proxy_cache all; proxy_cache_valid 200 1m;"
    with nginx(tmp_path, target.port, settings, http=cache) as url:
        seen = audited(target, url, ("503",))
    assert (counted(seen, "GET"), counted(seen, "POST")) == ({"503": 0}, {"503": 1})
    assert statuses(seen, "GET") == {"503": 200}
    assert seen.verdict is Verdict.UNKNOWN
    assert said(seen, Kind.LOST) == (
        "No marked GET to be refused with a 503 arrived at the target; you got a 200. Something in "
        "between answers by itself, such as a cache."
    )
    assert seen.closures == ()


def test_haproxy_with_retries(target: LiveTarget, tmp_path: Path) -> None:
    """As many as `retries` after the first, of what `retry-on` lists, POST too."""
    settings = """
        retries 3
        retry-on 503 conn-failure empty-response response-timeout
        option redispatch
        timeout server 200ms
    """
    with haproxy(tmp_path, target.port, settings) as url:
        seen = audited(target, url)
    expected = {**ONCE, "503": 4, "reset": 4, "hang": 4}
    assert counted(seen, "GET") == counted(seen, "POST") == expected
    assert statuses(seen, "GET")["reset"] == 502
    assert "retries a 503 and a connection reset three times within" in findings(seen)[0].text


def test_haproxy_with_all_retries_but_of_post(target: LiveTarget, tmp_path: Path) -> None:
    """`all-retryable-errors` are no 429; `disable-l7-retry` spares what it is told to."""
    settings = """
        retries 2
        retry-on all-retryable-errors
        http-request disable-l7-retry if METH_POST
        timeout server 200ms
    """
    refusals = ("503", "429", "500", "502", "504", "reset")
    with haproxy(tmp_path, target.port, settings, servers=2) as url:
        seen = audited(target, url, refusals)
    assert counted(seen, "GET") == {**dict.fromkeys(refusals, 3), "429": 1}
    assert counted(seen, "POST") == dict.fromkeys(refusals, 1)


def test_haproxy_as_it_comes(target: LiveTarget, tmp_path: Path) -> None:
    """By default only connections are retried, which none of these fails to make."""
    refusals = ("503", "reset", "hang")
    with haproxy(tmp_path, target.port, "timeout server 200ms") as url:
        seen = audited(target, url, refusals)
    assert counted(seen, "GET") == counted(seen, "POST") == dict.fromkeys(refusals, 1)
    assert seen.verdict is Verdict.NO_RETRIES


def test_envoy_with_retries(target: LiveTarget, tmp_path: Path) -> None:
    """`5xx` takes in resets and missing answers; POST as well; its own header counts."""
    route = {
        "retry_policy": {
            "retry_on": "5xx,retriable-status-codes",
            "retriable_status_codes": [429],
            "num_retries": 2,
            "per_try_timeout": "0.2s",
            "retry_back_off": {"base_interval": "0.005s"},
            "rate_limited_retry_back_off": {
                "reset_headers": [{"name": "retry-after", "format": "SECONDS"}],
            },
        }
    }
    host = {"include_request_attempt_count": True}
    with envoy(tmp_path, target.port, route, host) as url:
        refusals = ("503", "500", "reset", "hang")
        seen = audited(target, url, refusals)
        limited = audited(target, url, ("429",), ("GET",), timeout_s=10)
    assert counted(seen, "GET") == counted(seen, "POST") == dict.fromkeys(refusals, 3)
    assert statuses(seen, "GET") == {"503": 503, "500": 500, "reset": 503, "hang": 504}
    assert said(seen, Kind.NUMBERS).endswith(
        " x-envoy-attempt-count tells the service which attempt it is: 1, 2, 3."
    )
    assert "server: envoy" in said(seen, Kind.ANSWERS)
    [course] = limited.courses
    assert course.total == 3
    assert min(course.intervals_s) >= 0.99
    assert "is heeded" in said(limited, Kind.RETRY_AFTER)


def test_envoy_without_retries(target: LiveTarget, tmp_path: Path) -> None:
    """It has none unless told."""
    refusals = ("503", "reset", "hang")
    with envoy(tmp_path, target.port, {"timeout": "0.3s"}) as url:
        seen = audited(target, url, refusals)
    assert counted(seen, "GET") == counted(seen, "POST") == dict.fromkeys(refusals, 1)
    assert seen.verdict is Verdict.NO_RETRIES


def test_gateways_of_our_own_multiply(target: LiveTarget, tmp_path: Path) -> None:
    """Two layers with three attempts each are nine, and no retry is numbered 1.

    The inner one takes the ownership mark off the errors that it passes on, which policies that
    heed it do not retry; `immediate` does not.
    """
    (tmp_path / "outer").mkdir()
    policy = "immediate:attempts=3"
    with gateway(tmp_path, target.url, policy) as inner:
        with gateway(tmp_path / "outer", inner, policy) as outer:
            seen = audited(target, outer, ("503",))
    assert counted(seen, "GET") == counted(seen, "POST") == {"503": 9}
    assert said(seen, Kind.NUMBERS) == (
        "x-aftershock-attempt tells the service a retry from a first attempt: "
        "1, 2, 3, 2, 3, 4, 3, 4, 5."
    )


def test_copies_of_a_mirror_are_no_retries_but_told(target: LiveTarget, tmp_path: Path) -> None:
    """Envoy's `request_mirror_policies`: each request twice, also when it is served."""
    route = {"request_mirror_policies": [{"cluster": "target"}]}
    with envoy(tmp_path, target.port, route) as url:
        seen = audited(target, url, ("503",), ("GET",))
    assert [course.total for course in seen.healthy] == [2]
    assert "something sends copies" in said(seen, Kind.COPIES)
    assert seen.verdict is Verdict.RETRIES


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ("proxy_set_header X-Aftershock-Trace '';", "its mark did not"),
        (
            "proxy_set_header X-Aftershock-Trace ''; proxy_set_header X-Aftershock-Lane '';",
            "came in the lane default",
        ),
        ("return 200;", "answers by itself"),
    ],
    ids=["trace dropped", "both dropped", "another answers"],
)
def test_marks_that_do_not_arrive(
    target: LiveTarget, tmp_path: Path, settings: str, why: str
) -> None:
    """Nothing is claimed, and it is said what is in the way."""
    with nginx(tmp_path, target.port, settings) as url:
        seen = audited(target, url, ("503",))
    assert seen.verdict is Verdict.UNKNOWN
    assert seen.courses == ()
    assert why in said(seen, Kind.LOST)
