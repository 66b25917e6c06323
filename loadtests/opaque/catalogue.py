"""The opaque clients by name. None of their libraries is imported before a client is made."""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType

from loadtests.opaque.base import OpaqueSource
from loadtests.opaque.over_requests import Stamina, Tenacity, Urllib3
from loadtests.opaque.over_sdks import Botocore, GoogleApiCore

_SOURCES: tuple[type[OpaqueSource], ...] = (Urllib3, Tenacity, Stamina, Botocore, GoogleApiCore)
OPAQUE: Mapping[str, type[OpaqueSource]] = MappingProxyType({cls.name: cls for cls in _SOURCES})


def opaque(name: str, /, **parameters: object) -> OpaqueSource:
    """The opaque client `name` with these parameters.

    Raises `ValueError` when there is none, a parameter is wrong, or its library is not installed.
    """
    if name not in OPAQUE:
        raise ValueError(f"unknown client {name!r}: expected one of {', '.join(OPAQUE)}")
    source = OPAQUE[name].of(parameters)
    if not _is_installed(source.needs):
        raise ValueError(f"{name} needs the module {source.needs}, which is not installed")
    return source


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that it is in
        return False
