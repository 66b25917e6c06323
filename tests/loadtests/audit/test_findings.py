"""From attempts to sentences: each is said where it is so, and nowhere else."""

import pytest

from loadtests.audit.answer import Answer, End
from loadtests.audit.course import Audit, Closure, Course, Verdict
from loadtests.audit.finding import Kind
from loadtests.audit.findings import findings
from tests.loadtests.audit.made import audit, course

FOUR = (1.0, 1.011, 1.039, 1.08)


def said(seen: Audit, kind: Kind) -> list[str]:
    """The sentences of one kind."""
    return [finding.text for finding in findings(seen) if finding.kind is kind]


def test_a_hidden_retry_is_the_headline() -> None:
    """How often, of what, how soon, by which methods."""
    seen = audit(course("GET", "503", FOUR), course("POST", "503", FOUR))
    assert seen.verdict is Verdict.RETRIES
    assert findings(seen)[0].text == (
        "Something between you and the service retries a 503 three times within 80 ms "
        "(GET and POST)."
    )


def test_a_single_retry_comes_after_a_while() -> None:
    """Once, after 25 ms; the method that is not retried is not named."""
    seen = audit(course("GET", "503", (1.0, 1.025)), course("POST", "503"))
    assert said(seen, Kind.RETRIES) == [
        "Something between you and the service retries a 503 once after 25 ms (GET)."
    ]


def test_what_is_retried_alike_shares_a_sentence() -> None:
    """The span is that of the longest; what is retried otherwise has one of its own."""
    seen = audit(
        course("GET", "503", (1.0, 1.02)),
        course("GET", "500", (1.0, 1.03)),
        course("GET", "reset", (1.0, 1.01, 1.02)),
    )
    assert said(seen, Kind.RETRIES) == [
        "Something between you and the service retries a 503 and a 500 once after 20 ms to "
        "30 ms (GET).",
        "Something between you and the service retries a connection reset twice within 20 ms "
        "(GET).",
    ]


def test_waits_of_another_nature_are_told_apart() -> None:
    """A missing answer is waited for, and Retry-After may be."""
    seen = audit(
        course("GET", "503", (1.0, 1.02)),
        course("GET", "429", (1.0, 2.0)),
        course("GET", "hang", (1.0, 6.0)),
    )
    assert len(said(seen, Kind.RETRIES)) == 3


def test_without_retries_that_is_the_headline() -> None:
    """And how much was tried."""
    seen = audit(course("GET", "503"), course("POST", "503"))
    assert seen.verdict is Verdict.NO_RETRIES
    assert findings(seen)[0].text == (
        "Nothing between you and the service retries: 2 refused requests, one attempt each."
    )
    assert said(seen, Kind.DANGER) == []


@pytest.mark.parametrize(
    "seen",
    [
        audit(),
        audit(course("GET", "503"), course("POST", "503", ())),
        audit(course("GET", None, ()), course("GET", "503")),
    ],
    ids=["nothing tried", "a request lost", "none arrives"],
)
def test_what_was_not_seen_is_not_claimed(seen: Audit) -> None:
    """Only attempts that were counted show that there are no more."""
    assert seen.verdict is Verdict.UNKNOWN
    assert said(seen, Kind.NONE) == []


def test_retries_are_retries_whatever_else_is_in_doubt() -> None:
    """One that was seen is enough."""
    assert audit(course("GET", "503", FOUR), course("GET", "500", ())).verdict is Verdict.RETRIES


DIPPED = ("the dip dip-1 (0%) was in force",)


@pytest.mark.parametrize(
    "disturbed",
    [
        course("GET", "hang", disturbances=DIPPED),
        course("GET", "hang", FOUR, disturbances=DIPPED),
        course("GET", None, FOUR, status=200, disturbances=DIPPED),
    ],
    ids=["a refusal", "retries", "copies"],
)
def test_what_met_something_else_proves_nothing(disturbed: Course) -> None:
    """Neither that there are retries or copies nor that there are none; and why is said first."""
    seen = audit(course("GET", "503"), disturbed)
    assert seen.verdict is Verdict.UNKNOWN
    first, *others = findings(seen)
    what = "what is served" if disturbed.probe.refusal is None else "a missing answer"
    assert first.kind is Kind.DISTURBED
    assert first.text == (f"Nothing can be told of {what} (GET): the dip dip-1 (0%) was in force.")
    assert {Kind.RETRIES, Kind.COPIES, Kind.NONE, Kind.ANSWERS}.isdisjoint(
        finding.kind for finding in others
    )


