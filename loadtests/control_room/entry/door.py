"""Puts the guard in front of our routes, and Locust's login, and makes errors readable."""

import logging

from flask import Blueprint, redirect, request, url_for
from flask_login import current_user  # type: ignore[import-untyped]  # it has no types
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from loadtests.control_room.answers import DATA, problem, view
from loadtests.control_room.entry.guard import Asker, bears, machine_names, refusal
from loadtests.settings import Launch
from reports.record import HTML_NAME

log = logging.getLogger("aftershock")

METRICS = "metrics"
RUN_FILE = "run_file"
LINKED = frozenset({"room", "run_list", "newest_report"})
"""The routes that other sites may link to, beside a run's report."""

NO_LOGIN = (
    "--web-login is on, but the locustfile sets up no login: Locust's documentation says how "
    "(login_manager.user_loader)"
)


def add_door(pages: Blueprint, launch: Launch, *, login: bool) -> None:
    """Let nobody in whom `guard.refusal` refuses, nor without a login where Locust wants one."""
    names = machine_names() | launch.control_hosts

    @pages.before_request
    def let_in() -> Response | None:
        why = refusal(_asker(), names, linked=_is_linked(), known=_scrapes(launch))
        if why is not None:
            log.warning("the control room refused %s %r: %s", request.method, request.path, why)
            return problem(403, why)
        if not login or _scrapes(launch):
            return None
        try:
            known = _is_logged_in()
        except Exception:  # noqa: BLE001 - Flask-Login raises no other
            return problem(500, NO_LOGIN)
        if known:
            return None
        if view() in DATA | {METRICS}:
            return problem(401, "log in to Locust first")
        # As Locust's own pages do it: whoever has logged in may then be led back. Only to where
        # this was asked, which is a path of ours, for two slashes would lead to another site.
        back = "/" + request.full_path.lstrip("/").removesuffix("?")
        return redirect(url_for("locust.login", next=back))

    @pages.errorhandler(HTTPException)
    def tell(error: HTTPException) -> Response:
        return problem(error.code or 500, error.description or error.name)

    @pages.errorhandler(Exception)
    def fail(error: Exception) -> Response:
        log.error("%r failed", request.path, exc_info=error)
        return problem(500, f"this failed: {type(error).__name__}; the log of Locust has more")


def _asker() -> Asker:
    return Asker(
        method=request.method,
        host=request.headers.get("Host", ""),
        origin=request.headers.get("Origin"),
        site=request.headers.get("Sec-Fetch-Site"),
        media_type=request.mimetype,
        mode=request.headers.get("Sec-Fetch-Mode"),
        destination=request.headers.get("Sec-Fetch-Dest"),
    )


def _is_linked() -> bool:
    arguments = request.view_args or {}
    return view() in LINKED or (view() == RUN_FILE and arguments.get("name") == HTML_NAME)


def _is_logged_in() -> bool:
    """Whether the login that the user's locustfile has set up knows who asks.

    Not Locust's own decorator: it answers what goes wrong in a view with 200 and the bare text.
    """
    return bool(current_user.is_authenticated)


def _scrapes(launch: Launch) -> bool:
    """Prometheus cannot log in; it has the admin token."""
    return view() == METRICS and bears(request.headers.get("Authorization", ""), launch.admin_token)
