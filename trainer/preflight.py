"""Checks of the pod before the first collective (T3), each with what was found, what was wanted and a remedy.

The root of the file system is a parameter, so each check can be shown a made-up tree.
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import glob
import os
import resource
import shutil
import socket
import struct
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from trainer.env import Place
from trainer.faults import HARDWARE, OUTPUT, USAGE
from trainer.net import own_address


class Check(NamedTuple):
    name: str
    ok: bool
    found: str
    remedy: str = ""
    code: int = HARDWARE


def text_of(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def cpu_limit(root: str = "/") -> float:
    """CPUs this container may use: cgroup v2, then v1, then the affinity mask."""
    two = text_of(os.path.join(root, "sys/fs/cgroup/cpu.max")).split()
    if len(two) == 2 and two[0] != "max":
        return int(two[0]) / int(two[1])
    quota = text_of(os.path.join(root, "sys/fs/cgroup/cpu/cpu.cfs_quota_us"))
    period = text_of(os.path.join(root, "sys/fs/cgroup/cpu/cpu.cfs_period_us"))
    if quota and period and int(quota) > 0:
        return int(quota) / int(period)
    return float(len(os.sched_getaffinity(0)))


def shm(need: int, root: str = "/") -> Check:
    """Loader workers hand batches over in shared memory; too little of it ends in a bus error."""
    path = os.path.join(root, "dev/shm")
    free = shutil.disk_usage(path).free if os.path.isdir(path) else 0
    return Check(
        "shared memory",
        free >= need,
        f"{free} bytes free in /dev/shm, {need} needed",
        "mount an emptyDir with medium Memory at /dev/shm, or lower -j",
    )


def memlock(hcas: int, limit: int | None = None) -> Check:
    soft = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] if limit is None else limit
    endless = soft == resource.RLIM_INFINITY
    return Check(
        "locked memory",
        endless or not hcas,
        "unlimited" if endless else f"{soft} bytes",
        "add the capability IPC_LOCK, and set the runtime's memlock limit to unlimited",
    )


def gpus(backend: str, place: Place, count: int) -> Check:
    wanted = place.local_rank + 1 if backend == "nccl" else 0
    return Check(
        "GPUs", count >= wanted, f"{count} visible, local rank {place.local_rank}", "ask for one GPU per process"
    )


def preload(env: Mapping[str, str], maps: str) -> Check:
    """The loader ignores a missing LD_PRELOAD file with one line on stderr, and the bundled NCCL runs instead."""
    for path in env.get("LD_PRELOAD", "").replace(":", " ").split():
        if "/" in path and not os.path.exists(path):
            return Check("LD_PRELOAD", False, f"`{path}` does not exist", "mount it, or take the entry out")
        if os.path.realpath(path) not in maps and os.path.basename(path) not in maps:
            return Check(
                "LD_PRELOAD", False, f"`{path}` exists, but is not loaded", "check its architecture and access"
            )
    return Check("LD_PRELOAD", True, env.get("LD_PRELOAD", "") or "none")


def nccl_library(maps: str) -> str:
    return next(
        (line.split()[-1] for line in maps.splitlines() if "libnccl" in line and "net" not in os.path.basename(line)),
        "",
    )


def nccl(expected: str, maps: str) -> Check:
    """The version that the mapped library itself reports: 2.4.8 is 2408, and since 2.9 2.27.3 is 22703 (nccl.h)."""
    path = nccl_library(maps)
    if not path:
        return Check("NCCL", not expected, "no NCCL library is loaded", f"an image with NCCL {expected}")
    number = ctypes.c_int()
    ctypes.CDLL(path).ncclGetVersion(ctypes.byref(number))
    big = number.value >= 10000
    major, rest = divmod(number.value, 10000 if big else 1000)
    real = f"{major}.{rest // 100}.{rest % 100}"
    return Check(
        "NCCL",
        expected in {"", real},
        f"{real} from {path}" + (f", {expected} expected" if expected else ""),
        "set LD_PRELOAD to the wanted library, or change --expect-nccl",
    )


def named(device: str, rule: str) -> bool:
    """NCCL_IB_HCA: `^` excludes, `=` matches whole names instead of prefixes, `:port` is not looked at here."""
    names = [part.split(":")[0] for part in rule.lstrip("^=").split(",") if part]
    exact = "=" in rule[:2]
    hit = any(device == name if exact else device.startswith(name) for name in names)
    return not hit if rule.startswith("^") else hit or not names


def hcas(expected: int, env: Mapping[str, str], root: str = "/") -> Check:
    rule = env.get("NCCL_IB_HCA", "")
    active: list[str] = []
    silent: list[str] = []
    for port in sorted(glob.glob(os.path.join(root, "sys/class/infiniband/*/ports/*"))):
        device = port.split("/")[-3]
        if named(device, rule):
            state = text_of(os.path.join(port, "state"))
            (active if "ACTIVE" in state else silent).append(
                f"{device}:{os.path.basename(port)} ({state or 'no state'})"
            )
    nodes = glob.glob(os.path.join(root, "dev/infiniband/uverbs*"))
    ok = not expected or (len(active) >= expected and bool(nodes))
    found = (
        f"{len(active)} active ports, {expected} expected, {len(nodes)} device files"
        + (f"; not active: {', '.join(silent)}" if silent else "")
        + (f"; NCCL_IB_HCA={rule}" if rule else "")
    )
    return Check("InfiniBand", ok, found, "ask for the RDMA resource; check NCCL_IB_HCA and the port's link")


def interface(master: str, port: int, env: Mapping[str, str]) -> Check:
    """The interface of the route to the master; gloo otherwise takes what the host's name resolves to."""
    chosen = env.get("GLOO_SOCKET_IFNAME", "")
    if chosen:
        return Check(
            "interface",
            not chosen.startswith("^") and chosen.split(",")[0] in [name for _, name in socket.if_nameindex()],
            f"GLOO_SOCKET_IFNAME={chosen}",
            "gloo wants the name of an interface; lists with ^ are NCCL's",
            USAGE,
        )
    address = own_address(master, port)
    for _, name in socket.if_nameindex():
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                packed = fcntl.ioctl(probe, 0x8915, struct.pack("256s", name.encode()[:15]))  # SIOCGIFADDR
        except OSError:
            continue
        if socket.inet_ntoa(packed[20:24]) == address:
            return Check("interface", True, f"{name} ({address})")
    return Check("interface", True, f"none has {address}; left to the transport")


