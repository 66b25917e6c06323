"""A lane: one isolated capacity, what is admitted to it and counted in it."""

from target_service.admission import Admission
from target_service.dips import Dip
from target_service.levels import Base, InForce
from target_service.limits import MAX_LANE_NAME, MAX_LANES
from target_service.meter import Counts, LaneTick, count
from target_service.service import Job, QueueModel, ServiceConfig, Verdict

_TAKEN, _FULL = Verdict.TAKEN, Verdict.FULL

LANE_NAME_FORM = (
    f"a lane name: 1 to {MAX_LANE_NAME} printable ASCII characters, no space at either end"
)
LANE_LIMIT = f"there are {MAX_LANES} lanes, the limit"


class BadLaneNameError(ValueError):
    """A text that cannot name a lane."""


class TooManyLanesError(Exception):
    """As many lanes as are allowed exist."""


class UnknownLaneError(LookupError):
    """A lane was named that does not exist (yet)."""


def checked_name(name: str) -> str:
    """`name`, if it can name a lane. Raises `BadLaneNameError`, naming what is allowed."""
    plain = name.isascii() and name.isprintable() and name == name.strip()
    if not plain or not 1 <= len(name) <= MAX_LANE_NAME:
        raise BadLaneNameError(f"expected {LANE_NAME_FORM}")
    return name


def base_of(config: ServiceConfig | None, base_per_s: float, configured_per_s: float) -> Base:
    """What a lane can do at a base capacity that was `configured_per_s`, above 0, at first."""
    if config is None:
        return Base(base_per_s)
    workers = config.workers * base_per_s / configured_per_s
    return Base(base_per_s, workers, config.time.mean_s if config.time else None)


class Lane:
    """One lane in the tick that is running, and its totals over the finished ones.

    With a `model` attempts wait and are served by workers; without one those that fit in the
    tick's capacity are admitted, and the others turned away.
    """

    __slots__ = (
        "_configured_per_s", "admission", "base_per_s", "counts", "dips", "in_flight", "in_force",
        "model", "name", "newest_dip", "totals",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        base_per_s: float,
        model: QueueModel | None = None,
        turn_away_cost: float = 0.0,
    ) -> None:
        self.name = name
        self.model = model
        self._configured_per_s = base_per_s
        self.base_per_s = base_per_s
        self.in_force = self.base.in_force
        self.in_flight = 0
        self.admission = Admission(turn_away_cost)
        self.counts = Counts()
        self.totals = Counts()
        self.dips = 0
        self.newest_dip: Dip | None = None

    @property
    def base(self) -> Base:
        """What the lane can do without dips."""
        config = self.model.config if self.model else None
        return base_of(config, self.base_per_s, self._configured_per_s)

    @property
    def usual_per_s(self) -> float:
        """The capacity without dips; where workers take as long as the app, by what was seen."""
        return self._as_seen(self.base.in_force)

    @property
    def in_force_per_s(self) -> float:
        """The capacity in force, likewise."""
        return self._as_seen(self.in_force)

    def _as_seen(self, in_force: InForce) -> float:
        mean_s = self.model.mean_s if self.model and self.model.config.time is None else None
        if not mean_s:
            return in_force.capacity_per_s
        return in_force.workers / (mean_s * in_force.stretch)

    def offer(self, job: Job, now_s: float) -> Verdict:
        """Count an attempt that arrives, and say what becomes of it."""
        counts, attempt = self.counts, job.attempt
        count(counts.offered, attempt)
        if self.model is not None:
            verdict = self.model.arrive(job, now_s)
        else:
            verdict = _TAKEN if self.admission.admit() else _FULL
        if verdict is _TAKEN:
            count(counts.admitted, attempt)
            self.in_flight += 1
        else:
            count(counts.turned_away, attempt)
        return verdict

    def leave(self, job: Job, now_s: float) -> None:
        """Tell the model that the client of an attempt has gone."""
        if self.model is not None:
            self.model.leave(job, now_s)

    def finish(self, job: Job, now_s: float) -> None:
        """Tell the model that the app is done with an attempt."""
        if self.model is not None:
            self.model.finish(job, now_s)

    def release(self, now_s: float) -> None:
        """Nothing changes the capacity any more: those who still wait are served as usual."""
        if self.model is not None:
            self.model.set_capacity(self.model.config.workers, 1.0, now_s)

    def block(self, attempt: int) -> None:
        """Count an attempt that is turned away at the edge."""
        count(self.counts.offered, attempt)
        count(self.counts.turned_away, attempt)
        count(self.counts.blocked, attempt)

    def complete(self, attempt: int, *, shed: bool = False, failed: bool = False) -> None:
        """Count an admitted attempt whose response is complete."""
        self.in_flight -= 1
        count(self.counts.completed, attempt)
        if shed:
            count(self.counts.shed, attempt)
        if failed:
            count(self.counts.failed, attempt)

    def abandon(self, attempt: int) -> None:
        """Count an admitted attempt whose client had gone before the response was complete."""
        self.in_flight -= 1
        count(self.counts.abandoned, attempt)

    def begin_dip(self, dip: Dip) -> None:
        """Count a dip that begins here."""
        self.dips += 1
        self.newest_dip = dip

    def open_tick(self, in_force: InForce, start_s: float, tick_s: float) -> None:
        """Begin a tick at `start_s` with this capacity in force."""
        if self.model is None:
            self.admission.open_tick(in_force.capacity_per_s, tick_s)
        elif in_force != self.in_force:
            self.model.set_capacity(in_force.workers, in_force.stretch, start_s)
        self.in_force = in_force

    def close_tick(self, end_s: float) -> LaneTick:
        """End the tick that is running, at `end_s`, and begin to count anew."""
        queue = 0
        if self.model is not None:
            self.model.advance_until(end_s)
            queue = self.model.queue
        tick = self.counts.frozen(self.in_force_per_s, queue, self.in_flight)
        if not tick.idle:
            self.totals.add(tick)
            self.counts = Counts()
        return tick
