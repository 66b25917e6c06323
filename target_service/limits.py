"""What nothing from outside can exceed. ``GET /admin/state`` tells most, errors tell theirs."""

MAX_LANES = 64
MAX_LANE_NAME = 64
"""Characters in the name of a lane."""
MAX_ATTEMPT = 32
"""Attempts above this number are counted in this, the last, place."""
MAX_DIPS = 100
"""Dips pending or active at once; as many that are over stay listed."""
MIN_DIP_S = 0.001
"""What is shorter was not meant: it would still last a tick."""
MAX_DIP_S = 3600.0
MAX_FAULTS = 100
"""Faults pending or active at once; as many that are over stay listed."""
MAX_ACTIONS = 100
"""An operator's actions, likewise."""
MAX_ADDED_LATENCY_S = 300.0
MAX_HANG_S = 300.0
"""An attempt without an answer is held for so long at most; then its connection is reset."""
MAX_RETRY_AFTER_S = 3600.0
MAX_AFTER_S = 86_400.0
MAX_CAPACITY_PER_S = 1_000_000.0
MAX_WORKERS = 10_000
MAX_SERVICE_S = 3600.0
"""The mean of a service time."""
MAX_QUEUE = 100_000
"""Attempts that wait in a lane."""
MAX_WAIT_S = 3600.0
"""What a lane can be told to let an attempt wait at most."""
KEPT_TICKS = 3000
"""Finished ticks that can still be read: five minutes of 100 ms ticks."""
TICKS_PER_PAGE = 600
"""Ticks in one answer of ``GET /admin/ticks``."""
MAX_HEAD_BYTES = 65_536
"""Of a request: its line and headers."""
MAX_BODY_BYTES = 65_536
"""Bytes in the body of one call of the admin API."""
MAX_TRACES = 200
"""Marked requests whose attempts are remembered; the oldest is forgotten first."""
MAX_TRACED_ATTEMPTS = 500
"""Attempts remembered of one marked request; more are only counted."""
