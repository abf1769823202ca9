"""Which of the job's guards this one is, and where they meet."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from trainer.env import DEFAULT_PORT, resolve
from trainer.faults import USAGE, Fault
from trainer.guard.options import Options, starts_ranks

PORT_ABOVE = 100  # the guards' port is this far above MASTER_PORT, which is the script's own


@dataclass(frozen=True)
class Member:
    """One guard of the job."""

    number: int
    count: int  # guards of the job
    unit: str  # `rank` or `pod`: what one guard stands for
    host: str  # its name, which is the pod's
    node: str  # the machine's name, by NODE_NAME; empty where nobody has said it
    process: int
    address: str  # host of member 0
    port: int

    def name(self) -> str:
        return f"{self.unit} {self.number} ({self.where()})"

    def where(self) -> str:
        return f"{self.host}, node {self.node}" if self.node else self.host


def find(options: Options, env: Mapping[str, str]) -> Member:
    """By the options, else by the variables of the launcher. Raises Fault(64)."""
    host, _, port = options.address.rpartition(":") if ":" in options.address else (options.address, "", "")
    if port and not port.isdigit():
        raise Fault(USAGE, f"`--address={options.address}` has no port after its colon")
    unit = "pod" if starts_ranks(options.command) else "rank"
    if options.members:
        number, count = options.member, options.members
        if number >= count:
            raise Fault(USAGE, f"`--member={number}` is not below `--members={count}`")
        found_host, found_port = env.get("MASTER_ADDR", ""), env.get("MASTER_PORT", "")
        found = found_host, int(found_port) if found_port.isdigit() else DEFAULT_PORT
    else:
        # RANK and WORLD_SIZE of a pod may count processes: with `spawn` they say how many it makes itself
        place = resolve(env, options.launcher, 0)
        if place.source == "MSJob":
            text = "`MS_ROLE` is set, and only the scheduler of an MSJob has an address"
            raise Fault(USAGE, text, (), "give --members, --member and --address")
        if "PET_RDZV_ENDPOINT" in env and place.source == "single process":
            text = "`PET_RDZV_ENDPOINT` is set, and an elastic job has no fixed number of pods"
            raise Fault(USAGE, text, (), "give --members, --member and --address")
        if place.problem:
            raise place.problem
        each = max(1, place.spawn)
        number, count = place.rank, place.world // each
        unit = unit if each == 1 else "pod"
        found = place.master, place.port
    if count > 1 and not (host or found[0]):
        alone = env.get("OMPI_COMM_WORLD_LOCAL_SIZE", env.get("MPI_LOCALNRANKS")) == str(count)
        if not alone:
            remedy = "pass `-x MASTER_ADDR` to mpirun, or give --address"
            raise Fault(USAGE, f"{count} members, and nothing says where they meet", (), remedy)
        host = "127.0.0.1"
    return Member(
        number,
        count,
        unit,
        socket.gethostname(),
        env.get("NODE_NAME", ""),
        os.getpid(),
        host or found[0],
        int(port) if port else (found[1] or DEFAULT_PORT) + PORT_ABOVE,
    )
