"""Where the folder of a run can be made."""

from pathlib import Path

import pytest

from loadtests.rundir import check_out


@pytest.mark.parametrize("below", ["", "a", "a/b"])
def test_a_file_is_no_folder_to_write_to(tmp_path: Path, below: str) -> None:
    """Nor is anything in it; a folder that is not there yet can be made."""
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(ValueError, match=r"--out: .*file is a file: expected a folder"):
        check_out(file / below)
    check_out(tmp_path / "new" / below)
    assert not (tmp_path / "new").exists()


def test_where_nobody_may_write_is_no_folder_to_write_to() -> None:
    """Not even root can make a folder there."""
    with pytest.raises(ValueError, match="--out: /proc/foo: /proc cannot be written to"):
        check_out(Path("/proc/foo"))
