"""The lines of the run record and how they are written. `docs/record.md` describes the format.

Standard library only: the load generator imports this module, and must stay light.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

SCHEMA = 1
RECORD_NAME = "record.ndjson"
HTML_NAME, JSON_NAME = "report.html", "report.json"
"""What is made of it, beside it."""
LIVE, SIMULATED = "live", "simulated"
"""What a header has for its source."""
EARLY_END_S = 1.0
"""An end this much before the planned one is no interruption: Locust's run time begins earlier."""
LOG_GROWTH = math.log(1.02)


def bucket_of(value: float) -> int:
    """The histogram bucket of `value`, at least 1, in any unit: ``ceil(ln(value) / ln(1.02))``."""
    return math.ceil(math.log(value) / LOG_GROWTH - 1e-9) if value > 1.0 else 0


def bucket_upper(bucket: int) -> float:
    """The largest value that falls in `bucket`: ``1.02 ** bucket``."""
    return math.exp(bucket * LOG_GROWTH)


def quantile(buckets: Mapping[int, int], share: float) -> int | None:
    """The smallest bucket with at least `share` of all values in or below it; None: of no value."""
    wanted = share * sum(buckets.values())
    reached = 0
    for bucket in sorted(buckets):
        reached += buckets[bucket]
        if reached and reached >= wanted:
            return bucket
    return None


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane as the header lists it: its name, the policy that loads it, the policy in words.

    The attempts of an `opaque` one are counted by the target alone: a library makes them.
    """

    lane: str
    policy: str
    describe: str = ""
    opaque: bool = False


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: what was run, with what, and the one wall-clock anchor.

    `target`: what a live one said of itself before the load, by the keys of a scenario's
    `[target]`; None: it did not.
    """

    kind: ClassVar[str] = "header"
    id: str
    name: str
    source: str
    anchor_epoch_s: float
    tick_s: float
    seed: int
    lanes: tuple[Lane, ...]
    scenario: Mapping[str, object]
    versions: Mapping[str, str]
    observe_from_s: float = 0.0
    planned_end_s: float | None = None
    target: Mapping[str, object] | None = None
    schema: int = SCHEMA


@dataclass(frozen=True, slots=True)
class Tick:
    """What the target metered in one tick of one lane; lists count by attempt number."""

    kind: ClassVar[str] = "tick"
    seq: int
    t_s: float
    lane: str
    capacity_per_s: float
    offered: list[int]
    admitted: list[int]
    turned_away: list[int]
    completed: list[int]
    abandoned: list[int]
    queue: int = 0
    blocked: list[int] = field(default_factory=list)
    shed: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    in_flight: int = 0


@dataclass(frozen=True, slots=True)
class LayerTick:
    """What arrived at a gateway in one tick of one lane: the attempts of the layer before it."""

    kind: ClassVar[str] = "layer"
    seq: int
    t_s: float
    layer: str
    lane: str
    offered: list[int]


@dataclass(slots=True)
class Requests:
    """What became of requests due in one bin of one lane: an increment that adds to others."""

    kind: ClassVar[str] = "requests"
    t_s: float
    lane: str
    issued: int = 0
    succeeded: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    latency: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in force during ``[start_s, end_s)``.

    `type`: dip, latency, error, hang, reset, cut; or spike, which is the clients'. `capacity` is
    what a dip leaves, in words, and `text` what any other fault does.
    """

    kind: ClassVar[str] = "fault"
    type: str
    id: str
    start_s: float
    end_s: float
    capacity: str = ""
    shape: str = "step"
    lanes: tuple[str, ...] | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """What an operator did during ``[start_s, end_s)``: shed, block-retries, reopen.

    A later line with the same id replaces an earlier one: a reopening that waits ends later.
    """

    kind: ClassVar[str] = "action"
    type: str
    id: str
    start_s: float
    end_s: float
    lanes: tuple[str, ...] | None = None
    text: str = ""


@dataclass(slots=True)
class Health:
    """One second of one process: its CPU share and how late it was, in tenths of a millisecond."""

    kind: ClassVar[str] = "health"
    t_s: float
    source: str
    worker: str
    cpu: float
    late: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class End:
    """The last line of a run that ended by itself."""

    kind: ClassVar[str] = "end"
    t_s: float
    reason: str = "finished"


Line = Header | Tick | LayerTick | Requests | Fault | Action | Health | End


def values_of(line: Line) -> dict[str, Any]:
    """The line's fields by name."""
    # Not asdict(line): it rebuilds a Counter from its pairs and so counts the pairs.
    return {item.name: getattr(line, item.name) for item in fields(line)}


def encode(line: Line) -> str:
    """One line of NDJSON, without the newline. Times are rounded to the microsecond."""
    values = {"kind": line.kind, **values_of(line)}
    for name in ("t_s", "start_s", "end_s"):
        if name in values:
            values[name] = round(values[name], 6)
    return json.dumps(values, separators=(",", ":"), allow_nan=False, default=asdict)


class RecordWriter:
    """Appends lines to a record. Each line is with the operating system before `write` returns."""

    def __init__(self, path: Path) -> None:
        """Create `path`. Raises `FileExistsError` where there is one: none is overwritten."""
        self._file = path.open("x", encoding="utf-8")

    def write(self, *lines: Line) -> None:
        """Append the lines, in one write."""
        self._file.write("".join(encode(line) + "\n" for line in lines))
        self._file.flush()

    def close(self) -> None:
        """Close the file. Closing twice is harmless."""
        self._file.close()
