"""`GET /so-far`: the report of the run that goes on."""

from flask import Blueprint, Response, redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from loadtests.control_room.answers import HTML, not_now, problem
from loadtests.control_room.entry.headers import REPORT_POLICY
from loadtests.control_room.recorded.making import NoReportError
from loadtests.control_room.recorded.niced import BusyError
from loadtests.control_room.recorded.so_far import SoFar
from loadtests.control_room.room import Room


def add_so_far(pages: Blueprint, room: Room) -> None:
    """``/so-far``; without a run that goes on, the report of the newest."""
    reports = SoFar()

    @pages.get("/so-far")
    def so_far() -> AnyResponse:
        going = room.going
        if going is None:
            return redirect(url_for("aftershock.newest_report"))
        try:
            page = reports.page(room.runs_dir / going)
        except NoReportError as error:
            return problem(409, str(error))
        except BusyError as error:
            return not_now(str(error))
        return Response(page, mimetype=HTML, headers={"Content-Security-Policy": REPORT_POLICY})
