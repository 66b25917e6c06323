"""What is done at the target, what is said of it, and that it is done once."""

import json
from collections.abc import Callable

import pytest

from faults.admin import (
    AdminClient,
    AdminError,
    AdminUnreachableError,
    FieldProblem,
    NotATargetError,
    TargetError,
    TargetState,
)
from loadtests.control_room.acting.acts import Acts
from loadtests.control_room.acting.log import ActLog, Entry
from loadtests.control_room.acting.told import Reply, spoken
from loadtests.control_room.acting.undone import LONGEST
from tests.loadtests.control_room.obedient import NOON_S, ObedientTarget


def room(target: ObedientTarget) -> tuple[ActLog, Callable[..., Reply]]:
    """Its log, and what does a verb with fields."""
    log = ActLog()
    acts = Acts(lambda: target, log, clock=lambda: NOON_S)

    def do(verb: str, key: str = "k", **fields: object) -> Reply:
        return acts.perform(verb, json.dumps({"key": key, **fields}).encode())

    return log, do


@pytest.mark.parametrize(
    ("verb", "fields", "said"),
    [
        (
            "dip",
            {"capacity": "20%", "for": "2s"},
            "Dip to 20% for 2 s in all lanes, from 12:00:00.0 to 12:00:02.0 UTC",
        ),
        (
            "dip",
            {"capacity": "50%", "for": "2s", "shape": "ramp"},
            "Dip to 50% for 2 s as a ramp in all lanes, from 12:00:00.0 to 12:00:02.0 UTC",
        ),
        (
            "dip",
            {"workers": 1, "for": "500ms", "lanes": ["a"]},
            "Dip to 1 worker for 500 ms in lane a, from 12:00:00.0 to 12:00:02.0 UTC",
        ),
        (
            "fault",
            {"type": "latency", "add": "200ms", "for": "2s", "lanes": ["a", "b"]},
            "Fault latency (200ms, 100%) for 2 s in lanes a, b, from 12:00:00.0 to 12:00:02.0 UTC",
        ),
        (
            "shed",
            {"share": "90%", "for": "600s"},
            "Shedding 90% for 600 s in all lanes, from 12:00:00.0 to 12:10:00.0 UTC",
        ),
        (
            "block-retries",
            {"for": "600s"},
            "Blocking retries for 600 s in all lanes, from 12:00:00.0 to 12:10:00.0 UTC",
        ),
        (
            "reopen",
            {},
            "Reopening in steps of 20% every 5s, at most 5% errors in all lanes, "
            "from 12:00:00.0 until all is open, at the latest 12:10:00.0 UTC",
        ),
        (
            "capacity",
            {"capacity": "150/s"},
            "Capacity set to 150/s in all lanes, at 12:00:00.0 UTC",
        ),
        (
            "capacity",
            {"capacity": "0/s", "lanes": ["a"]},
            "Capacity set to 0/s in lane a, at 12:00:00.0 UTC: nothing is admitted until it is "
            "changed",
        ),
        (
            "reset",
            {},
            "Reset: dips, faults, actions, lanes and their history are gone, capacity is as "
            "configured",
        ),
        ("end", {"id": "dip-1"}, "dip-1 (20%) ends at 12:00:01.0 UTC"),
        (
            "end",
            {"id": "fault-1"},
            "fault-1 (latency 200ms, 100%) is cancelled: it never begins",
        ),
    ],
)
def test_each_act_says_what_it_did_and_when(
    verb: str, fields: dict[str, object], said: str
) -> None:
    target = ObedientTarget()
    log, do = room(target)
    answer = do(verb, **fields)
    assert (answer.status, answer.body["said"], answer.body["again"]) == (200, said, False)
    assert log.entries() == (Entry(NOON_S, said, "done"),)
    assert answer.body["kind"] == "done"
    assert len(target.asked) == target.closed == 1


@pytest.mark.parametrize("going", [True, False])
def test_a_reset_says_what_it_costs_the_run_that_goes_on(going: bool) -> None:
    """Nothing, where none does."""
    acts = Acts(ObedientTarget, ActLog(), going=lambda: going)
    said = str(acts.perform("reset", b'{"key": "k"}').body["said"])
    cost = "as configured; the run that is being recorded will not be valid"
    assert said.endswith(cost if going else "as configured")


