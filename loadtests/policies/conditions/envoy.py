"""What Envoy retries, by the words of `retry_on` (`source/common/router/retry_state_impl.cc`)."""

from collections.abc import Mapping
from dataclasses import dataclass

from loadtests.policies.call import Call
from loadtests.policies.outcome import CONNECT_ERRORS, AttemptError, Outcome
from loadtests.policies.units import listing

HTTP_WORDS = (
    "5xx",
    "gateway-error",
    "reset",
    "reset-before-request",
    "connect-failure",
    "envoy-ratelimited",
    "retriable-4xx",
    "refused-stream",
    "retriable-status-codes",
    "retriable-headers",
    "http3-post-connect-failure",
)
GRPC_WORDS = {
    "cancelled": "1",
    "deadline-exceeded": "4",
    "internal": "13",
    "resource-exhausted": "8",
    "unavailable": "14",
}
WORDS = (*HTTP_WORDS, *GRPC_WORDS)

_RATE_LIMITED = "x-envoy-ratelimited"
_GATEWAY_ERRORS = frozenset({502, 503, 504})
_CONFLICT = 409
_ON_RESET = frozenset({"5xx", "gateway-error", "reset"})
_ON_CONNECT_FAILURE = _ON_RESET | {"connect-failure", "reset-before-request"}


@dataclass(frozen=True, slots=True)
class EnvoyRetryOn:
    """Any of these words. ``retriable-status-codes`` and ``-headers`` need their lists as well.

    A reset or a time-out of one try counts as a 5xx, as it does in Envoy. ``refused-stream`` and
    ``http3-post-connect-failure`` are of protocols that our attempts do not speak.
    """

    words: frozenset[str]
    status_codes: frozenset[int] = frozenset()
    headers: frozenset[str] = frozenset()

    def retries(self, call: Call, outcome: Outcome, seen: Mapping[int | AttemptError, int]) -> bool:
        """By what the answer was, or why there was none; never by the method."""
        if outcome.status is None:
            return self._retries_error(outcome)
        if _RATE_LIMITED in outcome.headers:
            return "envoy-ratelimited" in self.words
        return self._retries_status(outcome.status) or self._retries_headers(outcome.headers)

    def _retries_error(self, outcome: Outcome) -> bool:
        if outcome.error is AttemptError.REJECTED:
            return False
        words = _ON_CONNECT_FAILURE if outcome.error in CONNECT_ERRORS else _ON_RESET
        return not self.words.isdisjoint(words)

    def _retries_status(self, status: int) -> bool:
        words = self.words
        return (
            ("5xx" in words and status // 100 == 5)
            or ("gateway-error" in words and status in _GATEWAY_ERRORS)
            or ("retriable-4xx" in words and status == _CONFLICT)
            or ("retriable-status-codes" in words and status in self.status_codes)
        )

    def _retries_headers(self, headers: Mapping[str, str]) -> bool:
        if "retriable-headers" in self.words and any(name in headers for name in self.headers):
            return True
        status = headers.get("grpc-status")
        return status is not None and any(
            number == status and word in self.words for word, number in GRPC_WORDS.items()
        )

    def describe(self) -> str:
        """As in ``5xx, retriable-status-codes (429)``; a word whose list is empty does nothing."""
        lists = {
            "retriable-status-codes": self.status_codes,
            "retriable-headers": self.headers,
        }
        shown = {word: listing(lists[word]) for word in self.words & lists.keys() if lists[word]}
        words = (self.words - lists.keys()) | shown.keys()
        return listing(f"{word} ({shown[word]})" if word in shown else word for word in words)
