"""Changes of one thing at a time: fewer attempts, full jitter, a budget."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aftershock_units import format_share
from loadtests.policies import PRESETS, Preset, preset
from loadtests.policies.catalogue.parameters import short_name
from loadtests.scenario import PolicyChoice

FEWER = (3, 2)
"""Attempts that are tried where there are more."""
_RETRIES = (
    "num_retries", "total", "retry_max", "max_retry_attempts", "max_retries", "limit"
)  # fmt: skip
_ATTEMPTS = ("max_attempts", "attempts", "tries", "max_tries")
"""The parameters that bound a request, of which a preset has one: some count the first attempt."""
_RETRIES_CALLED_ATTEMPTS = frozenset({"istio-1.27"})
"""Beside which `max_retries` is of all requests together."""
_BUDGETS = ("budget_ratio", "budget_share", "retry_ratio_share")
_BUDGETED = dict.fromkeys(("immediate", "exponential", "full-jitter"), "full-jitter-budget")
_JITTERED = {
    "immediate": "full-jitter",
    "exponential": "full-jitter",
    "aws-blog-exponential": "aws-blog-full",
    "tenacity-9": "tenacity-9-random-exponential",
    "tenacity-9-exponential": "tenacity-9-random-exponential",
    "tenacity-9-exponential-jitter": "tenacity-9-random-exponential",
}
"""The preset that is another but for what its name says."""
_JITTER: Mapping[str, tuple[str, object]] = {
    "polly-8": ("use_jitter", True),
    "resilience4j-2": ("randomization", 1),
    "resilience4j-2-retry-breaker": ("randomization", 1),
    "aiohttp-retry-2.9": ("options", "jitter"),
    "go-retryablehttp-0.7": ("backoff", "linear-jitter"),
}
"""The parameter that turns jitter on."""


@dataclass(frozen=True)
class Variant:
    """A preset with parameters, and in words what of it is changed."""

    name: str
    parameters: Mapping[str, object]
    change: str


def text_of(name: str, parameters: Mapping[str, object]) -> str:
    """``full-jitter:attempts=3,base=200ms``, as `--policy` takes it."""
    given = ",".join(f"{short_name(key)}={_written(value)}" for key, value in parameters.items())
    return f"{name}:{given}" if given else name


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple | set | frozenset):
        return "+".join(sorted(map(str, value)))
    return "none" if value is None else str(value)


def variants_of(choice: PolicyChoice, budgets: Sequence[float]) -> Iterator[Variant]:
    """What can be changed of this policy, if it is a preset."""
    source = choice.source()
    if isinstance(source, Preset):
        given = dict(choice.model_extra or {})
        yield from _fewer(source, given)
        yield from _jittered(source, given)
        yield from budgeted(source, given, budgets)


def budgeted(
    source: Preset, given: Mapping[str, object], budgets: Sequence[float]
) -> Iterator[Variant]:
    """The same with each of these budgets, where it has one, or where another preset adds it."""
    own = _first(source, _BUDGETS)
    if own is not None:
        name, kept = source.name, given
    elif source.name in _BUDGETED:
        name = _BUDGETED[source.name]
        own, kept = "budget_ratio", _carried(given, name)
    else:
        return
    jitter = " and full jitter" if name != source.name and source.name in _JITTERED else ""
    for share in budgets:
        changed = _with(kept, own, round(share, 6))
        yield Variant(name, changed, f"a budget of {format_share(share)}{jitter}")


def _fewer(source: Preset, given: Mapping[str, object]) -> Iterator[Variant]:
    odd = source.name in _RETRIES_CALLED_ATTEMPTS
    named = "attempts" if odd else _first(source, (*_RETRIES, *_ATTEMPTS))
    if named is None:
        return
    first = 1 if odd or named in _RETRIES else 0
    now: int | None = getattr(source, named)
    told = "without end" if now is None else str(now + first)
    for attempts in FEWER:
        if now is None or attempts < now + first:
            changed = _with(given, named, attempts - first)
            yield Variant(source.name, changed, f"{attempts} attempts in place of {told}")


def _jittered(source: Preset, given: Mapping[str, object]) -> Iterator[Variant]:
    words = "full jitter in place of none"
    if source.name in _JITTERED:
        name = _JITTERED[source.name]
        yield Variant(name, _carried(given, name), words)
    elif source.name in _JITTER:
        key, value = _JITTER[source.name]
        if not getattr(source, key) or source.name in {"aiohttp-retry-2.9", "go-retryablehttp-0.7"}:
            yield Variant(source.name, _with(given, key, value), "jitter in place of none")


def _first(source: Preset, names: Sequence[str]) -> str | None:
    known = {item.name for item in source.parameters()}
    return next((name for name in names if name in known), None)


def _with(given: Mapping[str, object], name: str, value: object) -> dict[str, object]:
    kept = {key: old for key, old in given.items() if key not in {name, short_name(name)}}
    return {**kept, short_name(name): value}


def _carried(given: Mapping[str, object], name: str) -> dict[str, object]:
    """The parameters that the other preset has too, by the same name."""
    known = {short_name(item.name) for item in PRESETS[name].parameters()}
    return {key: value for key, value in given.items() if short_name(key) in known}


def is_preset(variant: Variant) -> bool:
    """Whether the preset takes these parameters: bounds differ from preset to preset."""
    try:
        preset(variant.name, **variant.parameters)
    except ValueError:
        return False
    return True