def test_a_planned_thing_has_its_id_and_its_times() -> None:
    """On the clock of this machine."""
    _, do = room(ObedientTarget())
    body = do("dip", capacity="20%", **{"for": "2s", "after": "3s"}).body
    assert body["id"] == "dip-1"
    assert body["start_epoch_s"] == pytest.approx(NOON_S + 0.04)
    assert body["end_epoch_s"] == pytest.approx(NOON_S + 2.04)


def test_the_same_key_does_nothing_twice() -> None:
    """And gets the same answer, which says so."""
    target = ObedientTarget()
    log, do = room(target)
    first = do("dip", capacity="20%", **{"for": "2s"})
    again = do("dip", capacity="20%", **{"for": "2s"})
    assert again.body == {**first.body, "again": True}
    assert len(target.asked) == len(log.entries()) == 1
    other = do("dip", capacity="0%", **{"for": "2s"})
    assert (other.status, other.body["field"]) == (400, "key")
    assert len(target.asked) == 1


def not_done(error: Exception, verb: str = "dip", **fields: object) -> tuple[Reply, int]:
    """The answer, and how often a target that fails so is asked when a key comes twice.

    It stands in the log as it is told, and of what kind it is.
    """
    target = ObedientTarget(error)
    log, do = room(target)
    fields = fields or {"capacity": "20/s", **({"for": "2s"} if verb == "dip" else {})}
    answer = do(verb, **fields)
    do(verb, **fields)
    first = log.entries()[0]
    assert (first.text, first.kind) == (answer.body["said"], answer.body["kind"])
    return answer, len(target.asked)


def of_target(status: int, error: str, message: str, **fields: str) -> AdminError:
    """What a real client raises for this answer of the target."""
    problems = tuple(FieldProblem(field, problem) for field, problem in fields.items())
    sentence = f"http://t/admin/dips answers {status}: {error}: {message}"
    return AdminError(sentence, status, TargetError(error, message, problems))


@pytest.mark.parametrize(
    ("verb", "fields", "problem", "field", "said"),
    [
        ("dip", {"workers": 1, "for": "2s"}, "this target has no workers: give a capacity",
         "workers", "Dip refused: this target has no workers: give a capacity"),
        ("block-retries", {"lanes": ["x"], "for": "2s"}, "there is no lane 'x'; there are: a",
         "lanes", "Block retries refused: there is no lane 'x'; there are: a"),
        ("capacity", {"capacity": "9000000/s"}, "'9000000/s' is above 1000000/s",
         "capacity", "Capacity refused: '9000000/s' is above 1000000/s"),
    ],
)  # fmt: skip
def test_what_the_target_does_not_take_is_refused_by_its_field(
    verb: str, fields: dict[str, object], problem: str, field: str, said: str
) -> None:
    """In the target's words, without where it is and what its API calls that."""
    error = of_target(422, "bad-input", f"{field}: {problem}", **{field: problem, "for": "later"})
    answer, asked = not_done(error, verb, **fields)
    assert (answer.status, asked) == (400, 2)
    assert answer.body == {"kind": "refused", "said": said, "error": problem, "field": field}


def test_the_place_in_a_list_is_not_told() -> None:
    error = of_target(422, "bad-input", "…", **{"lanes.0": "a name is 1 to 64 characters"})
    assert not_done(error)[0].body["field"] == "lanes"


def test_a_limit_of_the_target_is_refused_without_a_field() -> None:
    error = of_target(409, "too-many-dips", "100 dips are pending or active, the limit")
    answer, _ = not_done(error)
    assert (answer.status, answer.body["field"]) == (400, None)
    assert answer.body["said"] == "Dip refused: 100 dips are pending or active, the limit"


def test_what_the_target_does_not_know_cannot_be_ended() -> None:
    answer, _ = not_done(of_target(404, "unknown-dip", "GET lists them"), "end", id="dip-9")
    assert (answer.status, answer.body["field"]) == (400, "id")
    assert answer.body["said"] == (
        "End refused: the target knows no dip-9: it was reset, or that was over long ago"
    )


