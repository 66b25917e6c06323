"""What an opaque client is: a library that retries by itself, behind one call a request."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from loadtests.policies.catalogue.parameters import Parameterised
from loadtests.policy_pages.words import value


class OpaqueClient(Protocol):
    """A client of one library, with its own retries, that any number of greenlets may use."""

    def request(self, path: str) -> None:
        """One request with as many attempts as the library makes. Raises when it failed."""
        ...

    def close(self) -> None:
        """Close its connections."""
        ...


class RequestFailedError(Exception):
    """The library gave the request up and returned an answer that is an error."""


@dataclass(frozen=True)
class OpaqueSource(Parameterised):
    """Makes clients of one library, with the library's own parameters."""

    summary: ClassVar[str]
    needs: ClassVar[str]
    """The module that has to be installed."""

    def describe(self) -> str:
        """In words, for the report."""
        parameters = ", ".join(
            f"{name}={value(name, getattr(self, name))}"
            for name in (parameter.name for parameter in self.parameters())
        )
        return f"{self.summary}, untouched: {parameters}"

    def connect(self, base_url: str, headers: Mapping[str, str], timeout_s: float) -> OpaqueClient:
        """A client that sends these headers. Raises `ModuleNotFoundError` without the library."""
        raise NotImplementedError
