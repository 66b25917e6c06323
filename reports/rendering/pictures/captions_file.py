"""The captions of all pictures in one file, to be pasted beneath them."""

from collections.abc import Sequence

from reports.rendering.markdown_text import escaped, picture
from reports.rendering.pictures.framing import Picture


def captions_file(pictures: Sequence[Picture], endings: Sequence[str]) -> str:
    """A heading a picture, which names its files, the picture itself, and its caption."""
    blocks = ["# Captions"]
    for one in pictures:
        files = ", ".join(f"`{one.name}.{ending}`" for ending in endings)
        shown = picture(one.title, f"{one.name}.{endings[0]}")
        blocks += [f"## {escaped(one.title)}", files, shown, escaped(one.caption)]
    return "\n\n".join(blocks) + "\n"
