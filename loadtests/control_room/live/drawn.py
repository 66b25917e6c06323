"""What the page draws, as values for JSON: how things stand, and the bins it does not have yet."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from faults.wire import TargetState
from loadtests.control_room.clients.goodput import Goodput
from loadtests.control_room.clients.tally import ClientTally, LaneTotals
from loadtests.control_room.clients.workers import Worker, list_workers
from loadtests.control_room.live.events import listed
from loadtests.control_room.live.feed import Feed, Seen
from loadtests.control_room.metered.binned import LAYERS
from loadtests.control_room.metered.history import History
from loadtests.control_room.metered.windows import WINDOWS
from loadtests.control_room.standing.standings import Standing
from loadtests.control_room.standing.states import State
from reports.measuring.arithmetic import amplification

NOT_SEEN = State("idle", "not known", "the target has not answered yet")
SENT_AGAIN_S = 3.0
"""Bins as old as this are sent again: the clients' counts of a second come after it."""


@dataclass(frozen=True)
class RunNow:
    """What Locust says of its test: `state` is its runner's, `newest` the newest run's id.

    `load_url` is where the users send their requests to.
    """

    state: str
    users: int = 0
    has_report: bool = False
    newest: str | None = None
    load_url: str | None = None


def drawn(  # noqa: PLR0913 - each is another source of the page
    feed: Feed,
    tally: ClientTally,
    *,
    window: str,
    after: int,
    epoch: str,
    now_epoch_s: float,
    run: RunNow,
    workers: Sequence[Worker] = (),
    log: Sequence[Mapping[str, object]] = (),
    pause: Callable[[], None] = lambda: None,
) -> dict[str, object]:
    """What there is, and of `window` the bins numbered `after` and above.

    `after` is the highest number that the page has, -1 for none; `epoch` the history that it is of.
    Where it has none, or those of another history, all bins are sent and `start` says so.
    `pause` is called between lanes. `window` is one of `WINDOWS`.
    """
    now = feed.seen
    start = after < 0 or epoch != now.epoch
    bins = _bins(now, tally, window, -1 if start else after)
    return {
        "version": now.version,
        "epoch": now.epoch,
        "now_epoch_s": round(now_epoch_s, 3),
        "target": _target(now),
        "run": _run(run, tally, now.url),
        "start": start,
        "bin_s": bins.bin_s,
        "bins": list(bins.indices),
        "zero_epoch_s": now.offset_s,
        "lanes": _lanes(now, tally, bins, pause),
        "events": listed(now.state, tally, now.offset_s, now_epoch_s),
        "workers": list_workers(tally, workers, _tick_s(now), now_epoch_s),
        "log": list(log),
    }


@dataclass(frozen=True)
class _Bins:
    """The bins that are sent, by number; `names` is the window."""

    window: str
    bin_s: float
    indices: Sequence[int]
    history: History | None
    goodput: Goodput


def _bins(now: Seen, tally: ClientTally, name: str, after: int) -> _Bins:
    window, history = WINDOWS[name], now.history
    bin_s = window.bin_s(_tick_s(now))
    if history is None:
        return _Bins(name, bin_s, (), None, Goodput(tally, (), bin_s, now.offset_s))
    newest_s = history.end_s - history.tick_s / 2
    again = window.index(newest_s - SENT_AGAIN_S, history.tick_s)
    first = -1 if after < 0 else min(after, again)
    # By time, too: what a ring holds from before a long absence is out of the window.
    oldest = window.index(newest_s, history.tick_s) - window.size + 1
    indices = history.indices(name, max(first, oldest))
    return _Bins(name, bin_s, indices, history, Goodput(tally, indices, bin_s, now.offset_s))


def _standings(now: Seen, tally: ClientTally) -> Sequence[Standing]:
    """Those of the newest poll, and before there is one the lanes of the run."""
    if now.history is not None:
        return now.standings
    return [Standing(lane, NOT_SEEN, None, None) for lane in tally.lanes()]


def _target(now: Seen) -> dict[str, object]:
    state = now.state
    return {
        "url": now.url,
        "reachable": now.reachable,
        "problem": now.problem,
        "since_epoch_s": round(now.since_epoch_s, 3),
        "capacity_per_s": state.capacity_per_s if state and _is_known_of(state) else None,
    }


