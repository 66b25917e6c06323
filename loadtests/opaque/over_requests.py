"""Clients over `requests`: with urllib3's retries, or with a retry library around the call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadtests.opaque.base import OpaqueClient, OpaqueSource, RequestFailedError
from loadtests.policies.catalogue.parameters import parameter

if TYPE_CHECKING:
    from urllib3 import Retry

POOL = 256


class Session:
    """A session of `requests`; each call is handed to `around`, which may make it again."""

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str],
        timeout_s: float,
        retries: "Retry | int",
        around: Callable[[Callable[[], None]], None],
    ) -> None:
        import requests  # noqa: PLC0415 - of an extra
        from requests.adapters import HTTPAdapter  # noqa: PLC0415

        self._base_url = base_url.rstrip("/")
        self._timeout_s = timeout_s
        self._around = around
        self._session = requests.Session()
        self._session.headers.update(headers)
        adapter = HTTPAdapter(pool_maxsize=POOL, max_retries=retries)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)

    def request(self, path: str) -> None:
        """One request."""

        def call() -> None:
            answer = self._session.get(self._base_url + path, timeout=self._timeout_s)
            if answer.status_code >= 400:
                raise self.error(answer.status_code, answer.reason)

        self._around(call)

    def error(self, status: int, reason: str) -> Exception:
        """What an answer that is an error raises."""
        return RequestFailedError(f"{status} {reason}")

    def close(self) -> None:
        """Close the session."""
        self._session.close()


@dataclass(frozen=True)
class Urllib3(OpaqueSource):
    """A session with a mounted `Retry`, as the documentation of `requests` shows it."""

    name = "opaque-urllib3"
    summary = "requests with urllib3's Retry"
    needs = "requests"

    # The defaults are the library's, as those of the preset `urllib3-2` are.
    total: int = parameter(10, "retries", least=0, most=100)
    backoff_factor_s: float = parameter(0.0, "Retry's backoff_factor", least=0, most=120)
    backoff_jitter_s: float = parameter(0.0, "Retry's backoff_jitter", least=0, most=120)
    status_forcelist: frozenset[int] = parameter(frozenset(), "statuses that are retried")

    def connect(self, base_url: str, headers: Mapping[str, str], timeout_s: float) -> OpaqueClient:
        """A session."""
        from urllib3 import Retry  # noqa: PLC0415

        retries = Retry(
            self.total,
            backoff_factor=self.backoff_factor_s,
            backoff_jitter=self.backoff_jitter_s,
            status_forcelist=self.status_forcelist,
            raise_on_status=False,
        )
        return Session(base_url, headers, timeout_s, retries, lambda call: call())


@dataclass(frozen=True)
class Tenacity(OpaqueSource):
    """tenacity around the call of a session that does not retry itself."""

    name = "opaque-tenacity"
    summary = "tenacity's wait_random_exponential around requests"
    needs = "tenacity"

    attempts: int = parameter(4, "stop_after_attempt", least=1, most=100)
    multiplier_s: float = parameter(0.1, "multiplier", least=0, most=120)
    max_s: float = parameter(6.4, "the longest wait", least=0, most=3600)

    def connect(self, base_url: str, headers: Mapping[str, str], timeout_s: float) -> OpaqueClient:
        """A session with tenacity around each call."""
        import tenacity  # noqa: PLC0415

        def around(call: Callable[[], None]) -> None:
            tenacity.Retrying(
                stop=tenacity.stop_after_attempt(self.attempts),
                wait=tenacity.wait_random_exponential(self.multiplier_s, self.max_s),
                reraise=True,
            )(call)

        return Session(base_url, headers, timeout_s, 0, around)


@dataclass(frozen=True)
class Stamina(OpaqueSource):
    """stamina around the call of a session that does not retry itself."""

    name = "opaque-stamina"
    summary = "stamina's defaults around requests"
    needs = "stamina"

    attempts: int = parameter(10, "attempts", least=1, most=100)
    timeout_s: float = parameter(45.0, "the time for all of them", least=0, most=3600)

    def connect(self, base_url: str, headers: Mapping[str, str], timeout_s: float) -> OpaqueClient:
        """A session with stamina around each call."""
        import stamina  # noqa: PLC0415

        stamina.instrumentation.set_on_retry_hooks(())  # it would log every retry of a storm
        caller = stamina.RetryingCaller(attempts=self.attempts, timeout=self.timeout_s)

        def around(call: Callable[[], None]) -> None:
            caller(Exception, call)

        return Session(base_url, headers, timeout_s, 0, around)
