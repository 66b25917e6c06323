"""Audits of real layers in front of a real target."""

import time
from collections.abc import Callable, Iterable

from faults.admin import AdminClient
from loadtests.audit.answer import Sender
from loadtests.audit.auditor import Auditor, AuditPlan
from loadtests.audit.course import Audit
from loadtests.audit.refusals import parse_methods, parse_refusals
from loadtests.audit.sending import EntrySender
from tests.target_service.live import LiveTarget

QUICK = ("--tick", "10ms", "--capacity", "1000/s")
"""A target of short ticks: a refusal begins and ends with one."""


def audited(
    target: LiveTarget,
    entry: str,
    refusals: Iterable[str] = (),
    methods: Iterable[str] = (),
    timeout_s: float = 5.0,
    pause_s: float = 0.0,
    lane: str = "audit",
    sender: Sender | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Audit:
    """The audit of what stands at `entry`, or of what this sender goes through."""
    wanted = AuditPlan(
        entry=entry,
        target=target.url,
        methods=parse_methods(methods),
        refusals=parse_refusals(refusals),
        lane=lane,
        timeout_s=timeout_s,
        pause_s=pause_s,
    )
    sender = sender or EntrySender(entry, "/work", timeout_s)
    admin = AdminClient(target.url)
    auditor = Auditor(admin, sender, wanted, sleep)
    auditor.run(lambda _what, _done, _of: None)
    assert auditor.still_refusing is None
    assert [fault.state for fault in admin.faults() if not fault.over] == []
    admin.close()
    return auditor.audit()


def counted(seen: Audit, method: str) -> dict[str, int]:
    """Attempts by refusal."""
    return {
        course.probe.refusal.name: course.total
        for course in seen.courses
        if course.probe.refusal is not None and course.probe.method == method
    }


def statuses(seen: Audit, method: str) -> dict[str, int | None]:
    """What the client got, by refusal."""
    return {
        course.probe.refusal.name: course.answer.status
        for course in seen.courses
        if course.probe.refusal is not None and course.probe.method == method
    }
