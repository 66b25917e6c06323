"""What a gateway answers where it has no answer to pass on."""

from dataclasses import dataclass

from starlette.types import Send

from loadtests.gateway.headers import Header
from loadtests.policies import AttemptError, StopReason
from target_service.error_body import error_body
from target_service.passage import FAILED
from target_service.words import OWNED

_MEANINGS = {
    AttemptError.TIMEOUT: ("upstream-timeout", "upstream did not answer in time"),
    AttemptError.CONNECT_TIMEOUT: (
        "upstream-connect-timeout",
        "upstream took too long to let us connect",
    ),
    AttemptError.REFUSED: ("upstream-refused", "upstream refused the connection"),
    AttemptError.RESET: ("upstream-reset", "upstream reset the connection"),
    AttemptError.CLOSED: (
        "upstream-closed",
        "upstream closed the connection before its answer was complete",
    ),
    AttemptError.NOT_HTTP: ("upstream-not-http", "what upstream answered is not HTTP"),
    AttemptError.UNREACHABLE: ("upstream-unreachable", "upstream could not be reached"),
    AttemptError.REJECTED: ("not-sent", "the policy let no attempt out"),
}
_TIMEOUTS = {AttemptError.TIMEOUT, AttemptError.CONNECT_TIMEOUT}


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """A small JSON answer of the gateway itself: its status, and which error it is."""

    status: int
    error: str
    message: str
    owned: bool = False

    async def __call__(self, send: Send) -> None:
        """Send it."""
        content = error_body(self.error, self.message)
        headers: list[Header] = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(content)),
        ]
        if self.owned:
            headers.append((OWNED, b"true"))
        await send(
            {
                "type": "http.response.start",
                "status": self.status,
                "headers": headers,
                FAILED: True,
            }
        )
        await send({"type": "http.response.body", "body": content})


DEADLINE_OVER = OwnAnswer(504, "deadline-over", "the deadline of the request is over")


def no_answer(error: AttemptError) -> OwnAnswer:
    """The last attempt met this error: 504 for a timeout, else 502. The callee failed, not us."""
    return OwnAnswer(504 if error in _TIMEOUTS else 502, *_MEANINGS[error])


def not_sent(reason: StopReason | None) -> OwnAnswer:
    """The policy stopped the request before its first attempt, as an open breaker does."""
    why = reason.value if reason else "not-sent"
    return OwnAnswer(503, why, f"the policy let no attempt out: {why}")


def too_large_to_keep(status: int) -> OwnAnswer:
    """The answer that would be passed on was too large to be kept while it might not be the last.

    Its status is kept, without its body.
    """
    return OwnAnswer(status, "answer-not-kept", "the answer of upstream was too large to be kept")


def policy_raised(*, owned: bool) -> OwnAnswer:
    """The policy is broken. The error is our own unless an attempt had failed before."""
    message = "the gateway's retry policy failed; its log says how"
    return OwnAnswer(500, "policy-raised", message, owned)
