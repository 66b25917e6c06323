"""What is wrong with a policy file, and how values from one are shown."""

import re

_PLAIN_KEY = re.compile(r"[A-Za-z_@][\w@/-]{0,79}")
_SHOWN = 60
_SHOWN_KEYS = 80


class PolicyFileError(ValueError):
    """A policy cannot be made of a file: which file, where inside it, what was expected there."""

    def __init__(self, file: str, path: str, problem: str) -> None:
        """`path` is empty where the file as a whole is meant."""
        file, path, problem = printable(file), printable(path), printable(problem)
        super().__init__(": ".join(part for part in (file, path, problem) if part))
        self.file = file
        self.path = path
        self.problem = problem


def printable(text: str) -> str:
    """With what cannot be printed escaped, such as what moves a terminal's cursor."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shown(value: object) -> str:
    """A value from a file, shortened and with what cannot be printed escaped."""
    if isinstance(value, dict):
        return f"a mapping of {len(value)}" if value else "an empty mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int) and abs(value) > 2**64:
        return "a number of many digits"
    text = repr(value[: _SHOWN + 1] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN + 2 else f"{text[:_SHOWN]}…"


def step(path: str, key: str | int) -> str:
    """The path of what is under `key`: ``methodConfig[0].retryPolicy``."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if _PLAIN_KEY.fullmatch(key):
        return f"{path}.{key}" if path else key
    return f"{path}[{shown(key)}]"


def listed(names: "list[str]") -> str:
    """Names to choose from, as many as fit in a sentence."""
    some = [
        name if name.isprintable() and len(name) <= 2 * _SHOWN else shown(name)
        for name in names[:_SHOWN_KEYS]
    ]
    rest = len(names) - len(some)
    return ", ".join(some) + (f" and {rest} more" if rest else "") if some else "none"
