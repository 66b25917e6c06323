"""What the report's words mean, a sentence each. `docs/report.md` says it at length."""

DEFINITIONS = (
    ("request", "What a user wants done once. It ends in success or failure."),
    ("attempt", "One HTTP call. A request makes one or more; those after the first are retries."),
    ("offered load", "Attempts arriving per second, first attempts and retries."),
    ("capacity", "Attempts the service can complete per second, at that time."),
    (
        "trigger",
        "What recovery is measured after: a dip of capacity, a load spike, or another fault; of "
        "several the last to end.",
    ),
    (
        "first fit",
        "Time from the trigger's end to the first tick whose offered load fits in capacity. "
        "A storm that comes in waves fits between two of them.",
    ),
    (
        "settled",
        "Time from the trigger's end until offered load, in windows of one second, is under "
        "capacity and stays there for five; not before first fit. Load that is as high as ordinary "
        "noise before is no storm.",
    ),
    (
        "÷ dip",
        "Settled, divided by how long the trigger was: 3× means three dips' time to recover.",
    ),
    (
        "goodput back",
        "Time from the trigger's end until at least 95% as large a share of requests succeeds as "
        "before, in windows of one second, and stays so for five. Requests count when they were "
        "due. A lane whose load settled and whose goodput is not back has not recovered.",
    ),
    ("relapse", "Load above capacity again after it had settled."),
    ("storm", "Attempts above capacity after the trigger had ended."),
    (
        "amplification",
        "Attempts ÷ requests, over the run and in its worst second. In a second there are retries "
        "of requests from before it too: it may be more than a policy makes of one.",
    ),
    (
        "failed anyway",
        "Failed requests that would have failed without retries too: what did not fit while the "
        "trigger lasted, or what it struck. The other failures are collateral of the retries.",
    ),
    (
        "goodput lost",
        "Of the requests due from the first disturbance on, those that would have succeeded had as "
        "large a share as before.",
    ),
    (
        "latency back",
        "Time from the trigger's end until the p95 latency is within half of what it was before "
        "(or 10 ms) and stays there for five seconds.",
    ),
    (
        "abandoned",
        "Attempts whose client had gone before the answer was complete; a service may have "
        "worked on them all the same.",
    ),
    ("shed", "Attempts that the service had let wait, and then refused."),
    ("blocked", "Attempts that an operator turned away at the edge, before the service."),
    (
        "failed by the service",
        "Attempts answered with an error that lack of capacity was not the cause of.",
    ),
    (
        "attempts per layer",
        "How many attempts each layer of retries made of each that came to it, and their product: "
        "attempts at the target ÷ requests.",
    ),
)
