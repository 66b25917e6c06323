"""Retries that go on though the load has settled: told of those that have them, and of no other."""

import json
from dataclasses import replace

import numpy as np
import pytest

from reports.reading.read import parse_record
from reports.record import End, Fault
from reports.rendering import captions, sentences
from reports.rendering.html import to_html
from reports.rendering.markdown import markdown
from reports.rendering.study.sentences import remarks as remarks_on
from reports.rendering.to_json import to_json
from reports.several.studying import study_of
from reports.summary import Report, fold
from tests.reports.synthetic import Made, Shape, plain
from tests.reports.test_measures import bins
from tests.reports.test_rendering import printed

SAID = "Retries went on after the load had settled, for as long as was watched"
STORM = slice(100, 150)


def load(before: int = 9, after: int = 10, **others: int) -> list[int]:
    """20 a tick until 3 s after the dip, 9 of them first attempts; then all that fits."""
    ticks = [before] * STORM.start + [20] * 50 + [after] * 270
    for place, count in others.items():
        ticks[int(place.removeprefix("at_"))] = count
    return ticks


def report(**lanes: list[int]) -> Report:
    shapes = []
    for name, ticks in lanes.items():
        told = zip(bins(420), ticks, strict=True)
        requests = tuple(replace(one, lane=name, attempts=sent) for one, sent in told)
        shapes.append(Shape(name, plain(ticks), requests=requests))
    return fold(parse_record(Made(shapes).encoded()))


@pytest.mark.parametrize(
    ("ticks", "per_s"),
    [
        (load(), 10.0),
        (load(after=9), None),  # no retry
        (load(before=10), None),  # as before
        (load(at_60=12), 10.0),  # a second before had three
        (load(**{f"at_{tick}": 10 for tick in range(60, 70)}), None),  # one had as many
        (load(**{f"at_{tick}": 9 for tick in range(410, 420)}), None),  # they stopped
        (load(**{f"at_{tick}": 9 for tick in range(300, 310)}), None),  # or paused
        (load(after=20), None),  # it never settled
    ],
)
def test_each_second_has_more_than_any_before(ticks: list[int], per_s: float | None) -> None:
    after = report(a=ticks).policies[0].after
    assert after is not None
    assert after.lingering_per_s == (None if per_s is None else pytest.approx(per_s))


@pytest.mark.parametrize("seed", range(20))
def test_ordinary_noise_is_not_called_so(seed: int) -> None:
    """Poisson arrivals that now and then do not fit, and are tried again, before as after."""
    first = np.random.default_rng(seed).poisson(8.5, 420)
    again = np.minimum(np.maximum(0, np.roll(first, 1) - 10), 5)
    offered = [[int(a), int(b)] for a, b in zip(first, again, strict=True)]
    for place in range(STORM.start, STORM.stop):
        offered[place][1] = 11
    after = fold(parse_record(Made([Shape("a", offered)]).encoded())).policies[0].after
    assert after is not None
    assert after.lingering_per_s is None


def test_it_is_said_in_every_rendering() -> None:
    found = report(calm=load(after=9), lasting=load())
    [said] = [one for one in sentences.remarks(found) if one.startswith(SAID)]
    assert said == f"{SAID}: `lasting` at 10/s (latency not back)."
    for text in (printed(found), markdown(found), to_html(found)):
        assert SAID in " ".join(text.split())
    calm, lasting = found.policies
    assert f"{SAID} (latency not back)." in captions.of_lane(lasting, found)
    assert SAID not in captions.of_lane(calm, found)
    assert f"{SAID}: “lasting” (latency not back)." in captions.of_sheet(found)
    each = {one["lane"]: one["lingering_per_s"] for one in json.loads(to_json(found))["policies"]}
    assert each == {"calm": None, "lasting": pytest.approx(10.0)}


def test_of_several_runs_it_is_said_in_how_many() -> None:
    runs = [report(a=load(after=after)) for after in (9, 10, 9, 10, 10)]
    named = [
        replace(one, run=replace(one.run, id=f"run-{seed}", seed=seed))
        for seed, one in enumerate(runs)
    ]
    assert f"{SAID}: `a` in 3 of 5." in list(remarks_on(study_of(named)))


def test_of_repeated_dips_it_is_said_after_how_many() -> None:
    """Ten seconds of each are calm, and after the second retries go on until the third begins."""
    ticks = [9] * 100
    for after in (9, 10, 9):
        ticks += [20] * 50 + [after] * 150
    dips = [Fault("dip", f"d{n}", 10.0 + 20 * n, 12.0 + 20 * n, "20/s") for n in range(3)]
    made = Made([Shape("a", plain(ticks))], ticks=700, dips=dips, planned_end_s=70, end=End(70))
    found = fold(
        parse_record(
            made.but(
                capacity=lambda t: 2.0 if t >= 100 and (t - 100) % 200 < 20 else 10.0
            ).encoded()
        )
    )
    assert f"{SAID}: `a` in 1 of 3." in sentences.remarks(found)
    caption = captions.of_lane(found.policies[0], found)
    assert f"{SAID}, in some of these." in caption
