"""What goes wrong in a scenario and when: dips, other faults, and spikes of load."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from aftershock_units import parse_share
from faults.dip import Dip
from faults.fault import ServiceFault
from faults.repeating import MAX_EVENTS, begins_s, check_repeat, repeated
from faults.schedule import parse_factor
from faults.spike import Spike
from loadtests.scenario.fields import Instant, Number, Part, Seconds, Share, Whole

DEFAULT_DIP = "20%"


class Disturbance(Part):
    """From when, how long, and where; once, or `repeat` times, each `every` after the last."""

    for_s: Seconds = Field(2.0, alias="for")
    at_s: Instant | None = Field(None, alias="at")
    """When the warm-up is over, unless said."""
    lanes: tuple[str, ...] | None = None
    repeat: Whole | None = Field(None, ge=1, le=MAX_EVENTS)
    every_s: Seconds | None = Field(None, alias="every")
    """From one beginning to the next."""

    @model_validator(mode="after")
    def _check_repeat(self) -> Self:
        check_repeat(self.repeat, self.every_s, self.lasts_s)
        return self

    def begin_s(self, default_at_s: float) -> float:
        """When it first begins, in seconds from the beginning of the load."""
        return default_at_s if self.at_s is None else self.at_s

    def begins_s(self, default_at_s: float) -> tuple[float, ...]:
        """When it begins each time, likewise. Raises `ValueError` where the last is too late."""
        return begins_s(self.begin_s(default_at_s), self.repeat, self.every_s)

    def end_s(self, default_at_s: float) -> float:
        """When the last is over, likewise."""
        return self.begins_s(default_at_s)[-1] + self.lasts_s

    @property
    def times(self) -> int:
        """How often it happens."""
        return self.repeat or 1

    @property
    def lasts_s(self) -> float:
        """From its beginning until all is as before, each time."""
        return self.for_s

    def but_the_last(self) -> Self | None:
        """The same once less; None: that is never."""
        return self.model_copy(update={"repeat": self.times - 1}) if self.times > 1 else None


class DipChoice(Disturbance):
    """A dip: to what capacity, how many workers or what mean service time; 20% unless said."""

    capacity: str | None = None
    workers: Whole | None = None
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
        self.dips(0.0)
        left = (self.capacity or "").strip()
        if left.endswith("%") and parse_share(left) == 1:
            raise ValueError("capacity: a dip to 100% lowers nothing: expected less")
        return self

    def dips(self, default_at_s: float) -> tuple[Dip, ...]:
        """Each dip. Raises `ValueError`, naming the field and what is allowed."""
        first = Dip(
            capacity=self.capacity,
            for_s=self.for_s,
            at_s=self.begin_s(default_at_s),
            shape=self.shape,  # type: ignore[arg-type]  # Dip checks the name and says what is allowed
            lanes=self.lanes,
            workers=self.workers,
            service_time_s=self.service_time_s,
            slow_start_s=self.slow_start_s,
        )
        return repeated(first, self.repeat, self.every_s)

    @property
    def lasts_s(self) -> float:
        """A slow start belongs to the dip."""
        return self.for_s + self.slow_start_s


class FaultChoice(Disturbance):
    """A fault of the service: which, on which share of the admitted attempts."""

    type: str
    share: Share = 1.0
    add_s: Seconds | None = Field(None, alias="add")
    spread_s: Seconds | None = Field(None, alias="spread")
    status: Whole | None = None
    retry_after_s: Seconds | None = Field(None, alias="retry_after")

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.faults(0.0)
        return self

    def faults(self, default_at_s: float) -> tuple[ServiceFault, ...]:
        """Each fault. Raises `ValueError`, naming the field and what is allowed."""
        first = ServiceFault(
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
        return repeated(first, self.repeat, self.every_s)


def _times(value: object) -> object:
    return parse_factor(value) if isinstance(value, str) else value


class SpikeChoice(Disturbance):
    """A spike of load: arrivals multiplied for a while."""

    factor: Annotated[Number, BeforeValidator(_times)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.spikes(0.0)
        return self

    def spikes(self, default_at_s: float) -> tuple[Spike, ...]:
        """Each spike. Raises `ValueError`, naming the field and what is allowed."""
        first = Spike(self.factor, self.for_s, self.begin_s(default_at_s), self.lanes)
        return repeated(first, self.repeat, self.every_s)
