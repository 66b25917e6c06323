"""The whole of a scenario, and what its parts must agree on."""

from collections import Counter
from typing import Self

from pydantic import Field, model_validator

from faults.dip import Dip
from loadtests.scenario.disturbances import DipChoice
from loadtests.scenario.fields import Part, Seconds
from loadtests.scenario.load import Load, Target
from loadtests.scenario.policy_choice import PolicyChoice

ARTICLE_000 = ("no-retry", "immediate", "exponential", "full-jitter", "full-jitter-budget")


class Scenario(Part):
    """The whole of it. The defaults are the run of article 000 at a tenth of its load."""

    name: str = Field("one-dip", pattern=r"^[ -~]{1,80}$")
    seed: int = Field(0, ge=0, le=2**53)
    warm_up_s: Seconds = Field(10.0, alias="warm_up")
    observation_s: Seconds = Field(30.0, alias="observation")
    load: Load = Field(default_factory=Load)
    target: Target = Field(default_factory=Target)
    policies: tuple[PolicyChoice, ...] = Field(
        default_factory=lambda: tuple(PolicyChoice(name=name) for name in ARTICLE_000),
        min_length=1,
        max_length=32,
    )
    dips: tuple[DipChoice, ...] = Field(
        default_factory=lambda: (DipChoice(capacity="20%"),), max_length=100
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        lanes = Counter(choice.lane_name for choice in self.policies)
        twice = [lane for lane, count in lanes.items() if count > 1]
        if twice:
            raise ValueError(
                f"policies: lane {twice[0]!r} is named twice; give each policy its own `lane`"
            )
        for dip in self.dips:
            unknown = set(dip.lanes or ()) - set(lanes)
            if unknown:
                raise ValueError(
                    f"dips: unknown lane {sorted(unknown)[0]!r}: expected {', '.join(lanes)}"
                )
        return self

    def schedule(self) -> tuple[Dip, ...]:
        """The dips with their instants, in seconds from the beginning of the load."""
        return tuple(choice.dip(self.warm_up_s) for choice in self.dips)

    @property
    def planned_end_s(self) -> float:
        """The end of the observation, in seconds from the beginning of the load."""
        last_s = max((dip.at_s + dip.for_s for dip in self.schedule()), default=self.warm_up_s)
        return last_s + self.observation_s

    def layers(self) -> tuple[dict[str, str], ...]:
        """The gateways from the outermost inward: the policy of each lane that retries there.

        A lane with fewer layers than others has its own next to the target.
        """
        depth = max(len(choice.layer_policies) for choice in self.policies)
        gateways: tuple[dict[str, str], ...] = tuple({} for _ in range(depth))
        for choice in self.policies:
            policies = choice.layer_policies
            for gateway, policy in zip(gateways[depth - len(policies) :], policies, strict=True):
                gateway[choice.lane_name] = policy
        return gateways
