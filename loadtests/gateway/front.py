"""The meter in front of a gateway, and what can be read of it: the same as at the target."""

from starlette.types import ASGIApp

from target_service.admin.door import Door
from target_service.admin.routes import reading_router
from target_service.app import control_api
from target_service.gate import Gate
from target_service.limits import MAX_CAPACITY_PER_S
from target_service.target import Target
from target_service.ticker import clock_from_now

_ABOUT = """
A reverse proxy that retries by a policy, and the meter of what arrives at it.
"""


def metered(app: ASGIApp, token: str | None) -> Gate:
    """`app` behind a gate that lets all pass and counts it, with the admin API beside it.

    Of that API only what reads the meter, and what opens lanes in it: there is no capacity that
    could dip.
    """
    # No process that runs Python gets near this capacity: nothing is turned away.
    target, clock = Target(MAX_CAPACITY_PER_S), clock_from_now()
    router = reading_router(target, clock)
    control = control_api(target, clock, "Aftershock gateway", _ABOUT, router)
    return Gate(app, target, clock, control=Door(control, token))
