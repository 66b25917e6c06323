"""What became of every cell of a sweep: it recovers, is vulnerable, or never comes back.

A failure is metastable when it goes on after what set it off is over (Bronson, Aghayev, Charapko
and Zhu, "Metastable failures in distributed systems", HotOS 2021). Such a system has three states
("Metastable failures in the wild", Huang et al., OSDI 2022): *stable*, where no trigger however
large would keep it down; *vulnerable*, where it works and would stay down after a larger trigger;
*metastable*, where it stays down. A cell is

- **never comes back** when half of its runs or more do not recover within the observation;
- **vulnerable** when more than half of them do, and the same cell with a larger trigger does not:
  another cell of the sweep with a larger dip (fault, spike) and all else equal, or the probe, an
  outage in the place of the trigger (`alone.with_outage`), one for each combination of what else
  is varied;
- **recovers** when neither is so;
- **not valid**, whatever it did, when half of its runs or more are not: where the load was above
  capacity before the trigger already, say, there is no steady state to return to.

Larger along several axes means larger or equal along each. Of two triggers neither of which is
larger nothing is concluded.

A majority of few runs can err where the outcome is chance. So a cell of which some runs recover and
some do not is told apart, and so is one that does not come back though it does, or the probe, after
a larger trigger: larger was taken for worse.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from loadtests.simulation.sweep.cells import Played
from loadtests.simulation.sweep.plan import Sweep

Bools = npt.NDArray[np.bool_]


class Verdict(IntEnum):
    """From the best to what says nothing; a cell that was not played yet has none."""

    UNKNOWN = -1
    RECOVERS = 0
    VULNERABLE = 1
    NEVER = 2
    INVALID = 3

    @property
    def words(self) -> str:
        """As tables have it."""
        return _WORDS[self]


_WORDS = {
    Verdict.UNKNOWN: "not played yet",
    Verdict.RECOVERS: "recovers",
    Verdict.VULNERABLE: "vulnerable",
    Verdict.NEVER: "never comes back",
    Verdict.INVALID: "not valid",
}


@dataclass(frozen=True)
class Judged:
    """A sweep and what became of it. `verdicts` has a dimension an axis, and the last for lanes.

    So have `split`, valid cells of which not all runs came to the same end, and `against_order`,
    those that never come back and do after a larger trigger. `split_probes` are so many.
    """

    sweep: Sweep
    played: Mapping[int, Played]
    verdicts: npt.NDArray[np.int8]
    split: Bools
    against_order: Bools
    split_probes: int

    @property
    def whole(self) -> bool:
        """Whether all was played. A cell may turn out to be vulnerable until it is."""
        return len(self.played) == self.sweep.size

    def count(self, verdict: Verdict) -> int:
        """How many cells have this verdict."""
        return int(np.count_nonzero(self.verdicts == verdict))


def judge(sweep: Sweep, played: Mapping[int, Played]) -> Judged:
    """Judge all that was played, by number."""
    known, invalid, down, up, split = np.zeros((5, sweep.size), np.bool_)
    for number, found in played.items():
        known[number] = True
        invalid[number] = not found.valid
        down[number] = found.valid and not found.comes_back
        up[number] = found.valid and found.comes_back
        split[number] = found.valid and not found.agrees
    here = _cells(sweep, down)
    verdicts = np.where(here, Verdict.NEVER, np.where(_larger(sweep, down), Verdict.VULNERABLE, 0))
    verdicts[_cells(sweep, invalid)] = Verdict.INVALID
    verdicts[~_cells(sweep, known)] = Verdict.UNKNOWN
    return Judged(
        sweep,
        played,
        verdicts.astype(np.int8),
        split=_cells(sweep, split),
        against_order=here & _larger(sweep, up),
        split_probes=int(np.count_nonzero(split[sweep.cells :])),
    )


def _cells(sweep: Sweep, numbered: Bools) -> Bools:
    return numbered[: sweep.cells].reshape(sweep.shape)


def _larger(sweep: Sweep, numbered: Bools) -> Bools:
    """Where it is so of this trigger, of a larger one or of the probe, all else being equal."""
    found = _cells(sweep, numbered)
    for axis, sizes in enumerate(sweep.trigger_sizes):
        if sizes is not None:
            largest_first = sorted(range(len(sizes)), key=sizes.__getitem__, reverse=True)
            ordered = np.take(found, largest_first, axis)
            reached: Bools = np.logical_or.accumulate(ordered, axis)
            found = np.take(reached, np.argsort(largest_first), axis)
    return found | numbered[sweep.cells :].reshape(sweep.probe_shape)
