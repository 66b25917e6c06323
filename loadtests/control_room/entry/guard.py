"""Who may read and who may act: decided by a request's headers before anything else of it is read.

Any page that is open in the same browser can send requests here, and a name that an attacker owns
can be made to point here (DNS rebinding). A browser says in `Origin` and `Sec-Fetch-Site` which
page asks, and no page can change that. But it says neither when a page on plain HTTP reads what
has its own name: then only `Host` tells that the name is not ours.
"""

import hmac
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

READING = frozenset({"GET", "HEAD"})
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Asker:
    """What the headers of a request say of who asks; None: it has no such header."""

    method: str
    host: str
    origin: str | None = None
    site: str | None = None
    media_type: str = ""
    mode: str | None = None
    destination: str | None = None


def machine_names() -> frozenset[str]:
    """How this machine calls itself."""
    name = socket.gethostname().lower()
    return frozenset({name, name.partition(".")[0]} - {""})


def refusal(
    asker: Asker, names: Iterable[str], *, linked: bool = False, known: bool = False
) -> str | None:
    """Why this request is not answered, in a sentence; None: it is.

    `names` are those that the page is reached by, beside addresses and ``localhost``. What is asked
    for may be `linked` to from other sites; and who asks may be `known` by a token, which no
    browser has: it may come by any name.
    """
    ours = frozenset(name.lower() for name in names)
    if asker.origin is not None and not _is_own(asker.origin, asker.host, ours):
        return f"a page of another origin asks ({asker.origin[:80]!r}): only our own may"
    reads = asker.method in READING
    why = _refusal_to_read(asker, linked) if reads else _refusal_to_act(asker)
    if why is not None or known or _is_known(asker.host, ours):
        return why
    return (
        f"the page was reached as {asker.host[:80]!r}, which is no address, not localhost and not "
        "this machine's name: name it with --control-hosts if it is yours"
    )


def _refusal_to_read(asker: Asker, linked: bool) -> str | None:
    """Another site's pages may send people here, and neither embed nor fetch anything of ours."""
    if asker.site in {None, "same-origin", "none"}:
        return None
    if linked and asker.mode == "navigate" and asker.destination == "document":
        return None
    return "a page of another site asks (Sec-Fetch-Site): it may link to our pages and no more"


def _refusal_to_act(asker: Asker) -> str | None:
    if asker.method != "POST":
        return "no other method than GET and POST is answered here"
    if asker.site not in {None, "same-origin"}:
        return "another page asks (Sec-Fetch-Site): only our own may"
    if asker.origin is None and asker.site is None:
        return "an Origin or Sec-Fetch-Site header must say that our own page asks"
    if asker.media_type != "application/json":
        return "expected Content-Type: application/json"
    return None


def bears(authorization: str, token: str | None) -> bool:
    """Whether the header `authorization` has this token. Takes as long whatever is there."""
    if not token:
        return False
    return hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode())


def _is_own(origin: str, host: str, known: frozenset[str]) -> bool:
    """Whether `origin` is where the request was sent to, or a name that is known to be ours."""
    scheme, _, place = origin.partition("://")
    port = _DEFAULT_PORTS.get(scheme)
    if port is None:
        return False
    asking, own = _split(place, port), _split(host, port)
    if asking is None:
        return False
    return asking == own or _is_listed(asking, port, known)


def _is_listed(asking: tuple[str, int], default: int, known: frozenset[str]) -> bool:
    """Behind a proxy that changes `Host`, only the operator knows the name in `Origin`."""
    name, port = asking
    return f"{name}:{port}" in known or (port == default and name in known)


def _is_known(host: str, known: frozenset[str]) -> bool:
    found = _split(host, 0)
    if found is None:
        return False
    name, port = found
    if name == "localhost" or name in known or f"{name}:{port}" in known:
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _split(place: str, default_port: int) -> tuple[str, int] | None:
    """Name and port of ``name:port``; None where it is no such thing."""
    if re.search(r"[^\x21-\x7e]|[/@?#\\]", place):
        return None
    try:
        parts = urlsplit(f"//{place}")
        name, port = parts.hostname, parts.port
    except ValueError:
        return None
    return (name, default_port if port is None else port) if name else None
