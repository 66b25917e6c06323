"""What the report's words mean, a sentence each. `docs/report.md` says it at length."""

from collections.abc import Collection

from reports.measuring.catalogue import MEASURES
from reports.measuring.recovery import Figures
from reports.rendering import cells

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
    "How many attempts of each request arrive at each layer, and how many the layer before made "
    "of each that came to it. The product of these is attempts at the target ÷ requests.",
)


def definitions(each: Collection[Figures]) -> list[tuple[str, str]]:
    """Every word and what it means; measures by the titles that they have of these figures."""
    measures = [one for one in MEASURES if one.name not in _SAID_ABOVE]
    return [*_WORDS, *((cells.titled(one, each), one.meaning) for one in measures), _LAYERS]
