"""A dip is checked when it is made, and the error names the field and what is allowed."""

import math
from typing import Any

import pytest

from faults.dip import Dip


@pytest.mark.parametrize("capacity", ["20%", "0%", "100%", "20/s", "0/s", "9.5/s", " 20 % "])
def test_a_dip_takes_rates_and_shares(capacity: str) -> None:
    """As the target does."""
    assert Dip(capacity, 2.0).capacity == capacity


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"capacity": "20/m"}, 'capacity: .*as in "100/s"'),
        ({"capacity": "101%"}, "capacity: .*from 0% to 100%"),
        ({"capacity": "-1%"}, "capacity: "),
        ({"capacity": "20"}, 'capacity: .*"20/s" or "20%"'),
        ({"capacity": ""}, "capacity: "),
        ({"for_s": 0.0}, "for: a dip lasts from 1ms to 1h"),
        ({"for_s": -1.0}, "for: "),
        ({"for_s": math.nan}, "for: "),
        ({"for_s": math.inf}, "for: "),
        ({"for_s": 3601.0}, "for: "),
        ({"at_s": -0.1}, "at: a dip begins from 0s to 24h"),
        ({"at_s": math.nan}, "at: "),
        ({"shape": "cliff"}, "shape: 'cliff' is not step or ramp"),
        ({"lanes": ()}, "lanes: name at least one"),
        ({"capacity": None}, "capacity: give exactly one of capacity, workers and service_time"),
        ({"workers": 2}, "capacity: give exactly one"),
        ({"capacity": None, "workers": 2, "service_time_s": 0.1}, "capacity: give exactly one"),
        ({"capacity": None, "workers": -1}, "workers: expected 0 to 10000, not -1"),
        ({"capacity": None, "workers": 10_001}, "workers: expected 0 to 10000"),
        ({"capacity": None, "service_time_s": 0.0}, "service_time: expected 1ms to 1h, not 0s"),
        ({"slow_start_s": -1.0}, "slow_start: it lasts from 0s to 1h"),
        ({"slow_start_s": math.nan}, "slow_start: "),
        ({"slow_start_s": 1.0, "shape": "ramp"}, "slow_start: a ramp climbs back by itself"),
    ],
)
def test_a_bad_dip_cannot_be_made(fields: dict[str, Any], says: str) -> None:
    """Whichever field it is."""
    with pytest.raises(ValueError, match=f"^{says}"):
        Dip(**{"capacity": "20%", "for_s": 2.0, **fields})
