"""Lanes whose attempts pass gateways that multiply them, by known factors, while a dip lasts."""

from collections import Counter
from collections.abc import Sequence

from reports.record import Requests
from tests.reports.synthetic import TICK_S, Shape

DIP = range(100, 120)
RATE = 9


def layered(lane: str, factors: Sequence[int], policy: str | None = None) -> Shape:
    """9 requests a tick; in the dip each layer makes so many attempts of each that comes to it.

    The first factor is the client's, the others those of gateways 1, 2, …
    """
    made = [[RATE] * 420 for _ in factors]
    for tick in DIP:
        product = RATE
        for own, factor in zip(made, factors, strict=True):
            product *= factor
            own[tick] = product
    requests = tuple(
        Requests(
            tick * TICK_S,
            lane,
            issued=RATE,
            succeeded=0 if tick in DIP else RATE,
            failed=Counter({"out-of-attempts": RATE}) if tick in DIP else Counter(),
            attempts=made[0][tick],
        )
        for tick in range(420)
    )
    return Shape(
        lane,
        [[RATE, total - RATE] for total in made[-1]],
        policy,
        requests=requests,
        layers={f"gateway {number}": made[number - 1] for number in range(1, len(factors))},
    )
