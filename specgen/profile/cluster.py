"""What the platform team writes about a cluster, once."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from specgen.profile.env import Env
from specgen.profile.index import Operators
from specgen.profile.job import Layer
from specgen.profile.mount import Mount, Nfs
from specgen.profile.pod import Container, PodFields, TaintEffect
from specgen.profile.resources import Resources
from specgen.profile.words import (
    AbsolutePath,
    Count,
    DnsName,
    Kubernetes,
    LabelKey,
    LabelValue,
    Memory,
    Milli,
    Name,
    Port,
    Positive,
    Priority,
    Raw,
    ResourceName,
    Unlayered,
    Version,
    each,
)


class ClusterMetadata(Unlayered):
    """Name of the cluster."""

    name: Name
    """Name of the cluster, such as `h100-rail8`."""


class Nodes(Unlayered):
    """The nodes of a pool and what one of them offers to pods."""

    count: Positive | None = None
    """How many nodes the pool has; without it nothing is counted against the pool."""
    names: list[str] = Field(default_factory=list)
    """Names of the nodes; their number is the count where `count` is not said."""
    cpu: Positive | Milli | None = None
    """Cores of one node that pods may ask for, such as 192, or in thousandths, such as `191450m`."""
    memory: Memory | None = None
    """Memory of one node that pods may ask for, such as `2000Gi`."""
    disk: Memory | None = None
    """Ephemeral storage of one node that pods may ask for, such as `7000Gi`."""
    allocatable: dict[ResourceName, Count | Memory] = Field(
        default_factory=dict, examples=[{"pods": 110, "hugepages-2Mi": "64Gi"}]
    )
    """Further amounts of one node by the resource that pods ask for, such as `pods: 110` or `hugepages-2Mi: 64Gi`."""
    cordoned: Positive | dict[str, Positive] | None = None
    """How many of the nodes are cordoned now, so that no new pod comes to them: `2`, or by domain or node `{r1: 2}`."""
    not_ready: Positive | dict[str, Positive] | None = None
    """How many of the nodes are not ready now, so that no pod comes to them: `2`, or by domain or node `{r1: 2}`."""
    domains: dict[Name, Positive | dict[str, Positive]] = Field(default_factory=dict, examples=[{"rack": 8}])
    """How many nodes a domain has, by the words of `topology`: `rack: 8`, or `rack: {r1: 8, r2: 4}` by its label."""
    labels: dict[LabelKey, str | list[str]] = Field(
        default_factory=dict, examples=[{"node.kubernetes.io/instance-type": "p5.48xlarge"}]
    )
    """Labels of the nodes besides those of the pool: jobs may select by them, those that are placed here do not."""


class Taint(Unlayered):
    """A taint of the nodes."""

    key: LabelKey
    """Name of the taint, such as `nvidia.com/gpu`."""
    value: str | None = None
    """Value of the taint."""
    effect: TaintEffect
    """What the taint does to pods that do not bear it."""


class Gpu(Unlayered):
    """The GPUs of a node."""

    resource: ResourceName | None = Field(default=None, examples=["nvidia.com/gpu"])
    """Resource that pods ask for, such as `nvidia.com/gpu` or `amd.com/gpu`."""
    per_node: Positive | None = None
    """GPUs of one node, such as 8."""
    memory: Memory | None = None
    """Memory of one GPU, such as `80Gi`: for readers, nothing is derived from it."""
    product: str | None = None
    """Model of the GPU, such as `H100`: for readers, nothing is derived from it."""
    claim: DnsName | None = None
    """ResourceClaimTemplate through which a pod gets all GPUs of a node, in place of a resource."""
    device_class: DnsName | None = None
    """DeviceClass of the GPUs, such as `gpu.nvidia.com`: what claims by other templates find on a node is counted."""


class Npu(Unlayered):
    """The NPUs of a node."""

    resource: ResourceName
    """Resource that pods ask for, such as `huawei.com/Ascend910`."""
    per_node: Positive | None = None
    """NPUs of one node."""
    library: Literal["hccl"] | None = None
    """Library that they communicate with; one of their own if not said."""


class Hca(Unlayered):
    """The HCAs, RoCE NICs or EFAs of a node."""

    resource: ResourceName | None = Field(default=None, examples=["rdma/hca"])
    """Resource that pods ask for, such as `rdma/hca`."""
    per_node: Positive | None = None
    """HCAs of one node, such as 8."""
    rate: Positive | None = Field(default=None, examples=[400])
    """Gbit/s of one HCA, as `ibstat` says it: what two nodes must exchange in `specgen preflight` follows from it."""
    devices: str | list[str] | None = Field(default=None, examples=[["mlx5_0", "mlx5_1"], "=mlx5"])
    """Device names: a list is exact, one text is NCCL's own expression."""
    link: Literal["infiniband", "roce", "efa"] | None = None
    """What the adapters speak; over EFA, NCCL talks through a plugin and not by itself."""
    claim: DnsName | None = None
    """ResourceClaimTemplate through which a pod gets all of a node, with `rdma: claim`; the GPUs' own is for both."""
    device_class: DnsName | None = None
    """DeviceClass of the HCAs, such as `dra.net`: what claims by other templates find on a node is counted."""


