"""What the sentences claim, and what they do not: with figures made by hand."""

from dataclasses import replace

from loadtests.simulation.advising.candidates import Candidate, Kind
from loadtests.simulation.advising.telling import back, before, settled, settled_between
from loadtests.simulation.advising.wording import sentences
from tests.loadtests.simulation.advising.made import (
    NEVER,
    NO_RETRY,
    candidate,
    findings,
    have,
    stands,
)

EXPONENTIAL = have("exponential", 3.8, 0.033)
BUDGET = stands("full-jitter-budget", (0.0, 0.2, 0.3), 0.038)


def test_replace_names_the_gain_and_the_cost() -> None:
    """Both figures, before and after."""
    told = sentences(findings(EXPONENTIAL, BUDGET, failed=0.05))
    assert told[0] == (
        "Replace `exponential` by `full-jitter-budget`: the load is back under capacity "
        "0.2 s after the dip is over, in place of 3.8 s; 3.8% of requests go unserved "
        "in place of 3.3%."
    )


def test_no_difference_within_the_noise_is_claimed() -> None:
    """Neither in the unserved requests nor in the recovery: then what there is stays."""
    noisy = stands("full-jitter", (2.0, 3.0, 4.0), (0.02, 0.03, 0.04))
    told = sentences(findings(EXPONENTIAL, noisy, failed=0.05))
    assert told[0] == (
        "With each of the 2 policies the load is back under capacity 3.0 s after the dip is over: "
        "the choice makes no difference to that."
    )
    assert told[1].startswith(
        "Keep `exponential`: the load is back under capacity 3.8 s after the dip"
    )
    assert not any("Replace" in sentence or "in place of" in sentence for sentence in told)


def test_fewer_failed_at_the_same_speed() -> None:
    """No gain in time is claimed, and the fewer unserved are no trade-off."""
    own, better = have("exponential", 0.0, 0.04), stands("full-jitter", 0.1, 0.02)
    told = sentences(findings(own, better, stands("polly-8", 3.0, 0.03), failed=0.05))
    assert told == (
        "Replace `exponential` by `full-jitter`: the load is back under capacity 0.1 s after the "
        "dip is over, as with `exponential`; 2.0% of requests go unserved in place of 4.0%.",
        "No policy that was tried leaves fewer requests unserved by more than the noise.",
    )


def test_what_fails_fewer_is_told_as_a_trade_off_only_if_it_costs_time() -> None:
    """What is above the limit and as soon costs none: it is not offered for time."""
    own = have("exponential", 0.0, 0.04)
    noisy = stands("polly-8", (0.0, 2.0, 4.0), 0.02)
    assert not any("cost time" in text for text in sentences(findings(own, noisy, failed=0.05)))


def test_as_many_fail_where_noise_tells_no_difference() -> None:
    """A difference in medians alone is none."""
    better = stands("full-jitter-budget", 0.2, (0.03, 0.036, 0.04))
    told = sentences(findings(EXPONENTIAL, better, failed=0.05))
    assert told[0].endswith("in place of 3.8 s; as many requests go unserved (3.6%).")


def test_a_change_of_what_there_is_is_given_to_it() -> None:
    """With the text that makes it."""
    changed = candidate(
        "exponential:attempts=2", Kind.CHANGE, "2 attempts in place of 4", "exponential"
    )
    told = sentences(findings(EXPONENTIAL, stands(changed, 0.6, 0.036), failed=0.05))
    assert told[0].startswith(
        "Give `exponential` 2 attempts in place of 4 (`exponential:attempts=2`): the load is "
        "back under capacity 0.6 s after the dip is over, in place of 3.8 s;"
    )


def test_a_smaller_change_is_told_beside_a_replacement() -> None:
    """It is not as good, and less work."""
    changed = candidate(
        "exponential:attempts=2", Kind.CHANGE, "2 attempts in place of 4", "exponential"
    )
    told = sentences(findings(EXPONENTIAL, BUDGET, stands(changed, 0.9, 0.036), failed=0.05))
    assert told[0].startswith("Replace `exponential` by `full-jitter-budget`")
    assert any(text.startswith("A smaller change: give `exponential` 2 attempts") for text in told)


