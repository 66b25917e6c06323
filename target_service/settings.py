"""What the service can be told, by option or by an ``AFTERSHOCK_…`` environment variable."""

import math
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    Field,
    PlainValidator,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from aftershock_units import format_rate, parse_duration_s, parse_share
from target_service.levels import parse_capacity_per_s
from target_service.limits import MAX_QUEUE, MAX_WAIT_S, MAX_WORKERS
from target_service.service.config import (
    Abandoned,
    Discipline,
    Order,
    ServiceConfig,
    ShedFirst,
)
from target_service.service.times import ServiceTime, parse_service_time
from target_service.upstream.address import Address
from target_service.upstream.own_address import leads_here
from target_service.words import RetryAfterAs, Span, Word, parse_pushback, parse_span

ENV_PREFIX = "AFTERSHOCK_"


class BadSettingError(ValueError):
    """One sentence that names the setting and what is allowed."""


def _tick_s(text: str) -> float:
    tick_s = parse_duration_s(text)
    if not 0.01 <= tick_s <= 10:
        raise ValueError("a tick lasts from 10ms to 10s")
    return tick_s


def _retry_after(text: str) -> Span:
    form = 'Retry-After is whole seconds up to 1h, or a range of them, as in "2s" or "1s..5s"'
    try:
        span = parse_span(text)
    except ValueError:
        raise ValueError(form) from None
    if not (span.low_s.is_integer() and span.high_s.is_integer()):
        raise ValueError(form)
    return span


def _whole(low: int, high: int) -> BeforeValidator:
    def read(given: object) -> int:
        text = str(given)
        if not (text.isdecimal() and len(text) <= 9 and low <= int(text) <= high):
            raise ValueError(f"expected a whole number from {low} to {high}")
        return int(text)

    return BeforeValidator(read)


def _max_wait_s(text: str) -> float:
    max_wait_s = parse_duration_s(text)
    if max_wait_s > MAX_WAIT_S:
        raise ValueError("at most 1h")
    return max_wait_s


def _discipline(text: str) -> Discipline:
    form = 'expected fifo, lifo, codel, or "codel TARGET INTERVAL" as in "codel 5ms 100ms"'
    match text.split():
        case [("fifo" | "lifo" | "codel") as order]:
            return Discipline(Order(order))
        case ["codel", target, interval]:
            target_s, interval_s = parse_duration_s(target), parse_duration_s(interval)
            if 0 < target_s <= interval_s <= MAX_WAIT_S:
                return Discipline(Order.CODEL, target_s, interval_s)
    raise ValueError(form)


def _cost(given: object) -> float:
    """A share as a number, ``0.1``, or in percent."""
    text = str(given)
    try:
        cost = parse_share(text) if text.strip().endswith("%") else float(text)
    except ValueError:
        cost = -1.0
    if not 0 <= cost <= 1:
        raise ValueError('expected a share of the service time from 0 to 1, as in "0.1" or "10%"')
    return cost


def _yes(given: object) -> bool:
    words = {"true": True, "false": False}
    text = str(given).lower()
    if text not in words:
        raise ValueError("expected true or false")
    return words[text]


def _one_of(*words: str) -> BeforeValidator:
    def read(given: object) -> object:
        if given not in words:
            raise ValueError(f"expected {', '.join(words)}")
        return given

    return BeforeValidator(read)


def _port(text: str) -> int:
    if not (text.isdecimal() and len(text) <= 5 and int(text) <= 65_535):
        raise ValueError("a port is a whole number from 0 (any free one) to 65535")
    return int(text)


def _status(text: str) -> int:
    if text not in {"503", "429"}:
        raise ValueError("an attempt is turned away with 503 or 429")
    return int(text)


def _upstream(text: str) -> str:
    return Address(text).url


def _token(text: str) -> str:
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("a token is printable ASCII without spaces")
    return text


