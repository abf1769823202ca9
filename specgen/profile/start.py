"""What a job compiles to, who starts its processes, and what they talk with. See ``pod`` for the docstrings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from specgen.profile.index import Kind, KindVersion
from specgen.profile.words import AbsolutePath, DnsName, EnvName, Port, Version, Words, each


class TargetChoice(Words):
    """A kind with its version, or a runtime of the cluster."""

    kind: Kind | None = None
    """Kind of the job object, such as `PyTorchJob`; a weaker layer may say it."""
    version: KindVersion | None = None
    """Version of its API, such as `v2beta1` of MPIJob; the newest that is known, if not said."""
    runtime: DnsName | None = None
    """Runtime of the cluster that a TrainJob names, such as `torch-distributed`."""


class Ssh(Words):
    """sshd and ssh under MPI, for images without root."""

    port: Port | None = None
    """Port on which sshd listens in the workers; above 1023 without root."""
    keys: AbsolutePath | None = None
    """Where the operator mounts the keys."""
    config: AbsolutePath | None = None
    """sshd's configuration file."""
    server: list[str] = Field(default_factory=list)
    """Options of sshd, as `Name=value`."""
    client: list[str] = Field(default_factory=list)
    """Options of ssh, as `Name=value`."""


Starter = Annotated[
    Literal["none", "self", "torchrun", "accelerate", "mpirun", "horovodrun", "runtime"],
    each(
        "nobody: `command` is the one process of a pod",
        "`command` itself, as it calls torchrun or another starter: no line is added",
        "`torchrun`, in each pod with a process for each GPU: `command` begins with `python`",
        "`accelerate launch`, in each pod",
        "`mpirun` in a pod of its own, all ranks in all pods",
        "`horovodrun`, in a pod of its own",
        "the command of the runtime that a TrainJob names",
    ),
]


class StartChoice(Words):
    """Who starts the processes of a pod, and how."""

    by: Starter | None = None
    """The program that starts them; the kind's own if not said."""
    path: str | None = None
    """The starter's own path, or the words that call it."""
    entrypoint: bool | None = None
    """Whether the whole line goes to the image's entrypoint, as its arguments, instead of taking its place."""
    options: list[str] = Field(default_factory=list)
    """Options of the starter, written as they stand."""
    bind: str | None = None
    """mpirun's `--bind-to`: what a rank is bound to, such as `none` or `core`."""
    map_by: str | None = None
    """mpirun's `--map-by`: how ranks are placed, such as `slot`."""
    hostfile: AbsolutePath | None = None
    """Path of mpirun's host file; the operator's own if not said."""
    implementation: Literal["OpenMPI", "Intel", "MPICH"] | None = None
    """The MPI in the image, which decides how options and host files are written."""
    wait: bool | None = None
    """Whether the launcher waits for its workers."""
    launcher_trains: bool | None = None
    """Whether the launcher's pod runs ranks itself."""
    forward: list[EnvName] | None = None
    """Variables of the image that travel to the ranks; `PATH` and `LD_LIBRARY_PATH` if not said."""
    keep: list[EnvName] | None = None
    """Variables of `env` that stay in the containers of launcher and workers, and do not travel to the ranks."""
    ssh: Ssh | None = None
    """sshd and ssh, for images without root."""


class Communication(Words):
    """What the processes talk with."""

    library: (
        Annotated[
            Literal["nccl", "gloo", "mpi", "hccl", "none"],
            each("NVIDIA's, and RCCL of AMD", "PyTorch's own, for CPUs", "MPI's own", "Ascend's", "nothing is set"),
        ]
        | None
    ) = None
    """Follows from the devices if not said."""
    version: Version | None = Field(default=None, examples=["2.27.3"])
    """An NCCL of the cluster profile's list; it is preloaded."""
    path: AbsolutePath | None = None
    """The NCCL library itself; it is preloaded."""
    rdma: bool | None = None
    """false: never RDMA, even with an HCA."""
    nvlink: bool | None = None
    """NVLink across pods."""
