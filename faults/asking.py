"""The bodies of calls that plan something: what is left at its default is not said."""

from collections.abc import Mapping

from aftershock_units import format_brief, format_duration, format_share
from faults.action import OperatorAction
from faults.dip import Dip
from faults.fault import ServiceFault

Body = Mapping[str, object]


def _duration(seconds: float | None) -> str | None:
    return None if seconds is None else format_duration(seconds)


def _share(share: float | None) -> str | None:
    return None if share is None else format_share(share)


def _when(for_s: float, after_s: float, lanes: tuple[str, ...] | None) -> dict[str, object]:
    return {
        "for": format_duration(for_s),
        "after": format_duration(after_s),
        "lanes": None if lanes is None else list(lanes),
    }


def _said(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


def ask_dip(dip: Dip, after_s: float) -> Body:
    """The body for a dip that begins `after_s` seconds from now."""
    said = _said(
        capacity=dip.capacity,
        workers=dip.workers,
        service_time=None if dip.service_time_s is None else format_brief(dip.service_time_s),
        slow_start=_duration(dip.slow_start_s or None),
    )
    return {**said, **_when(dip.for_s, after_s, dip.lanes), "shape": dip.shape}


def ask_fault(fault: ServiceFault, after_s: float) -> Body:
    """The body for a fault that begins `after_s` seconds from now."""
    said = _said(
        type=fault.type,
        share=_share(fault.share),
        add=_duration(fault.add_s),
        spread=_duration(fault.spread_s),
        status=fault.status,
        retry_after=_duration(fault.retry_after_s),
    )
    return {**said, **_when(fault.for_s, after_s, fault.lanes)}


def ask_action(action: OperatorAction, after_s: float) -> Body:
    """The body for an action that begins `after_s` seconds from now; its path says which it is."""
    said = _said(
        share=_share(action.share),
        step=_share(action.step),
        every=_duration(action.every_s),
        max_errors=_share(action.max_errors),
    )
    return {**said, **_when(action.for_s, after_s, action.lanes)}
