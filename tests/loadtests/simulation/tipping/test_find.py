"""What one sees of a search, and what is written of it."""

import html
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from rich.console import Console

from loadtests.overrides import Flags
from loadtests.scenario import load_scenario_values
from loadtests.simulation.engines import Engine
from loadtests.simulation.sweep.given import Given
from loadtests.simulation.tipping.find import run_find
from loadtests.simulation.workers import LocalWorkers, R, T, Workers, WorkersError
from tests.loadtests.simulation.tipping.coins import Share, sharp, smooth
from tests.loadtests.simulation.tipping.playing import Coins

ONE = {"policies": [{"name": "immediate"}]}


def given_of(
    workers: Workers, values: Mapping[str, object] | None = None, out: Path | None = None
) -> Given:
    """These values of a scenario, without flags."""
    known = ONE if values is None else values
    return Given(Path("a.toml"), dict(known), Flags(), Engine.AUTO, workers, out)


def find(
    workers: Workers,
    along: str = "dip.for",
    values: Mapping[str, object] | None = None,
    runs: int = 200,
    out: Path | None = None,
    code: int = 0,
) -> str:
    """What is printed, on one line."""
    text = io.StringIO()
    console = Console(file=text, width=80)
    given = given_of(workers, values, out)
    assert code == run_find(given, along=along, most_runs=runs, console=console, errors=console)
    lines = text.getvalue().splitlines()
    assert all(len(line) <= 80 or "/" in line or line.startswith("note: ") for line in lines)
    assert "…" not in text.getvalue()
    return " ".join(text.getvalue().split())


@pytest.mark.parametrize(
    ("share", "says"),
    [
        (
            sharp(1.6),
            "immediate: a dip of up to 1.6 s passes, one of 1.7 s and more does not come back "
            "within 30 s (95% confidence, 108 runs).",
        ),
        (
            lambda value: 1.0 if value < 1 else 0.5 if value < 1.15 else 0.0,
            "a dip of up to 0.9 s passes, one of 1.2 s and more does not come back within 30 s "
            "(95% confidence, 120 runs); in between it is chance.",
        ),
        (sharp(60), "no tipping point up to 60 s: even a dip of 60 s passes (95% confidence, 36"),
        (sharp(0), "already beyond it at 0.1 s: not even a dip of 0.1 s passes within 30 s (95%"),
        (lambda _: 0.5, "no telling where it tips: it is chance at 0.1 s and at 60 s (95%"),
        (
            lambda value: float(value < 1 or value > 30),
            "no one tipping point: 0.1 s recovers, 2.5 s does not recover, 60 s recovers (95%",
        ),
        (
            lambda value: 1.0 if value < 50 else 0.5,
            "passes (95% confidence, 200 runs); at 60 s, where the range ends, it is chance.",
        ),
        (
            lambda value: 0.5 if value < 0.3 else 0.0,
            "a dip of 0.3 s and more does not come back within 30 s (95% confidence, 96 runs); "
            "at 0.1 s it is chance already.",
        ),
        (smooth(20, 5), "; 200 runs are too few to tell what is in between."),
    ],
)
def test_a_sentence_says_what_was_found(share: Share, says: str) -> None:
    """How sure it is, and by how many runs; a verdict of its own where there is no such point."""
    assert says in find(Coins(share))


def test_a_field_that_is_no_length_is_told_by_its_name() -> None:
    """Rising or falling in danger, as the ends have it."""
    values = {"policies": [{"name": "immediate"}], "dips": [{"for": "2s"}]}
    always = find(Coins(sharp(9)), "target.capacity=50/s:60/s", values)
    assert "no tipping point from 50/s to 60/s: it recovers at 50/s, 55/s and 60/s (95%" in always
    never = find(Coins(sharp(1)), "dip.capacity=0%:9%", values)
    assert "no tipping point from 0% to 9%: it does not recover within 30 s at 0%, 5% and" in never


def test_a_table_with_a_long_name_fits_in_80_columns() -> None:
    """The helper above looks at each line."""
    text = find(Coins(sharp(1.0)), "load.utilisation=0.5:0.51", {"dips": [{"for": "2s"}], **ONE})
    assert "load. utilisation" in text
    assert "dip.for recovered share" in find(Coins(sharp(1.6)))


