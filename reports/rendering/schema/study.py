"""The schema of `distribution.json`: what several runs say together."""

from reports.rendering.schema import figures
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
from reports.rendering.study.to_json import CONFIDENCE, SCHEMA


def document() -> Schema:
    """Of `distribution.json`, of the same catalogue."""
    properties: dict[str, Schema] = {
        "schema": {"description": "Version of this format.", "const": SCHEMA},
        "name": maybe(text("Of the scenario. null: the runs have several.")),
        "valid": flag("Whether every condition has a run that counts."),
        "versions": named(text(), "Of what wrote it."),
        "planned": whole("Runs that were asked for.", least=1),
        "done": whole("Runs that are there: a simulation may be stopped before the last.", least=1),
        "left_out": whole("Runs that are there and do not count."),
        "confidence": {"description": "Of all intervals.", "const": CONFIDENCE},
        "method": text("How the intervals were made, in words."),
        "notes": each(text(), "What else a reader must know, in words."),
        "worst": maybe(
            defined("placed", "Which lane recovered worst. null: none that counts was disturbed.")
        ),
        "best": maybe(
            defined("placed", "Which recovered best, of several. null: nothing tells them apart.")
        ),
        "conditions": each(
            _condition(), "Runs whose scenarios differ in no more than seed, name and check."
        ),
        "runs": each(_run(), "A line of the file a run."),
        "scenarios": each({"type": "object"}, "One a condition, as its first run has it."),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "distribution.json of aftershock",
        "description": "Made by `make docs`: do not edit. docs/report.md says more about every "
        "field.",
        **fields(properties),
        "$defs": definitions(),
    }


def definitions() -> dict[str, Schema]:
    """What stands in several places, by the name under which the schema defines it."""
    return {"placed": _placed(), "summary": figures.summary(), "value": figures.value()}


def _placed() -> Schema:
    return fields(
        {
            "condition": whole("Under which condition: its place in conditions, from 0 on."),
            "title": text("What the lane is called."),
        }
    )


def _condition() -> Schema:
    lane = figures.distribution(
        {
            "disturbed": flag("Whether there was anything to recover from."),
            "observed_s": number("How long the longest sample was watched.", minimum=0),
            "unanswered": whole(
                "Samples with more unanswered requests at the end than were merely on their way."
            ),
        }
    )
    return fields(
        {
            "label": text(
                "Its scenario's name where names tell them apart, or else what does, in words; "
                "empty if there is one."
            ),
            "differs": named(text(), "The same in full, by key of the scenario."),
            "runs": whole("Runs under it.", least=1),
            "left_out": whole("Those of them that do not count."),
            "notes": each(text(), "What else to know of them, in words."),
            "lanes": each(lane, "One entry a lane that is in any run that counts."),
        }
    )


def _run() -> Schema:
    lane = fields(
        {
            "lane": text("The lane."),
            "policy": text("The policy."),
            "left_out": whole("Triggers that began before the lane had settled: no samples."),
            "samples": each(
                figures.sample(),
                "One, or of a repeated trigger one each time. Every measure stands in it by its "
                "name, as in `report.json`; and these.",
            ),
        }
    )
    return fields(
        {
            "condition": whole("Its place in conditions, from 0 on."),
            "id": text("What its folder is called; of a simulated run, its scenario and seed."),
            "seed": {"description": "Of arrivals and jitter.", "type": "integer"},
            "source": text("live or simulated."),
            "engine": maybe(text("Who played it. null: a live run.")),
            "left_out_because": each(text(), "Why it does not count, in words; empty if it does."),
            "lanes": each(lane),
        }
    )
