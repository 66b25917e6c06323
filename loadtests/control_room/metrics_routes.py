"""`GET /metrics`: what Prometheus scrapes."""

import time

from flask import Blueprint, Response

from loadtests.control_room.exposition import exposition
from loadtests.control_room.live.running import Running
from loadtests.control_room.room import Room
from target_service.families import CONTENT_TYPE


def add_metrics(pages: Blueprint, room: Room, running: Running) -> None:
    """``/metrics``."""

    @pages.get("/metrics")
    def metrics() -> Response:
        text = exposition(room.tally, running.users, time.time())
        return Response(text, content_type=CONTENT_TYPE)
