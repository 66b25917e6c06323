"""Which lane recovered worst, and which best: one order, in sentences as in files."""

import json
import math
from dataclasses import replace

import pytest

from reports.judging import ranking
from reports.judging.ranking import Standing
from reports.reading.read import parse_record
from reports.rendering import sentences
from reports.rendering.study.headlines import headline
from reports.rendering.study.to_json import to_json as study_json
from reports.rendering.to_json import to_json
from reports.several.studying import study_of
from reports.summary import fold
from tests.reports.repeated import ten_dips
from tests.reports.study.made import NEVER, report
from tests.reports.test_rendering import starved

GOOD = Standing(
    "good", lost=0.0, settled_s=1.0, stormed=True, failed=5, retries=True, unanswered=False
)
BAD = replace(GOOD, of="bad", lost=0.5, failed=0)
NEVER_BACK = replace(BAD, of="never", settled_s=math.inf)
SLOW = replace(GOOD, of="slow", settled_s=9.0, failed=0)
DEAR = replace(GOOD, of="dear", failed=9)
PLAIN = replace(GOOD, of="plain", failed=0, retries=False)
HELD = replace(GOOD, of="held", settled_s=0.0, failed=0, unanswered=True)
CALM = replace(GOOD, of="calm", settled_s=0.0, stormed=False)
BRIEF = replace(GOOD, of="brief", settled_s=0.1, stormed=False, failed=0)


@pytest.mark.parametrize(
    ("standings", "worst", "best"),
    [
        ([GOOD, SLOW, BAD, DEAR], "bad", "good"),
        ([GOOD, SLOW, DEAR], "slow", "good"),
        ([DEAR, GOOD], "dear", None),
        ([SLOW, PLAIN, DEAR], "slow", "dear"),
        ([SLOW, PLAIN], "slow", "plain"),
        ([SLOW, HELD, GOOD], "slow", "good"),
        ([SLOW, HELD], "slow", None),
        ([BAD, NEVER_BACK], "never", None),
        ([CALM, BRIEF], "brief", None),
        ([CALM, BRIEF, SLOW], "slow", "brief"),
        ([GOOD], "good", None),
        ([], None, None),
    ],
)
def test_one_order_tells_who_did_worst_and_best(
    standings: list[Standing[str]], worst: str | None, best: str | None
) -> None:
    """By how often it did not recover, by settled, by failures; a lane that retries is best.

    Nobody is best where all did alike, nor who holds requests back, nor who was lost once. A tick
    above capacity makes nobody better, and is later than none.
    """
    assert ranking.worst(standings) == worst
    assert ranking.best(standings) == best


def test_the_file_names_those_that_the_sentences_name() -> None:
    for found in (fold(parse_record(ten_dips().encoded())), report(1, slow=100, quick=10)):
        told = json.loads(to_json(found))
        assert (told["worst"], told["best"]) == ("slow", "quick")
        assert "`slow`" in sentences.headline(found)
        assert "`quick` recovered best" in (sentences.runner_up(found) or "")


def test_the_file_of_several_names_the_condition_too() -> None:
    one, two = {"load": {"rate": "90/s"}}, {"load": {"rate": "95/s"}}
    study = study_of([report(1, one, a=10, b=30), report(2, two, a=20, b=NEVER)])
    told = json.loads(study_json(study))
    assert told["worst"] == {"condition": 1, "title": "b"}
    assert told["best"] == {"condition": 0, "title": "a"}
    said = headline(study)
    assert "`b` did not recover with load.rate = 95/s" in said
    assert "`a` settled after 2.0 s with load.rate = 95/s, the longest" in said


def test_settled_of_each_run_is_what_their_median_is_made_of() -> None:
    """A load that settled while nobody was served is late in both, and has a field of its own."""
    told = json.loads(study_json(study_of([starved()])))
    [lane] = told["conditions"][0]["lanes"]
    [sample] = told["runs"][0]["lanes"][0]["samples"]
    assert lane["measures"]["settled_s"]["late"] == 1
    assert (sample["settled_s"], sample["times_trigger"]) == (None, None)
    assert sample["load_settled_s"] == 0
