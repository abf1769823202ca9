"""Imports torch and the trainer once, then forks ranks on request: 0.2 s to the first all-reduce instead of 3 s.

Requests and answers are JSON lines on stdin and stdout. The parent never starts a thread, so forking it is safe.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from typing import Any

import torch
import torch._dynamo  # noqa: F401

import trainer.bench
import trainer.job
import trainer.loop
import trainer.pairs
import trainer.report  # noqa: F401
from tests.trainer import inject
from tests.trainer.netlab import enter
from trainer.cli import main


def child(rank: dict[str, Any]) -> None:
    """One rank: its own environment, output file and process group, and what `inject` breaks in it."""
    os.setpgid(0, 0)
    log = os.open(str(rank["log"]), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for number in (1, 2):
        os.dup2(log, number)
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    if rank["netns"]:
        enter(str(rank["netns"]))
    os.environ.clear()
    os.environ.update(rank["env"])
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    if rank["inject"]:
        name, *arguments = rank["inject"]
        getattr(inject, name)(*arguments)
    main(rank["argv"])


def serve() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ended: dict[int, list[float]] = {}
    buffer = b""
    while True:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            ended[pid] = [os.waitstatus_to_exitcode(status), time.time()]
        if not select.select([0], [], [], 0.01)[0]:
            continue
        block = os.read(0, 1 << 16)
        if not block:
            os._exit(0)
        buffer += block
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            request = json.loads(line)
            if "spawn" in request:
                pid = os.fork()
                if pid == 0:
                    try:
                        signal.signal(signal.SIGINT, signal.SIG_DFL)
                        child(request["spawn"])
                    except SystemExit as end:
                        sys.stderr.flush()
                        os._exit(int(end.code or 0))
                    except BaseException as error:
                        print(f"zygote: {error!r}", file=sys.stderr, flush=True)
                        os._exit(99)
                answer: object = pid
            else:
                answer = {str(pid): ended.get(pid) for pid in request["poll"]}
            os.write(1, json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    serve()
