"""``aftershock serve``: flags and wiring only."""

from typing import Annotated

import typer

from target_service.server import CannotListenError, run
from target_service.settings import BadSettingError, read_settings

_QUEUE = "Workers and a queue, in the place of a capacity"
_WORD = "What is said to an attempt that is turned away"


def _option(meaning: str, form: str, panel: str | None = None) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        metavar=form,
        help=meaning,
        show_default=False,
        rich_help_panel=panel,
    )
    return option


def serve(  # noqa: PLR0913, PLR0917 - a verb has as many arguments as options
    capacity: Annotated[
        str | None,
        _option("Attempts a second that each lane can complete. Default: 100/s.", "RATE"),
    ] = None,
    upstream: Annotated[
        str | None,
        _option("Forward what is admitted to this service, in place of /work.", "URL"),
    ] = None,
    port: Annotated[str | None, _option("Port; 0 is any free one. Default: 8000.", "PORT")] = None,
    host: Annotated[
        str | None, _option("Address to listen on. Default: 127.0.0.1.", "ADDRESS")
    ] = None,
    tick: Annotated[
        str | None, _option("The measuring interval. Default: 100ms.", "DURATION")
    ] = None,
    seed: Annotated[str | None, _option("Seed of what is random. Default: 0.", "NUMBER")] = None,
    workers: Annotated[
        str | None, _option("Attempts served at once, per lane.", "NUMBER", _QUEUE)
    ] = None,
    service_time: Annotated[
        str | None,
        _option(
            "100ms, exponential 100ms, lognormal 100ms 0.5, or file PATH. Default: as long as the "
            "service behind the gate takes.",
            "TIME",
            _QUEUE,
        ),
    ] = None,
    queue: Annotated[
        str | None, _option("Attempts that may wait. Default: 1000.", "NUMBER", _QUEUE)
    ] = None,
    discipline: Annotated[
        str | None,
        _option(
            'Who is next; or "codel 5ms 100ms", with its times. Default: fifo.',
            "fifo|lifo|codel",
            _QUEUE,
        ),
    ] = None,
    abandoned: Annotated[
        str | None,
        _option(
            "What becomes of an attempt whose client has gone. Default: finish.",
            "finish|drop|stop",
            _QUEUE,
        ),
    ] = None,
    max_wait: Annotated[
        str | None,
        _option("Refuse what waited longer than this.", "DURATION", _QUEUE),
    ] = None,
    shed_first: Annotated[
        str | None,
        _option(
            "Who goes when the queue is full. Default: arriving.",
            "arriving|priority|attempt",
            _QUEUE,
        ),
    ] = None,
    heed_deadlines: Annotated[
        str | None,
        _option(
            "No work after X-Deadline or grpc-timeout. Default: false.",
            "true|false",
            _QUEUE,
        ),
    ] = None,
    turn_away_cost: Annotated[
        str | None,
        _option(
            "What turning one away costs, as a share of serving it. Default: 0.",
            "SHARE",
        ),
    ] = None,
    status: Annotated[
        str | None,
        _option("Its status. Default: 503.", "503|429", _WORD),
    ] = None,
    retry_after: Annotated[
        str | None,
        _option(
            "Send Retry-After, in whole seconds: 2s, or spread: 1s..5s.",
            "DURATION",
            _WORD,
        ),
    ] = None,
    retry_after_as: Annotated[
        str | None,
        _option("Its form. Default: seconds.", "seconds|date", _WORD),
    ] = None,
    pushback: Annotated[
        str | None,
        _option(
            "Send grpc-retry-pushback-ms: 100ms, 100ms..1s, or never.",
            "DURATION",
            _WORD,
        ),
    ] = None,
    do_not_retry: Annotated[
        str | None,
        _option("Send x-should-retry: false. Default: false.", "true|false", _WORD),
    ] = None,
    owns_errors: Annotated[
        str | None,
        _option(
            "Send X-Aftershock-Error-Owned: true. Default: true.",
            "true|false",
            _WORD,
        ),
    ] = None,
) -> None:
    """Serve a target whose capacity dips on command.

    Attempts go to /work; the admin API is described at /openapi.json.
    It takes the bearer token in AFTERSHOCK_ADMIN_TOKEN; without one it
    answers loopback clients only. Each option is also a variable, as
    AFTERSHOCK_SERVICE_TIME is --service-time.

    Examples: aftershock serve --capacity 100/s --port 8000
    aftershock serve --workers 10 --service-time "exponential 100ms"
    aftershock serve --upstream http://staging:8080 --capacity 500/s
    """
    try:
        settings = read_settings(
            capacity=capacity,
            upstream=upstream,
            port=port,
            host=host,
            tick=tick,
            seed=seed,
            workers=workers,
            service_time=service_time,
            queue=queue,
            discipline=discipline,
            abandoned=abandoned,
            max_wait=max_wait,
            shed_first=shed_first,
            heed_deadlines=heed_deadlines,
            turn_away_cost=turn_away_cost,
            status=status,
            retry_after=retry_after,
            retry_after_as=retry_after_as,
            pushback=pushback,
            do_not_retry=do_not_retry,
            owns_errors=owns_errors,
        )
    except BadSettingError as error:
        typer.echo(f"aftershock serve: {error}", err=True)
        raise typer.Exit(2) from None
    try:
        run(settings)
    except CannotListenError as error:
        typer.echo(f"aftershock serve: {error}", err=True)
        raise typer.Exit(1) from None
