"""Sockets by hand: a listening port, and the address by which others reach this machine."""

from __future__ import annotations

import contextlib
import glob
import os
import socket
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


def own_address(master: str, port: int) -> str:
    """The address of the interface that leads to the master; a UDP connect sends nothing."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((master, port or 9))
            return str(probe.getsockname()[0])
    except OSError:
        return "127.0.0.1"
