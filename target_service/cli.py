"""``aftershock serve``: flags and wiring only."""

from typing import Annotated

import typer

from target_service.server import CannotListenError, run
from target_service.settings import ENV_PREFIX, BadSettingError, read_settings


def _option(meaning: str, form: str, name: str) -> typer.models.OptionInfo:
    # Typer must not read the variable itself: the settings do, and name it in their errors.
    option: typer.models.OptionInfo = typer.Option(
        metavar=form, help=f"{meaning} (env: {ENV_PREFIX}{name})", show_default=False
    )
    return option


def serve(  # noqa: PLR0913, PLR0917 - a verb has as many arguments as options
    capacity: Annotated[
        str | None,
        _option(
            "Attempts a second that each lane can complete. Default: 100/s.", "RATE", "CAPACITY"
        ),
    ] = None,
    port: Annotated[
        str | None, _option("Port; 0 is any free one. Default: 8000.", "PORT", "PORT")
    ] = None,
    host: Annotated[
        str | None, _option("Address to listen on. Default: 127.0.0.1.", "HOST", "HOST")
    ] = None,
    tick: Annotated[
        str | None, _option("The measuring interval. Default: 100ms.", "DURATION", "TICK")
    ] = None,
    status: Annotated[
        str | None,
        _option("Status of an attempt turned away. Default: 503.", "503|429", "STATUS"),
    ] = None,
    retry_after: Annotated[
        str | None,
        _option("Send Retry-After with it, in whole seconds.", "DURATION", "RETRY_AFTER"),
    ] = None,
) -> None:
    """Serve a target whose capacity dips on command.

    Attempts go to /work; the admin API is described at /openapi.json.
    It takes the bearer token in AFTERSHOCK_ADMIN_TOKEN; without one it
    answers loopback clients only.

    Example: aftershock serve --capacity 100/s --port 8000
    """
    try:
        settings = read_settings(
            capacity=capacity,
            port=port,
            host=host,
            tick=tick,
            status=status,
            retry_after=retry_after,
        )
    except BadSettingError as error:
        typer.echo(f"aftershock serve: {error}", err=True)
        raise typer.Exit(2) from None
    try:
        run(settings)
    except CannotListenError as error:
        typer.echo(f"aftershock serve: {error}", err=True)
        raise typer.Exit(1) from None
