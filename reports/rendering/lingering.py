"""That retries went on after the load had settled, in a sentence that all renderers share."""

from collections.abc import Iterable, Sequence

from reports.measuring.distribution import Distribution
from reports.measuring.recovery import Recovery
from reports.rendering import words
from reports.text import listed

NAMED = 3
_WENT_ON = "Retries went on after the load had settled, for as long as was watched"


def of_lanes(lanes: Iterable[Recovery]) -> tuple[str, ...]:
    """Of which lanes, and at what rate: all in one sentence; nothing where there was none."""
    told = [
        f"`{words.name(lane)}` at {words.rate(lane.after.lingering_per_s)}{_latency(lane)}"
        for lane in lanes
        if lane.after and lane.after.lingering_per_s is not None
    ]
    return (f"{_WENT_ON}: {listed(told, NAMED)}.",) if told else ()


def of_samples(distributions: Iterable[Distribution]) -> tuple[str, ...]:
    """In how many samples of each lane."""
    told = [
        f"`{found.title}` in {found.lingering:,} of {len(found.samples):,}"
        for found in distributions
        if found.lingering
    ]
    return (f"{_WENT_ON}: {listed(told, NAMED)}.",) if told else ()


def under_picture(lane: Recovery, found: Distribution | None) -> str:
    """Of one lane, over its samples where it has several. No figure that is in no table."""
    if found is None:
        went_on = lane.after and lane.after.lingering_per_s is not None
        return f"{_WENT_ON}{_latency(lane)}." if went_on else ""
    if not found.lingering:
        return ""
    return f"{_WENT_ON}, in {'each' if found.lingering == len(found.samples) else 'some'} of these."


def under_sheet(lanes: Iterable[Recovery], distributions: Sequence[Distribution]) -> str:
    """Likewise of all lanes."""
    if distributions:
        told = [f"`{found.title}`" for found in distributions if found.lingering]
    else:
        told = [
            f"`{words.name(lane)}`{_latency(lane)}"
            for lane in lanes
            if lane.after and lane.after.lingering_per_s is not None
        ]
    return f"{_WENT_ON}: {listed(told, NAMED)}." if told else ""


def _latency(lane: Recovery) -> str:
    """That latency was not back either, where there was one before."""
    cost = lane.cost
    if cost is None or cost.latency_before_ms is None or cost.latency_back_s is not None:
        return ""
    return " (latency not back)"
