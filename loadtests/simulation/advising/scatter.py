"""The trade-off as a plotly figure: unserved requests against settled, a point a candidate.

Colours come from the page's style sheet, by the names that the traces have.
"""

import html

import plotly.graph_objects as go

from loadtests.simulation.advising.advice import Advice
from loadtests.simulation.advising.key import group_of, groups, key_of
from loadtests.simulation.advising.labels import Spot, shifts
from loadtests.simulation.advising.ranking import Ranked
from loadtests.simulation.advising.scale import Scale, scale_of, ticks_of, top_s
from loadtests.simulation.advising.telling import percent, percents, settled, settled_between
from reports.rendering import words
from reports.rendering.palette import MARKS
from reports.rendering.plotting import AXIS, PAPER


def figure_json(advice: Advice) -> str:
    """Plotly's JSON. A trace's `uid` becomes a class in the page."""
    scale = scale_of(advice)
    chart = go.Figure(layout=_layout(advice, scale))
    _add_front(chart, advice, scale)
    for name, title in reversed(groups(advice)):
        members = [one for one in advice.ranked if group_of(one) == name]
        chart.add_scatter(
            x=[scale.x(one) for one in members],
            y=[scale.y(one) for one in members],
            uid=name,
            name=title,
            mode="markers",
            marker={
                "size": 12 if name in {"have", "without"} else 9,
                "symbol": ["triangle-right" if scale.beyond(one) else "circle" for one in members],
            },
            text=[_hover(one) for one in members],
            hovertemplate="%{text}<extra></extra>",
            cliponaxis=False,
        )
    text: str = chart.to_json(remove_uids=False)
    return text


def _add_front(chart: go.Figure, advice: Advice, scale: Scale) -> None:
    front = sorted((one for one in advice.ranked if one.front), key=scale.x)
    recovered = [one for one in front if one.standing.back]
    chart.add_scatter(
        x=[scale.x(one) for one in recovered],
        y=[scale.y(one) for one in recovered],
        uid="front",
        mode="lines",
        line={"width": 2, "dash": "dot"},
        hoverinfo="skip",
    )


def _letters(advice: Advice, scale: Scale) -> list[dict[str, object]]:
    keyed = key_of(advice)
    at = [(scale.x(one.who[0]), scale.y(one.who[0])) for one in keyed]
    lettered = {id(one) for place in keyed for one in place.who}
    others = [
        _spot(scale.x(one), scale.y(one), scale) for one in advice.ranked if id(one) not in lettered
    ]
    moved = shifts([_spot(x, y, scale) for x, y in at], others)
    return [
        {"x": x, "y": y, "xshift": right, "yshift": up, "text": one.letter, "showarrow": False}
        for one, (x, y), (right, up) in zip(keyed, at, moved, strict=True)
    ]


def _spot(x: float, y: float, scale: Scale) -> Spot:
    return Spot(x / (100 * scale.most_unserved), y / top_s(scale))


def _hover(one: Ranked) -> str:
    standing = one.standing
    lines = [
        f"<b>{html.escape(standing.name)}</b>",
        f"settled {settled(standing)} (95%: {settled_between(standing)})",
        f"unserved {percent(standing.unserved.median)} (95%: {percents(standing.unserved)})",
        f"{standing.amplification:.2f} attempts a request, peak {standing.peak_per_s:,.0f}/s",
    ]
    return "<br>".join(lines)


def _layout(advice: Advice, scale: Scale) -> dict[str, object]:
    never = [one for one in advice.ranked if not one.standing.back]
    observed = words.beyond(advice.ranked[0].standing.observed_s).removesuffix(" s")
    ticks = ticks_of(scale)
    return {
        **PAPER,
        "height": 440,
        "margin": {"l": 52, "r": 18, "t": 14, "b": 48},
        "hovermode": "closest",
        "dragmode": False,
        "hoverlabel": {"bgcolor": "#1d2127", "bordercolor": "#1d2127", "align": "left"},
        "xaxis": {
            **AXIS,
            "title": {"text": "requests unserved"},
            "range": [-3 * scale.most_unserved, 103 * scale.most_unserved],
            "ticksuffix": "%",
            "nticks": 6,
            "showgrid": False,
        },
        "yaxis": {
            **AXIS,
            "title": {"text": "settled, seconds"},
            "range": [-0.05 * scale.never_s, top_s(scale)],
            "tickvals": [*ticks, *([scale.never_s] if never else [])],
            "ticktext": [*(f"{tick:g}" for tick in ticks), *([observed] if never else [])],
        },
        "annotations": _letters(advice, scale),
        "shapes": [_limit_shape(advice)] if advice.limit.share <= scale.most_unserved else [],
    }


def _limit_shape(advice: Advice) -> dict[str, object]:
    return {
        "type": "line",
        "x0": 100 * advice.limit.share,
        "x1": 100 * advice.limit.share,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": {"width": 1, "dash": "dash", "color": MARKS["lost"]},
    }


def described(advice: Advice) -> str:
    """The chart in words, for those who do not see it."""
    named = "; ".join(
        f"{one.who[0].standing.name}: {percent(one.at[0])} unserved, "
        f"settled {settled(one.who[0].standing)}"
        for one in key_of(advice)
    )
    return f"Failed requests against settled of {len(advice.ranked)} policies: {named}."
