"""By how much medians have to differ to matter, as people write it: ``"10%"``, ``"500ms"``."""

from collections.abc import Sequence
from dataclasses import dataclass

from aftershock_units import parse_duration_s, parse_share
from reports.measuring.measure import Measure, Unit
from reports.statistics.difference import Difference

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Least:
    """A share of the median of BASE, and seconds for what is measured in them; `texts` as given.

    A median of 0 has no share: any difference from it is larger.
    """

    share: float = 0.0
    seconds: float = 0.0
    texts: tuple[str, ...] = ()

    def exceeds(self, measure: Measure, found: Difference) -> bool:
        """Whether the medians differ by less. Of a late one nobody knows by how much it does."""
        if found.shift is None:
            return False
        differ, share = abs(found.shift.amount), self.share * abs(found.base.median.amount)
        least = max(share, self.seconds if measure.unit is Unit.SECONDS else 0.0)
        return differ < least - ROUNDING


def least_of(texts: Sequence[str]) -> Least:
    """Of a share, a duration, or both. Raises `ValueError`, naming what is allowed."""
    shares, seconds = [0.0], [0.0]
    for text in texts:
        into, parse = (shares, parse_share) if "%" in text else (seconds, parse_duration_s)
        try:
            into.append(parse(text))
        except ValueError:
            raise ValueError(
                f"--least: {text[:32]!r} is neither a share of BASE's median, as in "
                f'"10%", nor a duration, as in "500ms"'
            ) from None
    return Least(max(shares), max(seconds), tuple(text.strip() for text in texts))
