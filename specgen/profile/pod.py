"""What can be said of a pod, its containers, and one role. The docstring under a field is its description."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from specgen.profile.env import Env, EnvFrom
from specgen.profile.mount import File, Mount
from specgen.profile.resources import Resources
from specgen.profile.words import (
    AbsolutePath,
    Count,
    DnsName,
    Duration,
    LabelKey,
    LabelValue,
    Name,
    Port,
    Positive,
    Raw,
    Weight,
    Words,
    each,
)

Text = str


class Pull(Words):
    """How the image is pulled."""

    policy: (
        Annotated[
            Literal["Always", "IfNotPresent", "Never"],
            each(
                "at each start: what the tag means now",
                "where the node has none of this name",
                "never: the node must have it",
            ),
        ]
        | None
    ) = None
    """When the node pulls the image."""
    secrets: list[DnsName] = Field(default_factory=list)
    """Secrets with the credentials of the registry."""


TaintEffect = Annotated[
    Literal["NoSchedule", "PreferNoSchedule", "NoExecute"],
    each("no new pod comes here", "one comes if there is no other place", "none comes, and those that run here leave"),
]


class Toleration(Words):
    """A taint that the pods bear, keyed by the taint's name."""

    value: str | None = None
    """Value that the taint must have; any, if not said."""
    effect: TaintEffect | None = None
    """Effect of the taint that is borne; every effect, if not said."""
    seconds: Count | None = None
    """How long pods bear it that run already, of `NoExecute` alone; as long as the taint stands, if not said."""


class Spread(Words):
    """How pods lie apart: one of `job`, `prefer`, and `over`."""

    job: Literal["host"] | None = None
    """`host`: no two pods of the job on one node, launchers and parameter servers included."""
    prefer: str | None = Field(default=None, examples=["host"])
    """No two pods that train in one host, rack, ..., if possible."""
    over: str | None = Field(default=None, examples=["rack"])
    """Evenly over zones, racks, ...: a word of the cluster's topology."""
    domains: Positive | None = None
    """With `over`: over so many of them at least."""
    skew: Positive | None = None
    """With `over`: by how many pods they may differ; 1 if not said."""


class PodScheduling(Words):
    """Where pods run."""

    pool: str | None = Field(default=None, examples=["h100"])
    """A pool of the cluster profile."""
    hosts: list[str] = Field(default_factory=list)
    """Run on these nodes only."""
    avoid_hosts: list[str] = Field(default_factory=list)
    """Do not run on these nodes."""
    node_labels: dict[LabelKey, str | list[str]] = Field(default_factory=dict)
    """Labels that a node must have; a list means one of them, `"*"` that the label exists."""
    prefer_labels: dict[LabelKey, str | list[str] | dict[str, Weight | None]] = Field(
        default_factory=dict, examples=[{"nvidia.com/gpu.product": {"H200": 100, "H100": 50}}]
    )
    """Labels that a node should have if possible: a value, a list of them, or each value with its weight to 100."""
    tolerations: dict[str, Toleration] = Field(default_factory=dict)
    """Taints that the pods bear, by the taint's name; `"*"` for all."""
    scheduler: str | None = None
    """Name of the scheduler."""
    spread: Literal["host"] | Spread | None = None
    """`host`: no two pods that train on one node; `{prefer: host}`: if possible; `{over: rack}`: evenly over racks."""
    slices: dict[str, Positive] = Field(default_factory=dict, examples=[{"rack": 18}])
    """So many pods at a time in one rack, ...: a word of the cluster's topology, for a gang of Kueue."""
    within: str | None = Field(default=None, examples=["rack"])
    """All pods in one zone, rack, ...: a word of the cluster's topology."""
    near: str | None = None
    """The same, if possible."""


class CapabilitySet(Words):
    """Linux capabilities to add and to drop."""

    add: list[str] = Field(default_factory=list)
    """Capabilities that the program gets, such as `IPC_LOCK`."""
    drop: list[str] = Field(default_factory=list)
    """Capabilities taken from the program, such as `ALL`."""


class Security(Words):
    """Who the program is to the node, and what it may do."""

    user: Count | None = None
    """User ID that the program runs under, such as 1000; 0 is root."""
    group: Count | None = None
    """Primary group ID of the program."""
    fs_group: Count | None = None
    """Group ID that owns the files of mounted volumes."""
    non_root: bool | None = None
    """Refuse to start as root."""
    privileged: bool | None = None
    """Give the program every device and right of the node."""
    escalation: bool | None = None
    """Whether the program may gain rights that its parent lacks, as `sudo` does."""
    capabilities: list[str] | CapabilitySet | None = None
    """Capabilities to add, or `{add, drop}`."""
    seccomp: str | None = None
    """`RuntimeDefault`, `Unconfined`, or the path of a profile on the node."""
    read_only_root: bool | None = None
    """Let nothing be written into the image's own file system."""


class HostAlias(Words):
    """A line of `/etc/hosts`."""

    ip: str
    """Address that the names stand for, such as `10.0.0.7`."""
    hostnames: list[str]
    """Names that resolve to the address."""


