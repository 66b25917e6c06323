"""The pictures of a run: one of each lane, and the sheet with all lanes on one scale."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from reports.measuring.recovery import Recovery
from reports.measuring.repeated import in_run_time
from reports.rendering import captions, legend, words
from reports.rendering.layers import highest_per_s, longest_queue
from reports.rendering.pictures import drawing, lettering
from reports.rendering.pictures.framing import BETWEEN, Body, Picture
from reports.rendering.pictures.moments import GREY
from reports.rendering.pictures.names import file_names
from reports.rendering.pictures.panel import Panel, Room, Scale
from reports.rendering.pictures.paper import INK, SMALL, Paper
from reports.summary import Report
from reports.text import clipped

LANE_WIDTH, LANE_LOAD = 900.0, 230.0
SHEET_WIDTH, SHEET_LOAD = 1_240.0, 150.0
NAME = 12.5
LANES_A_SHEET = 12
HEADROOM = 1.06


def pictures_of(report: Report) -> list[Picture]:
    """The sheets, then a picture of each lane, by names that can be files."""
    names = file_names(policy.lane for policy in report.policies)
    lanes = zip(names, report.policies, strict=True)
    return [*sheets(report), *(_lane_picture(name, policy, report) for name, policy in lanes)]


def _lane_picture(name: str, policy: Recovery, report: Report) -> Picture:
    title = f"{words.name(policy)}: offered load and recovery"
    lanes = (policy,)
    return Picture(
        name=name,
        title=title,
        caption=captions.of_lane(policy, report),
        against=_against(report),
        legend=_legend(report, lanes),
        width=LANE_WIDTH,
        body=partial(_body, lanes, report, sheet=False),
        sheet=False,
    )


def sheets(report: Report) -> Iterator[Picture]:
    """All lanes on one scale, so many to a sheet that one can still read it."""
    lanes = report.policies
    parts = [lanes[at : at + LANES_A_SHEET] for at in range(0, len(lanes), LANES_A_SHEET)]
    for number, part in enumerate(parts, 1):
        many = len(parts) > 1
        title = f"{clipped(report.run.name)}: offered load of all lanes"
        if many:
            title += f", sheet {number} of {len(parts)}"
        yield Picture(
            name=f"sheet-{number}" if many else "sheet",
            title=title,
            caption=captions.of_sheet(report),
            against=_against(report),
            legend=_legend(report, part),
            width=SHEET_WIDTH if len(lanes) > 1 else LANE_WIDTH,
            body=partial(_body, part, report, sheet=True),
            sheet=True,
        )


def _against(report: Report) -> str:
    return "" if report.valid else captions.validity(report)


def _legend(report: Report, lanes: Sequence[Recovery]) -> tuple[tuple[str, str], ...]:
    entries = legend.entries(report, lanes)
    return tuple(one for one in entries if one[0] not in legend.ON_PAGES)


def _body(lanes: Sequence[Recovery], report: Report, inner: float, *, sheet: bool) -> Body:
    """A chart of each of these lanes; on a sheet of several two beside each other."""
    columns = 2 if sheet and len(report.policies) > 1 else 1
    load = SHEET_LOAD if sheet else LANE_LOAD
    own = (inner - BETWEEN * (columns - 1)) / columns
    scale = _scale(_drawn(report.policies if sheet else lanes, report), report)
    ticks = captions.SHEET_TICKS if sheet else captions.LANE_TICKS
    panels = [Panel(one, report, scale, own, load, ticks) for one in _drawn(lanes, report)]
    rows = [panels[at : at + columns] for at in range(0, len(panels), columns)]
    rooms = [Room.of(row) for row in rows]
    heads = [[_head(one) if sheet else [] for one in row] for row in rows]
    heights = [
        room.height(load) + _head_height(head) + BETWEEN / 2
        for room, head in zip(rooms, heads, strict=True)
    ]

    def draw(paper: Paper, left: float, top: float) -> None:
        at = top
        for row, room, head, height in zip(rows, rooms, heads, heights, strict=True):
            for place, (one, said) in enumerate(zip(row, head, strict=True)):
                beside = left + place * (own + BETWEEN)
                paper.lines(said[:1], beside, at, NAME, INK, bold=True)
                paper.lines(said[1:], beside, at + NAME * lettering.LINE, SMALL, GREY)
                drawing.draw(one, room, paper, beside, at + _head_height(head))
            at += height

    return Body(sum(heights), draw)


def _drawn(lanes: Sequence[Recovery], report: Report) -> Sequence[Recovery]:
    """By seconds of the run where a trigger was repeated, else after the last one."""
    if not report.distributions:
        return lanes
    return [replace(one, drawn=in_run_time(one)) for one in lanes]


def _scale(lanes: Sequence[Recovery], report: Report) -> Scale:
    """The load's axis is the same in all pictures of a run; the time's in all of this one."""
    ends = [
        (float(one.drawn.t_s[0]), float(one.drawn.t_s[-1]) + report.run.tick_s)
        for one in lanes
        if one.drawn.t_s.size
    ]
    low, high = min((end[0] for end in ends), default=0.0), max((e[1] for e in ends), default=1.0)
    return Scale((low, high), HEADROOM * highest_per_s(report), 1.1 * max(1, longest_queue(report)))


def _head(one: Panel) -> list[str]:
    """The lines over a panel of the sheet: its name, what was measured, and its policy in words."""
    name = lettering.shortened(words.name(one.policy), NAME, one.width, bold=True)
    how = clipped(one.policy.describe, captions.MOST_WORDS)
    told = (captions.figures(one.policy, one.report), how)
    return [name, *(line for text in told for line in lettering.lines(text, SMALL, one.width))]


def _head_height(heads: Sequence[Sequence[str]]) -> float:
    most = max(map(len, heads))
    return NAME * lettering.LINE + (most - 1) * SMALL * lettering.LINE + 3 if most else 0.0
