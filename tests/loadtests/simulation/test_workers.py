"""Many pieces of work on processes of this machine."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing import active_children

import pytest

from loadtests.simulation.workers import LocalWorkers, WorkersError, default_processes


def _square(number: int) -> int:
    return number * number


def _fail_at_seven(number: int) -> int:
    if number == 7:
        raise ValueError("seven")
    return number


def _die_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def _ignores_interrupts(_number: int) -> bool:
    os.kill(os.getpid(), signal.SIGINT)
    return True


def _pid(_number: int) -> int:
    return os.getpid()


def _sleep(number: int) -> int:
    time.sleep(60.0 if number else 0.0)
    return number


def test_one_process_is_this_one() -> None:
    """With one process nothing is started, and what is done is done here."""
    with LocalWorkers(1) as workers:
        assert list(workers.each(_pid, [1, 2])) == [(0, os.getpid()), (1, os.getpid())]


def test_none_is_refused() -> None:
    """Without a process nothing would be done."""
    with pytest.raises(ValueError, match="expected at least 1"):
        LocalWorkers(0)


def test_there_is_a_core_for_us() -> None:
    """The default is what the machine gives us."""
    assert default_processes() >= 1


@pytest.mark.live
def test_each_item_is_done_once_wherever() -> None:
    """Several processes give the results of one, each with the index of its item; used twice."""
    items = list(range(100))
    with LocalWorkers(2) as workers:
        assert sorted(workers.each(_square, items)) == [(n, n * n) for n in items]
        assert all(done for _, done in workers.each(_ignores_interrupts, [1, 2]))
        assert list(workers.each(_square, [])) == []
        with pytest.raises(ValueError, match="seven"):
            list(workers.each(_fail_at_seven, items))
    assert not active_children()


@pytest.mark.live
def test_a_process_that_dies_is_an_error() -> None:
    """A worker that is killed, as for want of memory, ends the work with one clear sentence."""
    with LocalWorkers(2) as workers, pytest.raises(WorkersError, match="fewer --processes"):
        list(workers.each(_die_at_three, list(range(8))))
    assert not active_children()


@pytest.mark.live
def test_leaving_ends_what_is_running() -> None:
    """Nobody waits for work that is no longer wanted."""
    before_s = time.monotonic()
    with LocalWorkers(2) as workers:
        assert next(workers.each(_sleep, [0, 1, 2, 3])) == (0, 0)
    assert not active_children()
    assert time.monotonic() - before_s < 50.0


@pytest.mark.live
def test_ctrl_c_ends_all_of_it_without_a_traceback() -> None:
    """The terminal sends it to every process; only the parent takes notice, and ends the rest."""
    code = (
        "from loadtests.simulation.workers import LocalWorkers\n"
        "from tests.loadtests.simulation.test_workers import _sleep\n"
        "try:\n"
        "    with LocalWorkers(2) as workers:\n"
        "        for index, _ in workers.each(_sleep, [0, 1, 1, 1]):\n"
        "            print(index, flush=True)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "0\n"
    os.killpg(process.pid, signal.SIGINT)
    # It returns when all are gone that have these pipes, which is every process of it.
    assert process.communicate(timeout=50) == ("interrupted\n", "")
