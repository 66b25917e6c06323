"""Prometheus' own tool as a judge of our rules: made-up scrapes go in, expressions are checked."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from tests.real import program

PROMETHEUS = Path(__file__).parents[2] / "deploy" / "prometheus"
TICK_S = 0.1
LIMIT_S = 60


@dataclass(frozen=True)
class Dip:
    """A dip in force in the ticks ``[start, end)``; its end is `planned` as long as it lasts."""

    start: int
    end: int
    planned: int | None = None


@dataclass(frozen=True)
class Lane:
    """What the meter of a lane counts: attempts offered in each tick, and the dips it has.

    `retries` are those of them that are no first attempts: what does not fit in capacity, unless it
    is said. `numbers` are the labels of first attempts and of retries. From the tick `counts_anew`
    on it counts from 0.
    """

    name: str
    offered: Sequence[int]
    dips: Sequence[Dip] = ()
    capacity_per_s: float = 100.0
    counts_anew: int | None = None
    retries: Sequence[int] | None = None
    numbers: tuple[str, str] = ("1", "2")

    def by_number(self) -> dict[str, list[int]]:
        """What is offered in each tick, by attempt number."""
        fits = int(self.capacity_per_s * TICK_S)
        retries = self.retries
        if retries is None:
            retries = [max(0, offered - fits) for offered in self.offered]
        first = [all_ - again for all_, again in zip(self.offered, retries, strict=True)]
        return dict(zip(self.numbers, (first, [*retries]), strict=True))


@dataclass(frozen=True)
class Check:
    """At `at_s` since the first scrape the expression has these values, by the label `lane`."""

    at_s: int
    expression: str
    values: Mapping[str, float]


@dataclass(frozen=True)
class Alert:
    """At `at_s` the alert fires for this lane and for no other, in these words; or for none."""

    at_s: int
    lane: str = ""
    summary: str = ""
    description: str = ""


@dataclass(frozen=True)
class Scrapes:
    """Scrapes of a target, one a second, by number.

    Each comes so many ticks later than the first did. Those that are `missed` fail. With the one
    that is `restarted` the target begins anew.
    """

    lanes: Sequence[Lane]
    late: Mapping[int, int] = field(default_factory=dict)
    missed: frozenset[int] = frozenset()
    restarted: int | None = None

    def series(self) -> list[dict[str, str]]:
        """All of them, as promtool reads them."""
        ticks = min(len(lane.offered) for lane in self.lanes)
        seen = [min(10 * number + self.late.get(number, 0), ticks) for number in range(ticks // 10)]
        if self.restarted is not None:
            seen[self.restarted :] = seen[: -self.restarted]
        found = {
            "aftershock_ticks_total{%s}": [float(tick) for tick in seen],
            "aftershock_last_tick_end_timestamp_seconds{%s}": [epoch_s(tick) for tick in seen],
            "aftershock_tick_seconds{%s}": [TICK_S] * len(seen),
        }
        values: dict[str, list[float | None]] = {name: [*v] for name, v in found.items()}
        for lane in self.lanes:
            values |= _of_lane(lane, seen)
        where = 'job="target",instance="a:1"'
        return [
            {"series": name.replace("%s", where), "values": " ".join(self._texts(of_series))}
            for name, of_series in values.items()
        ]

    def _texts(self, values: list[float | None]) -> list[str]:
        return [
            "stale" if number in self.missed else "_" if value is None else repr(value)
            for number, value in enumerate(values)
        ]


def epoch_s(tick: int) -> float:
    """The wall clock's time when a tick begins."""
    return round(1_796_033_700 + tick * TICK_S, 3)


def _of_lane(lane: Lane, seen: list[int]) -> dict[str, list[float | None]]:
    anew = len(lane.offered) if lane.counts_anew is None else lane.counts_anew
    by_number = {
        number: [0, *accumulate(counts[:anew]), *accumulate(counts[anew:])]
        for number, counts in lane.by_number().items()
    }
    begun = [[dip for dip in lane.dips if dip.start <= tick] for tick in seen]
    newest = [dips[-1] if dips else None for dips in begun]
    labels = f"{{%s,lane={json.dumps(lane.name)}"
    return {
        **{
            f'aftershock_offered_attempts_total{labels},attempt="{number}"}}': [
                float(totals[tick]) for tick in seen
            ]
            for number, totals in by_number.items()
        },
        f"aftershock_capacity_attempts_per_second{labels}}}": [lane.capacity_per_s] * len(seen),
        f"aftershock_dips_active{labels}}}": [
            float(sum(tick < dip.end for dip in dips))
            for tick, dips in zip(seen, begun, strict=True)
        ],
        f"aftershock_dip_start_timestamp_seconds{labels}}}": [
            epoch_s(dip.start) if dip else None for dip in newest
        ],
        f"aftershock_dip_end_timestamp_seconds{labels}}}": [
            epoch_s(dip.planned if dip.planned and tick < dip.end else dip.end) if dip else None
            for tick, dip in zip(seen, newest, strict=True)
        ],
    }


def judge(
    folder: Path, scrapes: Scrapes, checks: Sequence[Check], alerts: Sequence[Alert] = ()
) -> None:
    """Have promtool evaluate our rules every second on these scrapes; fails with what it said."""
    judge_series(folder, scrapes.series(), checks, alerts)


def judge_series(
    folder: Path,
    series: Sequence[Mapping[str, str]],
    checks: Sequence[Check],
    alerts: Sequence[Alert] = (),
    by: str = "lane",
) -> None:
    """The same for series as promtool reads them; values of checks are by the label `by`."""
    test = {
        "rule_files": [str(PROMETHEUS / "rules.yml")],
        "evaluation_interval": "1s",
        "tests": [
            {
                "interval": "1s",
                "input_series": series,
                "promql_expr_test": [
                    {
                        "expr": f"sum by ({by}) ({check.expression})",
                        "eval_time": f"{check.at_s}s",
                        "exp_samples": [
                            {"labels": f"{{{by}={json.dumps(of)}}}", "value": value}
                            for of, value in check.values.items()
                        ],
                    }
                    for check in checks
                ],
                "alert_rule_test": [_expected(alert) for alert in alerts],
            }
        ],
    }
    path = folder / "rules.test.json"  # JSON is YAML
    path.write_text(json.dumps(test))
    promtool("test", "rules", str(path))


def _expected(alert: Alert) -> dict[str, object]:
    labels = {"job": "target", "instance": "a:1", "lane": alert.lane, "severity": "warning"}
    told = {"summary": alert.summary, "description": alert.description}
    return {
        "alertname": "AftershockRetryStorm",
        "eval_time": f"{alert.at_s}s",
        "exp_alerts": [{"exp_labels": labels, "exp_annotations": told}] if alert.lane else [],
    }


def promtool(*command: str) -> str:
    """What promtool says. It must be content."""
    done = subprocess.run(
        [program("promtool"), *command],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return done.stdout
