"""How a lane is, in one word, a short text and a sentence. Pure: time is an argument.

| word | meaning |
| --- | --- |
| `idle` | nothing was offered in this run, or the load has ended before it settled |
| `steady` | offered load is under capacity, and nothing has disturbed it |
| `overloaded` | offered load is above capacity undisturbed, or was before the disturbance |
| `dipped` | a dip is in force |
| `disturbed` | another fault, or a load spike, is in force |
| `storm` | the disturbance is over, and offered load is still above capacity |
| `settling` | it is under capacity, for less than the hold of five seconds |
| `settled` | it was under capacity for the hold: settled is what the report calls so |
| `relapse` | it had settled, and is above capacity again |
| `starved` | the load has settled, and requests are not answered as before |

The first that holds is the one, in this order: `dipped`, `disturbed`; `idle` without any load;
then, after a disturbance, `overloaded` if it was so before, `relapse`, `starved`, `settled`,
`storm`, `settling`; then `idle`, `overloaded`, `steady`. Of several disturbances all is measured
from the last to end, once none is in force.
"""

from dataclasses import dataclass

from loadtests.control_room.standing.judgement import Judgement
from reports.folding.windows import HOLD_S
from reports.record import Fault
from reports.text import noun

IDLE_S = 3.0
"""Without an attempt for this long a lane is idle."""


@dataclass(frozen=True)
class State:
    """How a lane is."""

    word: str
    text: str
    detail: str


def state_of(found: Judgement, loaded_s: float | None) -> State:
    """The state of a lane that was last offered anything at `loaded_s`, from the anchor."""
    if found.in_force is not None:
        return _disturbed(found, found.in_force)
    no_load = State("idle", "no load", f"capacity {rate(found.capacity_per_s)}")
    if loaded_s is None or loaded_s <= 0.0:
        return no_load
    trigger = None if found.unloaded else found.trigger
    if trigger is not None and (found.seen or found.cut_off):
        return _after(found, trigger)
    if found.now_s - loaded_s >= IDLE_S or found.ended:
        return no_load
    if trigger is not None:
        return _unseen(found, trigger)
    detail = _balance(found)
    if found.trigger is not None:
        what = noun(found.trigger.type)
        detail += f"; there was no load before the {what}: no recovery can be measured"
    word, text = ("overloaded", "above capacity") if found.high else ("steady", "steady")
    return State(word, text, detail)


def rate(per_s: float) -> str:
    """``95/s``, ``0.5/s``: with a decimal only where that tells more."""
    tenths = round(per_s, 1)
    return f"{tenths:.0f}/s" if tenths >= 10 or tenths == round(tenths) else f"{tenths:.1f}/s"


def _balance(found: Judgement) -> str:
    capacity, limit = rate(found.capacity_per_s), rate(found.limit_per_s)
    # Where a lane was not calm before, only what stands out of its own noise is high.
    noise = "" if limit == capacity else f" (noise up to {limit})"
    return f"offered {rate(found.load_per_s)} against {capacity}{noise}"


def _disturbed(found: Judgement, fault: Fault) -> State:
    what = fault.capacity or fault.text
    left = f"{max(0.0, fault.end_s - found.now_s):.1f} s left"
    detail = f"offered {rate(found.load_per_s)} against {rate(found.capacity_per_s)} in force"
    if fault.type == "dip":
        return State("dipped", f"dipped: to {what}, {left}", detail)
    return State("disturbed", f"disturbed: {fault.type} {what}, {left}", detail)


def _after(found: Judgement, trigger: Fault) -> State:
    ago_s = found.now_s - trigger.end_s
    what = noun(trigger.type)
    if found.cut_off:
        return State("idle", "no load: not recovered", f"the load ended before the {what} did")
    if found.unsteady:
        return _unsteady(found, what)
    if found.settled_s is not None:
        return _settled(found, trigger, found.settled_s)
    if found.ended:
        text = f"no load: not recovered within {found.observed_s:.1f} s"
        return State("idle", text, f"the load ended {found.observed_s:.1f} s after the {what}")
    detail = f"{_balance(found)}; the {what} ended {ago_s:.1f} s ago"
    if found.high:
        return State("storm", f"storm for {ago_s:.1f} s", detail)
    text = f"settling: {found.calm_s:.1f} s of {HOLD_S:.0f} s"
    return State("settling", text, detail)


def _unsteady(found: Judgement, what: str) -> State:
    """There was no steady state that there could be a return to."""
    text, detail = f"above capacity before the {what} already", "no recovery can be measured"
    if found.ended:
        return State("idle", f"no load: {text}", detail)
    return State("overloaded", text, f"{_balance(found)}; {detail}")


def _settled(found: Judgement, trigger: Fault, settled_s: float) -> State:
    text = f"settled after {settled_s:.1f} s"
    detail = f"{_balance(found)}; measured from the end of the {noun(trigger.type)}"
    if found.relapsed_at_s is not None and not found.ended:
        again = f"relapse for {found.now_s - found.relapsed_at_s:.1f} s"
        return State("relapse", again, f"{detail}; {text}")
    if found.starved:
        return State("starved", f"starved: load {text}, goodput not back", detail)
    if found.relapses:
        text += f", {found.relapses} relapse{'s' if found.relapses > 1 else ''}"
    return State("settled", text, detail)


def _unseen(found: Judgement, trigger: Fault) -> State:
    """Nobody watched what came after the trigger: only how it is now is known."""
    ago_s = found.now_s - trigger.end_s
    what = noun(trigger.type)
    detail = (
        f"{_balance(found)}; the {what} ended {ago_s:.0f} s ago, and what came then was not seen"
    )
    if found.high:
        return State("storm", f"storm: above capacity {ago_s:.0f} s after the {what}", detail)
    return State("steady", "steady", detail)
