"""What is compared: the measures that have a better and a worse, each in a unit that compares."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from reports.measuring.catalogue import AMPLIFICATION, FAILED, MEASURES, SETTLED
from reports.measuring.measure import Better, Measure, Unit
from reports.measuring.recovery import Figures
from reports.statistics.value import Value

USUAL = (SETTLED, FAILED, AMPLIFICATION)
COMPARED = tuple(measure for measure in MEASURES if measure.better is not Better.NEITHER)


def measures_of(words: Sequence[str]) -> tuple[Measure, ...]:
    """The measures with these words, each once; without any the usual ones.

    What can be told as a share of the requests is: runs need not be equally long. Raises
    `ValueError`, naming what there is.
    """
    by_word = {measure.word: measure for measure in COMPARED}
    for word in words:
        if word not in by_word:
            raise ValueError(
                f"--measure: {word[:40]!r} cannot be compared: one of {', '.join(by_word)}"
            )
    chosen = [by_word[word] for word in dict.fromkeys(words)] or USUAL
    return tuple(_of_requests(one) if Unit.SHARE in one.limits else one for one in chosen)


def _of_requests(measure: Measure) -> Measure:
    if measure.unit is not Unit.COUNT:
        return measure
    return replace(measure, unit=Unit.SHARE, of=_share(measure.of))


def _share(of: Callable[[Figures], Value | None]) -> Callable[[Figures], Value | None]:
    def share(figures: Figures) -> Value | None:
        found = of(figures)
        if found is None or not figures.requests:
            return None
        return Value(found.amount / figures.requests, found.late)

    return share
