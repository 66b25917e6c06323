"""The schemas as files, and the tables of a page that is else written by hand."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from reports.judging.gate.limits import examples
from reports.measuring.catalogue import MEASURES
from reports.measuring.measure import Better
from reports.rendering.schema import document, study
from reports.rendering.schema.kinds import Schema

REPORT, STUDY = "report.schema.json", "distribution.schema.json"
PAGE = "report.md"
Defined = Mapping[str, Schema]
BY_NAME = {measure.name for measure in MEASURES}
UNITS = {"_per_s": "per second", "_epoch_s": "Unix seconds", "_s": "s", "_ms": "ms"}
"""What a name ends with says what it is in."""


def files(folder: Path) -> dict[str, str]:
    """Text by path below the docs' `folder`, whose page is read: most of it stays as it is."""
    schemas = {REPORT: document.document(), STUDY: study.document()}
    tables = {
        "measures": measures(),
        "fields": fields(schemas[REPORT], document.definitions()),
        "fields of many": fields(schemas[STUDY], study.definitions()),
    }
    page = (folder / PAGE).read_text(encoding="utf-8")
    for name, rows in tables.items():
        page = _replaced(page, name, "\n".join(rows))
    texts = {name: json.dumps(one, indent=2, ensure_ascii=False) for name, one in schemas.items()}
    return {**{name: f"{text}\n" for name, text in texts.items()}, PAGE: page}


def _replaced(page: str, name: str, table: str) -> str:
    """What stands between the two marks of this name is made anew."""
    begin, end = f"<!-- {name}: made by `make docs` -->", f"<!-- end of {name} -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"{PAGE}: expected the marks {begin} and {end}")
    return f"{before}{begin}\n\n{table}\n\n{end}{after}"


def measures() -> Iterator[str]:
    """Every measure: its name in tables and in files, which way is better, and its limits."""
    yield "| in tables | in files | table | better | limits | meaning |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for measure in MEASURES:
        better = "" if measure.better is Better.NEITHER else measure.better.value
        yield _row(
            measure.title,
            f"`{measure.name}`",
            measure.part.value,
            better,
            examples(measure),
            measure.meaning,
        )


def fields(schema: Schema, defined: Defined) -> Iterator[str]:
    """Every field of the schema by its path. What it defines is told where it comes first."""
    yield "| field | type | unit | meaning |"
    yield "| --- | --- | --- | --- |"
    told: set[str] = set()
    for path, found in _paths("", schema, defined, told):
        yield _row(f"`{path}`", _type(found), _unit(path), str(found.get("description", "")))


def _paths(
    path: str, found: Schema, defined: Defined, told: set[str]
) -> Iterator[tuple[str, Schema]]:
    bare = _bare(found)
    if isinstance(name := bare.get("$ref"), str):
        if name not in told:
            told.add(name)
            yield from _paths(path, defined[name.removeprefix("#/$defs/")], defined, told)
    elif isinstance(items := bare.get("items"), dict):
        yield from _paths(f"{path}[]", items, defined, told)
    elif isinstance(properties := bare.get("properties"), dict):
        yield from _fields(path, properties, defined, told)


def _fields(
    path: str, properties: dict[str, Schema], defined: Defined, told: set[str]
) -> Iterator[tuple[str, Schema]]:
    """Fields that are all alike are told once, as NAME; what the page has elsewhere is not told.

    Those of an episode are its lane's, and those of a sample are the measures.
    """
    kinds = list(properties.values())
    if len(kinds) > 1 and all(kind == kinds[0] for kind in kinds):
        properties = {"NAME": kinds[0]}
    for name, one in properties.items():
        if path == "policies[].episodes[]" and f"policies[].{name}" in told:
            continue
        if path.endswith(".samples[]") and name in BY_NAME:
            continue
        below = f"{path}.{name}" if path else name
        told.add(below)
        yield below, one
        yield from _paths(below, one, defined, told)


def _bare(found: Schema) -> Schema:
    """Without the null that it may be."""
    either = found.get("anyOf")
    return either[0] if isinstance(either, list) else found


def _type(found: Schema) -> str:
    bare = _bare(found)
    kind = str(bare.get("type", bare.get("const", "object")))
    return f"{kind} or null" if "anyOf" in found else kind


def _unit(path: str) -> str:
    return next((unit for end, unit in UNITS.items() if path.endswith(end)), "")


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
