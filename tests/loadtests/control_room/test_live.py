"""What the page gets: all of it once, then only what is new, and no number that JSON has not."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from faults.wire import ServiceState
from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.clients.workers import Worker
from loadtests.control_room.live.drawn import RunNow, drawn
from loadtests.control_room.live.feed import Feed
from loadtests.scenario import parse_scenario
from reports.record import End, Fault, Health, Requests, bucket_of
from tests.loadtests.control_room.metered import EPOCH_S, OFFSET_S, FakeTarget
from tests.reports.synthetic import Made, Shape, plain, storm

RUN = Made(
    [Shape("a", plain(storm(30)), "full-jitter", "attempts: 4"), Shape("<b>", plain([9] * 420))],
    planned_end_s=None,
    end=None,
)
Values = dict[str, object]


class Page:
    """A page that asks again and again, and what it was told."""

    def __init__(self, made: Made = RUN, *, ours: bool = True) -> None:
        self.target = FakeTarget(made)
        self.tally = ClientTally(lambda: self.now_s)
        self.feed = Feed(lambda: self.target, self.tally, lambda: self.now_s)
        self.last, self.epoch, self.window = -1, "", "30s"
        self.load_url: str | None = None
        if ours:
            self.tally.take([made.header()])

    @property
    def now_s(self) -> float:
        return OFFSET_S + self.target.now_s

    def ask(self, ticks: int = 3, **more: object) -> Values:
        """After so many ticks more, and a poll."""
        self.target.advance(ticks)
        self.feed.poll()
        return self.again(**more)

    def again(self, **more: object) -> Values:
        """Without a poll."""
        said = drawn(
            self.feed,
            self.tally,
            window=self.window,
            after=self.last,
            epoch=self.epoch,
            now_epoch_s=self.now_s,
            run=RunNow("running", users=5, load_url=self.load_url),
            **more,  # type: ignore[arg-type]  # what a test adds
        )
        parsed: Values = json.loads(json.dumps(said, allow_nan=False))
        self.epoch = str(parsed["epoch"])
        self.last = max(listed(parsed["bins"]), default=-1)
        return parsed


def heard(t_s: float) -> Health:
    """What a process tells of the second that began then, with what it counted."""
    return Health(t_s, "generator", "local", 0.31, Counter({10: 100}))


def listed(value: object) -> list[int]:
    assert isinstance(value, list)
    return value


def lane(said: Values, place: int = 0) -> Values:
    lanes = said["lanes"]
    assert isinstance(lanes, list)
    found: Values = lanes[place]
    return found


def test_at_first_all_bins_of_the_window_are_sent_and_then_the_new_ones() -> None:
    """With the last seconds again: a bin grows, and what the clients counted comes later."""
    page = Page()
    first = page.ask(90)
    assert (first["start"], listed(first["bins"])) == (True, list(range(1000, 1090)))
    assert first["zero_epoch_s"] == pytest.approx(OFFSET_S)
    second = page.ask(3)
    assert second["start"] is False
    assert listed(second["bins"])[-1] == 1092
    assert 30 <= len(listed(second["bins"])) <= 34
    for said in (first, second):
        for key in ("offered", "capacity", "queue_len", "goodput", "failed_rate"):
            assert len(listed(lane(said)[key])) == len(listed(said["bins"])), key


@pytest.mark.parametrize(
    ("window", "bin_s", "most"), [("30s", 0.1, 300), ("5m", 1, 42), ("1h", 10, 5)]
)
def test_each_window_has_its_bins(window: str, bin_s: float, most: int) -> None:
    """The newest of them, and what was offered in them on average."""
    page = Page()
    page.window = window
    said = page.ask(420)
    bins = listed(said["bins"])
    assert (said["bin_s"], len(bins)) == (bin_s, most)
    offered = lane(said, 1)["offered"]
    assert isinstance(offered, list)
    assert offered[-1] == [0, 90, 0, 0, 0, 0]


def test_attempts_are_stacked_by_number() -> None:
    """As in the report: unknown, first, three retries, later ones."""
    shape = Shape("a", [[9, 3, 2, 1, 1, 1]] * 20)
    said = Page(replace(RUN, shapes=[shape], dips=())).ask(20)
    offered = lane(said)["offered"]
    assert isinstance(offered, list)
    assert offered[-1] == [0, 90, 30, 20, 10, 20]


def test_bins_of_another_epoch_are_sent_whole() -> None:
    """The page forgets what it has."""
    page = Page()
    page.ask(90)
    page.target.base_url = "http://another:8000"
    said = page.ask(3)
    assert (said["start"], len(listed(said["bins"]))) == (True, 93)
    assert page.ask(3)["start"] is False


def test_a_history_that_began_while_another_page_looked_is_sent_whole() -> None:
    """This page has not heard of it before, however many polls ago it began."""
    page = Page()
    page.ask(90)
    page.target.base_url = "http://another:8000"
    page.feed.poll()
    page.feed.poll()
    said = page.ask(3)
    assert (said["start"], len(listed(said["bins"]))) == (True, 93)


def test_a_page_of_another_process_has_none_of_our_histories() -> None:
    """Locust was started anew behind an open page."""
    page, other = Page(), Page()
    other.ask(95)
    page.epoch, page.last = other.epoch, other.last
    said = page.ask(90)
    assert (said["start"], len(listed(said["bins"]))) == (True, 90)


def test_a_lane_has_its_state_on_the_clock_of_the_page() -> None:
    """Its numbers are of the newest second."""
    said = lane(Page().ask(140))
    assert said["state"] == {
        "word": "storm",
        "text": "storm for 2.0 s",
        "detail": "offered 200/s against 100/s; the dip ended 2.0 s ago",
    }
    assert (said["policy"], said["describe"]) == ("full-jitter", "attempts: 4")
    assert (said["offered_per_s"], said["capacity_per_s"], said["queue"]) == (200.0, 100.0, 0)


def test_what_the_clients_counted_is_there_for_the_lanes_of_the_run() -> None:
    """By second, from the second after."""
    page = Page()
    page.ask(15)
    page.tally.take(
        [
            Requests(0.0, "a", 90, 80, Counter(budget=4), 120),
            Health(0.0, "generator", "local", 0.31, Counter({10: 100})),
        ]
    )
    said = page.ask(2)
    own = lane(said)
    assert (own["requests"], own["failed"]) == (90, 4)
    assert (own["failed_by_reason"], own["amplification"]) == ({"budget": 4}, 1.0)
    assert (own["goodput_per_s"], own["failed_per_s"]) == (80, 4)
    goodput = listed(own["goodput"])
    assert goodput == [80.0] * 10 + [None] * 7
    assert lane(said, 1)["amplification"] is None


def test_of_a_load_that_is_not_ours_the_clients_side_is_not_known() -> None:
    """Which is not the same as nothing."""
    own = lane(Page(ours=False).ask(90))
    for key in (
        "goodput_per_s",
        "failed_per_s",
        "requests",
        "failed",
        "amplification",
    ):
        assert own[key] is None, key
    assert set(listed(own["goodput"])) == {None}


def test_amplification_of_a_lane_whose_attempts_only_the_target_counts() -> None:
    """A library retries in it."""
    made = replace(RUN, shapes=[replace(RUN.shapes[0], opaque=True)])
    page = Page(made)
    page.ask(90)
    page.tally.take([Requests(0.0, "a", 405, 405), heard(8.0)])
    assert lane(page.ask(1))["amplification"] == 2.0


def test_attempts_that_gateways_added_are_in_the_amplification() -> None:
    """Nine attempts arrive in a tick, of which the clients have sent six."""
    page = Page()
    page.ask(90)
    page.tally.take([Requests(0.0, "a", 600, 600, attempts=600), heard(8.0)])
    assert lane(page.ask(1))["amplification"] == 810 / 600


def test_while_requests_are_told_late_attempts_are_held_against_as_many_of_them() -> None:
    """The target is asked three times a second, and the clients tell once."""
    page = Page()
    for second in range(8):
        page.ask(10)
        if second:
            told = Requests(second - 1.0, "a", 90, 90, attempts=90)
            page.tally.take([told, heard(second - 1.0)])
        said = lane(page.ask(0))
        assert said["amplification"] == (1.0 if second else None)


def test_without_all_of_the_targets_ticks_the_clients_attempts_are_counted() -> None:
    """It was reset, or the page was opened too late."""
    page = Page()
    page.target.rows = page.target.rows[50:]
    page.ask(90)
    page.tally.take([Requests(0.0, "a", 600, 600, attempts=660), heard(8.0)])
    assert lane(page.ask(1))["amplification"] == 1.1


def test_without_an_answer_there_are_the_lanes_of_the_run_and_the_problem() -> None:
    """In the target's words."""
    page = Page()
    page.target.base_url = ""

    def nobody() -> FakeTarget:
        raise ValueError("'hello' is not a URL")

    page.feed = Feed(nobody, page.tally, lambda: page.now_s)
    said = page.ask(3)
    target = said["target"]
    assert isinstance(target, dict)
    assert (target["reachable"], target["problem"]) == (False, "'hello' is not a URL")
    assert (said["bins"], lane(said)["name"]) == ([], "a")
    state = lane(said)["state"]
    assert isinstance(state, dict)
    assert state["text"] == "not known"