class Rights(Unlayered):
    """Rights of the training container."""

    privileged: bool | None = None
    """Give the program every device and right of the node."""
    capabilities: list[str] = Field(default_factory=list)
    """Capabilities that the program gets, such as `SYS_RESOURCE`."""


class RoleAdds(Unlayered):
    """What one role of an MPI job gets besides."""

    env: Env = Field(default_factory=dict)
    """Variables of its containers alone, which mpirun does not carry to the processes; the job's own win."""
    mounts: dict[AbsolutePath, Mount] = Field(default_factory=dict)
    """Path in the container → what appears there."""


class AddsByRole(Unlayered):
    """What the launcher or the workers of an MPI job get besides, where its pods ask for HCAs."""

    launcher: RoleAdds = Field(default_factory=RoleAdds)
    """The pod that calls mpirun, also where it asks for no HCA itself."""
    worker: RoleAdds = Field(default_factory=RoleAdds)
    """The pods in which mpirun starts the processes."""


class Adds(Unlayered):
    """What every pod that asks for an HCA gets besides."""

    env: Env = Field(default_factory=dict)
    """Variables of the training container; the job's own win."""
    mounts: dict[AbsolutePath, Mount] = Field(default_factory=dict)
    """Path in the container → what appears there."""
    annotations: dict[LabelKey, str] = Field(default_factory=dict)
    """Annotations of the pods."""
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    """Labels of the pods."""
    resources: Resources = Field(default_factory=Resources)
    """Amounts asked for besides."""
    sidecars: dict[Name, Container] = Field(default_factory=dict)
    """Containers that run beside the program, by name."""
    init: dict[Name, Container] = Field(default_factory=dict)
    """Containers that run before the program, by name."""
    ports: dict[Name, Port] = Field(default_factory=dict)
    """Ports of the training container by name."""
    pod: PodFields = Field(default_factory=PodFields)
    """Odd fields of the pod in Kubernetes' spelling, such as `hostIPC`; the job's own win."""
    security: Rights = Field(default_factory=Rights)
    """Rights of the training container besides the job's own."""
    roles: AddsByRole = Field(
        default_factory=AddsByRole, examples=[{"worker": {"env": {"MELLANOX_VISIBLE_DEVICES": "all"}}}]
    )
    """What only the launcher, or only the workers, of an MPI job get; its variables reach no process by mpirun."""


class ComputeDomain(Unlayered):
    """NVLink by NVIDIA's driver for dynamic resource allocation, in a version of its own."""

    driver: Version
    """Version of the driver; one before 25.8 must be told how many nodes it is to wait for."""


