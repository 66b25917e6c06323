"""`docs/policies.md` and its pictures, from the catalogue.

    python -m loadtests.policy_pages.markdown docs

A test fails when what stands in the docs is not what this makes.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from loadtests.opaque.catalogue import OPAQUE
from loadtests.policies import PRESETS, preset
from loadtests.policies.catalogue import Family
from loadtests.policy_pages import words
from loadtests.policy_pages.facts import (
    CLIENTS_IN_FLEET,
    LIBRARIES,
    REQUESTS_IN_OUTAGE,
    PolicyFacts,
    facts_of,
)
from loadtests.policy_pages.picture import picture

PAGE = "policies.md"
PICTURES = "images/policies"

_HEAD = f"""# Policies

Made from the catalogue by `make docs`: do not edit. `aftershock policies NAME` shows the same, and
with parameters of your own: `aftershock policies urllib3-2:total=3,backoff_factor=100ms`.

In formulas n is the number of the retry, from 1, and U(a, b) is uniform between a and b. Waits are
of 2,000 draws. An *outage* is {REQUESTS_IN_OUTAGE:,} requests, 100 a second by one client, none of
which can succeed: once because every attempt is answered 503 after a millisecond, once because no
connection can be made, and once 503 again with the requests spread over {CLIENTS_IN_FLEET} clients
that share no budget or breaker. *Over*: there was no end within an hour or 100,000 attempts.

Name a preset where a policy is wanted: `aftershock run --policy NAME`, `name = "NAME"` in a
scenario's `[[policies]]`, `retry_policy = preset("NAME", …)` in a locustfile.
"""


def files() -> dict[str, str]:
    """Text by path below the docs' folder."""
    all_facts = [facts_of(preset(name)) for name in PRESETS]
    made = {
        f"{PICTURES}/{facts.name}.svg": picture(facts.name, facts.delays)
        for facts in all_facts
        if _has_picture(facts)
    }
    return {PAGE: "\n".join(_page(all_facts)), **made}


def _has_picture(facts: PolicyFacts) -> bool:
    return bool(facts.delays)


def _page(all_facts: list[PolicyFacts]) -> Iterator[str]:
    yield _HEAD
    families = [family.value for family in Family] + [LIBRARIES]
    yield " · ".join(f"[{name}](#{_anchor(name.replace(' ', '-'))})" for name in families) + "\n"
    for family in Family:
        members = [facts for facts in all_facts if facts.family == family.value]
        if not members:
            continue
        yield f"## {family.value[0].upper()}{family.value[1:]}\n"
        yield from _overview(members)
        for facts in members:
            yield from _section(facts)
    yield from _libraries()


def _libraries() -> Iterator[str]:
    """The clients that retry by themselves: their parameters, and no rule of ours."""
    yield f"## {LIBRARIES[0].upper()}{LIBRARIES[1:]}\n"
    yield "The library itself in the place of a policy: `aftershock run --policy opaque-urllib3`.\n"
    for cls in OPAQUE.values():
        yield f"### {cls.name}\n"
        yield f"{cls.summary[0].upper()}{cls.summary[1:]}. Needs the module `{cls.needs}`.\n"
        yield from _parameters(facts_of(cls()))


def _overview(members: list[PolicyFacts]) -> Iterator[str]:
    yield f"| preset | in one line | 503 | no connection | 503, {CLIENTS_IN_FLEET} clients |"
    yield "| --- | --- | ---: | ---: | ---: |"
    for facts in members:
        counts = " | ".join(words.attempts(outage) for _, outage in facts.outages)
        yield f"| [`{facts.name}`](#{_anchor(facts.name)}) | {_cell(facts.summary)} | {counts} |"
    yield ""


def _section(facts: PolicyFacts) -> Iterator[str]:
    yield f"### {facts.name}\n"
    yield f"{facts.summary[0].upper()}{facts.summary[1:]}.\n"
    for name, text in facts.rule.items():
        yield f"- {name}: {text}"
    yield f"- source: {facts.source}"
    if facts.compared_with:
        yield f"- compared in a test with the real one: {facts.compared_with}"
    yield ""
    yield from _parameters(facts)
    yield from _delays(facts)
    for fault in facts.faults:
        sound = f"[`{fault.sound}`](#{_anchor(fault.sound)})"
        yield f"**Fault**: {fault.text}. The sound variant: {sound}.\n"
    for note in facts.notes:
        yield f"{note}\n"


def _parameters(facts: PolicyFacts) -> Iterator[str]:
    if not facts.parameters:
        return
    yield "| parameter | default | meaning | allowed |"
    yield "| --- | --- | --- | --- |"
    for item in facts.parameters:
        default = words.value(item.parameter.name, item.parameter.default)
        yield (
            f"| `{item.short}` | {_cell(default)} | {_cell(item.parameter.meaning)} "
            f"| {_cell(item.parameter.kind)} |"
        )
    yield ""


def _delays(facts: PolicyFacts) -> Iterator[str]:
    if not facts.delays:
        return
    percents = list(facts.delays[0].at)
    yield f"![Waits of {facts.name} before each retry]({PICTURES}/{facts.name}.svg)\n"
    yield "| wait before retry | " + " | ".join(f"p{percent}" for percent in percents) + " |"
    yield "| ---: |" + " ---: |" * len(percents)
    for row in facts.delays:
        waits = " | ".join(words.delay(row.at[percent]) for percent in percents)
        yield f"| {row.retry} | {waits} |"
    if facts.delays_go_on:
        yield "| … |" + " … |" * len(percents)
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _anchor(heading: str) -> str:
    """As GitHub makes it: letters, digits, hyphens and underscores stay."""
    return "".join(c for c in heading.lower() if c.isalnum() or c in "-_")


def write(folder: Path) -> None:
    """Write the page and the pictures; pictures of presets that are gone go too."""
    made = files()
    for old in (folder / PICTURES).glob("*.svg"):
        if f"{PICTURES}/{old.name}" not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
