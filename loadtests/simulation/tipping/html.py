"""The answer as one HTML file that needs nothing else: no network, no other file."""

from loadtests.simulation.tipping.answer import Answers
from loadtests.simulation.tipping.chart import figure_json
from loadtests.simulation.tipping.remarks import remarks
from loadtests.simulation.tipping.sentences import MEANING, sentence
from reports import offline, words

HTML_NAME = "tipping-point.html"
_HERE = "loadtests.simulation.tipping"


def to_html(answers: Answers) -> str:
    """The page. Every text is escaped by the template; no script runs but our own."""
    return offline.page(
        _HERE,
        "tipping.html.j2",
        script=("reports", "charts.js"),
        css="tipping.css",
        answers=answers,
        sentence=sentence,
        remarks=remarks,
        words=words,
        meaning=MEANING,
        figures=[offline.data_for_script(figure_json(answer)) for answer in answers.lanes],
    )
