"""What the flags of all verbs that simulate come to."""

import pytest

from loadtests.simulation import asked
from loadtests.simulation.asked import processes_of


def test_a_machine_with_more_cores_than_are_allowed_is_no_mistake(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only a number that was said can be one."""
    monkeypatch.setattr(asked, "default_processes", lambda: 500)
    assert processes_of(None) == 256
    assert processes_of(3) == 3
    with pytest.raises(ValueError, match="--processes: 500: expected 1 to 256"):
        processes_of(500)
