"""Each rule held against each lane: what passes, what does not, and why."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from reports.judging.gate.finding import Finding, Why
from reports.judging.gate.rules import Rule
from reports.judging.gate.verdict import Outcome, judge
from reports.measuring.recovery import Figures
from reports.measuring.sampling import SampledRun
from reports.reading.read import parse_record
from reports.record import Fault
from reports.rendering.gate.sentences import said
from reports.several.reading import sampled_run
from reports.statistics.value import Value
from reports.summary import fold
from tests.reports.gate.made import DIP, FIGURES, lane, rule, run, run_of, settled
from tests.reports.synthetic import Made, Shape, plain


def found(one: Rule, *each: Figures | None) -> Finding:
    [finding] = judge([one], [run(*each)]).findings
    return finding


@pytest.mark.parametrize(
    ("one", "each", "why", "line"),
    [
        (rule("settled", "3x"), [settled(4.9)], Why.KEPT, "settled 4.9 s ≤ 6.0 s (3x the dip)"),
        (rule("settled", "3x"), [settled(6.0)], Why.KEPT, "settled 6.0 s ≤ 6.0 s (3x the dip)"),
        (rule("settled", "3x"), [settled(7.1)], Why.ABOVE, "settled 7.1 s > 6.0 s (3x the dip)"),
        (rule("settled", "6s"), [settled(6.02)], Why.ABOVE, "settled 6.02 s > 6 s"),
        (rule("settled", "6s"), [settled(None)], Why.ABOVE, "settled > 28 s, limit 6.0 s"),
        (rule("settled", "28s"), [settled(None)], Why.ABOVE, "settled > 28 s, limit 28.0 s"),
        (rule("settled", "30s"), [settled(None)], Why.TOO_BRIEF, "settled > 28 s, limit 30.0 s: "
         "not watched for long enough to show that it is kept"),
        (rule("work-lost", "10%"), [FIGURES], Why.NOT_MEASURED,
         "work for clients that had gone not measured, limit 10%"),
        (rule("failed", "5%"), [FIGURES], Why.KEPT, "failed 150 ≤ 200 (5% of the requests)"),
        (rule("failed", "3.749%"), [FIGURES], Why.ABOVE,
         "failed 150 > 149 (3.749% of the requests)"),
        (rule("amplification", "1.149"), [FIGURES], Why.ABOVE, "amplification 1.15× > 1.149×"),
        (rule("peak", "3.5x"), [FIGURES], Why.KEPT, "peak load 340/s ≤ 350/s (3.5x the capacity)"),
        (rule("settled", "3x"), [settled(4.9), settled(7.1), settled(1.0)], Why.ABOVE,
         "settled 7.1 s > 6.0 s (3x the dip), worst of 3; 2 of 3 within"),
        (rule("settled", "3x"), [settled(4.9), settled(1.0)], Why.KEPT,
         "settled 4.9 s ≤ 6.0 s (3x the dip), worst of 2"),
        (rule("settled", "3x"), [settled(7.1), settled(None), settled(1.0)], Why.ABOVE,
         "settled > 28 s, limit 6.0 s (3x the dip), worst of 3; 1 of 3 within"),
        (rule("settled", "40s"), [settled(None), settled(41.0), settled(1.0)], Why.ABOVE,
         "settled 41.0 s > 40.0 s, worst of 3; 1 of 3 within"),
        (rule("settled", "3x"), [settled(None), None], Why.ABOVE,
         "settled > 28 s, limit 6.0 s (3x the dip); 0 of 2 within; "
         "no sample in 1 of 2: begun before the lane was over the one before"),
        (rule("failed", "5%"), [FIGURES, None], Why.NOT_MEASURED,
         "failed 150 ≤ 200 (5% of the requests); 1 of 2 within; "
         "no sample in 1 of 2: begun before the lane was over the one before"),
        (rule("settled", "3x", 0.95), [settled(1.0)] * 9 + [settled(None)], Why.KEPT,
         "settled 9 of 10 within 6.0 s (3x the dip): 98.9% sure of this run alone, 95% required"),
        (rule("settled", "6s", 0.95), [settled(1.0)] * 7 + [settled(7.0)] * 3, Why.NOT_SURE,
         "settled 7 of 10 within 6.0 s: 82.8% sure of this run alone, 95% required"),
        (rule("settled", "6s", 0.95), [settled(1.0)] * 4, Why.TOO_FEW,
         "settled 4 of 4 within 6.0 s: 93.7% sure of this run alone, 95% required; "
         "that takes 5 samples at least"),
        (rule("settled", "6s", 0.95), [settled(1.0)] * 5 + [None], Why.NOT_SURE,
         "settled 5 of 6 within 6.0 s: 89% sure of this run alone, 95% required; "
         "no sample in 1 of 6: begun before the lane was over the one before"),
        (rule("settled", "250ms"), [settled(0.0)], Why.KEPT, "settled 0.0 s ≤ 0.25 s"),
        (rule("settled", "10ms"), [settled(0.0)], Why.KEPT, "settled 0.0 s ≤ 0.01 s"),
        (rule("settled", "270ms"), [settled(0.26)], Why.KEPT, "settled 0.26 s ≤ 0.27 s"),
        (rule("settled", "3.005x"), [settled(6.005)], Why.KEPT,
         "settled 6.0 s ≤ 6.01 s (3.005x the dip)"),
        (rule("peak", "340.4/s"), [FIGURES], Why.KEPT, "peak load 340/s ≤ 340.4/s"),
        (rule("failed", "3.7512%"), [FIGURES], Why.KEPT,
         "failed 150 ≤ 150 (3.7512% of the requests)"),
        (rule("goodput-lost", "200"), [FIGURES], Why.ABOVE, "goodput lost 200.5 > 200"),
        (rule("settled", "6s", 0.999999999999), [settled(1.0)], Why.TOO_FEW,
         "settled 1 of 1 within 6.0 s: 50% sure, 99.9999999999% required; "
         "that takes 40 samples at least"),
        (rule("settled", "6s", 0.96874), [settled(1.0)] * 5, Why.KEPT,
         "settled 5 of 5 within 6.0 s: 96.875% sure of this run alone, 96.874% required"),
    ],
)  # fmt: skip
def test_a_rule_is_kept_or_broken_and_the_line_says_why(
    one: Rule, each: list[Figures | None], why: Why, line: str
) -> None:
    finding = found(one, *each)
    assert (finding.why, said(finding)) == (why, line)
    assert finding.kept is (why is Why.KEPT)


def test_each_dip_is_held_against_its_own_length() -> None:
    long = replace(settled(7.0), trigger=replace(DIP, end_s=14.0))
    assert found(rule("settled", "3x"), settled(5.0), long).kept
    assert not found(rule("settled", "3x"), settled(7.0), long).kept


def test_a_confidence_is_of_repetitions_of_one_trigger() -> None:
    """The median of a dip of 2 s and of one of 4 s is nobody's."""
    long = replace(settled(1.0), trigger=replace(DIP, end_s=14.0))
    assert found(rule("settled", "3x", 0.9), *[settled(1.0)] * 5, long).why is Why.UNLIKE
    assert found(rule("settled", "3x"), *[settled(1.0)] * 5, long).kept


