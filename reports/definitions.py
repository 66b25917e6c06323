"""What the report's words mean, a sentence each. `docs/report.md` says it at length."""

DEFINITIONS = (
    ("request", "What a user wants done once. It ends in success or failure."),
    ("attempt", "One HTTP call. A request makes one or more; those after the first are retries."),
    ("offered load", "Attempts arriving per second, first attempts and retries."),
    ("capacity", "Attempts the service can complete per second, at that time."),
    (
        "first fit",
        "Time from the dip's end to the first tick whose offered load fits in capacity. "
        "A storm that comes in waves fits between two of them.",
    ),
    (
        "settled",
        "Time from the dip's end until offered load, in windows of one second, is under capacity "
        "and stays there for five. Load that is as high as ordinary noise before the dip is no "
        "storm.",
    ),
    ("÷ dip", "Settled, divided by how long the dip was: 3× means three dips' time to recover."),
    ("relapse", "Load above capacity again after it had settled."),
    ("storm", "Attempts above capacity after the dip had ended."),
    ("amplification", "Attempts ÷ requests, over the run and in its worst second."),
    (
        "failed anyway",
        "Failed requests that would have failed without retries too: what did not fit in the dip. "
        "The other failures are collateral of the retries.",
    ),
    (
        "goodput lost",
        "Requests that would have succeeded from the dip's start on, had goodput stayed as it was.",
    ),
    (
        "latency back",
        "Time from the dip's end until the p95 latency is within half of what it was before the "
        "dip (or 10 ms) and stays there for five seconds.",
    ),
)