@pytest.mark.parametrize(("time", "told"), [("100ms", 100.0), (None, None)])
def test_of_workers_that_take_as_long_as_their_app_no_capacity_is_told(
    monkeypatch: pytest.MonkeyPatch, time: str | None, told: float | None
) -> None:
    """What the target says of lanes to come is a setting then, and nothing that anybody saw."""
    page = Page()
    service = ServiceState(9, time, 9, "fifo", "finish", None, "arriving", heed_deadlines=False)
    state = page.target.state
    monkeypatch.setattr(page.target, "state", lambda: replace(state(), service=service))
    target = page.ask(90)["target"]
    assert isinstance(target, dict)
    assert target["capacity_per_s"] == told


@pytest.mark.parametrize(
    ("sent_to", "told"),
    [
        (None, None),
        ("http://target:8000", None),
        ("http://target:8000/", None),
        ("http://envoy:8000", "http://envoy:8000"),
    ],
)
def test_what_lies_between_the_load_and_the_target_is_told(
    sent_to: str | None, told: str | None
) -> None:
    """The target is then not where the users send their requests to."""
    page = Page()
    page.load_url = sent_to
    run = page.ask(90)["run"]
    assert isinstance(run, dict)
    assert run["load_url"] == told


def test_events_have_their_time_and_their_state() -> None:
    """The target's, and the spikes of the clients."""
    page = Page()
    page.tally.take([Fault("spike", "spike-1", 20.0, 22.0, text="3x")])
    said = page.ask(110)
    events = said["events"]
    assert isinstance(events, list)
    dip, spike = events
    assert (dip["id"], dip["kind"], dip["text"], dip["state"]) == ("dip-1", "dip", "20/s", "active")
    assert (dip["start_epoch_s"], dip["end_epoch_s"]) == (EPOCH_S + 10.0, EPOCH_S + 12.0)
    assert (spike["kind"], spike["text"], spike["state"]) == ("spike", "3x", "pending")


