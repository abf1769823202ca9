"""What the platform team writes about a cluster, once."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from specgen.profile.job import Layer
from specgen.profile.pod import Container, Env, Mount, Nfs, Resources
from specgen.profile.words import (
    AbsolutePath,
    Kubernetes,
    LabelKey,
    LabelValue,
    Memory,
    Name,
    Port,
    Positive,
    Raw,
    ResourceName,
    Version,
    Words,
)


class ClusterMetadata(Words):
    """Name of the cluster."""

    name: Name


class Runtime(Words):
    """A runtime of Kubeflow Trainer: where its file lies, if that is known."""

    file: str | None = None


class Operator(Words):
    """An installed operator."""

    version: Version
    gang: Literal["volcano", "scheduler-plugins"] | None = None
    """The gang scheduler that the operator was started with."""
    mirror: str | None = None
    """Registry that holds the operator's own images."""
    namespace: Name | None = None
    runtimes: dict[str, str | Runtime] = Field(default_factory=dict)
    """Runtimes of the cluster, of `trainer` only."""


class Operators(Words):
    """Installed operators."""

    training_operator: Operator | None = Field(default=None, alias="training-operator")
    mpi_operator: Operator | None = Field(default=None, alias="mpi-operator")
    ms_operator: Operator | None = Field(default=None, alias="ms-operator")
    trainer: Operator | None = None


class Nodes(Words):
    """The nodes of a pool and what one of them offers to pods."""

    count: Positive | None = None
    names: list[str] = Field(default_factory=list)
    cpu: Positive | None = None
    memory: Memory | None = None


class Taint(Words):
    """A taint of the nodes."""

    key: LabelKey
    value: str | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class Gpu(Words):
    """The GPUs of a node."""

    resource: ResourceName | None = None
    per_node: Positive | None = None
    memory: Memory | None = None
    product: str | None = None
    claim: Name | None = None
    """ResourceClaimTemplate through which pods get them, in place of a resource."""


class Npu(Words):
    """The NPUs of a node."""

    resource: ResourceName
    per_node: Positive | None = None
    library: Literal["hccl"] | None = None


class Hca(Words):
    """The HCAs, RoCE NICs or EFAs of a node."""

    resource: ResourceName | None = None
    per_node: Positive | None = None
    devices: str | list[str] | None = None
    """Device names: a list is exact, one text is NCCL's own expression."""
    link: Literal["infiniband", "roce", "efa"] | None = None
    claim: Name | None = None


class Adds(Words):
    """What every pod that asks for an HCA gets besides."""

    env: Env = Field(default_factory=dict)
    mounts: dict[AbsolutePath, Mount] = Field(default_factory=dict)
    annotations: dict[LabelKey, str] = Field(default_factory=dict)
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    resources: Resources = Field(default_factory=Resources)
    sidecars: dict[Name, Container] = Field(default_factory=dict)
    init: dict[Name, Container] = Field(default_factory=dict)
    ports: dict[Name, Port] = Field(default_factory=dict)


class Fabric(Words):
    """How a NIC reaches the pod, and what follows from it."""

    rdma: Literal["shared-device", "device", "sriov", "claim", "host", "network", "none"] = "none"
    net: str | None = None
    """NCCL's name of the network: `IB`, `Socket`, or a plugin's."""
    interface: str | None = None
    """IP interface of the pods, for the first contact."""
    memlock: Literal["capability", "privileged", "runtime"] = "runtime"
    """What lifts the limit on locked memory."""
    nvlink: Literal["compute-domain"] | None = None
    networks: str | list[str] | None = None
    """Secondary networks, with `sriov`."""
    adds: Adds = Field(default_factory=Adds)


class Pool(Words):
    """Nodes of one kind."""

    nodes: Nodes = Field(default_factory=Nodes)
    labels: dict[LabelKey, str | list[str]] = Field(default_factory=dict)
    taints: list[Taint] = Field(default_factory=list)
    gpu: Gpu | None = None
    npu: Npu | None = None
    hca: Hca | None = None
    fabric: Fabric = Field(default_factory=Fabric)
    runtime_class: str | None = None


class Storage(Words):
    """A file system by name: exactly one of hostPath, pvc, nfs, and volume."""

    type: Literal["lustre", "nfs", "gpfs", "ceph", "beegfs", "local", "other"] | None = None
    host_path: AbsolutePath | None = None
    pvc: str | None = None
    nfs: Nfs | None = None
    volume: Raw | None = None
    read_only: bool = False


class ClusterScheduling(Words):
    """Who places pods."""

    gang: Literal["volcano", "coscheduling", "kueue", "kai", "yunikorn"] | None = None
    scheduler: str | None = None
    """Name that pods get, where it is not the gang's own."""
    queues: list[str] = Field(default_factory=list)
    priorities: dict[str, Literal["pod", "workload"]] = Field(default_factory=dict)


class Images(Words):
    """Where images come from."""

    mirrors: dict[str, str] = Field(default_factory=dict)
    """Registry → registry that mirrors it."""
    allow: list[str] = Field(default_factory=list)
    """Registries that images may come from."""


class MeshChoice(Words):
    """A service mesh, and how pods leave it."""

    kind: Literal["istio"]
    by: Literal["label", "annotation"] = "label"


class ClusterProfile(Words):
    """A cluster."""

    api_version: Literal["specgen/v1"]
    kind: Literal["Cluster"]
    metadata: ClusterMetadata
    kubernetes: Kubernetes | None = None
    """Version of Kubernetes, in quotes."""
    operators: Operators = Field(default_factory=Operators)
    pools: dict[Name, Pool] = Field(default_factory=dict)
    nccl: dict[str, AbsolutePath] = Field(default_factory=dict)
    """NCCL version → its library on the nodes."""
    storage: dict[Name, Storage] = Field(default_factory=dict)
    topology: dict[Name, LabelKey] = Field(default_factory=dict)
    """Word → label of the nodes."""
    scheduling: ClusterScheduling = Field(default_factory=ClusterScheduling)
    images: Images = Field(default_factory=Images)
    defaults: Layer = Field(default_factory=Layer)
    """The weakest base of every job."""
    pod_security: Literal["privileged", "baseline", "restricted"] | None = None
    mesh: Literal["istio"] | MeshChoice | None = None
