"""Runs a gateway until it is told to stop."""

import logging

from loadtests.gateway.app import GatewayApp
from loadtests.gateway.front import metered
from loadtests.gateway.settings import GatewaySettings
from target_service.gate import Gate
from target_service.server import run_app, url_of

_log = logging.getLogger("aftershock.gateway")


def create_gateway(settings: GatewaySettings) -> Gate:
    """The gateway as an ASGI app, behind its meter."""
    app = GatewayApp(settings.client(), settings.policies, settings.terms)
    return metered(app, settings.token)


def serve(settings: GatewaySettings) -> None:
    """Serve until SIGINT or SIGTERM, or until the parent named in the settings is gone.

    Raises `CannotListenError`.
    """

    def announce(port: int) -> None:
        url = url_of(settings.host, port)
        _log.info("aftershock gateway on %s, %s", url, settings.describe())

    run_app(
        create_gateway(settings),
        settings.host,
        settings.port,
        parent_pid=settings.parent_pid,
        announce=announce,
        # What passes through has its own.
        date_header=False,
    )
