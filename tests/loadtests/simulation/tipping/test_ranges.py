"""Which values of a field are tried."""

import pytest

from loadtests.scenario import ScenarioError, parse_scenario
from loadtests.simulation.tipping.ranges import Range, read_range, shown

VALUES: dict[str, object] = {
    "load": {"rate": "35/s"},
    "target": {"workers": 5, "service_time": "100ms"},
    "dips": [{"for": "2s", "workers": 0}],
}


def range_of(along: str) -> Range:
    """Of the scenario above."""
    return read_range(along, VALUES, parse_scenario(VALUES))


def test_a_field_alone_has_a_range_by_itself() -> None:
    """A dip: from a tick to a minute, tick by tick."""
    found = range_of("dip.for")
    assert (found.values[0], found.values[-1], len(found.values)) == ("0.1s", "60s", 600)
    assert found.sizes[:3] == (0.1, 0.2, 0.3)
    assert found.own
    assert found.text == "0.1 s to 60 s in steps of 0.1 s"


def test_two_ends_are_gone_through_in_steps_of_their_kind() -> None:
    """Durations tick by tick, whole numbers one by one, others by hundredths."""
    assert range_of("dip.for=500ms:2s").sizes[:2] == (0.5, 0.6)
    assert range_of("dip.capacity=10%:20%").values[:2] == ("10%", "11%")
    assert range_of("target.workers=3:7").values == ("3", "4", "5", "6", "7")
    assert range_of("load.utilisation=0.5:0.9").values[:2] == ("0.5", "0.51")
    assert not range_of("dip.for=500ms:2s").own


def test_a_step_or_the_values_themselves_can_be_said() -> None:
    """In whatever order and unit; they are tried from the smallest up."""
    assert range_of("dip.for=1s:2s:0.25s").values == ("1s", "1.25s", "1.5s", "1.75s", "2s")
    listed = range_of("dip.for=3s,500ms,1m")
    assert listed.values == ("500ms", "3s", "1m")
    assert listed.sizes == (0.5, 3.0, 60.0)
    assert listed.text == "0.5 s to 60 s in 3 steps"


def test_the_load_goes_up_to_the_capacity_by_itself() -> None:
    """Which is 50/s here."""
    found = range_of("load.rate")
    assert (found.values[0], found.values[1], found.values[-1]) == ("2.5/s", "3/s", "49.5/s")


def test_workers_go_up_to_four_times_as_many() -> None:
    """From one."""
    found = range_of("target.workers")
    assert (found.values[0], found.values[-1]) == ("1", "20")


@pytest.mark.parametrize(
    ("along", "says"),
    [
        ("", "is no range: expected PATH, PATH=LOW:HIGH"),
        ("dip.for=", "is no range"),
        ("dip.fro", "there is no such field .did you mean dip.for"),
        ("dip.for=1s", "dip.for: 1s is one value: expected LOW:HIGH or LOW:HIGH:STEP"),
        ("dip.for=3s:1s", "dip.for: 3s:1s: 3s is not below 1s: expected LOW:HIGH or"),
        ("dip.for=1000ms:1s", "dip.for: 1000ms:1s: 1000ms is not below 1s"),
        ("dip.for=1s:5%", "units differ"),
        ("dip.for=1s,5%", "dip.for: .*units differ: a duration, a percentage"),
        ("dip.shape=step,ramp", "dip.shape: 'step' is not a number"),
        ("dip.for=a:b", "dip.for: 'a' is not a number"),
        ("dip.for=1s:2h", "71991 values are too many"),
        ("target.queue", "target.queue has no range by itself: expected target.queue=LOW:HIGH"),
    ],
)
def test_what_cannot_be_is_refused(along: str, says: str) -> None:
    """In one line that names the field and what is allowed."""
    with pytest.raises(ScenarioError, match=says) as raised:
        range_of(along)
    assert "\n" not in str(raised.value)


def test_values_are_shown_as_people_write_them() -> None:
    """A duration in seconds, with its unit apart."""
    assert [shown(text) for text in ("1100ms", "1m", "20%", "0.7", "35/s")] == [
        "1.1 s", "60 s", "20%", "0.7", "35/s",
    ]  # fmt: skip
