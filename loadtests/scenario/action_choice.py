"""What an operator does in a scenario, and when."""

from typing import Self

from pydantic import Field, model_validator

from faults.action import DEFAULT_REOPEN_S, OperatorAction, parse_action_type
from loadtests.scenario.fields import Instant, Part, Seconds, Share


class ActionChoice(Part):
    """An operator's action: `at` which instant, `for` how long; a reopening ends by itself."""

    action: str
    at_s: Instant = Field(alias="at")
    for_s: Seconds | None = Field(None, alias="for")
    lanes: tuple[str, ...] | None = None
    share: Share | None = None
    step: Share | None = None
    every_s: Seconds | None = Field(None, alias="every")
    max_errors: Share | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.operator_action()
        return self

    def operator_action(self) -> OperatorAction:
        """The action. Raises `ValueError`, naming the field and what is allowed."""
        parse_action_type(self.action)
        for_s = self.for_s
        if for_s is None and self.action == "reopen":
            for_s = DEFAULT_REOPEN_S
        if for_s is None:
            raise ValueError(f'for: {self.action[:32]} needs it: how long, as in "10s"')
        return OperatorAction(
            action=self.action,  # type: ignore[arg-type]  # it checks the name and says what is allowed
            for_s=for_s,
            at_s=self.at_s,
            lanes=self.lanes,
            share=self.share,
            step=self.step,
            every_s=self.every_s,
            max_errors=self.max_errors,
        )
