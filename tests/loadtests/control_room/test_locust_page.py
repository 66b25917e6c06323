"""What is added to Locust's own page and to its statistics."""

import json
from collections import Counter

from werkzeug.wrappers import Response

from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.locust_ui.page import COLUMNS, KEY, rows_of, with_link, with_rows
from reports.record import Header, Lane, Requests

LANES = (Lane("a", "full-jitter", "waits at random"), Lane("b", "opaque-urllib3", "", opaque=True))


def test_a_link_before_the_end_of_the_page() -> None:
    answer = with_link(Response("<body>x</body></html>", mimetype="text/html"), '/a"b/')
    page = answer.get_data(as_text=True)
    assert page.startswith("<body>x<a href=")
    assert page.endswith("</body></html>")
    assert 'href="/a&quot;b/"' in page
    assert answer.content_length == len(page)


def test_a_page_without_an_end_stays_as_it_is() -> None:
    answer = with_link(Response("Web UI assets are missing.", mimetype="text/html"), "/")
    assert answer.get_data() == b"Web UI assets are missing."


def test_rows_come_with_the_statistics_in_an_answer_of_its_own() -> None:
    """Locust keeps its answer and gives it again: that must not collect rows."""
    kept = Response(
        json.dumps({"stats": [1], "extended_stats": [{"key": "x"}]}), mimetype="application/json"
    )
    for _ in range(2):
        values = json.loads(with_rows(kept, [{"lane": "a"}]).get_data())
        assert values == {
            "stats": [1],
            "extended_stats": [{"key": "x"}, {"key": KEY, "data": [{"lane": "a"}]}],
        }
    assert json.loads(kept.get_data())["extended_stats"] == [{"key": "x"}]


def test_what_is_no_statistics_stays_as_it_is() -> None:
    for answer in (Response("<html>"), Response("[]", mimetype="application/json")):
        assert with_rows(answer, []) is answer


def test_a_row_a_lane() -> None:
    """What is not known is not 0."""
    tally = ClientTally(lambda: 1.0)
    tally.take([Header("x", "x", "live", 0.0, 0.1, 0, LANES, {}, {})])
    empty = {"requests": "0", "failed": "0", "amplification": "–"}
    first = {"lane": "a", "policy": "full-jitter", "describe": "waits at random"}
    assert rows_of(LANES, tally)[0] == {**first, **empty}
    assert list(rows_of(LANES, tally)[0]) == [key for key, _ in COLUMNS]
    tally.take([Requests(0.0, "a", 1000, 990, Counter({"budget": 10}), 1234)])
    tally.take([Requests(0.0, "b", 5, 5, attempts=5)])
    a, b = rows_of(LANES, tally)
    assert a == {**first, "requests": "1,000", "failed": "10", "amplification": "1.23"}
    assert (b["requests"], b["amplification"]) == ("5", "–")
