"""The advice as a whole: who was tried in what, how they rank, and what to change."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from loadtests.scenario import Scenario
from loadtests.simulation.advising import wording
from loadtests.simulation.advising.candidates import DEFAULTS, Candidate, Field, Kind
from loadtests.simulation.advising.figures import Standing
from loadtests.simulation.advising.findings import Findings
from loadtests.simulation.advising.playing import Played, games_of, play_all
from loadtests.simulation.advising.ranking import Limit, Ranked, limit_of, rank
from loadtests.simulation.advising.service import with_changes
from loadtests.simulation.advising.situation import Situation
from loadtests.simulation.advising.telling import percent
from loadtests.simulation.engines import Engine
from loadtests.simulation.workers import Workers
from reports.text import noun


@dataclass(frozen=True)
class Question:
    """What was asked for on the command line."""

    file: str | None
    engine: Engine
    runs: int
    failed: float | None


@dataclass(frozen=True)
class Advice:
    """The result, as all renderers have it. `left_out` are policies by name with the reason."""

    scenario: Scenario
    question: Question
    ranked: tuple[Ranked, ...]
    service: tuple[Standing, ...]
    limit: Limit
    sentences: tuple[str, ...]
    commands: tuple[str, ...]
    left_out: Mapping[str, str]
    interrupted: bool

    @property
    def engines(self) -> str:
        """Those that played."""
        return " and ".join(sorted({one.standing.engine for one in self.ranked}))

    @property
    def runs(self) -> tuple[int, int]:
        """The fewest and the most runs of a candidate: they differ after an interruption."""
        counts = [one.standing.runs for one in self.ranked]
        return min(counts), max(counts)


@dataclass(frozen=True)
class Progress:
    """Who is told how it goes: of more runs that are to be played, and of each that is done."""

    more: Callable[[int], None]
    done: Callable[[], None]


def advise(  # noqa: PLR0913, PLR0917 - what is tried, how, and who does and watches it
    scenario: Scenario,
    situation: Situation,
    field: Field,
    question: Question,
    workers: Workers,
    progress: Progress,
) -> Advice | None:
    """Play everybody, and the changes of the service that this calls for.

    None when it was interrupted before a run of what there is was done, and of one without
    retries. Raises `ScenarioError` where no engine can play the scenario.
    """
    faced = situation.alone(situation.have[0])
    played = _play(situation, field.candidates, question, workers, progress)
    if not _enough(played, field.candidates):
        return None
    more = () if played.interrupted else with_changes(faced, played.standings)
    changed = _play(situation, more, question, workers, progress) if more else Played(())
    limit = limit_of(played.standings, question.failed)
    ranked = rank(played.standings, limit)
    findings = Findings(ranked, changed.standings, limit, what_of(faced))
    return Advice(
        scenario=scenario,
        question=question,
        ranked=ranked,
        service=changed.standings,
        limit=limit,
        sentences=wording.sentences(findings),
        commands=_commands(findings, situation, question),
        left_out={**field.left_out, **played.failed, **changed.failed},
        interrupted=played.interrupted or changed.interrupted,
    )


def _play(
    situation: Situation,
    candidates: Sequence[Candidate],
    question: Question,
    workers: Workers,
    progress: Progress,
) -> Played:
    games = games_of(situation, candidates, question.engine, question.runs)
    progress.more(len(games.tasks))
    return play_all(games, workers, progress.done)


def _enough(played: Played, candidates: Sequence[Candidate]) -> bool:
    """Whether there is something to compare: what there is, and the reference."""
    done = {one.candidate.name for one in played.standings}
    needed = {one.name for one in candidates if one.kind in {Kind.HAVE, Kind.REFERENCE}}
    return needed <= done | played.failed.keys() and bool(done)


def what_of(scenario: Scenario) -> str:
    """What recovery is measured after: ``the dip``."""
    kinds = ["dip" for _ in scenario.dip_schedule()]
    kinds += [fault.type for fault in scenario.fault_schedule()]
    kinds += ["spike" for _ in scenario.spike_schedule()]
    if len(set(kinds)) != 1:
        return "the last disturbance"
    return f"the last {noun(kinds[0])}" if len(kinds) > 1 else f"the {noun(kinds[0])}"


def limit_line(advice: Advice) -> str:
    """The limit, and whose it is."""
    share = percent(advice.limit.share)
    if advice.limit.asked:
        return f"Ranked by settled, at most {share} of requests unserved, as asked."
    return (
        f"Ranked by settled, at most {share} of requests unserved: a quarter more than without any "
        f"retry, where retries begin to harm. --failed sets another limit."
    )


def conditions(advice: Advice) -> str:
    """Under what all this was found."""
    low, high = advice.runs
    runs = f"{low} runs" if low == high else f"{low} to {high} runs"
    seeds = f"seeds {advice.scenario.seed} to {advice.scenario.seed + high - 1}"
    changed = _runs_of_changes(advice)
    kind = "medians" if high > 1 else "the figures"
    return (
        f"Simulated, not measured: {kind} of {runs} of each{changed}, {seeds}, "
        f"engine {advice.engines}; "
        f"scenario {advice.scenario.name}. Unserved are those that failed or had no answer by the "
        f"end. {wording.MEANING}"
    )


def _runs_of_changes(advice: Advice) -> str:
    """Where the changes of the service had fewer, after an interruption."""
    fewest = min((one.runs for one in advice.service), default=advice.runs[0])
    return f" (changed services: {fewest})" if fewest < advice.runs[0] else ""


def live(advice: Advice) -> str:
    """What stands before the commands that show it live, or in their place."""
    if advice.commands:
        return "See it live:"
    return "To see it live, write it into the scenario's [[policies]] and run that."


def _commands(findings: Findings, situation: Situation, question: Question) -> tuple[str, ...]:
    """How to see it live: the advice, and what there is beside it."""
    best = findings.best
    if best is None:
        return ()
    worst = findings.have[0].candidate
    names = dict.fromkeys([_policy_text(best.candidate), _policy_text(worst)])
    own = [choice.name for choice in situation.have]
    unclear = best.name.endswith(DEFAULTS) or len(set(own)) < len(own)
    if unclear or situation.lanes_named or best.candidate.choice.layer_policies:
        return ()
    file = [question.file] if question.file else []
    parts = [*file, *(part for name in names for part in ("--policy", name))]
    return (shlex.join(["aftershock", "run", *parts]),)


def _policy_text(candidate: Candidate) -> str:
    """As `--policy` takes it, which means the scenario's own where it has one of that name."""
    return candidate.choice.name if candidate.kind is Kind.HAVE else candidate.name