def test_two_dips_that_overlap_are_no_repetition_of_one() -> None:
    alone, both = run(*[settled(1.0)] * 5), run_of(lane(settled(1.0), together=2), name="2")
    [finding] = judge([rule("settled", "3x", 0.9)], [alone, both]).findings
    assert finding.why is Why.UNLIKE


@given(st.lists(st.integers(0, 60), min_size=1, max_size=40), st.sampled_from([0.6, 0.9, 0.95]))
def test_a_confidence_is_reached_exactly_when_the_sign_test_says_so(
    tenths: list[int], confidence: float
) -> None:
    """Against scipy: the median is above the limit with a p-value of at most 1 - confidence."""
    within = sum(one <= 30 for one in tenths)
    p_value = binomtest(within, len(tenths), 0.5, alternative="greater").pvalue
    finding = found(rule("settled", "3s", confidence), *(settled(one / 10) for one in tenths))
    assert finding.kept is bool(1 - p_value >= confidence)
    assert finding.within == within


@pytest.mark.parametrize("good", [4, 5])
def test_a_confidence_counts_runs_and_not_their_dips(good: int) -> None:
    """What sets a run apart all of its dips have: 50 of them are no 50 samples."""
    slow = [settled(9.0)] * 6 + [settled(1.0)] * 4
    quick = [settled(9.0)] * 4 + [settled(1.0)] * 6
    runs = [run(*(quick if n < good else slow), name=f"runs/{n}") for n in range(5)]
    [finding] = judge([rule("settled", "6s", 0.95)], runs).findings
    assert (finding.n, finding.within, finding.triggers) == (5, good, 50)
    assert finding.kept is (good == 5)
    assert said(finding) == (
        f"settled {good} of 5 runs mostly within 6.0 s: "
        f"{'96.8' if good == 5 else '81.2'}% sure, 95% required"
    )


