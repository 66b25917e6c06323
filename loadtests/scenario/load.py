"""The load of a scenario."""

from pydantic import Field

from loadtests.arrivals import Arrivals
from loadtests.scenario.fields import Flag, Part, PerSecond, Seconds


class Load(Part):
    """How new requests come to each lane."""

    rate_per_s: PerSecond = Field(95.0, alias="rate")
    arrivals: Arrivals = Arrivals.CONSTANT
    timeout_s: Seconds = Field(5.0, alias="timeout", gt=0)
    path: str = Field("/work", pattern=r"^/[!-~]*$", max_length=2000)
    deadlines: Flag = False
    """Each attempt says, in ``X-Deadline``, when it will be given up."""
