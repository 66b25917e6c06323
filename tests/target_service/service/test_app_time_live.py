"""Workers that take as long as somebody's own app does: `CapacityGate` under a real server."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.real import eventually
from tests.target_service.live import LIMIT_S, LiveTarget, live_target
from tests.target_service.raw import attempt, seen_on
from tests.target_service.service.crowd import checked_totals, read_json, ticks_of

pytestmark = pytest.mark.live

APP = """
import asyncio, os, sys
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from target_service import CapacityGate
from target_service.server import run_app

api = FastAPI()
seen = {"running": 0, "most": 0, "done": 0, "cancelled": 0}

released = asyncio.Event()

async def work():
    seen["running"] += 1
    seen["most"] = max(seen["most"], seen["running"])
    try:
        await released.wait()
        seen["done"] += 1
    except asyncio.CancelledError:
        seen["cancelled"] += 1
        raise
    finally:
        seen["running"] -= 1

@api.get("/held")
async def held():
    await work()
    return {}

@api.get("/stream")
async def stream():
    async def parts():
        yield b"first "
        await work()
        yield b"last"
    return StreamingResponse(parts())

@api.get("/broken")
async def broken():
    raise RuntimeError("broken")

@api.get("/seen")
async def say():
    return seen

@api.get("/release")
async def release():
    released.set()

@api.get("/hold")
async def hold():
    released.clear()

open_paths = ["/seen", "/release", "/hold"]
api.add_middleware(CapacityGate, enabled=True, open_paths=open_paths, admin_path="/gate")
run_app(
    api, "127.0.0.1", 0, parent_pid=int(os.environ["AFTERSHOCK_PARENT_PID"]),
    announce=lambda port: print(f"http://127.0.0.1:{port}", file=sys.stderr, flush=True),
)
"""


@contextmanager
def own_service(workers: int, queue: int, abandoned: str = "finish") -> Iterator[LiveTarget]:
    """A service of somebody's own with the gate around it: its work lasts until it is released."""
    with live_target(
        program=APP,
        AFTERSHOCK_WORKERS=str(workers),
        AFTERSHOCK_QUEUE=str(queue),
        AFTERSHOCK_ABANDONED=abandoned,
    ) as started:
        yield started


def totals(service: LiveTarget) -> dict[str, int]:
    """What the gate has counted."""
    return checked_totals(ticks_of(service.port, "/gate"), "a")


def when(service: LiveTarget, **least: int) -> dict[str, int]:
    """What the gate has counted once it is at least this."""

    def look() -> dict[str, int] | None:
        found = totals(service)
        return found if all(found[name] >= number for name, number in least.items()) else None

    return eventually(look, f"{least}")


def app_has(service: LiveTarget) -> dict[str, int]:
    """What the app has seen."""
    found: dict[str, int] = read_json(service.port, "/seen")
    return found


def queue_of(service: LiveTarget) -> int:
    """How many wait."""
    return int(ticks_of(service.port, "/gate")[-1]["lanes"]["a"]["queue"])


def release(service: LiveTarget) -> None:
    """Let all work end, and what comes from now on at once."""
    read_json(service.port, "/release")


def test_no_more_run_at_once_than_there_are_workers() -> None:
    """The others wait, and those that do not fit are turned away."""
    with own_service(3, 7) as service:
        clients = [attempt(service.port, path="/held") for _ in range(20)]
        when(service, offered=20)
        release(service)
        statuses = [seen_on(client).status for client in clients]
        found = when(service, completed=10)
        has = app_has(service)
    assert (statuses.count(200), statuses.count(503)) == (10, 10)
    assert (has["most"], has["done"]) == (3, 10)
    assert (found["admitted"], found["turned_away"]) == (10, 10)


@pytest.mark.parametrize(
    ("abandoned", "queue", "done", "cancelled"),
    [("finish", 2, 3, 0), ("drop", 2, 2, 0), ("stop", 0, 1, 1)],
)
def test_what_becomes_of_the_work_of_clients_that_have_gone(
    abandoned: str, queue: int, done: int, cancelled: int
) -> None:
    """One in service, one that waits; a third client stays and is served."""
    with own_service(1, 10, abandoned) as service:
        serving = attempt(service.port, path="/held")
        eventually(lambda: app_has(service)["running"] == 1, "the first is being served")
        waiting = attempt(service.port, path="/held")
        when(service, offered=2)
        stays = attempt(service.port, path="/held")
        when(service, offered=3)
        waiting.close()
        app_has(service)  # when this is answered, the end before it has been noticed
        serving.close()
        eventually(lambda: queue_of(service) == queue, "it is noticed that both have gone")
        release(service)
        assert seen_on(stays).status == 200
        found = when(service, abandoned=2, completed=1)
        has = app_has(service)
        assert (has["done"], has["cancelled"], has["running"]) == (done, cancelled, 0)
        assert (found["admitted"], found["failed"]) == (3, 0)
        # The worker is free again, and stays so.
        assert [seen_on(attempt(service.port, path="/held")).status for _ in range(3)] == [200] * 3


@pytest.mark.parametrize("abandoned", ["finish", "stop"])
def test_a_stream_holds_its_worker_to_the_end(abandoned: str) -> None:
    """A client that goes in the middle has abandoned it, and frees the worker."""
    with own_service(1, 10, abandoned) as service:
        first = attempt(service.port, path="/stream")
        assert first.recv(10_000).startswith(b"HTTP/1.1 200 OK")
        second = attempt(service.port, path="/held")
        when(service, offered=2)
        release(service)
        assert b"last" in seen_on(first).head  # the rest of the answer
        assert seen_on(second).status == 200
        assert app_has(service)["most"] == 1
        read_json(service.port, "/hold")
        third = attempt(service.port, path="/stream")
        assert third.recv(10_000).startswith(b"HTTP/1.1 200 OK")
        third.close()
        when(service, abandoned=1)
        release(service)
        assert seen_on(attempt(service.port, path="/held")).status == 200
        found = when(service, completed=3, abandoned=1)
        assert found["admitted"] == 4


@pytest.mark.parametrize("abandoned", ["finish", "stop"])
def test_an_app_that_raises_frees_its_worker(abandoned: str) -> None:
    """Its clients get the server's 500, and the gate counts failures."""
    with own_service(1, 1, abandoned) as service:
        answers = [seen_on(attempt(service.port, path="/broken")) for _ in range(4)]
        assert [answer.status for answer in answers] == [500] * 4
        release(service)
        assert seen_on(attempt(service.port, path="/held")).status == 200
        found = when(service, completed=5)
    assert (found["failed"], found["abandoned"]) == (4, 0)


def test_a_request_that_comes_in_pieces_reaches_the_app_whole_after_waiting() -> None:
    """What a client sends while it waits is kept for the app."""
    with own_service(1, 10) as service:
        busy = attempt(service.port, path="/held")
        eventually(lambda: app_has(service)["running"] == 1, "the first is being served")
        late = socket.create_connection(("127.0.0.1", service.port), LIMIT_S)
        late.sendall(b"GET /held HTTP/1.1\r\nHost: x\r\nConnection: close\r\n")
        late.sendall(b"X-Aftershock-Lane: a\r\nContent-Length: 6\r\n\r\nab")
        when(service, offered=2)
        late.sendall(b"cdef")
        release(service)
        assert [seen_on(client).status for client in (busy, late)] == [200, 200]
