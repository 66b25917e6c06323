"""What the report's words mean, a sentence each. `docs/report.md` says it at length."""

from reports.measuring.catalogue import MEASURES

_WORDS = (
    ("request", "What a user wants done once. It ends in success or failure."),
    ("attempt", "One HTTP call. A request makes one or more; those after the first are retries."),
    ("offered load", "Attempts arriving per second, first attempts and retries."),
    ("capacity", "Attempts the service can complete per second, at that time."),
    (
        "trigger",
        "What recovery is measured after: a dip of capacity, a load spike, or another fault; of "
        "several the last to end.",
    ),
)
_SAID_ABOVE = {"requests", "attempts"}
_LAYERS = (
    "attempts per layer",
    "How many attempts each layer of retries made of each that came to it, and their product: "
    "attempts at the target ÷ requests.",
)
DEFINITIONS = (
    *_WORDS,
    *((measure.title, measure.meaning) for measure in MEASURES if measure.name not in _SAID_ABOVE),
    _LAYERS,
)