def test_retries_that_were_seen_are_told_beside_what_was_disturbed() -> None:
    """Of each what is so; what was disturbed alike shares a sentence."""
    seen = audit(
        course("GET", "503", FOUR),
        course("POST", "503", disturbances=DIPPED),
        course("GET", "hang", FOUR, status=504, disturbances=DIPPED),
    )
    assert seen.verdict is Verdict.RETRIES
    doubt, retried = findings(seen)[:2]
    assert doubt.text.startswith("Nothing can be told of a 503 and a missing answer (POST and GET)")
    assert retried.text.endswith("retries a 503 three times within 80 ms (GET).")


def test_retries_of_a_post_are_dangerous_after_work_half_done() -> None:
    """After a reset or a 500 nobody knows; those that are refused first are not named."""
    seen = audit(course("POST", "503", FOUR), course("POST", "reset", FOUR))
    assert said(seen, Kind.DANGER) == [
        "POST is retried too: after a connection reset nobody knows whether the work was done, so "
        "it may be done more than once."
    ]


def test_retries_of_a_refused_post_are_a_milder_warning() -> None:
    """The service has said that it did nothing."""
    [text] = said(audit(course("POST", "503", FOUR)), Kind.DANGER)
    assert text.startswith("POST is retried too, after a 503: harmless only as long as")


def test_retries_of_other_methods_are_no_danger() -> None:
    """Done twice they do the same as once."""
    seen = audit(*(course(method, "reset", FOUR) for method in ("GET", "PUT", "DELETE", "HEAD")))
    assert said(seen, Kind.DANGER) == []


def test_attempts_for_nobody_are_told() -> None:
    """Those that came later than the client waited, by the target's clock."""
    hang = course("GET", "hang", (5.0, 7.0, 9.0), None, End.TIMED_OUT, elapsed_s=2.0)
    assert said(audit(hang, timeout_s=2.0), Kind.DANGER) == [
        "1 attempt came after you had given up (2.0 s): work that nobody waits for."
    ]
    served = course("GET", "hang", (5.0, 7.0, 9.0), 504, elapsed_s=2.0)
    assert said(audit(served), Kind.DANGER) == []


def test_copies_of_a_request_that_is_served() -> None:
    """A mirror: the verdict is that there are hidden attempts."""
    seen = audit(course("GET", None, (1.0, 1.001), status=200), course("GET", "503", (1.0, 1.001)))
    assert seen.verdict is Verdict.RETRIES
    [text] = said(seen, Kind.COPIES)
    assert text.startswith("Even a GET that is served becomes 2 attempts within 1 ms")


def test_a_path_that_is_not_served_is_no_mirror() -> None:
    """It is retried for what it is answered."""
    [text] = said(audit(course("GET", None, FOUR, status=500)), Kind.COPIES)
    assert "you get a 500: try a --path that is served" in text


@pytest.mark.parametrize(
    ("times_s", "expected"),
    [
        ((1.0, 2.2), "The Retry-After of a 429 (1.0 s) is heeded: a retry came 1.2 s later."),
        ((1.0, 1.96), "The Retry-After of a 429 (1.0 s) is heeded: a retry came 960 ms later."),
        (
            (1.0, 2.5, 2.6),
            "The Retry-After of a 429 (1.0 s) is not heeded: a retry came 100 ms later.",
        ),
    ],
)
def test_retry_after_is_heeded_where_no_retry_comes_earlier(
    times_s: tuple[float, ...], expected: str
) -> None:
    """Each of them, not only the first, and by whatever method."""
    assert expected in said(audit(course("GET", "429", times_s, 429)), Kind.RETRY_AFTER)
    patient = course("POST", "429", (1.0, 4.0), 429)
    assert expected in said(audit(patient, course("GET", "429", times_s, 429)), Kind.RETRY_AFTER)


