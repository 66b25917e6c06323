"""What a real reader of Markdown and of HTML makes of the tables of a report."""

import re
from functools import cache
from html.parser import HTMLParser

from markdown_it import MarkdownIt

Tables = list[list[list[str]]]
NUMBER = re.compile(r"(?<![\d.])\d+(?:,\d{3})*(?:\.\d+)?(?!\d|st\b|nd\b|rd\b)")


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: Tables = []
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._in_cell = True
        elif tag == "br" and self._in_cell:
            self.tables[-1][-1][-1] += "\n"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.tables[-1][-1][-1] += data


def tables_in(html: str) -> Tables:
    """The cells of every table, as they are read, the first row its titles."""
    reader = _Tables()
    reader.feed(html)
    return reader.tables


@cache
def as_html(markdown: str) -> str:
    html: str = MarkdownIt("commonmark").enable("table").render(markdown)
    return html


def numbers_in(text: str) -> set[str]:
    """Every number, as it is written; ``1st`` is none."""
    return set(NUMBER.findall(text))
