"""Who is tried: what the scenario has, changes of it, and the catalogue; or who is asked for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from loadtests.opaque.catalogue import OPAQUE
from loadtests.policies import PRESETS, Preset
from loadtests.policy_names import as_lane
from loadtests.scenario import PolicyChoice, ScenarioError, choose_policy
from loadtests.simulation.advising.situation import Situation, Values
from loadtests.simulation.advising.variants import (
    Variant,
    budgeted,
    is_preset,
    text_of,
    variants_of,
)

NO_RETRY = "no-retry"
BUDGETS = (0.05, 0.1, 0.2)
"""Those that are tried unless others are asked for."""
MAX_CANDIDATES = 500
DEFAULTS = " (defaults)"

LEFT_OUT: Mapping[str, str] = {
    "stacked-retries": "it shows what layers of retries do, and nobody would choose it",
    "impatient-users": "it is about users, whom nobody can change",
    "error-ownership": "the service claims no errors (owns_errors)",
    "tenacity-9": "it retries at once and for ever unless told otherwise",
}
"""Presets that are tried only when they are asked for, and why."""


class Kind(StrEnum):
    """Where a candidate comes from."""

    HAVE = "have"
    REFERENCE = "reference"
    ASKED = "asked"
    CHANGE = "change"
    CATALOGUE = "catalogue"
    SERVICE = "service"


@dataclass(frozen=True)
class Candidate:
    """One policy with its fleet, as one lane.

    `name` is what it is called, and unless it is one of those that there are, what `--policy` of
    a live run takes. `change` says in words what is changed of `of`; `service`, what is changed at
    the service, by table.
    """

    name: str
    kind: Kind
    choice: PolicyChoice
    change: str = ""
    of: str = ""
    service: Mapping[str, Values] = field(default_factory=dict)


@dataclass(frozen=True)
class Field:
    """Everybody who is tried, no one twice; `left_out` are presets that are not, and why."""

    candidates: tuple[Candidate, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)


def field_of(situation: Situation, asked: Sequence[str], budgets: Sequence[float]) -> Field:
    """The candidates: with `asked` these alone, beside what there is and no retries at all.

    Raises `ScenarioError` for a policy that there is not, or that cannot be simulated.
    """
    now = [*_have(situation), _made(situation, NO_RETRY, {}, Kind.REFERENCE)]
    if asked:
        found = _unique([*now, *_asked(situation, asked, budgets)])
        return Field(_few_enough(found))
    budgets = budgets or BUDGETS
    left_out = _left_out(situation)
    catalogue = [
        _made(situation, name, {}, Kind.CATALOGUE) for name in PRESETS if name not in left_out
    ]
    general = _changed(
        situation, "", budgeted(PRESETS["full-jitter-budget"](), {}, budgets), Kind.CATALOGUE
    )
    found = _unique([*now, *_changes(situation, budgets), *catalogue, *general])
    return Field(_few_enough(found), left_out)


def _have(situation: Situation) -> Iterator[Candidate]:
    for choice in situation.have:
        yield Candidate(situation.called(choice), Kind.HAVE, choice)


def _asked(
    situation: Situation, asked: Sequence[str], budgets: Sequence[float]
) -> Iterator[Candidate]:
    for text in asked:
        choice = choose_policy(text)
        if choice.name in OPAQUE:
            raise ScenarioError(
                f"--policy: {choice.name} is a real library, which cannot run in virtual time: "
                "expected a preset (`aftershock policies` lists them)"
            )
        extra = dict(choice.model_extra or {})
        yield _made(situation, choice.name, extra, Kind.ASKED, text=text)
        source = choice.source()
        if isinstance(source, Preset):
            yield from _changed(situation, text, budgeted(source, extra, budgets), Kind.ASKED)


def _changes(situation: Situation, budgets: Sequence[float]) -> Iterator[Candidate]:
    for choice in situation.have:
        name = situation.called(choice)
        yield from _changed(situation, name, variants_of(choice, budgets), Kind.CHANGE)
        yield from _one_layer(choice, name)


def _changed(
    situation: Situation, of: str, variants: Iterable[Variant], kind: Kind
) -> Iterator[Candidate]:
    for variant in variants:
        if is_preset(variant):
            made = _made(situation, variant.name, variant.parameters, kind)
            yield Candidate(made.name, kind, made.choice, variant.change, of)


def _one_layer(choice: PolicyChoice, of: str) -> Iterator[Candidate]:
    """Where gateways retry: the client alone."""
    layers = choice.layer_policies
    if any(layer != NO_RETRY for layer in layers):
        name = f"{of}, no retries at the gateways"
        values = choice.model_dump(mode="json", by_alias=True)
        quiet = {**values, "lane": as_lane(name), "layers": [NO_RETRY] * len(layers)}
        yield Candidate(
            name, Kind.CHANGE, PolicyChoice.model_validate(quiet),
            "no retries at the gateways", of,
        )  # fmt: skip


def _made(
    situation: Situation,
    name: str,
    parameters: Mapping[str, object],
    kind: Kind,
    *,
    text: str | None = None,
) -> Candidate:
    """The policy with the fleet of what there is."""
    text = text_of(name, parameters) if text is None else text
    # With layers a lane's name may have no equals sign.
    lane = as_lane(text).replace("=", " ")
    choice = PolicyChoice.model_validate(
        {**situation.fleet, **parameters, "name": name, "lane": lane}
    )
    return Candidate(text, kind, choice)


def _left_out(situation: Situation) -> dict[str, str]:
    target = situation.values.get("target")
    owns = isinstance(target, dict) and target.get("owns_errors")
    return {name: why for name, why in LEFT_OUT.items() if not (owns and name == "error-ownership")}


def _unique(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The first of those that do the same; what there is stays, even twice.

    A preset that is called as what there is, and has other parameters, says so.
    """
    found: list[Candidate] = []
    seen: set[object] = set()
    have: set[str] = set()
    for candidate in candidates:
        same = (candidate.choice.source(), candidate.choice.layer_policies)
        if candidate.kind is Kind.HAVE:
            have.add(candidate.name)
        elif same in seen:
            continue
        again = candidate.kind is not Kind.HAVE and candidate.name in have
        name = f"{candidate.name}{DEFAULTS}" if again else candidate.name
        found.append(replace(candidate, name=name))
        seen.add(same)
    return tuple(found)


def _few_enough(found: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    if len(found) > MAX_CANDIDATES:
        raise ScenarioError(
            f"--policy, --budget: {len(found)} candidates: expected at most {MAX_CANDIDATES}"
        )
    return found
