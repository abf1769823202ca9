"""Checks of the pod before the first collective, each with what was found, what was wanted and a remedy.

The root of the file system is a parameter, so each check can be shown a made-up tree.
"""

from __future__ import annotations

import ctypes
import glob
import multiprocessing
import os
import resource
import shutil
import signal
import socket
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from trainer import files
from trainer.config import Config, TrainConfig
from trainer.env import Place
from trainer.faults import DATA, HARDWARE, INTERRUPTED, OUTPUT, STOPPED, USAGE, Fault
from trainer.files import text_of
from trainer.net import interface_of, is_loopback, own_address, route_to
from trainer.signals import SIGNALS


class Check(NamedTuple):
    """One line of the table that rank 0 prints."""

    name: str
    ok: bool
    found: str  # with what was wanted, where that was something else
    remedy: str = ""
    code: int = HARDWARE  # to exit with where it is not ok


def cpu_limit(root: str = "/") -> float:
    """CPUs this container may use: cgroup v2, then v1, then the affinity mask."""
    one = [text_of(f"{root}/sys/fs/cgroup/cpu/cpu.cfs_{name}_us") for name in ("quota", "period")]
    for quota, period in (text_of(f"{root}/sys/fs/cgroup/cpu.max").split() or ["", ""], one):
        if quota.isdigit() and period.isdigit():
            return int(quota) / int(period)
    return float(len(os.sched_getaffinity(0)))


def tried(name: str, check: Callable[..., str], *given: Any) -> Check:
    """One line of the table: what the check found, or the Fault that it raised."""
    try:
        return Check(name, True, check(*given))
    except Fault as fault:
        if type(fault) is not Fault or fault.code in {STOPPED, INTERRUPTED}:
            raise  # the verdict of the job, or a signal: no finding of this check
        return Check(name, False, fault.reason, fault.remedy, fault.code)


def demand(good: bool, found: str, remedy: str, code: int = HARDWARE) -> str:
    """What was found. Raises it as a Fault where that is not good."""
    if not good:
        raise Fault(code, found, (), remedy)
    return found


def shm(need: int, root: str = "/") -> str:
    """Loader workers hand batches over in shared memory; too little of it ends in a bus error."""
    path = os.path.join(root, "dev/shm")
    free = shutil.disk_usage(path).free if os.path.isdir(path) else 0
    remedy = "mount an emptyDir with medium Memory at /dev/shm, or lower -j"
    return demand(free >= need, f"{free} bytes free in /dev/shm, {need} needed", remedy)


def memlock(hcas: int, limit: int | None = None) -> str:
    soft = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] if limit is None else limit
    endless = soft == resource.RLIM_INFINITY
    remedy = "add the capability IPC_LOCK, and set the runtime's memlock limit to unlimited"
    return demand(endless or not hcas, "unlimited" if endless else f"{soft} bytes", remedy)


def gpus(backend: str, place: Place, count: int) -> str:
    found = f"{count} visible, local rank {place.local_rank}"
    return demand(backend != "nccl" or count > place.local_rank, found, "ask for one GPU per process")


def preload(env: Mapping[str, str], maps: str) -> str:
    """The loader ignores a missing LD_PRELOAD file with one line on stderr, and the bundled NCCL runs instead."""
    for path in env.get("LD_PRELOAD", "").replace(":", " ").split():
        there = "/" not in path or os.path.exists(path)
        demand(there, f"`{path}` does not exist", "mount it, or take the entry out")
        loaded = os.path.realpath(path) in maps or os.path.basename(path) in maps
        demand(loaded, f"`{path}` exists, but is not loaded", "check its architecture and access")
    return env.get("LD_PRELOAD", "") or "none"


def nccl(expected: str, maps: str) -> str:
    """The version that the mapped library itself reports: 2.4.8 is 2408, and since 2.9 2.27.3 is 22703 (nccl.h)."""
    mapped = (line.split()[-1] for line in maps.splitlines() if "libnccl" in line)
    path = next((path for path in mapped if "net" not in os.path.basename(path)), "")
    if not path:
        return demand(not expected, "no NCCL library is loaded", f"an image with NCCL {expected}")
    number = ctypes.c_int()
    ctypes.CDLL(path).ncclGetVersion(ctypes.byref(number))
    major, rest = divmod(number.value, 10000 if number.value >= 10000 else 1000)
    real = f"{major}.{rest // 100}.{rest % 100}"
    found = f"{real} from {path}" + (f", {expected} expected" if expected else "")
    return demand(expected in {"", real}, found, "set LD_PRELOAD to the wanted library, or change --expect-nccl")


def named(device: str, rule: str) -> bool:
    """NCCL_IB_HCA: ``^`` excludes, ``=`` matches whole names instead of prefixes, ``:port`` is not looked at here."""
    names = [part.split(":")[0] for part in rule.lstrip("^=").split(",") if part]
    hit = device in names if "=" in rule[:2] else device.startswith(tuple(names))
    return not hit if rule.startswith("^") else hit or not names


def hcas(expected: int, env: Mapping[str, str], root: str = "/") -> str:
    rule, states = env.get("NCCL_IB_HCA", ""), dict[str, str]()
    for path in sorted(glob.glob(os.path.join(root, "sys/class/infiniband/*/ports/*"))):
        device, _, port = path.split("/")[-3:]
        if named(device, rule):
            states[f"{device}:{port}"] = text_of(os.path.join(path, "state")) or "no state"
    silent = [f"{port} ({state})" for port, state in states.items() if "ACTIVE" not in state]
    active, nodes = len(states) - len(silent), len(glob.glob(os.path.join(root, "dev/infiniband/uverbs*")))
    found = f"{active} active ports, {expected} expected, {nodes} device files"
    found += f"; not active: {', '.join(silent)}" if silent else ""
    found += f"; NCCL_IB_HCA={rule}" if rule else ""
    remedy = "ask for the RDMA resource; check NCCL_IB_HCA and the port's link"
    return demand(not expected or (active >= expected and nodes > 0), found, remedy)


