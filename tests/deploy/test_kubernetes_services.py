"""The manifests and the services agree: on ports, paths, names and variables."""

import importlib.util
import re
from pathlib import Path

import pytest
import yaml

from loadtests.settings import add_arguments
from target_service.settings import ENV_PREFIX, Settings
from tests.deploy.manifests import ROOT, at, container, of_kind, pod, rows, settings, words

PORTS = {"target": {8000}, "locust": {8089, 5557}, "worker": set[int]()}


def _locust() -> Path:
    """The folder of Locust's code: read, and not imported, which would patch this process."""
    locust = importlib.util.find_spec("locust")
    assert locust is not None
    assert locust.origin is not None
    return Path(locust.origin).parent


@pytest.mark.parametrize("name", PORTS)
def test_selectors_find_the_pods_and_no_others(name: str) -> None:
    """A service, a deployment and a policy mean the pod of their name."""
    labels = words(pod(name), "metadata.labels")
    assert labels["app.kubernetes.io/name"] == name
    assert words(of_kind("Deployment")[name], "spec.selector.matchLabels") == labels
    if PORTS[name]:
        assert words(of_kind("Service")[name], "spec.selector") == labels


@pytest.mark.parametrize("name", ["target", "locust"])
def test_ports_are_the_ones_that_are_listened_on(name: str) -> None:
    """From the service to the container, and where Prometheus looks."""
    listened = {str(row["name"]): row["containerPort"] for row in rows(container(name), "ports")}
    assert set(listened.values()) == PORTS[name]
    offered = rows(of_kind("Service")[name], "spec.ports")
    assert {str(row["targetPort"]): row["port"] for row in offered} == listened
    scraped = words(pod(name), "metadata.annotations")
    assert scraped["prometheus.io/port"] == str(listened["http"])


def test_the_target_listens_where_its_settings_say() -> None:
    """On every address of the pod."""
    assert settings("target")["AFTERSHOCK_PORT"] == "8000"
    assert settings("target")["AFTERSHOCK_HOST"] == "0.0.0.0"
    assert settings("locust")["LOCUST_HOST"] == "http://target:8000"
    assert settings("locust")["AFTERSHOCK_TARGET"] == "http://target:8000"


def test_commands_are_those_of_the_compose_stack() -> None:
    """The same image is started in the same way."""
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    for name in PORTS:
        assert container(name)["args"] == at(compose, f"services.{name}.command")


def test_probes_ask_for_paths_that_are_answered() -> None:
    """A storm or a report that is being made gets no pod restarted: liveness is patient."""
    app = (ROOT / "target_service" / "app.py").read_text()
    web = (_locust() / "web.py").read_text()
    for name, source in (("target", app), ("locust", web)):
        for kind in ("startup", "readiness", "liveness"):
            path = at(container(name), f"{kind}Probe.httpGet.path")
            assert f'"{path}"' in source
            assert at(container(name), f"{kind}Probe.httpGet.port") == "http"
        period_s, times = (
            at(container(name), f"livenessProbe.{key}")
            for key in ("periodSeconds", "failureThreshold")
        )
        assert isinstance(period_s, int)
        assert isinstance(times, int)
        assert period_s * times >= 60


def test_the_target_reads_every_variable_that_it_is_given() -> None:
    """A misspelt one would be passed over without a word."""
    known = {f"{ENV_PREFIX}{name.upper()}" for name in Settings.model_fields}
    assert set(settings("target")) <= known


class _Options:
    """A parser that only notes which variables the options are read from."""

    def __init__(self) -> None:
        self.variables: set[str] = set()

    def add_argument(self, *names: str, **options: object) -> None:
        self.variables.add(str(options.get("env_var")))


def test_locust_reads_every_variable_that_it_is_given() -> None:
    """As an option of its own, as one of ours, or where the command or the locustfile says so."""
    ours = _Options()
    add_arguments(ours)
    places = {
        "AFTERSHOCK_TARGET": "faults/options.py",
        "AFTERSHOCK_POLICIES": "loadtests/locustfile.py",
    }
    options = (_locust() / "argument_parser.py").read_text()
    for name in set(settings("locust")) | set(settings("worker")):
        if name.startswith("LOCUST_"):
            assert f'env_var="{name}"' in options
        elif name in places:
            assert f'"{name}"' in (ROOT / places[name]).read_text()
        else:
            assert name in ours.variables


