"""The answer as one HTML file that needs nothing else: no network, no other file."""

import json

from loadtests.simulation.tipping.answer import Answers
from loadtests.simulation.tipping.chart import figure_json
from loadtests.simulation.tipping.remarks import remarks
from loadtests.simulation.tipping.sentences import MEANING, NOT_SURE, headline, sentence, title
from reports.rendering import offline, words

HTML_NAME = "tipping-point.html"
_HERE = "loadtests.simulation.tipping"


def to_html(answers: Answers) -> str:
    """The page. Every text is escaped by the template; no script runs but our own."""
    return offline.page(
        _HERE,
        "tipping.html.j2",
        script=("reports.rendering", "charts.js"),
        css="tipping.css",
        answers=answers,
        headline=headline(answers),
        title=title,
        sentence=sentence,
        remarks=remarks,
        words=words,
        meaning=MEANING,
        not_sure=NOT_SURE,
        unsure=any(not point.answer for lane in answers.lanes for point in lane.finding.points),
        facts=_facts(answers),
        scenario=json.dumps(answers.scenario, indent=2, ensure_ascii=False),
        figures=[offline.data_for_script(figure_json(answer)) for answer in answers.lanes],
    )


def _facts(answers: Answers) -> list[tuple[str, str]]:
    seed = int(str(answers.scenario["seed"]))
    runs = sum(answer.finding.runs for answer in answers.lanes)
    return [
        ("scenario", answers.source),
        ("along", f"{answers.path}, {answers.range_text}"),
        ("lanes", ", ".join(answer.lane for answer in answers.lanes)),
        ("confidence", f"{answers.sure}, for all that is said of a lane at once"),
        ("runs", f"{runs:,}, at most {answers.most_runs:,} a lane"),
        (
            "seeds",
            f"{seed} to {seed + answers.seeds - 1}, each once a lane" if answers.seeds else "none",
        ),
        ("observed", " or ".join(_observed(answers)) or words.NOT_MEASURED),
        ("engine", ", ".join(answers.engines)),
        ("aftershock", answers.version),
    ]


def _observed(answers: Answers) -> list[str]:
    """After the last disturbance: mostly the same in all lanes."""
    spans_s = sorted(answer.observed_s for answer in answers.lanes if answer.watched)
    return list(dict.fromkeys(map(words.span, spans_s)))