FORM = {"dips": "20/s for 2s at 10s; 50% for 3s at 30s as ramp in a"}
SCENARIO = parse_scenario(
    {
        "dips": [{}, {"capacity": "50%", "for": "3s", "at": "30s", "slow_start": "1s"}],
        "faults": [{"type": "error", "for": "2s", "at": "20s", "lanes": ["no-retry"]}],
        "actions": [{"action": "shed", "share": "80%", "at": "31s", "for": "5s"}],
        "policies": [{"name": "no-retry"}],
    }
).model_dump(mode="json", by_alias=True)


def planned(said: Values) -> list[tuple[object, ...]]:
    """What is listed and pending: id, kind, text, begin and end in seconds of the run."""
    events = said["events"]
    assert isinstance(events, list)
    return [
        (
            event["id"],
            event["kind"],
            event["text"],
            round(event["start_epoch_s"] - EPOCH_S, 3),
            round(event["end_epoch_s"] - EPOCH_S, 3),
        )
        for event in events
        if event["state"] == "pending"
    ]


def test_what_the_form_plans_is_listed_before_the_target_is_told() -> None:
    """And once, when it has been."""
    page = Page(replace(RUN, dips=(), scenario=FORM))
    first, second = ("dip", "20/s", 10.0, 12.0), ("dip", "50%", 30.0, 33.0)
    said = page.ask(50)
    assert planned(said) == [("planned-1", *first), ("planned-2", *second)]
    page.target.made = replace(RUN, dips=(Fault("dip", "dip-1", 10.1, 12.1, "20/s"),))
    assert [event[0] for event in planned(page.ask(35))] == ["dip-1", "planned-2"]
    assert [event[0] for event in planned(page.ask(50))] == ["planned-2"]


def test_what_a_scenario_plans_is_listed() -> None:
    """Its dips after the warm-up, faults and actions; nothing that is past, and none at the end."""
    page = Page(replace(RUN, dips=(), scenario=SCENARIO))
    later = [
        ("planned-3", "error", "500, 100%", 20.0, 22.0),
        ("planned-2", "dip", "50%, slow start 1s", 30.0, 34.0),
        ("planned-4", "shed", "80%", 31.0, 36.0),
    ]
    assert planned(page.ask(50)) == [("planned-1", "dip", "20%", 10.0, 12.0), *later]
    assert planned(page.ask(55)) == later
    page.tally.take([End(12.0)])
    assert planned(page.ask(20)) == []


