"""What is said of a cell, on outcomes that are made up."""

import pytest

from loadtests.simulation.sweep.cells import Played
from loadtests.simulation.sweep.plan import Sweep
from loadtests.simulation.sweep.verdict import Verdict, judge
from tests.loadtests.simulation.sweep.made import SHORT, played, sweep_of

ONE = {**SHORT, "policies": [{"name": "no-retry"}]}
MARKS = {
    Verdict.RECOVERS: ".",
    Verdict.VULNERABLE: "o",
    Verdict.NEVER: "#",
    Verdict.UNKNOWN: "?",
    Verdict.INVALID: "x",
}


def judged(sweep: Sweep, cells: str, probes: str = "") -> str:
    """The verdicts as marks; `cells` and `probes` are ``+`` (comes back), ``-`` or ``?``."""
    outcomes = (cells + probes).replace(" ", "")
    assert len(outcomes) == sweep.size
    found = {
        number: played(3 if outcome == "+" else 0)
        for number, outcome in enumerate(outcomes)
        if outcome != "?"
    }
    verdicts = judge(sweep, found).verdicts
    return "".join(MARKS[Verdict(int(verdict))] for verdict in verdicts.ravel())


@pytest.mark.parametrize(
    ("recovered", "runs", "comes_back"),
    [(0, 1, False), (1, 1, True), (2, 3, True), (1, 3, False), (2, 4, False), (3, 4, True)],
)
def test_most_runs_decide(recovered: int, runs: int, comes_back: bool) -> None:
    """As many that recover as do not is no recovery."""
    assert played(recovered, runs).comes_back is comes_back
    assert played(recovered, runs).recovered == recovered


def test_a_run_that_settled_at_once_recovered() -> None:
    """0 s is a time like others."""
    assert Played((0.0,), (0.0,)).comes_back


@pytest.mark.parametrize(
    ("cells", "probe", "said"),
    [
        ("++++", "+", "...."),
        ("++++", "-", "oooo"),
        ("++--", "-", "oo##"),
        ("++--", "+", "oo##"),
        ("+-+-", "-", "o#o#"),
        ("+-++", "+", "o#.."),
        ("----", "-", "####"),
        ("++??", "?", "..??"),
        ("+?-+", "?", "o?#."),
    ],
)
def test_a_cell_is_vulnerable_when_a_larger_dip_keeps_it_down(
    cells: str, probe: str, said: str
) -> None:
    """Another cell's or the probe's; a smaller dip that does says nothing."""
    assert judged(sweep_of("dip.for=1s:4s:1s", values=ONE), cells, probe) == said


def test_a_smaller_capacity_and_fewer_workers_are_a_larger_dip() -> None:
    """The lowest value of these axes is the largest trigger."""
    assert judged(sweep_of("dip.capacity=0%,20%,40%", values=ONE), "-++", "+") == "#oo"
    workers = {**ONE, "target": {"workers": 3, "service_time": "30ms"}}
    assert judged(sweep_of("dip.workers=0:2:1", values=workers), "+-+", "+") == ".#o"


def test_larger_along_two_axes_is_larger_or_equal_along_each() -> None:
    """A longer dip that is not as deep is neither larger nor smaller. Rows: dip.for."""
    sweep = sweep_of("dip.for=1s:3s:1s", "dip.capacity=0%,50%", values=ONE)
    assert judged(sweep, "++ -+ ++", "+") == "oo #o ..".replace(" ", "")
    assert judged(sweep, "++ ++ +-", "+") == ".o .o .#".replace(" ", "")
    assert sweep.probe_shape == (1, 1, 1)


def test_along_other_axes_nothing_is_larger() -> None:
    """A higher load that stays down makes a lower one no more vulnerable. Rows: the load."""
    sweep = sweep_of("load.utilisation=0.5:0.7:0.1", "dip.for=1s,2s", values=ONE)
    assert judged(sweep, "++ +- --", "++-") == ".. o# ##".replace(" ", "")
    assert judged(sweep, "++ ++ ++", "+--") == ".. oo oo".replace(" ", "")


def test_without_a_larger_trigger_among_the_axes_each_cell_has_its_probe() -> None:
    """One a combination of what is varied."""
    sweep = sweep_of("load.utilisation=0.5:0.7:0.1", values=ONE)
    assert sweep.size == 6
    assert judged(sweep, "+++", "+--") == ".oo"


def test_each_policy_is_judged_by_itself() -> None:
    """The last dimension is the policies."""
    sweep = sweep_of("dip.for=1s,2s")
    assert judged(sweep, "++ -+", "-+") == "o. #.".replace(" ", "")


def test_a_cell_whose_runs_are_not_valid_says_nothing() -> None:
    """Neither of itself nor of cells with a smaller dip; fewer than half of them do no harm."""
    sweep = sweep_of("dip.for=1s:3s:1s", values=ONE)
    found = {
        0: played(3),
        1: Played((None, 1.0, 1.0), (0.0,) * 3, invalid=1, because="it was"),
        2: Played((None,) * 3, (0.0,) * 3, invalid=2, because="it was"),
        3: Played((None,) * 3, (0.0,) * 3, invalid=3, because="it was"),
    }
    verdicts = judge(sweep, found).verdicts.ravel().tolist()
    assert verdicts == [Verdict.RECOVERS, Verdict.RECOVERS, Verdict.INVALID]


@pytest.mark.parametrize(
    ("recovered", "probe", "split", "probes"),
    [((3, 2, 1, 0), 0, "-!!-", 0), ((3, 3, 0, 0), 1, "----", 1), ((3, 3, 3, 3), 3, "----", 0)],
)
def test_a_cell_whose_runs_did_not_agree_is_told_apart(
    recovered: tuple[int, ...], probe: int, split: str, probes: int
) -> None:
    """Whichever most of them did; a probe has no cell, so it is counted."""
    sweep = sweep_of("dip.for=1s:4s:1s", values=ONE)
    outcomes = [played(number) for number in (*recovered, probe)]
    found = judge(sweep, dict(enumerate(outcomes)))
    assert "".join("-!"[int(one)] for one in found.split.ravel()) == split
    assert found.split_probes == probes


def test_a_cell_that_is_not_valid_is_nothing_to_agree_on() -> None:
    """It says nothing, whatever its runs did."""
    bad = Played((1.0, None, None), (0.0,) * 3, invalid=3, because="it was")
    found = judge(sweep_of("dip.for=1s,2s", values=ONE), {0: bad, 1: played(3), 2: played(3)})
    assert not found.split.any()


@pytest.mark.parametrize(
    ("cells", "probe", "against"),
    [
        ("++--", "-", "...."),
        ("+-+-", "-", ".!.."),
        ("+--+", "-", ".!!."),
        ("++--", "+", "..!!"),
        ("+-?-", "?", "...."),
        ("-+++", "+", "!..."),
    ],
)
def test_a_larger_trigger_that_passes_is_told(cells: str, probe: str, against: str) -> None:
    """Of each cell that does not come back though a larger one does, or the probe."""
    sweep = sweep_of("dip.for=1s:4s:1s", values=ONE)
    known = {n: played(3 * (end == "+")) for n, end in enumerate(cells + probe) if end != "?"}
    found = judge(sweep, known).against_order
    assert "".join(".!"[int(one)] for one in found.ravel()) == against
