"""How long to wait before a retry: growth, jitter and caps, each wrapping another."""

from loadtests.policies.backoff.cap import Capped
from loadtests.policies.backoff.choice import ByFailure
from loadtests.policies.backoff.drawn import LinearDraw, PowerJitter
from loadtests.policies.backoff.fibonacci import Fibonacci, SharedFibonacci
from loadtests.policies.backoff.first import FirstAtOnce
from loadtests.policies.backoff.floor import AtLeast
from loadtests.policies.backoff.growth import LARGEST_WAIT_S, Exponential, Fixed, Linear
from loadtests.policies.backoff.jitter import (
    AddedJitter,
    BandJitter,
    DecorrelatedJitter,
    FullJitter,
)
from loadtests.policies.backoff.rising import RisingJitter
from loadtests.policies.backoff.rule import Backoff, BackoffState, next_wait_s
from loadtests.policies.backoff.smoothed import SmoothedJitter
from loadtests.policies.backoff.steps import StepJitter
from loadtests.policies.backoff.whole import Doubling, WholeFullJitter, WholeGrowth

__all__ = [
    "LARGEST_WAIT_S",
    "AddedJitter",
    "AtLeast",
    "Backoff",
    "BackoffState",
    "BandJitter",
    "ByFailure",
    "Capped",
    "DecorrelatedJitter",
    "Doubling",
    "Exponential",
    "Fibonacci",
    "FirstAtOnce",
    "Fixed",
    "FullJitter",
    "Linear",
    "LinearDraw",
    "PowerJitter",
    "RisingJitter",
    "SharedFibonacci",
    "SmoothedJitter",
    "StepJitter",
    "WholeFullJitter",
    "WholeGrowth",
    "next_wait_s",
]