def test_of_several_the_worst_is_replaced_by_the_best_of_them() -> None:
    """What there is already, if it is as good as anything."""
    own = [have("full-jitter-budget", 0.0, 0.038), EXPONENTIAL, have("immediate", 0.9, 0.036)]
    told = sentences(findings(*own, stands("grpc-a6", 0.0, 0.038), NO_RETRY))
    assert told[0].startswith(
        "Keep `full-jitter-budget`: the load is back under capacity as soon as the dip is"
    )
    assert told[1].startswith("Replace `exponential` by `full-jitter-budget`")


def test_where_the_advice_is_not_to_retry_it_says_with_what_to_do_it_all_the_same() -> None:
    """A scenario may have none of the failures that retries are for."""
    gentle = stands("full-jitter-budget", 0.0, 0.045)
    told = sentences(findings(EXPONENTIAL, NO_RETRY, gentle))
    assert told[0].startswith("Replace `exponential` by `no-retry`")
    assert told[1] == (
        "If single failures are to be retried too: with `full-jitter-budget` the load is back "
        "as soon; 4.5% of requests go unserved in place of 4.0%."
    )


def test_nothing_that_retried_matters() -> None:
    """It is said plainly, once."""
    quiet = [
        have("requests-2", 0.0, 0.04, amplification=1.0),
        stands("urllib3-2", 0.0, 0.04, amplification=1.0),
    ]
    told = sentences(findings(*quiet, NO_RETRY))
    assert told[0] == (
        "With each of the 3 policies the load is back under capacity as soon as the dip is over: "
        "none of them retried anything."
    )


def test_none_below_the_limit() -> None:
    """Who comes nearest, and what that costs."""
    told = sentences(findings(EXPONENTIAL, stands("openai-3", 7.1, 0.02), failed=0.01))
    assert told == (
        "No policy keeps unserved requests to 1.0%: the fewest go unserved with `openai-3`, 2.0%, "
        "and the load is back under capacity 7.1 s after the dip is over.",
    )


def test_none_below_the_limit_recovers() -> None:
    """One above it does."""
    lost = have("exponential", NEVER, 0.01)
    told = sentences(findings(lost, stands("polly-8", 9.0, 0.02), failed=0.015))
    assert told == (
        "Of the policies that leave at most 1.5% of requests unserved none is back within 30 s; "
        "`polly-8` is, and 2.0% go unserved.",
    )


def _lost_with(*service: tuple[str, float, float]) -> tuple[str, ...]:
    """The advice where no policy helps, with changes of the service: words, settled, failed."""
    lost = have("full-jitter", NEVER, 0.8)
    changes = tuple(
        stands(Candidate("x", Kind.SERVICE, lost.candidate.choice, words, "full-jitter"), s, f)
        for words, s, f in service
    )
    return sentences(findings(lost, stands("no-retry", NEVER, 0.7), service=changes))


def test_nothing_at_the_clients_helps() -> None:
    """A change of the service that does is told with its gain."""
    told = _lost_with(('abandoned = "drop"', 0.6, 0.12), ("queue = 25", NEVER, 0.8))
    assert told == (
        "Nothing that was tried at the clients brings the service back within 30 s of the dip; the "
        "fewest requests go unserved with `no-retry`, 70.0%.",
        'Change the service: with abandoned = "drop" and `full-jitter` as it is, the load is '
        "back under capacity 0.6 s after the dip is over (goodput at once), and without that not "
        "within 30 s; 12.0% of requests go unserved in place of 80.0%.",
    )


def test_what_did_not_recover_is_said_so() -> None:
    """It has no time."""
    told = sentences(findings(have("exponential", NEVER, 0.8), BUDGET, failed=0.05))
    assert told[0].startswith(
        "Replace `exponential` by `full-jitter-budget`: the load is back under capacity "
        "0.2 s after the dip is over, and with `exponential` not within 30 s;"
    )


def test_nothing_helps_at_all() -> None:
    """The changes that were tried are named."""
    told = _lost_with(("queue = 25", NEVER, 0.8), ('abandoned = "drop"', NEVER, 0.8))
    assert told[-1] == ('Nor does it help to change the service: queue = 25, abandoned = "drop".')


def test_more_runs_are_asked_for_where_noise_hides_who_is_better() -> None:
    """What there is overlaps with the first, and another is better than it: no claim is made."""
    own = have("full-jitter", (0.3, 1.0, 3.0), 0.03)
    first = stands("immediate", (0.0, 0.2, 0.4), 0.03)
    sooner = stands("polly-8", (0.0, 0.1, 0.2), 0.03)
    told = sentences(findings(own, first, sooner, failed=0.05))
    assert told[0].startswith("Keep `full-jitter`")
    assert told[0].endswith("as the first, but for the runs' noise: more --runs may tell.")