def interface(master: str, port: int, env: Mapping[str, str], hosts: int = 1) -> str:
    """The interface of the route to the master; gloo otherwise takes what the host's name resolves to.

    The loopback's is right where all ranks are on one host, and never where they are on several.
    """
    chosen, names = env.get("GLOO_SOCKET_IFNAME", ""), [name for _, name in socket.if_nameindex()]
    if chosen:
        remedy = "gloo wants the name of an interface; lists with ^ are NCCL's"
        return demand(chosen.split(",")[0] in names, f"GLOO_SOCKET_IFNAME={chosen}", remedy, USAGE)
    address = (hosts == 1 and route_to(master, port)) or own_address(master, port)
    if hosts > 1 and is_loopback(address):
        return "none leads to the other hosts; left to the transport"
    name = interface_of(address)
    return f"{name} ({address})" if name else f"none has {address}; left to the transport"


def output(out: str, need: int) -> str:
    """Room for three checkpoints, and a file can be written, synced, renamed and read."""
    if not out:
        return "no --out: nothing is written, nothing can be resumed"
    probe = os.path.join(out, f"probe-{socket.gethostname()}-{os.getpid()}")
    try:
        os.makedirs(out, exist_ok=True)
        free = shutil.disk_usage(out).free
        demand(free >= need, f"{free} bytes free in `{out}`, {need} needed for three checkpoints", "make room", OUTPUT)
        files.put(probe, "probe", durable=True)
        demand(files.text_of(probe) == "probe", f"`{out}`: what was written is not read", "check the mount", OUTPUT)
        os.unlink(probe)
        return f"`{out}`, {free} bytes free"
    except OSError as error:
        raise Fault(OUTPUT, f"`{out}`: {error.strerror}", (), "mount it writable for this user") from None


def run(
    args: Config, place: Place, backend: str, shm_bytes: int, out_bytes: int, gpu_count: int, hosts: int = 1
) -> list[Check]:
    """All checks of this pod; also exports GLOO_SOCKET_IFNAME where it was not set."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        maps = file.read()
    route = tried("interface", interface, place.master, place.port, os.environ, hosts)
    if "(" in route.found:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", route.found.split()[0])
    return [
        tried("shared memory", shm, shm_bytes),
        tried("locked memory", memlock, args.expect_hca),
        tried("GPUs", gpus, backend, place, gpu_count),
        tried("LD_PRELOAD", preload, os.environ, maps),
        tried("NCCL", nccl, args.expect_nccl, maps),
        tried("InfiniBand", hcas, args.expect_hca, os.environ),
        route,
        tried("output", output, args.out, out_bytes),
    ]


def table(got: dict[int, dict[str, Any]], names: Callable[[int], str]) -> str:
    """One line per check on rank 0: all ranks alike, or who differs."""
    lines = []
    for position, (name, *_) in enumerate(got[0]["checks"]):
        bad = [rank for rank, said in sorted(got.items()) if not said["checks"][position][1]]
        found = got[bad[0] if bad else 0]["checks"][position][2]
        lines.append(f"  {name:<14} {'FAIL on ' + ', '.join(map(names, bad)) if bad else 'ok':<12} {found}")
    return "\n".join(lines)


class Reader:
    """``verify`` in a child process, because a read on a dead mount cannot be interrupted, only left behind."""

    def __init__(self, args: TrainConfig) -> None:
        fork = multiprocessing.get_context("fork")
        self.path = args.data
        self.pipe, end = fork.Pipe(duplex=False)  # what the child says: see `read`
        self.child = fork.Process(target=read, args=(args, end), daemon=True)
        self.child.start()
        end.close()

    def result(self, limit: float, look: Callable[[], None]) -> dict[str, Any]:
        """The answer, or Fault(65) ``limit`` seconds after the child's last sign of progress."""
        since, last = time.monotonic(), self.path
        try:
            while time.monotonic() - since < limit:
                look()
                if self.pipe.poll(0.05):
                    said, since = self.pipe.recv(), time.monotonic()
                    if isinstance(said, dict):
                        return said
                    if isinstance(said, tuple):
                        raise Fault(DATA, said[0], (), said[1])
                    last = said
            raise Fault(DATA, f"no verdict in time: read of `{last}` did not finish in {limit:.0f} s (mount?)")
        except EOFError:
            raise Fault(DATA, f"the reading process ended without a word at `{last}`") from None
        finally:
            self.child.kill()


def read(args: TrainConfig, pipe: Any) -> None:
    """Sends a text at every sign of progress, then the answer or a fault's (reason, remedy)."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    end, splits = time.monotonic() + args.data_wait, ("train", "val") if args.eval else ("train",)
    while not os.path.isdir(args.data) and time.monotonic() < end:
        pipe.send(f"{args.data} (waiting for the mount)")
        time.sleep(0.5)
    try:
        pipe.send(files.verify(args.data, args.format, args.manifest, args.seed, splits, pipe.send))
    except Fault as fault:
        pipe.send((fault.reason, fault.remedy))
    except Exception as error:  # whatever it is, the parent must hear of it
        pipe.send((f"reading `{args.data}`: {error!r}", ""))