def test_where_larger_is_safer_it_is_told_so() -> None:
    """A dip that had better be long stands here for whatever does good."""
    text = find(Coins(lambda value: float(value > 3)), "dip.for=1s:5s")
    assert "with dip.for down to 3.1 s it recovers, from 3 s down it does not within 30 s" in text


def test_it_says_what_the_answer_depends_on() -> None:
    """An observation shorter than the dip, and runs that recover late in it."""
    text = find(Coins(sharp(45.0), settled_s=22.2))
    assert (
        "note: a disturbance of 45.1 s is watched for 30 s after its end, which is shorter" in text
    )
    assert "a run recovered only after 22.2 s of 30 s: a longer observation may move the" in text


def test_it_says_when_more_runs_would_tell_more() -> None:
    """And where the range came from, if it found nothing there."""
    assert "note: 60 runs did not do for steps of 0.1 s" in find(Coins(sharp(1.6)), runs=60)
    text = find(Coins(sharp(60)))
    assert "dip.for is tried from 0.1 s to 60 s in steps of 0.1 s, the range it has by" in text
    assert "--along dip.for=LOW:HIGH gives it another" in text


def test_stopped_it_says_what_is_sure_by_then(tmp_path: Path) -> None:
    """After 40 runs both ends and one value between are known, and of the next one 4 runs."""
    text = find(Coins(sharp(1.6), runs=40), out=tmp_path, code=130)
    assert "stopped: this is what is sure by now" in text
    assert "a dip of up to 0.1 s passes, one of 2.5 s and more does not come back" in text
    assert "(95% confidence, 40 runs)" in text
    assert "4 of 4 100%" in text
    assert "did not do" not in text
    assert json.loads((tmp_path / "tipping-point.json").read_text())["interrupted"] is True


def test_stopped_it_counts_no_run_after_one_that_is_missing() -> None:
    """Which ones are done first depends on what came of them, so that would not be fair.

    Here the second end is done, and the first but for its first seed.
    """
    text = find(Coins(sharp(1.6), order=-1, runs=23), code=130)
    assert "no telling yet where it tips: the runs are too few (95% confidence, 12 runs)" in text
    assert "not sure yet" not in text


def test_stopped_at_once_it_says_that_nothing_is_sure() -> None:
    """And does not fail."""
    assert "no telling yet where it tips: the runs are too few (95% confidence, 0 runs)" in find(
        Coins(sharp(1.6), runs=0), code=130
    )


def test_workers_that_die_leave_what_is_sure_by_then(tmp_path: Path) -> None:
    """It is told and written before the error is raised."""

    class Dying(Coins):
        def each(self, job: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R]]:
            try:
                yield from super().each(job, items)
            except KeyboardInterrupt:
                raise WorkersError("a process died") from None

    text = io.StringIO()
    console = Console(file=text, width=80)
    given = given_of(Dying(sharp(1.6), runs=40), out=tmp_path)
    with pytest.raises(WorkersError, match="a process died"):
        run_find(given, along="dip.for", console=console, errors=console)
    assert "a dip of up to 0.1 s passes, one of 2.5 s and more" in text.getvalue()
    assert json.loads((tmp_path / "tipping-point.json").read_text())["interrupted"] is True


def test_as_json_the_answer_is_alone_on_its_console(tmp_path: Path) -> None:
    """The same as in the file; notes and the page's name go where errors do."""
    told, beside = io.StringIO(), io.StringIO()
    run_find(
        given_of(Coins(sharp(1.6)), out=tmp_path),
        along="dip.for",
        console=Console(file=told),
        errors=Console(file=beside, width=80),
        as_json=True,
    )
    assert told.getvalue() == (tmp_path / "tipping-point.json").read_text()
    assert json.loads(told.getvalue())["along"] == "dip.for"
    assert beside.getvalue().startswith("note: dip.for is tried from")
    assert "tipping-point.html" in beside.getvalue()