@pytest.mark.parametrize(
    "scenario",
    [
        {"dips": "20/s for 2s at 10s every 5s repeat 3"},
        parse_scenario(
            {
                "dips": [{"capacity": "20/s", "repeat": 3, "every": "5s"}],
                "policies": [{"name": "no-retry"}],
            }
        ).model_dump(mode="json", by_alias=True),
    ],
)
def test_each_time_of_what_is_repeated_is_listed(scenario: dict[str, object]) -> None:
    """Until the target knows of it."""
    page = Page(replace(RUN, dips=(), scenario=scenario))
    first, *later = [
        (f"planned-{number}", "dip", "20/s", begin_s, begin_s + 2.0)
        for number, begin_s in enumerate((10.0, 15.0, 20.0), 1)
    ]
    assert planned(page.ask(50)) == [first, *later]
    page.target.made = replace(RUN, dips=(Fault("dip", "dip-1", 10.1, 12.1, "20/s"),))
    assert planned(page.ask(55)) == later


@pytest.mark.parametrize(
    "scenario", [{}, {"dips": "20%"}, {"dips": [{"for": "soon"}]}, {"dips": 3}]
)
def test_a_plan_that_cannot_be_read_is_none(scenario: dict[str, object]) -> None:
    """A header may come from another version."""
    assert planned(Page(replace(RUN, dips=(), scenario=scenario)).ask(50)) == []


def test_the_newest_hundred_events_are_sent() -> None:
    """A target remembers more."""
    dips = tuple(Fault("dip", f"dip-{n}", n / 10, n / 10 + 0.05, "20/s") for n in range(1, 151))
    events = Page(replace(RUN, dips=dips)).ask(420)["events"]
    assert isinstance(events, list)
    assert [event["id"] for event in events] == [f"dip-{n}" for n in range(51, 151)]


def test_workers_are_told_by_what_they_recorded_and_by_locusts_word() -> None:
    """By the limits of the report: a tick late, no CPU to spare, silent for seconds."""
    page = Page()
    late, fine = Counter({bucket_of(1200): 100}), Counter({bucket_of(1000): 100})
    page.target.advance(30)
    page.tally.take(
        [
            Health(0.0, "generator", "worker-0", 0.3, fine),
            Health(1.8, "generator", "worker-1", 0.3, late),
            Health(1.8, "generator", "worker-2", 0.99, late),
            Health(1.8, "generator", "worker-10", 0.3, fine),
        ]
    )
    known = [Worker(f"worker-{n}", "running", 2) for n in (0, 1, 2, 10)]
    said = page.ask(
        10,
        workers=[
            *known,
            Worker("worker-3", "missing", 0),
            Worker("worker-4", "ready", 0),
            Worker("worker-5", "running", 2),
        ],
    )
    workers = said["workers"]
    assert isinstance(workers, list)
    assert [(one["name"], one["word"]) for one in workers] == [
        ("worker-0", "silent"),
        ("worker-1", "late"),
        ("worker-2", "saturated"),
        ("worker-3", "missing"),
        ("worker-4", ""),
        ("worker-5", "silent"),
        ("worker-10", "in time"),
    ]
    assert workers[-1]["text"] == "CPU 30%, 100.3 ms late at p99"
    assert workers[-1]["users"] == 2


def test_nobody_is_late_or_silent_when_the_run_is_over() -> None:
    """How somebody did in it is no news; who has gone is."""
    page = Page()
    late = Health(0.0, "generator", "worker-0", 0.99, Counter({bucket_of(1710): 1}))
    page.tally.take([late, replace(late, worker="worker-2"), End(1.0)])
    known = [Worker("worker-0", "ready", 0), Worker("worker-1", "missing", 0)]
    workers = page.ask(100, workers=known)["workers"]
    assert isinstance(workers, list)
    assert [(one["word"], one["state"]) for one in workers] == [
        ("", "ready"),
        ("missing", "missing"),
        ("", "stopped"),
    ]
    assert {(one["cpu"], one["late_p99_ms"], one["text"]) for one in workers} == {
        (None, None, "the run is over")
    }


def test_at_the_begin_of_a_run_nobody_is_silent_yet() -> None:
    """The first second has to pass before it is told."""
    workers = Page().ask(20, workers=[Worker("worker-0", "running", 2)])["workers"]
    assert isinstance(workers, list)
    assert [(one["word"], one["text"]) for one in workers] == [("in time", "nothing recorded yet")]