class Settings(BaseSettings):
    """The service's settings; rates per second and durations in seconds once they are read.

    An empty variable counts as none: that is how a compose file passes on what is not set.
    """

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_ignore_empty=True,
        enable_decoding=False,  # a variable is text as an option is, and never JSON
        validate_default=False,
        extra="ignore",
        arbitrary_types_allowed=True,
    )

    host: str = Field("127.0.0.1", min_length=1, max_length=255)
    port: Annotated[int, BeforeValidator(_port)] = 8000
    capacity: Annotated[float, BeforeValidator(parse_capacity_per_s)] = 100.0
    tick: Annotated[float, BeforeValidator(_tick_s)] = 0.1
    seed: Annotated[int, _whole(0, 2**31)] = 0
    workers: Annotated[int, _whole(1, MAX_WORKERS)] | None = None
    service_time: Annotated[ServiceTime | None, PlainValidator(parse_service_time)] = None
    queue: Annotated[int, _whole(0, MAX_QUEUE)] = 1000
    discipline: Annotated[Discipline, BeforeValidator(_discipline)] = Discipline()
    abandoned: Annotated[Abandoned, _one_of(*Abandoned)] = Abandoned.FINISH
    turn_away_cost: Annotated[float, BeforeValidator(_cost)] = 0.0
    max_wait: Annotated[float | None, BeforeValidator(_max_wait_s)] = None
    shed_first: Annotated[ShedFirst, _one_of(*ShedFirst)] = ShedFirst.ARRIVING
    heed_deadlines: Annotated[bool, BeforeValidator(_yes)] = False
    status: Annotated[Literal[503, 429], BeforeValidator(_status)] = 503
    retry_after: Annotated[Span | None, BeforeValidator(_retry_after)] = None
    retry_after_as: Annotated[RetryAfterAs, _one_of(*RetryAfterAs)] = RetryAfterAs.SECONDS
    pushback: Annotated[Span | None, BeforeValidator(parse_pushback)] = None
    do_not_retry: Annotated[bool, BeforeValidator(_yes)] = False
    owns_errors: Annotated[bool, BeforeValidator(_yes)] = True
    upstream: Annotated[str | None, BeforeValidator(_upstream)] = None
    admin_token: Annotated[SecretStr | None, BeforeValidator(_token)] = None
    parent_pid: int | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        """Raises `ValueError` for settings that say nothing without others, or contradict them."""
        for needed, needing in _NEED.items():
            alone = sorted(self.model_fields_set & needing)
            if alone and getattr(self, needed) is None:
                raise ValueError(f"{_option(alone[0])} needs {_option(needed)}")
        if self.workers is not None:
            self._check_capacity(self.workers)
        if self.upstream is not None and leads_here(Address(self.upstream), self.host, self.port):
            raise ValueError(f"{_option('upstream')}: {self.upstream} is this target itself")
        return self

    def _check_capacity(self, workers: int) -> None:
        if self.service_time is None:
            if not self.capacity:
                raise ValueError(f"{_option('capacity')}: above 0/s where there are workers")
        elif "capacity" in self.model_fields_set:
            comes_to = workers / self.service_time.mean_s
            if not math.isclose(self.capacity, comes_to, rel_tol=1e-3):
                raise ValueError(
                    f"{_option('capacity')}: workers and service time come to "
                    f"{comes_to:g}/s: leave the capacity out"
                )

    def service(self) -> ServiceConfig | None:
        """The queue and its workers; None for the reject model."""
        if self.workers is None:
            return None
        return ServiceConfig(
            workers=self.workers,
            time=self.service_time,
            queue=self.queue,
            discipline=self.discipline,
            abandoned=self.abandoned,
            turn_away_cost=self.turn_away_cost,
            max_wait_s=self.max_wait,
            shed_first=self.shed_first,
            heed_deadlines=self.heed_deadlines,
        )

    def in_words(self) -> str:
        """What a lane can do."""
        service = self.service()
        if service is None:
            return f"capacity {format_rate(self.capacity)}"
        workers = f"{service.workers} worker{'s' * (service.workers != 1)}"
        if service.time is None or service.capacity_per_s is None:
            return f"{workers}, queue {service.queue}"
        capacity = format_rate(service.capacity_per_s)
        return f"{workers} · {service.time.text}, queue {service.queue}, capacity {capacity}"

    def word(self) -> Word:
        """What goes with an attempt that is turned away."""
        return Word(
            status=self.status,
            retry_after=self.retry_after,
            retry_after_as=self.retry_after_as,
            pushback=self.pushback,
            do_not_retry=self.do_not_retry,
            owns_errors=self.owns_errors,
        )


_NEED = {
    "workers": {
        "service_time",
        "queue",
        "discipline",
        "abandoned",
        "max_wait",
        "shed_first",
        "heed_deadlines",
    },
    "retry_after": {"retry_after_as"},
}
"""What says nothing without another setting."""


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def read_settings(**given: str | None) -> Settings:
    """The settings given; what is None comes from the environment, and the rest is the default.

    Raises `BadSettingError` for the first that is wrong, without repeating a token.
    """
    unknown = given.keys() - Settings.model_fields.keys()
    if unknown:
        raise BadSettingError(
            f"{sorted(unknown)[0]}: no such setting: expected one of "
            f"{', '.join(Settings.model_fields)}"
        )
    options: dict[str, Any] = {name: text for name, text in given.items() if text is not None}
    try:
        return Settings(**options)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
    problem = first["msg"].removeprefix("Value error, ")
    if not first["loc"]:  # it is about several
        raise BadSettingError(problem)
    name = str(first["loc"][0]).lower()
    said_by = _option(name) if name in options else f"{ENV_PREFIX}{name.upper()}"
    raise BadSettingError(f"{said_by}: {problem}")
