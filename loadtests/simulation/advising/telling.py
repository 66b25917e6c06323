"""Figures of candidates as people read them; sentences, table and page share these.

A name stands between backticks, as in the report's sentences.
"""

import math

from loadtests.simulation.advising.figures import Spread, Standing
from reports.rendering import words


def percent(share: float) -> str:
    """``3.8%``: to a tenth, as it is compared."""
    return f"{share * 100:.1f}%"


def percents(found: Spread) -> str:
    """``3.6–3.9%``, or one figure where both bounds are written alike."""
    low, high = f"{found.low * 100:.1f}", f"{found.high * 100:.1f}"
    return f"{low}%" if low == high else f"{low}–{high}%"


def settled(standing: Standing) -> str:
    """``3.8 s``, or ``> 30 s`` for those that were not watched long enough to see it."""
    return _settled(standing.settled.median, standing.observed_s)


def settled_between(standing: Standing) -> str:
    """``3.6–3.9 s``, or one figure where both bounds are written alike."""
    spread = standing.settled
    low, high = _figure(spread.low), _figure(spread.high)
    if low == high:
        return settled(standing)
    if math.isinf(spread.high):
        return f"{low} to {words.beyond(standing.observed_s)}"
    return f"{low}–{high} s"


def _figure(seconds: float) -> str:
    return f"{seconds:.1f}"


def _settled(seconds: float, observed_s: float) -> str:
    return words.beyond(observed_s) if math.isinf(seconds) else f"{_figure(seconds)} s"


def back(standing: Standing, what: str, *, both: bool = False) -> str:
    """``the load is back under capacity 0.2 s after the dip is over``: a clause.

    With when goodput is back, where that is later; with `both`, always. Where one of the two is
    not back, the service is not.
    """
    if not standing.back:
        return f"the service is not back within {words.span(standing.observed_s)}"
    settled_s = standing.settled.median
    when = "as soon as" if settled_s < 0.05 else f"{_figure(settled_s)} s after"
    remarks = [goodput(standing)] if both or standing.answers_later else []
    if standing.recovered < standing.runs:
        remarks.append(f"in {standing.recovered} of {standing.runs} runs")
    remark = f" ({'; '.join(remarks)})" if remarks else ""
    return f"the load is back under capacity {when} {what} is over{remark}"


def goodput(standing: Standing) -> str:
    """``goodput only after 2.7 s``, without the *only* where it is no later than the load."""
    goodput_s = standing.goodput.median
    if math.isinf(goodput_s):
        return f"goodput not within {words.span(standing.observed_s)}"
    only = "only " if standing.answers_later else ""
    return f"goodput {only}{'at once' if goodput_s < 0.05 else f'after {_figure(goodput_s)} s'}"


def before(standing: Standing) -> str:
    """``in place of 3.8 s``, or ``and with `name` not within 30 s``: how it was."""
    settled_s = standing.settled.median
    if math.isinf(settled_s):
        return f"and with {named(standing)} not within {words.span(standing.observed_s)}"
    return f"in place of {'at once' if settled_s < 0.05 else f'{_figure(settled_s)} s'}"


def named(standing: Standing) -> str:
    """The name between backticks, of which it has none of its own."""
    return f"`{standing.name.replace('`', chr(39))}`"


def failures(have: Standing, better: Standing) -> str:
    """What becomes of the unserved requests, one being in the place of another: a clause."""
    share = percent(better.unserved.median)
    if have.fails_alike(better):
        return f"as many requests go unserved ({share})"
    return f"{share} of requests go unserved in place of {percent(have.unserved.median)}"
