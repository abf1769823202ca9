"""What a person writes about a job. Every field is optional in a layer; ``resolve`` says what must be there in the end.

The docstring under a field is its description in the schema and in editors. Field order is the order of the page. What
can be said of pods, and so of a role, stands in ``pod``; of targets and starters, in ``start``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from specgen.profile.index import Kind
from specgen.profile.pod import PodPatch, PodScheduling, PodWords, Role, RoleLifecycle
from specgen.profile.start import Communication, StartChoice, Starter, TargetChoice
from specgen.profile.words import (
    AbsolutePath,
    Count,
    Date,
    DnsName,
    Duration,
    FindingCode,
    LabelKey,
    LabelValue,
    Name,
    NamePrefix,
    Port,
    Positive,
    QueueName,
    Raw,
    Words,
    each,
)


class JobScheduling(PodScheduling):
    """Where pods run, and as what group."""

    gang: bool | Literal["volcano", "coscheduling", "kueue", "kai", "yunikorn"] | None = None
    """Start all pods together or none: true, false, or a scheduler's name."""
    queue: QueueName | None = None
    """Queue of the gang scheduler that the job waits in."""
    priority: str | None = None
    """PriorityClass of the pods, or under Kueue a WorkloadPriorityClass."""
    managed_by: LabelKey | None = Field(default=None, examples=["kueue.x-k8s.io/multikueue"])
    """Controller that the operator leaves the job to, such as `kueue.x-k8s.io/multikueue` for another cluster."""


class JobPatch(PodPatch):
    """Fields that the profile has no word for, in Kubernetes' spelling, merged as Kubernetes merges."""

    job: Raw | None = None
    """The whole job object. Lists of pods are merged by name; others, such as `replicatedJobs`, are replaced."""
    runtime: Raw | None = None
    """The TrainingRuntime of a TrainJob."""


class Roles(Words):
    """Roles that differ."""

    master: Role | None = None
    """Rank 0 of a PyTorchJob or VolcanoJob, or the master of a TFJob; null in a PyTorchJob: all pods are workers."""
    worker: Role | None = None
    """The pods that train beside the first one, or all of them."""
    chief: Role | None = None
    """The worker of a TFJob that also writes checkpoints, one of `pods`; with `ps` in TensorFlow 2 it coordinates."""
    ps: Role | None = None
    """Parameter servers; without GPUs and other devices, unless they say their own."""
    evaluator: Role | None = None
    """Pods of a TFJob that evaluate checkpoints, beside `pods`; with the job's GPUs unless they say their own."""
    launcher: Role | None = None
    """The pod that calls mpirun."""
    scheduler: Role | None = None
    """The pod of an MSJob that brings its workers together."""


class Rendezvous(Words):
    """Where elastic workers meet."""

    backend: (
        Annotated[
            Literal["c10d", "etcd", "etcd-v2"],
            each(
                "a worker holds it, no server is needed", "an etcd, by torch's older way", "an etcd, by its newer way"
            ),
        ]
        | None
    ) = None
    """Store in which the workers meet; `c10d` needs no server of its own."""
    host: str | None = None
    """Host of the store; the first worker if not said, whose node takes the store along when it is lost."""
    port: Port | None = None
    """Port of the store."""


class ScaleOn(Words):
    """The autoscaler's target."""

    cpu: Annotated[int, Field(ge=1, le=1000)]
    """Percent of the CPU requests."""


class Elastic(Words):
    """A number of pods that changes while the job runs."""

    min: Positive | None = None
    """Fewest pods that the job goes on with; `pods` if not said."""
    max: Positive | None = None
    """Most pods that the job may grow to; `pods` if not said."""
    restarts: Count | None = None
    """How often torchrun meets again before a pod fails, 0 if not said; the job fails by `lifecycle.restarts`."""
    rendezvous: Rendezvous | None = None
    """Where the workers meet."""
    scale_on: ScaleOn | None = None
    """What an autoscaler changes the number of pods by; nothing if not said."""


class Lifecycle(RoleLifecycle):
    """How the job ends and begins again."""

    restarts: Count | None = None
    """Incidents that the job goes on after, however many pods each of them ends; the operator's limit follows."""
    backoff_limit: Count | None = None
    """Restarts of containers, all pods together, after which the job fails; `restarts` does this sum."""
    restart_all: Count | None = None
    """How often all pods start again together when one has failed; Trainer, JobSet, and Volcano can."""
    clean_pods: Annotated[
        Literal["None", "Running", "All"],
        each(
            "none: those that still run keep their GPUs",
            "those that still run; the others stay, and their logs with them",
            "all, and their logs with them",
        ),
    ] = "Running"
    """Which pods go when the job ends."""
    ttl: Duration | None = Field(default=None, examples=["1h", "7d"])
    """How long the finished job stays."""
    deadline: Duration | None = Field(default=None, examples=["12h"])
    """How long the job may run; where the operator looks only when a pod changes, the pods have it too, and end."""
    suspend: bool | None = None
    """Create the job without its pods; it starts when this becomes false."""
    success: Literal["AllWorkers"] | None = None
    """When the job has succeeded; `AllWorkers`: once every worker has, for kinds that offer it."""


