"""What a guard leaves behind: a line in the pod's log, and the pod's termination message."""

from __future__ import annotations

import contextlib
import json
import os
import sys

from trainer.faults import Fault

LONGEST = 4095  # bytes: the kubelet takes 4096


def say(text: str) -> None:
    print(f"guard: {text}", file=sys.stderr, flush=True)


def leave(path: str, fault: Fault, member: str, committed: int | None, stack: str) -> None:
    """As the trainer's own termination message, with the committed step and the innermost line of a stack."""
    text = fault.line() if fault.code else "done"
    if committed is not None:
        text += f"; last committed step {committed}"
    if stack:
        text += f"; stood at {stack}"
    say(text)
    if path and os.path.exists(path):
        words = {"code": fault.code, "cause": fault.reason[:2000], "remedy": fault.remedy[:500], "from": member}
        said = json.dumps({**words, "committed": committed, "stack": stack[:500]}).encode()[:LONGEST]
        with contextlib.suppress(OSError), open(path, "wb") as file:
            file.write(said)
