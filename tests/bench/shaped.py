"""Ratios on a link of a known rate: two network namespaces, token buckets, one rank in each. Root and Linux only."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.trainer import netlab

RATES = (200, 500, 1000)  # Mbit/s


def ranks(lab: netlab.Lab, argv: list[str], instead: Callable[[Any, Any], None] | None = None) -> None:
    """One command on every rank of the lab, in forked processes; `instead` takes the place of the training and prints
    what it finds. Raises RuntimeError where a rank fails."""
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    import torch._dynamo

    assert torch._dynamo
    sys.stdout.flush()
    children = []
    for rank in range(lab.count):
        child = os.fork()
        if child == 0:
            netlab.enter(lab.name(rank))
            if not instead:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            where = {"MASTER_ADDR": lab.address(0), "MASTER_PORT": "29500"}
            os.environ.update({"RANK": str(rank), "WORLD_SIZE": str(lab.count), **where})
            import trainer.loop
            from trainer.cli import main

            if instead:
                vars(trainer.loop)["train"] = instead
            try:
                main(argv)
            finally:
                os._exit(99)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    if any(codes):
        raise RuntimeError(f"ranks ended with {codes}")


def busbw() -> dict[int, list[float]]:
    """{rate in Mbit/s: bus bandwidth / rate, per size from 4 MiB on, out of place and in place}."""
    found: dict[int, list[float]] = {}
    for rate in RATES:
        lab = netlab.Lab(2)
        try:
            lab.shape(rate)
            with tempfile.TemporaryDirectory() as folder:
                path = f"{folder}/bench.json"
                ranks(lab, ["bench", "-b", "4M", "-e", "8M", "-n", "5", "-w", "2", "--json", path])
                rows = json.loads(Path(path).read_text())["rows"]
        finally:
            lab.close()
        halves = [row[half] for row in rows for half in ("out_of_place", "in_place")]
        found[rate] = [half["busbw"] * 8000 / rate for half in halves]
    return found
