"""Measured beside predicted, figure by figure, in words."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reports.measuring.recovery import Recovery
from reports.prediction import PredictedLane, Prediction, Range, first_fit_s, settled_s
from reports.rendering import words
from reports.rendering.cells import span
from reports.summary import Report

TITLES = ("peak", "first fit", "settled", "failed", "attempts")


@dataclass(frozen=True)
class Compared:
    """One figure of one lane. `within`: what was measured is in the range of the predictions.

    It is `None` where there is nothing to compare.
    """

    title: str
    measured: str
    predicted: str
    range: str
    within: bool | None


@dataclass(frozen=True)
class _Figure:
    """`known`: it was measured, if only as a moment that did not come, which `beyond` tells."""

    title: str
    text: Callable[[float], str]
    value: float | None
    range: Range | None
    known: bool = True
    beyond: str = words.NOT_MEASURED

    def compared(self) -> Compared:
        told = self._told(self.value) if self.known else words.NOT_MEASURED
        if self.range is None:
            return Compared(self.title, told, words.NOT_MEASURED, words.NOT_MEASURED, None)
        within = self.range.holds(self.value) if self.known else None
        return Compared(
            self.title, told, self._told(self.range.median), self._span(self.range), within
        )

    def _told(self, value: float | None) -> str:
        return self.beyond if value is None else self.text(value)

    def _span(self, found: Range) -> str:
        """``3.2–4.9 s``: the unit once; one figure of two that are the same; ``4.1 to > 10 s``."""
        joint = "–" if found.high is not None else " to "
        return span(self._told(found.low), self._told(found.high), joint)


def compare(policy: Recovery, lane: PredictedLane | None) -> tuple[Compared, ...]:
    """The figures of one lane, in the order of `TITLES`."""
    return tuple(figure.compared() for figure in _figures(policy, lane))


def _figures(policy: Recovery, lane: PredictedLane | None) -> Iterator[_Figure]:
    after = policy.after is not None
    beyond = words.beyond(policy.after.observed_s) if policy.after else words.NOT_MEASURED
    moment, count = words.seconds, words.count
    yield _Figure("peak", words.rate, policy.peak_per_s, lane.peak_per_s if lane else None)
    first_fit, settled = (lane.first_fit_s, lane.settled_s) if lane else (None, None)
    yield _Figure("first fit", moment, first_fit_s(policy), first_fit, after, beyond)
    yield _Figure("settled", moment, settled_s(policy), settled, after, beyond)
    told = policy.failed is not None
    yield _Figure("failed", count, policy.failed, lane.failed if lane else None, told)
    yield _Figure("attempts", count, policy.attempts, lane.attempts if lane else None)


def judged(figures: Sequence[Compared]) -> str:
    """``yes``, or which figures of a lane are not within their range."""
    if beyond := beyond_range(figures):
        return f"no: {', '.join(beyond)}"
    return "yes" if any(one.within for one in figures) else words.NOT_MEASURED


def verdict(report: Report, prediction: Prediction) -> str:
    """One sentence: how many figures are within the range, and which are not."""
    lanes = [(policy, compare(policy, prediction.of(policy.lane))) for policy in report.policies]
    known = [one.within for _, figures in lanes for one in figures if one.within is not None]
    if not known:
        return "No lane of this run was predicted."
    share = f"All {len(known)}" if all(known) else f"{sum(known)} of {len(known)}"
    beyond = [(policy, beyond_range(figures)) for policy, figures in lanes]
    named = [
        f"{', '.join(titles)} of `{words.name(policy)}`" for policy, titles in beyond if titles
    ]
    rest = f"; not so {'; '.join(named)}" if named else ""
    return f"{share} figures are within the range of {prediction.runs} predictions{rest}."


def beyond_range(figures: Sequence[Compared]) -> list[str]:
    """The titles of those that are not within their range."""
    return [figure.title for figure in figures if figure.within is False]


def meaning(prediction: Prediction) -> str:
    """What the range is, and what to think of a figure that is not in it."""
    first, last = prediction.seed, prediction.seed + prediction.runs - 1
    return (
        f"Predicted is the median of {prediction.runs} simulated runs of this scenario, with the "
        f"seeds {first} to {last}; the range is from the least to the most of them. Of more runs "
        f"just like these, {words.whole_percent(prediction.outside_by_chance)} have a given figure "
        f"outside."
    )
