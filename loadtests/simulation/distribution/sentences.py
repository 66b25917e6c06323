"""What is said of a distribution in words; terminal and page share these."""

from loadtests.simulation.distribution.figures import SETTLED, UNANSWERED, Figure, written
from loadtests.simulation.distribution.ranks import CONFIDENCE
from loadtests.simulation.distribution.summary import Distribution, LaneDistribution
from reports.rendering import words

MEANING = (
    "Each figure is the median of the runs, and beneath it the range of 90% of them. In brackets: "
    f"where the median, or the share, would be with endless runs, with {CONFIDENCE:.0%} "
    "confidence. A run that did not come back counts as longer than any other, not as none."
)


def headline(found: Distribution) -> str:
    """How many runs there are, and what with."""
    first, last = found.runs[0].seed, found.runs[-1].seed
    runs = f"{len(found.runs):,} simulated runs" if len(found.runs) > 1 else "1 simulated run"
    seeds = f"seeds {first} to {last}" if last > first else f"seed {first}"
    if len(found.runs) < found.planned:
        runs = f"{runs} of {found.planned:,}, stopped before the end"
    return f"{found.name}: {runs}, {seeds}, engine {found.chosen.engine.value}"


def verdict(found: Distribution) -> str:
    """Which lanes always came back, and which did not."""
    lost = [lane for lane in found.lanes if lane.recovered < lane.runs]
    if not any(lane.observed_s for lane in found.lanes):
        return "Nothing disturbed these runs: there is no recovery to measure."
    if not lost:
        return "Every lane recovered in every run."
    worst = min(lost, key=lambda lane: lane.recovered_share)
    never = [lane for lane in lost if not lane.recovered]
    if never:
        names = ", ".join(f"`{lane.lane}`" for lane in never[:3])
        more = f" and {len(never) - 3} more" if len(never) > 3 else ""
        return f"{names}{more} never recovered within {words.span(worst.observed_s)}."
    either_way = 0.05 <= worst.recovered_share <= 0.95
    return (
        f"`{worst.lane}` recovered within {words.span(worst.observed_s)} in {recovered(worst)} of "
        f"the runs{': it is near a tipping point' if either_way else ''}."
    )


def unanswered(found: Distribution) -> str:
    """Where requests had no answer at the end, which is no failure yet; nothing where all had."""
    count, share = UNANSWERED
    told = [
        f"`{lane.lane}` {median(count, lane)} ({median(share, lane)})"
        for lane in found.lanes
        if (spread := lane.spreads.get(count.name)) is not None and spread.median
    ]
    if not told:
        return ""
    return (
        "Still unanswered at the end, longer than an attempt may take, and not counted as failed, "
        f"median of requests: {', '.join(told)}."
    )


def against(found: Distribution) -> str:
    """How many of the runs are not valid, and why; nothing where all are."""
    if not found.invalid:
        return ""
    first = found.invalid[0]
    many = f"{len(found.invalid)} of these runs are" if len(found.invalid) > 1 else "1 of them is"
    return f"{many} not valid, as with seed {first.seed}: {'; '.join(first.invalid_because)}."


def recovered(lane: LaneDistribution) -> str:
    """``98.3%``."""
    return _share(lane.recovered_share)


def recovered_interval(lane: LaneDistribution) -> str:
    """``[97.0–99.5%]``."""
    low, high = lane.recovered_interval
    return f"[{_share(low).removesuffix('%')}–{_share(high)}]"


def _share(share: float) -> str:
    """A decimal, but for all and none: 99.96% is not all."""
    if share in {0.0, 1.0}:
        return f"{share:.0%}"
    return f"{min(99.9, max(0.1, 100 * share)):.1f}%"


def median(figure: Figure, lane: LaneDistribution) -> str:
    """The median of a figure."""
    spread = lane.spreads.get(figure.name)
    return written(figure, spread.median if spread else None, lane.observed_s)


def median_interval(figure: Figure, lane: LaneDistribution) -> str:
    """Between what the median lies; nothing where that cannot be said, or all runs are alike."""
    spread = lane.spreads.get(figure.name)
    if spread is None or spread.interval is None or spread.alike:
        return ""
    return f"[{between(figure, spread.interval, lane.observed_s)}]"


def most(figure: Figure, lane: LaneDistribution) -> str:
    """Between what 90% of the runs lie; nothing where all are alike."""
    spread = lane.spreads.get(figure.name)
    if spread is None or spread.alike:
        return ""
    return between(figure, (spread.p05, spread.p95), lane.observed_s)


def between(figure: Figure, ends: tuple[float, float], observed_s: float) -> str:
    """``3.2–4.0 s``: the unit once, where both ends have it."""
    low, high = (written(figure, end, observed_s) for end in ends)
    if low == high:
        return low
    if high.startswith(">"):
        return f"{low} to {high}"
    for unit in (" s", " M/s", "/s", "×", "%", " M"):
        if low.endswith(unit) and high.endswith(unit):
            return f"{low.removesuffix(unit)}–{high}"
    return f"{low}–{high}"


def chart_in_words(lane: LaneDistribution) -> str:
    """The chart of a lane, for those who do not see it."""
    return (
        f"Share of the runs in which {words.printable(lane.lane)} had settled, by the time after "
        f"the disturbance: half by {median(SETTLED, lane)}, {recovered(lane)} in all."
    )