def output(out: str, need: int) -> Check:
    """Room for three checkpoints, and a file can be written, synced, renamed and read."""
    if not out:
        return Check("output", True, "no --out: nothing is written, nothing can be resumed")
    probe = os.path.join(out, f"probe-{socket.gethostname()}-{os.getpid()}")
    try:
        os.makedirs(out, exist_ok=True)
        free = shutil.disk_usage(out).free
        if free < need:
            return Check(
                "output",
                False,
                f"{free} bytes free in `{out}`, {need} needed for three checkpoints",
                "make room",
                OUTPUT,
            )
        with open(probe, "wb") as file:
            file.write(b"probe")
            file.flush()
            os.fsync(file.fileno())
        os.replace(probe, probe + ".1")
        with open(probe + ".1", "rb") as file:
            whole = file.read() == b"probe"
        os.unlink(probe + ".1")
        return Check("output", whole, f"`{out}`, {free} bytes free", "", OUTPUT)
    except OSError as error:
        return Check("output", False, f"`{out}`: {error.strerror}", "mount it writable for this user", OUTPUT)


def run(
    args: argparse.Namespace,
    place: Place,
    backend: str,
    shm_bytes: int,
    out_bytes: int,
    gpu_count: int,
    say: Callable[[str], None],
    root: str = "/",
) -> list[Check]:
    """All checks of this pod; also exports GLOO_SOCKET_IFNAME where it was not set."""
    maps = text_of("/proc/self/maps")
    checks = [
        shm(shm_bytes, root),
        memlock(args.expect_hca),
        gpus(backend, place, gpu_count),
        preload(os.environ, maps),
        nccl(args.expect_nccl, maps),
        hcas(args.expect_hca, os.environ, root),
        interface(place.master, place.port, os.environ),
        output(args.out, out_bytes),
    ]
    route = next(check for check in checks if check.name == "interface")
    if route.ok and "GLOO_SOCKET_IFNAME" not in os.environ and "(" in route.found:
        os.environ["GLOO_SOCKET_IFNAME"] = route.found.split()[0]
    for check in checks:
        if not check.ok:
            say(f"{check.name}: {check.found}" + (f"; {check.remedy}" if check.remedy else ""))
    return checks


def table(got: dict[int, dict[str, Any]], names: Callable[[int], str]) -> str:
    """One line per check on rank 0: all ranks alike, or who differs."""
    lines = []
    for position, (name, *_) in enumerate(got[0]["checks"]):
        bad = [rank for rank, said in sorted(got.items()) if not said["checks"][position][1]]
        found = got[bad[0] if bad else 0]["checks"][position][2]
        lines.append(f"  {name:<14} {'FAIL on ' + ', '.join(map(names, bad)) if bad else 'ok':<12} {found}")
    return "\n".join(lines)
