"""The answer as one HTML file that needs nothing else: no network, no other file."""

from markupsafe import Markup

from loadtests.simulation.tipping.answer import Answers
from loadtests.simulation.tipping.chart import figure_json
from loadtests.simulation.tipping.remarks import remarks
from loadtests.simulation.tipping.sentences import MEANING, sentence
from reports import offline, words

HTML_NAME = "tipping-point.html"
_HERE = "loadtests.simulation.tipping"


def to_html(answers: Answers) -> str:
    """The page. Every text is escaped by the template; scripts run only if their hash is known."""
    scripts = offline.scripts("reports", "charts.js")
    return offline.template(_HERE, "tipping.html.j2").render(
        answers=answers,
        sentence=sentence,
        remarks=remarks,
        words=words,
        meaning=MEANING,
        figures=[offline.data_for_script(figure_json(answer)) for answer in answers.lanes],
        style=offline.style(),
        own_style=Markup(offline.asset(_HERE, "tipping.css")),  # noqa: S704 - our own file
        scripts=scripts,
        script_hashes=" ".join(offline.csp_hash(script) for script in scripts),
    )
