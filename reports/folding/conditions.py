"""What tells runs apart: the keys in which their scenarios differ, and what each has there."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from aftershock_units import format_number, parse_duration_s, parse_rate_per_s, parse_share
from reports.text import listed

APART = frozenset({"seed", "name", "check", "policies"})
"""No condition: policies are lanes of their own, and the others change no load and no service."""
SHOWN = 2
MAX_DEPTH = 20
_PARSERS: Sequence[Callable[[str], float]] = (parse_duration_s, parse_rate_per_s, parse_share)


def key_of(source: str, scenario: Mapping[str, object]) -> str:
    """The same text for runs under the same condition, and for no others."""
    return json.dumps(_told(source, scenario), sort_keys=True, default=str)


def conditions_of(source: str, scenario: Mapping[str, object]) -> dict[str, str]:
    """All that may differ, by the key that a scenario has for it: ``dips.0.for`` is ``4s``."""
    return flattened(_told(source, scenario))


def flattened(values: Mapping[str, object]) -> dict[str, str]:
    """A text for each value, however deep it is, by the keys that lead to it."""
    found: dict[str, str] = {}
    for name, value in values.items():
        _flatten(name, value, found)
    return found


def differences(each: Sequence[Mapping[str, str]]) -> list[str]:
    """The keys in which any two differ: first those that have the most values, then in order."""
    keys = dict.fromkeys(key for one in each for key in one)
    values = {key: {one.get(key) for one in each} for key in keys}
    return sorted((key for key in keys if len(values[key]) > 1), key=lambda key: -len(values[key]))


def label(one: Mapping[str, str], keys: Sequence[str]) -> str:
    """``load.rate = 90/s, no dips.0.repeat``; of more than two keys, how many more there are."""
    return listed([clause(key, one.get(key)) for key in keys], SHOWN)


def clause(key: str, value: str | None) -> str:
    """What a scenario has for a key, or that it has it not."""
    return f"{key} = {value}" if value else f"no {key}"


def labels(each: Sequence[Mapping[str, str]]) -> list[str]:
    """A label each, numbered where what is shown of it does not tell them apart."""
    keys = differences(each)
    plain = [label(one, keys) for one in each]
    often, seen = Counter(plain), Counter[str]()
    found = []
    for text in plain:
        seen[text] += 1
        found.append(f"{text} ({seen[text]})" if often[text] > 1 else text)
    return found


def names_tell(each: Sequence[Collection[str]]) -> bool:
    """Whether the names of the scenarios tell conditions apart: each has one, and no other's."""
    return len({name for names in each for name in names}) == sum(map(len, each)) == len(each) > 1


def size(text: str | None) -> tuple[float, str]:
    """By which values of a key are put in order: ``9/s`` before ``90/s``, ``500ms`` before 2s."""
    for parse in (float, *_PARSERS):
        try:
            return parse(text or ""), ""
        except ValueError:
            continue
    return 0.0, text or ""


def _told(source: str, scenario: Mapping[str, object]) -> dict[str, object]:
    return {**{k: v for k, v in scenario.items() if k not in APART}, "source": source}


def _flatten(name: str, value: object, into: dict[str, str], depth: int = 1) -> None:
    if depth < MAX_DEPTH and value and isinstance(value, Mapping | list | tuple):
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, item in items:
            _flatten(f"{name}.{key}", item, into, depth + 1)
    else:
        into[name] = _text(name, value)


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        share = name.endswith("utilisation")
        return f"{format_number(100 * value)}%" if share else format_number(value)
    return str(value) if value else "none"
