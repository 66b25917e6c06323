"""Under which conditions a run was made: its scenario, a value a key, and what tells two apart."""

import json
from collections.abc import Iterator, Mapping, Sequence

Conditions = Mapping[str, str]
NO_CONDITIONS = ("name", "seed", "check")
"""Keys of a scenario that change nothing of what happens, or only which chances are taken."""
MAX_DEPTH = 20


def conditions_of(scenario: Mapping[str, object], *, without: Sequence[str] = ()) -> Conditions:
    """``{"load.rate": "95/s", "dips.0.for": "2s"}``: all but what is no condition, or `without`."""
    left_out = {*NO_CONDITIONS, *without}
    kept = {key: value for key, value in scenario.items() if key not in left_out}
    return dict(_leaves(kept, ""))


def differing(each: Sequence[Conditions]) -> tuple[str, ...]:
    """The keys whose values differ, or that are missing in some; in the order they come in."""
    keys = {key: None for one in each for key in one}
    return tuple(key for key in keys if len({one.get(key) for one in each}) > 1)


def _leaves(value: object, key: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    if depth < MAX_DEPTH and value and isinstance(value, Mapping | list | tuple):
        named = value.items() if isinstance(value, Mapping) else enumerate(value)
        for name, inner in named:
            yield from _leaves(inner, f"{key}.{name}" if key else str(name), depth + 1)
    elif value not in ([], (), {}):
        yield key, value if isinstance(value, str) else json.dumps(value, default=str)
