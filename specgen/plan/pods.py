"""What a plan says of pods: a role, its devices, its volumes, and its containers."""

from __future__ import annotations

from specgen.manifest.origins import located

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from specgen.diagnostics.model import Place
    from specgen.manifest.origins import Sourced
    from specgen.profile.cluster import Pool

    # a security context by path: ("runAsUser",), ("capabilities", "add")
    Context: TypeAlias = dict[tuple[str, ...], Sourced]


class Patch:
    """What is laid over a finished part of the manifest, in Kubernetes' spelling."""

    __slots__ = ("places", "reason", "tree")

    def __init__(self, tree: Any, reason: str, places: dict[tuple[Any, ...], Place] | None = None) -> None:
        self.tree = tree
        self.reason = reason
        # path below the patch → where it is written
        self.places = places or {}

    def place(self, path: tuple[Any, ...]) -> Place:
        """Where a path below the patch is written, for a finding."""
        return located(self.places.get(path))


class Devices:
    """What one pod of a role asks for."""

    __slots__ = ("among", "claims", "gpu", "hca", "limits", "npu", "on_host", "pool", "pool_name", "requests", "shm")

    def __init__(self) -> None:
        self.gpu = 0
        self.npu = 0
        self.hca = 0
        self.pool: Pool | None = None
        self.pool_name: str | None = None
        # pools that a queue chooses between, which make no difference to the pod but their labels and taints
        self.among: list[str] = []
        # name of a resource → amount, in the order of the manifest
        self.limits: dict[str, Sourced] = {}
        self.requests: dict[str, Sourced] = {}
        # name → source of a resource claim in Kubernetes' spelling
        self.claims: dict[str, Sourced] = {}
        # the fabric's word for shared memory
        self.shm: Sourced | None = None
        # what brings the pod onto its node's network: its HCAs
        self.on_host: Sourced | None = None


class Volume:
    """A volume of the pod."""

    __slots__ = ("name", "said", "scratch", "source")

    def __init__(self, name: str, source: dict[str, Any], said: Sourced, scratch: str | None = None) -> None:
        self.name = name
        # in Kubernetes' spelling
        self.source = source
        self.said = said
        # the profile's name of it, if it is an empty one
        self.scratch = scratch


class MountPoint:
    """A mount of a container."""

    __slots__ = ("path", "read_only", "said", "sub_path", "volume")

    def __init__(self, path: str, volume: str, read_only: bool, sub_path: str | None, said: Sourced) -> None:
        self.path = path
        self.volume = volume
        self.read_only = read_only
        self.sub_path = sub_path
        self.said = said


class Domain:
    """Nodes that are near each other, and are to hold all pods."""

    __slots__ = ("label", "place", "tier", "word")

    def __init__(self, word: str, label: str | None, place: Place | None) -> None:
        # the topology's word for it, such as `rack`, and the label of its nodes
        self.word = word
        self.label = label
        self.place = place
        # the tier of Volcano's HyperNodes that it is, where the cluster says so
        self.tier: int | None = None


class ContainerPlan:
    """A container beside the program: one that runs before it, or a sidecar. What it has is said at one place."""

    __slots__ = (
        "amounts",
        "args",
        "claims",
        "command",
        "env",
        "image",
        "mounts",
        "name",
        "of_fabric",
        "place",
        "pull_policy",
        "security",
        "workdir",
    )

    def __init__(self, name: str, place: Place | None, image: Sourced | None) -> None:
        self.name = name
        self.place = place
        self.image = image
        # whether the cluster's fabric adds it, and the job does not know it
        self.of_fabric = False
        self.pull_policy: str | None = None
        self.command: list[str] | None = None
        self.args: list[str] | None = None
        self.workdir: str | None = None
        # name → the rest of the variable in Kubernetes' spelling
        self.env: dict[str, dict[str, Any]] = {}
        # (`limits` or `requests`, name of a resource) → amount
        self.amounts: dict[tuple[str, str], Any] = {}
        self.claims: list[str] = []
        self.security: Context = {}
        # None: those of the program, and what the operator lends to it
        self.mounts: list[MountPoint] | None = None


