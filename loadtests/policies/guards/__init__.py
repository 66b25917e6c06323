"""Breakers and throttles: what stands before every attempt of a scope."""

from loadtests.policies.guards.adaptive import AdaptiveThrottle
from loadtests.policies.guards.admission_control import AdmissionControl
from loadtests.policies.guards.aiobreaker import AioBreaker
from loadtests.policies.guards.aws_adaptive import AwsAdaptive
from loadtests.policies.guards.consecutive import ConsecutiveBreaker
from loadtests.policies.guards.hystrix import HystrixBreaker
from loadtests.policies.guards.polly import PollyBreaker
from loadtests.policies.guards.pybreaker import PyBreaker
from loadtests.policies.guards.resilience4j import Resilience4jBreaker
from loadtests.policies.guards.rule import (
    ADMITTED,
    Admission,
    Admitted,
    Delayed,
    Guard,
    Refused,
)
from loadtests.policies.guards.verdict import FAILURE_STATUSES, Failures

__all__ = [
    "ADMITTED",
    "FAILURE_STATUSES",
    "AdaptiveThrottle",
    "Admission",
    "AdmissionControl",
    "Admitted",
    "AioBreaker",
    "AwsAdaptive",
    "ConsecutiveBreaker",
    "Delayed",
    "Failures",
    "Guard",
    "HystrixBreaker",
    "PollyBreaker",
    "PyBreaker",
    "Refused",
    "Resilience4jBreaker",
]
