"""What can be said of a pod, its containers, and one role. The docstring under a field is its description."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from specgen import nccl
from specgen.profile.words import (
    AbsolutePath,
    Count,
    DnsName,
    Duration,
    EnvName,
    LabelKey,
    LabelValue,
    Memory,
    Milli,
    Name,
    Port,
    Positive,
    Raw,
    ResourceName,
    Words,
)

Cores = Annotated[int, Field(ge=0)] | Annotated[float, Field(ge=0)] | Milli
Text = str


class Pull(Words):
    """How the image is pulled."""

    policy: Literal["Always", "IfNotPresent", "Never"] | None = None
    """When the node pulls the image."""
    secrets: list[Name] = Field(default_factory=list)
    """Secrets with the credentials of the registry."""


class CoresRange(Words):
    """A request and a limit that differ."""

    request: Cores | None = None
    limit: Cores | None = None


class MemoryRange(Words):
    """A request and a limit that differ."""

    request: Memory | None = None
    limit: Memory | None = None


class Claim(Words):
    """A resource claim of the pod (dynamic resource allocation)."""

    template: Name | None = None
    """A ResourceClaimTemplate of the namespace."""
    claim: Name | None = None
    """A ResourceClaim of the namespace, shared by all pods."""


class Resources(Words):
    """What one pod gets. An amount is request and limit; `{request: 2}` or `{limit: 4}` sets one of them."""

    gpu: Count | None = None
    """GPUs of one pod."""
    npu: Count | None = None
    """NPUs of one pod."""
    hca: Count | Literal["auto"] | None = None
    """HCAs of one pod; `auto`: those that belong to the GPUs asked for."""
    cpu: Cores | CoresRange | None = None
    """CPU cores, whole, with a fraction, or as `500m`."""
    memory: Memory | MemoryRange | None = None
    """Main memory."""
    shm: Memory | Literal["auto", "host", "none"] | None = None
    """Size of `/dev/shm`; `auto`: as much as the pod may use; `host`: the node's own; `none`: 64 MiB."""
    disk: Memory | MemoryRange | None = None
    """Ephemeral storage of the node."""
    hugepages: Memory | dict[Literal["2Mi", "1Gi"], Memory] | None = None
    """Huge pages: an amount in pages of 2Mi, or amounts by page size."""
    claims: dict[Name, Claim] = Field(default_factory=dict)
    """Resource claims by name."""
    other: dict[ResourceName, Count] = Field(default_factory=dict)
    """Any other extended resource by its name."""


class EnvSource(Words):
    """A value that is not written here: exactly one of secret, configMap, field, resource, and prepend."""

    secret: DnsName | None = None
    """Name of a Secret; `key` says which entry."""
    config_map: DnsName | None = None
    """Name of a ConfigMap; `key` says which entry."""
    key: str | None = None
    optional: bool | None = None
    """Start without the variable where the entry is missing."""
    field: str | None = None
    """A field of the pod, such as `status.podIP`."""
    resource: str | None = None
    """An amount of the container, such as `limits.cpu`."""
    prepend: str | None = None
    """Text put before the image's own value, with a colon between."""


def _known_variables(env: dict[str, str | EnvSource]) -> dict[str, str | EnvSource]:
    for name, value in env.items():
        # A `$<name>` is judged once it is replaced.
        if isinstance(value, str) and "$<" not in value and (fault := nccl.fault(name, value)):
            raise ValueError(fault)
    return env


Env = Annotated[
    dict[EnvName, str | EnvSource],
    AfterValidator(_known_variables),
    Field(json_schema_extra={"x-specgen-variables": "nccl"}),
]


class EnvFrom(Words):
    """All entries of a Secret or a ConfigMap as variables: exactly one of the two."""

    secret: DnsName | None = None
    config_map: DnsName | None = None
    prefix: str | None = None
    optional: bool | None = None


class VolumeCreate(Words):
    """A claim made beside the job."""

    size: Memory
    class_: str | None = Field(default=None, alias="class")
    """Storage class; an empty text means none."""
    access: Literal["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"] = "ReadWriteMany"
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    volume: Raw | None = None
    """The source of a PersistentVolume that is made as well, in Kubernetes' spelling."""


class Nfs(Words):
    """A directory of an NFS server."""

    server: str
    path: AbsolutePath


class Mount(Words):
    """What appears at a path of the container: exactly one source word."""

    storage: str | None = None
    """A file system that the cluster profile names."""
    pvc: DnsName | None = None
    """A PersistentVolumeClaim."""
    create: VolumeCreate | None = None
    """With `pvc`: make the claim beside the job."""
    host_path: AbsolutePath | None = None
    """A directory of the node."""
    type: (
        Literal["Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket", "CharDevice", "BlockDevice"] | None
    ) = None
    """With `hostPath`: what must be there; `Directory` if not said."""
    scratch: Name | None = None
    """An empty volume by name; the same name is the same volume."""
    size: Memory | None = None
    """With `scratch`: its size limit."""
    memory: bool | None = None
    """With `scratch`: in memory."""
    config_map: DnsName | None = None
    secret: DnsName | None = None
    items: dict[str, str] = Field(default_factory=dict)
    """With `configMap` or `secret`: entry → file name; all entries if not said."""
    mode: Annotated[int, Field(ge=0, le=511)] | None = None
    """With `configMap` or `secret`: permission bits of the files, as a decimal number."""
    nfs: Nfs | None = None
    volume: Raw | None = None
    """Any other volume source in Kubernetes' spelling."""
    read_only: bool = False
    sub_path: str | None = None


