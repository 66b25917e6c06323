"""Lanes with figures that are known, without a record behind them."""

from dataclasses import replace

from reports.folding.run import Run
from reports.folding.trigger import Trigger
from reports.judging.gate.limits import limited, parse_limit
from reports.judging.gate.rules import Rule
from reports.measuring.measure import Measure
from reports.measuring.recovery import Aftermath, Cost, Episode, Figures, Service
from reports.measuring.sampling import Sampled, SampledRun

DIP = Trigger("dip", 10.0, 12.0, 20.0, "step", "20%", None, 1)
AFTER = Aftermath(
    observed_s=28.0,
    first_fit_s=1.0,
    settled_s=4.0,
    stormed=True,
    times_trigger=2.0,
    relapses=(),
    storm_attempts=300.0,
    noise_per_s=None,
    noise_hides=False,
    calm_from_s=4.0,
    goodput_known=True,
    goodput_back_s=1.5,
    goodput_from_s=1.5,
    work_lost=None,
)
FIGURES = Figures(
    lane="a",
    policy="full-jitter",
    trigger=DIP,
    capacity_per_s=100.0,
    offered_before_per_s=95.0,
    peak_per_s=340.0,
    attempts=4600,
    requests=4000,
    succeeded=3850,
    failed=150,
    failed_by_reason={"gave-up": 150},
    unfinished=0,
    overdue=0,
    amplification=1.15,
    worst_amplification=3.0,
    after=AFTER,
    cost=Cost(120, 95.0, 200.5, 10.0, 6.0),
    service=Service(0, 0, 0, 0, 0),
)


def measure(word: str) -> Measure:
    """The measure that an option calls so."""
    return next(one for one in limited() if one.word == word)


def rule(word: str, limit: str, confidence: float | None = None, *lanes: str) -> Rule:
    return Rule(measure(word), parse_limit(measure(word), limit), lanes or None, confidence)


def settled(settled_s: float | None, observed_s: float = 28.0) -> Figures:
    """A dip of 2 s after which the lane settled then; `None`: not while it was watched."""
    after = replace(AFTER, settled_s=settled_s, observed_s=observed_s)
    return replace(FIGURES, after=after)


def lane(
    *each: Figures | None, name: str = "a", policy: str = "full-jitter", together: int = 1
) -> Sampled:
    """`None`: a trigger that met the lane when it was not over the one before."""
    episodes = tuple(
        Episode(number, together, one is None, False, one or FIGURES)
        for number, one in enumerate(each, 1)
    )
    return Sampled(name, policy, name, "", (), each=episodes)


def run_of(*lanes: Sampled, name: str = "runs/1", invalid: tuple[str, ...] = ()) -> SampledRun:
    made = Run(name, "one-dip", "live", 0.0, 0.1, 0, {}, {})
    return SampledRun(name, made, invalid, lanes)


def run(*each: Figures | None, name: str = "runs/1", invalid: tuple[str, ...] = ()) -> SampledRun:
    """A run of one lane."""
    return run_of(lane(*each), name=name, invalid=invalid)
