"""What the page shows of made-up answers, in a real browser."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, Dialog, Page, Route, expect

from reports.rendering.palette import DARK, LIGHT
from tests.loadtests.control_room.fake_room import fake_room
from tests.loadtests.control_room.looking import card, drawn_layers, opened, sideways, until
from tests.loadtests.control_room.made_up import POLICIES, Json, World, worker

pytestmark = pytest.mark.browser

HOSTILE = "<script>alert(1)</script>\"'&"


def until_drawn(page: Page, lane: str) -> None:
    """Wait for the first drawing of its chart."""
    expect(page.locator(f"{card(page, lane)} .chart .main-svg").first).to_be_visible()


STORY = (
    (1, "steady", "steady", 1),
    (4.5, "dipped", r"dipped: to 20%, 1\.5 s left", 5),
    (7, "storm", r"storm for 1\.0 s", 5),
    (15, "settling", r"settling: 1\.0 s of 5 s", 5),
    (22, "settled", r"settled after 8\.0 s", 5),
)
"""Of the last lane, which has the longest storm: a second, the state then, its text, its layers."""


def test_the_story_of_a_storm_is_told_in_words_and_drawn(browser: Browser) -> None:
    """As it happens, in one page: each state has its word, its clock and its layers."""
    lane = POLICIES[-1]
    with fake_room() as room, opened(browser, room.url) as page:
        found = page.locator(card(page, lane))
        for at_s, word, text, layers in STORY:
            room.at_s = at_s
            expect(found).to_have_attribute("data-state", word)
            expect(found.locator(".word")).to_have_text(re.compile(text))
            until_layers(page, lane, layers)


def until_layers(page: Page, lane: str, layers: int) -> None:
    """Wait until so many layers of its chart have a height."""
    until(page, lambda: drawn_layers(page, lane) == layers, f"{layers} layers")


def test_the_summary_counts_the_storms(browser: Browser) -> None:
    """Over all lanes, the worst first; the title of the tab says so too."""
    with fake_room() as room:
        room.at_s = 6.2
        with opened(browser, room.url) as page:
            expect(page.locator("#summary")).to_have_text(re.compile(r"lanes in a storm"))
            expect(page).to_have_title(re.compile(r"^\d storms · "))


@pytest.mark.parametrize(
    ("width", "height", "scheme", "lanes"),
    [
        (360, 740, "light", 1),
        (360, 740, "dark", 20),
        (1280, 860, "dark", 5),
        (3840, 2160, "light", 20),
    ],
)
def test_it_fits_every_window(
    browser: Browser, width: int, height: int, scheme: Literal["light", "dark"], lanes: int
) -> None:
    """Nothing sticks out to the side, every lane has its card, and those in sight are drawn."""
    names = [f"{POLICIES[place % 5]}-{place}" for place in range(lanes)]
    with fake_room(World(lanes=names, queue=True)) as room:
        with opened(browser, room.url, width=width, height=height, scheme=scheme) as page:
            expect(page.locator(".card")).to_have_count(lanes)
            page.locator(card(page, names[-1])).scroll_into_view_if_needed()
            until_drawn(page, names[-1])
            assert sideways(page) <= 0


def test_a_change_of_the_scheme_is_followed(browser: Browser) -> None:
    """Charts take the colours of the other scheme without loading the page again."""
    colour = f"document.querySelector('{card_of_first()} .chart').data[1].fillcolor"
    with fake_room() as room, opened(browser, room.url) as page:
        until_drawn(page, POLICIES[0])
        assert page.evaluate(colour) == LIGHT["first"]
        page.emulate_media(color_scheme="dark")
        until(page, lambda: page.evaluate(colour) == DARK["first"], "the dark colour")


def card_of_first() -> str:
    """The selector of the first lane's card, for a script."""
    return f'article[data-key="{POLICIES[0]}"]'


