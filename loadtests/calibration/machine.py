"""How busy this machine is: all that runs on it, by the kernel's count."""

from pathlib import Path

_STAT = Path("/proc/stat")


class MachineLoad:
    """The share of all cores in use since it was made."""

    def __init__(self) -> None:
        """Now."""
        self._before = _times()

    def busy(self) -> float:
        """From 0 to 1; 0 where the system does not say (it is no Linux)."""
        now = _times()
        total = sum(now) - sum(self._before)
        if total <= 0 or len(now) < 5:
            return 0.0
        idle = sum(now[3:5]) - sum(self._before[3:5])
        return min(max(1 - idle / total, 0.0), 1.0)


def _times() -> list[int]:
    """Time units as user, nice, system, idle, waiting for disks, …; see proc_stat(5)."""
    try:
        first = _STAT.read_text().split("\n", 1)[0].split()
    except OSError:
        return []
    return [int(part) for part in first[1:9]]
