"""What goes wrong in a scenario, and when."""

from typing import Self

from pydantic import Field, model_validator

from faults.dip import Dip
from loadtests.scenario.fields import Part, Seconds


class DipChoice(Part):
    """A dip: at, for how long, to what capacity."""

    capacity: str = "20%"
    for_s: Seconds = Field(2.0, alias="for")
    at_s: Seconds | None = Field(None, alias="at")
    shape: str = "step"
    lanes: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.dip(0.0)
        return self

    def dip(self, default_at_s: float) -> Dip:
        """The dip; one without `at` begins when the warm-up is over."""
        at_s = default_at_s if self.at_s is None else self.at_s
        return Dip(
            capacity=self.capacity,
            for_s=self.for_s,
            at_s=at_s,
            shape=self.shape,  # type: ignore[arg-type]  # Dip checks the name and says what is allowed
            lanes=self.lanes,
        )