class File(Words):
    """A file that the job carries: exactly one of from and text."""

    from_: str | None = Field(default=None, alias="from")
    """Path of the file, counted from this profile."""
    text: str | None = None
    mode: Annotated[int, Field(ge=0, le=511)] | None = None


class Toleration(Words):
    """A taint that the pods bear, keyed by the taint's name."""

    value: str | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None


class SpreadJob(Words):
    """Spread over all pods of the job, whatever their role."""

    job: Literal["host"]


class PodScheduling(Words):
    """Where pods run."""

    pool: str | None = None
    """A pool of the cluster profile."""
    hosts: list[str] = Field(default_factory=list)
    """Run on these nodes only."""
    avoid_hosts: list[str] = Field(default_factory=list)
    """Do not run on these nodes."""
    node_labels: dict[LabelKey, str | list[str]] = Field(default_factory=dict)
    """Labels that a node must have; a list means one of them, `"*"` that the label exists."""
    tolerations: dict[str, Toleration] = Field(default_factory=dict)
    """Taints that the pods bear, by the taint's name; `"*"` for all."""
    scheduler: str | None = None
    """Name of the scheduler."""
    spread: Literal["host"] | SpreadJob | None = None
    """`host`: no two pods of the role on one node; `{job: host}`: of the job."""
    within: str | None = None
    """All pods in one zone, rack, ...: a word of the cluster's topology."""
    near: str | None = None
    """The same, if possible."""


class CapabilitySet(Words):
    """Linux capabilities to add and to drop."""

    add: list[str] = Field(default_factory=list)
    drop: list[str] = Field(default_factory=list)


class Security(Words):
    """Who the program is to the node, and what it may do."""

    user: Count | None = None
    group: Count | None = None
    fs_group: Count | None = None
    non_root: bool | None = None
    privileged: bool | None = None
    escalation: bool | None = None
    capabilities: list[str] | CapabilitySet | None = None
    """Capabilities to add, or `{add, drop}`."""
    seccomp: str | None = None
    """`RuntimeDefault`, `Unconfined`, or the path of a profile on the node."""
    read_only_root: bool | None = None


class HostAlias(Words):
    """A line of `/etc/hosts`."""

    ip: str
    hostnames: list[str]


class PodFields(Words):
    """Odd fields of the pod in Kubernetes' spelling."""

    service_account_name: DnsName | None = None
    automount_service_account_token: bool | None = None
    enable_service_links: bool | None = None
    runtime_class_name: DnsName | None = None
    host_network: bool | None = None
    host_ipc: bool | None = Field(default=None, alias="hostIPC")
    host_pid: bool | None = Field(default=None, alias="hostPID")
    dns_policy: Literal["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"] | None = None
    host_aliases: list[HostAlias] = Field(default_factory=list)
    share_process_namespace: bool | None = None


class Container(Words):
    """A container beside the program. It sees the pod's mounts unless it lists its own."""

    image: str | None = None
    pull: Pull | None = None
    command: list[Text] | None = None
    args: list[Text] | None = None
    workdir: AbsolutePath | None = None
    env: Env = Field(default_factory=dict)
    mounts: dict[AbsolutePath, Mount] | None = None
    resources: Resources | None = None
    security: Security | None = None


class PodPatch(Words):
    """Fields that the profile has no word for, in Kubernetes' spelling, merged as Kubernetes merges."""

    pod: Raw | None = None
    """The pod template."""
    container: Raw | None = None
    """The training container."""


class PodWords(Words):
    """What can be said of all pods, or of one role."""

    image: str | None = None
    """Image of the training container."""
    pull: Pull | None = None
    command: list[Text] | None = None
    """The program; replaces the image's entrypoint."""
    args: list[Text] | None = None
    """Its arguments, where they differ by role or the entrypoint is the image's."""
    workdir: AbsolutePath | None = None
    prepare: str | None = None
    """Shell text that runs in each pod before the program, such as `pip install …`."""
    resources: Resources = Field(default_factory=Resources)
    env: Env = Field(default_factory=dict)
    """Variables of the training process: text, or where the value comes from."""
    env_from: list[EnvFrom] = Field(default_factory=list)
    mounts: dict[AbsolutePath, Mount] = Field(default_factory=dict)
    """Path in the container → what appears there."""
    files: dict[AbsolutePath, File] = Field(default_factory=dict)
    """Path in the container → file that the job carries."""
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    """Labels of the pods."""
    annotations: dict[LabelKey, str] = Field(default_factory=dict)
    """Annotations of the pods."""
    ports: dict[Name, Port] = Field(default_factory=dict)
    security: Security = Field(default_factory=Security)
    pod: PodFields = Field(default_factory=PodFields)
    init: dict[Name, Container] = Field(default_factory=dict)
    """Containers that run before the program, by name."""
    sidecars: dict[Name, Container] = Field(default_factory=dict)
    """Containers that run beside the program, by name."""
    vars: dict[str, str] = Field(default_factory=dict)
    """Texts for `$<name>` in strings of this profile."""


class RoleLifecycle(Words):
    """What may differ by role."""

    restart: Literal["Always", "OnFailure", "Never", "ExitCode"] | None = None
    grace: Duration | None = None


class Role(PodWords):
    """One role's own words, laid over those of the job."""

    pods: Positive | None = None
    """How many; only for roles that have a count of their own (`ps`, `evaluator`)."""
    scheduling: PodScheduling = Field(default_factory=PodScheduling)
    lifecycle: RoleLifecycle = Field(default_factory=RoleLifecycle)
    patch: PodPatch | None = None
