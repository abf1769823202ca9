"""Lines of logs lead to pages that are there, and each to those of its own cause."""

from __future__ import annotations

from functools import cache

import pytest

from specgen.cli.lookup import about, look_up
from specgen.operators.lifecycle import Counted
from specgen.profile.variables import BUILTIN
from specgen.reference.log_lines import LOG_LINES, LogLine, found
from specgen.reference.torch_variables import TORCH_VARIABLES
from tests.bad.every_node import specgen

# A line as it is printed → a page that must be among those it leads to, and a word that must stand in the answer.
LINES = {
    "ibv_reg_mr": ("SG410", "IPC_LOCK"),
    "worker-1:31:88 [0] NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory": ("SG410", "memlock"),
    "NCCL WARN Call to ibv_create_qp failed": ("SG410", "ulimit"),
    "[rank3]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)": ("guard", "hangs"),
    "train-0:9:9 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.7<0>": ("SG530", "TCP"),
    "NCCL INFO NET/IB : No device found.": ("resources.hca", "no HCA"),
    "Error while creating shared memory segment /dev/shm/nccl-x (size 9637888)": ("SG401", "64 MiB"),
    "ERROR: Unexpected bus error encountered in worker.": ("SG401", "shared memory"),
    "OSError: [Errno 28] No space left on device: '/dev/shm/x'": ("resources.shm", "full"),
    "ncclSystemError: System call (e.g. socket, malloc) or external library call failed": ("NCCL_DEBUG", "INFO"),
    "OOMKilled": ("resources.memory", "limit"),
    "command terminated with exit code 137": ("137", "SIGKILL"),
    "RuntimeError: CUDA error: out of memory": ("procsPerPod", "GPU"),
    "socket.gaierror: [Errno -2] Name or service not known": ("SG510", "master"),
    "connect() to train-0.train:29500 failed: Connection refused": ("scheduling.gang", "rank 0"),
    "OSError: [Errno 98] Address already in use": ("SG618", "port"),
    "0/4 nodes are available: 4 Insufficient nvidia.com/gpu.": ("SG601", "fit"),
    "Warning  FailedScheduling  3s  default-scheduler": ("SG601", "scheduler"),
    "FailedMount": ("mounts", "Secret"),
    'Back-off pulling image "alpine:3.10": ImagePullBackOff': ("cluster.images.mirrors", "pulled"),
    "root@train-worker-0: Permission denied (publickey).": ("SG488", "key"),
    "Permissions 0640 for '/root/.ssh/id_rsa' are too open.": ("security.fsGroup", "fsGroup"),
    "There are not enough slots available in the system": ("SG501", "-np"),
    "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu": ("SG711", "quota"),
    "Timed out after 301 seconds waiting for clients. 3/4 clients joined.": ("scheduling.gang", "Pending"),
    "OSError: [Errno 116] Stale file handle: '/data/imagenet'": ("mounts", "network file system"),
    "NET/OFI Unable to find a protocol that worked. Failing initialization": ("resources.hca", "libfabric"),
    "MountVolume.SetUp failed: hostPath type check failed: /run/tcpx is not a directory": ("mounts.type", "node"),
    "NVRM: Xid (PCI:0000:4e:00): 79, pid=1, GPU has fallen off the bus.": ("scheduling.avoidHosts", "hardware"),
    "mount.lustre: mount 10.0.0.1@tcp:/fs at /mnt failed: Input/output error": ("cluster.storage", "servers"),
    "torch.distributed.DistNetworkError: Failed to recv, got 0 bytes. Connection was likely closed.": (
        "guard",
        "not the",
    ),
    "[PG ID 0 PG GUID 0(default_pg) Rank 1] Timeout at NCCL work: 1, last enqueued NCCL work: 1": ("guard", "hangs"),
    "  exitcode  : -9 (pid: 123)": ("resources.memory", "limit"),
    "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.": ("resources.disk", "disk"),
    "RuntimeError: CUDA error: no kernel image is available for execution on the device": ("image", "other GPUs"),
    "RuntimeError: CUDA error: invalid device ordinal": ("SG467", "LOCAL_RANK"),
    "huggingface_hub.errors.GatedRepoError: 401 Client Error.": ("env.secret", "token"),
    "ConnectionError: HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded": (
        "dataset",
        "outside",
    ),
    "[E ProcessGroupGloo.cpp:138] Gloo connectFullMesh failed with [pair.cc:144] no error": ("SG510", "interface"),
    "NCCL INFO NET/Plugin: No plugin found (libnccl-net.so)": ("NCCL_NET", "EFA"),
    "/bin/sh: 1: torchrun: not found": ("start.path", "image"),
    "python: can't open file '/workspace/train.py': [Errno 2] No such file or directory": ("workdir", "folder"),
    'unable to start container process: exec: "torchrun train.py": stat torchrun train.py: no such file or directory': (
        "SG460",
        "first word",
    ),
    'exec: "trian.py": executable file not found in $PATH: unknown': ("SG460", "first word"),
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_leads_to_its_cause(line: str) -> None:
    page, word = LINES[line]
    code, out, err = specgen("explain", line)
    assert (code, err) == (0, "")
    assert f"- `{page}`: " in out and word in out


@pytest.mark.parametrize("entry", LOG_LINES, ids=lambda one: one.forms[0])
def test_an_entry_names_what_there_is(entry: LogLine) -> None:
    for name in entry.pages:
        assert _is_there(name), name
    for text in (entry.meaning, entry.remedy):
        assert text.endswith(".")
    assert entry.source and not entry.source.endswith(".")


def test_a_text_is_in_one_entry_and_leads_to_it() -> None:
    forms = [form.lower() for entry in LOG_LINES for form in entry.forms]
    assert len(forms) == len(set(forms))
    for entry in LOG_LINES:
        for form in entry.forms:
            assert entry in found(form.replace("…", "x")), form


def test_names_are_no_lines() -> None:
    assert not found("timeout") and not found("exit code 1370") and not found("mounts")
    assert "a line of a log" not in specgen("explain", "mounts")[1]
    assert specgen("explain", "not enough slots")[0] == 0
    assert specgen("explain", "no such line of any log")[0] == 2


@pytest.mark.parametrize("name", TORCH_VARIABLES)
def test_a_variable_of_pytorch_has_a_page(name: str) -> None:
    code, out, err = specgen("explain", name)
    assert (code, err) == (0, "") and out.startswith(f"{name} (a variable of PyTorch)")
    assert all(about(one) for one in TORCH_VARIABLES[name][1].split())


def test_the_page_of_nccls_log_says_what_to_look_for() -> None:
    out = specgen("explain", "NCCL_DEBUG")[1]
    assert "NCCL_DEBUG: INFO" in out and "NET/Socket" in out and "NET/IB" in out


def test_a_variable_of_a_profile_leads_to_the_word_that_defines_it() -> None:
    code, out, _ = specgen("explain", "$<name>")
    assert code == 0 and out == specgen("explain", "vars")[1]
    assert all(f"- `$<{name}>`: " in out for name in BUILTIN)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("env.secret", "kubectl create secret generic"),
        ("lifecycle.deadline", "`--time` of Slurm"),
        ("lifecycle.restarts", "incidents times pods"),
    ],
)
def test_what_a_type_does_not_say_stands_on_the_page(word: str, said: str) -> None:
    assert said in specgen("explain", word)[1]


def test_the_limit_on_the_page_is_the_one_that_is_counted() -> None:
    assert [Counted(["Worker"], pods, pods).limit(often) for pods, often in ((2, 3), (6, 5))] == [7, 31]


@cache
def _is_there(name: str) -> bool:
    """Whether a page is there: many lines lead to the same one."""
    return bool(about(name).strip()) and look_up(name, _Silent()) == 0  # type: ignore[arg-type]


class _Silent:
    def answer(self, text: str) -> None:
        assert text

    def say(self, text: str) -> None:
        raise AssertionError(text)


def test_a_line_that_nobody_knows_is_no_file_and_no_list_of_its_words() -> None:
    code, out, err = specgen("explain", "step 3/4 of the epoch took longer by far than the mounts of it")
    assert (code, out) == (2, "")
    assert "nor such a line" in err and "there is `" not in err and "no such file" not in err
    assert "there is `NCCL_DEBUG`" in specgen("explain", "I have set the NCCL_DEBUG as you said")[2]
