"""Makes a dip happen at the target, and takes it back when the maker is stopped."""

import time
from collections.abc import Callable, Iterator

from faults.admin import AdminClient, AdminError, DipStatus
from faults.dip import Dip
from faults.signals import StopSignals


class DipDriver:
    """``with DipDriver(client, dip) as planned:`` the dip is made, and is over when this is left.

    However it is left (an error, Ctrl-C, SIGTERM, SIGHUP), a dip that has not ended is taken back.
    Nothing can take it back after SIGKILL; it then ends at the target by itself.
    """

    def __init__(self, client: AdminClient, dip: Dip, after_s: float = 0.0) -> None:
        """The dip is to begin `after_s` seconds after the ``with`` is entered."""
        self._client = client
        self._dip = dip
        self._after_s = after_s
        self._signals = StopSignals()
        self.status: DipStatus | None = None
        self.take_back_error: AdminError | None = None

    def __enter__(self) -> DipStatus:
        """Plan the dip and return what is planned.

        Raises `AdminError`, and `StoppedBySignalError` from here on.
        """
        self._signals.install()
        try:
            # A signal in the middle of the call would leave a dip whose id nobody knows.
            with self._signals.held():
                planned = self.status = self._client.begin_dip(self._dip, self._after_s)
        except BaseException:
            self._take_back()
            self._signals.restore()
            raise
        return planned

    def __exit__(self, *_: object) -> None:
        try:
            with self._signals.held():
                self._take_back()
        finally:
            self._signals.restore()

    def _take_back(self) -> None:
        if self.status is None or self.status.over:
            return
        try:
            self.status = self._client.end_dip(self.status.id)
        except AdminError as failed:
            # Whatever made us stop matters more; the dip ends by itself in any case.
            self.take_back_error = failed

    def follow(
        self, poll_s: float = 0.1, sleep: Callable[[float], None] = time.sleep
    ) -> Iterator[tuple[DipStatus, float]]:
        """The dip and the target's clock, looked at every `poll_s` seconds until the dip is over.

        Raises `AdminError`, also when the target no longer knows the dip.
        """
        while self.status is not None:
            state = self._client.state()
            known = {dip.id: dip for dip in state.dips}
            if self.status.id not in known:
                raise AdminError(f"the target no longer knows {self.status.id}: it was reset")
            self.status = known[self.status.id]
            yield self.status, state.now_s
            if self.status.over:
                return
            sleep(poll_s)
