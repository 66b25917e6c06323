"""The maps of a sweep: for each policy what became of its cells, along two axes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from statistics import median

import numpy as np
import numpy.typing as npt

from loadtests.simulation.sweep.axes import Axis
from loadtests.simulation.sweep.plan import Sweep
from loadtests.simulation.sweep.verdict import Judged

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Panel:
    """One map: rows along `y`, columns along `x`; without a `y` it has one row.

    `fixed` says what else was varied, and where this map stands in it. `recovered` and `invalid`
    count runs, `settled_s` is the median of those that recovered and `failed_share` that of all,
    `unanswered_share` likewise; not a number where there is nothing. `split`: its runs did not all
    come to the same end.
    """

    policy: str
    fixed: tuple[str, ...]
    x: Axis
    y: Axis | None
    verdicts: npt.NDArray[np.int8]
    split: npt.NDArray[np.bool_]
    recovered: Numbers
    settled_s: Numbers
    failed_share: Numbers
    unanswered_share: Numbers
    invalid: Numbers

    @property
    def title(self) -> str:
        """The policy, and what else is so in this map."""
        return ", ".join([self.policy, *self.fixed])


def varying(sweep: Sweep) -> list[int]:
    """The axes that have more than one value: what has one is a setting."""
    return [index for index, axis in enumerate(sweep.axes) if len(axis.values) > 1]


def panels_of(judged: Judged) -> Iterator[Panel]:
    """A map a policy, and for each of them one for every combination beyond the first two axes."""
    sweep = judged.sweep
    drawn, others = varying(sweep)[:2] or [0], varying(sweep)[2:]
    recovered, settled_s, failed_share, unanswered_share, invalid = _figures(judged)
    for lane, policy in enumerate(sweep.lanes):
        for values in product(*(enumerate(sweep.axes[axis].values) for axis in others)):
            where: list[int | slice] = [0] * len(sweep.axes)
            for axis, (index, _) in zip(others, values, strict=True):
                where[axis] = index
            for axis in drawn:
                where[axis] = slice(None)
            at = (*where, lane)
            fixed = zip(others, values, strict=True)
            yield Panel(
                policy=policy,
                fixed=tuple(f"{sweep.axes[axis].path}={value}" for axis, (_, value) in fixed),
                x=sweep.axes[drawn[0]],
                y=sweep.axes[drawn[1]] if len(drawn) > 1 else None,
                verdicts=np.atleast_2d(judged.verdicts[at].T),
                split=np.atleast_2d(judged.split[at].T),
                recovered=np.atleast_2d(recovered[at].T),
                settled_s=np.atleast_2d(settled_s[at].T),
                failed_share=np.atleast_2d(failed_share[at].T),
                unanswered_share=np.atleast_2d(unanswered_share[at].T),
                invalid=np.atleast_2d(invalid[at].T),
            )


def _figures(judged: Judged) -> list[Numbers]:
    """By cell, in the order of a panel's figures."""
    sweep = judged.sweep
    found = np.full((5, sweep.cells), np.nan)
    for number, played in judged.played.items():
        if number < sweep.cells:
            settled = [time for time in played.settled_s if time is not None]
            found[0, number] = played.recovered
            found[1, number] = median(settled) if settled else np.nan
            found[2, number] = median(played.failed_share)
            found[3, number] = played.unanswered_median
            found[4, number] = played.invalid
    return [array.reshape(sweep.shape) for array in found]
