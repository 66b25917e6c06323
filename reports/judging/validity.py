"""Can the result be trusted? Each check answers with reasons in words; none means yes."""

from collections import Counter
from collections.abc import Iterator

from reports.folding.phases import Phases, between, end_of_load_s, find_phases, too_soon
from reports.folding.windows import HOLD_S, WINDOW_S, window_ticks
from reports.judging import balance
from reports.judging.capacity import rebased
from reports.judging.health import overloaded
from reports.judging.outage import outages
from reports.measuring.settling import often_above
from reports.reading.series import Counts, Floats, LaneSeries, RunRecord
from reports.record import EARLY_END_S, SIMULATED
from reports.text import ENDINGS, names_of, noun

MIN_ANSWERED_SHARE = 0.5
NOTHING = "no dip found: the record tells of no lowered capacity, and of no other disturbance"


def reasons(record: RunRecord, phases: Phases | None, *, going_on: bool = False) -> tuple[str, ...]:
    """Why the result is not valid, each reason a clause; empty when it is.

    Of a run that is `going_on` what may come yet is no reason: its end, or a dip.
    """
    if phases is None:
        nothing = () if going_on else (*_cut_short(record), NOTHING)
        return (*nothing, *_ticks_missing(record))
    return (
        *(() if going_on else (*_cut_short(record), *_too_brief(record, phases))),
        *_ticks_missing(record),
        # First what explains the others: in lanes that share too little all goes wrong.
        *balance.disturbed(record, phases),
        *overloaded(record, phases),
        *balance.adds_up(record),
        *balance.clients_add_up(record),
        *balance.strangers(record, phases),
        *outages(record, phases),
        *_no_load(record, phases),
        *_unsteady_before(record, phases),
        *rebased(record),
    )


def _cut_short(record: RunRecord) -> Iterator[str]:
    """The run ended before it was meant to."""
    planned = record.header.planned_end_s
    if record.end is None:
        end_s = end_of_load_s(record)
        yield f"the record breaks off {end_s:.1f} s into the run: it has no end line"
    elif record.end.reason.startswith("error"):
        yield f"the run ended in an {record.end.reason[:200]}"
    elif planned is not None and record.end.t_s < planned - EARLY_END_S:
        yield f"the run was stopped at {record.end.t_s:.1f} s of {planned:.1f} s"


def _too_brief(record: RunRecord, phases: Phases) -> Iterator[str]:
    """Too soon after the trigger to tell."""
    if too_soon(phases, record.tick_s):
        yield (
            f"only {phases.observed_s:.1f} s were observed after the {noun(phases.trigger.type)}; "
            f"to call a lane settled takes at least {HOLD_S + WINDOW_S:.0f} s"
        )


def _ticks_missing(record: RunRecord) -> Iterator[str]:
    """The target's meter has gaps, or never said anything."""
    if not record.t_s.size:
        yield "the record has no ticks: nothing was heard from the target"
        return
    silent = [lane.lane for lane in record.lanes if lane.missing.all()]
    if silent:
        yield f"no tick was recorded for {names_of(silent)}"
    gaps = {lane.lane: int(lane.missing.sum()) for lane in record.lanes}
    gaps = {name: count for name, count in gaps.items() if count and name not in silent}
    if gaps:
        yield f"{_missing(max(gaps.values()))} in {names_of(list(gaps))}"
    holes = {layer.layer: layer.gaps for layer in record.layers if layer.gaps}
    if holes:
        yield f"{_missing(max(holes.values()))} of {names_of(list(holes))}"
    if record.end is None:
        return  # the whole record stops there, which is said
    planned_s = record.header.planned_end_s
    end_s = record.end.t_s if planned_s is None else min(planned_s, record.end.t_s)
    last_s = float(record.t_s[-1]) + record.tick_s
    if last_s < end_s - 2 * record.tick_s:
        yield f"the ticks stop at {last_s:.1f} s, {end_s - last_s:.1f} s before the load did"


def _missing(ticks: int) -> str:
    return "1 tick is missing" if ticks == 1 else f"{ticks:,} ticks are missing"


