"""Sockets by hand: a listening port, and the address by which others reach this machine."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import socket
import struct
import time

from trainer.faults import PEER, Fault
from trainer.files import text_of


def listen(port: int, limit: float) -> socket.socket:
    """Listens on all addresses; waits up to ``limit`` seconds for a predecessor to leave. Raises Fault(138)."""
    end, six = time.monotonic() + min(limit, 5.0), socket.has_dualstack_ipv6()
    while True:
        try:
            family = socket.AF_INET6 if six else socket.AF_INET
            return socket.create_server(("", port), family=family, backlog=1024, dualstack_ipv6=six)
        except OSError as error:
            if time.monotonic() > end:
                reason = f"{os.strerror(error.errno or 0)}, {holder(port)}"
                text = f"port {port} on {socket.gethostname()} is taken: {reason}"
                raise Fault(PEER, text, (0,), "free the port or set another MASTER_PORT") from None
            time.sleep(0.2)


def holder(port: int) -> str:
    """Who listens there, as far as /proc shows it; other pods on the same host network are not seen."""
    tables = (text_of(f"/proc/net/{name}").splitlines()[1:] for name in ("tcp", "tcp6"))
    rows = [row.split() for table in tables for row in table]
    sockets = [f"socket:[{row[9]}]" for row in rows if row[3] == "0A" and row[1].endswith(f":{port:04X}")]  # listening
    for link in glob.glob("/proc/[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if os.readlink(link) in sockets:
                pid = link.split("/")[2]
                return f"held by `{text_of(f'/proc/{pid}/comm')}` (process {pid})"
    return "held by a process that is not seen from here"


# Addresses of documentation (RFC 5737, RFC 3849): only the route to them is asked for, which is the default one.
ELSEWHERE = ("192.0.2.1", "2001:db8::1")


def own_address(master: str, port: int) -> str:
    """The address by which others reach this machine: that of the interface that leads to the master, else that of the
    default route; the loopback's only where there is no other. A UDP connect sends nothing."""
    found = [address for host in (master, *ELSEWHERE) if (address := route_to(host, port))]
    return next((address for address in found if not is_loopback(address)), "127.0.0.1")


def route_to(host: str, port: int) -> str:
    """This machine's address on the way to a host, IPv4 or IPv6; empty where the name or the way is not known."""
    with contextlib.suppress(OSError):
        for family, kind, _, _, address in socket.getaddrinfo(host, port or 9, type=socket.SOCK_DGRAM):
            with contextlib.suppress(OSError), socket.socket(family, kind) as probe:
                probe.connect(address)
                return str(probe.getsockname()[0])
    return ""


def is_loopback(address: str) -> bool:
    return address == "::1" or address.startswith("127.")


def interface_of(address: str) -> str:
    """The name of the interface that has this address; empty where none is found."""
    if ":" in address:  # rows of `address index prefix scope flags name` (Linux, net/ipv6/addrconf.c)
        wanted = socket.inet_pton(socket.AF_INET6, address.partition("%")[0]).hex()
        rows = (row.split() for row in text_of("/proc/net/if_inet6").splitlines())
        return next((row[5] for row in rows if row[0] == wanted), "")
    for _, name in socket.if_nameindex():
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            packed = fcntl.ioctl(probe, 0x8915, struct.pack("256s", name.encode()[:15]))  # SIOCGIFADDR
            if socket.inet_ntoa(packed[20:24]) == address:
                return name
    return ""
