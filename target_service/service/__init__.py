"""The service model: workers, a queue in front of them, who is refused. Time is an argument."""

from target_service.service.config import Abandoned, ServiceConfig, ShedFirst
from target_service.service.jobs import Fate, Job, Verdict
from target_service.service.model import QueueModel
from target_service.service.times import ServiceTime, parse_service_time

__all__ = [
    "Abandoned",
    "Fate",
    "Job",
    "QueueModel",
    "ServiceConfig",
    "ServiceTime",
    "ShedFirst",
    "Verdict",
    "parse_service_time",
]
