"""One measure over many samples, in the few figures that are told."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.statistics.bootstrap import median_interval
from reports.statistics.survival import median, quantile
from reports.statistics.value import Value


@dataclass(frozen=True, slots=True)
class Summary:
    """One measure over `n` samples, `late` of which had not come about.

    `least` is the least that came about, or that was watched if none did. `interval` is that of
    the median at 95%: None for fewer than 6 samples, or sets of them.
    """

    n: int
    late: int
    least: Value
    p05: Value
    median: Value
    p95: Value
    most: Value
    interval: tuple[Value, Value] | None

    @property
    def alike(self) -> bool:
        """Whether all samples are the same."""
        return self.least == self.most and self.late in {0, self.n}


def summarise(samples: Sequence[Value]) -> Summary:
    """Sum up at least one sample. What is late is counted, and never taken for a number."""
    return summarise_sets([[value] for value in samples])


def summarise_sets(sets: Sequence[Sequence[Value]]) -> Summary:
    """Likewise of sets of samples that have something in common, each of one sample at least.

    The median and its interval are those of the sets' medians: samples of one set are no
    independent ones, and would make the interval too narrow. All else is over all samples.
    """
    samples = [value for one in sets for value in one]
    if not samples:
        raise ValueError("no samples: expected at least 1")
    medians = [median(one) for one in sets]
    return Summary(
        n=len(samples),
        late=sum(value.late for value in samples),
        least=min([value for value in samples if not value.late] or samples),
        p05=quantile(samples, 0.05),
        median=median(medians),
        p95=quantile(samples, 0.95),
        most=max(samples),
        interval=median_interval(medians),
    )
