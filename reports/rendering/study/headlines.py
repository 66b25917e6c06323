"""What a study says in one sentence, and how many runs it is of."""

from collections.abc import Iterator, Sequence

from reports.measuring.catalogue import SETTLED
from reports.rendering import spreads
from reports.rendering.study.sentences import noun, under
from reports.several.study import LEAST_S, Condition, Placed, Study, StudyRun


def headline(study: Study) -> str:
    """One sentence that says it all: who did not recover, and who took longest of the others."""
    placed, worst = study.placed, study.worst
    if not study.disturbed:
        return "Nothing disturbed these runs: there is no recovery to measure."
    if worst is None:
        return "None of these runs is valid: there is nothing to say of them."
    over = f"Over {samples(study)}"
    if all(one.lane.too_brief for one in placed):
        return f"{over} no lane was watched for the {LEAST_S:.0f} s that it takes to see it settle."
    if not worst.distribution.lost:
        alone = len({one.lane.title for one in placed}) == 1
        every = "" if alone else "every lane recovered; the slowest, "
        return f"{over} {every}{_settled(worst, study, '' if alone else ',')}."
    said = [_lost(worst, study), _others(study, worst)]
    if slowest := study.worst_of_always:
        once = all(len(one.distribution.samples) == 1 for one in placed)
        those = "those that recovered" if once else "those that always recovered"
        said.append(f"{_settled(slowest, study)}, the longest of {those}")
    return f"{over} {'; '.join(filter(None, said))}."


def _others(study: Study, worst: Placed) -> str:
    """How many more lanes never recovered, or did not at one time or another."""
    others = study.not_always - {worst.lane.title}
    sometimes = {one.lane.title for one in study.placed if one.distribution.recovered}
    told = (("did not either", others - sometimes), ("did not always", others & sometimes))
    return "; ".join(f"{_more(len(lanes))} {verdict}" for verdict, lanes in told if lanes)


def _more(lanes: int) -> str:
    return "1 other lane" if lanes == 1 else f"{lanes} other lanes"


def samples(study: Study) -> str:
    """``10 runs``, ``10 runs with 98 dips``, ``30 runs under 3 conditions``, ``of 3 scenarios``."""
    placed = study.placed
    conditions = {one.condition.label: one.condition for one in placed}
    runs = sum(condition.counted for condition in conditions.values())
    most = {condition.label: 0 for condition in conditions.values()}
    for one in placed:
        label = one.condition.label
        most[label] = max(most[label], len(one.distribution.samples))
    times = sum(most.values())
    repeated = f" with {times:,} {_kind(placed)}" if times > runs else ""
    return f"{noun(runs)}{repeated}{_of(len(conditions), study)}"


def _of(conditions: int, study: Study) -> str:
    if conditions < 2:
        return ""
    named = study.conditions[0].named
    return f" of {conditions} scenarios" if named else f" under {conditions} conditions"


def _kind(placed: Sequence[Placed]) -> str:
    samples = [one for each in placed for one in each.distribution.samples]
    kinds = {one.trigger.type for one in samples if one.trigger}
    return "dips" if kinds == {"dip"} else "disturbances"


def _lost(placed: Placed, study: Study) -> str:
    found = placed.distribution
    n = len(found.samples)
    many = f" in {f'{found.lost:,}' if found.recovered else 'any'} of {n:,}" if n > 1 else ""
    return f"`{found.title}` did not recover{many}{_under(placed.condition, study)}"


def _settled(placed: Placed, study: Study, comma: str = "") -> str:
    found = placed.distribution
    summary = found.summaries[SETTLED.name]
    at_once = not summary.late and not summary.most.amount
    how = "settled at once each time" if at_once else spreads.settled_within(found)
    return f"`{found.title}`{comma} {how}{_under(placed.condition, study)}"


def _under(condition: Condition, study: Study) -> str:
    return f" {under(condition)}" if len(study.conditions) > 1 else ""


def made(study: Study) -> str:
    """``one-dip: 100 simulated runs, seeds 0 to 99, engine ticks``."""
    runs = study.runs
    names = {one.run.name for one in runs}
    name = f"{names.pop()}: " if len(names) == 1 else ""
    simulated = all(one.run.simulated for one in runs)
    many = noun(len(runs)).replace(" ", " simulated " if simulated else " ")
    if len(runs) < study.planned:
        many = f"{many} of {study.planned:,}, stopped before the end"
    of = _of(len(study.conditions), study)
    return ", ".join([f"{name}{many}{of}", *_seeds(runs), *_engines(runs)])


def _seeds(runs: Sequence[StudyRun]) -> Iterator[str]:
    """Only where they follow each other."""
    seeds = sorted(one.run.seed for one in runs)
    if seeds == list(range(seeds[0], seeds[0] + len(seeds))):
        yield f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}"


def _engines(runs: Sequence[StudyRun]) -> Iterator[str]:
    engines = {str(one.run.versions.get("engine", "")) for one in runs if one.run.simulated}
    if engines - {""}:
        yield f"engine {' and '.join(sorted(engines - {''}))}"
