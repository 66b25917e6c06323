"""What is going on in a live run, read from the end of its record as it grows."""

import json
import textwrap
from collections import deque
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

WINDOW_S = 1.0
BAR_WIDTH = 24


class LaneNow:
    """One lane over the last second: offered load and capacity, per second."""

    def __init__(self, tick_s: float) -> None:
        """`tick_s` is the tick of the record."""
        self.offered: deque[float] = deque(maxlen=max(1, round(WINDOW_S / tick_s)))
        self.capacity_per_s = 0.0

    def offered_per_s(self, tick_s: float) -> float:
        """The mean over the last second."""
        return sum(self.offered) / (len(self.offered) * tick_s) if self.offered else 0.0


class RecordTail:
    """Follows a record that is being written; `read` takes in what has been added."""

    def __init__(self, path: Path) -> None:
        """`path` need not exist yet."""
        self._path = path
        self._offset = 0
        self.tick_s = 0.1
        self.t_s = 0.0
        self.lanes: dict[str, LaneNow] = {}

    def read(self) -> None:
        """Take in the whole lines that are new."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            self._take(json.loads(line))

    def _take(self, line: dict[str, object]) -> None:
        match line:
            case {"kind": "header", "tick_s": float(tick_s), "lanes": list(lanes)}:
                self.tick_s = tick_s
                self.lanes = {str(lane["lane"]): LaneNow(tick_s) for lane in lanes}
            case {"kind": "tick", "t_s": float(t_s), "lane": str(lane), "offered": list(offered)}:
                now = self.lanes.setdefault(lane, LaneNow(self.tick_s))
                now.offered.append(float(sum(offered)))
                now.capacity_per_s = float(str(line["capacity_per_s"]))
                self.t_s = max(self.t_s, t_s + self.tick_s)
            case _:
                pass


def render(tail: RecordTail, end_s: float) -> RenderableType:
    """A bar per lane: offered load against the capacity in force, and the time left."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("policy", "offered", "capacity"):
        table.add_column(title, justify="left" if title == "policy" else "right")
    table.add_column("offered against capacity", min_width=BAR_WIDTH + 4)
    for name, lane in tail.lanes.items():
        offered = lane.offered_per_s(tail.tick_s)
        table.add_row(
            Text(name[:24]),
            f"{offered:.0f}/s",
            f"{lane.capacity_per_s:.0f}/s",
            _bar(offered, lane.capacity_per_s),
        )
    now_s = min(tail.t_s, end_s)  # while the last requests are waited for
    bar = ProgressBar(total=end_s, completed=now_s, width=40)
    line = Table.grid(padding=(0, 1))
    line.add_row(bar, f"{now_s:.0f} of {end_s:.0f} s, {end_s - now_s:.0f} s left")
    return Group(table, line)


def _bar(offered: float, capacity: float) -> Text:
    """Half of the width is the capacity; what goes beyond it is drawn in red and said in words."""
    full = BAR_WIDTH // 2
    filled = min(BAR_WIDTH, round(offered / capacity * full)) if capacity > 0 else BAR_WIDTH
    text = Text("█" * min(filled, full), style="green")
    text.append("█" * max(0, filled - full), style="red")
    if offered > capacity:
        times = f"{offered / capacity:.1f}×" if capacity > 0 else "over"
        text.append(f" {times}", style="bold red")
    return text


class Progress:
    """Shows a run's progress: a live table in a terminal, a line every few seconds elsewhere."""

    LINE_EVERY_S = 10.0
    WIDTH = 80

    def __init__(self, console: Console, tail: RecordTail, end_s: float) -> None:
        """`end_s` is when the run will be over, in seconds from its beginning."""
        self._console, self._tail, self._end_s = console, tail, end_s
        self._live = Live(console=console, refresh_per_second=4, transient=True)
        self._next_line_s = 0.0

    def __enter__(self) -> "Progress":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def update(self) -> None:
        """Show what has been recorded by now."""
        self._tail.read()
        if self._console.is_terminal:
            self._live.update(render(self._tail, self._end_s))
        elif self._tail.t_s >= self._next_line_s and self._tail.lanes:
            self._next_line_s = self._tail.t_s + self.LINE_EVERY_S
            wrapped = textwrap.TextWrapper(
                self.WIDTH, subsequent_indent=" " * 6, break_on_hyphens=False
            )
            for line in wrapped.wrap(self._line()):
                self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _line(self) -> str:
        lanes = ", ".join(
            f"{name} {lane.offered_per_s(self._tail.tick_s):.0f}/{lane.capacity_per_s:.0f}"
            for name, lane in self._tail.lanes.items()
        )
        now_s = min(self._tail.t_s, self._end_s)
        return f"{now_s:5.0f} of {self._end_s:.0f} s, offered/capacity: {lanes}"
