"""The panel of acts, in a real browser, before a target that does what it is asked."""

import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from faults.admin import AdminUnreachableError
from tests.loadtests.control_room.fake_room import FakeRoom, fake_room
from tests.loadtests.control_room.looking import opened, until
from tests.loadtests.control_room.made_up import POLICIES, ZERO_S, Json

pytestmark = pytest.mark.browser

DIP_2: Json = {"id": "dip-2", "kind": "dip", "text": "0%", "lanes": None, "open_share": None}
DIP_2 |= {"state": "active", "start_epoch_s": ZERO_S + 2, "end_epoch_s": ZERO_S + 12}


def focused(page: Page) -> str:
    """The text of what has the focus."""
    return str(page.evaluate("document.activeElement.textContent.trim()"))


def only_act(room: FakeRoom) -> tuple[str, Json]:
    """The one thing that was asked, without its key, which it must have."""
    [(verb, body)] = room.acted
    body = dict(body)
    assert len(str(body.pop("key"))) >= 32
    return verb, body


def test_a_preset_is_asked_for_and_its_answer_told(browser: Browser) -> None:
    """With the fields of the admin API; the answer is read out, and stands in the log."""
    with fake_room() as room, opened(browser, room.url) as page:
        page.get_by_role("button", name="Dip to 20% for 2 s").click()
        expect(page.locator("#said")).to_have_text(
            re.compile("^Dip to 20% for 2 s in all lanes, from 12:00:00.0 to")
        )
        assert only_act(room) == ("dip", {"capacity": "20%", "for": "2s", "lanes": None})
        expect(page.locator("#log li")).to_have_count(1)


THREE_CLICKS = """async (button) => {
    const told = new Promise((done) => {
        new MutationObserver(done).observe(document.getElementById("said"),
            { childList: true, characterData: true, subtree: true });
    });
    button.click();
    button.click();
    await told;
    button.click();
}"""
"""The second while the act is under way, the third as soon as its answer is told."""


def test_a_double_click_acts_once(browser: Browser) -> None:
    """And so does a third click within the second."""
    with fake_room() as room, opened(browser, room.url) as page:
        button = page.get_by_role("button", name="Dip to 0 for 10 s")
        button.evaluate(THREE_CLICKS)
        expect(page.locator("#said")).to_have_text(re.compile("^Dip to "))
        expect(button).not_to_have_attribute("aria-disabled", "true")
        assert len(room.acted) == 1
        button.click()
        until(page, lambda: len(room.acted) == 2, "the second act")
        keys = [body["key"] for _, body in room.acted]
        assert len(set(keys)) == 2


def test_an_act_that_got_no_answer_is_sent_again_under_the_same_key(browser: Browser) -> None:
    """So that it is done once, whether it was the question or the answer that got lost."""
    with fake_room() as room, opened(browser, room.url) as page:
        keys: list[object] = []

        def lose_the_first(route: Route) -> None:
            keys.append((route.request.post_data_json or {})["key"])
            if len(keys) == 1:
                route.abort()
            else:
                route.continue_()

        page.route(re.compile("act/shed"), lose_the_first)
        page.get_by_role("button", name="Shed 90% for 10 s").click()
        expect(page.locator("#said")).to_have_text(re.compile("^Shedding 90% for 10 s"))
        assert len(keys) == 2
        assert len(set(keys)) == 1


def test_what_is_refused_is_said_beside_its_field(browser: Browser) -> None:
    """In the answer's words; the field gets the focus, and is well again with the next try."""
    with fake_room() as room, opened(browser, room.url) as page:
        page.locator("summary", has_text=re.compile("^Dip$")).click()
        field = page.locator("#dip-capacity")
        field.fill("20")
        page.get_by_role("button", name="Dip", exact=True).click()
        expect(page.locator("#dip-capacity-wrong")).to_have_text(re.compile("^capacity: .*'20'"))
        expect(field).to_be_focused()
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#log li.refused")).to_have_count(1)
        field.fill("20%")
        button = page.get_by_role("button", name="Dip", exact=True)
        expect(button).not_to_have_attribute("aria-disabled", "true")
        button.click()
        expect(page.locator("#said")).to_have_text(re.compile("^Dip to "))
        expect(page.locator("#dip-capacity-wrong")).to_be_empty()


def test_a_failure_without_a_field_is_told_in_the_panel(browser: Browser) -> None:
    """Say, of a target that cannot be reached."""
    with fake_room() as room, opened(browser, room.url) as page:
        room.target.fails = AdminUnreachableError("no target answers")
        page.get_by_role("button", name="Reopen in steps").click()
        expect(page.locator("#said")).to_have_text(
            "Reopen failed: no target answers. It may have begun all the same: see the list"
        )


def test_an_answer_is_shown_beside_the_button_of_a_form_too(browser: Browser) -> None:
    """The panel's own place may be out of sight then; it alone is read out."""
    with fake_room() as room, opened(browser, room.url) as page:
        page.locator("summary", has_text="Shed").click()
        beside = page.locator("form[data-verb=shed] .said")
        page.get_by_role("button", name="Shed", exact=True).click()
        expect(beside).to_have_text(re.compile("^Shedding 90% for 10 s in all lanes, from"))
        expect(page.locator("#said")).to_have_text(beside.inner_text())
        assert beside.evaluate("place => place.closest('[aria-live], [role=status]')") is None
        page.get_by_role("button", name="Dip to 20% for 2 s").click()
        expect(page.locator("#said")).to_have_text(re.compile("^Dip to "))
        expect(beside).to_be_empty()


