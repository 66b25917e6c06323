"""The verb `aftershock gateway`: flags and wiring only."""

from typing import Annotated

import typer

from loadtests.gateway.server import serve
from loadtests.gateway.settings import BadGatewaySettingError, read_gateway
from target_service.server import CannotListenError

BAD_INPUT = 2


def gateway(  # noqa: PLR0913, PLR0917 - one argument a flag
    upstream: Annotated[str, typer.Option(help="Where requests are passed on to.", metavar="URL")],
    policy: Annotated[
        str,
        typer.Option(
            help="Retry by this policy: a preset (`aftershock policies` lists them), with "
            "parameters as in immediate:attempts=3, a configuration file, or "
            "package.module:factory. Each lane has one of its own.",
            metavar="NAME",
        ),
    ],
    lane_policy: Annotated[
        list[str] | None,
        typer.Option(help="Another policy for one lane; repeatable.", metavar="LANE=NAME"),
    ] = None,
    port: Annotated[
        int, typer.Option(help="Port; 0 is any free one.", metavar="PORT", min=0, max=65_535)
    ] = 8001,
    host: Annotated[str, typer.Option(help="Address to listen on.", metavar="HOST")] = "127.0.0.1",
    timeout: Annotated[
        str, typer.Option(help="How long an attempt may take.", metavar="DURATION")
    ] = "5s",
    ignore_do_not_retry: Annotated[
        bool,
        typer.Option(
            "--ignore-do-not-retry",
            help="Retry although upstream says not to (x-should-retry: false, pushback -1).",
        ),
    ] = False,
    withhold_ownership: Annotated[
        bool,
        typer.Option(
            "--withhold-ownership",
            help="Leave the ownership mark of upstream's errors on, as a careless gateway does.",
        ),
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Seed of jitter; without one it differs.", metavar="NUMBER")
    ] = None,
) -> None:
    """Pass requests on to a service, and retry them by a policy.

    A retry layer, as meshes and proxies are. Chain several to see
    attempts multiply. The meter of what arrives is read as the target's:
    /admin/ticks, /admin/state, /metrics, /healthz, with the bearer token
    in AFTERSHOCK_ADMIN_TOKEN.

    Example: aftershock gateway --upstream http://127.0.0.1:8000 --policy immediate:attempts=3
    """
    try:
        settings = read_gateway(
            upstream=upstream,
            policy=policy,
            lane_policies=lane_policy or (),
            host=host,
            port=port,
            timeout=timeout,
            ignore_do_not_retry=ignore_do_not_retry,
            withhold_ownership=withhold_ownership,
            seed=seed,
        )
    except BadGatewaySettingError as error:
        typer.echo(f"aftershock gateway: {error}", err=True)
        raise typer.Exit(BAD_INPUT) from None
    for remark in settings.remarks:
        typer.echo(f"aftershock gateway: {remark}", err=True)
    try:
        serve(settings)
    except CannotListenError as error:
        typer.echo(f"aftershock gateway: {error}", err=True)
        raise typer.Exit(1) from None
