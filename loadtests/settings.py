"""The settings of a Locust test: from the command line, the web form, or a scenario."""

import os
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from aftershock_units import parse_named, parse_rate_per_s
from faults.action import OperatorAction
from faults.dip import Dip
from faults.fault import ServiceFault
from faults.schedule import parse_faults, parse_schedule, parse_spikes
from faults.spike import Spike
from loadtests.arrivals import Arrivals
from loadtests.scenario import Scenario, load_scenario_values, parse_scenario

SCENARIO_VARIABLE = "AFTERSHOCK_SCENARIO"
"""Names the file with the scenario of `aftershock run`; it then replaces the options below."""
RUN_DIR_VARIABLE = "AFTERSHOCK_RUN_DIR"
"""Names the folder of the run, which `aftershock run` has made."""
GATEWAYS_VARIABLE = "AFTERSHOCK_GATEWAYS"
"""The URLs of the gateways in front of the target, the outermost first."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a test is run with. `admin_token` is kept out of every printed form."""

    rate_per_s: float = 95.0
    arrivals: Arrivals = Arrivals.CONSTANT
    dips: tuple[Dip, ...] = ()
    faults: tuple[ServiceFault, ...] = ()
    actions: tuple[OperatorAction, ...] = ()
    spikes: tuple[Spike, ...] = ()
    seed: int = 0
    name: str = "locust"
    runs_dir: Path = Path("runs")
    run_dir: Path | None = None
    admin_url: str = ""
    admin_token: str | None = field(default=None, repr=False)
    gateway_urls: tuple[str, ...] = ()
    planned_end_s: float | None = None
    ends_by_itself: bool = False
    scenario: Mapping[str, object] = field(default_factory=dict)


class ArgumentParser(Protocol):
    """What is used of Locust's parser: it knows which options belong in the web form."""

    def add_argument(self, *names: str, **options: object) -> object: ...


def add_arguments(parser: ArgumentParser) -> None:
    """Add Aftershock's options: on the command line, as variables, and in the web form."""
    parser.add_argument(
        "--rate-per-user",
        default="95/s",
        env_var="AFTERSHOCK_RATE_PER_USER",
        help='New requests per second and user, as in "95/s"; they come whatever became of others',
    )
    parser.add_argument(
        "--arrivals",
        choices=[kind.value for kind in Arrivals],
        default=Arrivals.CONSTANT.value,
        env_var="AFTERSHOCK_ARRIVALS",
        help="How new requests are spread over time",
    )
    parser.add_argument(
        "--dips",
        default="",
        env_var="AFTERSHOCK_DIPS",
        help='Dips of the target, from the test\'s start: "20/s for 2s at 10s", several with ";"; '
        'again and again with "every 30s repeat 10"',
    )
    parser.add_argument(
        "--faults",
        default="",
        env_var="AFTERSHOCK_FAULTS",
        # Without a percent sign, which argparse would take for its own.
        help='Other faults of the target, likewise: "error status 503 for 5s at 10s", '
        'several with ";", of type latency, error, hang, reset or cut',
    )
    parser.add_argument(
        "--spikes",
        default="",
        env_var="AFTERSHOCK_SPIKES",
        help='Load spikes, from the test\'s start: "3x for 2s at 10s", several with ";"',
    )
    parser.add_argument(
        "--seed", type=int, default=0, env_var="AFTERSHOCK_SEED", help="Seed of arrivals and jitter"
    )
    hidden: dict[str, object] = {"include_in_web_ui": False}
    parser.add_argument(
        "--runs-dir",
        default="runs",
        env_var="AFTERSHOCK_RUNS_DIR",
        help="Where a folder is made for each run",
        **hidden,
    )
    parser.add_argument(
        "--admin-url",
        default="",
        env_var="AFTERSHOCK_ADMIN_URL",
        help="The target's admin API, where it is not under --host",
        **hidden,
    )
    parser.add_argument(
        "--admin-token",
        default="",
        env_var="AFTERSHOCK_ADMIN_TOKEN",
        help="Bearer token of the target's admin API",
        is_secret=True,
        **hidden,
    )
    parser.add_argument(
        "--control-hosts",
        default="",
        env_var="AFTERSHOCK_CONTROL_HOSTS",
        help="Names, with spaces between, by which the control room is reached; "
        "addresses, localhost and this machine's own name need not be said",
        **hidden,
    )


