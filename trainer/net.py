"""Sockets by hand: the listening port, who holds it, and the address by which others reach this machine."""

from __future__ import annotations

import os
import socket
import time

from trainer.faults import PEER, Fault


def listen(port: int, limit: float) -> socket.socket:
    """A listening socket on all addresses; waits for a leaving predecessor, then names the holder of the port."""
    end = time.monotonic() + min(limit, 5.0)
    while True:
        family = socket.AF_INET6 if socket.has_ipv6 else socket.AF_INET
        try:
            server = socket.socket(family)
        except OSError:
            server = socket.socket(socket.AF_INET)
        if server.family == socket.AF_INET6:
            server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind(("", port))
            server.listen(1024)
            return server
        except OSError as error:
            server.close()
            if time.monotonic() > end:
                raise Fault(
                    PEER,
                    f"port {port} on {socket.gethostname()} is taken by {holder(port)}: {error.strerror}",
                    (0,),
                    "free the port or set another MASTER_PORT",
                ) from None
            time.sleep(0.2)


def holder(port: int) -> str:
    """The process that listens on a port, as far as this user may see it."""
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table) as lines:
                for parts in (line.split() for line in list(lines)[1:]):
                    if parts[3] == "0A" and int(parts[1].rsplit(":", 1)[1], 16) == port:
                        inodes.add(f"socket:[{parts[9]}]")
        except OSError:
            continue
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if any(os.readlink(f"/proc/{pid}/fd/{fd}") in inodes for fd in os.listdir(f"/proc/{pid}/fd")):
                with open(f"/proc/{pid}/comm") as name:
                    return f"process {pid} ({name.read().strip()})"
        except OSError:
            continue
    return "a process of another user or container"


def own_address(master: str, port: int) -> str:
    """The address of the interface that leads to the master; a UDP connect sends nothing."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((master, port or 9))
            return str(probe.getsockname()[0])
    except OSError:
        return "127.0.0.1"