class PodFields(Words):
    """Odd fields of the pod in Kubernetes' spelling."""

    service_account_name: DnsName | None = None
    """Account that the pod uses to speak to the API server."""
    automount_service_account_token: bool | None = None
    """Whether the account's token is mounted into the containers."""
    enable_service_links: bool | None = None
    """Whether every Service of the namespace becomes variables of the containers."""
    runtime_class_name: DnsName | None = None
    """Container runtime of the pod, such as `nvidia`."""
    host_network: bool | None = None
    """Use the node's network; ports of the program are then ports of the node."""
    host_ipc: bool | None = Field(default=None, alias="hostIPC")
    """Share memory segments and semaphores with the node."""
    host_pid: bool | None = Field(default=None, alias="hostPID")
    """See and signal the processes of the node."""
    dns_policy: Literal["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"] | None = None
    """Where the pod resolves names; `ClusterFirstWithHostNet` goes with `hostNetwork`."""
    host_aliases: list[HostAlias] = Field(default_factory=list)
    """Lines added to `/etc/hosts`."""
    share_process_namespace: bool | None = None
    """Let the containers of the pod see each other's processes."""


class Container(Words):
    """A container beside the program. It sees the pod's mounts unless it lists its own."""

    image: str | None = None
    """Image of this container; the training container's if not said."""
    pull: Pull | None = None
    """How this image is pulled."""
    command: list[Text] | None = None
    """The container's program; replaces the image's entrypoint."""
    args: list[Text] | None = None
    """Arguments of the program."""
    workdir: AbsolutePath | None = None
    """Directory in which the program starts."""
    env: Env = Field(default_factory=dict)
    """Variables of this container, which has none of the job's."""
    mounts: dict[AbsolutePath, Mount] | None = None
    """Path in this container → what appears there; the pod's mounts if not said."""
    resources: Resources | None = None
    """CPU, memory, devices, and claims of this container; HCAs and shared memory are the program's."""
    security: Security | None = None
    """User, group, and rights of this container."""


class PodPatch(Words):
    """Fields that the profile has no word for, in Kubernetes' spelling, merged as Kubernetes merges."""

    pod: Raw | None = None
    """The pod template."""
    container: Raw | None = None
    """The training container."""


class PodWords(Words):
    """What can be said of all pods, or of one role."""

    image: str | None = Field(default=None, examples=["pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime"])
    """Image of the training container."""
    pull: Pull | None = None
    """How the image is pulled, and with which credentials."""
    command: list[Text] | None = Field(default=None, examples=[["python", "train.py", "--epochs", "90"]])
    """The program; replaces the image's entrypoint."""
    args: list[Text] | None = None
    """Its arguments, where they differ by role or the entrypoint is the image's."""
    workdir: AbsolutePath | None = None
    """Directory in which the program starts; the image's own if not said."""
    prepare: str | None = None
    """Shell text that runs in each pod before the program, such as `pip install …`."""
    resources: Resources = Field(default_factory=Resources)
    """Devices, CPU, and memory of each pod."""
    env: Env = Field(
        default_factory=dict, examples=[{"OMP_NUM_THREADS": "8", "WANDB_API_KEY": {"secret": "wandb", "key": "token"}}]
    )
    """Variables of the training process, and of no container beside it: text, or where the value comes from."""
    env_from: list[EnvFrom] = Field(default_factory=list)
    """Secrets and ConfigMaps whose entries all become variables."""
    mounts: dict[AbsolutePath, Mount] = Field(
        default_factory=dict,
        examples=[
            {"/data": {"storage": "datasets", "readOnly": True}, "/scratch": {"scratch": "tmp", "size": "100Gi"}}
        ],
    )
    """Path in the container → what appears there."""
    files: dict[AbsolutePath, File] = Field(default_factory=dict)
    """Path in the container → file that the job carries."""
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    """Labels of the pods."""
    annotations: dict[LabelKey, str] = Field(default_factory=dict)
    """Annotations of the pods."""
    ports: dict[Name, Port] = Field(default_factory=dict, examples=[{"metrics": 9090}])
    """Ports of the training container by name, such as `metrics: 9090`."""
    security: Security = Field(default_factory=Security)
    """User, group, and rights of the training container."""
    pod: PodFields = Field(default_factory=PodFields)
    """Odd fields of the pod in Kubernetes' spelling, such as `hostNetwork`."""
    init: dict[Name, Container] = Field(default_factory=dict)
    """Containers that run before the program, by name."""
    sidecars: dict[Name, Container] = Field(default_factory=dict)
    """Containers that run beside the program, by name; with its image and mounts, unless they say others."""
    vars: dict[str, str] = Field(default_factory=dict)
    """Texts for `$<name>` in strings of this profile."""


class RoleLifecycle(Words):
    """What may differ by role."""

    restart: (
        Annotated[
            Literal["Always", "OnFailure", "Never", "ExitCode"],
            each(
                "whatever its end, a success too",
                "after a failure, in its place",
                "never: the operator decides what a failed pod does; a Job makes another, unless `restarts: 0` is said",
                "after a signal or another exit code of a failure that may pass",
            ),
        ]
        | None
    ) = None
    """When a pod that ended starts again."""
    grace: Duration | None = None
    """Time from the request to stop to the kill, such as `5m`; torchrun kills after 30 s by itself (SG498)."""
    pre_stop: list[Text] | None = Field(default=None, examples=[["python", "save.py"]])
    """Command that runs in the training container before the request to stop; `grace` counts from its start."""


class Role(PodWords):
    """One role's own words, laid over those of the job."""

    pods: Positive | None = None
    """How many; only for roles that have a count of their own (`ps`, `evaluator`)."""
    scheduling: PodScheduling = Field(default_factory=PodScheduling)
    """Where the pods of this role run."""
    lifecycle: RoleLifecycle = Field(default_factory=RoleLifecycle)
    """How the pods of this role end and begin again."""
    patch: PodPatch | None = None
    """Fields that the profile has no word for, merged into this role's pods."""
