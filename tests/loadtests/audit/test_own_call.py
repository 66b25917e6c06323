"""Code of one's own is a layer: its retries are counted as any other's."""

import sys
import threading

import pytest
import requests

from loadtests.audit.answer import End
from loadtests.audit.course import Audit, Verdict
from loadtests.audit.own_call import CallSender, load_call
from tests.loadtests.audit.audited import audited, counted
from tests.target_service.live import LiveTarget

HERE = "tests.loadtests.audit.calls"


def through(target: LiveTarget, name: str, *more: str) -> Audit:
    sender = CallSender(load_call(f"{HERE}:{name}"), f"{target.url}/work", 5.0)
    return audited(target, target.url, ("503", *more, "reset", "hang"), sender=sender)


@pytest.mark.live
def test_an_sdk_with_retries(target: LiveTarget) -> None:
    """Three attempts of a GET, whatever befalls it; a POST is not repeated unless told."""
    seen = through(target, "with_retries", "429")
    assert counted(seen, "GET") == {"503": 3, "429": 3, "reset": 3, "hang": 3}
    assert counted(seen, "POST") == {"503": 1, "429": 1, "reset": 1, "hang": 1}
    get_503, _, get_429, _, get_reset, *_ = seen.courses
    assert min(get_429.intervals_s) >= 1.0, "Retry-After is heeded"
    assert (get_503.answer.end, get_503.answer.status) == (End.ANSWERED, 503)
    assert get_reset.answer.end is End.RAISED
    assert "Connection reset" in get_reset.answer.problem


@pytest.mark.live
def test_an_sdk_without_retries(target: LiveTarget) -> None:
    """Responses have their status by different names."""
    seen = through(target, "bare")
    assert seen.verdict is Verdict.NO_RETRIES
    assert seen.courses[0].answer.status == 503


def test_a_call_that_does_not_end_is_left_to_itself() -> None:
    """After the timeout."""
    over = threading.Event()
    sender = CallSender(lambda method, url, headers: over.wait(20), "http://a", 0.05)
    assert sender.send("GET", {}).end is End.TIMED_OUT
    over.set()


def test_what_a_call_returns_is_looked_at() -> None:
    """Headers of a response by lower-case names; a bare status shows none."""
    response = requests.Response()
    response.status_code, response.headers["Retry-After"] = 429, "1"
    answer = CallSender(lambda method, url, headers: response, "http://a", 5.0).send("GET", {})
    assert (answer.status, answer.headers, answer.shows_headers) == (
        429,
        {"retry-after": "1"},
        True,
    )
    answer = CallSender(lambda method, url, headers: 429, "http://a", 5.0).send("GET", {})
    assert (answer.status, answer.headers, answer.shows_headers) == (429, {}, False)


def test_a_call_that_leaves_has_raised() -> None:
    """At once: nobody was waited for in vain."""
    answer = CallSender(lambda method, url, headers: sys.exit(3), "http://a", 5.0).send("GET", {})
    assert (answer.end, answer.problem) == (End.RAISED, "SystemExit: 3")
    assert not answer.shows_headers


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("requests.get", "'requests.get' is not of the form package.module:function"),
        ("no_such_module:call", "no_such_module:call: ModuleNotFoundError"),
        (f"{HERE}:no_such", "no_such: AttributeError"),
        (f"{HERE}:NO_CALL", "NO_CALL is no function"),
    ],
)
def test_what_cannot_be_called_is_one_line(name: str, sentence: str) -> None:
    """What is wrong with it."""
    with pytest.raises(ValueError, match=r"^through: ") as refused:
        load_call(name)
    assert sentence in str(refused.value)