def _no_load(record: RunRecord, phases: Phases) -> Iterator[str]:
    """A lane that nobody loads recovers from anything; of one undisturbed it is no matter."""
    before = between(record.t_s, phases.observe_from_s, phases.first_s, record.tick_s)
    loaded = [lane for lane in record.lanes if lane.offered.any()]
    if record.lanes and not loaded:
        yield "there was no load"
    unloaded = [lane.lane for lane in loaded if not lane.offered[before].any()]
    late = [name for name in unloaded if find_phases(record, name)]
    if late:
        yield f"there was no load before the {noun(phases.trigger.type)} in {names_of(late)}"


def _unsteady_before(record: RunRecord, phases: Phases) -> Iterator[str]:
    """No steady state before the trigger that there could be a return to."""
    what = noun(phases.trigger.type)
    before = between(record.t_s, phases.observe_from_s, phases.first_s, record.tick_s)
    width = window_ticks(record.tick_s)
    nothing = "there is nothing to compare with"
    if before.stop - before.start < width:
        yield f"less than 1 s was recorded before the {what}: {nothing}"
        return
    short = [lane.lane for lane in record.lanes if 0 < before.stop - lane.begins < width]
    late = [name for name in short if find_phases(record, name)]
    if late:
        yield f"less than 1 s was recorded before the {what} in {names_of(late)}: {nothing}"
    high = [lane.lane for lane in record.lanes if often_above(*_since(lane, before), record.tick_s)]
    if high:
        # A simulated load has no machine that could be too busy for it.
        simulated = record.header.source == SIMULATED
        less = "or less load" if simulated else "less load or a quieter machine"
        yield (
            f"the load was above capacity before the {what} already in {names_of(high)}: "
            f"try a longer warm-up{' ' if simulated else ', '}{less}"
        )
    due = [lane for lane in record.lanes if lane.lane not in high]
    unanswered = [lane.lane for lane in due if _is_unanswered(record, lane, phases)]
    if unanswered:
        yield (
            f"fewer than half of the requests succeeded before the {what} already "
            f"in {names_of(unanswered)}{_most_failed(record, unanswered, phases)}"
        )


def _since(lane: LaneSeries, before: slice) -> tuple[Counts, Floats]:
    """Load and capacity before, from where the lane appeared."""
    own = slice(max(before.start, lane.begins), before.stop)
    return lane.offered[own], lane.capacity[own]


def _is_unanswered(record: RunRecord, lane: LaneSeries, phases: Phases) -> bool:
    """Of the requests due before, fewer than half succeeded, whenever that was.

    A client that holds its requests back loads nobody, and would look like the best of all.
    """
    before = between(lane.bins.t_s, phases.observe_from_s, phases.first_s, record.tick_s)
    due, good = lane.bins.issued[before].sum(), lane.bins.succeeded[before].sum()
    return bool(good < MIN_ANSWERED_SHARE * due)


def _most_failed(record: RunRecord, names: list[str], phases: Phases) -> str:
    """What became of most requests that failed before, and by whom, as far as a record says it.

    It has no statuses. What was served, and was no success, is an error of the service; for
    those of a service that cannot be reached the gate counts its own.
    """
    lanes = [lane for lane in record.lanes if lane.lane in names]
    reasons: Counter[str] = Counter()
    for lane in lanes:
        due = between(lane.bins.t_s, phases.observe_from_s, phases.first_s, record.tick_s)
        reasons.update({why: int(count[due].sum()) for why, count in lane.bins.failed.items()})
    if not reasons.total():
        return ""
    why, count = reasons.most_common(1)[0]
    because = ENDINGS.get(why, why.replace("-", " "))
    share = f"{count / reasons.total():.0%}"
    said = f": of those that failed {share} had no further attempt because {because}"
    ticks = between(record.t_s, phases.observe_from_s, phases.first_s, record.tick_s)
    offered, served, failed, abandoned = (
        sum(int(counts[ticks].sum()) for counts in each)
        for each in (
            [lane.offered for lane in lanes],
            [lane.completed - lane.shed for lane in lanes],
            [lane.failed for lane in lanes],
            [lane.abandoned for lane in lanes],
        )
    )
    if 2 * abandoned > offered:
        return (
            ": clients gave up waiting for an answer to most attempts: "
            "is the service slower than their timeouts?"
        )
    if 2 * failed > offered:
        return f"{said}, and the gate got no answer of the service behind it: is that up?"
    if 2 * served > offered:
        return (
            f"{said}, and the service answered: with errors, such as 404 for a wrong path (--path)"
        )
    return said
