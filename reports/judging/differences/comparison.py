"""Compares two sides, lane by lane and measure by measure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reports.folding.conditions import differences
from reports.judging.differences.least import Least
from reports.judging.differences.remarks import remarks
from reports.judging.differences.row import Row, Verdict
from reports.judging.differences.sides import LaneOfSide, Side
from reports.judging.differences.verdicts import LEVEL, fewest_samples, judged, measured
from reports.measuring.measure import Measure
from reports.text import names_of

ANY = Least()


@dataclass(frozen=True)
class LaneRows:
    """One lane on both sides, and its rows."""

    base: LaneOfSide
    new: LaneOfSide
    rows: tuple[Row, ...]

    @property
    def lane(self) -> str:
        """Its name, on either side."""
        return self.base.lane

    @property
    def policy_differs(self) -> bool:
        """Whether its policy, or a parameter of it, is not the same on both sides."""
        before, after = self.base, self.new
        return (before.policy, before.describe) != (after.policy, after.describe)


@dataclass(frozen=True)
class Comparison:
    """All that is said of NEW against BASE. Renderers show it and compute nothing.

    `differing` are the keys in which the scenarios differ, policies apart. `least` is by how much
    medians have to differ to matter. So many rows were `tested`, which share the chance of a false
    alarm: it takes `fewest` samples on each side for any of them to be shown. In the lanes that are
    `too_few` nothing can be, whatever was measured.
    """

    base: Side
    new: Side
    lanes: tuple[LaneRows, ...]
    only_base: tuple[str, ...]
    only_new: tuple[str, ...]
    differing: tuple[str, ...]
    notes: tuple[str, ...]
    least: Least
    tested: int
    fewest: int
    too_few: tuple[LaneRows, ...]

    def rows(self, *verdicts: Verdict) -> Iterator[tuple[LaneRows, Row]]:
        """The rows with one of these verdicts, each with its lane."""
        for lane in self.lanes:
            yield from ((lane, row) for row in lane.rows if row.verdict in verdicts)

    @property
    def worse(self) -> bool:
        """Whether anything is."""
        return any(self.rows(Verdict.WORSE))

    @property
    def measured(self) -> bool:
        """Whether there is any row in which both sides have a figure."""
        return any(row.difference for lane in self.lanes for row in lane.rows)


def compare_sides(
    base: Side,
    new: Side,
    measures: Sequence[Measure],
    *,
    policies: Sequence[str] = (),
    least: Least = ANY,
) -> Comparison:
    """Of the lanes that both have; of those with the name of a lane or policy that is asked for.

    Raises `ValueError` when no lane is on both sides, or nothing that is asked for.
    """
    _check_common(base, new)
    _check_known(base, new, policies)
    theirs = {lane.lane: lane for lane in new.lanes}
    pairs = [
        (lane, theirs[lane.lane])
        for lane in base.lanes
        if lane.lane in theirs and _is_wanted(policies, lane, theirs[lane.lane])
    ]
    drafts = [
        measured(measure, *(one.samples for one in pair)) for pair in pairs for measure in measures
    ]
    rows = iter(judged(drafts, least))
    lanes = tuple(LaneRows(*pair, tuple(next(rows) for _ in measures)) for pair in pairs)
    tested = sum(row.p_value is not None for lane in lanes for row in lane.rows)
    return Comparison(
        base=base,
        new=new,
        lanes=lanes,
        only_base=_only(base, new),
        only_new=_only(new, base),
        differing=tuple(differences([base.conditions, new.conditions])),
        notes=tuple(remarks(base, new, pairs)),
        least=least,
        tested=tested,
        fewest=fewest_samples(tested),
        too_few=_too_few(lanes, tested),
    )


def _too_few(lanes: Sequence[LaneRows], tested: int) -> tuple[LaneRows, ...]:
    """Those that even the smallest p for their samples would not show, were it the only row.

    All of them, where it would not be enough for the first of so many: then there is no next one.
    """
    least = {
        lane.lane: min(row.difference.least_p for row in lane.rows if row.difference)
        for lane in lanes
        if any(row.p_value is not None for row in lane.rows)
    }
    limit = LEVEL if any(p <= LEVEL / tested for p in least.values()) else 0.0
    return tuple(lane for lane in lanes if least.get(lane.lane, 0.0) > limit)


def _only(one: Side, other: Side) -> tuple[str, ...]:
    there = {lane.lane for lane in other.lanes}
    return tuple(lane.lane for lane in one.lanes if lane.lane not in there)


def _is_wanted(policies: Sequence[str], base: LaneOfSide, new: LaneOfSide) -> bool:
    return not policies or bool({base.lane, base.policy, new.policy}.intersection(policies))


def _check_common(base: Side, new: Side) -> None:
    if len(_only(base, new)) == len(base.lanes):
        raise ValueError(
            f"no lane is in both: BASE has {names_of([lane.lane for lane in base.lanes])}, NEW has "
            f"{names_of([lane.lane for lane in new.lanes])}. To compare two policies, name their "
            f'lanes alike in both scenarios (lane = "service")'
        )


def _check_known(base: Side, new: Side, policies: Sequence[str]) -> None:
    common = {lane.lane for lane in base.lanes} - set(_only(base, new))
    there = [lane for side in (base, new) for lane in side.lanes if lane.lane in common]
    known = {name for lane in there for name in (lane.lane, lane.policy)}
    for policy in policies:
        if policy not in known:
            lanes = names_of(list(dict.fromkeys(lane.lane for lane in there)))
            raise ValueError(f"--policy: {policy[:40]!r} is not in both: there are {lanes}")
