"""The client and the command against a real target."""

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from faults.admin import AdminClient, AdminError, DipStatus, clock_offset
from faults.dip import Dip
from tests.real import eventually
from tests.target_service.live import LIMIT_S, LiveTarget, clean_environment, live_target

pytestmark = pytest.mark.live

TOKEN = "a-secret-for-tests"


@pytest.fixture(scope="module")
def target() -> Iterator[LiveTarget]:
    """One target with a token for this module."""
    with live_target("--capacity", "100/s", AFTERSHOCK_ADMIN_TOKEN=TOKEN) as started:
        yield started


@pytest.fixture
def client(target: LiveTarget) -> Iterator[AdminClient]:
    """A client of a target that has been reset."""
    made = AdminClient(target.url, TOKEN)
    made.reset()
    yield made
    made.close()


def only_dip(client: AdminClient) -> DipStatus:
    """The dip that there is."""
    (dip,) = client.dips()
    return dip


def dip_command(target: LiveTarget, *options: str) -> subprocess.Popen[str]:
    """Start the command."""
    return subprocess.Popen(
        [sys.executable, "-m", "faults", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(AFTERSHOCK_TARGET=target.url, AFTERSHOCK_ADMIN_TOKEN=TOKEN),
    )


def finished(target: LiveTarget, *options: str) -> tuple[int, str, str]:
    """Run the command to its end: exit code, output, errors."""
    with dip_command(target, *options) as process:
        out, err = process.communicate(timeout=LIMIT_S)
    return process.returncode, out, err


def test_the_client_speaks_the_targets_language(client: AdminClient) -> None:
    """Every call, with what comes back."""
    client.register_lanes(["a", "b c"])
    client.register_lanes([])
    assert client.set_capacity(30.5, ["a"]).lanes["a"].capacity_per_s == 30.5
    dip = client.begin_dip(Dip("20%", 2.0, shape="ramp", lanes=("b c",)), after_s=60.0)
    assert (dip.state, dip.shape, dip.lanes, dip.for_s) == ("pending", "ramp", ("b c",), 2.0)
    assert client.dips() == [dip] == list(client.state().dips)
    assert client.end_dip(dip.id).state == "cancelled"
    seq = client.state().seq
    rows = eventually(lambda: client.ticks(seq), "a tick is over")
    assert rows[0].seq == seq + 1
    assert rows[0].lanes["a"].capacity_per_s == 30.5
    assert rows[0].lanes["b c"].offered == ()
    assert client.reset().lanes == {}
    offset = clock_offset(client)
    assert 0 < offset.rtt_s < LIMIT_S


def test_the_targets_own_words_come_through(target: LiveTarget, client: AdminClient) -> None:
    """An unknown lane, an unknown id, a wrong token."""
    with pytest.raises(AdminError, match="lanes: there is no lane 'typo'") as unknown:
        client.begin_dip(Dip("20%", 1.0, lanes=("typo",)))
    assert unknown.value.status == 422
    with pytest.raises(AdminError, match="unknown-dip"):
        client.end_dip("dip-999")
    with pytest.raises(AdminError, match="token-needed") as refused:
        AdminClient(target.url, "wrong").state()
    assert refused.value.status == 401
    assert "wrong" not in str(refused.value)


def test_the_command_makes_a_dip_and_says_when_it_began_and_ended(
    target: LiveTarget, client: AdminClient
) -> None:
    """Plain lines where there is no terminal."""
    code, out, err = finished(target, "--capacity", "20%", "--for", "500ms")
    assert (code, err) == (0, "")
    began, ended = out.splitlines()
    dip = only_dip(client)
    assert began.startswith(f"{dip.id} began at ")
    assert began.endswith(": 20%, every lane")
    assert ended.startswith(f"{dip.id} ended at ")
    assert ended.endswith(" after 0.5s")
    assert (dip.state, round(dip.end_s - dip.start_s, 6)) == ("ended", 0.5)


def test_a_dip_that_lowers_nothing_says_so(target: LiveTarget, client: AdminClient) -> None:
    """Where there is a lane that it could lower; one that lowers it says nothing of it."""
    client.register_lanes(["a"])
    for capacity, noted in (("100/s", True), ("99/s", False)):
        with dip_command(target, "--capacity", capacity, "--for", "10s") as process:
            assert process.stdout is not None
            said = process.stdout.readline()
            said += process.stdout.readline() if noted else ""
            process.terminate()
            out, err = process.communicate(timeout=LIMIT_S)
        assert (process.returncode, err) == (143, "")
        assert ("note: that lowers nothing" in said + out) is noted


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_stopped_command_takes_its_dip_back(
    target: LiveTarget, client: AdminClient, number: signal.Signals, code: int
) -> None:
    """At the target, with a line that says so."""
    with dip_command(target, "--capacity", "0/s", "--for", "1h") as process:
        assert process.stdout is not None
        assert " began at " in process.stdout.readline()
        assert only_dip(client).state == "active"
        process.send_signal(number)
        out, err = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, err) == (code, "")
    assert "was taken back early: it ended at " in out
    assert only_dip(client).end_s - only_dip(client).start_s < LIMIT_S
    eventually(lambda: only_dip(client).state == "ended", "the dip is over")


