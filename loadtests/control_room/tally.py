"""What the clients counted, as it is recorded: totals of the run and of the process."""

from collections.abc import Sequence

from reports.record import Line


class ClientTally:
    """Hears the lines of a record and adds up those of the clients."""

    def take(self, lines: Sequence[Line]) -> None:
        """Lines that have just been recorded. A header begins a run."""
