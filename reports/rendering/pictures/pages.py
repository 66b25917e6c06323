"""Whole pictures: one of each lane, and the sheet with all lanes on one scale."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reports.measuring.recovery import Recovery
from reports.measuring.repeated import in_run_time
from reports.rendering import captions, words
from reports.rendering.layers import highest_per_s, longest_queue
from reports.rendering.pictures import drawing, lettering
from reports.rendering.pictures.heading import Heading, Picture
from reports.rendering.pictures.moments import GREY
from reports.rendering.pictures.names import file_names
from reports.rendering.pictures.panel import Panel, Room, Scale
from reports.rendering.pictures.paper import INK, SMALL, TEXT, Box, Paper, defaults
from reports.summary import Report
from reports.text import clipped

LANE_WIDTH, LANE_LOAD = 900.0, 230.0
SHEET_WIDTH, SHEET_LOAD = 1_240.0, 150.0
MARGIN, BETWEEN, NAME = 20.0, 26.0, 12.5
LANES_A_SHEET = 12
HEADROOM = 1.06


def lane_picture(name: str, policy: Recovery, report: Report) -> Picture:
    """The picture of one lane."""
    title = f"{words.name(policy)}: offered load and recovery"
    return Picture(name, title, captions.of_lane(policy, report), (policy,), report, sheet=False)


def sheets(report: Report) -> Iterator[Picture]:
    """All lanes on one scale, so many to a sheet that one can still read it."""
    lanes = report.policies
    parts = [lanes[at : at + LANES_A_SHEET] for at in range(0, len(lanes), LANES_A_SHEET)]
    for number, part in enumerate(parts, 1):
        many = len(parts) > 1
        name = f"sheet-{number}" if many else "sheet"
        title = f"{clipped(report.run.name)}: offered load of all lanes"
        if many:
            title += f", sheet {number} of {len(parts)}"
        yield Picture(name, title, captions.of_sheet(report), part, report, sheet=True)


def draw(picture: Picture) -> Paper:
    """Draw it. Call this, and save what it returns, within `paper.defaults`."""
    if not picture.sheet:
        return _draw(picture, LANE_WIDTH, LANE_LOAD, 1)
    if len(picture.report.policies) == 1:
        return _draw(picture, LANE_WIDTH, SHEET_LOAD, 1)
    return _draw(picture, SHEET_WIDTH, SHEET_LOAD, 2)


def _draw(picture: Picture, width: float, load: float, columns: int) -> Paper:
    inner = width - 2 * MARGIN
    own = (inner - BETWEEN * (columns - 1)) / columns
    report = picture.report
    scale = _scale(_drawn(report.policies if picture.sheet else picture.lanes, report), report)
    ticks = captions.SHEET_TICKS if picture.sheet else captions.LANE_TICKS
    panels = [Panel(one, report, scale, own, load, ticks) for one in _drawn(picture.lanes, report)]
    rows = [panels[at : at + columns] for at in range(0, len(panels), columns)]
    rooms = [Room.of(row) for row in rows]
    heads = [[_head(one) if picture.sheet else [] for one in row] for row in rows]
    each = [
        room.height(load) + _head_height(head) + BETWEEN / 2
        for room, head in zip(rooms, heads, strict=True)
    ]
    heading = Heading(picture, inner, MARGIN)
    caption = lettering.lines(picture.caption, TEXT, inner)
    below = len(caption) * TEXT * lettering.LINE + 8
    paper = Paper(width, heading.height + sum(each) + below + 2 * MARGIN)
    heading.draw(paper, MARGIN)
    at = MARGIN + heading.height
    for row, room, head, height in zip(rows, rooms, heads, each, strict=True):
        for place, (one, said) in enumerate(zip(row, head, strict=True)):
            left = MARGIN + place * (own + BETWEEN)
            paper.lines(said[:1], left, at, NAME, INK, bold=True)
            paper.lines(said[1:], left, at + NAME * lettering.LINE, SMALL, GREY)
            drawing.draw(one, room, paper, left, at + _head_height(head))
        at += height
    paper.block(Box(MARGIN, at, inner, 0.8), GREY, alpha=0.5)
    paper.lines(caption, MARGIN, at + 8, TEXT)
    return paper


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


def pictures_of(report: Report) -> list[Picture]:
    """The sheets, then a picture of each lane, by names that can be files."""
    names = file_names(policy.lane for policy in report.policies)
    lanes = zip(names, report.policies, strict=True)
    return [*sheets(report), *(lane_picture(name, policy, report) for name, policy in lanes)]


def saved(picture: Picture, endings: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The picture as ``svg`` or ``png``, drawn once."""
    with defaults():
        paper = draw(picture)
        for ending in endings:
            svg = ending == "svg"
            yield ending, paper.svg(picture.title, picture.caption) if svg else paper.png()
