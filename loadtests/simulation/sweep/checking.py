"""All that can be wrong with a sweep is found before anything of it is played."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from itertools import product

from loadtests.imports import printable
from loadtests.overrides import Flags
from loadtests.policies.catalogue.parameters import short_name
from loadtests.policy_names import parse_policy
from loadtests.scenario import PolicyChoice, ScenarioError, parse_scenario
from loadtests.simulation.engines import Engine
from loadtests.simulation.many import tasks_of
from loadtests.simulation.sweep.alone import only_lane
from loadtests.simulation.sweep.axes import Values, check_axes, parse_axis, vary
from loadtests.simulation.sweep.cells import runs_of
from loadtests.simulation.sweep.paths import POLICIES, members_of
from loadtests.simulation.sweep.plan import Sweep

MAX_RUNS = 1000
_SAID_BY: Mapping[str, tuple[str, ...]] = {
    "rate": ("load.rate",),
    "utilisation": ("load.rate",),
    "arrivals": ("load.arrivals",),
    "capacity": ("target.capacity",),
    "workers": ("target.capacity",),
    "service_time": ("target.service_time",),
    "warm_up": ("warm_up",),
    "observation": ("observation",),
    "scale": ("simulation.scale",),
    "admits": ("simulation.admits",),
    "dip": ("dips.for", "dips.capacity"),
    "spike": ("spikes.for", "spikes.factor"),
}
"""The fields that each flag spells; of dips and spikes whichever they are."""


def plan(values: Values, varied: Sequence[str], flags: Flags, runs: int, engine: Engine) -> Sweep:
    """What is to be swept: the scenario's values, in which the flags are already, and the axes.

    Raises `ScenarioError`, naming the axis or the flag.
    """
    choices = _policies(values)
    try:
        axes = tuple(parse_axis(text, values) for text in varied)
        check_axes(axes, len(choices))
        check_flags({axis.path: axis.field for axis in axes}, flags)
    except ScenarioError as error:
        raise ScenarioError(f"--vary {error}") from None
    # As tables with all that is in their files: a process elsewhere has no such file.
    tables = [
        choice.model_dump(mode="json", by_alias=True, exclude_defaults=True) for choice in choices
    ]
    return Sweep(
        name=str(values.get("name", "one-dip")),
        values={**values, POLICIES: tables},
        axes=axes,
        lanes=tuple(choice.lane_name for choice in choices),
        runs=runs,
        engine=engine,
        version=version("aftershock"),
    )


def _policies(values: Values) -> tuple[PolicyChoice, ...]:
    """Read as those of a scenario, whatever else is in it."""
    return parse_scenario({POLICIES: members_of(values, POLICIES)}).policies


def check_flags(varied: Mapping[str, str], flags: Flags) -> None:
    """Raises `ScenarioError` where what is varied, fields by their paths, is a flag's as well."""
    said = {
        field: f"--{flag.replace('_', '-')}"
        for flag, fields in _SAID_BY.items()
        if getattr(flags, flag) is not None
        for field in fields
    }
    for text in flags.policies or ():
        said |= {f"policies.{short_name(key)}": f"--policy {text}" for key in parse_policy(text)[1]}
    for path, spelt in varied.items():
        field = ".".join(part for part in spelt.split(".") if not part.isdecimal())
        if field in said:
            raise ScenarioError(
                f"{path} and {printable(said[field])} are two spellings of one field: "
                "leave one of them out"
            )


def check_cells(sweep: Sweep, on_checked: Callable[[], None] | None = None) -> None:
    """Read every scenario of the sweep, `readings` of them.

    Raises `ScenarioError`, naming values that cannot be.
    """
    tell = on_checked or (lambda: None)
    for place in product(*(range(len(axis.values)) for axis in sweep.axes)):
        settings = sweep.settings_at(place)
        with _named(settings):
            scenario = parse_scenario(vary(sweep.values, settings))
            for lane in sweep.lanes:
                tasks_of(only_lane(scenario, lane), sweep.engine, sweep.runs)
        tell()
    for number in range(sweep.cells, sweep.size):
        with _named(sweep.settings_at(sweep.place_of(number))):
            runs_of(sweep.task(number))
        tell()


def readings(sweep: Sweep) -> int:
    """How many scenarios there are to read: a cell's serves all policies."""
    return sweep.cells // len(sweep.lanes) + sweep.size - sweep.cells


@contextmanager
def _named(settings: Mapping[str, str]) -> Iterator[None]:
    """What is wrong with a scenario of these settings is one line that names them."""
    try:
        yield
    except ScenarioError as error:
        where = ", ".join(f"{path}={value}" for path, value in settings.items())
        said = "; ".join(str(error).splitlines())
        raise ScenarioError(f"{printable(where)}: {said}") from None
