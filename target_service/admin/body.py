"""What every body of a call has in common."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

LANES = "The lanes it is for; null: every lane, also those to come. Only lanes that exist."


class Body(BaseModel):
    """A request body: what is not a field is refused, and the answer says what the fields are."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _only_fields(cls, given: Any) -> Any:
        allowed = [field.alias or name for name, field in cls.model_fields.items()]
        for name in given if isinstance(given, dict) else ():
            if name not in allowed:
                problem = f"there is no such field here; there are {', '.join(allowed)}"
                # The name comes from outside: only so much of it is repeated.
                raise PydanticCustomError("unknown_field", problem, {"field": name[:32]})
        return given
