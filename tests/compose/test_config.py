"""What compose makes of docker-compose.yml, with all profiles: every service is as confined."""

import json
import re
from typing import Any

import pytest

from tests.compose.stack import ROOT, Stack

pytestmark = pytest.mark.compose

SERVICES = (
    "prepare", "target", "locust", "worker",
    "outer", "inner", "envoy", "prometheus", "grafana",
)  # fmt: skip
PUBLISHED = {"target", "locust", "prometheus", "grafana"}
MIB = 2**20


@pytest.fixture(scope="module")
def services(an_engine: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The services as compose understands them. Nothing is started."""
    stack = Stack(tmp_path_factory.mktemp("config") / "runs", "*")
    stack.compose("config", "--quiet")
    found: dict[str, Any] = json.loads(stack.compose("config", "--format", "json"))["services"]
    return found


def test_there_are_no_others(services: dict[str, Any]) -> None:
    """So that a new one is looked at here too."""
    assert set(services) == set(SERVICES)


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_confined(services: dict[str, Any], name: str) -> None:
    """User, root file system, capabilities, limits, log, and how it stops."""
    service = services[name]
    root = service["user"].split(":")[0] == "0"
    assert root == (name == "prepare")
    assert service["cap_drop"] == ["ALL"]
    assert service.get("cap_add", []) == (["CHOWN", "FOWNER"] if root else [])
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True
    assert not service.get("privileged", False)
    limits = service["deploy"]["resources"]["limits"]
    assert 0 < float(limits["cpus"]) <= 1
    assert 16 <= int(limits["memory"]) / MIB <= 768
    assert 0 < limits["pids"] <= 128
    assert service["logging"]["options"] == {"max-size": "5m", "max-file": "2"}
    assert service["init"] is True
    assert _grace_s(service) >= 2
    if name == "prepare":
        assert (service["restart"], service["network_mode"]) == ("no", "none")
    else:
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"]


def test_all_of_it_is_stopped_within_10_s(services: dict[str, Any]) -> None:
    """What others depend on is stopped after them: the longest such chain counts."""

    def chain_s(name: str) -> int:
        lasting = set(services[name].get("depends_on", {})) - {"prepare"}
        return _grace_s(services[name]) + max(map(chain_s, lasting), default=0)

    assert max(map(chain_s, services)) < 10


def _grace_s(service: dict[str, Any]) -> int:
    seconds = re.fullmatch(r"(\d+)s", service["stop_grace_period"])
    assert seconds is not None
    return int(seconds[1])


@pytest.mark.parametrize("name", SERVICES)
def test_a_port_is_published_on_loopback_or_not_at_all(services: dict[str, Any], name: str) -> None:
    """Whoever reaches a page here can send load, or read what was measured."""
    ports = services[name].get("ports", [])
    assert {port["host_ip"] for port in ports} == ({"127.0.0.1"} if name in PUBLISHED else set())


@pytest.mark.parametrize("name", SERVICES)
def test_what_is_mounted_of_the_checkout_is_not_written(
    services: dict[str, Any], name: str
) -> None:
    """But the folder for runs."""
    for volume in services[name].get("volumes", []):
        if volume["type"] == "bind" and volume["target"] != "/runs":
            assert volume["read_only"] is True
            assert (ROOT / volume["source"]).exists()


def test_images_of_others_are_named_by_an_exact_version(services: dict[str, Any]) -> None:
    """And what is built here is never looked for elsewhere."""
    for name, service in services.items():
        if name in {"prometheus", "grafana"}:
            assert re.search(r":v?\d+\.\d+\.\d+$", service["image"])
        else:
            assert service["pull_policy"] == "never"


def test_prometheus_asks_locust_by_its_own_name(services: dict[str, Any]) -> None:
    """By another the control room answers nobody who has no token."""
    config = (ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text()
    assert f'"{services["locust"]["hostname"]}:8089"' in config


def test_the_form_is_filled_in_with_the_entry_that_is_set(
    an_engine: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """So that the load goes through the layers."""
    stack = Stack(tmp_path_factory.mktemp("entry"), AFTERSHOCK_ENTRY="http://outer:8000")
    services = json.loads(stack.compose("config", "--format", "json"))["services"]
    assert services["locust"]["environment"]["LOCUST_HOST"] == "http://outer:8000"


def test_grafana_has_nobody_to_log_in_as_and_tells_nobody(services: dict[str, Any]) -> None:
    """Its image cannot be had in every place where this runs: then this is all that is tested."""
    said = services["grafana"]["environment"]
    assert not [name for name in said if "PASSWORD" in name]
    assert said["GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION"] == "true"
    assert said["GF_AUTH_ANONYMOUS_ORG_ROLE"] == "Viewer"
    off = {
        "GF_AUTH_BASIC_ENABLED",
        "GF_USERS_ALLOW_SIGN_UP",
        "GF_ANALYTICS_REPORTING_ENABLED",
        "GF_ANALYTICS_CHECK_FOR_UPDATES",
        "GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES",
        "GF_NEWS_NEWS_FEED_ENABLED",
    }
    assert {said[name] for name in off} == {"false"}


def test_only_who_asks_the_admin_api_has_the_token(services: dict[str, Any]) -> None:
    """A worker, Envoy, Prometheus and Grafana have no need of it."""
    has = {
        name
        for name, service in services.items()
        if any(volume["source"] == "token" for volume in service.get("volumes", []))
    }
    assert has == {"prepare", "target", "locust", "outer", "inner"}
    told = {
        name
        for name, service in services.items()
        if "AFTERSHOCK_ADMIN_TOKEN" in service.get("environment", {})
    }
    assert told == has - {"prepare"}
