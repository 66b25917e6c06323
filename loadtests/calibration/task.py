"""What to calibrate, and within which bounds. Pure."""

from dataclasses import dataclass, field

from loadtests.arrivals import Arrivals
from loadtests.calibration.planning import Plan
from loadtests.calibration.request import TargetRequest
from loadtests.calibration.steps import StepLimits


@dataclass(frozen=True, slots=True)
class Task:
    """All that a calibration is asked for; `timeout_s` bounds a request, `max_time_s` it all."""

    request: TargetRequest
    plan: Plan = field(default_factory=Plan)
    limits: StepLimits = field(default_factory=StepLimits)
    timeout_s: float = 5.0
    max_time_s: float = 600.0
    arrivals: Arrivals = Arrivals.CONSTANT