@pytest.mark.parametrize(
    "error",
    [
        of_target(401, "token-needed", "send the header …"),
        of_target(403, "loopback-only", "…"),
        of_target(500, "broken", "…"),
        NotATargetError("http://t/admin/dips answers 404, but is no Aftershock target", 404),
    ],
)
def test_a_target_that_does_not_know_us_is_a_failure(error: AdminError) -> None:
    """Nothing of what is asked is at fault; where it is and what it answers says why."""
    answer, _ = not_done(error)
    assert answer.status == 502
    assert answer.body == {
        "kind": "failed", "said": f"Dip failed: {error}", "error": str(error), "field": None,
    }  # fmt: skip


def unreachable(cause: OSError) -> AdminUnreachableError:
    error = AdminUnreachableError(f"no target answers at http://t: {cause}")
    error.__cause__ = cause
    return error


def test_a_target_that_is_not_there_has_done_nothing() -> None:
    """The same key may try again. It is no refusal."""
    answer, asked = not_done(unreachable(ConnectionRefusedError("connection refused")))
    assert (answer.status, asked, answer.body["kind"]) == (502, 2, "failed")
    assert answer.body["said"] == "Dip failed: no target answers at http://t: connection refused"


def test_a_target_that_does_not_answer_may_have_done_it() -> None:
    """The same key does not ask again; what can be done twice without harm may be."""
    answer, asked = not_done(unreachable(TimeoutError("timed out")))
    assert (answer.status, asked) == (502, 1)
    assert str(answer.body["error"]).endswith(
        "timed out. It may have begun all the same: see the list"
    )
    assert not_done(unreachable(TimeoutError("timed out")), "capacity")[1] == 2


def test_a_target_that_was_not_told_has_not_begun() -> None:
    """It did not even say what its clock is: the same key may try again."""

    class Dead(ObedientTarget):
        def state(self) -> TargetState:
            raise unreachable(TimeoutError("timed out"))

    target = Dead()
    _, do = room(target)
    answers = [do("dip", capacity="20%", **{"for": "2s"}) for _ in range(2)]
    assert [answer.body["error"] for answer in answers] == [
        "no target answers at http://t: timed out"
    ] * 2
    assert [answer.body.get("again") for answer in answers] == [None, None]
    assert target.asked == []


def test_what_is_long_is_not_repeated_to_all_who_look() -> None:
    """A problem may hold what was asked."""
    log, do = room(ObedientTarget(of_target(422, "bad-input", "x" * 10_000)))
    answer = do("dip", capacity="20%", **{"for": "2s"})
    assert len(str(answer.body["error"])) <= LONGEST
    assert len(log.entries()[0].text) < LONGEST + 20


def test_a_verb_that_there_is_not() -> None:
    """All that there are, are named."""
    _, do = room(ObedientTarget())
    answer = do("explode")
    assert answer.status == 404
    assert answer.body["error"] == (
        "'explode' cannot be done: expected dip, fault, shed, block-retries, reopen, capacity, "
        "reset, end"
    )


def test_bad_input_is_in_the_log_too() -> None:
    target = ObedientTarget()
    log, do = room(target)
    answer = do("dip", capacity="20", **{"for": "2s"})
    assert (answer.status, answer.body["field"]) == (400, "capacity")
    said = f"Dip refused: {answer.body['error']}"
    assert log.entries() == (Entry(NOON_S, said, "refused"),)
    assert (answer.body["said"], answer.body["kind"]) == (said, "refused")
    assert target.asked == []


def test_without_a_host_nothing_can_be_done() -> None:
    def no_host() -> AdminClient:
        raise ValueError("no host is set")

    acts = Acts(no_host, ActLog(), clock=lambda: NOON_S)
    answer = acts.perform("reset", b'{"key": "k"}')
    assert (answer.status, answer.body["error"]) == (502, "no target: no host is set")
    assert answer.body["said"] == "Reset failed: no target: no host is set"


def test_the_log_is_bounded() -> None:
    log = ActLog()
    for number in range(60):
        log.add(float(number), str(number), "done")
    assert [entry.text for entry in log.entries()] == [str(number) for number in range(10, 60)]


def test_durations_are_spoken() -> None:
    assert [spoken(s) for s in (0.0, 0.5, 2.0, 2.25, 600.0)] == [
        "0 s", "500 ms", "2 s", "2.25 s", "600 s",
    ]  # fmt: skip
