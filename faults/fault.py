"""A fault of the service as somebody plans it: what, on which attempts, when, where."""

from dataclasses import dataclass
from typing import Final, Literal, Protocol, get_args

from aftershock_units import format_brief, format_share
from faults.when import check_share, check_when

FaultType = Literal["latency", "error", "hang", "reset", "cut"]
FAULT_TYPES: Final[tuple[FaultType, ...]] = get_args(FaultType)

MOST_LATENCY_S = 300.0
LONGEST_RETRY_AFTER_S = 3600.0
DEFAULT_STATUS = 500
_OWN_FIELDS = {"latency": ("add", "spread"), "error": ("status", "retry_after")}


def parse_fault_type(text: str) -> FaultType:
    """The type of this name. Raises `ValueError`, naming what is allowed."""
    for known in FAULT_TYPES:
        if text == known:
            return known
    raise ValueError(f"type: {text[:32]!r} is not {', '.join(FAULT_TYPES[:-1])} or cut")


class Described(Protocol):
    """What describes a fault, planned or at the target."""

    @property
    def type(self) -> FaultType:
        """What it does."""

    @property
    def share(self) -> float:
        """On which share of attempts, 0 to 1."""

    @property
    def add_s(self) -> float | None:
        """Latency, seconds."""

    @property
    def spread_s(self) -> float | None:
        """± up to these seconds."""

    @property
    def status(self) -> int | None:
        """The status of an error."""

    @property
    def retry_after_s(self) -> float | None:
        """And its Retry-After."""


def describe(fault: Described) -> str:
    """Which attempts get what, without the type: ``"200ms ± 50ms, 50%"``."""
    effect = ""
    if fault.type == "latency":
        spread = f" ± {format_brief(fault.spread_s)}" if fault.spread_s else ""
        effect = f"{format_brief(fault.add_s or 0.0)}{spread}, "
    elif fault.type == "error":
        wait_s = fault.retry_after_s
        wait = "" if wait_s is None else f" with Retry-After {format_brief(wait_s)}"
        effect = f"{fault.status or DEFAULT_STATUS}{wait}, "
    return effect + format_share(fault.share)


@dataclass(frozen=True, slots=True)
class ServiceFault:
    """A `share` of the admitted attempts gets something else than its answer, for `for_s` seconds.

    They have used their capacity. ``latency``: the answer comes `add_s` ± up to `spread_s` seconds
    later (uniform, never less than 0). ``error``: an answer with `status` (500 unless said) and
    ``Retry-After`` in whole seconds if given. ``hang``: no answer. ``reset``: the connection is
    reset. ``cut``: half of the body, then the connection is closed.

    `at_s` counts from the beginning of whatever the fault is part of. What belongs to another type
    is left None.
    """

    type: FaultType
    for_s: float
    at_s: float = 0.0
    lanes: tuple[str, ...] | None = None
    share: float = 1.0
    add_s: float | None = None
    spread_s: float | None = None
    status: int | None = None
    retry_after_s: float | None = None

    def __post_init__(self) -> None:
        """Raise `ValueError`, naming the field and what is allowed."""
        parse_fault_type(self.type)
        check_when("a fault", self.for_s, self.at_s, self.lanes)
        check_share("share", self.share)
        if self.share == 0:
            raise ValueError("share: a fault strikes some attempts: above 0%")
        self._check_own()
        for field, latency_s in (("add", self.add_s), ("spread", self.spread_s)):
            if latency_s is not None and not 0 <= latency_s <= MOST_LATENCY_S:
                raise ValueError(f"{field}: latency is from 0s to 300s, not {latency_s:g}s")
        if self.add_s == 0 and not self.spread_s:
            raise ValueError("add: latency adds some time: above 0s, unless there is a spread")
        if self.status is not None and not 400 <= self.status <= 599:
            raise ValueError(f"status: an error is from 400 to 599, not {self.status}")
        wait_s = self.retry_after_s
        if wait_s is not None and not (
            0 <= wait_s <= LONGEST_RETRY_AFTER_S and wait_s == round(wait_s)
        ):
            raise ValueError('retry_after: whole seconds up to 1h, as in "2s"')

    def _check_own(self) -> None:
        """Whether there is what the type needs, and nothing that belongs to another."""
        said = {
            "add": self.add_s,
            "spread": self.spread_s,
            "status": self.status,
            "retry_after": self.retry_after_s,
        }
        for of_type, fields in _OWN_FIELDS.items():
            for field in fields:
                if said[field] is not None and self.type != of_type:
                    raise ValueError(f"{field}: is for {of_type} only, not for {self.type}")
        if self.type == "latency" and self.add_s is None:
            raise ValueError('add: latency needs it: how much later, as in "200ms"')

    @property
    def text(self) -> str:
        """Which attempts get what, without the type: ``"200ms ± 50ms, 50%"``."""
        return describe(self)