@pytest.mark.parametrize(("within", "counts"), [(4, False), (5, False), (6, True)])
def test_a_run_is_within_when_most_of_its_dips_are(within: int, counts: bool) -> None:
    """So is their median then, and of equally many only perhaps."""
    dips = [settled(1.0)] * within + [settled(9.0)] * (9 - within) + [None]
    runs = [run(*dips, name=f"runs/{n}") for n in range(2)]
    [finding] = judge([rule("settled", "6s", 0.6)], runs).findings
    assert (finding.n, finding.within) == (2, 2 * counts)


def test_without_a_confidence_every_dip_of_every_run_counts() -> None:
    runs = [run(settled(1.0), settled(9.0), name=f"runs/{n}") for n in range(2)]
    [finding] = judge([rule("settled", "6s")], runs).findings
    assert (finding.n, finding.within) == (4, 2)


def test_a_late_value_is_never_within_a_limit() -> None:
    for observed_s in (5.0, 6.0, 7.0, 100.0):
        assert not found(rule("settled", "6s"), settled(None, observed_s)).kept


def test_runs_are_samples_as_dips_are() -> None:
    runs = [run(settled(1.0 + n), name=f"runs/{n}") for n in range(5)]
    [finding] = judge([rule("settled", "4s")], runs).findings
    assert (finding.n, finding.within) == (5, 4)
    assert finding.worst is not None
    assert (finding.worst.run, finding.worst.value) == ("runs/4", Value(5.0))


def test_rules_are_held_against_the_lanes_that_they_name() -> None:
    both = run_of(lane(settled(1.0)), lane(settled(9.0), name="b"))
    assert judge([rule("settled", "3s", None, "a")], [both]).outcome is Outcome.KEPT
    verdict = judge([rule("settled", "3s"), rule("failed", "5%")], [both])
    assert [(one.lane, one.rule.measure.word, one.kept) for one in verdict.findings] == [
        ("a", "settled", True),
        ("a", "failed", True),
        ("b", "settled", False),
        ("b", "failed", True),
    ]
    assert verdict.outcome is Outcome.BROKEN


def test_a_lane_that_is_not_there_is_refused_with_those_that_are() -> None:
    runs = [run(FIGURES), run_of(lane(FIGURES, name="b"), name="other")]
    with pytest.raises(
        ValueError, match=r"^other: unknown lane or policy 'a': expected b, full-jitter$"
    ):
        judge([rule("settled", "3s", None, "a")], runs)


