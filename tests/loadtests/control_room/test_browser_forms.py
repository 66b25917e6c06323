"""What the page's buttons and forms send as they are is what the server reads."""

import json

import pytest
from playwright.sync_api import Browser

from loadtests.control_room.acting.asked import VERBS, read_asked
from tests.loadtests.control_room.fake_room import fake_room
from tests.loadtests.control_room.looking import opened

pytestmark = pytest.mark.browser

SENT = """async () => {
    const { PRESETS, VERBS } = await import("/aftershock/assets/verbs.js");
    const { form } = await import("/aftershock/assets/forms.js");
    const sent = PRESETS.map(({ verb, body }) => [verb, body]);
    const acts = { where: { lanes: null }, act: async (from, verb, body) => { sent.push([verb, body]); } };
    for (const verb of VERBS) {
        const made = form({ ...verb, confirm: null }, acts).querySelector("form");
        const submit = () => made.dispatchEvent(new Event("submit", { cancelable: true }));
        submit();
        for (const select of made.querySelectorAll("select")) {
            for (const { value } of select.options) {
                select.value = value;
                submit();
            }
            select.selectedIndex = 0;
        }
    }
    return sent;
}"""  # noqa: E501 - a script


def test_what_every_button_and_form_sends_is_read_by_the_server(browser: Browser) -> None:
    """With its defaults, and with each option of each choice."""
    with fake_room() as room, opened(browser, room.url) as page:
        sent = page.evaluate(SENT)
    asked = [read_asked(verb, json.dumps({"key": "k", **body}).encode()).act for verb, body in sent]
    assert {verb for verb, _ in sent} == {*VERBS} - {"end"}
    # Nothing is sent twice but what a form sends at first, which is a choice's first option too.
    assert len(asked) == 5 + 7 + 3 + 2 + 5
