"""A sweep for other programs."""

import json
from statistics import median

from loadtests.simulation.sweep.alone import LEAST_OUTAGE_S, OUTAGE_TIMES
from loadtests.simulation.sweep.cells import Played
from loadtests.simulation.sweep.telling import observation
from loadtests.simulation.sweep.verdict import Judged, Verdict


def to_json(judged: Judged) -> str:
    """What was swept, and every cell and probe with its verdict, counts and medians."""
    sweep = judged.sweep
    cells = [_cell(judged, number, found) for number, found in sorted(judged.played.items())]
    whole = {
        **sweep.told(),
        "observation": observation(sweep),
        "planned": sweep.size,
        "done": len(judged.played),
        "runs_disagree": int(judged.split.sum()),
        "against_order": int(judged.against_order.sum()),
        "probe": {"times": OUTAGE_TIMES, "at_least_s": LEAST_OUTAGE_S},
        "cells": [cell for cell in cells if "verdict" in cell],
        "probes": [cell for cell in cells if "verdict" not in cell],
    }
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def _cell(judged: Judged, number: int, found: Played) -> dict[str, object]:
    sweep = judged.sweep
    place = sweep.place_of(number)
    settled = [time for time in found.settled_s if time is not None]
    told: dict[str, object] = {"at": sweep.settings_at(place), "policy": sweep.lanes[place[-1]]}
    if number < sweep.cells:
        told["verdict"] = Verdict(int(judged.verdicts[place])).words
        told["against_order"] = bool(judged.against_order[place])
    return {
        **told,
        "runs": len(found.settled_s),
        "recovered": found.recovered,
        "invalid": found.invalid,
        "invalid_because": found.because or None,
        "settled_median_s": median(settled) if settled else None,
        "failed_share_median": median(found.failed_share),
        "unanswered_share_median": found.unanswered_median,
    }
