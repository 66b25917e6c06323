"""What is drawn over a chart's load: bands, marks and labels, and where its panels stand."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.folding.trigger import Event
from reports.measuring.recovery import Aftermath, Figures, Recovery
from reports.rendering import outcomes, triggers, words
from reports.rendering.palette import MARKS
from reports.rendering.strokes import Mark, band, label, pen
from reports.text import noun

LOAD_PX, QUEUE_PX, ROW_PX, GAP_PX, AROUND_PX = 218, 64, 19, 10, 52
LABEL_PX = 21.8
NEAR = 0.3
"""A label is taken to be this wide, as a share of the chart: no other one stands there."""
FAULT_ROWS = 2
"""Of many disturbances close to each other not all have a label: they would pile up."""
WHOLE: Mark = {"yref": "paper", "y0": 0, "y1": 1}


@dataclass(frozen=True)
class Panels:
    """Heights of a chart's panels as shares of its plot, from the bottom: (from, to).

    `queue` is `None` for a lane that had none. `rows` are those of the operator, from the top.
    """

    load: tuple[float, float]
    queue: tuple[float, float] | None
    rows: tuple[tuple[float, float], ...]
    actions: tuple[tuple[Event, int], ...]
    plot_px: float

    @property
    def height(self) -> float:
        """Of the whole chart, in pixels."""
        return self.plot_px + AROUND_PX

    @staticmethod
    def of(policy: Recovery) -> "Panels":
        """The panels that this lane needs."""
        near_s = NEAR * _span(policy)
        events = policy.drawn.actions
        each = rows_of([(one.start_s, max(one.end_s, one.start_s + near_s)) for one in events])
        rows = 1 + max(each, default=-1)
        strip_px = rows * ROW_PX + GAP_PX if rows else 0
        queue_px = QUEUE_PX + GAP_PX if policy.service.longest_queue else 0
        plot_px = float(LOAD_PX + strip_px + queue_px)
        floor = (strip_px + queue_px) / plot_px
        return Panels(
            load=(floor, 1.0),
            queue=(0.0, QUEUE_PX / plot_px) if queue_px else None,
            rows=tuple(
                (
                    floor - (GAP_PX / 2 + (row + 1) * ROW_PX - 2) / plot_px,
                    floor - (GAP_PX / 2 + row * ROW_PX) / plot_px,
                )
                for row in range(rows)
            ),
            actions=tuple(zip(events, each, strict=True)),
            plot_px=plot_px,
        )


def disturbances(policy: Recovery, panels: Panels) -> list[Mark]:
    """Faults as bands, and what an operator did as bars."""
    found = [
        {**band(event, MARKS["fault"]), **WHOLE, "layer": "below"} for event in policy.drawn.faults
    ]
    for event, row in panels.actions:
        low, high = panels.rows[row]
        # Bordered, not filled: no layer of load looks so, in whatever light or in grey.
        bar = {**band(event, MARKS["bar"]), "line": pen(1.5, MARKS["action"])}
        found.append({**bar, "yref": "paper", "y0": low, "y1": high})
    return found


def shapes(policy: Recovery, panels: Panels) -> list[Mark]:
    """Faults and relapses as bands, settled and first fit as lines, actions as bars."""
    found = disturbances(policy, panels)
    after = policy.after
    if after is None:
        return found
    found += [
        {
            **band(Event("relapse", "", wave.start_s, wave.end_s), MARKS["relapse"]),
            **WHOLE,
            "layer": "below",
        }
        for wave in after.relapses
    ]
    settled, color = after.marked_s, end_color(after)
    # Not up to the first row of labels, which it would strike through.
    top = 1 - LABEL_PX / panels.plot_px
    line = {**WHOLE, "type": "line", "y0": panels.load[0]}
    found.append({**line, "y1": top, "x0": settled, "x1": settled, "line": pen(2, color)})
    if (fit := after.first_fit_s) is not None:
        dotted = {**pen(1.5, MARKS["fit"]), "dash": "dot"}
        found.append({**line, "x0": fit, "x1": fit, "line": dotted})
    return found


def labels(policy: Recovery, panels: Panels) -> list[Mark]:
    """Direct labels: moments and faults in rows at the top, so that they cannot meet."""
    faults, near_s = policy.drawn.faults, NEAR * _span(policy)
    rows = rows_of([(event.end_s - near_s, event.end_s) for event in faults])
    # The row between is that of settled.
    found = [
        label(noun(event.type), event.end_s, row_y(row + (row > 0), panels), "right")
        for event, row in zip(faults, rows, strict=True)
        if row < FAULT_ROWS
    ]
    found += operator_labels(policy, panels)
    after = policy.after
    if after is None:
        return found
    capacity = label(
        f"capacity {words.rate(policy.capacity_per_s)}", after.observed_s, 0, "right", paper=0.65
    )
    at = {"y": policy.capacity_per_s, "yref": "y", "yanchor": "bottom", "xshift": 0}
    settled, fit = after.marked_s, after.first_fit_s
    mark = label(
        settled_label(policy),
        settled,
        row_y(1, panels),
        _side(settled, policy),
        paper=0.9,
    )
    # Bold here and not in the style sheet: plotly must know how wide it is.
    color = end_color(after)
    found += [{**capacity, **at}, {**mark, "font": {"weight": 700, "color": color}}]
    if fit is not None:
        text = f"first fit {words.seconds(fit)}"
        found.append(label(text, fit, row_y(0, panels), _side(fit, policy), paper=0.9))
    return found


def operator_labels(policy: Recovery, panels: Panels) -> list[Mark]:
    """What an operator did, on each bar, and beside them whose they are."""
    found = [_action_label(event, row, policy, panels) for event, row in panels.actions]
    return [*found, _operator(panels)] if panels.rows else found


def _action_label(event: Event, row: int, policy: Recovery, panels: Panels) -> Mark:
    """On its bar from where it begins; near the end of the chart to where that ends."""
    side = "left" if event.start_s <= _end_s(policy) - NEAR * _span(policy) else "right"
    x = event.start_s if side == "left" else min(event.end_s, _end_s(policy))
    y = panels.rows[row][1]
    return {**label(triggers.action(event), x, y, side), "font": {"size": 11.5}}


def _operator(panels: Panels) -> Mark:
    """What the rows of the operator are, beside them."""
    y = panels.rows[0][1]
    return {
        **label("operator", 0, y, "right"),
        "xref": "paper",
        "xshift": -3,
        "font": {"size": 10.5},
    }


def rows_of(extents: Sequence[tuple[float, float]]) -> list[int]:
    """For each extent, in the order of their beginnings, the first row in which it meets none."""
    ends: list[float] = []
    rows = []
    for begin, end in extents:
        row = next((row for row, taken in enumerate(ends) if taken <= begin), len(ends))
        ends[row : row + 1] = [end]
        rows.append(row)
    return rows


def _end_s(policy: Recovery) -> float:
    """Where the chart ends."""
    t_s = policy.drawn.t_s
    return float(t_s[-1]) if t_s.size else 0.0


def _span(policy: Recovery) -> float:
    """How many seconds a chart shows."""
    t_s = policy.drawn.t_s
    return float(t_s[-1] - t_s[0]) if t_s.size else 1.0


def end_color(after: Aftermath) -> str:
    """Of the mark of settled: a lane may not have recovered though its load settled."""
    return MARKS["lost" if after.lost else "settled"]


def settled_label(policy: Figures) -> str:
    """When the load settled, and that goodput did not come back; or the verdict."""
    word, after = outcomes.settled(policy), policy.after
    if after is None or after.settled_s is None:
        return word
    return f"settled {word}{', goodput not back' if after.starved else ''}"


def _side(moment_s: float, policy: Recovery) -> str:
    """Which side of its label a mark stands on: the label must not leave the chart."""
    return "left" if policy.after and moment_s <= policy.after.observed_s / 2 else "right"


def row_y(row: float, panels: Panels) -> float:
    """The top of a row of labels."""
    return 1 - row * LABEL_PX / panels.plot_px
