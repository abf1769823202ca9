"""Stands for launchers that are not installed: two ranks of a script, their ends handed on as the real ones do.

Read from deepspeedai/DeepSpeed 0.19.8, launcher/launch.py, and huggingface/accelerate 1.15.0, commands/launch.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time


def start(script: list[str], rank: int) -> subprocess.Popen[bytes]:
    env = {**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"}
    return subprocess.Popen([sys.executable, "-u", *script], env=env)


def deepspeed(script: list[str]) -> None:
    """The first rank that fails ends the others, and its status as `subprocess` has it goes to `sys.exit`."""
    ranks = [start(script, rank) for rank in range(2)]
    alive = list(ranks)
    while alive:
        for ended in [rank for rank in alive if rank.poll() is not None]:
            alive.remove(ended)
            if ended.returncode:
                for rank in alive:
                    rank.kill()
                sys.exit(ended.returncode)
        time.sleep(0.05)


if __name__ == "__main__":
    deepspeed(sys.argv[1:])
