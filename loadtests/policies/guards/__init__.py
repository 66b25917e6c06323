"""Breakers and throttles: what stands before every attempt of a scope."""

from loadtests.policies.guards.aws_adaptive import AwsAdaptive
from loadtests.policies.guards.rule import (
    ADMITTED,
    Admission,
    Admitted,
    Delayed,
    Guard,
    Refused,
)

__all__ = ["ADMITTED", "Admission", "Admitted", "AwsAdaptive", "Delayed", "Guard", "Refused"]
