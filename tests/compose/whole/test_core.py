"""The compose stack, brought up and used as a person would use it."""

import json
import socket
from urllib.error import HTTPError

import pytest

from tests.compose.stack import SERVICES, Stack, fetch, lines_of
from tests.loadtests.live import check_attempts, of_kind
from tests.real import eventually

pytestmark = [pytest.mark.compose, pytest.mark.timeout(900)]

POLICIES = ("no-retry", "full-jitter")
LAYERS = ("outer", "inner", "envoy")


def test_the_web_form_is_filled_in_and_links_the_reports(stack: Stack) -> None:
    """One click on Start is the experiment of the README."""
    page = stack.page("/")
    assert '"host": "http://target:8000"' in page
    assert '"num_users": 5' in page
    assert '"spawn_rate": 5' in page
    assert '"default_value": "20% for 2s at 10s"' in page
    assert '"show_userclass_picker": true' in page
    assert "/aftershock/newest" in page


def test_a_run_from_the_web_ui_leaves_its_report_on_the_host(stack: Stack) -> None:
    """A scheduled dip and one by hand are in it, and the web UI serves the same report."""
    record = stack.start(dips="20% for 1s at 2s")
    eventually(lambda: of_kind(lines_of(record), "fault"), "the scheduled dip in the record")
    said = stack.inside("target", "aftershock", "dip", "--capacity", "20%", "--for", "1s")
    assert "began at" in said
    assert "after 1s" in said
    eventually(lambda: len(of_kind(lines_of(record), "fault")) == 2, "the dip by hand")
    stack.page("/stop", {})

    folder = record.parent
    report = eventually(
        lambda: (folder / "report.html").exists() and (folder / "report.html").read_text(),
        "a report on the host",
    )
    assert stack.page("/aftershock/newest") == report
    policies = json.loads((folder / "report.json").read_text())["policies"]
    assert {policy["name"] for policy in policies} == set(POLICIES)

    lines = lines_of(record)
    assert lines[-1]["kind"] == "end"
    assert [fault["capacity"] for fault in of_kind(lines, "fault")] == ["20%", "20%"]
    sent, offered = check_attempts(lines)
    assert set(sent) == set(POLICIES)
    assert min(offered[lane] for lane in POLICIES) > 10
    # The dips took hold: capacity in the record, attempts turned away, retries.
    assert {tick["capacity_per_s"] for tick in of_kind(lines, "tick")} == {20.0, 4.0}
    assert any(sum(line["offered"][2:]) for line in lines if line["kind"] == "tick")


def test_every_service_is_healthy(stack: Stack) -> None:
    """And `prepare` has ended well."""
    found = {container["Service"]: container for container in stack.containers()}
    prepare = found.pop("prepare")
    assert found.keys() >= {*SERVICES, *LAYERS, "prometheus"}
    assert {container["Health"] for container in found.values()} == {"healthy"}
    assert (prepare["State"], prepare["ExitCode"]) == ("exited", 0)


@pytest.mark.parametrize("service", [*SERVICES, *LAYERS])
def test_a_service_is_confined(stack: Stack, service: str) -> None:
    """No process of it is root or can become more than it is; its root file system is read-only."""
    stack.assert_confined(service)


def test_the_published_ports_are_on_loopback_only(stack: Stack) -> None:
    """Nobody else's machine reaches web UI, target or Prometheus; a layer has no port at all."""
    published = {
        container["Service"]: (port["URL"], port["PublishedPort"])
        for container in stack.containers()
        for port in container["Publishers"] or []
        if port["PublishedPort"]
    }
    assert published.keys() - {"grafana"} == {"target", "locust", "prometheus"}
    for address, port in published.values():
        assert address == "127.0.0.1"
        for other in _other_addresses():
            with pytest.raises((ConnectionRefusedError, TimeoutError)):
                socket.create_connection((other, port), timeout=1).close()


def _other_addresses() -> set[str]:
    """The address from which this machine reaches others, where it reaches any."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses a way out
        except OSError:
            return set()
        return {str(probe.getsockname()[0])} - {"127.0.0.1"}


def test_the_admin_api_wants_the_token(stack: Stack) -> None:
    """Through the published port, from a client on loopback too; the token opens it."""
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        with pytest.raises(HTTPError) as refused:
            fetch(f"{stack.target}/admin/state", headers=headers)
        assert refused.value.code == 401
        refused.value.close()
    right = {"Authorization": f"Bearer {stack.token()}"}
    assert "tick_s" in fetch(f"{stack.target}/admin/state", headers=right)


def test_the_control_room_acts_for_its_own_page_alone(stack: Stack) -> None:
    """Under its published address, or a name that it was given. It has the token, no page has."""
    assert "eset" in stack.act("reset")["said"]
    assert "eset" in stack.act("reset", origin="http://room.example")["said"]
    for origin in ("http://evil.example", "null"):
        with pytest.raises(HTTPError) as refused:
            stack.act("reset", origin=origin)
        assert refused.value.code == 403
        refused.value.close()


def test_the_token_is_told_to_nobody(stack: Stack) -> None:
    """Not in a log, on a page, or in a record; a worker has no need of it."""
    token = stack.token()
    assert len(token) >= 32
    assert token not in stack.compose("logs")
    for path in ("/", "/aftershock/", "/aftershock/live", "/aftershock/metrics", "/stats/requests"):
        assert token not in stack.page(path)
    files = [path for path in stack.runs.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if token in path.read_text()]
    with pytest.raises(AssertionError, match="No such file"):
        stack.inside("worker", "ls", "/run/aftershock")