class Fabric(Unlayered):
    """How a NIC reaches the pod, and what follows from it."""

    rdma: Annotated[
        Literal["shared-device", "device", "sriov", "claim", "host", "network", "none"],
        each(
            "one unit of the resource opens all HCAs of the node to a pod",
            "a unit of the resource for each HCA",
            "a virtual function of each HCA, on a secondary network (`networks`)",
            "by a ResourceClaim, which `hca.claim` names the device class for",
            "with the network and the devices of the node, as `hostNetwork` and a mount give them",
            "by what `adds` says alone, such as an annotation",
            "not at all, though the nodes may have some",
        ),
    ] = "none"
    """How an HCA reaches a pod."""
    net: str | None = None
    """NCCL's name of the network: `IB`, `Socket`, or a plugin's."""
    interface: str | None = Field(default=None, examples=["eth0"])
    """IP interface of the pods, for the first contact."""
    memlock: Annotated[
        Literal["capability", "privileged", "runtime"],
        each(
            "the pods get the capability `IPC_LOCK`",
            "the pods run privileged",
            "the container runtime of the nodes has lifted it: nothing is added to the pods",
        ),
    ] = "runtime"
    """What lifts the limit on locked memory."""
    nvlink: Literal["compute-domain"] | ComputeDomain | None = None
    """How NVLink spans several nodes: `compute-domain`, by NVIDIA's driver for dynamic resource allocation."""
    networks: str | list[str] | None = None
    """Secondary networks of `sriov`: one name for all HCAs, or as many names as a node has."""
    adds: Adds = Field(default_factory=Adds)
    """What every pod that asks for an HCA gets besides."""


class Level(Unlayered):
    """A level of the topology that Volcano knows as well."""

    label: LabelKey
    """Label of the nodes, such as `example.com/rack`."""
    tier: Positive
    """Tier of Volcano's HyperNodes, where its plugin `network-topology-aware` is on."""


class Pool(Unlayered):
    """Nodes of one kind."""

    nodes: Nodes = Field(default_factory=Nodes)
    """How many nodes there are, and what one of them offers."""
    labels: dict[LabelKey, str | list[str]] = Field(default_factory=dict)
    """Labels that mark the nodes of the pool: pods that are placed here select them."""
    taints: list[Taint] = Field(default_factory=list)
    """Taints of the nodes, which pods that are placed here bear."""
    gpu: Gpu | None = None
    """The GPUs of a node."""
    npu: Npu | None = None
    """The NPUs of a node."""
    hca: Hca | None = None
    """The HCAs, RoCE NICs, or EFAs of a node."""
    fabric: Fabric = Field(default_factory=Fabric)
    """How an HCA reaches the pods, and what follows from it."""
    runtime_class: str | None = None
    """RuntimeClass of the pods, where GPUs need one, such as `nvidia`."""


class Storage(Unlayered):
    """A file system by name: exactly one of hostPath, pvc, nfs, and volume."""

    type: Literal["lustre", "nfs", "gpfs", "ceph", "beegfs", "local", "other"] | None = None
    """The file system; for readers, nothing is derived from it yet."""
    host_path: AbsolutePath | None = None
    """Directory under which every node has mounted it."""
    pvc: str | None = None
    """PersistentVolumeClaim through which it is mounted."""
    nfs: Nfs | None = None
    """Server and directory, where it is NFS."""
    volume: Raw | None = None
    """Any other volume source in Kubernetes' spelling."""
    read_only: bool = False
    """Whether pods may only read there."""


class Share(Unlayered):
    """What a queue, or a cohort, has of one flavor."""

    quota: dict[ResourceName, Count | Memory] = Field(default_factory=dict, examples=[{"nvidia.com/gpu": 32}])
    """Resource → the queue's own amount of it; a device that is not named here, the flavor does not have."""
    borrow: dict[ResourceName, Count | Memory] = Field(default_factory=dict, examples=[{"nvidia.com/gpu": 16}])
    """Resource → the most of it that is borrowed of the cohort; what is not named is borrowed without a limit."""
    lend: dict[ResourceName, Count | Memory] = Field(default_factory=dict, examples=[{"nvidia.com/gpu": 8}])
    """Resource → the most of it that others of the cohort may borrow; of what is not named they may borrow all."""


