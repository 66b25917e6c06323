"""Who shares the state of a policy, its budget or breaker: one client, one process, or the lane."""

from enum import StrEnum

MAX_CLIENTS = 10_000_000
"""In a simulation by counts."""
MAX_OBJECTS = 100_000
"""States where each is an object of its own: in a live run, and in a simulation by events."""


class StateScope(StrEnum):
    """A budget in each of a hundred clients bounds each one, and not the hundred."""

    CLIENT = "client"
    PROCESS = "process"
    LANE = "lane"


def count_states(scope: StateScope, clients: int, processes: int) -> int:
    """How many states `clients` in `processes` have between them.

    Raises `ValueError` unless there are 1 to `MAX_CLIENTS` clients in 1 to as many processes.
    """
    if not 1 <= clients <= MAX_CLIENTS:
        raise ValueError(f"clients is {clients}: expected 1 to {MAX_CLIENTS}")
    if not 1 <= processes <= clients:
        raise ValueError(
            f"processes is {processes}: expected 1 to the number of clients, {clients}"
        )
    return {StateScope.CLIENT: clients, StateScope.PROCESS: processes, StateScope.LANE: 1}[scope]
