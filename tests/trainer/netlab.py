"""A network of its own: one namespace per rank, all at one bridge, each link with a rate or a delay of its own.

Rates are of the kernel's token bucket (tc tbf). Delays are made here, by a process that hands Ethernet frames from one
TAP device to another, because netem is not in every kernel.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import itertools
import os
import select
import shutil
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping

TUNSETIFF, IFF_TAP, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 0x0002, 0x1000, 0x40000000
NUMBERS = itertools.count()


def enter(name: str) -> None:
    """Moves the calling thread into a network namespace (os.setns is of Python 3.12)."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/var/run/netns/{name}", "rb") as file:
        if libc.setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"setns {name}")


def run(command: str) -> None:
    subprocess.run(command.split(), check=True, capture_output=True, text=True)


def lack(delay: bool = False) -> str:
    """Why there can be no such network here; empty where there can."""
    if os.geteuid():
        return "network namespaces want root"
    for tool in ("ip", "tc"):
        if not shutil.which(tool):
            return f"`{tool}` (iproute2) is not installed"
    if delay and not os.path.exists("/dev/net/tun"):
        return "no /dev/net/tun: delays are made with TAP devices"
    name = f"trainer-{os.getpid()}-probe"
    try:
        run(f"ip netns add {name}")
        try:
            run(f"ip -n {name} link add br0 type bridge")
            run(f"ip -n {name} link add a0 type veth peer name b0")
            run(f"tc -n {name} qdisc add dev a0 root tbf rate 1gbit burst 256kb latency 50ms")
        finally:
            run(f"ip netns del {name}")
    except subprocess.CalledProcessError as error:
        return f"`{' '.join(error.cmd)}`: {error.stderr.strip()}"
    return ""


class Lab:
    """`count` namespaces with the device eth0 and the addresses 10.77.0.1, 10.77.0.2 and so on."""

    def __init__(self, count: int, delays: Mapping[int, float] | None = None) -> None:
        """`delays` are the seconds that a frame takes on the link of one rank, in each direction."""
        self.prefix = f"trainer-{os.getpid()}-{next(NUMBERS)}"
        self.count, self.hub, self.forwarders = count, f"{self.prefix}-hub", list[subprocess.Popen[bytes]]()
        try:
            self._make(delays or {})
        except BaseException:
            self.close()
            raise

    def _make(self, delays: Mapping[int, float]) -> None:
        for name in (self.hub, *map(self.name, range(self.count))):
            run(f"ip netns add {name}")
            run(f"ip -n {name} link set lo up")
        run(f"ip -n {self.hub} link add br0 type bridge")
        run(f"ip -n {self.hub} link set br0 up")
        for rank in range(self.count):
            name, port = self.name(rank), f"port{rank}"
            if rank in delays:
                argv = [sys.executable, __file__, self.hub, port, name, "eth0", str(delays[rank])]
                self.forwarders.append(subprocess.Popen(argv, stdout=subprocess.PIPE))
                out = self.forwarders[-1].stdout
                assert out and out.readline() == b"ready\n"
            else:
                run(f"ip -n {name} link add eth0 type veth peer name {port} netns {self.hub}")
            run(f"ip -n {self.hub} link set {port} master br0 up")
            run(f"ip -n {name} address add {self.address(rank)}/24 dev eth0")
            run(f"ip -n {name} link set eth0 up")

    def name(self, rank: int) -> str:
        return f"{self.prefix}-{rank}"

    def address(self, rank: int) -> str:
        return f"10.77.0.{rank + 1}"

    def shape(self, megabits: float, *ranks: int) -> None:
        """The links of these ranks, or all, to one rate, in both directions; Ethernet headers count."""
        burst = max(32, int(megabits * 0.25))  # kB: two milliseconds' worth
        for rank in ranks or range(self.count):
            for name, device in ((self.name(rank), "eth0"), (self.hub, f"port{rank}")):
                how = f"rate {megabits:g}mbit burst {burst}kb latency 50ms"
                run(f"tc -n {name} qdisc replace dev {device} root tbf {how}")

    def cut(self, rank: int) -> None:
        """Nothing passes any more, and nobody is told: as when a switch fails."""
        run(f"ip -n {self.hub} link set port{rank} nomaster")

    def island(self, rank: int, device: str, address: str) -> None:
        """One more interface that is up, has an address and leads nowhere."""
        run(f"ip -n {self.name(rank)} link add {device} type veth peer name {device}-end")
        run(f"ip -n {self.name(rank)} address add {address}/24 dev {device}")
        for end in (device, f"{device}-end"):
            run(f"ip -n {self.name(rank)} link set {end} up")

    def close(self) -> None:
        for one in self.forwarders:
            one.kill()
            one.wait()
            if one.stdout:
                one.stdout.close()
        for name in (self.hub, *map(self.name, range(self.count))):
            with contextlib.suppress(subprocess.CalledProcessError):
                run(f"ip netns del {name}")


def tap(namespace: str, device: str) -> int:
    enter(namespace)
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH14x", device.encode(), IFF_TAP | IFF_NO_PI))
    return file


def forward(one: int, other: int, seconds: float) -> None:
    """Hands frames over, each `seconds` after it came."""
    across, late = {one: other, other: one}, deque[tuple[float, int, bytes]]()
    while True:
        wait = max(0.0, late[0][0] - time.monotonic()) if late else None
        for file in select.select([*across], [], [], wait)[0]:
            late.append((time.monotonic() + seconds, across[file], os.read(file, 65536)))
        while late and late[0][0] <= time.monotonic():
            _, file, frame = late.popleft()
            with contextlib.suppress(OSError):  # a device that is not up yet
                os.write(file, frame)


if __name__ == "__main__":
    here = tap(sys.argv[1], sys.argv[2])
    there = tap(sys.argv[3], sys.argv[4])
    print("ready", flush=True)
    forward(here, there, float(sys.argv[5]))
