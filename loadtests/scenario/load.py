"""The load of a scenario, and the target that it starts."""

from pydantic import Field

from aftershock_units import format_rate
from loadtests.arrivals import Arrivals
from loadtests.scenario.fields import Part, PerSecond, Seconds


class Load(Part):
    """How new requests come to each lane."""

    rate_per_s: PerSecond = Field(95.0, alias="rate")
    arrivals: Arrivals = Arrivals.CONSTANT
    timeout_s: Seconds = Field(5.0, alias="timeout", gt=0)
    path: str = Field("/work", pattern=r"^/[!-~]*$", max_length=2000)


class Target(Part):
    """The service that the run starts when it is given none."""

    capacity_per_s: PerSecond = Field(100.0, alias="capacity")

    def settings(self) -> dict[str, str]:
        """The service's settings as it reads them, by name."""
        return {"capacity": format_rate(self.capacity_per_s)}
