"""The text of a policy file: bounded, and UTF-8."""

import stat
from pathlib import Path

from loadtests.imports.errors import PolicyFileError

MAX_BYTES = 1 << 20


def read_text(path: Path) -> str:
    """The file's text, without a byte order mark. Raises `PolicyFileError`."""
    file = str(path)
    content = _content(path)
    if len(content) > MAX_BYTES:
        raise PolicyFileError(file, "", f"larger than {MAX_BYTES} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PolicyFileError(file, "", f"not UTF-8 at byte {error.start}") from None
    if not text.strip():
        raise PolicyFileError(file, "", "the file is empty")
    return text


def _content(path: Path) -> bytes:
    """As much as is needed to see that it is too much."""
    try:
        if stat.S_ISREG(path.stat().st_mode):
            with path.open("rb") as stream:
                return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise PolicyFileError(str(path), "", error.strerror or str(error)) from None
    except ValueError:  # a name with a NUL in it
        raise PolicyFileError(str(path), "", "no such file") from None
    # A pipe or a device might never end.
    raise PolicyFileError(str(path), "", "not a file")