def test_retry_after_is_passed_on_or_not() -> None:
    """Another status in its place has no room for it."""
    said_429 = "The Retry-After of a 429 (1.0 s)"
    passed = course("GET", "429", status=429, headers={"retry-after": "1"})
    assert said(audit(passed), Kind.RETRY_AFTER) == [f"{said_429} is passed on to you."]
    for other in (course("POST", "429", status=429), course("POST", "429", status=502)):
        assert said(audit(other), Kind.RETRY_AFTER) == [f"{said_429} does not reach you."]
        assert said(audit(passed, other), Kind.RETRY_AFTER) == [
            f"{said_429} is passed on to you, for GET only."
        ]
    assert said(audit(course("GET", "503")), Kind.RETRY_AFTER) == []


def test_headers_that_a_call_does_not_show_are_not_said_to_be_missing() -> None:
    """An exception, or a bare status, tells nothing of them."""
    mute = course("POST", "429", status=429, shows_headers=False)
    assert said(audit(mute), Kind.RETRY_AFTER) == []
    passed = course("GET", "429", status=429, headers={"retry-after": "1"})
    assert said(audit(passed, mute), Kind.RETRY_AFTER) == [
        "The Retry-After of a 429 (1.0 s) is passed on to you."
    ]


def test_a_header_that_counts_attempts_is_named() -> None:
    """Envoy's counts; ours stays what the client sent."""
    seen = audit(course("GET", "503", FOUR, envoy=True), course("GET", "500", FOUR, envoy=True))
    assert said(seen, Kind.NUMBERS) == [
        "x-aftershock-attempt stays 1: by it, a retry looks like a first attempt.",
        "x-envoy-attempt-count tells the service which attempt it is: 1, 2, 3, 4.",
    ]


def test_a_header_that_counts_only_sometimes_does_not_count() -> None:
    """All retries of all requests, or a service cannot rely on it."""
    seen = audit(course("GET", "503", FOUR, envoy=True), course("GET", "500", FOUR))
    assert said(seen, Kind.NUMBERS) == [
        "x-aftershock-attempt stays 1: by it, a retry looks like a first attempt.",
        "x-envoy-attempt-count does not tell every retry from a first attempt: 1, 2, 3, 4.",
        "No header tells the service that an attempt is a retry.",
    ]


def test_a_header_that_starts_again_in_every_layer_still_tells_retries() -> None:
    """Two layers that add what they count: no retry is a 1. One that skips does not count."""
    seen = audit(course("GET", "503", (1.0, 1.1, 1.2), numbers=(1, 3, 4)))
    assert said(seen, Kind.NUMBERS) == [
        "x-aftershock-attempt tells the service a retry from a first attempt: 1, 3, 4."
    ]
    times_s = [1 + 0.01 * place for place in range(4)]
    seen = audit(course("GET", "503", times_s, numbers=(1, 2, 2, 3)))
    assert said(seen, Kind.NUMBERS) == [
        "x-aftershock-attempt tells the service a retry from a first attempt: 1, 2, 2, 3."
    ]
    seen = audit(course("GET", "503", times_s, numbers=(1, 2, 1, 2)))
    assert said(seen, Kind.NUMBERS) == [
        "x-aftershock-attempt does not tell every retry from a first attempt: 1, 2, 1, 2.",
        "No header tells the service that an attempt is a retry.",
    ]


def test_our_own_header_counts_or_is_dropped() -> None:
    """A gateway of ours counts on; something else may drop what it does not know."""
    seen = audit(course("GET", "503", FOUR, ours="counts"))
    assert said(seen, Kind.NUMBERS) == [
        "x-aftershock-attempt tells the service which attempt it is: 1, 2, 3, 4."
    ]
    seen = audit(course("GET", "503", FOUR, ours="dropped"))
    assert said(seen, Kind.NUMBERS)[0] == "X-Aftershock-Attempt is dropped on the way."
    seen = audit(course("GET", None, ours="dropped"), course("GET", "503", ours="dropped"))
    assert said(seen, Kind.NUMBERS) == ["X-Aftershock-Attempt is dropped on the way."]
    assert said(audit(course("GET", "503")), Kind.NUMBERS) == []