def test_an_answer_is_taken_away_when_the_act_is_over(browser: Browser) -> None:
    """Long enough to be read it stands in any case. What has no end stays until the next run."""
    with fake_room() as room, opened(browser, room.url) as page:
        said = page.locator("#said")
        page.get_by_role("button", name="Shed 90% for 10 s").click()
        expect(said).to_have_text(re.compile("^Shedding 90% for 10 s"))
        room.at_s += 9
        asked = room.questions
        until(page, lambda: room.questions >= asked + 3, "three more questions")
        expect(said).not_to_be_empty()
        room.at_s += 2
        expect(said).to_be_empty()
        room.target.fails = AdminUnreachableError("no target answers")
        page.get_by_role("button", name="Reopen in steps").click()
        expect(said).to_have_text(re.compile("^Reopen failed"))
        room.world.run_id = "20261130-101600"
        expect(said).to_be_empty()


def test_a_fault_sends_the_fields_of_its_type(browser: Browser) -> None:
    """Those of other types are hidden and not sent, nor is what is empty."""
    own: dict[str, Json] = {
        "latency": {"add": "200ms", "spread": "0s"}, "error": {"status": 500}, "hang": {}
    }  # fmt: skip
    with fake_room() as room, opened(browser, room.url) as page:
        page.get_by_text("Fault", exact=True).click()
        press = page.get_by_role("button", name="Strike")
        for kind, sent in own.items():
            page.locator("#fault-type").select_option(kind)
            expect(press).not_to_have_attribute("aria-disabled", "true")
            press.click()
            until(page, lambda: bool(room.acted), "the act")
            common = {"type": kind, "share": "100%", "for": "2s", "after": "0s", "lanes": None}
            assert only_act(room) == ("fault", {**common, **sent})
            room.acted.clear()


def test_a_reset_is_asked_for_twice(browser: Browser) -> None:
    """No takes it back, and the focus; yes does it."""
    with fake_room() as room, opened(browser, room.url) as page:
        page.get_by_text("Reset", exact=True).click()
        button = page.get_by_role("button", name=re.compile("Reset the target"))
        button.click()
        expect(page.locator(".sure span")).to_have_text(re.compile("lanes with their history"))
        expect(page.locator(".sure span")).to_have_text(re.compile("will not be valid.$"))
        page.get_by_role("button", name="No", exact=True).click()
        expect(button).to_be_focused()
        assert room.acted == []
        room.world.run_state = "stopped"
        expect(page.locator("#run-text")).to_contain_text("stopped")
        button.click()
        expect(page.locator(".sure span")).to_have_text(re.compile("the configured one.$"))
        page.get_by_role("button", name="Yes, reset it").click()
        expect(page.locator("#said")).to_have_text(re.compile("^Reset: "))
        assert only_act(room) == ("reset", {})


def test_what_is_in_force_can_be_ended(browser: Browser) -> None:
    """Its button asks for the end of just this; when it is gone the focus stays near."""
    with fake_room() as room, opened(browser, room.url) as page:
        room.world.events = [DIP_2]
        button = page.get_by_role("button", name="End dip-2")
        button.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#said")).to_have_text("dip-2 (20%) ends at 12:00:01.0 UTC")
        assert only_act(room) == ("end", {"id": "dip-2"})
        room.world.events = [{**DIP_2, "state": "ended"}]
        expect(page.locator("#no-force")).to_be_visible()
        expect(page.locator("#force-title")).to_be_focused()


def test_what_is_planned_says_what_it_will_be_and_when(browser: Browser) -> None:
    """Also the dips that the run itself will cause."""
    when = {"start_epoch_s": ZERO_S + 10.5, "end_epoch_s": ZERO_S + 12.5}
    with fake_room() as room, opened(browser, room.url) as page:
        room.world.events = [{**DIP_2, **when, "text": "20%", "state": "pending"}]
        expect(page.locator("#in-force .what")).to_have_text("planned: dip to 20% for 2 s, in 8 s")


def test_the_whole_act_can_be_done_with_the_keyboard(browser: Browser) -> None:
    """From the top of the page by Tab to a lane and to the button; the focus is always seen."""
    with fake_room() as room, opened(browser, room.url) as page:
        expect(page.locator(".card")).to_have_count(len(POLICIES))
        press_to(page, "In all lanes")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        expect(page.locator("#where-text")).to_have_text(POLICIES[0])
        press_to(page, "Dip to 20% for 2 s", key="Shift+Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.keyboard.press("Space")
        expect(page.locator("#said")).to_have_text(re.compile("^Dip to "))
        assert only_act(room)[1]["lanes"] == [POLICIES[0]]
        # Answers have come and the page was redrawn; the focus has stayed.
        asked = room.questions
        room.at_s = 8.0
        until(page, lambda: room.questions >= asked + 3, "three more questions")
        assert focused(page) == "Dip to 20% for 2 s"


def press_to(page: Page, text: str, key: str = "Tab") -> None:
    """Press the key until what has this text has the focus."""
    for _ in range(60):
        if focused(page) == text:
            return
        page.keyboard.press(key)
    raise AssertionError(f"{text!r} was not reached by {key}")
