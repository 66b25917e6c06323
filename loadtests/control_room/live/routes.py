"""`GET /live`: what the page draws, as soon as there is something new."""

import time
from dataclasses import asdict

import gevent
from flask import Blueprint, Response, request

from loadtests.control_room.acting.log import ActLog
from loadtests.control_room.answers import json_answer, problem
from loadtests.control_room.live.drawn import drawn
from loadtests.control_room.live.feed import Feed
from loadtests.control_room.live.running import Running
from loadtests.control_room.metered.windows import WINDOWS
from loadtests.control_room.room import Room

LONGEST_WAIT_S = 5.0
MOST_VIEWERS = 100
"""Who waits holds a connection."""


def add_live(pages: Blueprint, room: Room, running: Running, feed: Feed, log: ActLog) -> None:
    """``/live``."""
    waiting: set[object] = set()

    @pages.get("/live")
    def live() -> Response:
        try:
            window = _window(request.args.get("window", "30s"))
            after, seen = _whole("after", -1), _whole("seen", 0)
        except ValueError as error:
            return problem(400, str(error))
        if len(waiting) >= MOST_VIEWERS:
            return problem(503, f"more than {MOST_VIEWERS} pages look: close some")
        viewer = object()
        waiting.add(viewer)
        try:
            feed.wait(seen, LONGEST_WAIT_S)
        finally:
            waiting.discard(viewer)
        return json_answer(
            drawn(
                feed,
                room.tally,
                window=window,
                after=after,
                epoch=request.args.get("epoch", ""),
                now_epoch_s=time.time(),
                run=running.now(),
                workers=running.workers(),
                log=[asdict(entry) for entry in log.entries()],
                pause=lambda: gevent.sleep(0),
            )
        )


def _window(text: str) -> str:
    if text not in WINDOWS:
        raise ValueError(f"window: {text[:16]!r} is not one of {', '.join(WINDOWS)}")
    return text


def _whole(name: str, default: int) -> int:
    text = request.args.get(name, "")
    try:
        return int(text) if text else default
    except ValueError:
        raise ValueError(f"{name}: {text[:16]!r} is not a whole number") from None
