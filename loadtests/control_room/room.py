"""What the routes of the control room share: the target of now, the folder of runs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from locust.env import Environment
from locust.web import WebUI

from faults.admin import AdminClient
from loadtests.control_room.clients.tally import ClientTally
from loadtests.settings import Launch

ACT_TIMEOUT_S = 5.0
LOOK_TIMEOUT_S = 2.0
"""A target that does not answer is told of sooner than an act is given up."""


@dataclass(frozen=True, slots=True)
class Room:
    """One control room."""

    environment: Environment
    web_ui: WebUI
    tally: ClientTally
    launch: Launch
    runs_dir: Path
    closing: Callable[[], bool]
    """Whether the newest run, which is over, is still being closed: its report is on its way."""

    @property
    def target_url(self) -> str:
        """Where the admin API is: as the process was started, else under the host of the form."""
        return self.launch.admin_url or self._host()

    @property
    def going(self) -> str | None:
        """The id of the run that goes on."""
        return self.tally.going.id if self.tally.going else None

    def is_at(self, run_id: str) -> bool:
        """Whether this process is still at that run, and will make its report by itself."""
        newest = self.tally.run
        return newest is not None and newest.id == run_id and (bool(self.going) or self.closing())

    def client(self, timeout_s: float = ACT_TIMEOUT_S) -> AdminClient:
        """A client of the target of now; it has the token only for the target of the start.

        Raises `ValueError` where no host is known.
        """
        url = self.target_url
        if not url:
            raise ValueError("no host is set: give it in Locust's form, or with --host")
        return AdminClient(url, self.launch.token_for(url), timeout_s)

    def _host(self) -> str:
        environment = self.environment
        hosts = (environment.host, *(users.host for users in environment.user_classes))
        return str(next((host for host in hosts if host), ""))


class TargetOfNow:
    """One client of the target, kept as long as the target is the same."""

    def __init__(self, room: Room) -> None:
        """There is none yet."""
        self._room = room
        self._client: AdminClient | None = None
        self._url = ""

    def client(self) -> AdminClient:
        """The client. Raises `ValueError` where no host is known."""
        if self._client is None or self._url != self._room.target_url:
            if self._client is not None:
                self._client.close()
                self._client = None
            self._url = self._room.target_url
            self._client = self._room.client(LOOK_TIMEOUT_S)
        return self._client
