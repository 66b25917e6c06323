"""Open-loop load on a live target: each attempt at its instant, on a connection that is free.

Attempts are marked, so that the target tells at which instants of its own clock they arrived.
"""

import asyncio
import json
import urllib.request
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Any

MARKED = 400
"""Attempts with one mark: the target remembers 500 of each."""


@dataclass(frozen=True)
class Answered:
    """One attempt, as its client saw it."""

    lane: str
    status: int
    took_s: float


def arrivals(lanes: int, rate_per_s: float, for_s: float, seed: int) -> list[tuple[float, str]]:
    """Poisson arrivals in each lane, in the order of their instants."""
    planned = []
    for lane in range(lanes):
        rng = Random(f"{seed}/{lane}")
        gaps_s = (rng.expovariate(rate_per_s) for _ in range(int(2 * rate_per_s * for_s) + 50))
        planned += [(at_s, f"lane-{lane}") for at_s in accumulate(gaps_s) if at_s < for_s]
    return sorted(planned)


class Crowd:
    """As many connections as there are attempts at once; what is free is used again."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._sent: Counter[str] = Counter()
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def send(self, planned: list[tuple[float, str]]) -> list[Answered]:
        """Make these attempts; they begin half a second from now."""
        loop = asyncio.get_running_loop()
        begun_s = loop.time() + 0.5
        calls = []
        for at_s, lane in planned:
            await asyncio.sleep(max(0.0, begun_s + at_s - loop.time()))
            calls.append(asyncio.ensure_future(self._attempt(lane)))
        found = await asyncio.gather(*calls)
        for _, writer in self._free:
            writer.close()
        return found

    async def _attempt(self, lane: str) -> Answered:
        loop = asyncio.get_running_loop()
        if self._free:
            reader, writer = self._free.pop()
        else:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        sent_s = loop.time()
        mark = f"{lane}_{self._sent[lane] // MARKED}"
        self._sent[lane] += 1
        writer.write(
            f"GET /work HTTP/1.1\r\nHost: x\r\nX-Aftershock-Lane: {lane}\r\n"
            f"X-Aftershock-Attempt: 1\r\nX-Aftershock-Trace: {mark}\r\n\r\n".encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        took_s = loop.time() - sent_s
        await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
        self._free.append((reader, writer))
        return Answered(lane, int(head.split()[1]), took_s)


def read_json(port: int, path: str) -> Any:
    """What is there."""
    return json.loads(_read(port, path))


def _read(port: int, path: str) -> bytes:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
        body: bytes = answer.read()
        return body


def seen_of(port: int, lane: str) -> list[tuple[float, bool]]:
    """When each attempt of a lane arrived on the target's clock, and whether it was admitted."""
    found: list[tuple[float, bool]] = []
    while True:
        body = read_json(port, f"/admin/traces/{lane}_{len(found) // MARKED}")
        found += [(seen["t_s"], seen["outcome"] == "admitted") for seen in body["attempts"]]
        if len(body["attempts"]) < MARKED:
            return sorted(found)  # they need not arrive in the order they were sent


def ticks_of(port: int, below: str = "") -> list[dict[str, Any]]:
    """Every finished tick that is kept, from an admin API below this path."""
    found: list[dict[str, Any]] = []
    while True:
        after = found[-1]["seq"] if found else -1
        lines = _read(port, f"{below}/admin/ticks?after={after}").splitlines()
        if not lines:
            return found
        found += [json.loads(line) for line in lines]


def checked_totals(ticks: list[dict[str, Any]], lane: str) -> dict[str, int]:
    """What a lane counted in all; raises `AssertionError` unless it adds up in every tick."""
    names = ("offered", "admitted", "turned_away", "completed", "abandoned", "shed", "failed")
    totals = dict.fromkeys(names, 0)
    for tick in ticks:
        if (counted := tick["lanes"].get(lane)) is None:
            continue
        here = {name: sum(counted[name]) for name in names}
        assert here["offered"] == here["admitted"] + here["turned_away"], tick
        totals = {name: totals[name] + here[name] for name in names}
        done = totals["completed"] + totals["abandoned"]
        assert totals["admitted"] == done + counted["in_flight"], tick
    return totals
