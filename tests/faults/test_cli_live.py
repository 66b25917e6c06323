"""``aftershock fault`` and ``aftershock operate`` against a real target."""

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
import typer
from typer.testing import CliRunner

from faults.admin import AdminClient
from faults.fault_cli import fault
from faults.operate_cli import operate
from faults.statuses import ActionStatus, FaultStatus
from tests.faults.stub import Stub, http_answer
from tests.real import eventually
from tests.target_service.live import LIMIT_S, LiveTarget, clean_environment, live_target

pytestmark = pytest.mark.live

# The whole command imports everything that any of its verbs needs.
VERBS = {
    "fault": "import typer; from faults.fault_cli import fault; typer.run(fault)",
    "operate": "from faults.operate_cli import operate; operate()",
}
APPS = {"fault": typer.Typer(), "operate": operate}
APPS["fault"].command()(fault)


@pytest.fixture(scope="module")
def target() -> Iterator[LiveTarget]:
    """One target for this module."""
    with live_target("--capacity", "100/s") as started:
        yield started


@pytest.fixture
def client(target: LiveTarget) -> Iterator[AdminClient]:
    """A client of a target that has been reset and has a lane."""
    made = AdminClient(target.url)
    made.reset()
    made.register_lanes(["a"])
    yield made
    made.close()


def command(target: LiveTarget, verb: str, *options: str) -> subprocess.Popen[str]:
    """Start a verb."""
    return subprocess.Popen(
        [sys.executable, "-c", VERBS[verb], *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(AFTERSHOCK_TARGET=target.url),
    )


def finished(target: LiveTarget, verb: str, *options: str) -> tuple[int, str, str]:
    """Run a verb to its end, in this process: exit code, output, errors."""
    environment = {"AFTERSHOCK_TARGET": target.url, "AFTERSHOCK_ADMIN_TOKEN": None}
    result = CliRunner().invoke(APPS[verb], options, env=environment)
    return result.exit_code, result.stdout, result.stderr


def known(client: AdminClient) -> list[FaultStatus | ActionStatus]:
    """All faults and actions there are."""
    return [*client.faults(), *client.actions()]


@pytest.mark.parametrize(
    ("verb", "options", "what"),
    [
        (
            "fault",
            ["latency", "--add", "200ms", "--spread", "50ms", "--share", "50%", "--for", "300ms"],
            "latency 200ms ± 50ms, 50%, every lane",
        ),
        (
            "fault",
            ["error", "--status", "502", "--retry-after", "3s", "--for", "300ms", "--lane", "a"],
            "error 502 with Retry-After 3s, 100%, a",
        ),
        ("operate", ["shed", "--share", "90%", "--for", "300ms"], "shed 90%, every lane"),
        (
            "operate",
            ["block-retries", "--for", "300ms", "--lane", "a"],
            "block-retries attempts after the first, a",
        ),
    ],
)
def test_the_command_says_when_it_began_and_ended(
    target: LiveTarget, client: AdminClient, verb: str, options: list[str], what: str
) -> None:
    """Plain lines where there is no terminal."""
    code, out, err = finished(target, verb, *options)
    assert (code, err) == (0, "")
    began, ended = out.splitlines()
    (status,) = known(client)
    assert began.startswith(f"{status.id} began at ")
    assert began.endswith(f": {what}")
    assert ended.startswith(f"{status.id} ended at ")
    assert ended.endswith(" after 0.3s")
    assert status.state == "ended"


def test_a_reopening_tells_its_steps_and_that_all_is_open(
    target: LiveTarget, client: AdminClient
) -> None:
    """Which is its end, before its time.

    A step that is over before the command looks is not told, so it is made again then.
    """

    def lines() -> list[str] | None:
        client.reset()
        client.register_lanes(["a"])
        options = ["--step", "40%", "--every", "500ms", "--max-errors", "0%"]
        code, out, err = finished(target, "operate", "reopen", *options)
        assert (code, err) == (0, "")
        told = out.splitlines()
        return told if len(told) == 3 else None

    began, step, ended = eventually(lines, "a step is told")
    assert began.endswith(": reopen in steps of 40% every 500ms, at most 0% errors, every lane")
    assert step.endswith(" on, 20% turned away")
    assert ended.endswith(" after 1s: all is open")
    assert client.actions()[0].all_open


def test_a_reopening_whose_time_is_over_tells_how_much_it_turned_away(
    target: LiveTarget, client: AdminClient
) -> None:
    """It has not come to its end: from then on all is let through at once."""
    options = ["--every", "1h", "--for", "300ms"]
    code, out, err = finished(target, "operate", "reopen", *options)
    assert (code, err) == (0, "")
    began, ended = out.splitlines()
    assert ": reopen in steps of 20% every 1h, at most 5% errors" in began
    assert ended.endswith(" after 0.3s, 80% turned away until then; now all is let through")


def test_a_wrong_token_is_told_where_it_is_looked_for() -> None:
    """And is not repeated."""
    said = b'{"error": "token-needed", "message": "send the header", "fields": []}'
    with Stub([[http_answer(401, said)]]).running() as guarded:
        environment = {"AFTERSHOCK_TARGET": guarded.url, "AFTERSHOCK_ADMIN_TOKEN": "wr0ng"}
        result = CliRunner().invoke(APPS["fault"], ["hang"], env=environment)
    assert result.exit_code == 1
    assert "answers 401: token-needed" in result.stderr
    assert "AFTERSHOCK_ADMIN_TOKEN" in result.stderr
    assert "wr0ng" not in result.stderr


@pytest.mark.parametrize(
    ("verb", "options", "number", "code"),
    [
        ("fault", ["hang", "--for", "1h"], signal.SIGINT, 130),
        ("operate", ["shed", "--share", "100%", "--for", "1h"], signal.SIGTERM, 143),
        ("operate", ["reopen", "--every", "1h"], signal.SIGHUP, 129),
    ],
)
def test_a_stopped_command_takes_it_back(
    target: LiveTarget,
    client: AdminClient,
    verb: str,
    options: list[str],
    number: signal.Signals,
    code: int,
) -> None:
    """At the target, with a line that says so."""
    with command(target, verb, *options) as process:
        assert process.stdout is not None
        assert " began at " in process.stdout.readline()
        assert known(client)[0].state == "active"
        process.send_signal(number)
        out, err = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, err) == (code, "")
    assert "was taken back early: it ended at " in out
    eventually(lambda: known(client)[0].state == "ended", "it is over")


