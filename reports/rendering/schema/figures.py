"""The fields of what was measured: every measure by its name, and how they are distributed."""

from collections.abc import Mapping

from reports.measuring.catalogue import MEASURES
from reports.measuring.measure import Measure, Unit
from reports.rendering.schema.kinds import (
    Schema,
    defined,
    each,
    fields,
    flag,
    maybe,
    named,
    number,
    text,
    whole,
)


def figures() -> dict[str, Schema]:
    """All measures of a lane after a trigger, and what they were measured against."""
    return {
        "trigger": maybe(defined("trigger", "What disturbed this lane last. null: nothing did.")),
        "observed_s": maybe(number("How long it was watched after its trigger. null: no trigger.")),
        "recovered": maybe(
            flag(
                "Whether its load settled, and goodput did not stay away, within observed_s. "
                "null: no trigger."
            )
        ),
        **{measure.name: measured(measure) for measure in MEASURES},
        "relapse_waves": each(_wave(), "The relapses, one by one."),
        "load_settled_s": maybe(
            number(
                "When its load settled, whether goodput came back or not. null: it did not, or no "
                "trigger.",
                minimum=0,
            )
        ),
        "lingering_per_s": maybe(
            number(
                "Retries per second from when its load settled to the end, where each second had "
                "more of them than any second before the trigger. null: not so, or it did not "
                "settle.",
                minimum=0,
            )
        ),
        "noise_per_s": maybe(
            number(
                "Mean load of a second that ordinary noise does not exceed. null: less than a "
                "second was recorded before, or after it."
            )
        ),
        "noise_hides_storms": maybe(
            flag(
                "Whether noise_per_s is above capacity: a storm below noise_per_s is not told "
                "from noise. null: no trigger."
            )
        ),
        "capacity_per_s": number("Attempts per second, the median before.", minimum=0),
        "offered_before_per_s": number("Mean offered load before.", minimum=0),
        "succeeded": maybe(
            whole("Requests that succeeded. null: the lane's clients told of no request.")
        ),
        "failed_by_reason": named(whole(least=1), "Failed requests by reason."),
        "goodput_before_per_s": maybe(
            number(
                "Requests that succeeded per second before. null: no trigger, or the clients told "
                "of no request.",
                minimum=0,
            )
        ),
        "latency_before_ms": maybe(
            number(
                "95th percentile from due to done before, of requests that succeeded. "
                "null: none did, or no trigger.",
                minimum=0,
            )
        ),
    }


def measured(measure: Measure) -> Schema:
    """A measure as a number; null where it did not come about, or cannot be measured."""
    limits = {"maximum": 1.0} if measure.unit is Unit.SHARE else {}
    if measure.always:
        return number(measure.meaning, minimum=0, **limits)
    late = "it did not come about while it was watched, or " if _may_be_late(measure) else ""
    return maybe(number(f"{measure.meaning} null: {late}it cannot be told.", minimum=0, **limits))


def _may_be_late(measure: Measure) -> bool:
    return measure.unit in {Unit.SECONDS, Unit.MULTIPLE}


def episode() -> Schema:
    """One trigger of a lane: what it was, and all that was measured after it."""
    return fields(
        {
            "number": whole("Which of the lane's triggers it is.", least=1),
            "together": whole(
                "Disturbances that overlapped or followed each other at once: they are one "
                "trigger, and measured after the last to end.",
                least=1,
            ),
            "began_unsettled": flag(
                "Whether the lane had not settled after the one before: then it met no steady "
                "state, and is no sample."
            ),
            "cut_by_next": flag("Whether it was watched until the next began, and not to the end."),
            **figures(),
        }
    )


def distribution(more: Mapping[str, Schema] | None = None) -> Schema:
    """One lane over the triggers of a run, or over many runs, of which `more` is said."""
    share = number(minimum=0, maximum=1)
    return fields(
        {
            "title": text("What the report calls the lane."),
            "lane": text("The lane."),
            "policy": text("The policy."),
            "n": whole("Samples: triggers that met a steady state.", least=1),
            "runs": whole("Runs that these are of.", least=1),
            "left_out": whole("Triggers that began before the lane had settled: no samples."),
            "recovered": whole("Samples in which the lane recovered while it was watched."),
            "recovered_interval": each(
                share,
                "Between what the share lies that recovers, with 95% confidence (exact): of this "
                "run's triggers; over several runs, of the runs that recover each time.",
            ),
            "measures": fields(
                {measure.name: defined("summary") for measure in MEASURES},
                "By their names; without those that cannot be told of every sample. What settled "
                "though goodput did not come back is late.",
                optional=frozenset(measure.name for measure in MEASURES),
            ),
            **(more or {}),
        }
    )


def sample() -> Schema:
    """One lane in one run, or after one of its triggers: every measure by its name."""
    return fields(
        {
            "recovered": maybe(flag("Whether it did while it was watched. null: no trigger.")),
            "observed_s": maybe(number("How long it was watched. null: no trigger.", minimum=0)),
            **{measure.name: measured(measure) for measure in MEASURES},
            "load_settled_s": maybe(
                number(
                    "When its load settled, whether goodput came back or not. null: it did not, "
                    "or no trigger.",
                    minimum=0,
                )
            ),
            "overdue": whole(
                "Requests without an answer at the end, longer than an attempt may take."
            ),
        }
    )


def summary() -> Schema:
    """One measure over the samples."""
    return fields(
        {
            "n": whole("Samples.", least=1),
            "late": whole("Samples in which it did not come about while they were watched."),
            "median": defined("value", "Half of the samples are no more than this."),
            "interval": maybe(
                each(
                    defined("value"),
                    "Between what the median lies, with 95% confidence. null: fewer than 6 "
                    "samples, which cannot tell.",
                )
            ),
            "p05": defined("value", "One in twenty is no more than this."),
            "p95": defined("value", "Nineteen in twenty are no more than this."),
            "least": defined("value", "The least that came about; if none did, was watched."),
            "most": defined("value", "The most."),
        }
    )


def value() -> Schema:
    """A number, or that it is beyond one."""
    return fields(
        {
            "value": maybe(number("null: it had not come about while it was watched.")),
            "beyond": maybe(number("By when it had not come about. null: it had.")),
        }
    )


def _wave() -> Schema:
    after = "Seconds after the trigger's end."
    return fields(
        {
            "start_s": number(after, minimum=0),
            "end_s": number(after, minimum=0),
            "attempts": number("Attempts above capacity in it.", minimum=0),
        }
    )