def test_a_command_stopped_before_its_dip_began_cancels_it(
    target: LiveTarget, client: AdminClient
) -> None:
    """Nothing is left to begin later."""
    with dip_command(target, "--capacity", "0/s", "--for", "1h", "--after", "1h") as process:
        eventually(client.dips, "the dip is planned")
        process.terminate()
        out, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 143
    assert "was taken back early: it never began" in out
    assert only_dip(client).state == "cancelled"


def test_a_command_that_is_killed_leaves_a_dip_that_ends_by_itself(
    target: LiveTarget, client: AdminClient
) -> None:
    """At its time, at the target."""
    with dip_command(target, "--capacity", "0/s", "--for", "1s") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    dip = eventually(
        lambda: next((dip for dip in client.dips() if dip.state == "ended"), None),
        "the dip is over",
    )
    assert round(dip.end_s - dip.start_s, 6) == 1.0


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--capacity", "20/m"], 2, "--capacity: '20/m' is not a rate per second, as in \"100/s\""),
        (["--capacity", "20%", "--for", "0s"], 2, "--for: a dip lasts from 1ms to 1h"),
        (["--capacity", "20%", "--after", "-1s"], 2, "--after: '-1s' is not a duration"),
        ([], 2, "give exactly one of --capacity, --workers and --service-time"),
        (["--workers", "1", "--service-time", "x"], 2, "give exactly one of --capacity, --wor"),
        (["--service-time", "x"], 2, "--service-time: 'x' is not a duration"),
        (
            ["--workers", "1", "--slow-start", "9h"],
            2,
            "--slow-start: it lasts from 0s to 1h, not 9h",
        ),
        (["--capacity", "20%", "--shape", "cliff"], 2, "--shape: 'cliff' is not step or ramp"),
        (["--capacity", "20%", "--target", "nowhere"], 2, "--target: 'nowhere' is not a URL"),
        (["--capacity", "20%", "--lane", "typo"], 2, "there is no lane 'typo'"),
        (["--capacity", "20%", "--target", "http://127.0.0.1:1"], 1, "no target answers at"),
        (["--capacity", "20%", "--token", "wrong"], 1, "token-needed"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(
    target: LiveTarget, client: AdminClient, options: list[str], code: int, says: str
) -> None:
    """2 for bad input, 1 for a target that does not do it."""
    returned, out, err = finished(target, *options)
    assert (returned, out) == (code, "")
    assert err.startswith("aftershock dip: ")
    assert says in err
    assert err.count("\n") == 1
    assert client.dips() == []
