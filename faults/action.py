"""An operator's action as somebody plans it: what is turned away at the edge, when, where."""

from dataclasses import dataclass
from typing import Final, Literal, Protocol, get_args

from aftershock_units import format_share
from faults.when import LONGEST_S, SHORTEST_S, check_share, check_when, told

ActionType = Literal["shed", "block-retries", "reopen"]
ACTION_TYPES: Final[tuple[ActionType, ...]] = get_args(ActionType)

DEFAULT_STEP = 0.2
DEFAULT_EVERY_S = 5.0
DEFAULT_MAX_ERRORS = 0.05
DEFAULT_REOPEN_S = 600.0
"""How long a reopening lasts at most, unless said."""
SMALLEST_STEP = 0.01


def parse_action_type(text: str) -> ActionType:
    """The action of this name. Raises `ValueError`, naming what is allowed."""
    for known in ACTION_TYPES:
        if text == known:
            return known
    raise ValueError(f"action: {text[:32]!r} is not shed, block-retries or reopen")


class Described(Protocol):
    """What describes an action, planned or at the target."""

    @property
    def action(self) -> ActionType:
        """What it does."""

    @property
    def share(self) -> float | None:
        """The share that is shed, 0 to 1."""

    @property
    def step(self) -> float | None:
        """The step of a reopening, 0 to 1."""

    @property
    def every_s(self) -> float | None:
        """How long a step lasts at least."""

    @property
    def max_errors(self) -> float | None:
        """The share of errors up to which the next step is taken."""


def describe(action: Described) -> str:
    """What is turned away, without the action's name: ``"90%"``."""
    if action.action == "shed":
        return format_share(action.share or 0.0)
    if action.action == "block-retries":
        return "attempts after the first"
    step = format_share(DEFAULT_STEP if action.step is None else action.step)
    every = told(DEFAULT_EVERY_S if action.every_s is None else action.every_s)
    errors = DEFAULT_MAX_ERRORS if action.max_errors is None else action.max_errors
    return f"in steps of {step} every {every}, at most {format_share(errors)} errors"


@dataclass(frozen=True, slots=True)
class OperatorAction:
    """Attempts are turned away at the edge, before anything else, for `for_s` seconds.

    ``shed``: a random `share`. ``block-retries``: those with a number above 1. ``reopen``: at first
    all but `step`; after each `every_s` seconds one step less, if at most `max_errors` of what was
    let through in that time went wrong; it is over when all is open. Shares are 0 to 1; what is
    None there is `DEFAULT_STEP`, `DEFAULT_EVERY_S` and `DEFAULT_MAX_ERRORS`.

    `at_s` counts from the beginning of whatever the action is part of. What belongs to another
    action is left None.
    """

    action: ActionType
    for_s: float
    at_s: float = 0.0
    lanes: tuple[str, ...] | None = None
    share: float | None = None
    step: float | None = None
    every_s: float | None = None
    max_errors: float | None = None

    def __post_init__(self) -> None:
        """Raise `ValueError`, naming the field and what is allowed."""
        parse_action_type(self.action)
        check_when("an action", self.for_s, self.at_s, self.lanes)
        self._check_own()
        for field, share in (("share", self.share), ("max_errors", self.max_errors)):
            if share is not None:
                check_share(field, share)
        if self.share == 0:
            raise ValueError("share: shed turns something away: above 0%")
        if self.step is not None and not SMALLEST_STEP <= self.step <= 1:
            raise ValueError(f"step: a step is from 1% to 100%, not {self.step * 100:g}%")
        if self.every_s is not None and not SHORTEST_S <= self.every_s <= LONGEST_S:
            raise ValueError(f"every: a step lasts from 1ms to 1h, not {told(self.every_s)}")

    def _check_own(self) -> None:
        """Whether there is what the action needs, and nothing that belongs to another."""
        if self.action == "shed" and self.share is None:
            raise ValueError('share: shed needs it: how much to turn away, as in "90%"')
        if self.action != "shed" and self.share is not None:
            raise ValueError(f"share: is for shed only, not for {self.action}")
        reopen = {"step": self.step, "every": self.every_s, "max_errors": self.max_errors}
        for field, said in reopen.items():
            if said is not None and self.action != "reopen":
                raise ValueError(f"{field}: is for reopen only, not for {self.action}")

    @property
    def text(self) -> str:
        """What is turned away, without the action's name: ``"90%"``."""
        return describe(self)
