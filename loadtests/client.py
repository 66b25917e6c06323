"""The client of a user: each call is one request, retried by the user's policy.

It drives the `Request` machine with gevent's clock, and counts what happens in the bins.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import TypedDict, Unpack

import gevent

from loadtests.bins import ClientBins, Lateness
from loadtests.greenlets import ReusedGreenlet
from loadtests.policies import Outcome, Request, RetryPolicy, Stop, Wait
from loadtests.transport import Response, Transport

LANE_HEADER = "X-Aftershock-Lane"
ATTEMPT_HEADER = "X-Aftershock-Attempt"


@dataclass(frozen=True, slots=True)
class RunClock:
    """Seconds since the anchor of the run."""

    anchor_monotonic_s: float

    def now_s(self) -> float:
        """The time now."""
        return time.monotonic() - self.anchor_monotonic_s


@dataclass(frozen=True, slots=True)
class Scope:
    """What the users of one class in one process share: the policy's state, and the counts."""

    lane: str
    label: str
    policy: RetryPolicy
    jitter: Random
    clock: RunClock
    bins: ClientBins
    lateness: Lateness


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt that ended, for those who keep statistics."""

    method: str
    name: str
    url: str
    response: Response


class RequestOptions(TypedDict, total=False):
    """What a call may say beside method and path.

    `name` groups attempts in the statistics (the path unless given). `json` is sent as JSON.
    """

    headers: Mapping[str, str]
    data: bytes | str
    json: object
    name: str


class RetryingClient:
    """Calls such as ``client.get("/forecast")``. They return the last attempt's answer.

    A call does not raise when the request fails: ask `Response.ok`.
    """

    def __init__(
        self, base_url: str, timeout_s: float, scope: Scope, on_attempt: Callable[[Attempt], None]
    ) -> None:
        """`timeout_s` bounds each attempt. Raises `ValueError` for a URL that is none."""
        self._base_url = base_url.rstrip("/")
        self._transport = Transport(base_url, timeout_s)
        self._scope = scope
        self._on_attempt = on_attempt

    def get(self, path: str, **options: Unpack[RequestOptions]) -> Response:
        """One GET request."""
        return self.request("GET", path, **options)

    def post(self, path: str, **options: Unpack[RequestOptions]) -> Response:
        """One POST request."""
        return self.request("POST", path, **options)

    def put(self, path: str, **options: Unpack[RequestOptions]) -> Response:
        """One PUT request."""
        return self.request("PUT", path, **options)

    def delete(self, path: str, **options: Unpack[RequestOptions]) -> Response:
        """One DELETE request."""
        return self.request("DELETE", path, **options)

    def request(self, method: str, path: str, **options: Unpack[RequestOptions]) -> Response:
        """One request by any method, with as many attempts as the policy makes.

        Raises `ValueError` for a method, path or header that cannot stand in an HTTP message.
        """
        headers, body = self._parts(options)
        headers[ATTEMPT_HEADER] = "1"
        # Made before anything is counted: what cannot be sent is no attempt.
        message = self._transport.message(method, path, headers, body)
        name = options.get("name", path)
        scope, clock = self._scope, self._scope.clock
        leave_s = due_s = self._take_due_s()
        scope.bins.issued(scope.lane, due_s)
        request = Request(scope.policy, scope.jitter)
        response = Response(0, 0.0)
        action = request.start(clock.now_s())
        while not isinstance(action, Stop):
            if isinstance(action, Wait):
                leave_s = clock.now_s() + action.seconds
                gevent.sleep(action.seconds)
                action = request.resumed(clock.now_s())
                continue
            number = request.sent()
            if number > 1:
                headers[ATTEMPT_HEADER] = str(number)
                message = self._transport.message(method, path, headers, body)
            scope.bins.attempted(scope.lane, due_s)
            scope.lateness.left(clock.now_s() - leave_s)
            response = self._transport.send_message(method, message)
            self._on_attempt(Attempt(method, name, self._base_url + path, response))
            leave_s = clock.now_s()
            action = request.finished(leave_s, _outcome(response))
        scope.bins.ended(scope.lane, due_s, clock.now_s(), action.reason)
        return response

    def close(self) -> None:
        """Close the idle connections."""
        self._transport.close()

    def _parts(self, options: RequestOptions) -> tuple[dict[str, str], bytes]:
        """The headers and the body of every attempt."""
        headers = {LANE_HEADER: self._scope.lane, **options.get("headers", {})}
        if "json" not in options:
            data = options.get("data", b"")
            return headers, data.encode() if isinstance(data, str) else data
        return {"Content-Type": "application/json", **headers}, json.dumps(options["json"]).encode()

    def _take_due_s(self) -> float:
        """When this request was due: as scheduled for a task's first, now for those after it."""
        task = gevent.getcurrent()
        if isinstance(task, ReusedGreenlet) and task.due_s is not None:
            due_s, task.due_s = task.due_s, None
            return due_s
        return self._scope.clock.now_s()


def _outcome(response: Response) -> Outcome:
    return Outcome(
        status=None if response.error else response.status_code,
        error=response.error,
        elapsed_s=response.elapsed_s,
        retry_after_s=_whole_seconds(response.headers.get("retry-after")),
    )


def _whole_seconds(value: str | None) -> float | None:
    return float(value) if value is not None and value.isascii() and value.isdigit() else None
