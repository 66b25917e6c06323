"""Text for Markdown, and tables of it: whatever a name holds, it stays a name.

Written for GitHub's Markdown, where a table's cells end at a `|` before anything else is looked at.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from reports.rendering.words import printable

_MARKUP = re.compile(r"[\\`*_{}\[\]~$]|:(?=//)|(?<=\bwww)\.")
_BLOCK = re.compile(r"^\s*\d*(?=[#+=.)-])(?!\d*\.\d)")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"})
_MENTION = re.compile(r"(?<!&)[@#](?=\\?\w)")
_PLAIN_CODE = re.compile(r"[^\s`|\\](?:[^`|\\]*[^\s`|\\])?")


def escaped(text: str) -> str:
    """`text` on one line, as it is: nothing in it is markup, a link, or a mention."""
    safe = _MARKUP.sub(r"\\\g<0>", printable(text))
    # What would make a heading, a list or a rule of the line.
    safe = _BLOCK.sub(r"\g<0>\\", safe)
    if safe.startswith("    "):  # which would be code
        safe = f"\N{NO-BREAK SPACE}{safe[1:]}"
    # No `\|`: where a `\` stands before it, tables differ on what that is.
    # GitHub looks for people and issues in what is shown: there a reference is the letter itself.
    return _MENTION.sub(r"\g<0><!---->", safe.translate(_ENTITIES))


def named(name: str) -> str:
    """A name in the font of code, where that can be; a pipe, say, cannot stand there in a table."""
    shown = printable(name)
    return f"`{shown}`" if _PLAIN_CODE.fullmatch(shown) else escaped(shown)


def sentence(text: str) -> str:
    """A sentence of the report, in which names stand between backticks."""
    parts = text.split("`")
    return "".join(
        named(part) if place % 2 and part else escaped(part) for place, part in enumerate(parts)
    )


def picture(title: str, file: str) -> str:
    """A picture that lies beside the text, by the name of its file."""
    return f"![{escaped(title)}](<{escaped(file)}>)"


def scenario(values: Mapping[str, object]) -> str:
    """A scenario as JSON, folded away."""
    lines = map(printable, json.dumps(values, indent=2, ensure_ascii=False).split("\n"))
    code = "\n".join(("```json", *lines, "```"))
    return f"<details><summary>Scenario</summary>\n\n{code}\n\n</details>"


def meanings(words: Iterable[tuple[str, str]]) -> str:
    """What words mean, as a list."""
    return "\n".join(f"- **{escaped(word)}**: {escaped(meaning)}" for word, meaning in words)


def table(
    titles: Sequence[str],
    rows: Iterable[Sequence[str]],
    left: int = 1,
    texts: Collection[str] = (),
) -> str:
    """A table of cells that are Markdown already.

    The first `left` columns are no figures, nor are those with such a title as `texts`.
    """
    marks = [
        ":---" if place < left or title in texts else "---:" for place, title in enumerate(titles)
    ]
    lines = [titles, marks, *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
