"""The load of a scenario."""

from typing import Self

from pydantic import Field, model_validator

from aftershock_units import format_rate
from loadtests.arrivals import Arrivals
from loadtests.scenario.fields import FASTEST_PER_S, Flag, Part, PerSecond, Seconds, Utilisation


class Load(Part):
    """How new requests come to each lane.

    `utilisation` is another way to give the rate: a scenario that is read has made a rate of it.
    """

    rate_per_s: PerSecond = Field(95.0, alias="rate")
    utilisation: Utilisation | None = None
    arrivals: Arrivals = Arrivals.CONSTANT
    timeout_s: Seconds = Field(5.0, alias="timeout", gt=0)
    path: str = Field("/work", pattern=r"^/[!-~]*$", max_length=2000)
    deadlines: Flag = False
    """Each attempt says, in ``X-Deadline``, when it will be given up."""

    @model_validator(mode="before")
    @classmethod
    def _one_spelling(cls, values: object) -> object:
        if isinstance(values, dict) and {"rate", "utilisation"} <= values.keys():
            raise ValueError("rate and utilisation are two spellings of one thing: give one")
        return values

    def resolved(self, capacity_per_s: float | None) -> Self:
        """With the rate that a utilisation stands for: rate = utilisation · capacity.

        To the 1e-9, which is what a record shows. Raises `ValueError`.
        """
        if self.utilisation is None:
            return self
        if capacity_per_s is None:
            raise ValueError(
                "load: utilisation needs a capacity: give the workers a service_time, or the load "
                "a rate"
            )
        rate_per_s = round(self.utilisation * capacity_per_s, 9)
        if not 0 < rate_per_s <= FASTEST_PER_S:
            raise ValueError(
                f"load.utilisation: of {format_rate(capacity_per_s)} that is "
                f"{format_rate(rate_per_s)}: expected more than 0/s, up to "
                f"{format_rate(FASTEST_PER_S)}"
            )
        return self.model_copy(update={"rate_per_s": rate_per_s, "utilisation": None})