class BorrowWithinCohort(Unlayered):
    """Whether a job that borrows evicts others of the cohort."""

    policy: Literal["LowerPriority", "Never"]
    """`LowerPriority`: those of a lower priority."""
    max_priority_threshold: Priority | None = None
    """Only those whose priority is not above this."""


class QueuePreemption(Unlayered):
    """Whom a job of the queue evicts, in the words of Kueue; nobody where it is not said."""

    within_cluster_queue: Literal["LowerPriority", "LowerOrNewerEqualPriority", "Never"] | None = None
    """Whom in its own queue, where it finds no room."""
    reclaim_within_cohort: Literal["Any", "LowerPriority", "Never"] | None = None
    """Whom of those who borrow what is the queue's own."""
    borrow_within_cohort: BorrowWithinCohort | None = None
    """Whether it evicts others of the cohort even where it borrows then; needs `reclaimWithinCohort`."""


class Fungibility(Unlayered):
    """When the next flavor is tried, in the words of Kueue."""

    when_can_borrow: Literal["MayStopSearch", "TryNextFlavor"] | None = None
    """Whether a flavor in which the job would borrow is taken (`MayStopSearch`, as it is by default)."""
    when_can_preempt: Literal["MayStopSearch", "TryNextFlavor"] | None = None
    """Whether a flavor in which the job would evict others is taken; by default the next one is tried."""
    preference: Literal["BorrowingOverPreemption", "PreemptionOverBorrowing"] | None = None
    """What is better of several flavors: to borrow (as by default), or to evict; needs `TryNextFlavor` of both."""


class LocalQueue(Unlayered):
    """A queue as jobs name it."""

    namespaces: list[DnsName] | None = Field(default=None, examples=[["research", "vision"]])
    """Namespaces in which jobs may name it; if not said, those of the queue that it leads to."""
    stop: Literal["Hold", "HoldAndDrain"] | None = None
    """It takes nobody now, whatever the queue does that it leads to."""


class ClusterQueue(Unlayered):
    """What a queue has."""

    quota: dict[ResourceName, Count | Memory] = Field(default_factory=dict, examples=[{"nvidia.com/gpu": 64}])
    """Resource → the queue's own amount of it: without a cohort the most of it that one job of the queue ever gets."""
    borrow: dict[ResourceName, Count | Memory] = Field(default_factory=dict, examples=[{"nvidia.com/gpu": 16}])
    """Resource → the most of it that is borrowed of the cohort; what is not named is borrowed without a limit."""
    cohort: str | None = None
    """Kueue's queues of one cohort borrow what the others of it do not use."""
    lend: dict[ResourceName, Count | Memory] = Field(default_factory=dict, examples=[{"nvidia.com/gpu": 8}])
    """Resource → the most of it that others of the cohort may borrow; of what is not named they may borrow all."""
    flavors: dict[DnsName, Share] = Field(default_factory=dict, examples=[{"h100": {"quota": {"nvidia.com/gpu": 32}}}])
    """Kueue's flavor → what the queue has of it, in the order of trying; a pool's name means its nodes."""
    queueing_strategy: Literal["StrictFIFO", "BestEffortFIFO"] | None = None
    """`StrictFIFO`: a job that finds no room holds up those behind it; by default (`BestEffortFIFO`) it does not."""
    preemption: QueuePreemption | None = None
    """Whom a job of Kueue's queue evicts to make room; nobody if not said."""
    fungibility: Fungibility | None = None
    """When Kueue tries the next flavor, of a queue that has several."""
    undeclared: Literal["block", "ignore"] = "ignore"
    """What has no amount here: `block` admits no job that asks for it, as Kueue by default; `ignore` counts it not."""
    namespaces: list[DnsName] | None = Field(default=None, examples=[["research", "vision"]])
    """Namespaces in which jobs may name the queue; all if not said."""
    local_queues: list[DnsName] | dict[DnsName, LocalQueue] = Field(
        default_factory=list, examples=[{"team-x": {"namespaces": ["x"]}, "team-z": {"namespaces": ["z"]}}]
    )
    """Kueue's LocalQueues that lead to this ClusterQueue, and share what it has: jobs name one of these, not this."""
    stop: Literal["Hold", "HoldAndDrain"] | None = None
    """The queue takes nobody now; `HoldAndDrain`: whoever has begun is evicted, too. One of Volcano's is closed."""
    checks: list[DnsName] = Field(default_factory=list, examples=[["budget"]])
    """Kueue's admission checks: something outside of the cluster decides as well, so that `fit` does not know."""
    weight: Positive | None = None
    """Volcano's queues share what there is by their weights, where they ask for more than that; 1 if not said."""
    deserved: dict[ResourceName, Count | Memory] = Field(default_factory=dict, examples=[{"nvidia.com/gpu": 32}])
    """Resource → what Volcano's plugin `capacity` takes back for the queue from others."""
    guarantee: dict[ResourceName, Count | Memory] = Field(default_factory=dict, examples=[{"nvidia.com/gpu": 8}])
    """Resource → what Volcano keeps for the queue though nobody uses it; Volcano wants `deserved` as large."""
    parent: DnsName | None = None
    """The queue of Volcano's above this one, which counts with the plugin `capacity`."""
    reclaimable: bool | None = None
    """`false`: Volcano takes nothing back from the queue."""


