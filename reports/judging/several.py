"""What a reader must know of a run with several triggers: which is measured, and how well apart."""

from collections.abc import Iterator

from reports.folding.phases import Phases, find_phases
from reports.folding.windows import HOLD_S, WINDOW_S
from reports.measuring.recovery import Recovery
from reports.reading.series import RunRecord
from reports.text import names_of

LISTED = 10


def several(
    record: RunRecord, phases: Phases | None, policies: tuple[Recovery, ...], *, repeated: bool
) -> tuple[str, ...]:
    """Sentences; none where every lane had one trigger. `repeated`: each time is a sample."""
    if phases is None:
        return ()
    return (
        *_how_many(record, phases, repeated=repeated),
        *_at_once(policies),
        *_spared(record, policies),
        *_too_close(policies),
    )


def _how_many(record: RunRecord, phases: Phases, *, repeated: bool) -> Iterator[str]:
    each = [find_phases(record, lane.lane) for lane in record.lanes]
    many = [lane.lane for lane, own in zip(record.lanes, each, strict=True) if _many(own)]
    if not many:
        return
    kinds = {fault.type for fault in phases.disturbances}
    what = "dips" if kinds == {"dip"} else "disturbances"
    most = max(len(own.disturbances) for own in each if own)
    alike = len(many) == len(each) and all(own and len(own.disturbances) == most for own in each)
    who = f"The run had {most}" if alike else f"{names_of(many)} had several"
    how = "each is measured until the next began"
    last = "recovery is measured after the last to end"
    yield f"{who} {what}; {how if repeated else last}."


def _many(phases: Phases | None) -> bool:
    return phases is not None and len(phases.disturbances) > 1


def _at_once(policies: tuple[Recovery, ...]) -> Iterator[str]:
    """One storm cannot be told from another where there was no calm between them."""
    if any(episode.together > 1 for one in policies for episode in one.episodes):
        yield (
            "Disturbances that overlapped, or followed each other at once, are one, "
            "measured after the last of them to end."
        )


def _spared(record: RunRecord, policies: tuple[Recovery, ...]) -> Iterator[str]:
    """But for lanes of which there is no tick at all, which is said elsewhere."""
    seen = {lane.lane for lane in record.lanes if lane.begins < record.t_s.size}
    spared = [one.lane for one in policies if one.trigger is None and one.lane in seen]
    if spared:
        yield f"Nothing disturbed {names_of(spared)}: there is no recovery to measure."


def _too_close(policies: tuple[Recovery, ...]) -> Iterator[str]:
    """Triggers that met a lane which had not settled after the one before: whose storm is it?"""
    alike: dict[tuple[str, str], list[str]] = {}
    for policy in policies:
        early = [one.number for one in policy.episodes if one.began_unsettled]
        if early:
            told = f"{_listed(early)} of {len(policy.episodes)}"
            alike.setdefault((told, _no_time(policy, early)), []).append(policy.lane)
    for (told, why), lanes in alike.items():
        yield (
            f"{names_of(lanes)} had not settled after the one before when {told} "
            f"began{why}: what follows is measured from the last."
        )


def _listed(numbers: list[int]) -> str:
    """``disturbance 4``, ``disturbances 4, 7 and 9``; of many the first, and how many more."""
    if len(numbers) == 1:
        return f"disturbance {numbers[0]}"
    more = len(numbers) - LISTED
    first = numbers[:LISTED] if more > 0 else numbers[:-1]
    last = f"{more} more" if more > 0 else numbers[-1]
    return f"disturbances {', '.join(map(str, first))} and {last}"


def _no_time(policy: Recovery, early: list[int]) -> str:
    """Where no lane could have been seen to settle, however calm it was."""
    before = [policy.episodes[number - 2].figures.after for number in early]
    least_s = HOLD_S + WINDOW_S
    if all(after and after.observed_s < least_s - 1e-6 for after in before):
        return f", with less than the {least_s:.0f} s between them that it takes to tell"
    return ""
