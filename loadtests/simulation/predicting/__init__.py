"""What simulation would have said of a run that is there: its scenario, and its prediction.

`likeness` reads the scenario of a run's record, `prediction` plays it with many seeds, `kept` keeps
the result beside the record.
"""

from loadtests.simulation.predicting.kept import predict
from loadtests.simulation.predicting.likeness import Likeness, liken

__all__ = ["Likeness", "liken", "predict"]
