"""How many attempts a tick may admit, when capacity times tick is not a whole number."""

_UNITS = 10**9
"""One attempt. Whole units add up without the drift of floats: 3.3 a tick is 330 in 100 ticks."""


class Admission:
    """Admits at most capacity · tick attempts in each tick.

    The fraction that a tick could not use is carried into the next one: 9.5 a tick admits 9, 10, 9,
    10, … Whole admissions that nobody asked for are lost, as a service's idle time is. Turning an
    attempt away takes `turn_away_cost` of an admission, if need be of the next ticks'.
    """

    __slots__ = ("_cost", "_left")

    def __init__(self, turn_away_cost: float = 0.0) -> None:
        self._left = 0
        self._cost = round(turn_away_cost * _UNITS)

    def open_tick(self, capacity_per_s: float, tick_s: float) -> None:
        """Begin a tick with this capacity in force."""
        kept = self._left % _UNITS if self._left > 0 else self._left
        self._left = kept + round(capacity_per_s * tick_s * _UNITS)

    @property
    def whole(self) -> int:
        """Whole admissions that are left in this tick."""
        return max(0, self._left) // _UNITS

    def admit(self) -> bool:
        """Take one admission of this tick; False when there is none left."""
        if self._left < _UNITS:
            self._left -= self._cost
            return False
        self._left -= _UNITS
        return True
