"""Predictions made by hand, for what shows them."""

from reports.prediction import Band, PredictedLane, Prediction, Range
from reports.summary import Report


def band(low: float, median: float, high: float, ticks: int = 410) -> Band:
    """The same in each tick, from 11 s before the trigger's end."""
    return Band(
        t_s=tuple(round(-11 + tick / 10, 6) for tick in range(ticks)),
        low_per_s=(low,) * ticks,
        median_per_s=(median,) * ticks,
        high_per_s=(high,) * ticks,
    )


def lane(name: str, **figures: Range | None) -> PredictedLane:
    """A lane for which all of this is predicted, unless said otherwise."""
    ranges = {
        "peak_per_s": Range(180.0, 200.0, 210.0),
        "first_fit_s": Range(5.0, 5.5, 6.0),
        "settled_s": Range(5.0, 5.6, 6.2),
        "failed": Range(0.0, 1.0, 2.0),
        "attempts": Range(1_000.0, 2_000.0, 9_000.0),
        **figures,
    }
    return PredictedLane(lane=name, band=band(80.0, 90.0, 320.0), **ranges)  # type: ignore[arg-type]


def prediction(*lanes: PredictedLane, notes: tuple[str, ...] = ()) -> Prediction:
    """20 runs by the events engine."""
    return Prediction(runs=20, seed=7, engine="events", notes=notes, lanes=lanes)


def of_all(report: Report) -> Prediction:
    """The same for every lane of the report."""
    return prediction(*(lane(policy.lane) for policy in report.policies))
