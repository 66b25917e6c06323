"""Every measure, once: a measure that is added here stands in every table, file, and check."""

from collections.abc import Callable

from reports.measuring.measure import Better, Measure, Part, Unit
from reports.measuring.recovery import Aftermath, Cost, Figures
from reports.statistics.value import Value


def _moment(found_s: Callable[[Aftermath], float | None]) -> Callable[[Figures], Value | None]:
    """Of seconds after the trigger: what did not come about took longer than it was watched."""

    def of(figures: Figures) -> Value | None:
        after = figures.after
        if after is None:
            return None
        moment_s = found_s(after)
        return Value(after.observed_s, late=True) if moment_s is None else Value(moment_s)

    return of


def _after(found: Callable[[Aftermath], float | None]) -> Callable[[Figures], Value | None]:
    """Of what is counted after a trigger; `None` where there was none."""
    return lambda figures: _value(found(figures.after)) if figures.after else None


def _cost(found: Callable[[Cost], float | None]) -> Callable[[Figures], Value | None]:
    """Of what a trigger cost; `None` where there was none."""
    return lambda figures: _value(found(figures.cost)) if figures.cost else None


def _plain(found: Callable[[Figures], float | None]) -> Callable[[Figures], Value | None]:
    return lambda figures: _value(found(figures))


def _value(amount: float | None) -> Value | None:
    return None if amount is None else Value(float(amount))


def _recovered_s(after: Aftermath) -> float | None:
    """When the load settled, if the lane recovered: load may fit and nobody be served."""
    return after.settled_s if after.recovered else None


def _times_trigger(figures: Figures) -> Value | None:
    settled = _moment(_recovered_s)(figures)
    trigger = figures.trigger
    if settled is None or trigger is None or not trigger.length_s:
        return None
    return Value(settled.amount / trigger.length_s, settled.late)


def _goodput_back(figures: Figures) -> Value | None:
    after = figures.after
    if after is None or not after.goodput_known:
        return None
    return _moment(lambda after: after.goodput_back_s)(figures)


def _latency_back(figures: Figures) -> Value | None:
    cost = figures.cost
    if cost is None or cost.latency_before_ms is None:
        return None
    return _moment(lambda _: cost.latency_back_s)(figures)


def _failed_share(figures: Figures) -> Value | None:
    """Of the requests; `None` without any, or where what became of them was not told."""
    if figures.failed is None or not figures.requests:
        return None
    return Value(figures.failed / figures.requests)


MOMENT = (Unit.SECONDS, Unit.MULTIPLE)
NOT_RECOVERED = "not recovered"

FIRST_FIT = Measure(
    "first_fit_s", "first fit", Unit.SECONDS, Part.RECOVERY,
    "Time from the trigger's end to the first tick whose offered load fits in capacity. "
    "A storm that comes in waves fits between two of them.",
    _moment(lambda after: after.first_fit_s), brief="first fit", limits=MOMENT, lack="no fit",
)  # fmt: skip
SETTLED = Measure(
    "settled_s", "settled", Unit.SECONDS, Part.RECOVERY,
    "Time from the trigger's end until offered load, in windows of one second, is under "
    "capacity and stays there for five; not before first fit. Load that is as high as ordinary "
    "noise before is no storm.",
    _moment(_recovered_s), brief="settled", limits=MOMENT, lack=NOT_RECOVERED, verdict=True,
)  # fmt: skip
TIMES_TRIGGER = Measure(
    "times_trigger", "÷ trigger", Unit.MULTIPLE, Part.RECOVERY,
    "Settled, divided by how long the trigger was: 3× means three dips' time to recover.",
    _times_trigger, brief="÷ trigger", lack=NOT_RECOVERED,
)  # fmt: skip
AMPLIFICATION = Measure(
    "amplification", "amplification", Unit.FACTOR, Part.COST,
    "Attempts ÷ requests.",
    _plain(lambda figures: figures.amplification), brief="ampl.", limits=(Unit.FACTOR,),
)  # fmt: skip
FAILED = Measure(
    "failed", "failed", Unit.COUNT, Part.COST,
    "Requests that ended without success.",
    _plain(lambda figures: figures.failed), brief="failed", limits=(Unit.COUNT, Unit.SHARE),
)  # fmt: skip
FAILED_SHARE = Measure(
    "failed_share", "failed (share)", Unit.SHARE, Part.COST,
    "Failed requests ÷ requests.",
    _failed_share,
)  # fmt: skip

