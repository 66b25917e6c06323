"""What is tried: names and methods are checked, and all of them are tried in order."""

import pytest

from loadtests.audit.refusals import REFUSALS, Probe, parse_methods, parse_refusals, plan


def test_all_are_tried_unless_some_are_named() -> None:
    """What takes longest comes last, however it was asked for."""
    assert [refusal.name for refusal in parse_refusals(())] == [
        "503", "429", "500", "502", "504", "reset", "cut", "hang",
    ]  # fmt: skip
    assert [refusal.name for refusal in parse_refusals(("hang", "503", "hang"))] == ["503", "hang"]


def test_methods_are_get_and_post_unless_named() -> None:
    """In any case."""
    assert parse_methods(()) == ("GET", "POST")
    assert parse_methods(("put", "PUT", "Get")) == ("PUT", "GET")


def test_what_is_none_is_refused_with_what_there_is() -> None:
    """One line."""
    with pytest.raises(ValueError, match="refusal: '418' is not one of 503, 429, 500"):
        parse_refusals(("418",))
    with pytest.raises(ValueError, match="method: 'CONNECT' is not one of GET, HEAD, POST"):
        parse_methods(("CONNECT",))


def test_every_refusal_is_tried_with_every_method() -> None:
    """Refusal by refusal."""
    reset, hang = REFUSALS["reset"], REFUSALS["hang"]
    assert plan((reset, hang), ("GET", "POST")) == (
        Probe("GET", reset),
        Probe("POST", reset),
        Probe("GET", hang),
        Probe("POST", hang),
    )
