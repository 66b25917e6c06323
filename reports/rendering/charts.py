"""One plotly figure a lane: offered load stacked by attempt number against capacity.

Beneath it, where there is something to show: what an operator did, and the queue. Lines and labels
get their colours from the page's style sheet, by the names and the colours that they have here.
"""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from reports.measuring.downsampling import thinned
from reports.measuring.recovery import Drawn, Recovery
from reports.measuring.repeated import in_run_time
from reports.prediction import PredictedLane
from reports.reading.series import Floats
from reports.rendering import marks, outcomes, predicted_chart, words
from reports.rendering.layers import LAYER_NAMES, LAYERS, highest_per_s, layers_of, longest_queue
from reports.rendering.marks import Panels
from reports.rendering.needles import needles
from reports.rendering.palette import LIGHT
from reports.rendering.plotting import AXIS, PAPER, closed, short
from reports.rendering.repeated import marks as repeated_marks
from reports.rendering.repeated import sentences as repeated_sentences
from reports.summary import Report
from reports.text import noun

HEADROOM = 1.32


def top_per_s(report: Report) -> float:
    """The upper end of the load axis, the same in all charts, with room for labels."""
    lanes = report.prediction.lanes if report.prediction else ()
    return HEADROOM * max([highest_per_s(report), *map(predicted_chart.highest_per_s, lanes)])


def figure_json(policy: Recovery, report: Report) -> str:
    """The chart of one lane, as plotly's JSON. A trace's `uid` becomes a class in the page.

    Traces without `x` have that of the first.
    """
    text: str = _figure(policy, report).to_json(remove_uids=False)
    return text


def height(policy: Recovery) -> float:
    """Of the chart of one lane, in pixels."""
    return Panels.of(policy).height


def _figure(lane: Recovery, report: Report) -> go.Figure:
    repeated = bool(report.distributions)
    policy = replace(lane, drawn=in_run_time(lane)) if repeated else lane
    panels = Panels.of(policy)
    chart = go.Figure(layout=_layout(policy, report, panels))
    drawn = thinned(policy.drawn)
    if not drawn.t_s.size:
        return chart
    for name, row in layers_of(drawn).items():
        chart.add_scatter(
            y=short(closed(row)),
            name=LAYER_NAMES[LAYERS.index(name)],
            stackgroup="offered",
            fillcolor=LIGHT[name],
            line={"shape": "hv", "width": 0},
        )
    if drawn.t_s.size < policy.drawn.t_s.size:
        for name, x, y in needles(drawn, layers_of(drawn), report.run.tick_s):
            line = {"width": 1, "color": LIGHT[name]}
            chart.add_scatter(x=short(x), y=short(y), mode="lines", line=line)
    predicted = predicted_of(policy, report)
    if predicted:
        origin_s = lane.drawn.origin_s - policy.drawn.origin_s
        predicted_chart.add(chart, predicted.band, report.run.tick_s, origin_s)
    for uid, name, row in _lines(drawn):
        chart.add_scatter(
            y=short(closed(row)),
            uid=uid,
            name=name,
            mode="lines",
            line={"shape": "hv", "width": 2},
        )
    if panels.queue:
        chart.add_scatter(
            y=short(closed(drawn.queue)),
            uid="queue",
            name="queue",
            yaxis="y2",
            fill="tozeroy",
            mode="lines",
            line={"shape": "hv", "width": 1},
        )
    chart.data[0].x = short(np.append(drawn.t_s, drawn.t_s[-1] + report.run.tick_s))
    return chart


def predicted_of(policy: Recovery, report: Report) -> PredictedLane | None:
    """The prediction of this lane, where one was asked for."""
    return report.prediction.of(policy.lane) if report.prediction else None


def _lines(drawn: Drawn) -> list[tuple[str, str, Floats]]:
    lines = [("capacity", "capacity", drawn.capacity_per_s)]
    if np.isfinite(drawn.let_through_per_s).any():
        lines.append(("through", "let through by the operator", drawn.let_through_per_s))
    return lines


def _layout(policy: Recovery, report: Report, panels: Panels) -> dict[str, object]:
    """Axes, marks and labels. No title and no legend: the page has them."""
    trigger = policy.trigger
    since = f"after the end of the {noun(trigger.type)}" if trigger else "after the run's begin"
    over = repeated_marks if report.distributions else marks
    drawn = policy.drawn
    queue = {
        **AXIS,
        "title": {"text": "queue"},
        "range": [0, 1.1 * max(1, longest_queue(report))],
        "domain": panels.queue,
        "tickformat": "~s",
        "nticks": 3,
    }
    ends = (drawn.t_s[0], drawn.t_s[-1] + report.run.tick_s) if drawn.t_s.size else (0.0, 1.0)
    return {
        **PAPER,
        "height": panels.height,
        "margin": {"l": 56, "r": 14, "t": 8, "b": 44},
        "xaxis": {
            **AXIS,
            "title": {"text": "seconds of the run" if report.distributions else f"seconds {since}"},
            "showgrid": False,
            "range": [float(end) for end in ends],
            "anchor": "free",
            "position": 0,
        },
        "yaxis": {
            **AXIS,
            "title": {"text": "attempts/s"},
            "range": [0, top_per_s(report)],
            "domain": panels.load,
            "tickformat": ",.0~f",
            "nticks": 6,
        },
        **({"yaxis2": queue} if panels.queue else {}),
        "shapes": over.shapes(policy, panels),
        "annotations": over.labels(policy, panels),
    }


def described(policy: Recovery, report: Report) -> str:
    """A chart in words, for those who do not see it."""
    predicted = predicted_of(policy, report)
    more = predicted_chart.described(policy, predicted) if predicted else ""
    repeated = (one for one in report.distributions if one.lane == policy.lane)
    if found := next(repeated, None):
        return repeated_sentences.described(found, policy) + more
    return _described(policy) + more


def _described(policy: Recovery) -> str:
    peak = f"peak {words.rate(policy.peak_per_s)}, capacity {words.rate(policy.capacity_per_s)}"
    if policy.after is None:
        return f"Offered load of {words.name(policy)} over the run: {peak}."
    queue = policy.service.longest_queue
    waited = f"; longest queue {words.count(queue)}" if queue else ""
    fit, settled = outcomes.first_fit(policy), outcomes.settled(policy)
    back = f", goodput {outcomes.goodput_back(policy)}" if policy.after.starved else ""
    when = f"first fit {fit}, settled {settled}{back}{waited}"
    return f"Offered load of {words.name(policy)}: {peak}; {when}."