def _is_known_of(state: TargetState) -> bool:
    """Workers that take as long as the app behind them do what is seen of it, lane by lane."""
    return state.service is None or state.service.service_time is not None


def _run(run: RunNow, tally: ClientTally, target_url: str) -> dict[str, object]:
    """`load_url` is told where it is not the target's: there is something in between."""
    header = tally.run
    direct = (run.load_url or "").rstrip("/") in {"", target_url.rstrip("/")}
    return {
        "state": run.state,
        "id": header.id if header else None,
        "since_epoch_s": round(header.anchor_epoch_s, 3) if header else None,
        "ended": tally.ended is not None,
        "users": run.users,
        "has_report": run.has_report,
        "newest": run.newest,
        "load_url": None if direct else run.load_url,
    }


def _tick_s(now: Seen) -> float:
    return now.history.tick_s if now.history else 0.1


def _lanes(
    now: Seen, tally: ClientTally, bins: _Bins, pause: Callable[[], None]
) -> list[dict[str, object]]:
    found = []
    for one in _standings(now, tally):
        found.append(_lane(one, now, tally, bins))
        pause()
    return found


def _lane(one: Standing, now: Seen, tally: ClientTally, bins: _Bins) -> dict[str, object]:
    name = one.lane.lane
    return {
        "name": name,
        "policy": one.lane.policy,
        "describe": one.lane.describe,
        "state": asdict(one.state),
        **_capacity(name, now),
        "offered_per_s": _rounded(one.offered_per_s),
        **_metered(name, now),
        **_counted(one, tally, bins.goodput),
        **_series(name, now, bins),
    }


def _capacity(name: str, now: Seen) -> dict[str, object]:
    own = now.state.lanes.get(name) if now.state else None
    return {
        "capacity_per_s": own.capacity_per_s if own else None,
        "in_force_per_s": own.in_force_per_s if own else None,
    }


def _metered(name: str, now: Seen) -> dict[str, object]:
    own = now.history.lanes.get(name) if now.history else None
    newest = own.newest if own else None
    return {
        "queue": newest.queue if newest else 0,
        "has_queue": own.has_queue if own else False,
    }


def _counted(one: Standing, tally: ClientTally, goodput: Goodput) -> dict[str, object]:
    """What the clients counted in the newest run; None of a lane that it does not load."""
    name = one.lane.lane
    total = tally.of(name)
    ours = total.requests > 0 or any(lane.lane == name for lane in tally.lanes())
    good, bad = goodput.newest(name) if ours and tally.going else (None, None)
    return {
        "goodput_per_s": good,
        "failed_per_s": bad,
        "requests": total.requests if ours else None,
        "failed": total.all_failed if ours else None,
        "failed_by_reason": dict(total.failed),
        "amplification": _rounded(_amplification(one, total)) if ours else None,
    }


def _amplification(one: Standing, total: LaneTotals) -> float | None:
    """As the report has it: attempts that arrived ÷ requests, with what gateways added.

    Where the target's ticks are not all known, attempts that the clients made.
    """
    if one.offered_in_run is not None:
        return amplification(one.offered_in_run, one.requests_in_run)
    return None if one.lane.opaque else amplification(total.attempts, total.requests)


def _series(name: str, now: Seen, bins: _Bins) -> dict[str, object]:
    own = bins.history.lanes.get(name) if bins.history else None
    good, bad = bins.goodput.series(name)
    clients = {"goodput": good, "failed_rate": bad}
    size = len(bins.indices)
    if own is None:
        none: list[float | None] = [None] * size
        offered = [[0] * LAYERS for _ in range(size)]
        return {"offered": offered, "capacity": none, "queue_len": [0] * size, **clients}
    found = own.bins[bins.window].drawn(bins.indices, _tick_s(now))
    # A lane that appeared late had its capacity before.
    usual = now.state.lanes[name].capacity_per_s if now.state and name in now.state.lanes else 0.0
    capacity = np.where(found.known, found.capacity_per_s, usual)
    return {
        "offered": np.round(found.offered_per_s, 1).tolist(),
        "capacity": np.round(capacity, 2).tolist(),
        "queue_len": found.queue.tolist(),
        **clients,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, 3)
