"""Which numbers the users of a process get: no two users of a test share one."""

MAX_USERS = 1_000_000
"""More than any process spawns: bounds the blocks in which users are numbered."""


def user_numbers(index: int, workers: list[int]) -> range:
    """The numbers for the users of the worker with this index, no other worker having them.

    Workers that were there at the start take turns, so that the arrivals of all users lie evenly
    between each other. Locust's indexes have gaps, and a worker may join a test that runs: it
    gets a block of its own.
    """
    if index in workers:
        return range(workers.index(index), MAX_USERS, len(workers))
    return range(MAX_USERS * (index + 1), MAX_USERS * (index + 2))
