"""The meter in front of a gateway, and what can be read of it: the same as at the target."""

from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.types import ASGIApp

from target_service.admin.door import Door
from target_service.admin.errors import install_errors
from target_service.admin.routes import admin_router, own_version
from target_service.gate import Gate
from target_service.limits import MAX_CAPACITY_PER_S
from target_service.metrics import exposition
from target_service.target import Target
from target_service.ticker import Clock, clock_from_now

READ = ("/admin/ticks", "/admin/state", "/admin/lanes", "/admin/traces")
"""Of the target's admin API, with what is below them: what reads the meter, and what opens lanes
in it. A gateway has no capacity that could dip."""

_ABOUT = """
A reverse proxy that retries by a policy, and the meter of what arrives at it.
"""


def metered(app: ASGIApp, token: str | None) -> Gate:
    """`app` behind a gate that lets all pass and counts it, with the admin API beside it."""
    # No process that runs Python gets near this capacity: nothing is turned away.
    target, clock = Target(MAX_CAPACITY_PER_S), clock_from_now()
    return Gate(app, target, clock, control=Door(_control(target, clock), token))


def _control(target: Target, clock: Clock) -> FastAPI:
    # No pages that show the description: FastAPI's load their scripts from elsewhere.
    api = FastAPI(
        title="Aftershock gateway",
        version=own_version(),
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
    )
    install_errors(api)
    router = admin_router(target, clock)
    router.routes[:] = [
        route
        for route in router.routes
        if isinstance(route, APIRoute) and route.path.startswith(READ)
    ]
    api.include_router(router)

    @api.get("/metrics", tags=["reading"], summary="Metrics for Prometheus")
    async def metrics() -> Response:
        """Totals by lane and attempt number, event-loop lag."""
        target.advance(clock())
        return Response(exposition(target), media_type=CONTENT_TYPE_LATEST)

    @api.get("/healthz", tags=["reading"], summary="Is it up?")
    async def healthz() -> JSONResponse:
        """200 as long as the gateway runs, whether upstream does or not."""
        return JSONResponse({"status": "ok"})

    return api
