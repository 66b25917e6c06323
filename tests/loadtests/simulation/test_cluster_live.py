"""A sweep on a Dask cluster: a scheduler and workers in processes of their own, on loopback."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loadtests.processes import free_port
from loadtests.simulation.cluster import DaskWorkers
from loadtests.simulation.sweep.cells import play_cell
from loadtests.simulation.sweep.plan import Tasks
from loadtests.simulation.workers import LocalWorkers, WorkersError
from tests.loadtests.simulation.sweep.made import sweep_of

pytestmark = pytest.mark.live
SWEEP = sweep_of("load.utilisation=0.8,0.9", "dip.for=1s,2s", runs=1)


def start(folder: Path, part: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A part of the cluster, in a group of its own: a worker has processes of its own."""
    with (folder / f"{part}.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{part}", *arguments],
            stdout=log, stderr=log, cwd=folder, start_new_session=True,
        )  # fmt: skip


def stop(process: subprocess.Popen[bytes]) -> None:
    """It and what it started."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def a_scheduler(folder: Path) -> Iterator[str]:
    """Its address; it has no workers."""
    port = free_port()
    process = start(
        folder, "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"
    )
    try:
        yield f"tcp://127.0.0.1:{port}"
    finally:
        stop(process)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler that has two workers, for all tests: it takes long to start."""
    folder = tmp_path_factory.mktemp("cluster")
    with a_scheduler(folder) as scheduler:
        process = start(
            folder, "worker", scheduler, "--nworkers", "2", "--nthreads", "1", "--no-dashboard",
            "--host", "127.0.0.1",
        )  # fmt: skip
        try:
            yield scheduler
        finally:
            stop(process)


@pytest.mark.timeout(180)
def test_cells_are_the_same_on_a_cluster(cluster: str) -> None:
    """Each once, with the index of its own, in whatever order."""
    tasks = Tasks(SWEEP, range(SWEEP.size))
    with LocalWorkers(1) as workers:
        here = list(workers.each(play_cell, tasks))
    with DaskWorkers(cluster, answer_s=60.0) as workers:
        there = list(workers.each(play_cell, tasks))
    assert sorted(there, key=lambda pair: pair[0]) == here


@pytest.mark.timeout(180)
def test_what_a_cell_raises_is_raised_here_and_the_cluster_goes_on(cluster: str) -> None:
    """Leaving it ends what is running there for us."""
    with DaskWorkers(cluster, answer_s=60.0) as workers:
        with pytest.raises(ValueError, match="invalid literal"):
            list(workers.each(int, ["1", "x"]))
    with DaskWorkers(cluster, answer_s=60.0) as workers:
        assert sorted(workers.each(int, ["1", "2"])) == [(0, 1), (1, 2)]


@pytest.mark.timeout(120)
def test_a_scheduler_without_workers_is_named(tmp_path: Path) -> None:
    """In bounded time."""
    deadline_s = time.monotonic() + 60
    said = ""
    with a_scheduler(tmp_path) as scheduler:
        while "no workers" not in said and time.monotonic() < deadline_s:
            with pytest.raises(WorkersError) as raised:
                DaskWorkers(scheduler, answer_s=1.0).__enter__()
            said = str(raised.value)
    assert said == f"the scheduler at {scheduler} has no workers"


def test_an_address_at_which_nobody_answers_is_named() -> None:
    """In bounded time, with what is expected."""
    address = "tcp://127.0.0.1:1"
    with pytest.raises(WorkersError, match=f"no Dask scheduler answers at {address}"):
        DaskWorkers(address, answer_s=1.0).__enter__()


@pytest.mark.parametrize("address", ["nonsense", "x://y"])
def test_what_is_no_address_is_named(address: str) -> None:
    """At once, as a mistake of the command line, with what is expected."""
    expected = "is no address: .*expected one as in tcp://10.0.0.5:8786"
    with pytest.raises(ValueError, match=expected):
        DaskWorkers(address, answer_s=1.0).__enter__()


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else of the command needs it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(WorkersError, match=r'pip install "aftershock\[cluster\]"'):
        DaskWorkers("tcp://127.0.0.1:1").__enter__()
