"""The verb: exit codes for CI, one line for what is wrong, and nothing left refusing."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from faults.admin import AdminClient
from faults.fault import ServiceFault
from loadtests.processes import free_port
from tests.loadtests.audit.audited import QUICK
from tests.loadtests.audit.layers import nginx
from tests.loadtests.gateway.live import gateway
from tests.real import eventually
from tests.target_service.live import LIMIT_S, LiveTarget, clean_environment, live_target

pytestmark = pytest.mark.live

RUN = "import typer; from loadtests.audit.cli import audit; typer.run(audit)"
"""As `aftershock audit`, without the other verbs to load."""


def begin(*options: str, **variables: str) -> subprocess.Popen[str]:
    """Start an audit with these options."""
    return subprocess.Popen(
        [sys.executable, "-c", RUN, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(COLUMNS="80", **variables),
    )


def run(*options: str, **variables: str) -> tuple[int, str, str]:
    """Exit code, output, errors."""
    with begin(*options, **variables) as process:
        output, errors = process.communicate(timeout=LIMIT_S)
    return process.returncode, output, errors


def test_nothing_that_retries_is_exit_code_0(target: LiveTarget) -> None:
    """Readable at 80 columns."""
    code, output, errors = run("--entry", target.url, "--target", target.url, "--refusal", "503")
    assert (code, errors) == (0, "")
    assert output.startswith("Nothing between you and the service retries: 2 refused requests")
    assert max(len(line) for line in output.splitlines()) <= 80
    assert "503           GET            1  –" in output


def test_hidden_retries_are_exit_code_1(target: LiveTarget, tmp_path: Path) -> None:
    """In words and as JSON."""
    settings = "proxy_next_upstream error http_503;"
    with nginx(tmp_path, target.port, settings) as url:
        options = ("--entry", url, "--target", target.url, "--refusal", "503", "--json")
        code, output, _ = run(*options)
    assert code == 1
    found = json.loads(output)
    assert found["verdict"] == "retries"
    assert found["findings"][0]["kind"] == "retries"
    assert "retries a 503 twice within" in found["findings"][0]["text"]
    get, post = (each for each in found["requests"] if each["refused_with"] == "503")
    assert (get["attempts"], post["attempts"]) == (3, 1)
    assert len(get["intervals_s"]) == 2
    assert get["seen"][0]["numbers"] == {"x-aftershock-attempt": 1}
    assert get["answer"]["status"] == 503


def test_what_cannot_be_told_is_exit_code_3(target: LiveTarget) -> None:
    """No target, no entry, or somebody else's fault in the lane, before it begins."""
    nobody = f"http://127.0.0.1:{free_port()}"
    code, _, errors = run("--entry", target.url, "--target", nobody)
    assert code == 3
    assert errors.startswith(f"aftershock audit: no target answers at {nobody}")
    code, output, _ = run("--entry", nobody, "--target", target.url)
    assert code == 3
    assert output.startswith("It cannot be told whether something retries.")
    assert "Nothing answers at the entry" in " ".join(output.split())
    admin = AdminClient(target.url)
    fault = admin.begin_fault(ServiceFault("hang", 60.0))
    try:
        code, _, errors = run("--entry", target.url, "--target", target.url)
    finally:
        admin.end_fault(fault.id)
    eventually(lambda: all(each.over for each in admin.faults()), "it is over")
    admin.close()
    assert code == 3
    assert errors.startswith(f"aftershock audit: the fault {fault.id} (hang 100%) is ")


def test_a_gateway_is_no_target_and_nothing_is_sent_to_it(target: LiveTarget) -> None:
    """It has lanes and a state, but nothing that refuses."""
    with gateway(target.port) as port:
        url = f"http://127.0.0.1:{port}"
        code, output, errors = run("--entry", url, "--target", url)
        admin = AdminClient(url)
        lanes = admin.state().lanes
        admin.close()
    assert (code, output) == (2, "")
    assert errors.startswith(f"aftershock audit: {url} is a gateway")
    assert errors.endswith("name the target behind it as --target\n")
    assert "audit" not in lanes


def test_the_token_comes_from_the_variable() -> None:
    """And is asked for where it is missing."""
    with live_target(*QUICK, AFTERSHOCK_ADMIN_TOKEN="secret") as guarded:
        options = ("--entry", guarded.url, "--target", guarded.url, "--refusal", "503")
        assert run(*options, AFTERSHOCK_ADMIN_TOKEN="secret")[0] == 0
        code, _, errors = run(*options)
    assert code == 3
    assert "token-needed" in errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_takes_the_refusal_back(target: LiveTarget, number: signal.Signals) -> None:
    """What was seen until then is shown."""
    admin = AdminClient(target.url)
    known = {fault.id for fault in admin.faults()}

    def refusing() -> bool:
        return any(f.type == "hang" and f.state == "active" for f in admin.faults())

    options = ("--entry", target.url, "--target", target.url, "--timeout", "60s")
    with begin(*options, "--refusal", "503", "--refusal", "hang") as process:
        eventually(refusing, "the target hangs")
        time.sleep(0.1)
        os.kill(process.pid, number)
        output, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 128 + number
    assert "ended early" in errors
    assert "503           GET            1  –" in output
    eventually(lambda: not refusing(), "it hangs no more")
    begun = [fault for fault in admin.faults() if fault.id not in known]
    assert [fault.type for fault in begun] == ["error", "error", "hang"]
    assert begun[-1].end_s - begun[-1].start_s < LIMIT_S
    state = admin.state()
    assert state.lanes["audit"].capacity_per_s == state.capacity_per_s
    admin.close()


def test_a_target_that_goes_away_loses_nothing() -> None:
    """What was seen until then is shown; that it could not be told to stop is, too."""
    with live_target(*QUICK) as leaving:
        admin = AdminClient(leaving.url)

        def hanging() -> bool:
            return any(fault.type == "hang" for fault in admin.faults())

        options = ("--entry", leaving.url, "--target", leaving.url, "--method", "GET")
        with begin(*options, "--refusal", "503", "--refusal", "hang") as process:
            eventually(hanging, "the target hangs")
            leaving.process.kill()
            output, errors = process.communicate(timeout=LIMIT_S)
        admin.close()
    assert process.returncode == 3
    assert "no target answers at" in errors
    assert "the refusal ends by itself" in errors
    assert "503           GET            1  –" in output


def test_others_in_the_lane_are_told(target: LiveTarget) -> None:
    """They were refused as well."""
    others = (
        "import sys, time, urllib.request as u\n"
        "until = time.monotonic() + 60\n"
        "while time.monotonic() < until:\n"
        "    r = u.Request(sys.argv[1] + '/work', headers={'X-Aftershock-Lane': 'shared'})\n"
        "    try: u.urlopen(r).read()\n"
        "    except u.HTTPError: pass\n"
        "    time.sleep(0.02)\n"
    )
    admin = AdminClient(target.url)
    with subprocess.Popen([sys.executable, "-c", others, target.url]) as process:
        try:
            eventually(lambda: "shared" in admin.state().lanes, "the others have come")
            options = ("--entry", target.url, "--target", target.url, "--lane", "shared")
            code, output, _ = run(*options, "--refusal", "503")
        finally:
            process.kill()
    admin.close()
    assert code == 0
    assert "attempts of others came in the lane shared" in " ".join(output.split())