def test_names_from_outside_are_text(browser: Browser) -> None:
    """A lane named as a script is shown with its name, and is not run."""
    with fake_room(World(lanes=(HOSTILE, POLICIES[0]))) as room:
        room.world.log.append({"t_epoch_s": 1.0, "text": HOSTILE, "kind": "done"})
        with opened(browser, room.url) as page:
            asked: list[str] = []

            def heard(dialog: Dialog) -> None:
                asked.append(dialog.message)
                dialog.dismiss()

            page.on("dialog", heard)
            expect(page.locator(".card h3").first).to_have_text(HOSTILE)
            expect(page.locator("#log li span")).to_have_text(HOSTILE)
            until_drawn(page, HOSTILE)
            page.locator("#where summary").click()
            page.get_by_role("checkbox", name=HOSTILE).check()
            expect(page.locator("#where-text")).to_have_text(HOSTILE)
            page.get_by_role("button", name="Dip to 20% for 2 s").click()
            expect(page.locator("#said")).to_have_text(
                re.compile("^Dip to 20% for 2 s in lane <script>")
            )
            assert room.acted[-1][1]["lanes"] == [HOSTILE]
            assert asked == []


def test_a_target_that_is_away_is_told_of_and_its_return_is_seen(browser: Browser) -> None:
    """In plain words, and gone again without a hand."""
    with fake_room(World(reachable=False)) as room, opened(browser, room.url) as page:
        banner = page.locator("#target-down")
        expect(banner).to_have_text(re.compile("cannot be reached: no target answers at http"))
        room.world.reachable = True
        expect(banner).to_be_hidden()


def test_what_was_not_heard_of_does_not_stand_there_as_true(browser: Browser) -> None:
    """Each card and the heading say since when, and the banner stays in sight."""
    names = [f"{POLICIES[place % 5]}-{place}" for place in range(20)]
    with fake_room(World(lanes=names)) as room, opened(browser, room.url) as page:
        last = page.locator(card(page, names[-1]))
        last.scroll_into_view_if_needed()
        expect(last.locator(".old")).to_be_empty()
        room.world.reachable = False
        expect(last.locator(".old")).to_have_text("not heard of since 10:53:20")
        expect(page.locator("#summary")).to_have_text("Until 10:53:20: all 20 lanes steady")
        expect(page.locator("#target-down")).to_be_in_viewport()
        room.world.reachable = True
        expect(last.locator(".old")).to_be_empty()
        room.broken = True
        expect(last.locator(".old")).to_have_text("not heard of since 10:53:23")
        expect(page.locator("#locust-down")).to_be_in_viewport()


def test_a_locust_that_is_away_is_told_of_and_its_return_is_seen(browser: Browser) -> None:
    """The page goes on asking."""
    with fake_room() as room, opened(browser, room.url) as page:
        expect(page.locator(".card")).to_have_count(len(POLICIES))
        room.broken = True
        expect(page.locator("#locust-down")).to_have_text(re.compile("Locust cannot be reached"))
        room.broken = False
        expect(page.locator("#locust-down")).to_be_hidden()


def test_a_file_that_did_not_come_is_loaded_again(browser: Browser) -> None:
    """A module that got lost on its way leaves no dead page."""
    lost: list[str] = []

    def lose_the_first(route: Route) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.request.url)
            route.fulfill(status=502, content_type="text/javascript")

    with fake_room() as room, opened(browser, "about:blank") as page:
        page.route(re.compile("assets/lanes.js"), lose_the_first)
        page.goto(room.url)
        expect(page.locator(".card")).to_have_count(len(POLICIES))
        assert len(lost) == 1


def test_another_epoch_forgets_what_was_drawn(browser: Browser) -> None:
    """A target that has started again begins with an empty chart."""
    with fake_room() as room:
        room.at_s = 20
        with opened(browser, room.url) as page:
            until_drawn(page, POLICIES[0])
            room.world.epoch = "9c1d"
            room.at_s = 1
            expect(page.locator(f"{card(page, POLICIES[0])} .word")).to_have_text("steady")
            until(page, lambda: drawn_layers(page, POLICIES[0]) == 1, "an empty chart")


def test_what_the_load_goes_through_is_told_in_the_head(browser: Browser) -> None:
    """Where it is not sent to the target itself."""
    with fake_room() as room, opened(browser, room.url) as page:
        expect(page.locator("#run-text")).to_contain_text("running")
        expect(page.locator("#load-text")).to_be_hidden()
        room.world.load_url = "http://gateway:8001"
        expect(page.locator("#load-text")).to_have_text("load by way of http://gateway:8001")


