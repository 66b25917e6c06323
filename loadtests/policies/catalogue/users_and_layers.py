"""What the articles say happens around a retry loop: users leave, layers stack, errors have owners.

One retries by another preset, named as a parameter, with that one's defaults.
"""

from dataclasses import dataclass

from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.catalogue.full_jitter import FullJitterPreset
from loadtests.policies.conditions import SERVER_ERRORS, Conditions
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry
from loadtests.policies.words import OWNED_HEADER, OwnedErrors
from loadtests.policies.wrappers.patience import (
    ExponentialPatience,
    FixedPatience,
    GivesUp,
    Patience,
)
from loadtests.policies.wrappers.stacked import Stacked

_MOST_LAYERS = 6


@dataclass(frozen=True)
class ImpatientUsers(Preset):
    """Users who give up and leave: article 000 names them as a limit of its model."""

    name = "impatient-users"
    family = Family.ARTICLES
    summary = "full jitter, but users give up after 3 s on average"
    source = "article 000, the limits of its model"
    notes = ("What they leave in flight or waiting is dropped; the service may still work on it.",)

    policy: str = parameter("full-jitter", "the preset in front of which they wait")
    patience_s: float = parameter(3.0, "how long they wait", least=0.001, most=86_400)
    spread: str = parameter(
        "exponential", "how patience differs between them", choices=("fixed", "exponential")
    )

    def __post_init__(self) -> None:
        """Raises `ValueError` for a policy that there is not, too."""
        super().__post_init__()
        _by_name(self.name, self.policy)

    def build(self) -> RetryPolicy:
        """The policy, with a user in front of it."""
        fixed = self.spread == "fixed"
        patience: Patience = (
            FixedPatience(self.patience_s) if fixed else ExponentialPatience(self.patience_s)
        )
        return GivesUp(_by_name(self.name, self.policy).build(), patience)


@dataclass(frozen=True)
class StackedRetries(Preset):
    """Retries at every layer: articles 000, 001 and 003 multiply them."""

    name = "stacked-retries"
    family = Family.ARTICLES
    summary = "3 layers that each retry: attempts multiply to as many as 64"
    source = "article 003, three layers of four tries; article 001, 3^3 and 2^d"
    faults = (Fault("each layer repeats all that is below it: attempts^layers", "error-ownership"),)
    notes = ("All layers are in the client here: each is a loop around the next.",)

    policy: str = parameter("full-jitter", "the preset at each layer")
    layers: int = parameter(3, "how many", least=1, most=_MOST_LAYERS)

    def __post_init__(self) -> None:
        """Raises `ValueError` for a policy that there is not, too."""
        super().__post_init__()
        _by_name(self.name, self.policy)

    def build(self) -> RetryPolicy:
        """One around the other, each with a state of its own."""
        layer = _by_name(self.name, self.policy)
        policy = layer.build()
        for _ in range(self.layers - 1):
            policy = Stacked(layer.build(), policy)
        return policy


@dataclass(frozen=True)
class ErrorOwnership(FullJitterPreset):
    """Article 001, how Uber went beyond budgets."""

    name = "error-ownership"
    family = Family.ARTICLES
    summary = "3 attempts, but only for errors that the answering service owns"
    source = "article 001; Uber Engineering, How Uber Protects Against Retry Storms"
    notes = (
        f"A service claims an error by the header {OWNED_HEADER}: true, if none of its own calls "
        "failed. No claim is no retry.",
        "A service that could not be connected to called nobody: that failure is its own.",
        "A reset connection or an answer cut short carries no claim: nobody retries it, not even "
        "the immediate caller.",
    )

    statuses: frozenset[int] = parameter(
        frozenset({429}) | SERVER_ERRORS, "statuses that are retried"
    )

    def build(self) -> RetryPolicy:
        """Without state."""
        return Retry(
            self.max_attempts,
            self._backoff(),
            Conditions(statuses=self.statuses),
            OwnedErrors(),
        )


def _by_name(whose: str, name: str) -> Preset:
    """That preset with its defaults. Raises `ValueError` for one of these, or none."""
    from loadtests.policies.catalogue import preset  # noqa: PLC0415 - this module is a part of it

    if name in (ImpatientUsers.name, StackedRetries.name):
        raise ValueError(f"{whose}: policy is {name!r}: expected one without another policy in it")
    try:
        return preset(name)
    except ValueError as error:
        raise ValueError(f"{whose}: policy: {error}") from error


PRESETS: tuple[type[Preset], ...] = (ImpatientUsers, StackedRetries, ErrorOwnership)
