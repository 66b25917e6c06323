"""A target that meters what a synthetic record holds, and a tally that hears of its run.

The target's clock began `BORN_S` before the run, and stands at `EPOCH_S` when it does.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from faults.admin import AdminError
from faults.statuses import DipStatus, FaultStatus
from faults.wire import LaneState, LaneTick, TargetState, TickRow
from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.metered.history import History
from loadtests.control_room.standing.judgement import Memory
from loadtests.control_room.standing.standings import Standing, standings
from reports.measuring.lane import recovery_of
from reports.measuring.recovery import Recovery
from reports.reading.read import parse_record
from reports.reading.series import RunRecord
from reports.record import Fault, Tick
from tests.reports.synthetic import TICK_S, Made

BORN_S = 100.0
EPOCH_S = 1796033700.0
"""The anchor of every `Made`."""
OFFSET_S = EPOCH_S - BORN_S
FIRST_SEQ = round(BORN_S / TICK_S)


def rows_of(made: Made) -> list[TickRow]:
    """The ticks of the record, as the target gives them."""
    by_seq: dict[int, dict[str, LaneTick]] = {}
    for line in made.lines():
        if isinstance(line, Tick):
            by_seq.setdefault(line.seq, {})[line.lane] = LaneTick(
                line.capacity_per_s,
                tuple(line.offered),
                tuple(line.admitted),
                tuple(line.turned_away),
                tuple(line.completed),
                tuple(line.abandoned),
                line.queue,
                in_flight=line.in_flight,
            )
    return [
        TickRow(FIRST_SEQ + seq, round((FIRST_SEQ + seq) * TICK_S, 9), 0.0, 0.0, lanes)
        for seq, lanes in by_seq.items()
    ]


def state_at(made: Made, now_s: float) -> TargetState:
    """The target at `now_s` of its clock."""
    lanes = {shape.lane: LaneState(100.0, 100.0) for shape in made.shapes}
    dips = tuple(_dip(fault, now_s) for fault in made.dips if fault.type == "dip")
    faults = tuple(
        _fault(fault, now_s) for fault in made.dips if fault.type not in {"dip", "spike"}
    )
    seq = int(now_s / TICK_S + 1e-9)
    return TargetState(now_s, OFFSET_S + now_s, TICK_S, seq, 100.0, lanes, dips, "0.1.0", faults)


def _word(start_s: float, end_s: float, now_s: float) -> str:
    if now_s < start_s:
        return "pending"
    return "active" if now_s < end_s else "ended"


def _dip(fault: Fault, now_s: float) -> DipStatus:
    start_s, end_s = fault.start_s + BORN_S, fault.end_s + BORN_S
    word, length_s = _word(start_s, end_s, now_s), end_s - start_s
    return DipStatus(fault.id, start_s, end_s, fault.capacity, length_s, fault.lanes, "step", word)


def _fault(fault: Fault, now_s: float) -> FaultStatus:
    start_s, end_s = fault.start_s + BORN_S, fault.end_s + BORN_S
    return FaultStatus(
        fault.id,
        start_s,
        end_s,
        "error",
        end_s - start_s,
        fault.lanes,
        _word(start_s, end_s, now_s),
        0.5,
        status=500,
    )


def told(made: Made, *, ours: bool = True) -> ClientTally:
    """A tally that has heard the whole record; of a load that is not ours it hears nothing."""
    tally = ClientTally(lambda: EPOCH_S)
    if ours:
        tally.take([line for line in made.lines() if not isinstance(line, Tick)])
    return tally


def standing_after(made: Made, ticks: int, tally: ClientTally, kept: int = 12_000) -> Standing:
    """How the first lane stands when the target has finished `ticks` of the record."""
    [standing, *_] = all_after(made, ticks, tally, kept)
    return standing


def all_after(
    made: Made, ticks: int, tally: ClientTally, kept: int = 12_000, every: int | None = None
) -> list[Standing]:
    """How all lanes stand then. `every` so many ticks somebody looked before."""
    history, memories = History(TICK_S, kept), dict[str, Memory]()
    rows = rows_of(made)[:ticks]
    for first in range(0, ticks, every or ticks):
        history.add(rows[first : first + (every or ticks)])
        target = state_at(made, history.end_s)
        found = list(standings(history, target, OFFSET_S, tally, memories))
    return found


def reported(made: Made, lane: int = 0) -> Recovery:
    """What the report has of the same ticks."""
    return reported_of(parse_record(made.encoded()), lane)


def reported_of(record: RunRecord, lane: int = 0) -> Recovery:
    """What it has of this record."""
    return recovery_of(record, record.lanes[lane])


@dataclass
class FakeTarget:
    """Answers as an admin API does, from what it is given; `fails` is raised in its place."""

    made: Made
    ticks_done: int = 0
    base_url: str = "http://target:8000"
    born_s: float = 0.0
    fails: AdminError | None = None
    rows: list[TickRow] = field(default_factory=list)
    asked: int = 0

    def __post_init__(self) -> None:
        self.rows = rows_of(self.made)

    def advance(self, ticks: int) -> None:
        """So many ticks more are finished."""
        self.ticks_done += ticks

    @property
    def now_s(self) -> float:
        """Where its clock stands."""
        return BORN_S + self.ticks_done * TICK_S

    def state(self) -> TargetState:
        self.asked += 1
        if self.fails:
            raise self.fails
        return state_at(self.made, self.now_s)

    def ticks(
        self,
        after: int | None = None,
        pause: Callable[[], None] = lambda: None,
    ) -> list[TickRow]:
        if self.fails:
            raise self.fails
        done = self.rows[: self.ticks_done]
        return [row for row in done if after is None or row.seq > after]


def words(found: Iterable[Standing]) -> dict[str, str]:
    """The word of each lane."""
    return {one.lane.lane: one.state.word for one in found}
