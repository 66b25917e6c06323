"""The server's word: what goes with a refusal."""

from email.utils import parsedate_to_datetime
from random import Random
from typing import Any

import pytest

from loadtests.policies.outcome import Outcome
from loadtests.policies.words.grpc import pushback_s
from target_service.gate import Gate
from target_service.service import ServiceConfig, parse_service_time
from target_service.settings import BadSettingError, read_settings
from target_service.target import Target
from target_service.words import Word, refusals
from tests.target_service.asgi import FakeClock, Response, answering, call


def refusal(**options: str) -> Response:
    """What a target with these settings says to an attempt over capacity."""
    settings = read_settings(capacity="0/s", **options)
    gate = Gate(answering([b""]), Target(0), FakeClock(), word=settings.word())
    return call(gate, "GET", "/")


def test_the_plain_word_is_a_503_that_owns_its_error() -> None:
    """And says nothing of when to come back."""
    said = refusal()
    assert (said.status, said.headers["x-aftershock-error-owned"]) == (503, "true")
    assert not {"retry-after", "x-should-retry", "grpc-retry-pushback-ms"} & said.headers.keys()


@pytest.mark.parametrize(
    ("options", "header", "value"),
    [
        ({"retry_after": "2s"}, "retry-after", "2"),
        ({"retry_after": "1m"}, "retry-after", "60"),
        ({"do_not_retry": "true"}, "x-should-retry", "false"),
        ({"pushback": "never"}, "grpc-retry-pushback-ms", "-1"),
        ({"pushback": "250ms"}, "grpc-retry-pushback-ms", "250"),
        ({"owns_errors": "false"}, "x-aftershock-error-owned", None),
    ],
)
def test_each_setting_is_a_header(options: dict[str, str], header: str, value: str | None) -> None:
    """With its value, or without the header."""
    assert refusal(**options).headers.get(header) == value


def test_what_is_spread_differs_from_answer_to_answer_within_its_range() -> None:
    """Spread at the server: clients that heed it exactly do not come back together."""
    settings = read_settings(retry_after="1s..5s", pushback="100ms..1s")
    answers = [settings.word().drawn(Random(n), 0.0) for n in range(200)]
    seconds = {int(value) for answer in answers for name, value in answer if name == b"retry-after"}
    millis = [int(v) for answer in answers for n, v in answer if n == b"grpc-retry-pushback-ms"]
    assert seconds == {1, 2, 3, 4, 5}
    assert 100 <= min(millis) < 150
    assert 950 < max(millis) <= 1000


def test_a_date_is_as_far_ahead_as_the_seconds() -> None:
    """In the form of RFC 9110."""
    word = read_settings(retry_after="30s", retry_after_as="date").word()
    ((name, value),) = word.drawn(Random(0), 1_796_033_700.0)
    assert name == b"retry-after"
    assert value.endswith(b" GMT")
    assert parsedate_to_datetime(value.decode()).timestamp() == 1_796_033_730


def test_our_own_clients_read_what_is_said() -> None:
    """The word of the server and the policies that heed it speak of the same headers."""
    said = refusal(pushback="250ms").headers
    assert pushback_s(Outcome(status=503, elapsed_s=0.0, headers=said)) == 0.25
    never = refusal(pushback="never").headers
    assert pushback_s(Outcome(status=503, elapsed_s=0.0, headers=never)) is None


def test_every_refusal_has_the_word_and_its_own_error() -> None:
    """A client can tell why, and whether to come back."""
    found = refusals(Word(status=429), Random(0))
    assert len({id(answer) for answer in found.values()}) == 4  # expired is one answer for both


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"retry_after": "1.5s"}, "--retry-after: Retry-After is whole seconds"),
        ({"retry_after": "5s..1s"}, "--retry-after: Retry-After is whole seconds"),
        ({"retry_after_as": "epoch"}, "--retry-after-as: expected seconds, date"),
        ({"pushback": "soon"}, '--pushback: .*or "never"'),
        ({"do_not_retry": "perhaps"}, "--do-not-retry: expected true or false"),
        ({"status": "500"}, "--status: .*503 or 429"),
    ],
)
def test_a_wrong_word_is_named(options: dict[str, Any], says: str) -> None:
    """With what is allowed."""
    with pytest.raises(BadSettingError, match=says):
        read_settings(**options)


def test_what_is_spread_depends_on_the_seed_alone() -> None:
    """Two targets with one seed say the same in the same order, with another something else."""

    def said(seed: int) -> list[str]:
        word = read_settings(retry_after="1s..1h").word()
        gate = Gate(answering([b""]), Target(0, seed=seed), FakeClock(), word=word)
        return [call(gate, "GET", "/").headers["retry-after"] for _ in range(5)]

    assert said(7) == said(7)
    assert said(7) != said(8)


def test_an_attempt_whose_deadline_is_over_gets_the_same_word_with_a_504() -> None:
    """What is spread included."""
    word = read_settings(retry_after="1s..5s", pushback="100ms").word()
    gate = Gate(
        answering([b""]),
        Target(0, service=ServiceConfig(1, parse_service_time("1s"), heed_deadlines=True)),
        FakeClock(),
        word=word,
    )
    said = call(gate, "GET", "/", headers={"X-Deadline": "1"})
    assert said.status == 504
    assert 1 <= int(said.headers["retry-after"]) <= 5
    assert said.headers["grpc-retry-pushback-ms"] == "100"
