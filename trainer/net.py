"""Sockets by hand: the listening port, who holds it, and the address by which others reach this machine."""

from __future__ import annotations

import glob
import os
import socket
import time

from trainer.faults import PEER, Fault


def listen(port: int, limit: float) -> socket.socket:
    """A listening socket on all addresses; waits for a leaving predecessor, then names the holder of the port."""
    end = time.monotonic() + min(limit, 5.0)
    while True:
        six = socket.has_dualstack_ipv6()
        try:
            family = socket.AF_INET6 if six else socket.AF_INET
            return socket.create_server(("", port), family=family, backlog=1024, dualstack_ipv6=six)
        except OSError as error:
            if time.monotonic() > end:
                text = (
                    f"port {port} on {socket.gethostname()} is taken by {holder(port)}: {os.strerror(error.errno or 0)}"
                )
                raise Fault(PEER, text, (0,), "free the port or set another MASTER_PORT") from None
            time.sleep(0.2)


def holder(port: int) -> str:
    """The process that listens on a port, as far as this user may see it."""
    inodes = set()
    for table in glob.glob("/proc/net/tcp*"):
        with open(table) as lines:
            for parts in (line.split() for line in list(lines)[1:]):
                if parts[3] == "0A" and int(parts[1].rsplit(":", 1)[1], 16) == port:
                    inodes.add(f"socket:[{parts[9]}]")
    for link in glob.glob("/proc/[0-9]*/fd/*"):
        try:
            if os.readlink(link) in inodes:
                pid = link.split("/")[2]
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
