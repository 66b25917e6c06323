"""What is compared: the measures that have a better and a worse, each in a unit that compares."""

from collections.abc import Sequence

from reports.measuring.catalogue import AMPLIFICATION, FAILED_SHARE, MEASURES, SETTLED
from reports.measuring.measure import Better, Measure

USUAL = (SETTLED, FAILED_SHARE, AMPLIFICATION)
_NAMES = {measure.name for measure in MEASURES}
COMPARED = tuple(
    measure
    for measure in MEASURES
    if measure.better is not Better.NEITHER and f"{measure.name}_share" not in _NAMES
)
"""Where there is a share of the requests too, that only: runs need not be equally long."""


def measures_of(words: Sequence[str]) -> tuple[Measure, ...]:
    """The measures with these words, each once; without any the usual ones.

    What has a share of its own stands for that. Raises `ValueError`, naming what there is.
    """
    by_word = {measure.word: measure for measure in COMPARED}
    chosen = []
    for word in words:
        found = by_word.get(word) or by_word.get(f"{word}-share")
        if found is None:
            raise ValueError(
                f"--measure: {word[:40]!r} cannot be compared: one of {', '.join(by_word)}"
            )
        chosen.append(found)
    return tuple(dict.fromkeys(chosen)) or USUAL
