"""All that is shown of one policy, computed once; the terminal and the docs are made from it."""

from dataclasses import dataclass

from loadtests.policies.catalogue import Fault, Parameter, Preset, Value
from loadtests.policies.outage import (
    BUSY,
    NO_CONNECTION,
    Delays,
    Outage,
    attempts_in_outage,
    delay_percentiles,
)
from loadtests.policies.retry import Retry
from loadtests.policy_names import PolicySource

MOST_RETRIES_SHOWN = 10
REQUESTS_IN_OUTAGE = 1000


@dataclass(frozen=True, slots=True)
class ParameterFacts:
    """A parameter, and its value here."""

    parameter: Parameter
    value: Value

    @property
    def short(self) -> str:
        """Its name as it is typed."""
        return self.parameter.name.removesuffix("_s").removesuffix("_share")

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
    delays: tuple[Delays, ...]
    delays_go_on: bool
    outages: tuple[tuple[str, Outage], ...]


def facts_of(source: PolicySource) -> PolicyFacts:
    """The facts of a preset, or of a policy from elsewhere, of which less is known."""
    policy = source.build()
    rule = policy.parts() if isinstance(policy, Retry) else {"rule": policy.describe()}
    delays, go_on = _delays(policy) if isinstance(policy, Retry) else ((), False)
    preset = source if isinstance(source, Preset) else None
    return PolicyFacts(
        name=source.name,
        family=preset.family.value if preset else "a policy of your own",
        summary=preset.summary if preset else "",
        source=preset.source if preset else "",
        compared_with=preset.compared_with if preset else "",
        rule=rule,
        parameters=_parameters(preset) if preset else (),
        faults=preset.faults if preset else (),
        notes=preset.notes if preset else (),
        delays=delays,
        delays_go_on=go_on,
        outages=(
            ("every attempt is answered 503", attempts_in_outage(source.build(), BUSY)),
            ("no connection can be made", attempts_in_outage(source.build(), NO_CONNECTION)),
        ),
    )


def _parameters(preset: Preset) -> tuple[ParameterFacts, ...]:
    return tuple(
        ParameterFacts(parameter, getattr(preset, parameter.name))
        for parameter in preset.parameters()
    )


def _delays(policy: Retry) -> tuple[tuple[Delays, ...], bool]:
    """The waits of the first retries by the backoff alone, and whether there are more."""
    retries = MOST_RETRIES_SHOWN + 1 if policy.attempts is None else policy.attempts - 1
    shown = min(retries, MOST_RETRIES_SHOWN)
    return delay_percentiles(policy.backoff, shown), retries > shown
