"""What a run of the scenario has to keep: limits of recovery, and for whom."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

MAX_TABLES = 32


class CheckTable(BaseModel):
    """A table of limits: its other keys are ``max_`` and what is measured, as ``max_settled``.

    `reports.judging.gate` reads it: `aftershock check` finds it in the record.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    policies: tuple[str, ...] | None = Field(None, exclude_if=lambda said: said is None)
    """The lanes or policies that have to keep them: every one, unless said."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        # Here and not above: a gateway reads policies, and needs nothing of what is measured.
        from reports.judging.gate.rules import table_rules  # noqa: PLC0415

        table_rules(self.values())
        return self

    def values(self) -> Mapping[str, object]:
        """The table as it was written."""
        said = {} if self.policies is None else {"policies": self.policies}
        return {**(self.model_extra or {}), **said}


def _as_list(values: object) -> object:
    """One table is a list of one. An empty list would be a gate that nothing keeps shut."""
    if values == []:
        raise ValueError("no limit is set: leave it out, or set one")
    return [values] if isinstance(values, dict) else values


CheckTables = Annotated[tuple[CheckTable, ...], BeforeValidator(_as_list)]


def check_named(tables: tuple[CheckTable, ...], known: Iterable[str]) -> None:
    """Raises `ValueError` where a table names what is no lane or policy: these are `known`."""
    there = dict.fromkeys(known)
    for number, table in enumerate(tables):
        unknown = [name for name in table.policies or () if name not in there]
        if unknown:
            raise ValueError(
                f"check.{number}: policies: unknown lane or policy {unknown[0]!r}: "
                f"expected {', '.join(there)}"
            )
