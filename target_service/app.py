"""What is served: the work, the admin API and the metrics, with the gate around the work."""

import time

from fastapi import APIRouter, FastAPI
from fastapi.responses import JSONResponse, Response
from starlette.types import ASGIApp

from target_service.admin.door import Door
from target_service.admin.errors import install_errors
from target_service.admin.routes import About, admin_router, own_version
from target_service.families import CONTENT_TYPE
from target_service.gate import Gate
from target_service.metrics import Exposition
from target_service.settings import Settings
from target_service.target import Target
from target_service.ticker import Clock, clock_from_now
from target_service.upstream.client import UpstreamClient
from target_service.upstream.proxy import Upstream

_ABOUT = """
A service with a capacity that dips on command. Attempts above the capacity of their lane are turned
away at once. Durations are text with a unit (`"2s"`), rates are per second (`"100/s"`), times are
seconds of the target's own monotonic clock, and counts are per tick, lane and attempt number.
"""


def control_api(target: Target, clock: Clock, title: str, about: str, router: APIRouter) -> FastAPI:
    """What is served beside the work: `router`, of the admin API, metrics and health."""
    # No pages that show the description: FastAPI's load their scripts from elsewhere.
    api = FastAPI(
        title=title,
        version=own_version(),
        description=about,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # a 307 is none of our answers
    )
    install_errors(api)
    api.include_router(router)
    exposition = Exposition(target)

    @api.get("/metrics", tags=["reading"], summary="Metrics for Prometheus")
    async def metrics() -> Response:
        """Totals by lane and attempt number, capacity, dips, event-loop lag."""
        text = exposition.text(clock(), time.time())
        return Response(text, headers={"content-type": CONTENT_TYPE})

    @api.get("/healthz", tags=["reading"], summary="Is it up?")
    async def healthz() -> JSONResponse:
        """200 as long as the process runs: neither a dip nor what fails behind it is ill health."""
        return JSONResponse({"status": "ok"})

    return api


def _target_api(target: Target, clock: Clock, settings: Settings, *, shared_app: bool) -> FastAPI:
    router = admin_router(target, clock, About(settings.word(), shared_app))
    return control_api(target, clock, "Aftershock target", _ABOUT, router)


def _add_work(api: FastAPI) -> None:
    async def work() -> JSONResponse:
        """One attempt: 200 when it is admitted, else 503 or 429, perhaps with Retry-After."""
        return JSONResponse({"work": "done"})

    for method in ("GET", "HEAD", "POST", "PUT", "DELETE"):
        api.add_api_route(
            "/work",
            work,
            methods=[method],
            operation_id=f"work_{method.lower()}",
            tags=["work"],
            summary="Do one piece of work",
        )


def control_of(target: Target, clock: Clock, settings: Settings) -> ASGIApp:
    """The admin API and the metrics of a gate in front of an app, behind the door."""
    return Door(_target_api(target, clock, settings, shared_app=True), _token(settings))


def _token(settings: Settings) -> str | None:
    return settings.admin_token.get_secret_value() if settings.admin_token else None


def target_of(settings: Settings) -> Target:
    """The target with these settings, at the beginning."""
    return Target(
        settings.capacity,
        settings.tick,
        service=settings.service(),
        turn_away_cost=settings.turn_away_cost,
        seed=settings.seed,
    )


def create_app(settings: Settings, clock: Clock | None = None) -> Gate:
    """The target service by itself; its clock begins now unless one is given."""
    target, clock = target_of(settings), clock or clock_from_now()
    api = _target_api(target, clock, settings, shared_app=False)
    _add_work(api)
    return Gate(Door(api, _token(settings)), target, clock, word=settings.word())


def create_proxy(settings: Settings, client: UpstreamClient, clock: Clock | None = None) -> Gate:
    """The gate in front of the upstream of `client`, which gets all but what is open."""
    target, clock = target_of(settings), clock or clock_from_now()
    control = control_of(target, clock, settings)
    return Gate(Upstream(client), target, clock, word=settings.word(), control=control)