MEASURES = (
    FIRST_FIT,
    SETTLED,
    TIMES_TRIGGER,
    Measure(
        "goodput_back_s", "goodput back", Unit.SECONDS, Part.RECOVERY,
        "Time from the trigger's end until at least 95% as large a share of requests succeeds as "
        "before, in windows of one second, and stays so for five. Requests count when they were "
        "due. A lane whose load settled and whose goodput is not back has not recovered.",
        _goodput_back, limits=MOMENT, lack="not back", verdict=True,
    ),
    Measure(
        "relapses", "relapses", Unit.COUNT, Part.RECOVERY,
        "How often load was above capacity again after it had settled.",
        _after(lambda after: len(after.relapses)), limits=(Unit.COUNT,),
    ),
    Measure(
        "peak_per_s", "peak load", Unit.RATE, Part.RECOVERY,
        "The highest offered load of any tick.",
        _plain(lambda figures: figures.peak_per_s), brief="peak/s",
        limits=(Unit.RATE, Unit.FACTOR), always=True,
    ),
    Measure(
        "storm_attempts", "storm", Unit.COUNT, Part.RECOVERY,
        "Attempts above capacity after the trigger had ended.",
        _after(lambda after: after.storm_attempts), brief="storm", limits=(Unit.COUNT,),
    ),
    Measure(
        "requests", "requests", Unit.COUNT, Part.COST,
        "What users wanted done. One ends in success or failure.",
        _plain(lambda figures: figures.requests), better=Better.NEITHER, always=True,
    ),
    Measure(
        "attempts", "attempts", Unit.COUNT, Part.COST,
        "HTTP calls. A request makes one or more; those after the first are retries.",
        _plain(lambda figures: figures.attempts), brief="attempts", better=Better.NEITHER,
        always=True,
    ),
    AMPLIFICATION,
    Measure(
        "worst_amplification", "worst second", Unit.FACTOR, Part.COST,
        "Amplification of the worst second. There are retries of requests from before it too: it "
        "may be more than a policy makes of one.",
        _plain(lambda figures: figures.worst_amplification), limits=(Unit.FACTOR,),
    ),
    FAILED,
    FAILED_SHARE,
    Measure(
        "failed_anyway", "of these anyway", Unit.COUNT, Part.COST,
        "Failed requests that would have failed without retries too: what did not fit while the "
        "trigger lasted, or what it struck. The other failures are collateral of the retries.",
        _cost(lambda cost: cost.failed_anyway), better=Better.NEITHER,
    ),
    Measure(
        "unfinished", "unfinished", Unit.COUNT, Part.COST,
        "Requests that had neither failed nor succeeded at the end.",
        _plain(lambda figures: figures.unfinished), limits=(Unit.COUNT, Unit.SHARE),
    ),
    Measure(
        "goodput_lost", "goodput lost", Unit.COUNT, Part.COST,
        "Of the requests due from the first disturbance on, those that would have succeeded had as "
        "large a share as before.",
        _cost(lambda cost: cost.goodput_lost), limits=(Unit.COUNT, Unit.SHARE),
    ),
    Measure(
        "latency_back_s", "latency back", Unit.SECONDS, Part.COST,
        "Time from the trigger's end until the p95 latency is within half of what it was before "
        "(or 10 ms) and stays there for five seconds. Of a load below 20/s the p95 is taken over "
        "as many seconds as have 20 requests.",
        _latency_back, limits=MOMENT, lack="not back",
    ),
    Measure(
        "longest_queue", "longest queue", Unit.COUNT, Part.SERVICE,
        "The most attempts that waited at the end of a tick.",
        _plain(lambda figures: figures.service.longest_queue), brief="queue",
        limits=(Unit.COUNT,), always=True,
    ),
    Measure(
        "abandoned", "abandoned", Unit.COUNT, Part.SERVICE,
        "Attempts whose client had gone before the answer was complete; a service may have "
        "worked on them all the same.",
        _plain(lambda figures: figures.service.abandoned), brief="abandoned",
        limits=(Unit.COUNT,), always=True,
    ),
    Measure(
        "work_lost", "work for clients that had gone", Unit.SHARE, Part.SERVICE,
        "Of the service's work, from the trigger's end until load and goodput were back, what was "
        "for clients that had gone.",
        _after(lambda after: after.work_lost), limits=(Unit.SHARE,),
    ),
    Measure(
        "shed", "shed", Unit.COUNT, Part.SERVICE,
        "Attempts that the service had let wait, and then refused.",
        _plain(lambda figures: figures.service.shed), brief="shed", better=Better.NEITHER,
        always=True,
    ),
    Measure(
        "blocked", "blocked", Unit.COUNT, Part.SERVICE,
        "Attempts that an operator turned away at the edge, before the service.",
        _plain(lambda figures: figures.service.blocked), brief="blocked", better=Better.NEITHER,
        always=True,
    ),
    Measure(
        "failed_by_service", "failed by the service", Unit.COUNT, Part.SERVICE,
        "Attempts answered with an error that lack of capacity was not the cause of.",
        _plain(lambda figures: figures.service.failed), brief="failed by it",
        limits=(Unit.COUNT,), always=True,
    ),
)  # fmt: skip
"""In the order of the tables."""


def of_part(part: Part) -> tuple[Measure, ...]:
    """The measures of one table."""
    return tuple(measure for measure in MEASURES if measure.part is part)


def brief_of(*parts: Part) -> tuple[Measure, ...]:
    """Those of these tables that have a place in 80 columns."""
    return tuple(measure for measure in MEASURES if measure.brief and measure.part in parts)