def test_a_policy_is_all_lanes_that_have_it() -> None:
    lanes = [lane(settled(1.0), name=name, policy=name[0]) for name in ("x1", "x2", "y1")]
    rules = [rule("settled", "3s"), rule("failed", "5%", None, "x", "y1")]
    for policies, judged in (
        ((), ["x1", "x1", "x2", "x2", "y1", "y1"]),
        (("x",), ["x1", "x1", "x2", "x2"]),
        (("x2", "y"), ["x2", "x2", "y1", "y1"]),
    ):
        verdict = judge(rules, [run_of(*lanes)], policies)
        assert [found.lane for found in verdict.findings] == judged
    assert len(judge(rules[1:], [run_of(*lanes)], ["y"]).findings) == 1
    with pytest.raises(ValueError, match=r"^no limit is set for y$"):
        judge([rule("failed", "5%", None, "x")], [run_of(*lanes)], ["y"])


def test_nothing_judged_is_no_pass() -> None:
    with pytest.raises(ValueError, match="no lane to judge"):
        judge([rule("settled", "3s")], [run_of()])
    bad = run_of(invalid=("it has no ticks",))
    assert judge([rule("settled", "3s")], [bad]).outcome is Outcome.NOT_VALID


def test_what_is_not_valid_never_passes() -> None:
    """However good its figures are, and however many good runs there are beside it."""
    good, bad = run(settled(0.0)), run(settled(0.0), invalid=("a second is missing",))
    assert judge([rule("settled", "6s")], [good]).outcome is Outcome.KEPT
    for runs in ([bad], [good, bad, good]):
        verdict = judge([rule("settled", "6s")], runs)
        assert verdict.outcome is Outcome.NOT_VALID
        assert verdict.not_valid == (bad,)


DIPS = tuple(Fault("dip", f"dip-{n}", 10.0 + 20 * n, 12.0 + 20 * n, "20/s") for n in range(2))


def dipped(*high: tuple[int, int]) -> SampledRun:
    """Two dips, at 10 s and at 30 s, and load of 20 a tick in these ticks, 9 in the others."""
    load = [20 if any(a <= tick < b for a, b in high) else 9 for tick in range(620)]
    capacity = {tick: 2.0 for n in range(2) for tick in range(100 + 200 * n, 120 + 200 * n)}
    made = Made(
        [Shape("a", plain(load))],
        ticks=620,
        capacity=lambda tick: capacity.get(tick, 10.0),
        dips=DIPS,
        planned_end_s=62.0,
    )
    return replace(sampled_run("r", fold(parse_record(made.encoded()))), invalid_because=())


def test_a_dip_that_met_a_storm_breaks_every_rule() -> None:
    """It began before the lane was over the one before: nobody can say what of it is whose."""
    good = dipped((100, 150), (300, 330))
    assert judge([rule("settled", "3s"), rule("peak", "9x")], [good]).outcome is Outcome.KEPT
    storm = dipped((100, 330))
    [settled_, peak] = judge([rule("settled", "3s"), rule("peak", "9x")], [storm]).findings
    assert (settled_.why, settled_.unsettled, settled_.within) == (Why.ABOVE, 1, 0)
    assert (peak.why, peak.unsettled, peak.within) == (Why.NOT_MEASURED, 1, 1)


def test_a_relapse_that_goes_on_when_the_next_dip_begins_breaks_them_too() -> None:
    """The dip before had settled in time, so that nothing else would tell."""
    relapse = dipped((100, 130), (250, 330))
    [finding] = judge([rule("settled", "3s")], [relapse]).findings
    assert finding.worst is not None
    assert finding.worst.value == Value(1.0)
    assert (finding.why, finding.unsettled, finding.within) == (Why.NOT_MEASURED, 1, 1)


def test_a_lane_that_nothing_disturbed_has_no_recovery_to_pass_with() -> None:
    calm = replace(FIGURES, trigger=None, after=None, cost=None)
    assert found(rule("settled", "3x"), calm).why is Why.NOT_MEASURED
    assert found(rule("amplification", "1.2"), calm).kept
