"""A thing is done once for each key, also while it is being done."""

import threading

import pytest

from loadtests.control_room.acting.once import Once, OtherActError


class Work:
    """Counts how often it is done; `gate` holds it up."""

    def __init__(self) -> None:
        self.times = 0
        self.begun = threading.Event()
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self) -> str:
        self.times += 1
        self.begun.set()
        self.gate.wait(10)
        return f"answer {self.times}"


def always(answer: str) -> bool:
    return True


def test_the_second_call_gets_the_first_answer() -> None:
    once, work = Once(always), Work()
    assert once.do("k", "dip", work) == ("answer 1", False)
    assert once.do("k", "dip", work) == ("answer 1", True)
    assert once.do("other", "dip", work) == ("answer 2", False)


def test_a_call_while_the_first_is_under_way_waits_for_its_answer() -> None:
    """A double click: the second arrives before the target has answered the first."""
    once, work = Once(always), Work()
    work.gate.clear()
    found: list[tuple[str, bool]] = []
    threads = [
        threading.Thread(target=lambda: found.append(once.do("k", "dip", work))) for _ in range(5)
    ]
    threads[0].start()
    assert work.begun.wait(10)
    for thread in threads[1:]:
        thread.start()
    work.gate.set()
    for thread in threads:
        thread.join(10)
    assert work.times == 1
    assert sorted(found) == [("answer 1", False), *[("answer 1", True)] * 4]


def test_a_failed_act_may_be_tried_again() -> None:
    once, work = Once[str](lambda answer: answer != "answer 1"), Work()
    assert once.do("k", "dip", work) == ("answer 1", False)
    assert once.do("k", "dip", work) == ("answer 2", False)
    assert once.do("k", "dip", work) == ("answer 2", True)


def test_what_raises_is_not_done() -> None:
    once, work = Once(always), Work()

    def fail() -> str:
        raise KeyError("a mistake")

    with pytest.raises(KeyError):
        once.do("k", "dip", fail)
    assert once.do("k", "dip", work) == ("answer 1", False)


def test_a_key_stands_for_one_thing() -> None:
    once, work = Once(always), Work()
    once.do("k", "dip", work)
    with pytest.raises(OtherActError):
        once.do("k", "reset", work)
    assert work.times == 1


def test_the_oldest_keys_are_forgotten() -> None:
    """Memory is bounded."""
    once, work = Once(always, kept=2), Work()
    for key in "abc":
        once.do(key, "dip", work)
    assert once.do("c", "dip", work) == ("answer 3", True)
    assert once.do("a", "dip", work) == ("answer 4", False)
