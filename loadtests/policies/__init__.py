"""What to do after a failed attempt. Pure: no clock, no I/O, no global random numbers.

`request` is the machine that drives one request through a policy; `policy` is what a policy
must answer; `backoff` and `budget` are the parts; `retry` puts them together; `catalogue` names
the presets.
"""

from loadtests.policies.actions import Action, Send, Stop, StopReason, Wait
from loadtests.policies.catalogue import PRESETS, PolicySpec
from loadtests.policies.outcome import Outcome
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.request import IllegalEventError, Request, State

__all__ = [
    "PRESETS",
    "Action",
    "IllegalEventError",
    "Outcome",
    "PolicySpec",
    "Request",
    "RetryPolicy",
    "Send",
    "State",
    "Stop",
    "StopReason",
    "Wait",
]
