"""Which policy a lane has: one object for each lane, so that its budget is its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from loadtests.policies import RetryPolicy
from loadtests.policy_names import PolicySource


@dataclass(slots=True)
class LanePolicy:
    """A lane's policy with where its jitter is drawn, and whether it has been seen to raise."""

    policy: RetryPolicy
    jitter: Random
    has_raised: bool = False


@dataclass(slots=True)
class LanePolicies:
    """Makes a lane's policy when its first request comes: its own, or `default`."""

    default: PolicySource
    own: Mapping[str, PolicySource]
    seed: str
    _made: dict[str, LanePolicy] = field(default_factory=dict)

    def of(self, lane: str) -> LanePolicy:
        """The policy of this lane. There are no more of them than the meter has lanes."""
        made = self._made.get(lane)
        if made is None:
            source = self.own.get(lane, self.default)
            # Jitter is no secret; a seed by name makes it the same each time.
            jitter = Random(f"{self.seed}/jitter/{lane}")
            made = self._made[lane] = LanePolicy(source.build(), jitter)
        return made
