"""Locust's own page and statistics, with a link to ours and a table of policies. Pure."""

import json
from collections.abc import Sequence
from html import escape

from werkzeug.wrappers import Response

from loadtests.control_room.clients.tally import ClientTally
from reports.record import Lane

KEY = "aftershock-policies"
COLUMNS = (
    ("lane", "Lane"),
    ("policy", "Policy"),
    ("describe", "What it does"),
    ("requests", "# Requests"),
    ("failed", "# Failed"),
    ("amplification", "Attempts sent per request"),
)
_NOTHING = "–"
_LINK = (
    '<a href="{href}" style="position:fixed;right:12px;bottom:12px;z-index:1200;padding:4px 12px;'
    "border-radius:999px;font:600 13px/1.5 system-ui,sans-serif;text-decoration:none;color:#fff;"
    'background:#1f5fa8;border:1px solid #fff;box-shadow:0 1px 4px rgba(0,0,0,.4)">'
    "Control room</a>"
    "<style>@media (max-width: 600px) {{ body {{ padding-bottom: 48px }} }}</style>"
)
"""White on blue: it is readable on light and on dark, which Locust's page switches by itself. On a
small screen there is room below the page, so that no button of Locust's stays covered."""


def with_link(answer: Response, href: str) -> Response:
    """Locust's page with a link to ours at its end; as it was where it has no end."""
    page = answer.get_data(as_text=True)
    before, end, after = page.rpartition("</body>")
    if end:
        answer.set_data(before + _LINK.format(href=escape(href)) + end + after)
    return answer


def with_rows(answer: Response, rows: list[dict[str, str]]) -> Response:
    """Locust's statistics with the rows of our table.

    In an answer of its own, for Locust keeps that of this call and gives it again.
    """
    values = json.loads(answer.get_data()) if answer.mimetype == "application/json" else None
    if not isinstance(values, dict):
        return answer
    others = values.get("extended_stats", [])
    values["extended_stats"] = [*others, {"key": KEY, "data": rows}]
    return Response(json.dumps(values), answer.status_code, mimetype="application/json")


def rows_of(lanes: Sequence[Lane], tally: ClientTally) -> list[dict[str, str]]:
    """A row for each lane, every value as it is shown."""
    return [_row(lane, tally) for lane in lanes]


def _row(lane: Lane, tally: ClientTally) -> dict[str, str]:
    total = tally.of(lane.lane)
    counted = total.requests > 0 and not lane.opaque
    return {
        "lane": lane.lane,
        "policy": lane.policy,
        "describe": lane.describe,
        "requests": f"{total.requests:,}",
        "failed": f"{total.all_failed:,}",
        "amplification": f"{total.attempts / total.requests:.2f}" if counted else _NOTHING,
    }
