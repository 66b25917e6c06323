"""Plain Locust with our users, against a real target."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from faults.admin import AdminClient
from loadtests.processes import free_port
from tests.loadtests.live import (
    LIMIT_S,
    LOCUSTFILE,
    a_target,
    attempts_by_lane,
    locust,
    of_kind,
    the_record,
)
from tests.real import eventually
from tests.target_service.live import clean_environment

pytestmark = pytest.mark.live

FIVE = ("no-retry", "immediate", "exponential", "full-jitter", "full-jitter-budget")
SHORT = ("--headless", "-u", "5", "-r", "5", "-t", "3s", "--dips", "20% for 500ms at 1500ms")


def test_the_locustfile_loads_five_lanes_and_dips_them(tmp_path: Path) -> None:
    """One policy a lane; what the clients sent is what the target was offered."""
    options = (*SHORT, "--stop-timeout", "10s")  # nothing is on its way at the end
    with a_target(tmp_path) as url:
        done = locust(tmp_path, "-f", str(LOCUSTFILE), "--host", url, *options)
    assert done.returncode == 0, done.stderr
    lines = the_record(tmp_path / "runs")
    [dip] = of_kind(lines, "fault")
    assert (dip["start_s"], dip["end_s"]) == (1.5, 2.0)
    assert lines[-1] == {"kind": "end", "t_s": lines[-1]["t_s"], "reason": "finished"}
    sent, offered = attempts_by_lane(lines)
    assert set(sent) == set(FIVE)
    assert sent == offered
    # Locust's own statistics name attempts by policy.
    assert all(f"{lane} /work" in done.stdout + done.stderr for lane in FIVE)


def test_two_processes_count_as_one(tmp_path: Path) -> None:
    """The workers' bins travel to the master, which alone dips and writes."""
    with a_target(tmp_path) as url:
        rate = ("--rate-per-user", "20/s", "--processes", "2")
        options = ("--headless", "-u", "10", "-r", "10", "-t", "3s", *SHORT[-2:])
        whole = ("--stop-timeout", "10s")  # nothing is on its way at the end
        done = locust(tmp_path, "-f", str(LOCUSTFILE), "--host", url, *options, *rate, *whole)
    assert done.returncode == 0, done.stderr
    lines = the_record(tmp_path / "runs")
    assert len(of_kind(lines, "fault")) == 1
    assert {line["worker"] for line in of_kind(lines, "health")} == {
        "worker-0", "worker-1", "target",
    }  # fmt: skip
    sent, offered = attempts_by_lane(lines)
    assert sent == offered
    # Two users at 20/s for up to three seconds.
    assert set(sent) == set(FIVE)
    assert min(sent.values()) > 40
    bins = [(line["t_s"], line["lane"]) for line in of_kind(lines, "requests")]
    # Merged: hardly more lines than bins, where unmerged there would be two of each.
    assert len(bins) < 1.5 * len(set(bins))


OWN = """
from locust import task
from loadtests.users import OpenLoopUser, preset

class Forecasts(OpenLoopUser):
    retry_policy = preset("exponential", attempts=2, base_s=0.05)
    lane = "weather"
    rate_per_s = 30

    @task(3)
    def forecast(self):
        answer = self.client.get("/work", headers={"X-Team": "weather"}, name="forecast")
        assert answer.status_code in (200, 503)

    @task
    def report(self):
        self.client.post("/work", json={"rain": True})

    @task
    def broken(self):
        raise KeyError("a mistake in a task")
"""


def test_a_locustfile_of_somebodys_own_writes_a_record(tmp_path: Path) -> None:
    """It subclasses our user and needs nothing else; a task that raises stops nothing."""
    (tmp_path / "mine.py").write_text(OWN)
    with a_target(tmp_path, capacity_per_s=10) as url:
        done = locust(tmp_path, "-f", "mine.py", "--host", url, "--headless", "-t", "3s")
    assert done.returncode == 0, done.stderr
    lines = the_record(tmp_path / "runs")
    assert lines[0]["lanes"] == [
        {
            "lane": "weather",
            "policy": "exponential",
            "describe": "attempts: 2; wait: min(6.4 s, 50 ms·2^n); "
            "retries: 429, 502, 503, 504 and any transport error",
            "opaque": False,
        }
    ]
    retried = [line for line in of_kind(lines, "tick") if len(line["offered"]) == 3]  # type: ignore[arg-type]  # JSON
    assert retried, "no second attempts although the lane is overloaded"
    assert "exponential in weather forecast" in done.stdout + done.stderr
    assert "a mistake in a task" in done.stdout + done.stderr


