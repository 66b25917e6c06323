"""The one request that a calibration sends, as it was asked for on the command line. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from loadtests.header_lines import TOKEN, parse_headers

_PATH = re.compile(r"[!-~]+")
_OURS = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "upgrade", "expect"}
)


@dataclass(frozen=True, slots=True)
class TargetRequest:
    """Where to, and what. Headers may hold secrets: they are shown nowhere."""

    origin: str
    path: str
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def url(self) -> str:
        """The whole URL."""
        return self.origin + self.path

    @property
    def port(self) -> int:
        """The one in it, or that of its scheme."""
        url = urlsplit(self.origin)
        return url.port or (443 if url.scheme == "https" else 80)

    @property
    def local(self) -> bool:
        """Whether the name in it is one of this machine."""
        host = urlsplit(self.origin).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"


def parse_request(
    target: str, path: str | None, method: str, headers: Sequence[str]
) -> TargetRequest:
    """Raises `ValueError`, naming the option and what is allowed."""
    try:
        url = urlsplit(target)
        port_fits = url.port != 0 and not url.netloc.endswith(":")
    except ValueError:
        url, port_fits = urlsplit(""), False
    if url.scheme not in ("http", "https") or not url.hostname or not port_fits:
        hint = "" if "://" in target else ": put http:// or https:// before it"
        raise ValueError(
            f"--target: {target[:200]!r} is no URL such as http://host:8000/work{hint}"
        )
    if "@" in url.netloc:
        raise ValueError('--target: no user in the URL: give --header "Authorization: …"')
    own = url.path + (f"?{url.query}" if url.query else "")
    if path is not None and own not in ("", "/"):
        raise ValueError(f"--path: the target's URL has a path already, {own!r}: give one of them")
    chosen = (own or "/") if path is None else path
    if not chosen.startswith("/") or not _PATH.fullmatch(chosen):
        raise ValueError(
            f'--path: {chosen[:200]!r} is not one: expected "/…" in ASCII, a space as %20'
        )
    if not TOKEN.fullmatch(method):
        raise ValueError(f"--method: {method[:40]!r} is not one: expected GET, POST, …")
    sent = parse_headers("--header", headers, _OURS)
    return TargetRequest(f"{url.scheme}://{url.netloc}", chosen, method.upper(), sent)
