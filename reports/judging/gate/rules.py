"""What a run is asked to keep: one rule for each limit, said by options or by its scenario."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from aftershock_units import parse_named, parse_share
from reports.judging.gate.limits import Limit, limited, parse_limit
from reports.measuring.measure import Measure
from reports.measuring.sampling import Sampled

MOST = "max_"
POLICIES = "policies"
CONFIDENCE = "confidence"
MAX_TABLES = 32
CONFIDENCE_FORM = 'a share of more than 50% and less than 100%, as in "95%"'


@dataclass(frozen=True, slots=True)
class Rule:
    """The most that a measure may be: for these lanes or policies or, where that is `None`, all.

    Without a `confidence` every sample has to keep it; with one the median has to, with that
    confidence.
    """

    measure: Measure
    limit: Limit
    policies: tuple[str, ...] | None = None
    confidence: float | None = None

    def concerns(self, lane: Sampled) -> bool:
        """Whether this lane has to keep it."""
        return self.policies is None or is_named(lane, self.policies)


def is_named(lane: Sampled, policies: Sequence[str]) -> bool:
    """Whether the lane, or its policy, is among these."""
    return lane.lane in policies or lane.policy in policies


def keys() -> list[str]:
    """What a table ``[check]`` may say."""
    return [*(key_of(measure) for measure in limited()), POLICIES, CONFIDENCE]


def key_of(measure: Measure) -> str:
    """How a scenario calls the limit of a measure: ``max_first_fit``."""
    return MOST + measure.word.replace("-", "_")


def parse_confidence(text: str) -> float:
    """The share in a text such as ``"95%"``. Raises `ValueError`, naming what is allowed."""
    try:
        share = parse_share(text)
    except ValueError:
        share = 0.0
    if not 0.5 < share < 1:
        raise ValueError(f"{text[:32]!r} is not {CONFIDENCE_FORM}")
    return share


def rules_of(check: object) -> tuple[Rule, ...]:
    """The rules of a scenario's ``[check]``: of its table, or of each of its tables.

    Raises `ValueError`, naming what is wrong and what is allowed.
    """
    if check is None:
        return ()
    several = isinstance(check, list | tuple)
    tables = check if isinstance(check, list | tuple) else [check]
    if not tables:
        raise ValueError("check: no limit is set: leave it out, or set one")
    if len(tables) > MAX_TABLES:
        raise ValueError(f"check: expected at most {MAX_TABLES} of them")
    found: list[Rule] = []
    for number, table in enumerate(tables):
        if not isinstance(table, Mapping):
            raise ValueError("check: expected a table")
        try:
            found += table_rules(table)
        except ValueError as error:
            where = f"check.{number}" if several else "check"
            raise ValueError(f"{where}: {error}") from None
    return tuple(found)


def table_rules(table: Mapping[str, object]) -> tuple[Rule, ...]:
    """The rules of one table. Raises `ValueError` likewise."""
    unknown = [key for key in table if key not in keys()]
    if unknown:
        raise ValueError(_no_such(str(unknown[0])))
    policies = _policies(table.get(POLICIES))
    said = table.get(CONFIDENCE)
    confidence = None if said is None else parse_named(CONFIDENCE, parse_confidence, _text(said))
    found = tuple(
        Rule(measure, limit, policies, confidence)
        for measure in limited()
        if (limit := _limit(measure, table.get(key_of(measure)))) is not None
    )
    if not found:
        raise ValueError(f"no limit is set: expected one of {', '.join(keys()[:-2])}")
    return found


def override(rules: Sequence[Rule], given: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules, but those of a measure for which there are others `given`."""
    names = {rule.measure.name for rule in given}
    kept = (rule for rule in rules if rule.measure.name not in names)
    return (*kept, *given)


def required(rules: Sequence[Rule], confidence: float | None) -> tuple[Rule, ...]:
    """The rules with this confidence, if it is said; else each with its own."""
    return tuple(replace(rule, confidence=confidence or rule.confidence) for rule in rules)


def _limit(measure: Measure, said: object) -> Limit | None:
    """The limit that a table sets, if it does."""
    if said is None:
        return None
    return parse_named(key_of(measure), lambda text: parse_limit(measure, text), _text(said))


def _text(said: object) -> str:
    """Numbers as people write them too: TOML's 1.2 is "1.2"; what that is not is refused."""
    return said if isinstance(said, str) else f"{said}"


def _policies(said: object) -> tuple[str, ...] | None:
    if said is None:
        return None
    named = tuple(said) if isinstance(said, list | tuple) else ()
    if not named or not all(isinstance(one, str) for one in named):
        raise ValueError(f'{POLICIES}: expected a list of names, as in ["full-jitter"]')
    return named


def _no_such(key: str) -> str:
    close = difflib.get_close_matches(key, keys(), n=1)
    meant = f" (did you mean {close[0]}?)" if close else ""
    return f"{key[:64]}: there is no such setting{meant}: expected {', '.join(keys())}"
