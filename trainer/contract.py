"""What this program takes and what its pod must offer, as JSON for compilers of manifests. No torch here."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from trainer import __version__
from trainer.config import Flag
from trainer.env import READ
from trainer.faults import MEANING, USAGE, Fault
from trainer.flags import BENCH_FLAGS, COMMANDS, FLAGS, PARAMETERS, PREFLIGHT_OWN, REFUSED, SHM
from trainer.measured import MEASURED

SET_IF_ABSENT = """
GLOO_SOCKET_IFNAME TORCH_NCCL_ASYNC_ERROR_HANDLING TORCH_NCCL_DUMP_ON_TIMEOUT TORCH_FR_BUFFER_SIZE
TORCH_FR_DUMP_TEMP_FILE TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC TORCH_CPP_LOG_LEVEL RES_OPTIONS
NCCL_DEBUG NCCL_DEBUG_SUBSYS NCCL_DEBUG_FILE
"""
REST: dict[str, Any] = {
    "ports": {"listen": ["MASTER_PORT on rank 0"], "ephemeral": "all ranks, for the transport and the life line"},
    "mounts": {
        "data": {"flag": "--data", "access": "read"},
        "out": {"flag": "--out", "access": "write", "shared_by_all_ranks": True},
        "/dev/shm": {"bytes_per_process": list(SHM), "when": "workers > 0, for images; the sum of these products"},
    },
    "memory": {"bytes_per_process": "4 * parameters * 4 + idx data held whole"},
    "parameters": PARAMETERS,
    "gradient_bytes": "4 * parameters",
    "exit_codes": {str(code): {"class": kind, "meaning": text} for code, (kind, text) in MEANING.items()},
    "measured": [{"what": what, "exit": code, "seconds": seconds} for what, (code, seconds) in MEASURED.items()],
    "grace": {"seconds": "step + save", "flag": "--grace", "rule": "terminationGracePeriodSeconds >= grace + 5"},
    "signals": {
        "SIGTERM": "save, exit 143",
        "SIGINT": "save, exit 130",
        "SIGUSR1": "save, exit 143",
        "SIGUSR2": "save, go on",
    },
    "start": {
        "command": "exec form, `python -u`",
        "torchrun": "exit code becomes 1: not with ExitCode",
        "processes_per_pod": "1, or torchrun, or --spawn",
    },
}


def described(flag: Flag) -> dict[str, Any]:
    said = {"names": list(flag.names), "type": flag.type.__name__, "default": flag.default}
    said |= {"choices": list(flag.choices), "legacy": flag.legacy, "help": flag.help}
    limits = {"minimum": flag.minimum, "above": flag.above, "pattern": flag.pattern or None}
    return {**said, **{name: limit for name, limit in limits.items() if limit is not None}}


def contract() -> dict[str, Any]:
    return {
        "contract": 1,
        "version": __version__,
        "entries": {"main_allreduce.py": "train", "main_mnist.py": "train", "python -m trainer": list(COMMANDS)},
        "arguments": {
            "train": [described(flag) for flag in FLAGS],
            "preflight": [described(flag) for flag in PREFLIGHT_OWN],  # besides those of `train`
            "bench": [described(flag) for flag in BENCH_FLAGS],
            "refused_together": [{"when": when, "why": why} for when, why in REFUSED],
            "positional": {"train": "data", "index": "data", "report": "out"},
        },
        "environment": {"flags": "TRAINER_<NAME>", "read": READ.split(), "set_if_absent": SET_IF_ABSENT.split()},
        **REST,
    }


def run(argv: Sequence[str]) -> None:
    if list(argv) not in ([], ["--json"]):
        raise Fault(USAGE, f"`trainer contract` knows only `--json`, not `{argv[0]}`")
    try:
        print(json.dumps(contract(), indent=2), flush=True)
    except BrokenPipeError:  # `| head`: the reader has seen enough, and the flush at exit must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
