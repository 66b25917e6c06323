"""Between which lengths of a disturbance a policy ceases to recover."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.measuring.recovery import Recovery


@dataclass(frozen=True, slots=True)
class TippingPoint:
    """Of disturbances of one `type`, the lengths recovered from, and those that were not."""

    type: str
    recovered_s: tuple[float, ...]
    lost_s: tuple[float, ...]


def tipping_point(lanes: Sequence[Recovery]) -> TippingPoint | None:
    """Of lanes with one policy whose triggers differ in length only; `None` where none shows.

    Nor where several disturbances are one trigger: they differ in more.
    """
    kinds = set()
    back_s: list[float] = []
    lost_s: list[float] = []
    for lane in lanes:
        trigger, after = lane.trigger, lane.after
        if trigger and after and lane.requests:
            if trigger.together > 1:
                return None
            kinds.add((lane.policy, trigger.type, trigger.text))
            (back_s if after.recovered else lost_s).append(trigger.length_s)
    if len(kinds) != 1 or not back_s or not lost_s or max(back_s) >= min(lost_s):
        return None
    return TippingPoint(kinds.pop()[1], tuple(back_s), tuple(lost_s))
