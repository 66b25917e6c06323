"""What `--cluster` names is looked at before anybody is asked."""

import gc
import socket

import pytest

from loadtests.simulation.cluster import DaskWorkers
from loadtests.simulation.workers import WorkersError

pytest.importorskip("distributed")


@pytest.mark.parametrize("address", ["[x", "tcp://:x", "10.0.0.5", "", "no://x:1", "tcp://h:99999"])
def test_what_is_no_address_is_bad_input(address: str) -> None:
    """It says what an address looks like."""
    with pytest.raises(ValueError, match=r"is no address: .*: expected one as in tcp://"):
        DaskWorkers(address, 1.0).__enter__()


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_nobody_there_is_said_once() -> None:
    """No client is left behind that complains when it goes."""
    with socket.socket() as bound:  # and never listens
        bound.bind(("127.0.0.1", 0))
        with pytest.raises(WorkersError, match="no Dask scheduler answers at"):
            DaskWorkers(f"tcp://127.0.0.1:{bound.getsockname()[1]}", 1.0).__enter__()
        gc.collect()
