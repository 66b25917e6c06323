"""The page, its style sheet, the docs and the made-up answers know what the server says."""

import re
from pathlib import Path

from loadtests.control_room.answers import PAGE
from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.clients.workers import Worker
from loadtests.control_room.live.drawn import RunNow, drawn
from loadtests.control_room.live.feed import Feed
from loadtests.control_room.standing import states
from tests.loadtests.control_room.made_up import World, worker
from tests.loadtests.control_room.metered import OFFSET_S, FakeTarget
from tests.reports.synthetic import Made, Shape, plain, storm

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs" / "control-room.md"
IN_PLAIN_WORDS = {"idle": "no load", "overloaded": "above capacity"}
"""What a state is called where it is shown, if that is not its word."""
UNMARKED = {"steady"}
"""Its shape and colour are those of a card without a state."""


def keys(value: object) -> object:
    """The names in a JSON value, however deep; of a list those of its items."""
    if isinstance(value, dict):
        return {name: keys(item) for name, item in value.items() if name != "failed_by_reason"}
    if isinstance(value, list):
        return next((keys(item) for item in value), None)
    return None


def test_made_up_answers_have_the_names_of_real_ones() -> None:
    """Else the browser tests would hold the page against an answer that there is not."""
    entry = {"t_epoch_s": 1.0, "text": "Dip", "kind": "done"}
    target = FakeTarget(Made([Shape("a", plain(storm(30)))]))
    tally = ClientTally(lambda: OFFSET_S + target.now_s)
    feed = Feed(lambda: target, tally, lambda: OFFSET_S + target.now_s)
    target.advance(140)
    feed.poll()
    real = drawn(
        feed,
        tally,
        window="30s",
        after=-1,
        epoch="",
        now_epoch_s=feed.seen.offset_s + target.now_s,
        run=RunNow("running"),
        workers=[Worker("worker-0", "running", 2)],
        log=[entry],
    )
    made_up = World(workers=[worker("worker-0")], log=[entry]).answer(7.0, -1, 1, "")
    assert keys(made_up) == keys(real)


def table(text: str) -> set[str]:
    """The first cells of the table that is headed ``word | meaning``."""
    _, _, rows = text.partition("| word | meaning |\n")
    rows, _, _ = rows.partition("\n\n")
    return {row.split("|")[1].strip(" `") for row in rows.splitlines()[1:]}


def test_every_state_has_its_words_its_shape_and_its_line_in_the_docs() -> None:
    """And there is none that the server does not know."""
    words = table(str(states.__doc__))
    assert len(words) == 10
    told = re.search(r"const TOLD = \{(.*?)\};", (PAGE / "lanes.js").read_text())
    assert told is not None
    assert set(re.findall(r"(\w+): ", told[1])) == words
    style = (PAGE / "room.css").read_text()
    assert set(re.findall(r"\[data-state=(\w+)\] \.shape", style)) | UNMARKED == words
    assert set(re.findall(r"\[data-state=(\w+)\]", style)) <= words
    assert table(DOCS.read_text()) == {IN_PLAIN_WORDS.get(word, word) for word in words}
