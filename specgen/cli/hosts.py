"""Files that name hosts, for DeepSpeed's launcher and for mpirun: how many there are, and the slots of each.

Read from deepspeedai/DeepSpeed 0.19.8, deepspeed/launcher/runner.py (`_parse_hostfile`, `parse_resource_filter`), and
mpirun(1) of Open MPI 5 (`slots=`) and MPICH 4 (`host:slots`).
"""

from __future__ import annotations

import re

from specgen.cli.read_by import contents

_HOST = re.compile(r"([^\s:#]+)(?::([0-9]{1,4})|[^#]*\bslots\s*=\s*([0-9]{1,4}))?")


def of_file(name: str) -> dict[str, int]:
    """Host → its slots, 0 where nobody says them; empty where no such file lies here."""
    found: dict[str, int] = {}
    for line in contents(name).splitlines():
        host = _HOST.match(line.strip())
        if host is not None:
            found[host[1]] = int(host[2] or host[3] or 0)
    return found


def of_filter(text: str) -> dict[str, int]:
    """The same of DeepSpeed's `--include host1:0,1@host2:0,1`."""
    found: dict[str, int] = {}
    for one in text.split("@"):
        host, _, slots = one.partition(":")
        if host:
            found[host] = len([slot for slot in slots.split(",") if slot])
    return found


def each_of(hosts: dict[str, int]) -> int:
    """The slots of each host; 0 where they differ, or nobody says them."""
    slots = {*hosts.values()}
    return slots.pop() if len(slots) == 1 else 0


def ways(total: int) -> str:
    """Some ways to spread processes over pods: one pod, nodes of eight GPUs, and a pod for each."""
    eight = total // 8 if total % 8 == 0 and total > 8 else 0
    nodes = f"`--pods {eight} --gpu 8` for pods of eight, " if eight else ""
    one = f"`--pods 1 --gpu {total}` for one pod, " if total <= 16 or not eight else ""
    return f"{nodes}{one}`--pods {total} --gpu 1` for as many pods as processes"