def test_all_of_it_is_written_for_other_programs(tmp_path: Path) -> None:
    """The bounds as a scenario has them, and every value that was tried."""
    find(Coins(sharp(1.6)), out=tmp_path / "new")
    found = json.loads((tmp_path / "new" / "tipping-point.json").read_text())
    assert (found["along"], found["source"], found["confidence"]) == ("dip.for", "a.toml", 0.95)
    (lane,) = found["lanes"]
    assert (lane["recovers_at"], lane["does_not_at"]) == ("1.6s", "1.7s")
    assert lane["half_recover_at"] == pytest.approx(1.65)
    assert lane["larger_is_worse"] is True
    assert lane["runs"] == sum(point["runs"] for point in lane["points"]) == 108
    assert lane["points"][0] == {
        "value": "0.1s",
        "size": 0.1,
        "runs": 12,
        "recovered": 12,
        "share_low": pytest.approx(0.629, abs=1e-3),
        "share_high": 1.0,
        "answer": "recovers",
        "latest_recovery_s": 1.0,
    }


def test_the_page_shows_no_name_as_markup(tmp_path: Path) -> None:
    """A lane is called what somebody called it."""
    values = {"policies": [{"name": "immediate", "lane": "<script>alert(1)</script>"}]}
    text = find(Coins(sharp(1.6)), values=values, out=tmp_path)
    assert "<script>alert(1)</script>" in text
    page = (tmp_path / "tipping-point.html").read_text()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "A dip of up to 1.6 s passes" in page


TWO = {
    "policies": [{"name": "immediate", "lane": "a"}, {"name": "immediate", "lane": "b"}],
    "dips": [{"for": "1s"}],
}


def test_of_several_lanes_each_is_said_to_be_one(tmp_path: Path) -> None:
    """A lane may be called 'a dip of 1 s'; the page begins with the one that tips first."""
    assert "lane 'a' (immediate): a dip of up to 1.6 s passes" in find(
        Coins(sharp(1.6)), values=TWO
    )
    find(Coins(sharp(1.6)), values=TWO, out=tmp_path)
    page = html.unescape((tmp_path / "tipping-point.html").read_text())
    assert "<h1>Lane 'a' (immediate): a dip of up to 1.6 s passes, one of 1.7 s and more" in page
    assert "Of 2 lanes none is known to tip earlier." in page


def test_it_says_where_it_is_kept(tmp_path: Path) -> None:
    """Or how it would be: nothing is written unasked."""
    assert find(Coins(sharp(1.6))).endswith("(--out DIR keeps this)")
    told = find(Coins(sharp(1.6)), out=tmp_path)
    assert told.endswith(f"report: {tmp_path / 'tipping-point.html'}")
    assert "--out" not in told


def test_the_page_says_how_it_was_made(tmp_path: Path) -> None:
    """And of an axis that it is logarithmic; what is not sure yet is not shown as chance."""
    find(Coins(sharp(1.6), runs=40), out=tmp_path, code=130)
    page = (tmp_path / "tipping-point.html").read_text()
    assert "<h1>A dip of up to 0.1 s passes, one of 2.5 s and more does not come back" in page
    assert "dip.for, s (log scale)" in page
    assert '"uid":"unsure"' in page
    assert '"uid":"chance"' not in page
    assert "not sure yet: too few runs" in page
    facts = dict(re.findall(r"<dt>(.+?)</dt><dd>(.+?)</dd>", page))
    assert (facts["scenario"], facts["observed"], facts["engine"]) == ("a.toml", "30 s", "events")
    assert facts["runs"] == "40, at most 200 a lane"
    assert facts["seeds"] == "0 to 47, each once a lane"


@pytest.mark.parametrize("processes", [1, 2])
def test_the_example_tips_between_one_second_and_two_and_a_half(processes: int) -> None:
    """As the runs of it do that are in the documentation; on one process or several."""
    values = load_scenario_values(Path("examples/tipping-point.toml"))
    values["policies"] = [{**values["policies"][0], "lane": "a"}]  # type: ignore[index]
    values["dips"] = [{"workers": 0, "at": "8s"}]
    values["observation"] = "12s"
    text = find(LocalWorkers(processes), "dip.for=1s:2.5s:0.5s", values)
    assert "a dip of up to 1.5 s passes, one of 2 s and more does not come back within 12 s" in text
