"""Spring's configuration of resilience4j: retries and circuit breakers by instance."""

from dataclasses import dataclass

from loadtests.imports.errors import listed, shown
from loadtests.imports.format import Choice, Format, Source, chosen
from loadtests.imports.imported import NOT_RETRIES, Ignored, Notes, Reading
from loadtests.imports.node import UNKNOWN, Node
from loadtests.imports.resilience4j_settings import breaker, retry
from loadtests.imports.resilience4j_waits import Settings
from loadtests.imports.spring_tree import canonical, descend, laid_over, relaxed, resolved

_DEFAULT = "default"
_ORDER = "the default order is built: retries around the breaker"
_SECTION_WHY = {
    "retryaspectorder": _ORDER,
    "circuitbreakeraspectorder": _ORDER,
    "tags": NOT_RETRIES,
    "metrics": NOT_RETRIES,
}


@dataclass(frozen=True, slots=True)
class _Section:
    """`resilience4j.retry` or `resilience4j.circuitbreaker`."""

    instances: dict[str, Node]
    configs: dict[str, Node]
    node: Node | None
    is_breaker: bool = False


def _knows(source: Source) -> bool:
    return any(
        canonical(key.partition(".")[0]) == "resilience4j"
        for node in source.mappings()
        for key in node.fields()
    )


def _section(tree: Node, name: str) -> _Section:
    node = descend(tree, "resilience4j", name)
    instances: dict[str, Node] = {}
    for group in ("backends", "instances"):  # the older name first: both fill one map
        instances |= _named(descend(node, group) if node else None)
    return _Section(
        instances, _named(descend(node, "configs") if node else None), node, name != "retry"
    )


def _named(node: Node | None) -> dict[str, Node]:
    return dict(node.children()) if node is not None else {}


def _names(retries: _Section, breakers: _Section) -> list[str]:
    """The instances of both; where a file has none, its shared configs."""
    names = [*retries.instances, *breakers.instances] or [*retries.configs, *breakers.configs]
    return list(dict.fromkeys(names))


def _choices(source: Source) -> list[str]:
    tree, _ = laid_over(source)
    return _names(_section(tree, "retry"), _section(tree, "circuitbreaker"))


def _read(source: Source, select: str | None) -> Reading:
    tree, left_out = laid_over(source)
    notes = Notes(ignored=left_out)
    retries, breakers = _section(tree, "retry"), _section(tree, "circuitbreaker")
    names = _names(retries, breakers)
    if select in retries.configs or select in breakers.configs:
        names.append(select)
    names = list(dict.fromkeys(names))
    choice = names[chosen(source.file, select, [Choice(name) for name in names], "instance")]
    parameters: dict[str, object] = {}
    parts = [_layers(section, choice, notes) for section in (retries, breakers)]
    if parts[0] is not None:
        parameters |= retry(parts[0], notes)
    if parts[1] is not None:
        parameters |= breaker(parts[1], notes)
    notes.ignored += _around(tree, choice, (retries, breakers))
    kinds = (parts[0] is not None, parts[1] is not None)
    name = {
        (True, False): "resilience4j-2",
        (False, True): "resilience4j-2-breaker",
        (True, True): "resilience4j-2-retry-breaker",
    }[kinds]
    return notes.reading(name, parameters)


def _layers(section: _Section, name: str, notes: Notes) -> list[Settings] | None:
    """What holds for an instance: its own settings first, its base's, the default's.

    A retry's base has the default under it as well, a breaker's has not. That is how the library
    merges them.
    """
    own = section.instances.get(name) or section.configs.get(name)
    if own is None:
        return None
    layers, seen = [own], {name} if name not in section.instances else set()
    while (base := relaxed(layers[-1], "baseConfig")) is not None:
        wanted = base.text()
        if wanted not in section.configs:
            known = listed(list(section.configs))
            raise base.wrong(f"one of the shared configs: {known}")
        if wanted in seen:
            raise base.error(f"{shown(wanted)} is based on itself")
        seen.add(wanted)
        layers.append(section.configs[wanted])
    if len(layers) == 1 and section.is_breaker and name in section.configs and layers[0] is own:
        layers.append(section.configs[name])
    elif (len(layers) == 1 or not section.is_breaker) and _DEFAULT in section.configs:
        layers.append(section.configs[_DEFAULT])
    return [_by_name(layer, notes) for layer in layers]


def _by_name(layer: Node, notes: Notes) -> Settings:
    found: Settings = {}
    for key, child in layer.children():
        if canonical(key) in found:
            raise child.error("stands twice in different spellings")
        if child.value is not None:
            found[canonical(key)] = resolved(child, notes.notes)
    found.pop(canonical("baseConfig"), None)
    return found


def _around(tree: Node, choice: str, sections: tuple[_Section, ...]) -> list[Ignored]:
    """What else is set for the instance, and the order of the two."""
    ignored: list[Ignored] = []
    for section in sections:
        for key, node in section.node.children() if section.node else ():
            if canonical(key) not in ("instances", "backends", "configs"):
                ignored.append(Ignored(node.path, _SECTION_WHY.get(canonical(key), UNKNOWN)))
    whole = descend(tree, "resilience4j")
    for key, node in whole.children() if whole else ():
        if canonical(key) in ("retry", "circuitbreaker") or not isinstance(node.value, dict):
            continue
        for group in ("instances", "backends"):
            instance = _named(descend(node, group)).get(choice)
            if instance is not None:
                ignored.append(Ignored(instance.path, f"{shown(key)} is not modelled"))
    return ignored


RESILIENCE4J = Format(
    "Spring's resilience4j", "resilience4j.retry or resilience4j.circuitbreaker",
    _knows, _choices, _read,
)  # fmt: skip