class ClusterCohort(Unlayered):
    """A cohort of Kueue that is more than the queues of it."""

    parent: str | None = None
    """The cohort above, of which this one borrows."""
    flavors: dict[DnsName, Share] = Field(default_factory=dict, examples=[{"h100": {"quota": {"nvidia.com/gpu": 32}}}])
    """Kueue's flavor → what the cohort has of its own, for all queues below it, and what it borrows and lends."""


class ClusterFlavor(Unlayered):
    """A flavor of Kueue that is no pool."""

    labels: dict[LabelKey, str] = Field(default_factory=dict, examples=[{"example.com/capacity": "spot"}])
    """Labels of the nodes that it means: pods that get the flavor select them."""
    taints: list[Taint] = Field(default_factory=list)
    """Taints of the flavor: pods that do not bear them do not get it."""
    tolerations: list[Raw] = Field(default_factory=list)
    """Tolerations that pods get with it, in Kubernetes' spelling."""
    topology: list[Name] | None = Field(default=None, examples=[["rack", "host"]])
    """Levels of its Topology by the words of `topology`, the highest first; `[]`: it has none."""


class ClusterPriority(Unlayered):
    """What a priority is worth."""

    of: Literal["pod", "workload"] = "pod"
    """`pod` for a PriorityClass, `workload` for a WorkloadPriorityClass of Kueue."""
    value: Priority
    """Its value: pods of a higher one go first, and may take the place of those of a lower one."""
    preemption: Literal["PreemptLowerPriority", "Never"] | None = None
    """Whether its pods take the place of lower ones, as a PriorityClass says it; they do unless it is `Never`."""
    default: bool = False
    """Whether pods that name no PriorityClass get this one."""


class ClusterScheduling(Unlayered):
    """Who places pods."""

    gang: Literal["volcano", "coscheduling", "kueue", "kai", "yunikorn"] | None = None
    """The gang scheduler of the cluster; jobs of several pods use it."""
    version: Version | None = Field(default=None, examples=["0.19.2"])
    """Its version, in quotes: which kinds of jobs Kueue looks after."""
    scheduler: str | None = None
    """Name that pods get, where it is not the gang's own."""
    plugins: list[Literal["capacity", "network-topology-aware"]] = Field(default_factory=list, examples=[["capacity"]])
    """Volcano's plugins that are on beside those of its chart; `capacity` stands in the place of `proportion`."""
    queues: list[str] | dict[str, ClusterQueue] = Field(default_factory=list)
    """Queues that exist, by name alone or with what each has; a job that names another is reported."""
    cohorts: dict[str, ClusterCohort] = Field(default_factory=dict, examples=[{"all": {"parent": "company"}}])
    """Cohorts of Kueue that have quota of their own, or a cohort above them."""
    flavors: dict[DnsName, ClusterFlavor] = Field(
        default_factory=dict, examples=[{"spot": {"labels": {"example.com/capacity": "spot"}}}]
    )
    """Flavors of Kueue that are not called like a pool: which nodes they mean."""
    priorities: dict[str, Literal["pod", "workload"] | ClusterPriority] = Field(default_factory=dict)
    """Priority → `pod` for a PriorityClass, `workload` for a WorkloadPriorityClass of Kueue, or what it is worth."""


