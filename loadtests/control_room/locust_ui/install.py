"""What is added to Locust's own page: links to the control room, and a table of policies."""

from flask import Flask, request
from werkzeug.wrappers import Response

from loadtests.control_room.locust_ui.page import COLUMNS, KEY, rows_of, with_link, with_rows
from loadtests.control_room.room import Room
from loadtests.roles import lanes_of


def add_to_locust(app: Flask, room: Room, prefix: str) -> None:
    """Add all of it. `prefix` is the URL of the control room without a slash at its end."""
    extra = room.web_ui.template_args
    extra["extended_csv_files"] = [
        *extra.get("extended_csv_files", []),
        {"href": f"{prefix}/", "title": "Control room: dips and live charts"},
        {"href": f"{prefix}/newest", "title": "Recovery report of the newest run"},
        {"href": f"{prefix}/runs", "title": "All runs and their reports"},
    ]
    tab = {"title": "Retry policies", "key": KEY}
    extra["extended_tabs"] = [*extra.get("extended_tabs", []), tab]
    structure = [{"key": key, "title": title} for key, title in COLUMNS]
    table = {"key": KEY, "structure": structure}
    extra["extended_tables"] = [*extra.get("extended_tables", []), table]

    @app.after_request
    def extend(answer: Response) -> Response:
        if request.endpoint == "locust.index" and answer.status_code == 200:
            return with_link(answer, f"{prefix}/")
        if request.endpoint == "locust.request_stats":
            return with_rows(answer, _rows(room))
        return answer


def _rows(room: Room) -> list[dict[str, str]]:
    """Those of the newest run; before there is one, those that the chosen classes would load."""
    return rows_of(room.tally.lanes() or lanes_of(room.environment), room.tally)
