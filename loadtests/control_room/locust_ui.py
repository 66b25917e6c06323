"""What is added to Locust's own page: a link to the control room, and links among its downloads."""

from loadtests.control_room.room import Room


def install(room: Room, prefix: str) -> None:
    """Add the links. `prefix` is the URL of the control room without a slash at its end."""
    room.web_ui.template_args["extended_csv_files"] = [
        {"href": f"{prefix}/", "title": "Control room: dips and live charts"},
        {"href": f"{prefix}/newest", "title": "Recovery report of the newest run"},
        {"href": f"{prefix}/runs", "title": "All runs and their reports"},
    ]
