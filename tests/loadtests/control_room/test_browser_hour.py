"""An hour of run does not grow the browser's memory."""

import pytest
from playwright.sync_api import Browser, Page

from tests.loadtests.control_room.fake_room import fake_room
from tests.loadtests.control_room.looking import opened
from tests.loadtests.control_room.made_up import World

pytestmark = pytest.mark.browser

ANSWERS = 12_000
"""An hour of them, at one in 0.3 s."""
AT_ONCE = 1_200
MOST_GROWTH_BYTES = 3_000_000

FEED = """async ([first, count]) => {
    const { room } = await import("/aftershock/assets/room.js");
    const chart = document.querySelector(".card .chart");
    const { figure, colours } = await import("/aftershock/assets/figure.js");
    const paint = colours();
    for (let number = first; number < first + count; number += 1) {
        const answer = structuredClone(window.kept);
        const bin = number * 3;
        answer.version = number + 2;
        answer.now_epoch_s = answer.zero_epoch_s + bin * 0.1;
        answer.start = number === 0;
        answer.bins = [bin, bin + 1, bin + 2];
        answer.log = [{ t_epoch_s: number, text: `act ${number}`, kind: "done" }];
        answer.events[0].id = `dip-${number}`;
        for (const lane of answer.lanes) {
            for (const key of ["offered", "capacity", "queue_len", "goodput", "failed_rate"]) {
                lane[key] = lane[key].slice(-3);
            }
        }
        room.told(answer);
        if (number % 120 === 0) {
            Plotly.react(chart, figure({
                store: room.store, lane: answer.lanes[0], window: "30s", many: 3, top: 400,
                nowS: answer.now_epoch_s, events: answer.events, paint }).data);
            await new Promise((done) => setTimeout(done));
        }
    }
    return room.store.bins.length;
}"""


def heap_bytes(page: Page) -> int:
    """What JavaScript holds after its garbage has been collected."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return int(used)


@pytest.mark.timeout(300)
def test_an_hour_of_answers_leaves_no_more_than_a_few_minutes(browser: Browser) -> None:
    """The bins are bounded, and what is held after a tenth of it is held at its end."""
    with fake_room(World(lanes=("a", "b"))) as room:
        room.at_s = 12.0
        with opened(browser, room.url) as page:
            page.locator(".card .main-svg").first.wait_for()
            page.evaluate(
                """async () => {
                    const { room } = await import("/aftershock/assets/room.js");
                    room.poll.stop();
                    window.kept = await (await fetch("live?window=30s&after=-1&seen=0")).json();
                }"""
            )
            held: list[int] = []
            for first in range(0, ANSWERS, AT_ONCE):
                bins = page.evaluate(FEED, [first, AT_ONCE])
                assert bins <= 360
                held.append(heap_bytes(page))
            assert held[-1] - held[0] < MOST_GROWTH_BYTES, held
            print(f"JavaScript's heap, bytes: {held}")
