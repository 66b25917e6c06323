"""What presets of libraries that retry a function have in common: the function raises, or not."""

from dataclasses import dataclass
from typing import ClassVar

from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.conditions.raised import ERROR_WORDS

FUNCTION_NOTE = (
    "What the function raises is its own affair; here it raises for any status from 400 on, as "
    "`raise_for_status` does, so that a 404 is retried too unless `statuses` says otherwise."
)
NO_JITTER = Fault("no jitter: all that failed together come back together", "aws-blog-full")


@dataclass(frozen=True)
class FunctionPreset(Preset):
    """What any of them retries."""

    family = Family.RETRY_LIBRARIES
    notes: ClassVar[tuple[str, ...]] = (FUNCTION_NOTE,)

    statuses: frozenset[int] | None = parameter(
        None, "statuses that raise what is retried; none: any from 400 on"
    )
    errors: frozenset[str] = parameter(
        frozenset(ERROR_WORDS), "errors that are retried", choices=tuple(ERROR_WORDS)
    )
