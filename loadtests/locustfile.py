"""One user class per retry policy, each with a lane of its own: choose them in the class picker.

locust -f loadtests/locustfile.py --host http://127.0.0.1:8000 --class-picker
"""

from locust import task

from loadtests.users import OpenLoopUser, preset


class PolicyUser(OpenLoopUser):
    """Asks for work; what it does when turned away is its policy's choice."""

    abstract = True

    @task
    def work(self) -> None:
        """One request."""
        self.client.get("/work")


class NoRetry(PolicyUser):
    """Never retries."""

    retry_policy = preset("no-retry")


class Immediate(PolicyUser):
    """Retries 100 ms later, up to three times."""

    retry_policy = preset("immediate")


class ExponentialBackoff(PolicyUser):
    """Retries after 200, 400 and 800 ms: all that failed together come back together."""

    retry_policy = preset("exponential")


class FullJitter(PolicyUser):
    """Retries after a random time of 100 ms up to 200, 400 and 800 ms."""

    retry_policy = preset("full-jitter")


class FullJitterBudget(PolicyUser):
    """The same, but retries are at most 10% of requests."""

    retry_policy = preset("full-jitter-budget")
