"""What is said beside the figures of a study; terminal and page share these.

A name stands between backticks.
"""

from collections.abc import Iterator

from reports.folding.conditions import SHOWN, clause
from reports.measuring.catalogue import SETTLED
from reports.measuring.distribution import Distribution
from reports.rendering import lingering, spreads, words
from reports.several.study import LEAST_S, Condition, StudiedLane, Study, StudyRun
from reports.text import listed, names_of

NAMED = 3
MOST_KEYS = 8


def noun(runs: int) -> str:
    """``1 run``, ``1,000 runs``."""
    return "1 run" if runs == 1 else f"{runs:,} runs"


def left_out(study: Study) -> str:
    """How many runs do not count and why, the first few by name; empty where all count."""
    out = [run for run in study.runs if not run.counts]
    if not out:
        return ""
    told = "; ".join(f"{named(run)}: {because(run)}" for run in out[:NAMED])
    more = f"; and {len(out) - NAMED:,} more" if len(out) > NAMED else ""
    does = "does" if len(out) == 1 else "do"
    return f"{len(out):,} of {noun(len(study.runs))} {does} not count: {told}{more}."


def named(run: StudyRun) -> str:
    """By its id, and by its seed where that is not in it."""
    seed = f"seed {run.run.seed}"
    return f"`{run.run.id}`" if f"seed-{run.run.seed}" in run.run.id else f"`{run.run.id}` ({seed})"


def because(run: StudyRun) -> str:
    """Why it does not count, as a clause."""
    return "; ".join(run.left_out_because).rstrip(".")


def capitalized(text: str) -> str:
    """With its first letter a capital, and no other letter touched."""
    return text[:1].upper() + text[1:]


def without_runs(study: Study) -> str:
    """Under which conditions no run counts; empty where some does under each."""
    none = [one.label for one in study.conditions if not one.counted]
    if not none:
        return ""
    under = ""
    if len(study.conditions) > 1:
        under = f" {'in' if study.conditions[0].named else 'with'} {names_of(none)}"
    return f"No run is valid{under}."


def under(condition: Condition) -> str:
    """``in `operator```, ``with load.rate = 95/s``."""
    return f"in `{condition.label}`" if condition.named else f"with {condition.label}"


def differs(condition: Condition) -> str:
    """All that sets it apart, where its label does not say it; empty where that does.

    Scenarios that have names of their own and differ in most of what they say are simply others.
    """
    keys = condition.differs
    if len(keys) > MOST_KEYS if condition.named else len(keys) <= SHOWN:
        return ""
    return listed([clause(key, value) for key, value in keys.items()], MOST_KEYS)


def more_keys(study: Study) -> str:
    """That conditions differ in more than a table has columns for; empty where they do not."""
    more = len(study.conditions[0].differs) - MOST_KEYS
    return f"They differ in {more} more, which their scenarios below have." if more > 0 else ""


def remarks(study: Study) -> Iterator[str]:
    """What is not in the tables."""
    if study.disturbed:
        yield "Beneath recovered stands the interval of the share (Clopper and Pearson)."
    for condition in study.conditions:
        told = (
            *_unsteady(condition),
            *lingering.of_samples(condition.distributions),
            _unanswered(condition),
            *condition.notes,
        )
        for remark in told:
            if remark:
                yield f"{capitalized(under(condition))}: {remark}" if condition.label else remark
    if any(found.repeated for each in study.conditions for found in each.distributions):
        yield (
            "Runs had several disturbances: ranges and counts are over all of these; medians and "
            "their intervals are of the runs' own medians, since those of one run have much in "
            "common. The interval of recovered is that of the runs that recovered each time."
        )
    if any(found.of_one_run for each in study.conditions for found in each.distributions):
        yield f"Where there is one run with several disturbances: {spreads.OF_ONE_RUN}"
    if few := spreads.too_few([one for each in study.conditions for one in each.distributions]):
        yield few


def _unsteady(condition: Condition) -> Iterator[str]:
    for lane in condition.lanes:
        found = lane.distribution
        if found is None or not found.left_out:
            continue
        many = "1 disturbance" if found.left_out == 1 else f"{found.left_out} disturbances"
        why = ""
        if lane.too_brief:
            why = f", with less than the {LEAST_S:.0f} s between them that it takes to tell"
        yield (
            f"{many} met `{found.title}` when it was not over the one before{why}: "
            f"of its {found.left_out + len(found.samples)} they are no samples."
        )


def _unanswered(condition: Condition) -> str:
    """Where requests had no answer at the end, which is no failure yet."""
    told = [
        f"`{lane.title}` in {lane.unanswered:,} of {len(lane.distribution.samples):,}"
        f" (median {_unfinished(lane.distribution)})"
        for lane in condition.lanes
        if lane.distribution and lane.unanswered
    ]
    if not told:
        return ""
    return (
        "Requests were still unanswered at the end, longer than an attempt may take, and are not "
        f"counted as failed: {listed(told, NAMED)}."
    )


def _unfinished(found: Distribution) -> str:
    summary = found.summaries.get("unfinished")
    return words.count(summary.median.amount) if summary else words.NOT_MEASURED


def absent(lane: StudiedLane) -> str:
    """Why a lane has no figures under a condition."""
    return "in no run that counts" if lane.present else "not in these runs"


def recovered(lane: StudiedLane) -> str:
    """``7 of 10``; a dash where there was nothing to recover from."""
    found = lane.distribution
    if found is None or not lane.disturbed:
        return words.NOT_MEASURED
    return f"{found.recovered:,} of {len(found.samples):,}"


def recovered_interval(lane: StudiedLane) -> str:
    """``[35–93%]``: between what the share lies; that of runs, where a run has several samples."""
    found = lane.distribution
    if found is None or not lane.disturbed:
        return ""
    low, high = (f"{100 * end:.3g}" for end in found.recovered_interval)
    return f"[{low}–{high}%]"


def recovered_runs(lane: StudiedLane) -> str:
    """``4 of 5 runs``: in how many it recovered each time; empty where a run is one sample."""
    found = lane.distribution
    if found is None or not lane.disturbed or not found.repeated:
        return ""
    return f"{found.recovered_sets:,} of {noun(found.sets)}"


def recovered_lines(lane: StudiedLane) -> list[str]:
    """Beneath each other: ``7 of 10``, ``[35–93%]``."""
    return [recovered(lane), recovered_runs(lane), recovered_interval(lane)]


def curve_in_words(lane: StudiedLane) -> str:
    """The chart of settled of a lane, for those who do not see it."""
    found = lane.distribution
    half = spreads.median(SETTLED, found) if found else words.NOT_MEASURED
    return (
        f"Share of the samples in which {words.printable(lane.title)} had settled, by the time "
        f"after the disturbance: half by {half}, {recovered(lane)} in all."
    )
