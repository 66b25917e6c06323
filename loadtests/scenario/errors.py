"""What is wrong with a scenario, in words."""

from pydantic import ValidationError

_WRITTEN = {"layer_policies": "layers"}
"""Fields that a scenario calls otherwise than we do."""


class ScenarioError(ValueError):
    """The scenario cannot be used; the message names each field and what is allowed there."""


def in_words(error: ValidationError) -> str:
    """One line a mistake: where it is, and what is allowed there."""
    lines = []
    details = error.errors(include_url=False, include_input=False)
    nested = {detail["loc"][0] for detail in details if len(detail["loc"]) > 1}
    for detail in details:
        if detail["type"] == "too_short" and detail["loc"][0] in nested:
            continue  # what is wrong with its members is said already
        where = ".".join(_WRITTEN.get(str(part), str(part)) for part in detail["loc"])
        message = detail["msg"].removeprefix("Value error, ")
        if detail["type"] == "extra_forbidden":
            message = "there is no such setting"
        lines.append(f"{where}: {message}" if where else message)
    return "\n".join(lines)