class Dataset(Words):
    """Data or a model that the program reads."""

    path: AbsolutePath
    """Where the program finds it; must lie under a mount."""
    uri: str | None = None
    """Where an initialiser fetches it."""
    secret: DnsName | None = None
    """Secret with the credentials for `uri`."""
    offline: bool = False
    """It is there already; for readers, nothing is derived from it yet."""


class Ignore(Words):
    """Why a finding is left unreported, and until when."""

    reason: str
    """Why the finding does not matter here."""
    until: Date | None = None
    """Day after which it is reported again, such as `2027-01-31`."""


class JobWords(PodWords):
    """Everything but the envelope."""

    cluster: str | None = None
    """Path of the cluster profile; `--cluster` replaces it."""
    target: Kind | TargetChoice | None = Field(
        default=None, examples=["PyTorchJob", {"kind": "MPIJob", "version": "v2beta1"}]
    )
    """What the profile compiles to."""
    pods: Positive = 1
    """Pods that train, a master or chief among them."""
    procs_per_pod: (
        Positive
        | Annotated[
            Literal["auto", "gpu", "cpu"],
            each(
                "the GPUs that torchrun sees, CPUs where it sees none", "the GPUs that it sees", "the CPUs that it sees"
            ),
        ]
        | None
    ) = None
    """Processes in each pod: as many as GPUs where something starts them, else 1; by a word, torchrun counts."""
    roles: Roles = Field(default_factory=Roles)
    """What differs between the roles of the job's pods; said below the role, it wins over the job's own words."""
    start: Starter | StartChoice | None = None
    """Who starts the processes of a pod."""
    guard: bool | None = None
    """Run the program behind the trainer's guard: absent or stuck ranks are named, all pods end with one exit code."""
    communication: Communication = Field(default_factory=Communication)
    """What the processes talk with: NCCL, Gloo, MPI, or HCCL, and whether over RDMA."""
    elastic: Elastic | None = None
    """Lets the number of pods change while the job runs."""
    lifecycle: Lifecycle = Field(default_factory=Lifecycle)
    """How the job ends, begins again, and is cleaned up."""
    scheduling: JobScheduling = Field(default_factory=JobScheduling)
    """Where the pods run, and whether they start together."""
    dataset: Dataset | None = None
    """Data that the program reads."""
    model: Dataset | None = None
    """Model that the program starts from."""
    objects: list[str | Raw] = Field(default_factory=list)
    """Further objects of the job: paths of files, or the objects themselves."""
    patch: JobPatch | None = None
    """Fields that the profile has no word for, in Kubernetes' spelling."""


class Metadata(Words):
    """Of the job object: labels also go on its pods, annotations do not."""

    name: Name | None = None
    """Name of the job; pods are named after it."""
    generate_name: NamePrefix | None = Field(default=None, examples=["sweep-"])
    """In place of `name`: what it begins with; each `kubectl create` makes another job, `apply` and GitOps none."""
    suffix: Literal["hash"] | None = None
    """`hash`: the name ends in a hash of the manifests, so that a changed job is a new one; `$<name>` is without it."""
    namespace: Name | None = None
    """Namespace of the job; the one of `kubectl` if not said."""
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    """Labels of the job and its pods, such as `team: vision`."""
    annotations: dict[LabelKey, str] = Field(default_factory=dict)
    """Annotations of the job object alone."""


class Layer(JobWords):
    """The words of a job without its envelope: a variant, or the defaults of a cluster."""

    metadata: Metadata = Field(default_factory=Metadata)
    """Namespace, labels, and annotations that are added to the job's."""


class Extended(JobWords):
    """Words of a job with what they build on, and what is built of them besides."""

    extends: str | list[str] | None = None
    """Profiles that this one builds on, weakest first: of `kind: Base`, which say a part, or other jobs."""
    variants: dict[Name, Layer] = Field(default_factory=dict)
    """Further jobs `name-variant` beside this one, or alone by `variantsOnly`; null leaves one of a base out."""
    matrix: dict[Name, dict[Name, Layer | None]] = Field(
        default_factory=dict,
        examples=[{"team": {"vision": {"metadata": {"namespace": "vision"}}}, "size": {"small": {"pods": 2}}}],
    )
    """Axes of variants: a job `vision-small` for each choice; axes that share a list say their parts by `vars`."""
    variants_only: bool = False
    """Whether the variants alone are built, and not the job without any."""


class JobProfile(Extended):
    """A training job."""

    api_version: Literal["specgen/v1"]
    """Version of the profile's language: always `specgen/v1`."""
    kind: Literal["Job"]
    """`Job`: a profile that compiles to a training job."""
    metadata: Metadata
    """Name, namespace, labels, and annotations of the job."""
    ignore: dict[FindingCode, str | Ignore] = Field(
        default_factory=dict, json_schema_extra={"x-specgen-unlayered": True}
    )
    """Warnings and notes left unreported: code → the reason, or `{reason, until}`."""


class BaseProfile(Extended):
    """What several jobs share."""

    api_version: Literal["specgen/v1"]
    """Version of the profile's language: always `specgen/v1`."""
    kind: Literal["Base"]
    """`Base`: a profile that others extend, which compiles to nothing by itself."""
    metadata: Metadata = Field(default_factory=Metadata)
    """Namespace, labels, and annotations of the jobs that extend this profile."""
