"""The fields of what simulated runs predict, beside what was measured."""

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


def prediction() -> Schema:
    """Of the simulated runs beside this one, all lanes."""
    lane = fields(
        {
            "name": text("The policy."),
            "lane": text("The lane that the policy loaded."),
            "peak_per_s": defined("range", "Offered load of the busiest tick, as a rate."),
            "first_fit_s": maybe(
                defined("range", "Likewise: until the first tick that fits. null: no trigger.")
            ),
            "settled_s": maybe(
                defined("range", "Likewise: until the lane had recovered. null: no trigger.")
            ),
            "failed": defined("range", "Likewise: requests that failed."),
            "attempts": defined("range", "Likewise: attempts that reached the lane."),
        }
    )
    return fields(
        {
            "runs": whole("How many simulated runs.", least=1),
            "seed": {
                "description": "The seed of the first; the others have those that follow it.",
                "type": "integer",
            },
            "engine": text("Who played them: events or ticks."),
            "notes": each(text(), "In what the prediction is not of this run as it was, in words."),
            "policies": each(lane, "One entry a lane that was predicted."),
        },
        "What simulated runs of the scenario predict, beside what was measured. Only there with "
        "`--predicted`.",
    )


def range_() -> Schema:
    """One figure over these runs."""
    return fields(
        {
            "low": maybe(
                number("The least of the predictions. null: it did not come to pass in any.")
            ),
            "median": maybe(number("Their median. null: in half of them it did not come to pass.")),
            "high": maybe(
                number("The most of them. null: in one at least it did not come to pass.")
            ),
            "within": maybe(
                flag(
                    "Whether what was measured is no less than low and no more than high. null: it "
                    "was not measured."
                )
            ),
        }
    )