class RolePlan:
    """One role: how many pods, and everything that was decided for them. What is absent is not said."""

    __slots__ = (
        "annotations",
        "args",
        "command",
        "container",
        "devices",
        "domains",
        "entrypoint",
        "env",
        "env_from",
        "grace",
        "image",
        "init",
        "labels",
        "late",
        "lent",
        "mounts",
        "name",
        "native",
        "patch",
        "placing",
        "pod",
        "pod_patch",
        "pod_security",
        "ports",
        "prepare",
        "priority",
        "program",
        "pull_policy",
        "pull_secrets",
        "replicas",
        "restart",
        "scheduler",
        "security",
        "sidecars",
        "slices",
        "starts",
        "twin",
        "volumes",
        "word",
        "workdir",
    )

    def __init__(self, name: str, word: str, replicas: Sourced) -> None:
        # in the manifest, and in profiles
        self.name = name
        self.word = word
        self.replicas = replicas
        # whether it starts the others' processes and runs none of its own
        self.starts = False
        # whether its pods are created once those of the other roles are ready
        self.late = False
        # when a pod that ended starts again
        self.restart: Sourced | None = None
        # an earlier role for which the same was decided
        self.twin: RolePlan | None = None

        self.labels: dict[str, Sourced] = {}
        self.annotations: dict[str, Sourced] = {}
        # where its pods run: `nodeSelector`, `affinity`, `tolerations`
        self.placing: dict[str, Sourced] = {}
        # `within` and `near`: where its pods lie to each other
        self.domains: dict[str, Domain] = {}
        # in which of them each so many pods are to lie
        self.slices: tuple[Domain, int] | None = None
        self.scheduler: Sourced | None = None
        # PriorityClass of its pods
        self.priority: Sourced | None = None
        # other fields of the pod in Kubernetes' spelling
        self.pod: dict[str, Sourced] = {}
        # fields of the pod's security context
        self.pod_security: dict[str, Sourced] = {}
        # seconds between the request to stop and the kill
        self.grace: Sourced | None = None
        self.pull_secrets: list[Sourced] = []
        self.volumes: list[Volume] = []
        self.devices = Devices()

        # the program's container
        self.image: Sourced | None = None
        self.pull_policy: Sourced | None = None
        # the job's own words for the program, before a starter's line or a shell stands in front of them
        self.program: Sourced | None = None
        self.command: Sourced | None = None
        self.args: Sourced | None = None
        # why the image's entrypoint gets command and arguments as its own arguments; None: they take its place
        self.entrypoint: Sourced | None = None
        # shell text that runs before the program; it stands in `command`
        self.prepare: Sourced | None = None
        self.workdir: Sourced | None = None
        self.ports: dict[str, Sourced] = {}
        # sources of variables, in Kubernetes' spelling
        self.env_from: list[Sourced] = []
        # name → the rest of the variable in Kubernetes' spelling
        self.env: dict[str, Sourced] = {}
        self.security: Context = {}
        self.mounts: list[MountPoint] = []
        # other fields of this container in Kubernetes' spelling
        self.container: dict[str, Sourced] = {}

        # containers that run before the program, and beside it
        self.init: list[ContainerPlan] = []
        self.sidecars: list[ContainerPlan] = []
        # whether its sidecars are init containers that restart, and so end with the program
        self.native = False
        # mounts of volumes that the operator adds to the program's container
        self.lent: list[MountPoint] = []

        # over the pod template, and over the program's container
        self.pod_patch: Patch | None = None
        self.patch: Patch | None = None

    def alike(self, other: RolePlan) -> bool:
        """Whether the pods of both come out the same: the same was decided for both, and nothing added to one alone."""
        return (
            (self.twin or self) is (other.twin or other)
            and self.labels == other.labels
            and self.annotations == other.annotations
            and self.placing == other.placing
            and self.command is other.command
            and self.env == other.env
        )
