"""Which values of a field may be tried: from where to where, and how finely."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loadtests.imports import printable
from loadtests.scenario import Scenario, ScenarioError
from loadtests.simulation.sweep.axes import parse_axis
from loadtests.simulation.sweep.paths import Place, place_of
from loadtests.simulation.sweep.quantities import parse_quantity

RANGE_FORM = "PATH, PATH=LOW:HIGH or PATH=LOW:HIGH:STEP, as in dip.for=0.5s:10s"
_STEPS: Mapping[str, str] = {"ms": "100ms", "%": "1%", "/s": "1/s", "x": "0.1x"}
"""Unless said otherwise: durations to the target's tick."""
TICK = "0.1s"


def _of_capacity(scenario: Scenario) -> str:
    """From 5% to 99% of the capacity, in hundredths of it."""
    percent_per_s = f"{(scenario.target.capacity_per_s or 0.0) / 100:.9f}"
    one = parse_quantity(f"{percent_per_s}/s").number
    return f"{5 * one:f}/s:{99 * one:f}/s:{one:f}/s"


def _of_workers(scenario: Scenario) -> str:
    """Up to four times as many."""
    return f"1:{4 * (scenario.target.workers or 1)}:1"


_BY_ITSELF: Mapping[tuple[str, str], str | Callable[[Scenario], str]] = {
    ("dips", "for"): f"0.1s:60s:{TICK}",
    ("faults", "for"): f"0.1s:60s:{TICK}",
    ("spikes", "for"): f"0.1s:60s:{TICK}",
    ("spikes", "factor"): "1.1x:20x:0.1x",
    ("dips", "capacity"): "0%:99%:1%",
    ("faults", "share"): "1%:100%:1%",
    ("load", "utilisation"): "0.05:0.99:0.01",
    ("load", "rate"): _of_capacity,
    ("load", "timeout"): f"0.1s:30s:{TICK}",
    ("target", "workers"): _of_workers,
    ("policies", "attempts"): "1:10:1",
}
"""Where a field has a range of its own. There is more of it wherever the answer says so."""


@dataclass(frozen=True)
class Range:
    """The values of the field at `path` that may be tried, rising, as a scenario has them.

    `sizes` are their numbers; durations in seconds. `own`: the range was not asked for.
    """

    path: str
    place: Place
    values: tuple[str, ...]
    sizes: tuple[float, ...]
    step: str
    own: bool

    def shown(self, place: int) -> str:
        """The value as people write it."""
        return shown(self.values[place])

    @property
    def unit(self) -> str:
        """Of the sizes: ``s`` for all durations."""
        unit = parse_quantity(self.values[0]).unit
        return "s" if unit in _DURATIONS else unit

    @property
    def text(self) -> str:
        """Where it goes from and to, and how finely."""
        ends = f"{self.shown(0)} to {self.shown(len(self.values) - 1)}"
        return f"{ends} in {self.shown_step}"

    @property
    def shown_step(self) -> str:
        """How finely: ``steps of 0.1 s``."""
        return f"steps of {shown(self.step)}" if self.step else f"{len(self.values)} steps"


_DURATIONS = ("ms", "s", "m", "h")


def shown(value: str) -> str:
    """``1.1 s`` for ``1100ms``; anything else as it is."""
    quantity = parse_quantity(value)
    return f"{float(quantity.size) / 1000:.10g} s" if quantity.unit in _DURATIONS else quantity.text


def read_range(along: str, values: Mapping[str, object], scenario: Scenario) -> Range:
    """The range in a text such as ``dip.for`` or ``dip.for=0.5s:10s``.

    Raises `ScenarioError`, naming what is allowed.
    """
    path, equals, rest = (part.strip() for part in along.partition("="))
    if not path or (equals and not rest):
        raise ScenarioError(f"{printable(along)[:200]!r} is no range: expected {RANGE_FORM}")
    place = place_of(path, values)
    given = rest or _by_itself(path, place, scenario)
    if given.count(":") == 1 and "," not in given:
        given = f"{given}:{_step(path, given)}"
    axis = parse_axis(f"{path}={given}", values)
    try:
        rising = sorted(axis.values, key=lambda value: parse_quantity(value).size)
        quantities = [parse_quantity(value) for value in rising]
    except ValueError as error:
        raise ScenarioError(f"{path}: {error}") from None
    if len(rising) < 2:
        raise ScenarioError(
            f"{path}: {given} is one value: expected LOW:HIGH or LOW:HIGH:STEP with two or more"
        )
    in_s = quantities[0].unit in _DURATIONS
    return Range(
        path=path,
        place=place,
        values=tuple(rising),
        sizes=tuple(float(q.size) / 1000 if in_s else float(q.size) for q in quantities),
        step=given.split(":")[2] if ":" in given else "",
        own=not rest,
    )


def _by_itself(path: str, place: Place, scenario: Scenario) -> str:
    own = _BY_ITSELF.get((place.table, place.key))
    if own is None:
        raise ScenarioError(
            f"{printable(path)} has no range by itself: expected {printable(path)}=LOW:HIGH"
        )
    return own if isinstance(own, str) else own(scenario)


def _step(path: str, given: str) -> str:
    """Of the kind of the ends: whole numbers in ones, others in hundredths."""
    try:
        ends = [parse_quantity(part) for part in given.split(":")]
    except ValueError as error:
        raise ScenarioError(f"{path}: {error}") from None
    low, high = ends
    if low.kind == high.kind and low.size >= high.size:
        raise ScenarioError(
            f"{path}: {given}: {low.text} is not below {high.text}: expected LOW:HIGH or "
            "LOW:HIGH:STEP"
        )
    unit = ends[0].unit
    if not unit:
        return "1" if all(end.number == int(end.number) for end in ends) else "0.01"
    return TICK if unit in _DURATIONS and unit != "ms" else _STEPS[unit]
