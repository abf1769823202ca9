"""Each check of the pod against a made-up file system."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")

from tests.trainer.harness import write_folder
from trainer import preflight
from trainer.cli import parse
from trainer.config import TrainConfig
from trainer.env import Place
from trainer.faults import first_line
from trainer.flags import shm_bytes
from trainer.group import net_in_use


def tried(check: Any, *given: Any) -> preflight.Check:
    return preflight.tried("this check", check, *given)


def put(root: Path, path: str, text: str = "") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def test_cpu_limit(tmp_path: Path) -> None:
    put(tmp_path, "sys/fs/cgroup/cpu.max", "350000 100000\n")
    assert preflight.cpu_limit(str(tmp_path)) == 3.5
    put(tmp_path, "sys/fs/cgroup/cpu.max", "max 100000\n")
    put(tmp_path, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n")
    put(tmp_path, "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
    assert preflight.cpu_limit(str(tmp_path)) == 2.0
    put(tmp_path, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
    assert preflight.cpu_limit(str(tmp_path)) >= 1


def test_shared_memory(tmp_path: Path) -> None:
    assert not tried(preflight.shm, 1, str(tmp_path)).ok
    (tmp_path / "dev/shm").mkdir(parents=True)
    assert tried(preflight.shm, 1, str(tmp_path)).ok
    short = tried(preflight.shm, 1 << 60, str(tmp_path))
    assert not short.ok
    assert "/dev/shm" in short.remedy


def test_locked_memory() -> None:
    assert tried(preflight.memlock, 0, 65536).ok
    assert not tried(preflight.memlock, 1, 65536).ok
    assert tried(preflight.memlock, 1, -1).ok


def test_gpu_count() -> None:
    assert tried(preflight.gpus, "gloo", Place(), 0).ok
    assert not tried(preflight.gpus, "nccl", Place(local_rank=1), 1).ok
    assert tried(preflight.gpus, "nccl", Place(local_rank=1), 2).ok


@pytest.fixture
def fake_nccl(tmp_path: Path) -> Path:
    """Three lines of C stand for the library."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not compiler:
        pytest.skip("no C compiler here: the fake NCCL library cannot be built")
    (tmp_path / "nccl.c").write_text("int ncclGetVersion(int *v) { *v = VERSION; return 0; }\n")
    library = tmp_path / "libnccl.so.2"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-DVERSION=22703", "-o", str(library), str(tmp_path / "nccl.c")], check=True
    )
    return library


def test_nccl_version(fake_nccl: Path, tmp_path: Path) -> None:
    maps = f"7f00-7f01 r-xp 00000000 08:01 123    {fake_nccl}\n"
    assert tried(preflight.nccl, "2.27.3", maps).ok
    wrong = tried(preflight.nccl, "2.4.8", maps)
    assert not wrong.ok
    assert "2.27.3 from" in wrong.found
    assert "2.4.8 expected" in wrong.found
    assert tried(preflight.nccl, "", "").ok
    assert not tried(preflight.nccl, "2.27.3", "").ok
    old = tmp_path / "libnccl-old.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-DVERSION=2408", "-o", str(old), str(tmp_path / "nccl.c")], check=True)
    assert tried(preflight.nccl, "2.4.8", f"x {old}\n").ok


def test_preload(fake_nccl: Path) -> None:
    """The loader ignores a missing file, so the job of source 000 would run with another NCCL and not know."""
    env = {"LD_PRELOAD": "/opt/nccl-2.4.8-1/lib/libnccl.so"}
    assert "does not exist" in tried(preflight.preload, env, "").found
    env = {"LD_PRELOAD": str(fake_nccl)}
    assert "exists, but is not loaded" in tried(preflight.preload, env, "").found
    assert tried(preflight.preload, env, f"7f00 {fake_nccl}\n").ok
    assert tried(preflight.preload, {}, "").ok


def hca(root: Path, device: str, state: str) -> None:
    put(root, f"sys/class/infiniband/{device}/ports/1/state", state)


def test_infiniband(tmp_path: Path) -> None:
    hca(tmp_path, "mlx5_0", "4: ACTIVE")
    hca(tmp_path, "mlx5_1", "1: DOWN")
    put(tmp_path, "dev/infiniband/uverbs0")
    root = str(tmp_path)
    assert tried(preflight.hcas, 1, {}, root).ok
    two = tried(preflight.hcas, 2, {}, root)
    assert not two.ok
    assert "mlx5_1:1 (1: DOWN)" in two.found
    assert not tried(preflight.hcas, 1, {"NCCL_IB_HCA": "mlx5_1"}, root).ok
    assert tried(preflight.hcas, 1, {"NCCL_IB_HCA": "^mlx5_1"}, root).ok
    assert tried(preflight.hcas, 1, {"NCCL_IB_HCA": "=mlx5_0:1"}, root).ok
    (tmp_path / "dev/infiniband/uverbs0").unlink()
    assert not tried(preflight.hcas, 1, {}, root).ok
    assert tried(preflight.hcas, 0, {}, str(tmp_path / "none")).ok


