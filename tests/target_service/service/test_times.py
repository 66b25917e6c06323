"""Service times: what can be asked for, and that their means are those asked for."""

from pathlib import Path
from random import Random
from statistics import fmean

import pytest

from target_service.dips import DipPlan
from target_service.levels import WorkersLevel
from target_service.service import Fate, Job, ServiceConfig, parse_service_time
from target_service.target import Target


@pytest.mark.parametrize(
    "text",
    ["100ms", " 100ms ", "100 ms", "exponential 100ms", "lognormal 100ms 0.5", "lognormal 0.1s 1"],
)
def test_the_mean_is_the_one_asked_for(text: str) -> None:
    """Within 2% of 50,000 draws."""
    time = parse_service_time(text)
    rng = Random(1)
    assert (time.mean_s, time.text) == (0.1, text.strip())
    assert fmean(time.draw_s(rng) for _ in range(50_000)) == pytest.approx(0.1, rel=0.02)


def test_measured_times_come_from_a_file(tmp_path: Path) -> None:
    """A duration a line; blank lines and comments are passed over."""
    path = tmp_path / "my times.txt"
    path.write_text("# of Tuesday\n100ms\n\n 0.3s\r\n")
    time = parse_service_time(f"file {path}")
    assert time.mean_s == pytest.approx(0.2)
    assert {time.draw_s(Random(seed)) for seed in range(20)} == {0.1, 0.3}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("100", "'100' is not a duration: a number and ms"),
        ("exponential 5", "'5' is not a duration: a number and ms"),
        ("0ms", "above 0s and at most 3600s"),
        ("2h", "above 0s and at most 3600s"),
        ("exponential", "is not a duration"),
        ("gamma 1s", "'gamma 1s' is not a duration"),
        ("lognormal 1s", "is not a duration"),
        ("lognormal 1s 0", "'0' is no sigma: expected above 0 and at most 4"),
        ("lognormal 1s nan", "is no sigma"),
        ("file /nowhere/at/all", "/nowhere/at/all: no such file"),
        ("file /dev/zero", "/dev/zero: no plain file"),
        ("file a\x1b[31m", "a\ufffd\\[31m: no such file"),
    ],
)
def test_what_is_no_service_time_is_named(text: str, said: str) -> None:
    """And what is allowed."""
    with pytest.raises(ValueError, match=said):
        parse_service_time(text)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "expected 1 to 100,000 durations"),
        (b"100ms\nexponential 5ms\n", "line 2: 'exponential 5ms' is not a duration: a number and"),
        (b"\xff\xfe", "not text in UTF-8"),
        (b"1ms\n" * 100_001, "expected 1 to 100,000 durations"),
        (b"#" * 4_000_001, "larger than 4,000,000 bytes"),
    ],
    ids=["empty", "no unit", "binary", "many", "large"],
)
def test_a_file_that_makes_no_sense_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    """With the line."""
    path = tmp_path / "times.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=said):
        parse_service_time(f"file {path}")


def test_a_reset_leaves_nobody_waiting_for_good() -> None:
    """The dip is forgotten, and with it that those who wait have no workers."""
    target = Target(0, service=ServiceConfig(1, parse_service_time("100ms")))
    lane = target.lane("a", 0.0)
    target.begin_dip(DipPlan(WorkersLevel(0), 3600.0), 0.0)
    job = Job(1)
    target.offer(lane, job, 1.0)
    assert lane.model is not None
    target.reset(2.0)
    lane.model.advance(3.0)
    assert (lane.model.ended, job.started_s) == ([(job, Fate.SERVED)], 2.0)
