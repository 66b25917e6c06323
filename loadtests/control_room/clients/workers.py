"""Which processes send the load, and how they do: by Locust's word, and by what they recorded."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.clients.vitals import WorkerVitals
from reports.judging.health import MAX_CPU, MAX_SILENCE_S
from reports.record import bucket_of, bucket_upper

MISSING, READY = "missing", "ready"
"""A worker that Locust no longer hears of, or has given no users; its own words."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker as Locust's master knows it, under the name that it has in the record."""

    name: str
    state: str
    users: int


def list_workers(
    tally: ClientTally, workers: Sequence[Worker], tick_s: float, now_epoch_s: float
) -> list[dict[str, object]]:
    """All workers that Locust knows, and all others that have recorded anything in this run.

    Without a run that is on nobody has anything to say, and is not silent; how somebody did in the
    run that is over is no news of now.
    """
    since_s = now_epoch_s - tally.going.anchor_epoch_s if tally.going else None
    vitals = {found.worker: found for found in tally.workers(now_epoch_s)}
    known = {worker.name: worker for worker in workers}
    names = sorted({*known, *vitals}, key=_in_order)
    if tally.ended is not None:
        return [_after_run(name, known.get(name)) for name in names]
    return [_one(name, known.get(name), vitals.get(name), tick_s, since_s) for name in names]


def _after_run(name: str, worker: Worker | None) -> dict[str, object]:
    state = worker.state if worker else "stopped"
    return {
        "name": name,
        "state": state,
        "users": worker.users if worker else 0,
        "cpu": None,
        "late_p99_ms": None,
        "word": MISSING if state == MISSING else "",
        "text": "the run is over",
    }


def _in_order(name: str) -> tuple[str, int]:
    """``worker-2`` before ``worker-10``."""
    word, _, number = name.rpartition("-")
    return (word, int(number)) if number.isdecimal() and len(number) < 10 else (name, 0)


def _one(
    name: str,
    worker: Worker | None,
    found: WorkerVitals | None,
    tick_s: float,
    since_s: float | None,
) -> dict[str, object]:
    state = worker.state if worker else "running"
    return {
        "name": name,
        "state": state,
        "users": worker.users if worker else 0,
        "cpu": round(found.cpu, 3) if found else None,
        "late_p99_ms": _ms(found),
        "word": word_of(state, found, tick_s, since_s),
        "text": ", ".join(_text(found)),
    }


def word_of(state: str, found: WorkerVitals | None, tick_s: float, since_s: float | None) -> str:
    """`missing`, `silent`, `saturated`, `late` or `in time`: the first that holds.

    Empty for one that Locust has given no users: it joined a test that was on.

    `since_s` is how long the run has been on; None: there was none yet.

    By the limits that make a report not valid: attempts that left more than a tick late at p99,
    no CPU to spare, no word for seconds. As there, buckets are compared: exactly a tick late is
    not more than one.
    """
    limit_ms = bucket_upper(bucket_of(tick_s * 10_000)) / 10 + 1e-6
    if state == MISSING:
        return MISSING
    if state == READY and found is None:
        return ""
    if since_s is not None and (found.age_s if found else since_s) > MAX_SILENCE_S:
        return "silent"
    if found is not None and found.cpu > MAX_CPU:
        return "saturated"
    if found is not None and (found.late_p99_ms or 0.0) > limit_ms:
        return "late"
    return "in time"


def _ms(found: WorkerVitals | None) -> float | None:
    return None if found is None or found.late_p99_ms is None else round(found.late_p99_ms, 1)


def _text(found: WorkerVitals | None) -> Iterable[str]:
    if found is None:
        yield "nothing recorded yet"
        return
    yield f"CPU {found.cpu:.0%}"
    if found.late_p99_ms is not None:
        yield f"{found.late_p99_ms:.1f} ms late at p99"
    if found.age_s > MAX_SILENCE_S:
        yield f"last heard of {found.age_s:.0f} s ago"
