"""A run's files as they are sent."""

from pathlib import Path

from flask import Response, abort, send_from_directory

from loadtests.control_room.answers import not_now
from loadtests.control_room.entry.headers import REPORT_POLICY
from loadtests.control_room.recorded.downloads import record_download
from loadtests.control_room.recorded.niced import BusyError
from loadtests.control_room.recorded.tables import Tables
from reports.record import HTML_NAME, JSON_NAME, RECORD_NAME


class Files:
    """Sends them; of tables, one at a time."""

    def __init__(self) -> None:
        """None is being sent."""
        self._tables = Tables()

    def answer(self, run: Path, name: str) -> Response:
        """This file of the run in this folder. Raises `NotFound`."""
        if name in {HTML_NAME, JSON_NAME}:
            return _report(run, name)
        record = run / RECORD_NAME
        if not record.is_file():
            abort(404, "there is no such run")
        if name == RECORD_NAME:
            return record_download(record)
        try:
            return self._tables.send(record, name)
        except BusyError as error:
            return not_now(str(error))


def _report(run: Path, name: str) -> Response:
    answer = send_from_directory(run, name)
    if name == HTML_NAME:
        answer.headers["Content-Security-Policy"] = REPORT_POLICY
    return answer
