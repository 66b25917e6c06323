"""Headers of a request as they are given on the command line. Pure."""

import re
from collections.abc import Iterable, Set

MAX_HEADERS = 50
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A method, or the name of a header (RFC 9110, section 5.6.2)."""
_VALUE = re.compile(r"[\t -~]*")
_FORM = 'expected "Name: value" in ASCII'


def parse_headers(option: str, lines: Iterable[str], ours: Set[str]) -> dict[str, str]:
    """Headers written ``Name: value``; of one that is repeated, the last.

    `ours` are the names, in lower case, that nobody else may set. Raises `ValueError`, beginning
    with `option`, for what is none and for too many. A value may be a secret: it is shown nowhere.
    """
    headers: dict[str, str] = {}
    for count, line in enumerate(lines, 1):
        if count > MAX_HEADERS:
            raise ValueError(f"{option}: expected at most {MAX_HEADERS} of them")
        name, colon, value = line.partition(":")
        if not colon:
            raise ValueError(f"{option}: one without a colon: {_FORM}")
        if not TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
            raise ValueError(f"{option}: the one named {name[:40]!r} is none: {_FORM}")
        if name.lower() in ours:
            raise ValueError(f"{option}: {name[:40]} is set by the sender itself")
        headers[name] = value.strip()
    return headers