def test_noise_at_the_limit_is_said() -> None:
    """What there is fails a little more than the limit, and no more than noise."""
    own = have("full-jitter", 1.0, (0.04, 0.051, 0.06))
    told = sentences(findings(own, stands("polly-8", 1.0, (0.04, 0.049, 0.06)), failed=0.05))
    assert told[0] == (
        "With `full-jitter` 5.1% of requests go unserved, more than the limit; the runs do not "
        "tell it apart from `polly-8`, with 4.9%. More --runs may."
    )


def test_one_candidate() -> None:
    """There is nothing to compare it with, and no more is claimed."""
    told = sentences(findings(have("no-retry", 0.0, 0.04, amplification=1.0)))
    assert told == (
        "Keep `no-retry`: the load is back under capacity as soon as the dip is over, and 4.0% of "
        "requests go unserved. Nothing else was tried.",
    )


def test_what_fewer_failed_requests_cost() -> None:
    """The first, the last and one halfway of those that differ from one another."""
    others = [
        stands("polly-8", 14.0, 0.025),
        stands("openai-3", 7.0, 0.0286),
        stands("azure-core-1.41", 12.0, 0.027),
        stands("go-retryablehttp-0.7", 24.0, 0.003),
    ]
    told = sentences(findings(have("full-jitter-budget", 0.0, 0.038), *others, NO_RETRY))
    assert told[-1] == (
        "Fewer unserved requests cost time under overload: 2.9% with `openai-3` (7.0 s), 2.5% with "
        "`polly-8` (14.0 s), 0.3% with `go-retryablehttp-0.7` (24.0 s)."
    )


def test_what_there_is_may_be_the_trade_off() -> None:
    """Then it says so."""
    told = sentences(findings(EXPONENTIAL, BUDGET, failed=0.05))
    assert told[-1] == (
        "Fewer unserved requests cost time under overload: 3.3% with `exponential` as now (3.8 s)."
    )


def test_goodput_that_comes_back_later_is_said() -> None:
    """A load that fits is not yet an answer: in the sentence that tells of the load."""
    late = have("no-retry", 0.0, 0.04, amplification=1.0, goodput_s=0.3)
    (told,) = sentences(findings(late))
    assert told.startswith(
        "Keep `no-retry`: the load is back under capacity as soon as the dip is over (goodput only "
        "after 0.3 s), and 4.0% of requests go unserved."
    )


def test_goodput_within_the_noise_of_the_load_is_not_told() -> None:
    """But of a change of the service it is, always: there it may be the first to come back."""
    own = have("exponential", (0.0, 0.2, 0.4), 0.04, goodput_s=0.35)
    assert back(own, "the dip") == "the load is back under capacity 0.2 s after the dip is over"
    assert back(own, "the dip", both=True).endswith("is over (goodput after 0.3 s)")


def test_no_time_is_claimed_that_nobody_watched() -> None:
    """An observation of 7.6 s is not told as 8 s, and what is longer than it not as a number."""
    lost = replace(stands("polly-8", NEVER, 0.8), observed_s=7.6)
    half = replace(stands("polly-8", (3.6, 4.0, NEVER), 0.8), observed_s=7.6)
    assert back(lost, "the dip") == "the service is not back within 7.6 s"
    assert before(lost) == "and with `polly-8` not within 7.6 s"
    assert (settled(lost), settled_between(lost)) == ("> 7.6 s", "> 7.6 s")
    assert settled_between(half) == "3.6 to > 7.6 s"


def test_everything_that_there_is_gets_a_word() -> None:
    """As good as what is kept, or to be replaced by it."""
    own = [BUDGET_OWN, have("grpc-a6", 0.0, 0.038), EXPONENTIAL, have("immediate", 0.9, 0.036)]
    told = sentences(findings(*own, NO_RETRY))
    assert "As good as `full-jitter-budget`: `grpc-a6`." in told
    assert "Replace by `full-jitter-budget` also: `immediate` (0.9 s, 3.6% unserved)." in told


BUDGET_OWN = have("full-jitter-budget", 0.0, 0.038, amplification=1.0)
