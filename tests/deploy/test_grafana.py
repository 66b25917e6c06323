"""The dashboard is the one that the code makes, fits the SDK's models, and asks for what is there.

A Grafana that draws it is not among the tests: none can be had where they run.
"""

import itertools
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models import dashboard

from deploy.grafana.annotations import ADDED
from deploy.grafana.dashboard import UID, build, to_text
from deploy.grafana.parts import ALERT, LAYERS
from reports.rendering.palette import DARK
from target_service.metrics import ATTEMPTS
from tests.deploy.expressions import committed, expressions
from tests.deploy.manifests import ROOT, at, rows, words
from tests.deploy.models import wrong
from tests.loadtests.control_room.test_exposition import (
    ANCHOR_S,
    A,
    health,
    requests,
    tally_of,
)
from tests.loadtests.control_room.test_exposition import scraped as scraped_generator
from tests.real import program
from tests.target_service.test_metrics import scraped as scraped_target
from tests.target_service.test_metrics import stormy_target

FOLDER = ROOT / "deploy" / "grafana"


def _panels() -> list[dict[str, object]]:
    return rows(committed(), "panels")


def test_what_is_committed_is_what_the_code_makes() -> None:
    """`python -m deploy.grafana` writes it."""
    assert json.dumps(committed(), indent=2, ensure_ascii=False) + "\n" == to_text(build())


def test_it_is_of_the_schema() -> None:
    """The models of the SDK read it, know every field, and each is of the type that they say.

    What Prometheus' annotations have besides is left out: the models have annotations of no kind.
    """
    register_default_plugins()
    page = committed()
    for annotation in rows(page, "annotations.list"):
        assert annotation.keys() >= ADDED
        for name in ADDED | {"target"}:
            del annotation[name]
    read = dashboard.Dashboard.from_json(page)
    assert json.loads(json.dumps(read, cls=JSONEncoder)) == page
    assert list(wrong(read, dashboard.Dashboard)) == []


def test_a_field_that_is_not_of_the_schema_would_be_found() -> None:
    """The check checks something: a name, a type, a type further down."""
    page = committed()
    unknown = page | {"refesh": "5s"}
    read = dashboard.Dashboard.from_json(unknown)
    assert json.loads(json.dumps(read, cls=JSONEncoder)).keys() == page.keys()
    read.refresh = cast("str", 5)
    assert read.panels is not None
    read.panels[1].title = cast("str", ["no", "text"])
    found = [sentence.partition(":")[0] for sentence in wrong(read, dashboard.Dashboard)]
    assert found == ["$.refresh", "$.panels[1].title"]


def test_panels_have_their_own_numbers_and_places() -> None:
    """Nothing lies over anything else, and nothing is wider than the page."""
    panels = _panels()
    assert [panel["id"] for panel in panels] == list(range(1, len(panels) + 1))
    cells = list(itertools.chain.from_iterable(_cells(panel) for panel in panels))
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24
    # Rows are full to their end: a gap would be a panel that was lost.
    for y in {y for _, y in cells}:
        assert len([x for x, at_y in cells if at_y == y]) == 24


def _cells(panel: dict[str, object]) -> Iterator[tuple[int, int]]:
    place = cast("dict[str, int]", panel["gridPos"])
    for x in range(place["x"], place["x"] + place["w"]):
        for y in range(place["y"], place["y"] + place["h"]):
            yield x, y


def test_every_panel_says_what_it_shows_and_asks_the_chosen_source() -> None:
    """A title, a sentence, a unit where it has one, and the variable for the data source."""
    for panel in _panels():
        assert panel["title"]
        if panel["type"] == "row":
            continue
        assert str(panel["description"]).endswith(".")
        assert words(panel, "datasource")["uid"] == "${datasource}"
        refs = [target["refId"] for target in rows(panel, "targets")]
        assert refs == sorted(set(refs), key=str)
        assert refs


def test_there_is_a_row_for_each_lane() -> None:
    """Grafana repeats the one whose title has the lane; its panels ask for that lane only."""
    titles = [panel["title"] for panel in _panels() if panel["type"] == "row"]
    repeated = [panel for panel in _panels() if panel.get("repeat")]
    assert [panel["repeat"] for panel in repeated] == ["lane"]
    first, last = (_panels().index(panel) for panel in (repeated[0], _panels()[-4]))
    assert titles.index(repeated[0]["title"]) == 1
    for panel in _panels()[first + 1 : last - 1]:
        for target in rows(panel, "targets"):
            assert 'lane=~"$lane"' in str(target["expr"])
    lane = next(row for row in rows(committed(), "templating.list") if row["name"] == "lane")
    assert (lane["multi"], lane["includeAll"]) == (True, True)


def test_the_layers_are_the_reports() -> None:
    """The same colour means the same attempt number on every page of ours."""
    (panel,) = [panel for panel in _panels() if panel["title"] == "Offered load and capacity"]
    used = [
        at(row, "properties.0.value.fixedColor") for row in rows(panel, "fieldConfig.overrides")
    ]
    assert used[:-1] == list(DARK.values()) == list(LAYERS.values())
    capacity = rows(panel, "fieldConfig.overrides")[-1]
    assert at(capacity, "matcher.options") == "capacity"
    properties = {row["id"]: row["value"] for row in rows(capacity, "properties")}
    assert at(properties["custom.stacking"], "mode") == "none"


