"""The schema of `report.json` as a whole."""

from reports.rendering.schema import figures, prediction, run
from reports.rendering.schema.kinds import (
    Schema,
    defined,
    each,
    fields,
    flag,
    maybe,
    number,
    text,
    whole,
)
from reports.rendering.to_json import SCHEMA

TYPES = "dip, spike, latency, error, hang, reset or cut"


def document() -> Schema:
    """Of `report.json`. What the file is made of, and what this is, is one catalogue."""
    properties: dict[str, Schema] = {
        "schema": {"description": "Version of this format.", "const": SCHEMA},
        "valid": flag("Whether the result can be trusted."),
        "going_on": flag(
            "Whether the run went on when this was made (`--so-far`): what is not there may come "
            "yet."
        ),
        "invalid_because": each(text(), "Why not, in words; empty when valid."),
        "notes": each(text(), "What else a reader must know, in words."),
        "trigger": maybe(
            defined(
                "trigger",
                "What recovery is measured after: the last disturbance to end. null: there was "
                "none.",
            )
        ),
        "observed_s": number(
            "How long the lanes were watched after the trigger; 0 without one.", minimum=0
        ),
        "end_s": number("When the load ended."),
        "worst": maybe(text("The lane that recovered worst. null: none was disturbed.")),
        "best": maybe(
            text("The lane that recovered best, of several. null: nothing tells them apart.")
        ),
        "policies": each(_policy(), "One entry a lane, in the order of the record."),
        "distributions": each(
            figures.distribution(),
            "Where one trigger was repeated: one entry a lane. Empty otherwise.",
        ),
        "health": run.health(),
        "run": run.run(),
        "prediction": prediction.prediction(),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "report.json of aftershock",
        "description": "Made by `make docs`: do not edit. docs/report.md says more about every "
        "field. All times are seconds from the anchor of the record unless said.",
        **fields(properties, optional=frozenset({"prediction"})),
        "$defs": definitions(),
    }


def definitions() -> dict[str, Schema]:
    """What stands in several places, by the name under which the schema defines it."""
    return {
        "trigger": _trigger(),
        "stack": _stack(),
        "event": _event(),
        "range": prediction.range_(),
        "summary": figures.summary(),
        "value": figures.value(),
    }


def _policy() -> Schema:
    return fields(
        {
            "name": text("The policy."),
            "lane": text("The lane that the policy loaded."),
            "title": text("What the report calls the lane."),
            "describe": text("The policy in words; may be empty."),
            **figures.figures(),
            "layers": maybe(_layers()),
            "faults": each(defined("event"), "Everything that disturbed the lane."),
            "actions": each(defined("event"), "What an operator did to it."),
            "episodes": each(
                figures.episode(),
                "Its triggers one by one, each watched until the next began, and counted from its "
                "own begin until then; of a single one the counts are those of the run.",
            ),
        }
    )


def _trigger() -> Schema:
    return fields(
        {
            "type": text(f"{TYPES}; or mixed, where several that overlapped are not of one."),
            "start_s": number("Its first tick; of several together that of the first."),
            "end_s": number("First tick after it; of several together after the last to end."),
            "capacity_per_s": maybe(
                number(
                    "Lowest capacity in force in it. null: no dip, or no tick was recorded in it.",
                    minimum=0,
                )
            ),
            "shape": text("step or ramp."),
            "text": text('In detail, in words: what a dip left, "200ms ± 50ms, 50%", "× 3".'),
            "lanes": maybe(each(text(), "The lanes it was meant for. null: all.")),
            "count": whole("How many disturbances there were; this is the last.", least=1),
            "together": whole(
                "How many of them this is: they overlapped, or followed each other at once.",
                least=1,
            ),
            "length_s": number("end_s - start_s.", exclusiveMinimum=0),
        }
    )


def _event() -> Schema:
    return fields(
        {
            "type": text(f"{TYPES}; or shed, block-retries, reopen."),
            "text": text("In detail, in words."),
            "start_s": number("Seconds after the trigger's end; below 0 before it."),
            "end_s": number("Seconds after the trigger's end."),
        }
    )


def _layers() -> Schema:
    return fields(
        {
            "in_trigger": maybe(
                defined(
                    "stack",
                    "Of what arrived in the second half of the trigger. null: there was none.",
                )
            ),
            "over_run": defined("stack", "Of what arrived over the run."),
        },
        "Attempts per layer. null: the lane's attempts pass no gateway.",
    )


def _stack() -> Schema:
    level = fields(
        {
            "made_by": text("client, or the gateway's name."),
            "attempts": whole("Attempts that it made: what arrived at the next layer."),
            "factor": maybe(number("attempts divided by those that came to it. null: none came.")),
        }
    )
    return fields(
        {
            "requests": whole("Requests that became due."),
            "levels": each(level, "The layers, from the client inward."),
            "attempts": whole("Attempts that arrived at the target."),
            "product": maybe(number("attempts divided by requests. null: there were no requests.")),
        }
    )
