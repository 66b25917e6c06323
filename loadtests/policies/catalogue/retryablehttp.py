"""go-retryablehttp: HashiCorp's client around Go's net/http."""

from dataclasses import dataclass

from loadtests.policies.backoff import Backoff, Capped, Exponential, LinearDraw
from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.conditions import SERVER_ERRORS, Conditions
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry
from loadtests.policies.words import Unheeded
from loadtests.policies.words.retryablehttp import RetryablehttpRetryAfter

_STATUSES = (SERVER_ERRORS - {501}) | {429}


@dataclass(frozen=True)
class GoRetryablehttp(Preset):
    """``retryablehttp.NewClient()``: `DefaultRetryPolicy` and `DefaultBackoff`."""

    name = "go-retryablehttp-0.7"
    family = Family.HTTP_CLIENTS
    summary = "4 retries after 1, 2, 4 and 8 s, or exactly after Retry-After; by any method"
    source = "hashicorp/go-retryablehttp, client.go (0.7.8)"
    faults = (
        Fault("no jitter: all that failed together come back together", "aws-blog-full"),
        Fault("a POST is sent again after a timeout or a 500, and may be done twice", "urllib3-2"),
        Fault("Retry-After has no bound: an answer can hold a client for days", "urllib3-2"),
        Fault("a Retry-After of more than 292 years overflows, and is no wait at all", "urllib3-2"),
    )
    notes = (
        "Retry-After is read from 429 and 503 alone. A Retry-After of 0 is a retry at once.",
        "Go's own transport sends a request again, unseen, when a kept connection turns out to "
        "be closed: that layer is left out.",
        "`linear-jitter` draws between the two waits and multiplies by n: its longest wait is not "
        "the maximum.",
    )

    retry_max: int = parameter(4, "retries", least=0, most=10_000)
    retry_wait_min_s: float = parameter(1.0, "the first wait", least=0, most=86_400)
    retry_wait_max_s: float = parameter(30.0, "the longest wait", least=0, most=86_400)
    backoff: str = parameter(
        "exponential",
        "which of the library's backoffs",
        choices=("exponential", "linear-jitter", "rate-limit-linear-jitter"),
    )
    statuses: frozenset[int] = parameter(_STATUSES, "statuses to retry")

    def build(self) -> RetryPolicy:
        """Without state."""
        heeds = self.backoff != "linear-jitter"
        return Retry(
            self.retry_max + 1,
            self._backoff(),
            Conditions(self.statuses),
            RetryablehttpRetryAfter() if heeds else Unheeded(),
        )

    def _backoff(self) -> Backoff:
        if self.backoff == "exponential":
            return Capped(Exponential(self.retry_wait_min_s), self.retry_wait_max_s)
        return LinearDraw(self.retry_wait_min_s, self.retry_wait_max_s)


PRESETS = (GoRetryablehttp,)