class NotATarget(BaseHTTPRequestHandler):
    """Somebody's service, which knows nothing of us."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        found = self.path == "/work"
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def other_service() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), NotATarget)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_locustfile_loads_the_policies_that_are_named(
    tmp_path: Path, other_service: str
) -> None:
    """A preset with parameters, and a real library."""
    names = {"AFTERSHOCK_POLICIES": "urllib3-2:total=2 opaque-urllib3"}
    options = ("--headless", "-u", "2", "-r", "2", "-t", "2s", "--host", other_service)
    done = locust(tmp_path, "-f", str(LOCUSTFILE), *options, **names)
    assert done.returncode == 0, done.stderr
    header = the_record(tmp_path / "runs")[0]
    assert isinstance(header["lanes"], list)
    assert [(lane["lane"], lane["policy"], lane["opaque"]) for lane in header["lanes"]] == [
        ("urllib3-2:total=2", "urllib3-2", False),
        ("opaque-urllib3", "opaque-urllib3", True),
    ]


def test_a_policy_that_there_is_not_is_named(tmp_path: Path) -> None:
    """Before Locust begins."""
    done = locust(tmp_path, "-f", str(LOCUSTFILE), AFTERSHOCK_POLICIES="urlib3-2")
    assert done.returncode == 2
    assert "AFTERSHOCK_POLICIES: unknown policy 'urlib3-2': did you mean urllib3-2" in done.stderr
    assert "Traceback" not in done.stderr


BROKEN_POLICY = """
from locust import task
from loadtests.policies import SEND
from loadtests.users import OpenLoopUser

class Broken:
    name = "broken"

    def build(self):
        return self

    def describe(self):
        return "raises after the first attempt"

    def begin(self, call):
        return self

    def start(self, now_s):
        return SEND

    def finished(self, now_s, outcome):
        raise KeyError("a mistake in a policy")

class Users(OpenLoopUser):
    retry_policy = Broken()

    @task
    def work(self):
        self.client.get("/work")
"""


def test_a_policy_that_raises_ends_the_run(tmp_path: Path, other_service: str) -> None:
    """What it would have done is not known, so that there is nothing to measure."""
    (tmp_path / "mine.py").write_text(BROKEN_POLICY)
    done = locust(tmp_path, "-f", "mine.py", "--headless", "-t", "30s", "--host", other_service)
    assert done.returncode == 1
    assert "the run was ended: the policy raised KeyError: 'a mistake in a policy'" in done.stderr
    assert str(the_record(tmp_path / "runs")[-1]["reason"]).startswith("error: the policy raised")


SHARED = OWN.replace('lane = "weather"', 'state_scope = "lane"')


def test_when_the_last_worker_is_lost_the_record_says_so(tmp_path: Path) -> None:
    """Locust stops the test, which else would look as if the load had become calm by itself.

    It is lost as with a machine that goes away: without a word to the master.
    """
    port = str(free_port())
    load = ("--headless", "-u", "5", "-r", "5", "-t", "10m", "--expect-workers", "1")
    with a_target(tmp_path) as url, ExitStack() as processes:
        worker = processes.enter_context(ended_locust(tmp_path, "--worker", "--master-port", port))
        master = processes.enter_context(
            ended_locust(tmp_path, "--master", "--master-bind-port", port, *load, "--host", url)
        )
        wait_until_recorded(tmp_path, '"kind":"requests"')
        worker.kill()
        wait_until_recorded(tmp_path, '"kind":"end"')
        assert master.poll() is None  # it waits for another worker
    assert "The last worker went missing" in (tmp_path / "locust.log").read_text()
    end = the_record(tmp_path / "runs")[-1]
    assert (end["kind"], end["reason"]) == ("end", "error: the last worker was lost")


@contextmanager
def ended_locust(folder: Path, *options: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A Locust that is ended when the block is left."""
    with (folder / "locust.log").open("a") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), *options],
            cwd=folder, env=clean_environment(), stdout=log, stderr=log,
        )  # fmt: skip
    with process:
        try:
            yield process
        finally:
            process.terminate()
            process.wait(LIMIT_S)


def test_no_state_is_shared_between_processes(tmp_path: Path, other_service: str) -> None:
    """A lane's one budget in two workers would be two budgets: it is refused."""
    (tmp_path / "mine.py").write_text(SHARED)
    options = ("--headless", "-t", "5s", "--host", other_service, "--processes", "2")
    done = locust(tmp_path, "-f", "mine.py", *options)
    assert done.returncode == 2
    assert "scope lane needs all clients in one Locust process" in done.stderr


def test_a_service_that_is_no_target_can_be_loaded(tmp_path: Path, other_service: str) -> None:
    """The record holds what the clients saw; the log says that there is no meter."""
    options = ("--headless", "-u", "5", "-r", "5", "-t", "2s", "--host", other_service)
    done = locust(tmp_path, "-f", str(LOCUSTFILE), *options)
    assert done.returncode == 0, done.stderr
    assert "no target meter, so no recovery can be measured" in done.stderr
    lines = the_record(tmp_path / "runs")
    assert of_kind(lines, "tick") == []
    assert sum(int(str(line["succeeded"])) for line in of_kind(lines, "requests")) > 100


def test_bad_input_ends_the_test_with_2_before_any_load(tmp_path: Path) -> None:
    """And names what is wrong; `test_settings` has what is wrong with options."""
    done = locust(tmp_path, "-f", str(LOCUSTFILE), "--headless", "-t", "5s")
    assert done.returncode == 2
    assert "the test could not start: no host: say which service to load" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()


