"""Retry policies from configuration files as people have them.

`files` finds a file's format and chooses in it; each format has a module of its own, which answers
with a preset's name and parameters, and with all that it left out and why.
"""

from loadtests.imports.errors import PolicyFileError, printable
from loadtests.imports.files import (
    FORMATS,
    choices,
    import_policy,
    looks_like_file,
    split_select,
)
from loadtests.imports.imported import Ignored, Imported

__all__ = [
    "FORMATS",
    "Ignored",
    "Imported",
    "PolicyFileError",
    "choices",
    "import_policy",
    "looks_like_file",
    "printable",
    "split_select",
]
