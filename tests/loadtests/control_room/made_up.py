"""What a control room would tell: made-up answers as `live.py` gives them, by the second.

Each lane plays one story: steady, dipped, a storm, settling, settled. Nothing here is measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from loadtests.control_room.standing.judgement import Judgement
from loadtests.control_room.standing.states import state_of
from reports.folding.windows import HOLD_S
from reports.record import Fault

Json = dict[str, object]

ZERO_S = 1_764_500_000.0
BIN_S = 0.1
KEPT_BINS = 300
CAPACITY = 100.0
POLICIES = ("no-retries", "exponential", "full-jitter", "retry-budget", "circuit-breaker")

DIP_AT, DIP_END, STORM_END = 4.0, 6.0, 14.0
"""Seconds after the beginning of a story."""
DIP = Fault("dip", "dip-1", DIP_AT, DIP_END, "20%")


@dataclass
class World:
    """All that a fake room is asked for; a test changes it as it goes."""

    lanes: Sequence[str] = POLICIES
    queue: bool = False
    reachable: bool = True
    workers: Sequence[Json] = ()
    runs: Sequence[Json] = ()
    run_state: str = "running"
    run_id: str = "20261130-101500"
    load_url: str | None = None
    epoch: str = "3f2a"
    events: list[Json] = field(default_factory=list)
    log: list[Json] = field(default_factory=list)
    zero_s: float = ZERO_S

    def answer(self, now_s: float, after: int, version: int, epoch: str) -> Json:
        """The answer `now_s` seconds after the beginning.

        `after` is the newest bin that the page has, -1 for none, `epoch` the history it is of.
        """
        start = after < 0 or epoch != self.epoch
        newest = int(now_s / BIN_S)
        first = max(0, newest - KEPT_BINS + 1)
        bins = list(range(first if start else max(first, after), newest + 1))
        return {
            "version": version,
            "epoch": self.epoch,
            "now_epoch_s": self.zero_s + now_s,
            "target": self._target(),
            "run": self._run(),
            "bin_s": BIN_S,
            "start": start,
            "bins": bins if self.reachable else [],
            "zero_epoch_s": self.zero_s,
            "lanes": [self._lane(name, place, bins, now_s) for place, name in self._placed()],
            "events": [self._dip(), *self.events],
            "workers": list(self.workers),
            "log": self.log[-50:],
        }

    def _placed(self) -> list[tuple[int, str]]:
        return list(enumerate(self.lanes))

    def _target(self) -> Json:
        problem = "no target answers at http://127.0.0.1:8000: connection refused"
        return {
            "url": "http://127.0.0.1:8000",
            "reachable": self.reachable,
            "problem": None if self.reachable else problem,
            "since_epoch_s": self.zero_s,
            "capacity_per_s": CAPACITY,
        }

    def _run(self) -> Json:
        going = self.run_state == "running"
        return {
            "state": self.run_state,
            "id": self.run_id,
            "since_epoch_s": self.zero_s,
            "ended": not going,
            "users": 5 if going else 0,
            "has_report": not going,
            "newest": self.run_id,
            "load_url": self.load_url,
        }

    def _dip(self) -> Json:
        return {
            "id": "dip-1",
            "kind": "dip",
            "text": "20%",
            "lanes": None,
            "start_epoch_s": self.zero_s + DIP_AT,
            "end_epoch_s": self.zero_s + DIP_END,
            "state": "ended",
            "open_share": None,
        }

    def _lane(self, name: str, place: int, bins: Sequence[int], now_s: float) -> Json:
        moments = [story(each * BIN_S, place) for each in bins]
        now = story(now_s, place)
        offered = sum(now.offered)
        return {
            "name": name,
            "policy": name,
            "describe": "waits, and tries again",
            "state": now.state(),
            "capacity_per_s": CAPACITY,
            "in_force_per_s": now.capacity,
            "offered_per_s": offered,
            "goodput_per_s": min(95.0, now.capacity),
            "failed_per_s": now.failed,
            "queue": int(now.queue) if self.queue else 0,
            "has_queue": self.queue,
            "requests": int(95 * now_s),
            "failed": int(5 * now_s) * (place % 2),
            "failed_by_reason": {"exhausted": int(5 * now_s) * (place % 2)},
            "amplification": 1 + 0.18 * place,
            "offered": [list(each.offered) for each in moments],
            "capacity": [each.capacity for each in moments],
            "queue_len": [each.queue if self.queue else 0 for each in moments],
            "goodput": [min(95.0, each.capacity) for each in moments],
            "failed_rate": [each.failed for each in moments],
        }


def worker(name: str, word: str = "in time", cpu: float = 0.31, late_ms: float = 1.4) -> Json:
    """A process that sends."""
    return {
        "name": name,
        "state": "running",
        "users": 2,
        "cpu": cpu,
        "late_p99_ms": late_ms,
        "word": word,
        "text": f"CPU {cpu:.0%}, {late_ms:.1f} ms late at p99",
    }


@dataclass(frozen=True)
class Moment:
    """A lane at one instant of its story."""

    at_s: float
    offered: tuple[float, ...] = (0.0, 95.0, 0.0, 0.0, 0.0, 0.0)
    capacity: float = CAPACITY
    failed: float = 0.0
    queue: float = 0.0
    storm_end_s: float = STORM_END

    def state(self) -> Json:
        """As the server words it."""
        state = state_of(self._judged(), self.at_s)
        return {
            "word": state.word,
            "text": state.text,
            "detail": state.detail,
        }

    def _judged(self) -> Judgement:
        load_per_s = sum(self.offered)
        high = load_per_s > CAPACITY
        now = Judgement(self.at_s, load_per_s, CAPACITY, self.capacity, high=high, ended=False)
        if self.at_s < DIP_AT:
            return now
        if self.at_s < DIP_END:
            return replace(now, in_force=DIP)
        calm_s = max(0.0, self.at_s - self.storm_end_s)
        settled_s = self.storm_end_s - DIP_END if calm_s >= HOLD_S else None
        return replace(now, trigger=DIP, calm_s=calm_s, settled_s=settled_s)


def story(at_s: float, place: int) -> Moment:
    """The lane at this place: the further back, the longer its storm."""
    end = DIP_END + (STORM_END - DIP_END) * (0.2 + 0.2 * (place % 5))
    plain = Moment(at_s, storm_end_s=end)
    if at_s < DIP_AT or at_s >= end:
        return plain
    if at_s < DIP_END:
        hurt = (at_s - DIP_AT) / (DIP_END - DIP_AT)
        layers = (0.0, 95.0, 70 * hurt, 50 * hurt, 30 * hurt, 20 * hurt)
        return replace(plain, offered=layers, capacity=20.0, failed=4.0, queue=40 * hurt)
    left = (end - at_s) / (end - DIP_END)
    layers = (0.0, 95.0, 80 * left, 90 * left, 60 * left, 40 * left)
    return replace(plain, offered=layers, failed=9 * left, queue=80 * left)
