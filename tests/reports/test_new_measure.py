"""A measure that is added to the catalogue, and nowhere else, stands everywhere."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.reports.known.making import Dip, KnownLane, KnownRun, wave

Told = dict[str, Any]

ADD = """
import json, sys
from reports.measuring import catalogue
from reports.measuring.measure import Measure, Part, Unit
from reports.statistics.value import Value

def half_back(figures):
    after = figures.after
    if after is None:
        return None
    late = after.settled_s is None or after.settled_s > 2
    return Value(after.observed_s if late else after.settled_s / 2, late)

catalogue.MEASURES += (
    Measure(
        "marbles", "lost marbles", Unit.COUNT, Part.COST, "What a storm makes one lose.",
        lambda figures: Value(figures.attempts * 1000.0), brief="marbles",
        limits=(Unit.COUNT,), always=True,
    ),
    Measure(
        "half_back_s", "half back", Unit.SECONDS, Part.RECOVERY, "Later than 2 s it is not seen.",
        half_back, brief="half back", limits=(Unit.SECONDS,),
    ),
)

from typer.testing import CliRunner
from aftershock_verbs import app_for
from reports.rendering.schema import document, study
from reports.rendering.schema.pages import measures

told = {}
for name, arguments in json.loads(sys.argv[1]).items():
    done = CliRunner().invoke(app_for(arguments), arguments)
    told[name] = {"code": done.exit_code, "output": done.output}
told["schema"], told["schema of many"] = document.document(), study.document()
told["table"] = list(measures())
print(json.dumps(told))
"""
"""Two entries, before anything else is imported; then the verbs, as the command runs them."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with one dip, one with three, and a folder with two."""
    found = tmp_path_factory.mktemp("runs")
    one = KnownRun((KnownLane((wave(10, 15),)),))
    three = KnownRun(
        (KnownLane((wave(10, 13), wave(30, 34), wave(50, 55))),),
        (Dip(10, 12), Dip(30, 32), Dip(50, 52)),
        length_s=70.0,
    )
    one.made().write(found / "one")
    three.made().write(found / "three")
    for length_s in (1, 2):
        other = KnownRun((KnownLane((wave(10, 12 + length_s),)),))
        other.made().write(found / "many" / str(length_s))
    return found


@pytest.fixture(scope="module")
def told(folder: Path) -> Told:
    """What every verb said."""
    one, three, many = (str(folder / name) for name in ("one", "three", "many"))
    verbs = {
        "report": ["report", one],
        "repeated": ["report", three],
        "study": ["report", many, "--to", many],
        "check": ["check", one, "--max-marbles", "5", "--json"],
        "help": ["check", "--help"],
        "compare": ["compare", one, three, "--measure", "marbles", "--json"],
        "check late": ["check", three, "--max-half-back", "5s"],
        "compare late": ["compare", three, one, "--measure", "half-back"],
        "export": ["export", three, "--format", "csv,markdown"],
        "export many": ["export", many, "--format", "csv,markdown,svg"],
    }
    done = subprocess.run(
        [sys.executable, "-c", ADD, json.dumps(verbs)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: Told = json.loads(done.stdout)
    return found


def output(told: Told, name: str) -> str:
    return str(told[name]["output"])


@pytest.mark.parametrize("name", ["report", "repeated", "study"])
def test_it_stands_in_the_terminal(told: Told, name: str) -> None:
    assert told[name]["code"] == 0
    assert "marbles" in output(told, name)
    assert ",000" in output(told, name)


@pytest.mark.parametrize("page", ["one/report.html", "three/report.html", "many/distribution.html"])
@pytest.mark.usefixtures("told")
def test_it_stands_on_the_pages(folder: Path, page: str) -> None:
    text = (folder / page).read_text(encoding="utf-8")
    assert "lost marbles" in text
    assert "What a storm makes one lose." in text


def test_it_stands_in_json_as_the_schema_says(told: Told, folder: Path) -> None:
    for name in ("one", "three"):
        found = json.loads((folder / name / "report.json").read_text())
        jsonschema.validate(found, told["schema"])
        [policy] = found["policies"]
        assert policy["marbles"] == policy["attempts"] * 1000
        each = [episode["marbles"] for episode in policy["episodes"]]
        assert each == [episode["attempts"] * 1000 for episode in policy["episodes"]]
        for distribution in found["distributions"]:
            assert distribution["measures"]["marbles"]["n"] == 3
    several = json.loads((folder / "many" / "distribution.json").read_text())
    jsonschema.validate(several, told["schema of many"])
    assert "marbles" in several["conditions"][0]["lanes"][0]["measures"]


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("name", ["measures.csv", "distributions.csv", "summary.md"])
@pytest.mark.parametrize("of", ["three", "many"])
def test_it_stands_in_what_is_exported(folder: Path, of: str, name: str) -> None:
    assert "marbles" in (folder / of / "export" / name).read_text()


@pytest.mark.usefixtures("told")
def test_it_stands_beneath_the_picture_of_a_lane_over_several_runs(folder: Path) -> None:
    [picture] = [
        path for path in (folder / "many" / "export").glob("*.svg") if "sheet" not in path.name
    ]
    assert "lost marbles" in picture.read_text(encoding="utf-8")


def test_it_can_be_limited_and_compared(told: Told) -> None:
    assert "--max-marbles" in output(told, "help")
    assert told["check"]["code"] == 1
    [rule] = json.loads(output(told, "check"))["rules"]
    assert (rule["measure"], rule["kept"]) == ("marbles", False)
    [lane] = json.loads(output(told, "compare"))["lanes"]
    assert list(lane["measures"]) == ["marbles"]


def test_it_is_documented(told: Told) -> None:
    assert any("| lost marbles | `marbles` |" in row for row in told["table"])


LATE = "did not come about in 1 of 3"
"""Of `half_back_s`: the storms after the dips were 1, 2 and 3 s long."""


@pytest.mark.usefixtures("told")
def test_one_that_is_late_in_some_samples_says_so(folder: Path) -> None:
    three = folder / "three"
    assert LATE in (three / "report.html").read_text(encoding="utf-8")
    assert LATE in (three / "export" / "summary.md").read_text()
    found = json.loads((three / "report.json").read_text())
    [policy] = found["policies"]
    each = [episode["half_back_s"] for episode in policy["episodes"]]
    assert each == [0.5, 1.0, None]
    [distribution] = found["distributions"]
    assert distribution["measures"]["half_back_s"]["late"] == 1


def test_one_that_is_late_is_judged_and_compared_as_beyond(told: Told) -> None:
    assert "half back > 18 s, limit 5.0 s" in output(told, "check late")
    said = " ".join(output(told, "compare late").split())
    assert "did not come about in 1 of 3 of BASE and in 1 of 1 of NEW" in said
