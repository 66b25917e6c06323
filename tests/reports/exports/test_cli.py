"""`aftershock export`: what it writes, how it exits."""

import re
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from aftershock_verbs import app_for
from tests.reports.shown import as_html
from tests.reports.study.made import made, write
from tests.reports.synthetic import Made, Shape, plain, storm

GOOD = Made([Shape("a", plain(storm(30))), Shape("../b", plain(storm(9)))])
TABLES = ("ticks", "requests", "failures", "measures", "happened", "health")


def run(*arguments: str | Path) -> Result:
    texts = ["export", *(str(argument) for argument in arguments)]
    return CliRunner().invoke(app_for(texts), texts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return GOOD.write(tmp_path / "runs" / "one")


def test_everything_is_written_beside_the_record_and_named(folder: Path) -> None:
    result = run(folder)
    assert result.exit_code == 0
    pictures = [f"{name}.{ending}" for name in ("sheet", "a", "b") for ending in ("svg", "png")]
    tables = [f"{name}.{ending}" for name in TABLES for ending in ("csv", "parquet")]
    names = ["summary.md", "captions.md", *pictures, *tables]
    assert result.output.split("\n")[:-1] == [str(folder / "export" / name) for name in names]
    assert sorted(path.name for path in (folder / "export").iterdir()) == sorted(names)
    assert all((folder / "export" / name).stat().st_size for name in names)
    captions = (folder / "export" / "captions.md").read_text()
    assert re.findall(r"^`([^`]*)`", captions, re.MULTILINE) == ["sheet.svg", "a.svg", "b.svg"]
    assert captions.count("Aftershock 0.1.0.") == 3
    shown = [as_html(text) for text in (captions, (folder / "export" / "summary.md").read_text())]
    assert [re.findall(r'<img src="([^"]*)" alt="[^"]+"', one) for one in shown] == [
        ["sheet.svg", "a.svg", "b.svg"], ["sheet.svg"],
    ]  # fmt: skip


def test_only_the_formats_that_are_named_are_written(folder: Path, tmp_path: Path) -> None:
    result = run(folder, "--to", tmp_path / "new" / "place", "--format", "markdown, CSV")
    assert result.exit_code == 0
    found = sorted(path.name for path in (tmp_path / "new" / "place").iterdir())
    assert found == sorted(["summary.md", *(f"{name}.csv" for name in TABLES)])
    assert [path.name for path in folder.iterdir()] == ["record.ndjson"]
    assert "![" not in (tmp_path / "new" / "place" / "summary.md").read_text()


def test_what_is_not_valid_is_written_and_exits_3(tmp_path: Path) -> None:
    folder = GOOD.but(cpu={"generator": 0.99}).write(tmp_path / "one")
    result = run(folder, "--format", "markdown")
    assert result.exit_code == 3
    assert "NOT VALID: the generator had no CPU to spare" in result.output
    assert "**NOT VALID.**" in (folder / "export" / "summary.md").read_text()


def test_a_run_without_a_dip_exits_2_and_has_its_series(tmp_path: Path) -> None:
    folder = GOOD.but(dips=[]).write(tmp_path / "one")
    result = run(folder, "--format", "csv")
    assert result.exit_code == 2
    assert "no dip was found" in result.output
    assert (folder / "export" / "ticks.csv").exists()


@pytest.mark.parametrize(
    ("formats", "said"), [("svg,pdf", "'pdf' is no format"), (" , ", "no format is named")]
)
def test_a_format_that_there_is_not_is_named(folder: Path, formats: str, said: str) -> None:
    result = run(folder, "--format", formats)
    assert result.exit_code == 2
    assert said in result.output
    assert "svg, png, csv, parquet, markdown" in result.output


def test_no_run_and_no_place_to_write_are_one_line(folder: Path, tmp_path: Path) -> None:
    result = run(tmp_path / "none")
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    (tmp_path / "file").write_text("")
    result = run(folder, "--to", tmp_path / "file", "--format", "csv")
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert "cannot be written" in result.output


def test_several_runs_are_written_as_one(tmp_path: Path) -> None:
    """Beside the folders that hold them: pictures, Markdown, and a row for each run and lane."""
    for seed, ticks in enumerate((30, 40)):
        write(made(**{"a": ticks, "../b": 9}), tmp_path / str(seed), seed)
    result = run(tmp_path)
    assert result.exit_code == 0
    to = tmp_path / "export"
    sheets = ("sheet-load", "sheet-settled", "a", "b")
    pictures = [f"{name}.{ending}" for name in sheets for ending in ("svg", "png")]
    tables = [f"{n}.{e}" for n in ("measures", "distributions") for e in ("csv", "parquet")]
    names = ["summary.md", "captions.md", *pictures, *tables]
    assert result.output.split("\n")[:-1] == [str(to / name) for name in names]
    rows = pl.read_csv(to / "measures.csv")
    assert rows.select("lane", "settled_s").rows() == [
        ("a", 3.0), ("../b", 0.9), ("a", 4.0), ("../b", 0.9),
    ]  # fmt: skip
    assert pl.read_parquet(to / "measures.parquet").shape == rows.shape
    shown = as_html((to / "summary.md").read_text())
    assert re.findall(r'<img src="([^"]*)"', shown) == ["sheet-load.svg", "sheet-settled.svg"]


def test_of_several_runs_none_of_which_is_valid_it_exits_3(tmp_path: Path) -> None:
    for seed in range(2):
        GOOD.but(cpu={"generator": 0.99}, scenario={"seed": seed}).write(tmp_path / f"{seed}")
    result = run(tmp_path, "--format", "csv")
    assert result.exit_code == 3
    assert "NOT VALID: No run is valid." in result.output


def test_help_has_an_example() -> None:
    assert "Example: aftershock export runs/" in run("--help").output
