"""What to know of an answer before one relies on it."""

from collections.abc import Iterator

from loadtests.simulation.tipping.answer import Answers, LaneAnswer
from loadtests.simulation.tipping.finding import Verdict
from loadtests.simulation.tipping.search import Answer
from reports.rendering import words

LATE = 0.5
"""A run that recovers after more than this share of the observation may well do so after it."""


def remarks(answer: LaneAnswer, answers: Answers) -> tuple[str, ...]:
    """Each a clause or more, without a full stop."""
    return (*_of_observation(answer), *_of_search(answer, answers))


def _of_observation(answer: LaneAnswer) -> Iterator[str]:
    """Where "not recovered" may only mean "not seen to"."""
    observed_s = answer.observed_s
    near = [(point, answer.watched[point.place]) for point in answer.near]
    lost = [seen.lasted_s for point, seen in near if point.answer is not Answer.RECOVERS]
    if lost and observed_s < min(lost):
        yield (
            f"a disturbance of {words.span(min(lost))} is watched for {words.span(observed_s)} "
            "after its end, which is shorter: with a longer observation it may be seen to recover"
        )
    latest_s, place = max(((seen.latest_s, p.place) for p, seen in near), default=(0.0, 0))
    if latest_s > LATE * observed_s:
        yield (
            f"at {answer.shown(place)} a run recovered only after {words.span(latest_s)} of "
            f"{words.span(observed_s)}: a longer observation may move the point"
        )


def _of_search(answer: LaneAnswer, answers: Answers) -> Iterator[str]:
    found = answer.finding
    if found.against_order:
        safe, dangerous = map(answer.shown, found.against_order)
        yield (
            f"more runs recover at {dangerous} than at {safe}, beyond chance: there may be more "
            "than one tipping point"
        )
    if not found.fine and not answers.interrupted:
        yield (
            f"{answers.most_runs} runs did not do for {answer.range.shown_step}: with more --runs "
            "it is told more closely"
        )
    if found.verdict in (Verdict.ALWAYS, Verdict.NEVER) and answer.range.own:
        path = answer.range.path
        yield (
            f"{answer.range.text} is the range that {path} has by itself: --along {path}=LOW:HIGH "
            "gives it another"
        )
