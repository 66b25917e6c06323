"""The answer in words: one sentence a lane."""

from collections.abc import Callable, Mapping

from loadtests.simulation.tipping.answer import Answers, LaneAnswer
from loadtests.simulation.tipping.finding import Verdict
from loadtests.simulation.tipping.search import Answer
from reports.rendering import words

MEANING = (
    "Passes, recovers: at least half of all runs do; does not: at most half. Between the values "
    "tried it is assumed that more danger is never better."
)
"""What the words of a sentence promise."""
NOT_SURE = "not sure yet"
"""The answer at a value of which nothing can be said: not even that it is chance."""
_LENGTHS = {"dips": "dip", "faults": "fault", "spikes": "load spike"}


def title(answer: LaneAnswer, answers: Answers) -> str:
    """The lane, and its policy where that has another name; quoted where there are several."""
    lane = f"lane '{answer.lane}'" if len(answers.lanes) > 1 else answer.lane
    return lane if answer.policy in answer.lane else f"{lane} ({answer.policy})"


def sentence(answer: LaneAnswer, answers: Answers) -> str:
    """What was found in a lane, how sure that is, and by how many runs."""
    told, semicolon, more = _TELL[answer.finding.verdict](answer).partition(";")
    return f"{told} ({answers.sure} confidence, {answer.finding.runs} runs){semicolon}{more}"


def headline(answers: Answers) -> str:
    """What was found in the lane that tips first, which is the one lane or is named."""
    worst = min(answers.lanes, key=_safe_share)
    told = _TELL[worst.finding.verdict](worst)
    text = f"{title(worst, answers)}: {told}" if len(answers.lanes) > 1 else told
    return f"{text[:1].upper()}{text[1:]}."


def _safe_share(answer: LaneAnswer) -> float:
    """How much of the range is safe; what is not known comes last."""
    found, last = answer.finding, len(answer.range.values) - 1
    if found.verdict in _ALIKE:
        return _ALIKE[found.verdict]
    safe = found.lower if found.lower is not None else 0 if found.rising else last
    return (safe if found.rising else last - safe) / last


def _within(answer: LaneAnswer) -> str:
    return f"within {words.span(answer.observed_s)}"


def _length_of(answer: LaneAnswer) -> str | None:
    """``dip`` where it is its length that was tried, and a longer one is no better."""
    place = answer.range.place
    if place.key != "for" or answer.finding.rising is False:
        return None
    return _LENGTHS.get(place.table)


def _ends(answer: LaneAnswer) -> tuple[str, str]:
    return answer.shown(0), answer.shown(len(answer.range.values) - 1)


def _passes(answer: LaneAnswer) -> str:
    value = answer.shown(answer.finding.lower or 0)
    if what := _length_of(answer):
        return f"a {what} of up to {value} passes"
    way = "up" if answer.finding.rising else "down"
    return f"with {answer.range.path} {way} to {value} it recovers"


def _fails(answer: LaneAnswer, *, alone: bool = False) -> str:
    """`alone`: with no clause before it that names the field."""
    value = answer.shown(answer.finding.upper or 0)
    if what := _length_of(answer):
        subject = f"a {what}" if alone else "one"
        return f"{subject} of {value} and more does not come back {_within(answer)}"
    way = "on" if answer.finding.rising else "down"
    field = f"{answer.range.path} " if alone else ""
    return f"from {field}{value} {way} it does not {'recover ' * alone}{_within(answer)}"


def _between(answer: LaneAnswer) -> str:
    text = f"{_passes(answer)}, {_fails(answer)}"
    if not answer.finding.fine:
        return f"{text}; {answer.finding.runs} runs are too few to tell what is in between"
    chance = any(point.answer is Answer.CHANCE for point in answer.near)
    return f"{text}; in between it is chance" if chance else text


def _always(answer: LaneAnswer) -> str:
    low, high = _ends(answer)
    if what := _length_of(answer):
        return f"no tipping point up to {high}: even a {what} of {high} passes"
    return f"no tipping point from {low} to {high}: it recovers at {_tried(answer)}"


def _never(answer: LaneAnswer) -> str:
    low, high = _ends(answer)
    if what := _length_of(answer):
        return f"already beyond it at {low}: not even a {what} of {low} passes {_within(answer)}"
    return (
        f"no tipping point from {low} to {high}: it does not recover {_within(answer)} at "
        f"{_tried(answer)}"
    )


def _tried(answer: LaneAnswer) -> str:
    *others, last = [answer.shown(point.place) for point in answer.finding.points if point.answer]
    return f"{', '.join(others)} and {last}"


def _from_chance(answer: LaneAnswer) -> str:
    end = _ends(answer)[0 if answer.finding.rising else 1]
    return f"{_fails(answer, alone=True)}; at {end} it is chance already"


def _to_chance(answer: LaneAnswer) -> str:
    end = _ends(answer)[1 if answer.finding.rising else 0]
    return f"{_passes(answer)}; at {end}, where the range ends, it is chance"


def _chance(answer: LaneAnswer) -> str:
    low, high = _ends(answer)
    return f"no telling where it tips: it is chance at {low} and at {high}"


def _no_order(answer: LaneAnswer) -> str:
    verbs = {Answer.CHANCE: "is chance"}
    tried = ", ".join(
        f"{answer.shown(point.place)} {verbs.get(point.answer, point.answer)}"
        for point in answer.finding.points
        if point.answer
    )
    return f"no one tipping point: {tried}"


def _unfinished(_answer: LaneAnswer) -> str:
    return "no telling yet where it tips: the runs are too few"


_ALIKE: Mapping[Verdict, float] = {
    Verdict.NEVER: -1.0,
    Verdict.CHANCE: -0.5,
    Verdict.NO_ORDER: 0.0,
    Verdict.ALWAYS: 2.0,
    Verdict.UNFINISHED: 3.0,
}
"""Where there are no bounds: whether it is worse or better than any lane with some."""
_TELL: Mapping[Verdict, Callable[[LaneAnswer], str]] = {
    Verdict.BETWEEN: _between,
    Verdict.ALWAYS: _always,
    Verdict.NEVER: _never,
    Verdict.FROM_CHANCE: _from_chance,
    Verdict.TO_CHANCE: _to_chance,
    Verdict.CHANCE: _chance,
    Verdict.NO_ORDER: _no_order,
    Verdict.UNFINISHED: _unfinished,
}
