"""Would a proxy that listens here forward to itself?"""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address

from target_service.upstream.address import Address

_Ip = IPv4Address | IPv6Address


def leads_here(upstream: Address, host: str, port: int) -> bool:
    """Whether a connection to `upstream` would come in at `host` and `port`, as far as one knows.

    Names are looked up; one that cannot be found leads nowhere yet.
    """
    if upstream.port != port:
        return False
    there = {_loopback(ip) if ip.is_unspecified else ip for ip in _addresses(upstream.host)}
    here = _addresses(host)
    if any(ip.is_unspecified for ip in here):
        return any(_is_local(ip) for ip in there)
    return bool(there & here)


def _addresses(host: str) -> set[_Ip]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return set()
    ips = {ip_address(str(address[0]).partition("%")[0]) for *_, address in found}
    return {getattr(ip, "ipv4_mapped", None) or ip for ip in ips}


def _loopback(ip: _Ip) -> _Ip:
    return IPv4Address("127.0.0.1") if ip.version == 4 else IPv6Address("::1")


def _is_local(ip: _Ip) -> bool:
    """Whether this machine has the address: only then can it be bound."""
    family = socket.AF_INET if ip.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(ip), 0))
    except OSError:
        return False
    return True
