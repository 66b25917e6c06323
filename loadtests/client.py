"""The client of a user: each call is one request, retried by the user's policy.

It drives the `Request` machine with gevent's clock, and counts what happens in the bins.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TypedDict, Unpack

import gevent

from loadtests.bins import ClientBins, Lateness
from loadtests.greenlets import ReusedGreenlet
from loadtests.policies import (
    Call,
    Outcome,
    PolicyError,
    Request,
    RetryPolicy,
    Send,
    Stop,
    StopReason,
    Wait,
)
from loadtests.racing import race
from loadtests.transport import Response, Transport

LANE_HEADER = "X-Aftershock-Lane"
ATTEMPT_HEADER = "X-Aftershock-Attempt"
DEADLINE_HEADER = "X-Deadline"
IDEMPOTENCY_KEY = "idempotency-key"
"""In lower case."""


@dataclass(frozen=True, slots=True)
class RunClock:
    """Seconds since the anchor of the run."""

    anchor_monotonic_s: float

    def now_s(self) -> float:
        """The time now."""
        return time.monotonic() - self.anchor_monotonic_s


@dataclass(frozen=True, slots=True)
class Scope:
    """What the users of one lane and policy in one process share: jitter, clock and counts."""

    lane: str
    label: str
    jitter: Random
    clock: RunClock
    bins: ClientBins
    lateness: Lateness
    on_failure: Callable[[BaseException], None]
    """Ends the run: what a policy that raises would have done is not known."""


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

    def __init__(  # noqa: PLR0913 - one for each thing it is told once
        self,
        base_url: str,
        timeout_s: float,
        scope: Scope,
        policies: Iterator[RetryPolicy],
        on_attempt: Callable[[Attempt], None],
        *,
        deadlines: bool = False,
    ) -> None:
        """`policies` has the policy of each request in turn, without end.

        `timeout_s` bounds each attempt. With `deadlines` each says when its time is over, in
        ``X-Deadline``. Raises `ValueError` for a URL that is none.
        """
        self._base_url = base_url.rstrip("/")
        self._transport = Transport(base_url, timeout_s)
        self._timeout_s = timeout_s
        self._deadlines = deadlines
        self._scope = scope
        self._policies = policies
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
        # Made before anything is counted: what cannot be sent is no attempt.
        message = self._transport.message(method, path, {**headers, ATTEMPT_HEADER: "1"}, body)
        errand = _Errand(method, path, headers, body, options.get("name", path), message)
        scope = self._scope
        errand.due_s = take_due_s(scope.clock)
        scope.bins.issued(scope.lane, errand.due_s)
        call = Call(scope.jitter, method, _has_idempotency_key(headers), path)
        request: Request | None = None
        try:
            request = Request(next(self._policies), call)
            response, reason = self._carry_out(request, errand)
        except PolicyError as error:
            scope.on_failure(error)
            raise
        except BaseException:
            if request is not None:
                request.abandoned(scope.clock.now_s())
            raise
        scope.bins.ended(scope.lane, errand.due_s, scope.clock.now_s(), reason)
        return response

    def _carry_out(self, request: Request, errand: "_Errand") -> tuple[Response, StopReason]:
        """Attempt after attempt, until the policy stops. `leave_s` is when the next is to leave."""
        now_s = self._scope.clock.now_s
        response, leave_s = Response(0, 0.0), errand.due_s
        action = request.start(now_s())
        while not isinstance(action, Stop):
            if isinstance(action, Wait):
                leave_s = now_s() + action.seconds
                gevent.sleep(action.seconds)
                action = request.resumed(now_s())
            elif isinstance(action, Send) and action.hedge_after_s is not None:
                attempt = partial(self._attempt, errand)
                response, action = race(request, action, leave_s, attempt, now_s)
            elif isinstance(action, Send):
                response, outcome = self._attempt(errand, request.sent(), action, leave_s)
                leave_s = now_s()
                action = request.finished(leave_s, outcome)
        return response, action.reason

    def _attempt(
        self, errand: "_Errand", number: int, send: Send, leave_s: float
    ) -> tuple[Response, Outcome]:
        """One message on the wire, counted."""
        scope, message = self._scope, errand.message
        if number > 1 or self._deadlines:
            headers = {**self._deadline(send), **errand.headers, ATTEMPT_HEADER: str(number)}
            message = self._transport.message(errand.method, errand.path, headers, errand.body)
        scope.bins.attempted(scope.lane, errand.due_s)
        scope.lateness.left(scope.clock.now_s() - leave_s)
        response = self._transport.send_message(errand.method, message, send.timeout_s)
        self._on_attempt(
            Attempt(errand.method, errand.name, self._base_url + errand.path, response)
        )
        return response, _outcome(response)

    def close(self) -> None:
        """Close the idle connections."""
        self._transport.close()

    def _deadline(self, send: Send) -> dict[str, str]:
        """When this attempt will be given up, in seconds since 1970."""
        if not self._deadlines:
            return {}
        own_s = self._timeout_s
        timeout_s = own_s if send.timeout_s is None else min(send.timeout_s, own_s)
        return {DEADLINE_HEADER: f"{time.time() + timeout_s:.3f}"}

    def _parts(self, options: RequestOptions) -> tuple[dict[str, str], bytes]:
        """The headers and the body of every attempt."""
        headers = {LANE_HEADER: self._scope.lane, **options.get("headers", {})}
        if "json" not in options:
            data = options.get("data", b"")
            return headers, data.encode() if isinstance(data, str) else data
        return {"Content-Type": "application/json", **headers}, json.dumps(options["json"]).encode()


def take_due_s(clock: RunClock) -> float:
    """When a request was due: as scheduled for a task's first, now for those after it."""
    task = gevent.getcurrent()
    if isinstance(task, ReusedGreenlet) and task.due_s is not None:
        due_s, task.due_s = task.due_s, None
        return due_s
    return clock.now_s()


@dataclass(slots=True)
class _Errand:
    """What one request sends, and when it was due."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    name: str
    message: bytes
    due_s: float = 0.0


def _has_idempotency_key(headers: Mapping[str, str]) -> bool:
    return any(name.lower() == IDEMPOTENCY_KEY for name in headers)


def _outcome(response: Response) -> Outcome:
    return Outcome(
        status=None if response.error else response.status_code,
        elapsed_s=response.elapsed_s,
        error=response.error,
        headers=response.headers,
        received_epoch_s=time.time(),
    )
