"""Drives a request while it has several attempts in flight at once: hedging."""

from collections.abc import Callable

import gevent
from gevent.queue import Empty, Queue

from loadtests.policies import Action, Outcome, Request, Send, Stop, Wait
from loadtests.transport import Response

Attempting = Callable[[int, Send, float], tuple[Response, Outcome]]
"""Makes attempt number n, within the limits of the `Send`, that was to leave at a time."""


def race(
    request: Request, send: Send, leave_s: float, attempt: Attempting, now_s: Callable[[], float]
) -> tuple[Response, Stop | Wait]:
    """Carry the request on from `send` until nothing is in flight any more, or it is over.

    Returns the answer that came last, and what the policy said to that. What is still in flight
    when the request is over is cancelled, and its connection closed.
    """
    ended: Queue = Queue()
    running: list[gevent.Greenlet] = []
    response = Response(0, 0.0)

    def run(number: int, send: Send, leave_s: float) -> None:
        try:
            ended.put(attempt(number, send, leave_s))
        except Exception as error:  # noqa: BLE001 - it belongs to whoever waits for this attempt
            ended.put(error)

    action: Action = send
    try:
        while not isinstance(action, Stop | Wait):
            if isinstance(action, Send):
                running.append(gevent.spawn(run, request.sent(), action, leave_s))
                ask_again_s = action.hedge_after_s
            else:
                ask_again_s = action.seconds
            asked_s = now_s()
            try:
                end = ended.get(timeout=ask_again_s)
            except Empty:
                leave_s = asked_s + (ask_again_s or 0.0)
                action = request.resumed(now_s())
                continue
            if isinstance(end, Exception):
                raise end
            response, outcome = end
            leave_s = now_s()
            action = request.finished(leave_s, outcome)
    finally:
        gevent.killall(running, block=False)
    return response, action
