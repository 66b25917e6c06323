"""The presets by name: every retry policy of the field, a module a family."""

from collections.abc import Mapping
from types import MappingProxyType

from loadtests.policies.catalogue import (
    aiohttp_retry,
    articles,
    aws,
    aws_blog,
    breakers,
    hedging,
    http_clients,
    meshes,
    platforms,
    retry_libraries,
    retryablehttp,
    rpc,
    sdks,
    tenacity,
    throttles,
    users_and_layers,
)
from loadtests.policies.catalogue.base import Family, Fault, Parameter, Preset, Value
from loadtests.policies.catalogue.parameters import MOST_SHOWN

__all__ = ["PRESETS", "Family", "Fault", "Parameter", "Preset", "Value", "preset"]

_PRESETS: tuple[type[Preset], ...] = (
    articles.Never,
    articles.Immediate,
    articles.ExponentialBackoff,
    articles.FullJitterBackoff,
    articles.FullJitterBudget,
    articles.Seed001GrpcBudget,
    articles.Seed002SuccessBudget,
    breakers.Seed002Breaker,
    articles.Seed003Credits,
    *users_and_layers.PRESETS,
    *aws_blog.PRESETS,
    *http_clients.PRESETS,
    *aiohttp_retry.PRESETS,
    *retryablehttp.PRESETS,
    *tenacity.PRESETS,
    *retry_libraries.PRESETS,
    *platforms.PRESETS,
    *aws.PRESETS,
    *sdks.PRESETS,
    *rpc.PRESETS,
    *meshes.PRESETS,
    *throttles.PRESETS,
    *breakers.PRESETS,
    *hedging.PRESETS,
)

PRESETS: Mapping[str, type[Preset]] = MappingProxyType({cls.name: cls for cls in _PRESETS})
"""Preset by name, in the order of the lists."""


def preset(name: str, /, **parameters: object) -> Preset:
    """The preset `name` with these parameters, as in ``preset("full-jitter", attempts=3)``.

    Raises `ValueError` for a name or a parameter that there is not, naming those that there are.
    """
    if name not in PRESETS:
        raise ValueError(f"unknown policy {name[:MOST_SHOWN]!r}: {_suggestion(name)}")
    return PRESETS[name].of(parameters)


def _suggestion(name: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only where it is needed

    close = get_close_matches(name, PRESETS, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(close)}?" if close else "`aftershock policies` lists them"
