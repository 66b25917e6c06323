"""Files that are written: whole, together, and in the place of files alone."""

import os
import stat
from pathlib import Path

import pytest

from reports.rendering.exports.writing import whole
from reports.rendering.files import write_together, write_whole


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_is_no_file_stays_what_it_is(tmp_path: Path) -> None:
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    link = tmp_path / "link"
    link.symlink_to(pipe)
    for path in (pipe, link, folder):
        with pytest.raises(OSError, match="it is there and is no file"):
            write_whole(path, "text")
        with pytest.raises(OSError, match="it is there and is no file"), whole(path):
            pass
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert link.is_symlink()
    assert names(tmp_path) == ["folder", "link", "pipe"]


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    real, link = tmp_path / "elsewhere" / "real.xml", tmp_path / "link.xml"
    link.symlink_to(real)
    write_whole(link, "once")
    assert (link.is_symlink(), real.read_text()) == (True, "once")
    with whole(link) as part:
        part.write_text("twice")
    assert (link.is_symlink(), real.read_text()) == (True, "twice")
    assert names(tmp_path / "elsewhere") == ["real.xml"]


def test_two_files_are_replaced_together_or_not_at_all(tmp_path: Path) -> None:
    """The second cannot be written, as when the disk is full."""
    first, second = tmp_path / "report.json", tmp_path / "report.html"
    write_together({first: "old", second: "old"})
    with pytest.raises(UnicodeEncodeError):
        write_together({first: "new", second: "\ud800"})
    assert (first.read_text(), second.read_text()) == ("old", "old")
    assert names(tmp_path) == ["report.html", "report.json"]
