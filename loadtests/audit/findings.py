"""All that an audit found, the most important first. Pure."""

from collections.abc import Callable, Iterator

from loadtests.audit.course import Audit
from loadtests.audit.finding import Finding
from loadtests.audit.marks import lost, numbers
from loadtests.audit.retries import copies, danger, none, orphaned, retries, retry_after
from loadtests.audit.told import disturbed, limits, told

_FINDERS: tuple[Callable[[Audit], Iterator[Finding]], ...] = (
    disturbed,
    retries,
    copies,
    none,
    lost,
    danger,
    orphaned,
    retry_after,
    numbers,
    told,
    limits,
)


def findings(audit: Audit) -> tuple[Finding, ...]:
    """The sentences; the first is the headline."""
    return tuple(finding for find in _FINDERS for finding in find(audit))
