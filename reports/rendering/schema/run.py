"""The fields of the run as a whole: how it was made, and how the instrument did."""

from reports.rendering.schema.kinds import Schema, fields, maybe, named, number, text


def health() -> Schema:
    """How the instrument did."""
    late = "How late the {} event loop came to its ticks: p99 of the worst second."
    cpu = "Share of one core in the busiest second."
    return fields(
        {
            "generator_late_p99_ms": maybe(
                number("How late attempts left: p99 of the worst second.")
            ),
            "generator_cpu_max": maybe(number(cpu)),
            "target_late_p99_ms": maybe(number(late.format("target's"))),
            "target_cpu_max": maybe(number(cpu)),
            "gateway_late_p99_ms": maybe(
                number(late.format("gateway's") + " null: there was none.")
            ),
            "gateway_cpu_max": maybe(number(cpu)),
        },
        "How the instrument did from the first disturbance to the end. null: not recorded.",
    )


def run() -> Schema:
    """How the run was made."""
    return fields(
        {
            "id": text("What its folder is called."),
            "name": text("What the scenario is called."),
            "source": text("live or simulated."),
            "started_epoch_s": number(
                "The anchor: when the load began, as Unix time. 0 in a simulated run, which has "
                "no date."
            ),
            "tick_s": number("The width of a tick.", exclusiveMinimum=0),
            "seed": {"description": "Of arrivals and jitter.", "type": "integer"},
            "versions": named(text(), "Of what matters."),
            "scenario": {"description": "As it was played.", "type": "object"},
        },
        "How the run was made.",
    )
