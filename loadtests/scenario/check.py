"""What a run of the scenario has to keep: limits of recovery, and for whom."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

MAX_TABLES = 32


class CheckTable(BaseModel):
    """A table of limits: its other keys are ``max_`` and what is measured, as ``max_settled``.

    `reports.judging.gate` reads it: `aftershock check` finds it in the record.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    policies: tuple[str, ...] | None = Field(None, exclude_if=lambda said: said is None)
    """The lanes that have to keep them: every one, unless said."""

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
    """One table is a list of one."""
    return [values] if isinstance(values, dict) else values


CheckTables = Annotated[tuple[CheckTable, ...], BeforeValidator(_as_list)]


def lanes_named(tables: tuple[CheckTable, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each table, as an error calls it, with the lanes that it names."""
    for number, table in enumerate(tables):
        yield f"check.{number}: policies", table.policies or ()