@pytest.mark.parametrize(
    "line, net",
    [
        ("pod:12:30 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.5<0>", "IB"),
        ("pod:12:30 [0] NCCL INFO Using network Socket", "Socket"),
        ("pod:12:30 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/0/GDRDMA", "IB"),
        ("pod:12:30 [0] NCCL INFO Channel 00 : 1[0] -> 0[0] [send] via NET/Socket/0", "Socket"),
        ("pod:12:30 [0] NCCL INFO Assigned NET plugin IB to comm", "IB"),
        ("pod:12:30 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.5<0>", ""),
        ("", ""),
    ],
)
def test_network_in_the_log_of_nccl(line: str, net: str) -> None:
    """RDMA that is asked for and not there makes NCCL fall back to TCP without an error: only its log tells."""
    assert net_in_use(f"pod:12:30 [0] NCCL INFO NET/IB : No device found.\n{line}\n") == net


@pytest.mark.parametrize(
    "device, rule, hit",
    [
        ("mlx5_1", "mlx5", True),
        ("mlx5_10", "mlx5_1", True),
        ("mlx5_10", "=mlx5_1", False),
        ("mlx5_1", "=mlx5_1:1", True),
        ("mlx5_1", "^=mlx5_1", False),
        ("mlx5_2", "^=mlx5_1", True),
        ("mlx5_0", "", True),
        ("bnxt0", "mlx5", False),
    ],
)
def test_names_of_hcas(device: str, rule: str, hit: bool) -> None:
    assert preflight.named(device, rule) is hit


def test_interface() -> None:
    assert tried(preflight.interface, "127.0.0.1", 1, {}).found == "lo (127.0.0.1)"
    assert tried(preflight.interface, "127.0.0.1", 1, {"GLOO_SOCKET_IFNAME": "lo"}).ok
    assert not tried(preflight.interface, "127.0.0.1", 1, {"GLOO_SOCKET_IFNAME": "^lo"}).ok
    assert not tried(preflight.interface, "127.0.0.1", 1, {"GLOO_SOCKET_IFNAME": "eth77"}).ok
    assert tried(preflight.interface, "::1", 1, {}).found == "lo (::1)"


@pytest.mark.parametrize("master", ["127.0.0.1", "localhost", "no-such-host.invalid"])
def test_loopback_is_no_way_to_another_host(master: str) -> None:
    """The operator's MASTER_ADDR is `localhost` on the master, and a name may not resolve yet."""
    found = tried(preflight.interface, master, 1, {}, 2).found
    assert not found.startswith("lo ") and "127.0.0.1" not in found


def test_a_pod_with_ipv6_alone_has_an_address() -> None:
    """In a network namespace without IPv4 there is still a way to the master."""
    links = "ip link set lo up; ip link add e0 type veth peer name e1; ip -6 addr add fd00::5/64 dev e0 nodad; "
    links += "ip link set e0 up; ip link set e1 up"
    script = f"import os\nos.system({links!r})\nfrom trainer import net, preflight\n"
    script += "print(net.own_address('fd00::9', 1), preflight.interface('fd00::9', 1, {}, 2))"
    if os.geteuid() or subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode:
        pytest.skip("a network namespace cannot be made here")
    done = subprocess.run(["unshare", "-n", sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "fd00::5 e0 (fd00::5)\n", done.stderr


def test_the_cause_of_a_wrapped_exception() -> None:
    text = "Caught RuntimeError in DataLoader worker process 1.\nOriginal Traceback (most recent call last):\n"
    cause = "RuntimeError: unable to write to file </torch_9>: No space left on device (28)"
    text += f'  File "a.py", line 3, in f\n    g()\n{cause}\n'
    assert first_line(RuntimeError(text)) == f"{cause} (in DataLoader worker process 1)"
    outer = ValueError("no batch")
    outer.__cause__ = OSError(28, "No space left on device")
    assert first_line(outer) == "OSError: [Errno 28] No space left on device"


@pytest.mark.soak
def test_shared_memory_of_that_size_is_enough(tmp_path: Path) -> None:
    """Two epochs and their evaluations in a /dev/shm of just the bytes that are asked for; a page less is refused."""
    data = write_folder(tmp_path / "data", each=60)
    argv = f"train -a resnet18 --format folder --data {data} -b 16 -j 2 --image-size 96 --epochs 2 --eval --accum 2"
    args, _ = parse(TrainConfig, argv.split(), {})
    for size, code in ((shm_bytes(vars(args)), 0), (shm_bytes(vars(args)) - 8192, 78)):
        script = f"mount -t tmpfs -o size={-(-size // 4096) * 4096} none /dev/shm"
        script += f" && exec {sys.executable} -m trainer {argv}"
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True)
        if "mount:" in done.stderr or "unshare:" in done.stderr:
            pytest.skip(f"/dev/shm cannot be mounted: {done.stderr.strip()}")
        assert done.returncode == code, done.stderr


def test_output(tmp_path: Path) -> None:
    assert tried(preflight.output, "", 1).ok
    assert tried(preflight.output, str(tmp_path / "new"), 1).ok
    assert list((tmp_path / "new").iterdir()) == []
    assert "needed for three checkpoints" in tried(preflight.output, str(tmp_path), 1 << 60).found
    put(tmp_path, "file")
    bad = tried(preflight.output, str(tmp_path / "file" / "x"), 1)
    assert (bad.ok, bad.code) == (False, 74)


def test_table_names_the_rank() -> None:
    good, bad = preflight.Check("GPUs", True, "1 visible"), preflight.Check("GPUs", False, "0 visible")
    text = preflight.table({0: {"checks": [good]}, 1: {"checks": [bad]}}, lambda rank: f"rank {rank} (host-{rank})")
    assert "FAIL on rank 1 (host-1)" in text
    assert "0 visible" in text