def test_a_dip_that_cannot_be_triggered_ends_the_test(tmp_path: Path, other_service: str) -> None:
    """A test asked to dip what cannot dip must not look like one that did."""
    options = ("--headless", "-t", "5s", "--host", other_service, "--dips", "20% for 1s at 1s")
    done = locust(tmp_path, "-f", str(LOCUSTFILE), *options)
    assert done.returncode == 1
    assert "the test could not start" in done.stderr
    assert "Traceback" not in done.stderr


def get(url: str, form: dict[str, str] | None = None) -> str:
    data = None if form is None else urlencode(form).encode()
    request = Request(url, data)  # noqa: S310 - ours, on loopback
    with urlopen(request, timeout=LIMIT_S) as answer:  # noqa: S310
        return str(answer.read().decode())


def wait_for(url: str) -> str:
    """The page, once it is there."""

    def page() -> str | None:
        try:
            return get(url)
        except OSError:
            return None

    return eventually(page, url)


def wait_until_recorded(folder: Path, text: str) -> None:
    """Until the only record has this in it."""

    def recorded() -> bool:
        return any(text in path.read_text() for path in folder.glob("runs/*/record.ndjson"))

    eventually(recorded, f"{text} is recorded")


@pytest.mark.parametrize("base_path", ["", "/load"])
def test_a_test_run_from_the_web_ui_gives_a_report_that_is_linked(
    tmp_path: Path, base_path: str
) -> None:
    """Under a base path too; and nothing but runs is served."""
    port = free_port()
    root = f"http://127.0.0.1:{port}{base_path}"
    command = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--class-picker"]
    command += ["--web-host", "127.0.0.1", "--web-port", str(port)]
    command += ["--web-base-path", base_path] if base_path else []
    with a_target(tmp_path) as url:
        process = subprocess.Popen(
            [*command, "--host", url], cwd=tmp_path, env=clean_environment(), stderr=subprocess.PIPE
        )
        try:
            assert "rate_per_user" in wait_for(root + "/")
            assert "No run has ended yet" in get(f"{root}/aftershock/runs")
            form = {"user_count": "2", "spawn_rate": "2", "host": url, "rate_per_user": "20/s"}
            chosen = {"user_classes": "FullJitter", "dips": "20% for 200ms at 500ms"}
            get(f"{root}/swarm", form | chosen)
            wait_until_recorded(tmp_path, '"kind":"fault"')
            get(f"{root}/stop", {})
            assert "<h1" in wait_for(f"{root}/aftershock/newest")
            page = get(root + "/")
            assert f"{base_path}/aftershock/newest" in page.replace("\\/", "/")
            listing = get(f"{root}/aftershock/runs")
            assert "report.html" in listing
            for path in ("runs/../../target.log", "runs/%2e%2e/target.log", "runs/x/report.html"):
                with pytest.raises(HTTPError):
                    get(f"{root}/aftershock/{path}")
        finally:
            process.terminate()
            _, stderr = process.communicate(timeout=LIMIT_S)
    assert b"Traceback" not in stderr
    lines = the_record(tmp_path / "runs")
    assert [lane["lane"] for lane in lines[0]["lanes"]] == ["full-jitter"]  # type: ignore[attr-defined]  # JSON


@pytest.mark.parametrize("processes", [1, 3])
def test_a_process_that_is_told_to_quit_closes_the_record_first(
    tmp_path: Path, processes: int
) -> None:
    """While its test runs; then it makes the report, or says that there was no time for it."""
    port = free_port()
    command = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--autostart", "-u", "5"]
    command += ["-r", "5", "--web-host", "127.0.0.1", "--web-port", str(port)]
    command += ["--dips", "20% for 1m at 1s"]
    if processes > 1:
        between = str(free_port())
        command += ["--processes", str(processes - 1), "--master-port", between]
        command += ["--master-bind-port", between]
    with a_target(tmp_path) as url:
        with subprocess.Popen(
            [*command, "--host", url], cwd=tmp_path, env=clean_environment(), stderr=subprocess.PIPE
        ) as process:
            wait_until_recorded(tmp_path, '"kind":"fault"')
            # A dip is on time, where the machine is busy; users may not be there yet.
            wait_until_recorded(tmp_path, '"kind":"requests"')
            process.terminate()
            _, stderr = process.communicate(timeout=LIMIT_S)
        log = stderr.decode()
        assert process.returncode == 0, log
        [dip] = AdminClient(url).dips()
        assert dip.over
    lines = the_record(tmp_path / "runs")
    assert lines[-1]["kind"] == "end"
    # The last counts are there: nothing arrived that was not counted, unless it says so.
    sent, offered = attempts_by_lane(lines)
    assert sent
    uncounted = any(offered[lane] > sent[lane] for lane in offered)
    assert not uncounted or "the last counts of" in log, (sent, offered)
    there = any(tmp_path.glob("runs/*/report.html"))
    assert there != ("no report yet: aftershock report runs/" in log), log
    assert there == ("report made:" in log), log
    assert log.index("Got SIGTERM") < log.index("record written:")
