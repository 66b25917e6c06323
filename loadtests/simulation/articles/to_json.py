"""An article as JSON: every row with its bounds."""

from math import isinf

from loadtests.simulation.articles.article import Played
from loadtests.simulation.articles.comparison import Comparison, Part, Row

SCHEMA = 1


def to_json(played: Played) -> dict[str, object]:
    """The whole of it; a first fit that never came, and a bound that there is not, are null."""
    return {
        "schema": SCHEMA,
        "preset": played.article.name,
        "source": played.article.source,
        "units": played.article.units,
        "runs": played.runs,
        "met": not played.missed,
        "tables": [_part(part) for part in played.parts],
    }


def _part(part: Part) -> dict[str, object]:
    told: dict[str, object] = {"title": part.title, "note": part.note}
    if isinstance(part, Comparison):
        return {**told, "bounds": part.bounds, "rows": [_row(row) for row in part.rows]}
    curves = {name: list(curve) for name, curve in part.curves.items()}
    return {**told, "along": part.along, "at": list(part.at), "curves": curves}


def _row(row: Row) -> dict[str, object]:
    return {
        "of": row.of,
        "figure": row.figure,
        "published": row.published,
        "ours": _finite(row.ours),
        "least": _finite(row.least),
        "most": _finite(row.most),
        "met": row.met,
    }


def _finite(value: float | None) -> float | None:
    return None if value is None or isinf(value) else value
