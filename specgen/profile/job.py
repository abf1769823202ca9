"""What a person writes about a job. Every field is optional in a layer; ``resolve`` says what must be there in the end.

The docstring under a field is its description in the schema and in editors. Field order is the order of the page. What
can be said of pods, and so of a role, stands in ``pod``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from specgen.profile.pod import (
    PodPatch,
    PodScheduling,
    PodWords,
    Role,
    RoleLifecycle,
)
from specgen.profile.words import (
    AbsolutePath,
    Count,
    Date,
    DnsName,
    Duration,
    EnvName,
    FindingCode,
    LabelKey,
    LabelValue,
    Name,
    Port,
    Positive,
    Raw,
    Version,
    Words,
)


class JobScheduling(PodScheduling):
    """Where pods run, and as what group."""

    gang: bool | Literal["volcano", "coscheduling", "kueue", "kai", "yunikorn"] | None = None
    """Start all pods together or none: true, false, or a scheduler's name."""
    queue: str | None = None
    priority: str | None = None


class JobPatch(PodPatch):
    """Fields that the profile has no word for, in Kubernetes' spelling, merged as Kubernetes merges."""

    job: Raw | None = None
    """The whole job object."""
    runtime: Raw | None = None
    """The TrainingRuntime of a TrainJob."""


class Roles(Words):
    """Roles that differ."""

    master: Role | None = None
    worker: Role | None = None
    chief: Role | None = None
    ps: Role | None = None
    evaluator: Role | None = None
    launcher: Role | None = None
    scheduler: Role | None = None


Kind = Literal["PyTorchJob", "TFJob", "MPIJob", "MSJob", "TrainJob"]


class TargetChoice(Words):
    """A kind with its version, or a runtime of the cluster."""

    kind: Kind
    version: Literal["v1", "v2beta1", "v1alpha1"] | None = None
    runtime: DnsName | None = None


class Ssh(Words):
    """sshd and ssh under MPI, for images without root."""

    port: Port | None = None
    keys: AbsolutePath | None = None
    """Where the operator mounts the keys."""
    config: AbsolutePath | None = None
    """sshd's configuration file."""
    server: list[str] = Field(default_factory=list)
    """Options of sshd, as `Name=value`."""
    client: list[str] = Field(default_factory=list)
    """Options of ssh, as `Name=value`."""


Starter = Literal["none", "self", "torchrun", "mpirun", "horovodrun"]


class StartChoice(Words):
    """Who starts the processes of a pod, and how."""

    by: Starter
    path: str | None = None
    """The starter's own path, or the words that call it."""
    options: list[str] = Field(default_factory=list)
    """Options of the starter, written as they stand."""
    bind: str | None = None
    map_by: str | None = None
    hostfile: AbsolutePath | None = None
    implementation: Literal["OpenMPI", "Intel", "MPICH"] | None = None
    wait: bool | None = None
    """Whether the launcher waits for its workers."""
    launcher_trains: bool | None = None
    forward: list[EnvName] | None = None
    """Variables of the image that travel to the ranks; `PATH` and `LD_LIBRARY_PATH` if not said."""
    ssh: Ssh | None = None


class Communication(Words):
    """What the processes talk with."""

    library: Literal["nccl", "gloo", "mpi", "hccl", "none"] | None = None
    """Follows from the devices if not said."""
    version: Version | None = None
    """An NCCL of the cluster profile's list; it is preloaded."""
    path: AbsolutePath | None = None
    """The NCCL library itself; it is preloaded."""
    rdma: bool | None = None
    """false: never RDMA, even with an HCA."""
    nvlink: bool | None = None
    """NVLink across pods."""


class Rendezvous(Words):
    """Where elastic workers meet."""

    backend: Literal["c10d", "etcd", "etcd-v2"] | None = None
    host: str | None = None
    port: Port | None = None


class ScaleOn(Words):
    """The autoscaler's target."""

    cpu: Annotated[int, Field(ge=1, le=1000)]
    """Percent of the CPU requests."""


class Elastic(Words):
    """A number of pods that changes while the job runs."""

    min: Positive | None = None
    max: Positive | None = None
    restarts: Count | None = None
    rendezvous: Rendezvous | None = None
    scale_on: ScaleOn | None = None


class Lifecycle(RoleLifecycle):
    """How the job ends and begins again."""

    backoff_limit: Count | None = None
    """Restarts after which the job fails."""
    clean_pods: Literal["None", "Running", "All"] = "Running"
    """Which pods go when the job ends."""
    ttl: Duration | None = None
    """How long the finished job stays."""
    deadline: Duration | None = None
    """How long the job may run."""
    suspend: bool | None = None
    success: Literal["AllWorkers"] | None = None


class Dataset(Words):
    """Data or a model that the program reads."""

    path: AbsolutePath
    """Where the program finds it; must lie under a mount."""
    uri: str | None = None
    """Where an initialiser fetches it."""
    secret: DnsName | None = None
    offline: bool = False
    """It is there already; nothing downloads it."""


class Ignore(Words):
    """Why a finding is left unreported, and until when."""

    reason: str
    until: Date | None = None


class JobWords(PodWords):
    """Everything but the envelope."""

    cluster: str | None = None
    """Path of the cluster profile; `--cluster` replaces it."""
    target: Kind | TargetChoice | None = None
    """What the profile compiles to."""
    pods: Positive = 1
    """Pods that train."""
    procs_per_pod: Positive | None = None
    """Processes in each pod: as many as GPUs where something starts them, else 1."""
    roles: Roles = Field(default_factory=Roles)
    start: Starter | StartChoice | None = None
    """Who starts the processes of a pod."""
    communication: Communication = Field(default_factory=Communication)
    elastic: Elastic | None = None
    lifecycle: Lifecycle = Field(default_factory=Lifecycle)
    scheduling: JobScheduling = Field(default_factory=JobScheduling)
    dataset: Dataset | None = None
    model: Dataset | None = None
    objects: list[str | Raw] = Field(default_factory=list)
    """Further objects of the job: paths of files, or the objects themselves."""
    patch: JobPatch | None = None


class PartialMetadata(Words):
    """Of the job object: labels also go on its pods, annotations do not."""

    name: Name | None = None
    namespace: Name | None = None
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    annotations: dict[LabelKey, str] = Field(default_factory=dict)


class Metadata(PartialMetadata):
    """Of the job object: labels also go on its pods, annotations do not."""

    name: Name


class Layer(JobWords):
    """The words of a job without its envelope: a variant, or the defaults of a cluster."""

    metadata: PartialMetadata = Field(default_factory=PartialMetadata)


class JobProfile(JobWords):
    """A training job."""

    api_version: Literal["specgen/v1"]
    kind: Literal["Job"]
    metadata: Metadata
    extends: str | list[str] | None = None
    """Profiles that this one builds on, weakest first."""
    variants: dict[Name, Layer] = Field(default_factory=dict)
    """Jobs `name-variant` that differ from this one."""
    ignore: dict[FindingCode, str | Ignore] = Field(default_factory=dict)
    """Warnings and notes left unreported: code → the reason, or `{reason, until}`."""


class BaseProfile(JobWords):
    """What several jobs share."""

    api_version: Literal["specgen/v1"]
    kind: Literal["Base"]
    metadata: PartialMetadata = Field(default_factory=PartialMetadata)
    extends: str | list[str] | None = None
    """Profiles that this one builds on, weakest first."""
