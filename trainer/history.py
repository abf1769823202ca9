"""What earlier attempts left: their count, which bounds restarts, and the lineages of checkpoints in ``--out``.

A lineage is one course of a training from its beginning, however often it was interrupted. The first lies in ``--out``
itself, each later one in a folder ``lineage-N`` of its own: what one writes or removes, no other has.
No torch here: all of this is read before anybody is waited for.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

from trainer.config import Config, TrainConfig
from trainer.env import Place
from trainer.faults import INTERRUPTED, NO_PROGRESS, PEER, STOPPED, USAGE, Fault
from trainer.files import json_lines, put, text_of

ABOUT = "lineage.json"  # in the folder of a lineage: how it began


class Lineage(NamedTuple):
    """One course of a training: its number from 1 on, its folder below --out, and the ``--resume`` it began with."""

    number: int
    folder: str
    resume: str

    def path(self, out: str) -> str:
        return os.path.join(out, self.folder) if self.folder else out

    def steps(self, out: str) -> list[int]:
        return steps_in(self.path(out))


def steps_in(folder: str) -> list[int]:
    """Steps of the complete checkpoints, newest first: those whose file and side file are both in place."""
    names = set(os.listdir(folder)) if os.path.isdir(folder) else set()
    found = [re.fullmatch(r"step-(\d{9})\.pt", name) for name in names if name + ".json" in names]
    return sorted((int(match[1]) for match in found if match), reverse=True)


def newest(out: str) -> Lineage:
    """The lineage that is written to: the one with the highest number."""
    names = os.listdir(out) if os.path.isdir(out) else []
    number = max([1, *(int(match[1]) for name in names if (match := re.fullmatch(r"lineage-(\d{1,9})", name)))])
    lineage = Lineage(number, "" if number == 1 else f"lineage-{number}", "auto")
    with contextlib.suppress(ValueError, AttributeError):
        lineage = lineage._replace(resume=json.loads(text_of(os.path.join(lineage.path(out), ABOUT))).get("resume"))
    return lineage


def choose(out: str, resume: str, last: int | None) -> Lineage:
    """The lineage that an attempt with this ``--resume`` goes on with; begins one on the disk where that is needed.

    ``last`` is the exit code of the attempt before, None where it ended without a word. A restarted pod has the
    arguments of the first one: a lineage that began with ``none`` or with a file is gone on with, not begun again.
    Raises OSError.
    """
    lineage = newest(out)
    begun = bool(lineage.steps(out))
    interrupted = lineage.resume == "none" and last in {None, PEER, STOPPED}
    if not begun or resume == "auto" or (resume == lineage.resume and (resume != "none" or interrupted)):
        number = lineage.number
    else:
        number = lineage.number + 1
    if begun and number == lineage.number:
        return lineage
    lineage = Lineage(number, "" if number == 1 else f"lineage-{number}", resume)
    os.makedirs(lineage.path(out), exist_ok=True)
    put(os.path.join(lineage.path(out), ABOUT), json.dumps({"resume": resume}) + "\n")
    return lineage


class Attempts:
    """A file with a line for the start of every attempt and one for its end: the bound on restarts that
    ``restartPolicy: ExitCode`` lacks (it ignores backoffLimit)."""

    def __init__(self, folder: str, name: str = "attempts.jsonl") -> None:
        self.path = os.path.join(folder, name)
        self.lines: list[dict[str, Any]] = json_lines(self.path)  # of the attempts before this one
        self.number: int = 1 + sum(line["event"] == "start" for line in self.lines)
        self.lineage: Lineage | None = None  # what this attempt goes on with, as rank 0 chose it

    @property
    def last_code(self) -> int | None:
        """How the attempt before this one ended; None where it did so without a word, or there was none."""
        ends = {line["attempt"]: line["code"] for line in self.lines if line["event"] == "end"}
        return ends.get(self.number - 1)

    def fruitless(self, committed: int, lineage: int = 1) -> int:
        """Attempts at the end that began at today's checkpoint, without those that were finished, asked to stop, or
        refused for their arguments."""
        ends = {line["attempt"]: line["code"] for line in self.lines if line["event"] == "end"}
        count = 0
        for line in reversed([line for line in self.lines if line["event"] == "start"]):
            if (line["committed"], line.get("lineage", 1)) != (committed, lineage) or ends.get(line["attempt"]) == 0:
                break
            count += ends.get(line["attempt"]) not in {INTERRUPTED, STOPPED, USAGE}
        return count

    def add(self, **line: Any) -> None:
        """One more line, on the disk before this returns."""
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"attempt": self.number, **line}) + "\n")
            file.flush()
            os.fsync(file.fileno())


def begin(args: Config, place: Place, env: Mapping[str, str]) -> Attempts | None:
    """Counts this attempt before it waits for anybody; None where nothing can be counted. Raises Fault(81).

    With ``--out`` each rank counts its own there, so that a rank which never came is not waited for without end.
    Without, there is only the pod's shared memory: it outlives a container that is restarted in place, not the pod.
    A pod that is made anew, as ``restartPolicy: ExitCode`` does, then begins with nothing.
    """
    made: list[Attempts] = []
    refused: list[Fault] = []

    def count() -> None:
        with contextlib.suppress(OSError):  # the check of --out names what is wrong there
            try:
                made.append(_begin(args, place, env))
            except Fault as fault:
                refused.append(fault)

    if not args.out and ("KUBERNETES_SERVICE_HOST" not in env or not os.path.isdir("/dev/shm")):
        return None
    # In a thread of its own: a mount that does not answer is left behind, and found by the checks.
    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    thread.join(args.read_timeout)
    if refused:
        raise refused[0]
    return made[0] if made else None


def _begin(args: Config, place: Place, env: Mapping[str, str]) -> Attempts:
    out, lineage, committed = args.out, None, 0
    if out:
        os.makedirs(out, exist_ok=True)
        attempts = Attempts(out, f"attempts-{place.rank:05d}.jsonl" if place.rank else "attempts.jsonl")
        if isinstance(args, TrainConfig) and place.rank == 0:
            lineage = choose(out, args.resume, attempts.last_code)
        else:
            lineage = newest(out)
        committed = next(iter(lineage.steps(out)), 0)
        attempts.lineage = lineage
    else:
        job = [env.get("HOSTNAME"), place.master, place.rank, sorted((k, str(v)) for k, v in vars(args).items())]
        key = hashlib.sha256(json.dumps(job).encode()).hexdigest()[:16]
        attempts = Attempts("/dev/shm", f"trainer-attempts-{key}.jsonl")
    number = lineage.number if lineage else 1
    tries = attempts.fruitless(committed, number)
    bound = args.max_attempts if isinstance(args, TrainConfig) else 0
    if bound and tries >= bound:
        text = f"{tries} attempts have ended without a new checkpoint"
        text += f" after step {committed}" if out else ", and none can be written: no --out"
        raise Fault(NO_PROGRESS, text, (), f"read `{attempts.path}` for the causes, then remove it to try again")
    attempts.add(event="start", committed=committed, lineage=number, world=place.world)
    return attempts
