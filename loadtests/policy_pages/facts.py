"""All that is shown of one policy, computed once; the terminal and the docs are made from it."""

from dataclasses import dataclass, replace
from functools import cache

from loadtests.opaque.base import OpaqueSource
from loadtests.policies.catalogue import Fault, Parameter, Preset, Value
from loadtests.policies.catalogue.parameters import Parameterised, short_name
from loadtests.policies.hedging import Hedging
from loadtests.policies.outage import (
    BUSY,
    NO_CONNECTION,
    Delays,
    Outage,
    attempts_in_outage,
    delay_percentiles,
)
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry
from loadtests.policies.wrappers.cut_waits import CutWaits
from loadtests.policies.wrappers.patience import GivesUp
from loadtests.policy_names import PolicySource

MOST_RETRIES_SHOWN = 10
REQUESTS_IN_OUTAGE = 1000
CLIENTS_IN_FLEET = 100
LIBRARIES = "real libraries, untouched"


@dataclass(frozen=True, slots=True)
class ParameterFacts:
    """A parameter, and its value here."""

    parameter: Parameter
    value: Value

    @property
    def short(self) -> str:
        """Its name as it is typed."""
        return short_name(self.parameter.name)

    @property
    def changed(self) -> bool:
        """It is not the default."""
        return self.value != self.parameter.default


@dataclass(frozen=True, slots=True)
class PolicyFacts:
    """One policy. `delays` is empty when it does not wait between attempts."""

    name: str
    family: str
    summary: str
    source: str
    compared_with: str
    rule: dict[str, str]
    parameters: tuple[ParameterFacts, ...]
    faults: tuple[Fault, ...]
    notes: tuple[str, ...]
    delays: tuple[Delays, ...] = ()
    delays_go_on: bool = False
    outages: tuple[tuple[str, Outage], ...] = ()


def facts_of(source: PolicySource | OpaqueSource) -> PolicyFacts:
    """The facts of a preset, or of a policy or a library from elsewhere, of which less is known."""
    if isinstance(source, OpaqueSource):
        return replace(_facts(source, {"rule": source.describe()}), family=LIBRARIES)
    policy = source.build()
    facts = replace(_facts(source, _rule(policy)), outages=_outages(source))
    inner = policy.of if isinstance(policy, GivesUp | CutWaits) else policy
    if not isinstance(inner, Retry):
        return facts
    delays, go_on = _delays(inner)
    return replace(facts, delays=delays, delays_go_on=go_on)


def _rule(policy: RetryPolicy) -> dict[str, str]:
    """Part by part, where it has parts."""
    if isinstance(policy, Retry | Hedging):
        return policy.parts()
    if isinstance(policy, GivesUp | CutWaits):
        return {**_rule(policy.of), "around it": policy.limit()}
    return {"rule": policy.describe()}


def _facts(source: PolicySource | OpaqueSource, rule: dict[str, str]) -> PolicyFacts:
    """What there is to read, and nothing that has to be computed."""
    preset = source if isinstance(source, Preset) else None
    return PolicyFacts(
        name=source.name,
        family=preset.family.value if preset else "a policy of your own",
        summary=preset.summary if preset else "",
        source=preset.source if preset else "",
        compared_with=preset.compared_with if preset else "",
        rule=rule,
        parameters=_parameters(source) if isinstance(source, Parameterised) else (),
        faults=preset.faults if preset else (),
        notes=preset.notes if preset else (),
    )


@cache  # the dearest part, and sources are values
def _outages(source: PolicySource) -> tuple[tuple[str, Outage], ...]:
    one, fleet = [source.build()], [source.build() for _ in range(CLIENTS_IN_FLEET)]
    return (
        ("every attempt is answered 503", attempts_in_outage(one, BUSY)),
        ("no connection can be made", attempts_in_outage([source.build()], NO_CONNECTION)),
        (
            f"503, by {CLIENTS_IN_FLEET} clients that share no state",
            attempts_in_outage(fleet, BUSY),
        ),
    )


def _parameters(source: Parameterised) -> tuple[ParameterFacts, ...]:
    return tuple(
        ParameterFacts(parameter, getattr(source, parameter.name))
        for parameter in source.parameters()
    )


def _delays(policy: Retry) -> tuple[tuple[Delays, ...], bool]:
    """The waits of the first retries by the backoff alone, and whether there are more."""
    retries = MOST_RETRIES_SHOWN + 1 if policy.attempts is None else policy.attempts - 1
    shown = min(retries, MOST_RETRIES_SHOWN)
    return delay_percentiles(policy.backoff, shown), retries > shown
