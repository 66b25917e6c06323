"""Users of your own: what they ask for is yours, how they retry is the policy's.

Run `locust -f examples/locustfile.py --host http://127.0.0.1:8000 -u 2 --dips "20% for 2s at 10s"`.
"""

from locust import task

from loadtests.users import OpenLoopUser, preset


class Forecasts(OpenLoopUser):
    """Reads and writes at a rate of its own, with two short tries."""

    retry_policy = preset("full-jitter", attempts=2, base_s=0.05)
    lane = "forecasts"
    rate_per_s = 40
    timeout_s = 1.0

    @task(9)
    def read(self) -> None:
        """Nine of ten requests."""
        self.client.get("/work?city=bhopal", name="/work?city")

    @task
    def write(self) -> None:
        """One of ten."""
        self.client.post("/work", json={"rain_mm": 12})


class Reports(OpenLoopUser):
    """Slow and stubborn, in a lane beside the other."""

    retry_policy = preset("exponential", attempts=6, cap_s=2.0)
    lane = "reports"
    rate_per_s = 5

    @task
    def report(self) -> None:
        """One request."""
        self.client.get("/work")
