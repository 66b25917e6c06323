"""What to do after a failed attempt. Pure: no clock, no I/O, no global random numbers.

`request` is the machine that drives one request through a policy; `policy` is what a policy must
answer, `actions` what it can. `retry` is the loop that puts the parts together: `backoff` (how long
to wait), `conditions` (what to retry), `limits` (deadlines), `words` (what the server said),
`budgets`, and `guards` (breakers and throttles). `wrappers` are policies around other policies;
`hedging` is the one that does not wait for an attempt to end. `catalogue` names the presets, and
`outage` says what they come to when nothing succeeds.
"""

from loadtests.policies.actions import SEND, Action, Await, Send, Stop, StopReason, Wait
from loadtests.policies.call import Call
from loadtests.policies.catalogue import PRESETS, Preset, preset
from loadtests.policies.outcome import AttemptError, Outcome
from loadtests.policies.policy import Course, RetryPolicy
from loadtests.policies.request import (
    IllegalAnswerError,
    IllegalEventError,
    PolicyError,
    Request,
    State,
)

__all__ = [
    "PRESETS",
    "SEND",
    "Action",
    "AttemptError",
    "Await",
    "Call",
    "Course",
    "IllegalAnswerError",
    "IllegalEventError",
    "Outcome",
    "PolicyError",
    "Preset",
    "Request",
    "RetryPolicy",
    "Send",
    "State",
    "Stop",
    "StopReason",
    "Wait",
    "preset",
]
