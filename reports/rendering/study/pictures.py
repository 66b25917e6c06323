"""The pictures of a study: all lanes under all conditions to one scale, and each lane by itself."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from reports.rendering import layers
from reports.rendering.pictures.framing import Picture
from reports.rendering.pictures.names import file_names
from reports.rendering.study import (
    captions,
    grid,
    headlines,
    multiples,
    settled_within,
    small_charts,
)
from reports.rendering.study.multiples import Cell, Draw
from reports.several.study import Condition, StudiedLane, Study

WIDTH, ALONE_WIDTH = 1_240.0, 900.0
"""Of a picture, and of one with a single chart in a row."""
BESIDE, ALONE = 4, 3
"""Charts in a row: of conditions, or of lanes where there is one condition."""
ROWS_A_SHEET = 8
Legend = tuple[tuple[str, str], ...]
Draws = Callable[[StudiedLane, Condition], Draw | None]


def pictures_of(study: Study) -> list[Picture]:
    """The sheets, then a picture of each lane, by names that can be files."""
    if not study.disturbed:
        return []
    return [*_sheets(study), *_lanes(study)]


def _sheets(study: Study) -> Iterator[Picture]:
    scale, until_s = grid.scale_of(study), settled_within.until_s_of(study)
    if scale:
        rows, columns = _rows(study, lambda lane, _: small_charts.load(lane, scale))
        shows = "load", "Offered load of all lanes", captions.LOAD
        yield from _sheet(*shows, rows, columns, _load_legend(study), study)
    rows, columns = _rows(
        study, lambda lane, condition: small_charts.curve(lane, condition, until_s)
    )
    shows = "settled", "When all lanes had settled", captions.CURVES
    yield from _sheet(*shows, rows, columns, _curves_legend(study), study)


def _sheet(  # noqa: PLR0913, PLR0917 - what is on it, and in words
    name: str,
    shows: str,
    caption: str,
    rows: Sequence[Sequence[Cell]],
    columns: int,
    legend: Legend,
    study: Study,
) -> Iterator[Picture]:
    """As many sheets as it takes."""
    over = headlines.samples(study)
    parts = [rows[at : at + ROWS_A_SHEET] for at in range(0, len(rows), ROWS_A_SHEET)]
    for number, part in enumerate(parts, 1):
        many = len(parts) > 1
        yield Picture(
            name=f"sheet-{name}-{number}" if many else f"sheet-{name}",
            title=f"{shows}, over {over}" + (f", sheet {number} of {len(parts)}" if many else ""),
            caption=captions.of_sheet(caption, study),
            against=captions.against(study),
            legend=legend,
            width=WIDTH,
            body=partial(multiples.body, part, columns),
            sheet=True,
        )


def _rows(study: Study, draws: Draws) -> tuple[list[list[Cell]], int]:
    """A row a lane, its conditions beside each other; of one condition, lane beside lane."""
    if len(study.conditions) == 1:
        [only] = study.conditions
        each = [Cell(one.title, captions.settled(one), draws(one, only)) for one in only.lanes]
        columns = min(ALONE, len(each))
        return [each[at : at + columns] for at in range(0, len(each), columns)], columns
    rows = []
    for band in _bands(study):
        for place, title in enumerate(study.titles):
            lanes = [(one, one.lanes[place]) for one in band]
            if not any(lane.present for _, lane in lanes):
                continue
            rows.append(
                [
                    Cell(title, f"{one.label}: {captions.settled(lane)}", draws(lane, one))
                    for one, lane in lanes
                ]
            )
    return rows, max(map(len, rows))


def _bands(study: Study) -> list[Sequence[Condition]]:
    """Conditions that stand beside each other."""
    each = study.conditions
    return [each[first : first + BESIDE] for first in range(0, len(each), BESIDE)]


def _lanes(study: Study) -> Iterator[Picture]:
    """Load and curve of each, under each condition."""
    drawn = grid.scale_of(study) is not None
    for place, name in enumerate(file_names(study.titles)):
        rows = list(_of_lane(place, study))
        columns = max(map(len, rows))
        yield Picture(
            name=name,
            title=f"{study.titles[place]}: recovery over {headlines.samples(study)}",
            caption=captions.of_lane(place, study),
            against=captions.against(study),
            legend=(*(_load_legend(study) if drawn else ()), *_curves_legend(study)),
            width=WIDTH if columns > 1 else ALONE_WIDTH,
            body=partial(multiples.body, rows, columns),
            sheet=False,
        )


def _of_lane(place: int, study: Study) -> Iterator[list[Cell]]:
    """Of several conditions a row of loads and one of curves; of one, both beside each other."""
    scale, until_s = grid.scale_of(study), settled_within.until_s_of(study)
    for band in _bands(study):
        lanes = [(one, one.lanes[place]) for one in band]
        told = [(one.label or "settled within", captions.settled(lane)) for one, lane in lanes]
        curves = [small_charts.curve(lane, one, until_s) for one, lane in lanes]
        loads = [small_charts.load(lane, scale) for _, lane in lanes]
        rows = [
            [
                Cell(one.label or "offered load", _drawn_from(lane), load)
                for (one, lane), load in zip(lanes, loads, strict=True)
            ],
            [Cell(*said, curve) for said, curve in zip(told, curves, strict=True)],
        ]
        if not any(loads):
            rows = rows[1:]
        yield from rows if len(study.conditions) > 1 else [[one for row in rows for one in row]]


def _drawn_from(lane: StudiedLane) -> str:
    return f"in the run {lane.drawn_from}" if lane.drawn else "in no run that counts"


def _load_legend(study: Study) -> Legend:
    drawn = [one.drawn for one in grid.lanes_of(study) if one.drawn and one.disturbed]
    found = [
        *layers.legend(drawn),
        ("capacity", "capacity"),
        ("fault", "the disturbance"),
        ("settled", "settled"),
    ]
    if any(one.after and one.after.lost for one in drawn):
        found.append(("lost", "not recovered"))
    return tuple(found)


def _curves_legend(study: Study) -> Legend:
    own = ("own", "share settled")
    return (own, ("others", "the other lanes")) if len(study.titles) > 1 else (own,)
