"""The gateways of a live run: a chain in front of the target, each with its own retry policies."""

import sys
from contextlib import ExitStack
from pathlib import Path

from aftershock_units import format_duration
from loadtests.processes import Process, await_server, free_port
from loadtests.scenario import MAX_LAYERS, Scenario

LAYER = "gateway {}"
"""What a layer is called in logs and in the record: 1 is the outermost."""


def start_layers(
    scenario: Scenario, target_url: str, token: str, directory: Path, processes: ExitStack
) -> list[str]:
    """Start a gateway per layer and enter it in `processes`; returns the URLs, outermost first.

    A lane without a policy at a layer passes it without a retry. Raises `ProcessError`.
    """
    layers = scenario.layers()
    ports = [free_port() for _ in layers]
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    variables = {"AFTERSHOCK_ADMIN_TOKEN": token}
    started: list[tuple[str, Process, str]] = []
    chain = zip(layers, ports, urls, [*urls, target_url][1:], strict=True)
    # The innermost first: what is entered first is ended last, so none loses what stands behind it.
    for number, (policies, port, url, upstream) in reversed(list(enumerate(chain, 1))):
        name = LAYER.format(number)
        command = [sys.executable, "-m", "loadtests.gateway", "--port", str(port)]
        command += ["--upstream", upstream, "--policy", "no-retry"]
        command += ["--timeout", format_duration(scenario.load.timeout_s)]
        command += ["--seed", str(scenario.seed * MAX_LAYERS + number)]
        for lane, policy in policies.items():
            command += ["--lane-policy", f"{lane}={policy}"]
        log = directory / f"{name.replace(' ', '-')}.log"
        process = processes.enter_context(Process(command, variables, log))
        started.append((f"the {name}", process, url))
    for name, process, url in started:
        await_server(name, process, url, token)
    return urls
