"""What goes wrong in a scenario and when: dips, other faults, and spikes of load."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from faults.dip import Dip
from faults.fault import ServiceFault
from faults.schedule import parse_factor
from faults.spike import Spike
from loadtests.scenario.fields import Part, Seconds, Share

DEFAULT_DIP = "20%"


class _Disturbance(Part):
    """From when, how long, and where."""

    for_s: Seconds = Field(2.0, alias="for")
    at_s: Seconds | None = Field(None, alias="at")
    """When the warm-up is over, unless said."""
    lanes: tuple[str, ...] | None = None

    def begin_s(self, default_at_s: float) -> float:
        """When it begins, in seconds from the beginning of the load."""
        return default_at_s if self.at_s is None else self.at_s

    @property
    def lasts_s(self) -> float:
        """From its beginning until all is as before."""
        return self.for_s


class DipChoice(_Disturbance):
    """A dip: to what capacity, how many workers or what mean service time; 20% unless said."""

    capacity: str | None = None
    workers: int | None = None
    service_time_s: Seconds | None = Field(None, alias="service_time")
    slow_start_s: Seconds = Field(0.0, alias="slow_start")
    shape: str = "step"

    @model_validator(mode="before")
    @classmethod
    def _to_a_fifth(cls, values: object) -> object:
        if isinstance(values, dict) and not {"capacity", "workers", "service_time"} & values.keys():
            return {**values, "capacity": DEFAULT_DIP}
        return values

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.dip(0.0)
        return self

    def dip(self, default_at_s: float) -> Dip:
        """The dip. Raises `ValueError`, naming the field and what is allowed."""
        return Dip(
            capacity=self.capacity,
            for_s=self.for_s,
            at_s=self.begin_s(default_at_s),
            shape=self.shape,  # type: ignore[arg-type]  # Dip checks the name and says what is allowed
            lanes=self.lanes,
            workers=self.workers,
            service_time_s=self.service_time_s,
            slow_start_s=self.slow_start_s,
        )

    @property
    def lasts_s(self) -> float:
        """A slow start belongs to the dip."""
        return self.for_s + self.slow_start_s


class FaultChoice(_Disturbance):
    """A fault of the service: which, on which share of the admitted attempts."""

    type: str
    share: Share = 1.0
    add_s: Seconds | None = Field(None, alias="add")
    spread_s: Seconds | None = Field(None, alias="spread")
    status: int | None = None
    retry_after_s: Seconds | None = Field(None, alias="retry_after")

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.fault(0.0)
        return self

    def fault(self, default_at_s: float) -> ServiceFault:
        """The fault. Raises `ValueError`, naming the field and what is allowed."""
        return ServiceFault(
            type=self.type,  # type: ignore[arg-type]  # it checks the name and says what is allowed
            for_s=self.for_s,
            at_s=self.begin_s(default_at_s),
            lanes=self.lanes,
            share=self.share,
            add_s=self.add_s,
            spread_s=self.spread_s,
            status=self.status,
            retry_after_s=self.retry_after_s,
        )


def _times(value: object) -> object:
    return parse_factor(value) if isinstance(value, str) else value


class SpikeChoice(_Disturbance):
    """A spike of load: arrivals multiplied for a while."""

    factor: Annotated[float, BeforeValidator(_times), Field(allow_inf_nan=False)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.spike(0.0)
        return self

    def spike(self, default_at_s: float) -> Spike:
        """The spike. Raises `ValueError`, naming the field and what is allowed."""
        return Spike(self.factor, self.for_s, self.begin_s(default_at_s), self.lanes)
