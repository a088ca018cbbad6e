"""Classify IP addresses as private or public."""

from __future__ import annotations

import ipaddress

_NAT64, _LOCAL_NAT64 = ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48")
_COMPATIBLE = ipaddress.ip_network("::/96")


def is_private(address: str) -> bool:
    """Whether an IP address is not globally reachable.

    >>> is_private("127.0.0.1"), is_private("10.1.2.3"), is_private("1.1.1.1"), is_private("::ffff:10.0.0.1")
    (True, True, False, True)
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address) and (inner := _inner(ip)) is not None:
        return is_private(str(inner))
    return not ip.is_global or ip.is_multicast or ip in _LOCAL_NAT64


def _inner(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 address embeds, if any."""
    if ip in _NAT64 or ip in _COMPATIBLE:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