@dataclass(frozen=True, slots=True)
class Launch:
    """What is settled when the process starts, and no web form can change.

    A form can be posted by any page that the user has open, so what it names must neither get
    the token nor choose a folder.
    """

    runs_dir: Path
    admin_url: str
    admin_token: str | None = field(repr=False)
    host: str
    control_hosts: frozenset[str] = frozenset()

    def token_for(self, admin_url: str) -> str | None:
        """The token, if this is the target that the process was started for."""
        return self.admin_token if admin_url == (self.admin_url or self.host) else None


def take_launch(options: Namespace, host: str) -> Launch:
    """What the options settle. The token is taken out of them: Locust sends them to workers."""
    launch = Launch(
        runs_dir=Path(options.runs_dir),
        admin_url=options.admin_url,
        admin_token=options.admin_token or None,
        host=host,
        control_hosts=frozenset(options.control_hosts.split()),
    )
    options.admin_token = ""
    return launch


def read_settings(options: Namespace, host: str, launch: Launch) -> Settings:
    """The settings in Locust's parsed options, or in the scenario that the environment names.

    Raises `ValueError`, naming the option and what is allowed.
    """
    admin_url = launch.admin_url or host
    scenario_path = os.environ.get(SCENARIO_VARIABLE)
    if scenario_path:
        scenario = parse_scenario(load_scenario_values(Path(scenario_path)))
        return _of_scenario(scenario, admin_url, launch)
    run_time_s = options.run_time or None
    return Settings(
        rate_per_s=parse_named("rate per user", _some_rate_per_s, options.rate_per_user),
        arrivals=parse_named("arrivals", Arrivals, options.arrivals),
        dips=parse_named("dips", parse_schedule, options.dips),
        faults=parse_named("faults", parse_faults, options.faults),
        spikes=parse_named("spikes", parse_spikes, options.spikes),
        seed=int(options.seed),
        runs_dir=launch.runs_dir,
        admin_url=admin_url,
        admin_token=launch.token_for(admin_url),
        gateway_urls=_gateways_behind(host),
        planned_end_s=float(run_time_s) if run_time_s else None,
        scenario={
            "rate_per_user": options.rate_per_user,
            "arrivals": options.arrivals,
            "dips": options.dips,
            "faults": options.faults,
            "spikes": options.spikes,
            "seed": int(options.seed),
        },
    )


def _of_scenario(scenario: Scenario, admin_url: str, launch: Launch) -> Settings:
    return Settings(
        rate_per_s=scenario.load.rate_per_s,
        arrivals=scenario.load.arrivals,
        dips=scenario.dip_schedule(),
        faults=scenario.fault_schedule(),
        actions=scenario.action_schedule(),
        spikes=scenario.spike_schedule(),
        seed=scenario.seed,
        name=scenario.name,
        run_dir=Path(os.environ[RUN_DIR_VARIABLE]),
        admin_url=admin_url,
        admin_token=launch.token_for(admin_url),
        gateway_urls=_gateway_urls(),
        planned_end_s=scenario.planned_end_s,
        ends_by_itself=True,
        scenario=scenario.model_dump(mode="json", by_alias=True),
    )


def _gateway_urls() -> tuple[str, ...]:
    return tuple(url.rstrip("/") for url in os.environ.get(GATEWAYS_VARIABLE, "").split())


def _gateways_behind(host: str) -> tuple[str, ...]:
    """The gateways that load for `host` passes through: none, where it is not one of them.

    So the web form's host chooses how many layers a test has, and can name none that the process
    was not started with.
    """
    urls, entry = _gateway_urls(), host.rstrip("/")
    return urls[urls.index(entry) :] if entry in urls else ()


def _some_rate_per_s(text: str) -> float:
    rate_per_s = parse_rate_per_s(text)
    if rate_per_s == 0:
        raise ValueError(f"{text!r} is no load: expected more than 0/s")
    return rate_per_s
