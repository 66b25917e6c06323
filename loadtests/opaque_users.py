"""Open-loop users with a real client library, untouched, in the place of a policy of ours.

What they do after a failed attempt cannot be seen from here: each call is one request, and its
attempts are counted by the target alone.
"""

import time
from typing import ClassVar

from locust.env import Environment

from loadtests.client import LANE_HEADER, take_due_s
from loadtests.opaque.base import OpaqueSource
from loadtests.policies import StopReason
from loadtests.scheduled import ScheduledUser
from reports.record import Lane


class OpaqueUser(ScheduledUser):
    """Set `client_source` and write tasks that call ``self.request(path)``."""

    abstract = True

    client_source: ClassVar[OpaqueSource]
    """Which library, with which parameters."""

    def __init__(self, environment: Environment) -> None:
        """Called by Locust. Raises `ValueError` when there is no host."""
        super().__init__(environment)
        headers = {LANE_HEADER: self.lane_name()}
        self._client = self.client_source.connect(self._base_url, headers, self.timeout_s)

    @classmethod
    def loaded_by(cls) -> OpaqueSource:
        """The library."""
        return cls.client_source

    @classmethod
    def lane_line(cls) -> Lane:
        """The record says that the clients' own count of attempts is missing."""
        source = cls.client_source
        return Lane(cls.lane_name(), source.name, source.describe(), opaque=True)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def request(self, path: str) -> bool:
        """One request; whether it succeeded. What the library raises is its failure."""
        scope = self._scope
        due_s = take_due_s(scope.clock)
        scope.bins.issued(scope.lane, due_s)
        scope.lateness.left(scope.clock.now_s() - due_s)
        started_s = time.monotonic()
        failure: Exception | None = None
        try:
            self._client.request(path)
        except Exception as error:  # noqa: BLE001 - each library has its own
            failure = error
        reason = StopReason.LIBRARY if failure else StopReason.SUCCEEDED
        scope.bins.ended(scope.lane, due_s, scope.clock.now_s(), reason)
        elapsed_s = time.monotonic() - started_s
        self.environment.events.request.fire(
            request_type="request",
            name=f"{scope.label} {path}",
            response_time=elapsed_s * 1000,
            response_length=0,
            response=None,
            context=self.context(),
            exception=failure and type(failure).__name__,
            start_time=time.time() - elapsed_s,
            url=f"{self.host}{path}",
        )
        return failure is None
