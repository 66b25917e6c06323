"""The queries of the dashboard, as Prometheus gets them from Grafana."""

import json
from collections.abc import Iterator

from deploy.grafana.__main__ import FILE

BUILT_IN = {"$lane": "full-jitter", "$__rate_interval": "4s", "$__interval": "2s"}


def committed() -> dict[str, object]:
    """The dashboard that Grafana is given."""
    page = json.loads(FILE.read_text(encoding="utf-8"))
    assert isinstance(page, dict)
    return page


def _written(inside: object) -> Iterator[str]:
    if isinstance(inside, dict):
        for key, value in inside.items():
            if key == "expr":
                yield str(value)
            else:
                yield from _written(value)
    elif isinstance(inside, list):
        for value in inside:
            yield from _written(value)


def expressions(lane: str = BUILT_IN["$lane"]) -> list[str]:
    """Every query of panels and annotations once, with a value for each of Grafana's variables."""
    filled = []
    for written in dict.fromkeys(_written(committed())):
        text = written
        for name, value in (BUILT_IN | {"$lane": lane}).items():
            text = text.replace(name, value)
        assert "$" not in text, text
        filled.append(text)
    return filled
