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
    """A sweep and what became of it. `verdicts` has a dimension an axis, and the last for lanes."""

    sweep: Sweep
    played: Mapping[int, Played]
    verdicts: npt.NDArray[np.int8]

    @property
    def whole(self) -> bool:
        """Whether all was played. A cell may turn out to be vulnerable until it is."""
        return len(self.played) == self.sweep.size

    def count(self, verdict: Verdict) -> int:
        """How many cells have this verdict."""
        return int(np.count_nonzero(self.verdicts == verdict))


def judge(sweep: Sweep, played: Mapping[int, Played]) -> Judged:
    """Judge all that was played, by number."""
    known = np.zeros(sweep.size, np.bool_)
    down = np.zeros(sweep.size, np.bool_)
    invalid = np.zeros(sweep.size, np.bool_)
    for number, found in played.items():
        known[number] = True
        down[number] = found.valid and not found.comes_back
        invalid[number] = not found.valid
    cells, probes = down[: sweep.cells], down[sweep.cells :]
    here = cells.reshape(sweep.shape)
    would_be = _larger_down(sweep, here) | probes.reshape(sweep.probe_shape)
    verdicts = np.where(here, Verdict.NEVER, np.where(would_be, Verdict.VULNERABLE, 0))
    verdicts[invalid[: sweep.cells].reshape(sweep.shape)] = Verdict.INVALID
    verdicts[~known[: sweep.cells].reshape(sweep.shape)] = Verdict.UNKNOWN
    return Judged(sweep, played, verdicts.astype(np.int8))


def _larger_down(sweep: Sweep, down: Bools) -> Bools:
    """Where a cell with this trigger or a larger one does not come back, all else being equal."""
    found = down
    for axis, sizes in enumerate(sweep.trigger_sizes):
        if sizes is not None:
            largest_first = sorted(range(len(sizes)), key=sizes.__getitem__, reverse=True)
            ordered = np.take(found, largest_first, axis)
            reached: Bools = np.logical_or.accumulate(ordered, axis)
            found = np.take(reached, np.argsort(largest_first), axis)
    return found