@pytest.mark.parametrize(
    ("lost", "why"),
    [
        (
            course("GET", None, (), None, End.REFUSED, problem="[Errno 111] Connection refused"),
            "Nothing answers at the entry: [Errno 111] Connection refused.",
        ),
        (course("GET", None, (), 200, elsewhere={"audit": 1}), "Its lane arrived and its mark did"),
        (course("GET", None, (), 200, elsewhere={"default": 1}), "came in the lane default:"),
        (course("GET", None, (), 200), "another target, or something in between answers by itself"),
        (course("GET", None, (), None, End.TIMED_OUT), "Nothing else arrived meanwhile."),
    ],
    ids=["no entry", "trace dropped", "both dropped", "cache", "no answer"],
)
def test_a_request_that_does_not_arrive_is_explained(lost: Course, why: str) -> None:
    """By what did arrive meanwhile, and where."""
    [text] = said(audit(lost), Kind.LOST)
    assert text.startswith("No marked GET arrived at the target; you got ")
    assert why in text


def test_what_is_lost_alike_shares_a_sentence() -> None:
    """Whatever the method."""
    seen = audit(course("GET", None, (), 200), course("POST", None, (), 200))
    [text] = said(seen, Kind.LOST)
    assert text.startswith("No marked GET or POST arrived at the target; you got a 200.")


def test_a_target_taken_out_of_service_is_told() -> None:
    """By what the entry answers by itself, and for how long."""
    seen = audit(course("GET", "503", (), 502), course("GET", "500", (), 502))
    assert said(seen, Kind.LOST) == [
        "No marked GET to be refused with a 503 or a 500 arrived at the target; you got a 502. "
        "Something takes the target out of service after failures."
    ]
    seen = audit(course("GET", "503"), closures=[Closure(Answer(End.ANSWERED, 0.1, 502), 9.8)])
    [text] = said(seen, Kind.LIMITS)
    assert text.startswith("After failures nothing was let through for 9.8 s: a circuit breaker")


def test_another_answer_than_the_refusal_is_told() -> None:
    """Statuses that are passed on are not; a cut answer is one that is passed on."""
    seen = audit(
        course("GET", "503", status=503),
        course("GET", "500", status=502, elapsed_s=0.2),
        course("GET", "reset", status=502, elapsed_s=0.4),
        course("GET", "cut", status=200, end=End.CUT_SHORT),
        course("GET", "504", status=200),
    )
    assert said(seen, Kind.ANSWERS) == [
        "You get a 502 for a 500 and a connection reset, within 400 ms.",
        "You get a 200 for a 504, within 50 ms: a cache, or something else to fall back to.",
    ]


def test_what_sent_an_answer_may_name_itself() -> None:
    """Each name once, and nothing that a terminal would obey."""
    headers = {"server": "envoy\x1b[31m", "via": "1.1 a"}
    seen = audit(course("GET", "503", headers=headers), course("POST", "503", headers=headers))
    assert said(seen, Kind.ANSWERS) == [
        "The answers say what sent them: server: envoy�[31m and via: 1.1 a."
    ]


def test_what_makes_it_less_certain_is_told() -> None:
    """The end of the wait, others in the lane, and what was not kept."""
    seen = audit(
        course("GET", "hang", status=None, end=End.TIMED_OUT),
        course("GET", "503", FOUR, left_off=3),
        strangers=2,
    )
    waited, others, beyond = said(seen, Kind.LIMITS)
    assert waited.startswith("After a missing answer, the entry was waited for 10 s")
    assert others.startswith("2 attempts of others came in the lane audit")
    assert beyond == "3 attempts more came than the target keeps the times of."
    assert said(audit(course("GET", "503")), Kind.LIMITS) == []


def test_attempts_beyond_those_kept_are_counted() -> None:
    """500 are kept."""
    seen = audit(course("GET", "503", FOUR, left_off=496))
    assert "retries a 503 499 times" in findings(seen)[0].text
