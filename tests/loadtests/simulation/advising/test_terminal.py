"""The rows of the table, and names that are too long for it."""

from loadtests.simulation.advising.candidates import Kind
from loadtests.simulation.advising.figures import Standing
from loadtests.simulation.advising.ranking import limit_of, rank
from loadtests.simulation.advising.terminal import broken, shown
from tests.loadtests.simulation.advising.made import NEVER, NO_RETRY, have, stands


def _rows(*standings: Standing) -> list[str]:
    return [one.standing.name for one in shown(rank(standings, limit_of(standings, 0.05)))]


def test_ten_rows_and_what_there_is_and_the_reference() -> None:
    """However late they come."""
    many = [stands(f"immediate:attempts={n}", float(n), 0.03) for n in range(2, 15)]
    reference = stands("no-retry", 50.0, 0.04, kind=Kind.REFERENCE, amplification=1.0)
    rows = _rows(*many, have("exponential", NEVER, 0.02), reference)
    assert rows == [*(one.name for one in many[:10]), "no-retry", "exponential"]


def test_one_without_retries_stands_for_all_that_did_the_same() -> None:
    """But for those that were asked for, and those that fail more."""
    same = stands("requests-2", 0.0, 0.04, amplification=1.0)
    asked = stands("urllib3-2", 0.0, 0.04, kind=Kind.ASKED, amplification=1.0)
    breaker = stands("aiobreaker-1.2", 0.0, 0.045, amplification=1.0)
    assert _rows(NO_RETRY, same, asked, breaker) == ["no-retry", "urllib3-2", "aiobreaker-1.2"]


def test_a_long_name_breaks_where_its_parts_end() -> None:
    """Between parameters, not in them."""
    assert broken("full-jitter:attempts=2,base=2s,cap=4s", 26).splitlines() == [
        "full-jitter:attempts=2,", "base=2s,cap=4s"
    ]  # fmt: skip
