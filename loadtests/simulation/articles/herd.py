"""The herd of article 003: clients that failed together come back, and there is room for few."""

import heapq
from dataclasses import dataclass
from random import Random

from loadtests.policies.backoff import Backoff, BackoffState, next_wait_s


@dataclass(frozen=True)
class Herd:
    """What came of one: calls, retries in the busiest slot, and when all were served."""

    calls: int
    busiest: int
    done_s: float


def herd(backoff: Backoff, *, clients: int = 2000, per_slot: int = 25, seed: int = 7) -> Herd:
    """All failed together at 0; `per_slot` calls are answered in each 10 ms, the others fail again.

    Who is answered is drawn by shuffling the callers of a slot, in order of their number, and waits
    are drawn from the same random numbers: those of the article's listing, in its order.
    """
    rng = Random(seed)
    states = [BackoffState() for _ in range(clients)]
    slots: dict[int, list[int]] = {0: list(range(clients))}
    pending, calls, busiest, ms = [0], 0, 0, 0
    while pending:
        ms = heapq.heappop(pending)
        callers = sorted(slots.pop(ms))
        rng.shuffle(callers)
        calls += len(callers)
        busiest = max(busiest, len(callers)) if ms else 0
        for client in callers[per_slot:]:
            when_s = ms / 1000 + next_wait_s(backoff, states[client], rng)
            slot = max(ms + 10, _slot_of(when_s))
            if slot not in slots:
                slots[slot] = []
                heapq.heappush(pending, slot)
            slots[slot].append(client)
    return Herd(calls, busiest, (ms + 10) / 1000)


def _slot_of(when_s: float) -> int:
    """The beginning of its slot in milliseconds, compared as the listing does."""
    ms = max(0, int(when_s * 100) - 1) * 10
    while not when_s < (ms + 10) / 1000:
        ms += 10
    return ms
