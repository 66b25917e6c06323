"""A real Prometheus scrapes a real run: what its rules give is what the report gives."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from faults.admin import AdminClient
from faults.wire import TickRow
from tests.loadtests.control_room.room_live import a_room
from tests.loadtests.live import LOCUSTFILE, Line, a_target, of_kind, the_record
from tests.prometheus.live import Server, prometheus
from tests.prometheus.test_rules import RESOLUTION_S
from tests.real import eventually, too_busy

pytestmark = [pytest.mark.live, pytest.mark.alone, pytest.mark.timeout(150)]

LANES = ("no-retry", "exponential", "exponential:base=500ms")
"""One without a storm, one with a storm of some 3 s, and one of some 9 s."""
CAPACITY_PER_S = 50.0
LOAD = ("-u", "3", "-r", "3", "--rate-per-user", "42/s", "--autostart", "-t", "30s")
DIP = ("--dips", "0% for 3s at 6s")
AFTER_S = 5.0
"""How long after a dip's end the alert asks whether load is still above capacity."""
HOLD_S = 6.0
"""How long the rules wait for a storm to come back."""
FADING_S = 5.0
"""How far apart both may be where load is at capacity, as docs/metrics.md says."""


@dataclass(frozen=True)
class Scraped:
    """A run that is over, and the Prometheus that has watched it."""

    server: Server
    lines: list[Line]
    report: dict[str, object]
    fired: set[str]
    """The lanes for which the alert was seen to fire."""
    later: list[TickRow]
    """What the target metered after the last tick that is recorded."""

    def settled(self) -> dict[str, float | None]:
        """When the load of each lane settled, says the report; the test ends if it is not valid."""
        if not self.report["valid"]:
            too_busy(str(self.report["invalid_because"]))
        return {lane: self.of(lane)["load_settled_s"] for lane in LANES}

    def of(self, lane: str) -> dict[str, float]:
        """What the report says of a lane."""
        policies = self.report["policies"]
        assert isinstance(policies, list)
        [found] = [policy for policy in policies if policy["lane"] == lane]
        return dict(found)


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scraped]:
    """One run for all tests: three policies under a dip, scraped from before until after it."""
    folder = tmp_path_factory.mktemp("scraped")
    fired: set[str] = set()
    with (
        a_target(folder, CAPACITY_PER_S) as target,
        a_room(
            folder, target, "-f", str(LOCUSTFILE), *LOAD, *DIP, AFTERSHOCK_POLICIES=" ".join(LANES)
        ) as room,
    ):
        with prometheus(folder / "prometheus", target, room.origin) as server:
            reports = folder / "runs"

            def report_is_there() -> bool:
                fired.update(server.firing())
                return any(reports.glob("*/report.json"))

            eventually(lambda: server.up() == {"target", "locust"}, "both are scraped")
            eventually(report_is_there, "a report")
            time.sleep(2.0)  # a scrape of what was counted last, and an evaluation of it
            [path] = reports.glob("*/report.json")
            lines, report = the_record(reports), json.loads(path.read_text())
            last = max(int(str(line["seq"])) for line in of_kind(lines, "tick"))
            yield Scraped(server, lines, report, fired, AdminClient(target).ticks(last))


def summed(lines: list[Line], kind: str, name: str) -> Counter[str]:
    """The counts of a record by lane."""
    total: Counter[str] = Counter()
    for line in of_kind(lines, kind):
        value = line[name]
        total[str(line["lane"])] += sum(value) if isinstance(value, list) else int(str(value))
    return total


@pytest.mark.parametrize(
    "counted", ["offered", "admitted", "turned_away", "completed", "abandoned"]
)
def test_what_the_target_counted_is_what_the_record_has(scraped: Scraped, counted: str) -> None:
    """To the attempt. What was still on its way at the end came after the record."""
    expected = summed(scraped.lines, "tick", counted)
    for row in scraped.later:
        expected.update({lane: sum(getattr(tick, counted)) for lane, tick in row.lanes.items()})
    assert scraped.server.values(f"aftershock_{counted}_attempts_total") == expected


