"""Courses and audits made by hand."""

from collections.abc import Mapping, Sequence

from faults.wire import TracedAttempt
from loadtests.audit.answer import Answer, End
from loadtests.audit.course import Audit, Closure, Course
from loadtests.audit.refusals import REFUSALS, Probe

OURS = "x-aftershock-attempt"
ENVOY = "x-envoy-attempt-count"


def attempts(
    times_s: Sequence[float],
    *,
    envoy: bool = False,
    ours: str = "stays",
    outcome: str = "admitted",
    numbers: Sequence[int] = (),
) -> tuple[TracedAttempt, ...]:
    """Attempts at these times; `ours` is what becomes of the header of our own, or its numbers."""
    made = []
    for place, t_s in enumerate(times_s, 1):
        said = {ENVOY: place} if envoy else {}
        if numbers:
            said[OURS] = numbers[place - 1]
        elif ours != "dropped":
            said[OURS] = place if ours == "counts" else 1
        made.append(TracedAttempt(t_s, said.get(OURS, 0), "audit", outcome, said))
    return tuple(made)


def course(
    method: str,
    refusal: str | None,
    times_s: Sequence[float] = (1.0,),
    status: int | None = 503,
    end: End = End.ANSWERED,
    headers: Mapping[str, str] | None = None,
    elapsed_s: float = 0.05,
    elsewhere: Mapping[str, int] | None = None,
    left_off: int = 0,
    problem: str = "",
    *,
    shows_headers: bool = True,
    envoy: bool = False,
    ours: str = "stays",
    outcome: str = "admitted",
    numbers: Sequence[int] = (),
    disturbances: Sequence[str] = (),
) -> Course:
    """One request that came to attempts at these times."""
    return Course(
        probe=Probe(method, None if refusal is None else REFUSALS[refusal]),
        trace_id="t",
        answer=Answer(end, elapsed_s, status, headers or {}, problem, shows_headers),
        attempts=attempts(times_s, envoy=envoy, ours=ours, outcome=outcome, numbers=numbers),
        left_off=left_off,
        elsewhere=elsewhere or {},
        disturbances=tuple(disturbances),
    )


def audit(
    *courses: Course, strangers: int = 0, closures: Sequence[Closure] = (), timeout_s: float = 10.0
) -> Audit:
    """An audit of these; a GET is served first where none of them is to be served."""
    healthy = tuple(each for each in courses if each.probe.refusal is None)
    return Audit(
        entry="http://entry:1",
        target="http://target:2",
        lane="audit",
        timeout_s=timeout_s,
        requests=(
            *(healthy or (course("GET", None, status=200),)),
            *(each for each in courses if each.probe.refusal is not None),
        ),
        closures=tuple(closures),
        strangers=strangers,
    )
