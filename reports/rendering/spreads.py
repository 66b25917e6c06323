"""A measure over several samples as people read it, whatever measure it is.

What had not come about is never in a number: a median beyond it is ``> 28 s``, and beside it stands
in how many of the samples it had not.
"""

from collections.abc import Sequence

from reports.measuring.catalogue import SETTLED, TIMES_TRIGGER
from reports.measuring.distribution import Distribution
from reports.measuring.measure import Measure
from reports.rendering import words
from reports.rendering.cells import span, written
from reports.statistics.bootstrap import FEWEST, RESAMPLES
from reports.statistics.value import Value

METHOD = (
    "Each figure is the median; in brackets its 95% confidence interval "
    f"({RESAMPLES:,} bootstrap resamples, or the beta product where that is wider); then the range "
    "from the 5th to the 95th percentile, which of fewer than 20 samples is all. Where all samples "
    "are alike, it stands alone. What had not come about while it was watched counts as longer "
    "than that (Kaplan and Meier), never as a number."
)
OF_ONE_RUN = (
    "what they have in common, as its seed, is in no interval, and other runs may differ by more."
)
METHOD_OF_RUN = f"{METHOD} All are of one run: {OF_ONE_RUN}"


def median(measure: Measure, found: Distribution) -> str:
    """``4.9 s``; ``> 28 s`` where fewer than half had come about by then."""
    summary = found.summaries.get(measure.name)
    return words.NOT_MEASURED if summary is None else written(measure, summary.median)


def interval(measure: Measure, found: Distribution) -> str:
    """``[4.4–5.6 s]``: between what the median lies; empty where that cannot be said."""
    summary = found.summaries.get(measure.name)
    if summary is None or summary.interval is None or summary.alike:
        return ""
    return f"[{between(measure, *summary.interval, both=True)}]"


def spread(measure: Measure, found: Distribution) -> str:
    """``3.2–7.1 s``: from the 5th to the 95th percentile; empty where all samples are alike."""
    summary = found.summaries.get(measure.name)
    if summary is None or summary.alike:
        return ""
    return between(measure, summary.p05, summary.p95)


def late(measure: Measure, found: Distribution) -> str:
    """``not recovered in 3 of 10``; empty where it came about in all, or another figure says it."""
    summary = found.summaries.get(measure.name)
    if summary is None or not summary.late or measure is TIMES_TRIGGER:
        return ""
    return f"{measure.lack} in {summary.late} of {summary.n}"


def is_lost(measure: Measure, found: Distribution) -> bool:
    """Whether it says of any sample that the lane did not recover: such a cell stands out."""
    summary = found.summaries.get(measure.name)
    return measure.verdict and summary is not None and bool(summary.late)


def not_recovered(found: Distribution) -> str:
    """``not recovered in 3 of 10``; empty where it recovered in all."""
    return f"not recovered in {found.lost} of {len(found.samples)}" if found.lost else ""


def between(
    measure: Measure, low: Value, high: Value, joint: str = "–", *, both: bool = False
) -> str:
    """``4.4–5.6 s``: the unit once; one figure of two that are alike; ``4.1 to > 28 s``."""
    ends = (written(measure, low), written(measure, high))
    return span(*ends, " to " if high.late else joint, both=both)


def settled_within(found: Distribution) -> str:
    """``settled within a median of 4.9 s (95%: 4.4 to 5.6 s)``; "at once" where all did."""
    summary = found.summaries.get(SETTLED.name)
    if summary is None:
        return "was not disturbed"
    if summary.alike and not summary.late and not summary.median.amount:
        return "was never above capacity after it"
    if summary.n == 1 and not summary.late:
        return f"settled after {written(SETTLED, summary.median)}"
    sure = ""
    if summary.interval is not None and not summary.alike:
        which = "95%, of one run alone" if found.of_one_run else "95%"
        sure = f" ({which}: {between(SETTLED, *summary.interval, joint=' to ')})"
    if summary.median.late:
        # Fewer than half came back: there is no median to tell, only that it is beyond.
        return f"settled within a median of more than {words.span(summary.median.amount)}{sure}"
    return f"settled within a median of {written(SETTLED, summary.median)}{sure}"


def too_few(each: Sequence[Distribution]) -> str:
    """That an interval takes more samples, where a lane has too few; empty where none has."""
    least = min(each, key=lambda found: found.sets, default=None)
    if least is None or least.sets >= FEWEST:
        return ""
    what = "run" if least.repeated else "sample"
    many = f"1 {what}" if least.sets == 1 else f"{least.sets} {what}s"
    return f"Of {many} no interval of the median can be said: that takes {FEWEST}."
