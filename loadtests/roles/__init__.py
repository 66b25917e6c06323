"""What each process of a Locust test does for a run: the only one, the master, a worker.

The only process, or the master, owns the run: it triggers the dips and writes the record.
Processes with users count. Workers send their counts to the master every second.
"""

from locust.env import Environment
from locust.runners import LocalRunner, MasterRunner, WorkerRunner

from loadtests.recording import Told
from loadtests.roles.lanes import lanes_of
from loadtests.roles.master import Master
from loadtests.roles.role import OnFailure
from loadtests.roles.single import Single
from loadtests.roles.worker import Worker

__all__ = ["lanes_of", "role_of"]


def role_of(
    environment: Environment, on_failure: OnFailure, told: Told
) -> Single | Master | Worker:
    """The part of this process, by its runner. `told` hears what is recorded in it."""
    match environment.runner:
        case MasterRunner() as runner:
            return Master(environment, runner, on_failure, told)
        case WorkerRunner() as runner:
            return Worker(environment, runner, on_failure)
        case LocalRunner() as runner:
            return Single(environment, runner, on_failure, told)
        case other:
            raise TypeError(f"a Locust runner of an unknown kind: {other!r}")
