"""When a bar is to be seen by whoever waits: two seconds after the program began, or soon after."""

import io

import pytest
from rich.console import Console

from reports import progress
from reports.progress import Bar, quiet_s


@pytest.mark.parametrize(("since_s", "waits_s"), [(0.0, 2.0), (1.2, 0.8), (1.9, 0.5), (60.0, 0.5)])
def test_what_was_waited_for_before_counts(since_s: float, waits_s: float) -> None:
    assert quiet_s(progress.BEGAN_S + since_s) == pytest.approx(waits_s)


def test_pieces_may_become_known_while_the_bar_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = io.StringIO()
    monkeypatch.setattr(progress, "quiet_s", lambda now_s: 1000.0)
    with Bar(Console(file=drawn, force_terminal=True, width=60), "files") as bar:
        bar._progress.start()  # as its timer would
        bar.expect(3)
        bar.advance()
        bar._progress.refresh()
    assert "0/?" in drawn.getvalue()
    assert "1/3" in drawn.getvalue()


def test_there_is_none_where_nobody_looks() -> None:
    drawn = io.StringIO()
    with Bar(Console(file=drawn), "files", 1) as bar:
        bar.advance()
    assert not drawn.getvalue()
