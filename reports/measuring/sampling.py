"""A run as samples: what is kept of it where many runs are looked at together."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from reports.folding.run import Run
from reports.measuring.distribution import left_out, repeats_one, steady
from reports.measuring.episodes import episodes_of
from reports.measuring.figures import figures_of
from reports.measuring.lane import title_of, view_of
from reports.measuring.recovery import Episode, Figures, Recovery
from reports.reading.series import LaneSeries, RunRecord


@dataclass(frozen=True, slots=True)
class Sampled:
    """One lane of one run, without what is drawn of it.

    A run that repeated one trigger gives a sample each time, but for the `left_out` ones, which met
    a lane that was not over the one before. Any other run is one sample, as a whole. `each` is what
    was measured of every trigger, whether it repeats another or not; of a lane that nothing
    disturbed it is the whole run.
    """

    lane: str
    policy: str
    title: str
    describe: str
    samples: tuple[Figures, ...]
    left_out: int = 0
    each: tuple[Episode, ...] = ()

    @property
    def disturbed(self) -> bool:
        """Whether there was anything to recover from."""
        return any(one.after is not None for one in self.samples)


@dataclass(frozen=True, slots=True)
class SampledRun:
    """One run, by the name that it is called there; not valid if there is anything against it."""

    name: str
    run: Run
    invalid_because: tuple[str, ...]
    lanes: tuple[Sampled, ...]

    @property
    def valid(self) -> bool:
        """Whether anything can be said of it."""
        return not self.invalid_because


def sampled(lane: Recovery) -> Sampled:
    """Of a lane that was measured for a report."""
    bare = Figures(**{field.name: getattr(lane, field.name) for field in fields(Figures)})
    return _of(lane.title, lane.describe, bare, lane.episodes)


def sample_lane(record: RunRecord, lane: LaneSeries) -> Sampled:
    """Of a lane of which nothing will be drawn, which is faster."""
    view = view_of(record, lane)
    whole = figures_of(view)
    return _of(title_of(record, lane), lane.describe, whole, episodes_of(view, whole))


def _of(title: str, describe: str, whole: Figures, episodes: Sequence[Episode]) -> Sampled:
    samples: tuple[Figures, ...] = (whole,)
    unsteady = 0
    if len(episodes) > 1 and repeats_one(episodes):
        samples = steady(episodes)
        unsteady = left_out(episodes)
    each = tuple(episodes) or (Episode(1, 0, False, False, whole),)
    return Sampled(whole.lane, whole.policy, title, describe, samples, unsteady, each)
