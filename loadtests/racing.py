"""Drives a request that has several attempts in flight at once: hedging."""

from collections.abc import Callable

import gevent
from gevent.queue import Empty, Queue

from loadtests.policies import Action, Await, Outcome, Request, Send, Stop, Wait
from loadtests.transport import Response

Attempting = Callable[[int, Send], tuple[Response, Outcome]]
"""Makes attempt number n within the limits of the `Send`."""


def race(
    request: Request, action: Action, attempt: Attempting, now_s: Callable[[], float]
) -> tuple[Response, Stop]:
    """Carry the request on from `action` to its end; returns the answer that ended it.

    What is still in flight then is cancelled, and its connection closed.
    """
    ended: Queue = Queue()
    running: list[gevent.Greenlet] = []
    response = Response(0, 0.0)

    def run(number: int, send: Send) -> None:
        ended.put(attempt(number, send))

    try:
        while not isinstance(action, Stop):
            match action:
                case Wait(seconds):
                    gevent.sleep(seconds)
                    action = request.resumed(now_s())
                    continue
                case Send():
                    running.append(gevent.spawn(run, request.sent(), action))
                    ask_again_s = action.hedge_after_s
                case Await(ask_again_s):
                    pass
            try:
                response, outcome = ended.get(timeout=ask_again_s)
            except Empty:
                action = request.resumed(now_s())
            else:
                action = request.finished(now_s(), outcome)
    finally:
        gevent.killall(running, block=False)
    return response, action
