"""Along which axes the trigger grows, and which of their values is the larger trigger."""

from collections.abc import Mapping
from decimal import Decimal

from loadtests.simulation.sweep.axes import Axis
from loadtests.simulation.sweep.quantities import parse_quantity

_EVENTS = {"dip", "dips", "fault", "faults", "spike", "spikes"}
_LARGER_WITH: Mapping[str, int] = {
    "for": 1,
    "slow_start": 1,
    "service_time": 1,
    "share": 1,
    "add": 1,
    "factor": 1,
    "capacity": -1,
    "workers": -1,
}
"""With 1 the larger value is the larger trigger, with −1 the smaller one."""


def trigger_sizes(axis: Axis) -> tuple[Decimal, ...] | None:
    """For each value of the axis how large a trigger it makes; None where it makes none larger."""
    head, _, rest = axis.path.partition(".")
    sign = _LARGER_WITH.get(rest.rpartition(".")[2])
    if head not in _EVENTS or sign is None:
        return None
    try:
        return tuple(sign * parse_quantity(value).size for value in axis.values)
    except ValueError:
        return None  # the scenario says what is wrong with it