class Namespace(Unlayered):
    """What the jobs of a namespace get together, and what each of their pods may be."""

    quota: dict[ResourceName, Count | Memory] = Field(
        default_factory=dict, examples=[{"pods": 100, "requests.nvidia.com/gpu": 64, "requests.memory": "4Ti"}]
    )
    """ResourceQuota of the namespace: resource as a quota names it → the most of it that there is for all pods."""
    limit_range: list[Raw] = Field(default_factory=list)
    """LimitRange of the namespace: its `limits` in Kubernetes' spelling, which pods are filled from and held to."""
    pod_security: Literal["privileged", "baseline", "restricted"] | None = None
    """Pod Security level of the namespace, where it is another than that of the cluster profile."""


class Images(Unlayered):
    """Where images come from."""

    mirrors: dict[str, str] = Field(default_factory=dict, examples=[{"docker.io": "registry.example.com/docker"}])
    """Registry → registry that mirrors it."""
    allow: list[str] = Field(default_factory=list)
    """Registries that images may come from."""


class MeshChoice(Unlayered):
    """A service mesh, and how pods leave it."""

    kind: Literal["istio"]
    """The mesh."""
    by: Literal["label", "annotation"] = "label"
    """Whether pods leave the mesh by a label or, in older releases, by an annotation."""


class ClusterProfile(Unlayered):
    """A cluster."""

    api_version: Literal["specgen/v1"]
    """Version of the profile's language: always `specgen/v1`."""
    kind: Literal["Cluster"]
    """`Cluster`: a profile of a cluster."""
    metadata: ClusterMetadata
    """Name of the cluster."""
    kubernetes: Kubernetes | None = Field(default=None, examples=["1.31"])
    """Version of Kubernetes, in quotes."""
    operators: Operators = Field(default_factory=Operators)
    """Installed operators with their versions."""
    pools: dict[Name, Pool] = Field(default_factory=dict)
    """Nodes by kind: name of the pool → what its nodes have."""
    nccl: dict[str, AbsolutePath] = Field(
        default_factory=dict, examples=[{"2.27.3": "/opt/nccl/2.27.3/lib/libnccl.so"}]
    )
    """NCCL version → its library on the nodes."""
    storage: dict[Name, Storage] = Field(
        default_factory=dict,
        examples=[{"datasets": {"type": "lustre", "hostPath": "/mnt/lustre/datasets", "readOnly": True}}],
    )
    """File systems by the name that mounts use."""
    topology: dict[Name, LabelKey | Level] = Field(default_factory=dict, examples=[{"rack": "example.com/rack"}])
    """Word → label of the nodes."""
    scheduling: ClusterScheduling = Field(default_factory=ClusterScheduling)
    """Who places pods, and the queues and priorities that exist."""
    namespaces: dict[DnsName, Namespace] = Field(
        default_factory=dict, examples=[{"research": {"quota": {"requests.nvidia.com/gpu": 64}}}]
    )
    """Namespaces with a quota, limits or a Pod Security level: what jobs are held to that are made there."""
    images: Images = Field(default_factory=Images)
    """Mirrors, and the registries that images may come from."""
    defaults: Layer = Field(default_factory=Layer)
    """The weakest base of every job."""
    pod_security: Literal["privileged", "baseline", "restricted"] | None = None
    """Pod Security level of the namespaces: what `restricted` demands is written, what a level refuses is reported."""
    mesh: Literal["istio"] | MeshChoice | None = None
    """Service mesh that would put a sidecar into every pod; training pods are kept out of it."""
