"""What a gateway is told: by options, and its token by a variable."""

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aftershock_units import format_duration, parse_duration_s
from loadtests.gateway.exchange import Terms
from loadtests.gateway.lanes import LanePolicies
from loadtests.opaque.base import OpaqueSource
from loadtests.policy_names import PolicySource, file_remarks, parse_policy
from loadtests.scenario import choose_policy
from target_service.lanes import BadLaneNameError, checked_name
from target_service.upstream import UpstreamClient
from target_service.upstream.own_address import leads_here

TOKEN_VARIABLE = "AFTERSHOCK_ADMIN_TOKEN"  # noqa: S105 - its name, not the token
PARENT_VARIABLE = "AFTERSHOCK_PARENT_PID"
MAX_TIMEOUT_S = 3600.0


class BadGatewaySettingError(ValueError):
    """One sentence that names the option and what is allowed."""


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """All that makes a gateway, once it has been read."""

    upstream: str
    policies: LanePolicies
    terms: Terms
    host: str = "127.0.0.1"
    port: int = 8001
    token: str | None = field(default=None, repr=False)
    parent_pid: int | None = None
    said: tuple[str, ...] = ()
    """The policies as they were named."""
    remarks: tuple[str, ...] = ()

    def client(self) -> UpstreamClient:
        """The client that its attempts are made with."""
        return UpstreamClient(self.upstream, connect_timeout_s=self.terms.timeout_s)

    def describe(self) -> str:
        """In a line."""
        most = format_duration(self.terms.timeout_s)
        return f"upstream {self.upstream}, {most} an attempt, {', '.join(self.said)}"


def read_gateway(  # noqa: PLR0913 - one for each option
    *,
    upstream: str,
    policy: str,
    lane_policies: Sequence[str] = (),
    host: str = "127.0.0.1",
    port: int = 8001,
    timeout: str = "5s",
    ignore_do_not_retry: bool = False,
    withhold_ownership: bool = False,
    seed: int | None = None,
    environ: Mapping[str, str] = os.environ,
) -> GatewaySettings:
    """The settings. Raises `BadGatewaySettingError` for the first that is wrong."""
    remarks: list[str] = []
    default = _source("--policy", policy, remarks)
    own: dict[str, PolicySource] = {}
    for text in lane_policies:
        lane, source = _lane_policy(text, remarks)
        if lane in own:
            raise BadGatewaySettingError(f"--lane-policy: lane {lane!r} is named twice")
        own[lane] = source
    terms = Terms(_timeout_s(timeout), ignore_do_not_retry, withhold_ownership)
    settings = GatewaySettings(
        upstream=upstream,
        policies=LanePolicies(default, own, str(seed) if seed is not None else secrets.token_hex()),
        terms=terms,
        host=host,
        port=port,
        token=environ.get(TOKEN_VARIABLE) or None,
        parent_pid=_pid(environ.get(PARENT_VARIABLE, "")),
        said=(policy, *lane_policies),
        remarks=tuple(remarks),
    )
    try:
        upstream_address = settings.client().address
    except ValueError as error:
        raise BadGatewaySettingError(f"--upstream: {error}") from None
    if leads_here(upstream_address, host, port):
        raise BadGatewaySettingError(f"--upstream: {upstream} is this gateway itself")
    return settings


def _source(option: str, text: str, remarks: list[str]) -> PolicySource:
    try:
        source = choose_policy(text).source()
        if isinstance(source, OpaqueSource):
            raise ValueError(f"{text!r} is a real library in a client, and no policy")
        remarks += file_remarks(parse_policy(text)[0])
    except (ValueError, OSError) as error:
        raise BadGatewaySettingError(f"{option}: {error}") from None
    return source


def _lane_policy(text: str, remarks: list[str]) -> tuple[str, PolicySource]:
    """A lane and its policy. Both may have ``=`` in them: the first that leaves a policy parts."""
    first_error = BadGatewaySettingError(
        f'--lane-policy: {text[:80]!r}: expected LANE=NAME, as in "orders=full-jitter"'
    )
    places = [at for at, char in enumerate(text) if char == "="]
    for number, at in enumerate(places):
        try:
            lane = checked_name(text[:at].strip())
            return lane, _source(f"--lane-policy {lane}", text[at + 1 :].strip(), remarks)
        except BadLaneNameError as error:
            first_error = BadGatewaySettingError(f"--lane-policy: {error}")
        except BadGatewaySettingError as error:
            first_error = first_error if number else error
    raise first_error


def _timeout_s(text: str) -> float:
    try:
        timeout_s = parse_duration_s(text)
    except ValueError as error:
        raise BadGatewaySettingError(f"--timeout: {error}") from None
    if not 0 < timeout_s <= MAX_TIMEOUT_S:
        raise BadGatewaySettingError('--timeout: an attempt may take up to 1h, as in "5s"')
    return timeout_s


def _pid(text: str) -> int | None:
    return int(text) if text.isdecimal() else None
