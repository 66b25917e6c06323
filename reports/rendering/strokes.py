"""Bands, lines and labels as plotly has them, in the colours that the style sheet finds them by."""

from reports.folding.trigger import Event

Mark = dict[str, object]


def pen(width: float, color: str) -> Mark:
    return {"width": width, "color": color}


def band(event: Event, color: str) -> Mark:
    x = {"x0": event.start_s, "x1": event.end_s}
    return {"type": "rect", "line": {"width": 0}, "fillcolor": color, **x}


def label(text: str, x: float, y: float, side: str, paper: float = 0.0) -> Mark:
    """`paper`: how opaque the paper behind the text is, so that no line runs through it."""
    return {
        "text": text,
        "x": x,
        "xanchor": side,
        "xshift": 5 if side == "left" else -5,
        "y": y,
        "yref": "paper",
        "yanchor": "top",
        "showarrow": False,
        "bgcolor": f"rgba(255,255,255,{paper})",
        "borderpad": 1,
    }
