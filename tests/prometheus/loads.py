"""Loads of lanes with a dip, tick by tick, that are made up."""

from tests.prometheus.promtool import Dip

STEADY = [10, 9] * 5
"""A second at 95% of 100/s."""
DIP = Dip(205, 225)
CALM = (STEADY * 23)[: DIP.end]
"""The load up to the end of `DIP`, of clients that do not retry."""


def load(*seconds: float, until_s: int = 80) -> list[int]:
    """Ticks of a lane that is steady up to the end of `DIP`.

    Then it gets so many times its capacity in each second, and is steady again.
    """
    ticks = CALM + [round(10 * times) for times in seconds for _ in range(10)]
    return (ticks + STEADY * until_s)[: until_s * 10]
