"""Which policies are quiet: nothing follows from a success but that the request is over.

Of such a policy an engine need not tell a request before its first failure.
"""

from random import Random

from loadtests.policies import Call, Request, RetryPolicy, Send
from loadtests.policies.retry import NoRetry, Retry


def first_send(policy: RetryPolicy) -> Send | None:
    """The first attempt of every request of a quiet policy; None: the policy is not quiet.

    A `Retry` is quiet without a budget, which counts requests and successes, and without a guard,
    which is asked before each attempt. Then a first attempt is bounded alike in every request.
    """
    without_state = isinstance(policy, Retry) and policy.budget is None and policy.guard is None
    if not (without_state or isinstance(policy, NoRetry)):
        return None
    action = Request(policy, Call(Random(0))).start(0.0)
    return action if isinstance(action, Send) else None