def test_who_sends_is_shown_from_the_first_run_on(browser: Browser) -> None:
    """It does not come and go. Which of them is late is a word in the table."""
    fine, late = worker("worker-1"), worker("worker-2", "late", late_ms=140.0)
    with fake_room(World(workers=[fine])) as room, opened(browser, room.url) as page:
        expect(page.locator("#worker-rows tr")).to_be_visible()
        room.world.workers = [fine, late]
        expect(page.locator("#worker-rows tr")).to_have_count(2)
        expect(page.locator("#worker-rows tr").last).to_contain_text("late")


def test_runs_and_their_files_are_linked(browser: Browser) -> None:
    """One that goes on has the report so far; when it ends the list is asked for again."""
    run: Json = {"id": "20261130-101500", "began_epoch_s": 1_764_500_000.0, "state": "running"}
    run |= {"lanes": ["default"], "files": ["record.ndjson"], "verdict": None}
    with fake_room(World(runs=[run])) as room, opened(browser, room.url) as page:
        row = page.locator("#run-rows tr").first
        expect(row.get_by_role("link", name="report so far")).to_have_attribute("href", "so-far")
        files = ["report.html", "record.ndjson"]
        room.world.runs = [{**run, "state": "finished", "files": files, "verdict": "valid"}]
        room.world.run_state = "stopped"
        expect(row.locator("a").first).to_have_attribute("href", "runs/20261130-101500/report.html")
        expect(page.locator("#report-link")).to_have_text("Report of this run")


def test_a_run_says_why_it_is_not_valid_or_that_its_report_can_be_made(browser: Browser) -> None:
    """At 360 px too, where all of it is in sight."""
    run: Json = {"began_epoch_s": 1_764_500_000.0, "state": "finished", "lanes": ["default"]}
    unmade = {**run, "id": "20261130-101500", "files": ["record.ndjson"], "verdict": None}
    not_valid = {**unmade, "id": "20261130-101400", "files": ["report.html"]}
    not_valid |= {"verdict": "not valid", "reason": "3 ticks are missing"}
    world = World(runs=[unmade, not_valid])
    with fake_room(world) as room, opened(browser, room.url, width=360, height=740) as page:
        link = page.get_by_role("link", name="make the report of run 20261130-101500")
        expect(link).to_have_attribute("href", "runs/20261130-101500/report.html")
        reason = page.get_by_text("3 ticks are missing")
        for seen in (link, reason, page.get_by_role("link", name="report of run 20261130-101400")):
            box = seen.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= 360
        room.world.runs = [{**unmade, "files": ["report.html"], "verdict": "valid"}, not_valid]
        room.world.run_state = "stopped"
        page.get_by_role("link", name="report of run 20261130-101500", exact=True).wait_for()
        expect(link).to_have_count(0)


SCALES = """async (peaks) => {
    const { scale } = await import("/aftershock/assets/figure.js");
    let top = 10;
    return peaks.map((most) => { top = scale(top, most); return top; });
}"""


def test_the_scale_follows_the_peak_closely_and_does_not_waver(browser: Browser) -> None:
    """Up at once to the next round number; down when a third is empty, and then with room."""
    with fake_room() as room, opened(browser, room.url) as page:
        peaks = [100, 230, 1010, 820, 700, 640, 95, 91, 95, 85, 90, 94]
        wanted = [150, 250, 1500, 1000, 1000, 800, 150, 150, 150, 100, 100, 100]
        assert page.evaluate(SCALES, peaks) == wanted


def test_the_window_can_be_chosen(browser: Browser) -> None:
    """The choice begins a new question, from nothing."""
    with fake_room() as room, opened(browser, room.url) as page:
        until_drawn(page, POLICIES[0])
        with page.expect_request(re.compile(r"live\?window=5m&after=-1&seen=0")):
            page.get_by_text("5 min", exact=True).click()


def test_nobody_is_asked_while_the_page_is_hidden(browser: Browser) -> None:
    """And at once when it is seen again."""
    hide = """(hidden) => {
        Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
        document.dispatchEvent(new Event('visibilitychange'));
    }"""
    with fake_room() as room, opened(browser, room.url) as page:
        until_drawn(page, POLICIES[0])
        page.evaluate(hide, True)
        page.wait_for_timeout(500)
        asked = room.questions
        page.wait_for_timeout(800)
        assert room.questions == asked
        with page.expect_request(re.compile("live")):
            page.evaluate(hide, False)