def test_a_command_stopped_before_it_began_cancels_it(
    target: LiveTarget, client: AdminClient
) -> None:
    """Nothing is left to begin later."""
    with command(target, "operate", "shed", "--share", "1%", "--after", "1h") as process:
        eventually(client.actions, "the action is planned")
        process.terminate()
        out, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 143
    assert "was taken back early: it never began" in out
    assert client.actions()[0].state == "cancelled"


@pytest.mark.parametrize(
    ("verb", "options", "code", "says"),
    [
        ("fault", ["smoke"], 2, "type: 'smoke' is not latency, error, hang, reset or cut"),
        ("fault", ["latency"], 2, '--add: latency needs it: how much later, as in "200ms"'),
        ("fault", ["hang", "--add", "1s"], 2, "--add: is for latency only, not for hang"),
        ("fault", ["hang", "--share", "half"], 2, "--share: 'half' is not a share from 0% to 100%"),
        ("fault", ["hang", "--for", "2"], 2, "--for: '2' is not a duration"),
        ("fault", ["hang", "--lane", "typo"], 2, ": --lane: there is no lane 'typo'; there are"),
        ("fault", ["error", "--status", "200"], 2, "--status: an error is from 400 to 599"),
        ("fault", ["error", "--retry-after", "soon"], 2, "--retry-after: 'soon' is not a duration"),
        ("fault", ["hang", "--target", "http://127.0.0.1:1"], 1, "no target answers at"),
        ("fault", ["hang", "--token", "a\n"], 2, ": --token: a token is printable ASCII without"),
        ("operate", ["shed", "--share", "101%"], 2, "--share: '101%' is not a share"),
        ("operate", ["reopen", "--step", "0%"], 2, "--step: a step is from 1% to 100%"),
        ("operate", ["reopen", "--every", "2h"], 2, "--every: a step lasts from 1ms to 1h"),
        ("fault", ["hang", "--lane", "é"], 2, ": --lane: expected a lane name: 1 to 64 printable"),
        (
            "fault",
            ["hang", "--after", "25h"],
            2,
            ": --after: it begins at most 24h from now, not 2",
        ),
        ("operate", ["block-retries", "--after", "-1s"], 2, "--after: '-1s' is not a duration"),
        (
            "operate",
            ["block-retries", "--target", "nowhere"],
            2,
            "--target: 'nowhere' is not a URL",
        ),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(
    target: LiveTarget,
    client: AdminClient,
    verb: str,
    options: list[str],
    code: int,
    says: str,
) -> None:
    """2 for bad input, 1 for a target that does not do it."""
    returned, out, err = finished(target, verb, *options)
    called = f"operate {options[0]}" if verb == "operate" else verb
    assert (returned, out) == (code, "")
    assert err.startswith(f"aftershock {called}: ")
    assert says in err
    assert err.count("\n") == 1
    assert known(client) == []