def test_dips_are_drawn_over_the_charts() -> None:
    """As regions, and each beginning at its own time and not at that of a scrape."""
    drawn = {row["name"]: row for row in rows(committed(), "annotations.list")}
    assert all(row["enable"] for row in drawn.values())
    assert "aftershock_dips_active" in str(at(drawn["Dips"], "target.expr"))
    assert drawn["Beginnings of dips"]["useValueForTime"] is True
    assert ALERT in str(at(drawn["Retry storm"], "target.expr"))
    for row in drawn.values():
        assert row["expr"] == at(row, "target.expr")
        assert row["step"] == at(row, "target.interval")


def test_every_query_is_promql(tmp_path: Path) -> None:
    """By Prometheus' own parser."""
    groups = [
        {
            "name": "dashboard",
            "rules": [
                {"record": f"query:{number}", "expr": expr}
                for number, expr in enumerate(expressions())
            ],
        }
    ]
    done = _check(tmp_path, {"groups": groups})
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(expressions())} rules found" in done.stdout
    groups[0]["rules"] = [{"record": "query:0", "expr": "sum by lane (x"}]
    assert _check(tmp_path, {"groups": groups}).returncode != 0


def test_every_metric_is_one_that_is_scraped_or_recorded() -> None:
    """A metric that was renamed would leave an empty panel, and nobody would be told."""
    tally = tally_of(A)
    tally.take([requests("a"), health()], ANCHOR_S)
    there = {name for name, _ in scraped_target(stormy_target("a"), 0.2)}
    there |= {name for name, _ in scraped_generator(tally)}
    rules = yaml.safe_load((ROOT / "deploy" / "prometheus" / "rules.yml").read_text())
    for group in rules["groups"]:
        there |= {rule["record"] for rule in group["rules"] if "record" in rule}
        alerts = [rule["alert"] for rule in group["rules"] if "alert" in rule]
    assert alerts == [ALERT]
    asked = set(re.findall(r"(?:lane:)?\baftershock_\w+(?::\w+)?", " ".join(expressions())))
    assert len(asked) > 20
    assert asked <= there
    variable = next(row for row in rows(committed(), "templating.list") if row["name"] == "lane")
    (name,) = re.findall(r"label_values\((\w+), lane\)", str(variable["query"]))
    assert name in there


def test_every_attempt_number_is_in_one_layer() -> None:
    """Together they are the offered load."""
    layers = re.findall(r'attempt=~"([^"]+)"', " ".join(expressions()))
    for attempt in ATTEMPTS:
        matching = [layer for layer in layers if re.fullmatch(layer.replace("\\\\", "\\"), attempt)]
        assert len(matching) == 1


def _check(folder: Path, rules: object) -> subprocess.CompletedProcess[str]:
    path = folder / "rules.yml"
    path.write_text(yaml.safe_dump(rules))
    command = [program("promtool"), "check", "rules", str(path)]
    return subprocess.run(command, capture_output=True, check=False, text=True)


def test_the_source_is_provisioned_without_a_secret() -> None:
    """Grafana finds Prometheus and the dashboard by itself, and takes no changes of them."""
    (source,) = rows(_provisioned("datasources/prometheus.yml"), "datasources")
    assert (source["type"], source["uid"]) == ("prometheus", "prometheus")
    assert source["isDefault"] is True
    assert source["editable"] is False
    # Rates are over four scrapes, so that a storm of some seconds is seen.
    assert at(source, "jsonData.timeInterval") == "1s"
    (provider,) = rows(_provisioned("dashboards/aftershock.yml"), "providers")
    assert provider["allowUiUpdates"] is False
    assert at(provider, "options.path") == "/var/lib/grafana/dashboards"
    for path in (FOLDER / "provisioning").rglob("*.yml"):
        assert not re.search("secure|password|token|user", path.read_text(), re.IGNORECASE)


def test_the_compose_stack_mounts_what_is_provisioned() -> None:
    """At the paths that the files name, and with Prometheus by the name that they have."""
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    mounts = {
        mount["source"]: mount["target"]
        for mount in compose["services"]["grafana"]["volumes"]
        if isinstance(mount, dict)
    }
    (provider,) = rows(_provisioned("dashboards/aftershock.yml"), "providers")
    assert mounts["./deploy/grafana/provisioning"] == "/etc/grafana/provisioning"
    assert mounts["./deploy/grafana/dashboards"] == at(provider, "options.path")
    (source,) = rows(_provisioned("datasources/prometheus.yml"), "datasources")
    assert source["url"] == "http://prometheus:9090"
    assert "prometheus" in compose["services"]


def _provisioned(name: str) -> object:
    return yaml.safe_load((FOLDER / "provisioning" / name).read_text())


def test_the_dashboard_opens_with_what_happens_now() -> None:
    """The last five minutes, in the reader's time, and a link to where one can act."""
    page = committed()
    assert page["uid"] == UID
    assert page["time"] == {"from": "now-5m", "to": "now"}
    assert page["timezone"] == "browser"
    assert page["refresh"] == "5s"
    assert at(page, "links.0.url") == "${control_room}"
    room = next(row for row in rows(page, "templating.list") if row["name"] == "control_room")
    assert room["query"] == "http://127.0.0.1:8089/aftershock/"


@pytest.mark.parametrize("name", ["$lane", "$__rate_interval", "$__interval"])
def test_variables_are_used_as_grafana_knows_them(name: str) -> None:
    """`expressions` replaces these three; another one would be left in, and is an error there."""
    assert name in json.dumps(committed())
