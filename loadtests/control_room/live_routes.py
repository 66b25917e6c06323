"""`GET /live`: what the page draws, as soon as there is something new."""

from flask import Blueprint, Response, abort


def add_live(pages: Blueprint) -> None:
    """``/live``."""

    @pages.get("/live")
    def live() -> Response:
        abort(503, "there is nothing to see yet")