def test_what_the_clients_counted_is_what_the_record_has(scraped: Scraped) -> None:
    """To the request and to the attempt."""
    values, lines = scraped.server.values, scraped.lines
    assert values("aftershock_requests_total") == summed(lines, "requests", "issued")
    assert values("aftershock_requests_succeeded_total") == summed(lines, "requests", "succeeded")
    assert values("aftershock_request_attempts_total") == summed(lines, "requests", "attempts")
    failed: Counter[str] = Counter()
    for line in of_kind(lines, "requests"):
        assert isinstance(line["failed"], dict)
        failed.update(line["failed"])
    by_reason = values("aftershock_requests_failed_total", "reason")
    assert {reason: count for reason, count in by_reason.items() if count} == failed


def load_between(lines: list[Line], lane: str, from_s: float, to_s: float) -> float:
    """The mean offered load of a lane between two times after the dip's end, per second.

    It is 0 where no tick is between them.
    """
    [dip] = of_kind(lines, "fault")
    ticks = [
        summed([line], "tick", "offered")[lane]
        for line in of_kind(lines, "tick")
        if line["lane"] == lane
        and from_s <= float(str(line["t_s"])) - float(str(dip["end_s"])) < to_s
    ]
    return 10 * sum(ticks) / len(ticks) if ticks else 0.0


def test_settled_is_what_the_report_says(scraped: Scraped) -> None:
    """Within the resolution of the scrapes.

    A storm that fades has no sharp end: between what both say, which is not far apart, load is
    within 5% of capacity.
    """
    settled = scraped.server.values("lane:aftershock_settled_seconds")
    for lane, at_s in scraped.settled().items():
        if at_s is None:  # cut off by the end of the load: for Prometheus it ended so
            seen_s = scraped.of(lane)["observed_s"]
            assert settled.get(lane, seen_s) > seen_s - HOLD_S - RESOLUTION_S
            continue
        low_s, high_s = sorted((settled[lane], at_s))
        assert high_s - low_s <= FADING_S, (lane, settled[lane], at_s)
        if high_s - low_s > RESOLUTION_S:
            tail = load_between(scraped.lines, lane, low_s + RESOLUTION_S, high_s)
            assert tail <= 1.05 * CAPACITY_PER_S, (lane, settled[lane], at_s)


def test_amplification_is_what_the_report_says(scraped: Scraped) -> None:
    """The gauge of the run is. The rule has what was scraped, be it the first second or not all.

    As many attempts arrive as are sent, for nothing is between the clients and the target.
    """
    of_run = scraped.server.values("aftershock_amplification_ratio")
    of_rule = scraped.server.values("lane:aftershock_amplification:ratio_rate1h")
    for lane in LANES:
        said = scraped.of(lane)["amplification"]
        assert of_run[lane] == pytest.approx(said, rel=0.01)
        assert of_rule[lane] == pytest.approx(said, rel=0.1)


def test_the_dip_is_told_as_it_was(scraped: Scraped) -> None:
    """When it began and ended, by the wall clock."""
    [dip] = of_kind(scraped.lines, "fault")
    anchor_s = float(str(scraped.lines[0]["anchor_epoch_s"]))
    for word in ("start", "end"):
        at_s = anchor_s + float(str(dip[f"{word}_s"]))
        told = scraped.server.values(f"aftershock_dip_{word}_timestamp_seconds")
        assert told == {lane: pytest.approx(at_s, abs=0.1) for lane in LANES}


def test_the_alert_fired_where_the_storm_outlasted_the_dip_by_5_s(scraped: Scraped) -> None:
    """Not for who settled before, and never for who does not retry."""
    ever = 'max_over_time(ALERTS{alertname="AftershockRetryStorm",alertstate="firing"}[2m])'
    fired = set(scraped.server.values(ever))
    said = scraped.settled()
    surely = {lane for lane, at_s in said.items() if at_s is None or at_s > AFTER_S + 2}
    not_at_all = {lane for lane, at_s in said.items() if at_s is not None and at_s < AFTER_S - 1}
    assert surely, said
    assert surely <= fired, said
    assert not fired & not_at_all, said
    assert "no-retry" in not_at_all
    assert fired == scraped.fired
