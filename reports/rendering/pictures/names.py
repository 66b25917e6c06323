"""Names of files for lanes: safe on every system, and none twice, whatever the lanes are called."""

import re
import unicodedata
from collections.abc import Iterable

MOST = 60
_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")
_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|com\d|lpt\d|sheet(?:-[a-z]+)?(?:-\d+)?)(?:\..*)?", re.IGNORECASE
)
"""What Windows keeps for devices, and what the sheets are called."""


def file_names(lanes: Iterable[str]) -> list[str]:
    """A name for each, without an ending; two that differ in case only are told apart too."""
    taken: set[str] = set()
    found = []
    for lane in lanes:
        base = _safe(lane)
        name, number = base, 1
        while name.lower() in taken:
            number += 1
            name = f"{base}-{number}"
        taken.add(name.lower())
        found.append(name)
    return found


def _safe(lane: str) -> str:
    plain = unicodedata.normalize("NFKD", lane).encode("ascii", "ignore").decode()
    name = _UNSAFE.sub("-", plain)[:MOST].strip(".-") or "lane"
    return f"lane-{name}" if _RESERVED.fullmatch(name) else name
