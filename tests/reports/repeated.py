"""A run of ten equal dips, after three of which one of its lanes does not recover."""

from reports.record import End, Fault
from tests.reports.synthetic import Made, Shape, plain

DIPS, EVERY, LENGTH = 10, 200, 20
FIRST = 100
TICKS = FIRST + DIPS * EVERY
STORMS = {"quick": [5] * DIPS, "slow": [60, 65, 70, 75, 180, 180, 180, 60, 65, 70]}
"""How many ticks the load stays high after each dip."""


def ten_dips(names: dict[str, str] | None = None) -> Made:
    """Its lanes are called `quick` and `slow`, or by the `names` for these."""
    return Made(
        [
            Shape((names or {}).get(lane, lane), plain(_load(storms)), describe=f"policy {lane}")
            for lane, storms in STORMS.items()
        ],
        ticks=TICKS,
        capacity=lambda tick: 2.0 if _since(tick) in range(LENGTH) else 10.0,
        dips=[_dip(number) for number in range(DIPS)],
        planned_end_s=TICKS / 10,
        end=End(TICKS / 10),
    )


def _since(tick: int) -> int:
    """Ticks since the dip before began; -1 before the first."""
    return (tick - FIRST) % EVERY if tick >= FIRST else -1


def _load(storms: list[int]) -> list[int]:
    load = []
    for tick in range(TICKS):
        since = _since(tick)
        high = since >= 0 and since < LENGTH + storms[(tick - FIRST) // EVERY]
        load.append(20 if high else 9)
    return load


def _dip(number: int) -> Fault:
    start_s = (FIRST + number * EVERY) / 10
    return Fault("dip", f"dip-{number}", start_s, start_s + LENGTH / 10, "20/s")
