"""Plays attempts through a breaker at given times: what the tests of breakers share."""

from random import Random

from loadtests.policies import Call, Outcome, Request, RetryPolicy, Send, Stop, StopReason

FAILED, GOOD = Outcome(status=503), Outcome(status=200)


class Play:
    """Requests of one attempt, in flight together, through one policy with a breaker."""

    def __init__(self, policy: RetryPolicy) -> None:
        """Nothing is in flight."""
        self._policy = policy
        self._rng = Random(0)
        self.in_flight: list[Request] = []

    def begin(self, now_s: float) -> bool:
        """A new request; whether its attempt was let out."""
        request = Request(self._policy, Call(self._rng))
        action = request.start(now_s)
        if isinstance(action, Stop):
            assert action.reason is StopReason.BREAKER
            return False
        assert isinstance(action, Send)
        request.sent()
        self.in_flight.append(request)
        return True

    def end(self, now_s: float, outcome: Outcome, index: int = 0) -> None:
        """The attempt that is `index`-th in flight ends."""
        self.in_flight.pop(index).finished(now_s, outcome)

    def abandon(self, now_s: float, index: int = 0) -> None:
        """It is given up."""
        self.in_flight.pop(index).abandoned(now_s)

    def call(self, now_s: float, outcome: Outcome) -> bool:
        """One that ends at once; whether it was let out."""
        if not self.begin(now_s):
            return False
        self.end(now_s, outcome, -1)
        return True

    def calls(self, now_s: float, outcome: Outcome, times: int) -> int:
        """So many one after another; how many were let out."""
        return sum(self.call(now_s, outcome) for _ in range(times))