def test_settings_are_those_of_the_compose_stack() -> None:
    """The form is filled in with the same experiment."""
    text = (ROOT / ".env.example").read_text()
    defaults = dict(re.findall(r"^#(\w+)=(.*)$", text, re.MULTILINE))
    for name in ("target", "locust", "worker"):
        here = settings(name)
        here.pop("AFTERSHOCK_ADMIN_TOKEN", None)  # made there, a Secret here
        here.pop("AFTERSHOCK_RUNS_DIR", None)  # a folder of the host there
        assert here == here | {key: defaults[key] for key in here if key in defaults}


def test_master_and_workers_have_the_same_policies() -> None:
    """Else a worker would not know a user class that the master tells it to start."""
    assert settings("worker") == {"AFTERSHOCK_POLICIES": settings("locust")["AFTERSHOCK_POLICIES"]}


def test_no_variable_comes_from_the_cluster() -> None:
    """A service named locust would give every pod LOCUST_PORT, which Locust takes for an option."""
    for name in PORTS:
        assert at(pod(name), "spec.enableServiceLinks") is False


def test_what_keeps_its_state_in_memory_is_there_once() -> None:
    """And is not there twice while it is replaced. Workers can be as many as one likes."""
    for name in ("target", "locust"):
        assert at(of_kind("Deployment")[name], "spec.replicas") == 1
        assert at(of_kind("Deployment")[name], "spec.strategy.type") == "Recreate"
    (volume,) = of_kind("PersistentVolumeClaim")
    assert volume in [at(row, "persistentVolumeClaim.claimName") for row in _volumes("locust")]
    assert settings("locust")["AFTERSHOCK_RUNS_DIR"] == "/runs"
    assert at(pod("locust"), "spec.securityContext.fsGroup") == 1000


def _volumes(name: str) -> list[dict[str, object]]:
    return rows(pod(name), "spec.volumes")


def test_only_who_must_reaches_a_pod() -> None:
    """Workers reach the master's port for workers, not its web UI; load goes to the target only."""
    policies = of_kind("NetworkPolicy")
    assert at(policies["deny-all"], "spec") == {
        "podSelector": {},
        "policyTypes": ["Ingress", "Egress"],
    }
    assert _allowed("target", "ingress") == {("locust", 8000), ("worker", 8000), _scrape(8000)}
    assert _allowed("locust", "ingress") == {("worker", 5557), _scrape(8089)}
    assert _allowed("locust", "egress") == {("target", 8000)}
    assert _allowed("worker", "egress") == {("target", 8000), ("locust", 5557)}
    assert _allowed("target", "egress") == set()
    assert _allowed("worker", "ingress") == set()
    assert {row["port"] for row in rows(policies["names"], "spec.egress.0.ports")} == {53}
    assert at(policies["names"], "spec.ingress") is None


def _scrape(port: int) -> tuple[str, int]:
    return ("prometheus of monitoring", port)


def _allowed(name: str, direction: str) -> set[tuple[str, object]]:
    """Who (by the name of its pods) and which port."""
    policy = of_kind("NetworkPolicy")[name]
    assert words(policy, "spec.podSelector.matchLabels") == {"app.kubernetes.io/name": name}
    allowed = set()
    for rule in rows(policy, f"spec.{direction}"):
        peers = rows(rule, "from") + rows(rule, "to")
        assert peers
        for peer in peers:
            who = words(peer, "podSelector.matchLabels")["app.kubernetes.io/name"]
            where = words(peer, "namespaceSelector.matchLabels")
            if where:
                who = f"{who} of {where['kubernetes.io/metadata.name']}"
            allowed |= {(who, port["port"]) for port in rows(rule, "ports")}
    return allowed
