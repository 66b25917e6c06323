"""The control room in Locust's web server: its routes under `/aftershock`, behind the guard."""

from collections.abc import Callable
from pathlib import Path

from flask import Blueprint
from locust.env import Environment

from loadtests.control_room.acting.acts import Acts
from loadtests.control_room.acting.log import ActLog
from loadtests.control_room.acting.routes import add_acts
from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.entry.door import add_door
from loadtests.control_room.entry.headers import Sealed
from loadtests.control_room.live.feed import Feed
from loadtests.control_room.live.routes import add_live
from loadtests.control_room.live.running import Running
from loadtests.control_room.locust_ui.install import add_to_locust
from loadtests.control_room.metrics_routes import add_metrics
from loadtests.control_room.page_routes import add_page
from loadtests.control_room.recorded.routes import add_runs
from loadtests.control_room.recorded.so_far_routes import add_so_far
from loadtests.control_room.room import Room, TargetOfNow
from loadtests.settings import Launch


def install(
    environment: Environment, tally: ClientTally, launch: Launch, closing: Callable[[], bool]
) -> None:
    """Add the control room to the environment's web UI, if it has one, and links to it.

    `tally` is what the pages show, `launch` says whom they may act on, and `closing` whether a run
    that is over is still being closed.
    """
    web_ui = environment.web_ui
    if web_ui is None or web_ui.app is None:
        return
    base = (getattr(environment.parsed_options, "web_base_path", "") or "").rstrip("/")
    prefix = f"{base}/aftershock"
    room = Room(environment, web_ui, tally, launch, Path(launch.runs_dir).resolve(), closing)
    feed = Feed(TargetOfNow(room).client, tally)
    running = Running(environment, room.runs_dir)
    log = ActLog()
    pages = Blueprint("aftershock", __name__)
    add_door(pages, launch, login=web_ui.web_login)
    add_page(pages)
    add_live(pages, room, running, feed, log)
    add_metrics(pages, room, running)
    add_acts(pages, Acts(room.client, log, going=lambda: room.going is not None))
    add_runs(pages, room)
    add_so_far(pages, room)
    app = web_ui.app
    app.register_blueprint(pages, url_prefix=prefix)
    app.wsgi_app = Sealed(app.wsgi_app, prefix)  # type: ignore[method-assign]  # Flask's own way
    add_to_locust(app, room, prefix)
