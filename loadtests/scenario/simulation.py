"""What only a simulation can be told: a live run does not ask for it."""

from enum import StrEnum

from pydantic import Field

from loadtests.scenario.fields import Part, Seconds


class Admits(StrEnum):
    """Which attempts of a tick the reject model admits where not all of them fit."""

    IN_ORDER = "in-order"
    """Those that arrive first, as the live target does."""
    SHUFFLED = "shuffled"
    """As many as fit, and which ones is random: article 001."""
    BY_CHANCE = "by-chance"
    """Each with the same chance, so that only on average as many as fit: article 000."""


class Simulation(Part):
    """How a scenario is played in virtual time.

    `scale` multiplies load, capacity and clients: a fleet that no staging system can hold.
    `network_s` is how long an answer is on its way to the client.
    """

    admits: Admits = Admits.IN_ORDER
    scale: float = Field(1.0, ge=0.001, le=1e6, allow_inf_nan=False)
    network_s: Seconds = Field(0.001, alias="network", ge=0.0001, le=10.0)
