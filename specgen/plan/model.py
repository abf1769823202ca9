"""What a plan is: plain objects that backends lower and rules never see."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Place
    from specgen.manifest.model import Manifest
    from specgen.plan.companions import Companions
    from specgen.plan.kind import Kind
    from specgen.profile.cluster import Pool
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.roles import RoleWords


class Said:
    """A value of the output with its origin: where it was written (None: nowhere), and why it is there."""

    __slots__ = ("place", "reason", "value")

    def __init__(self, value: Any, place: Place | None, reason: str) -> None:
        self.value = value
        self.place = place
        self.reason = reason


class World:
    """How many processes there are: ``pods`` × ``procs_per_pod``.

    An elastic job begins with ``pods`` and has from ``least`` to ``most`` of them later; otherwise the three are one
    number. ``word``: what is written in place of a number of processes; ``counted``: the number is known all the same,
    else ``procs_per_pod`` is 1 and the starter counts where it runs. ``led``: one pod is the kind's first role.
    """

    __slots__ = ("counted", "elastic", "least", "led", "most", "pods", "procs_per_pod", "starter", "word")

    def __init__(
        self,
        pods: int,
        procs_per_pod: int | None,
        starter: str,
        among: tuple[int, int] | None = None,
        *,
        word: str | None = None,
        led: bool = False,
    ) -> None:
        self.pods = pods
        self.counted = procs_per_pod is not None
        self.procs_per_pod = procs_per_pod or 1
        self.starter = starter
        self.word = word
        self.led = led
        self.elastic = among is not None
        self.least, self.most = among or (pods, pods)

    @property
    def fixed(self) -> bool:
        """Whether the number of pods stays what it is at the start."""
        return self.least == self.most

    @property
    def size(self) -> int:
        return self.pods * self.procs_per_pod


class Devices:
    """What one pod of a role asks for. Amounts: resource name → value and origin, in the order of the manifest.

    ``claims``: name → source of a resource claim in Kubernetes' spelling. ``shm``: the fabric's word for shared memory.
    """

    __slots__ = ("claims", "gpu", "hca", "limits", "npu", "pool", "pool_name", "requests", "shm")

    def __init__(self) -> None:
        self.gpu = 0
        self.npu = 0
        self.hca = 0
        self.pool: Pool | None = None
        self.pool_name: str | None = None
        self.limits: dict[str, Said] = {}
        self.requests: dict[str, Said] = {}
        self.claims: dict[str, Said] = {}
        self.shm: Said | None = None


class Volume:
    """A volume of the pod and where containers see it; ``scratch``: the profile's name of it, if it is an empty one."""

    __slots__ = ("name", "said", "scratch", "source")

    def __init__(self, name: str, source: dict[str, Any], said: Said, scratch: str | None = None) -> None:
        self.name = name
        self.source = source
        self.said = said
        self.scratch = scratch


class MountPoint:
    """A mount of a container."""

    __slots__ = ("path", "read_only", "said", "sub_path", "volume")

    def __init__(self, path: str, volume: str, read_only: bool, sub_path: str | None, said: Said) -> None:
        self.path = path
        self.volume = volume
        self.read_only = read_only
        self.sub_path = sub_path
        self.said = said


class RolePlan:
    """One role: how many pods, its words, and everything that was decided for it.

    What the fabric brings stands apart from the words: ``init_words`` and ``sidecar_words`` (containers by name, with
    their place), ``ports``, and ``pod``, fields of the pod in Kubernetes' spelling. ``container``: such fields of the
    program's container. ``lent``: mounts of volumes that the operator adds, for containers beside the program.
    ``late``: its pods are created once those of the other roles are ready.
    """

    __slots__ = (
        "annotations",
        "args",
        "capabilities",
        "command",
        "container",
        "devices",
        "env",
        "image",
        "init_words",
        "labels",
        "late",
        "lent",
        "mounts",
        "name",
        "pod",
        "ports",
        "privileged",
        "replicas",
        "sidecar_words",
        "volumes",
        "word",
        "words",
    )

    def __init__(self, name: str, word: str, replicas: Said, words: RoleWords) -> None:
        self.name = name
        self.word = word
        self.replicas = replicas
        self.words = words
        self.devices = Devices()
        self.env: dict[str, Said] = {}
        self.image: Said | None = None
        self.command: Said | None = None
        self.args: Said | None = None
        self.volumes: list[Volume] = []
        self.mounts: list[MountPoint] = []
        self.labels: dict[str, Said] = {}
        self.annotations: dict[str, Said] = {}
        self.capabilities: list[Said] = []
        self.privileged: Said | None = None
        self.sidecar_words: dict[str, tuple[Any, Place]] = {}
        self.init_words: dict[str, tuple[Any, Place]] = {}
        self.ports: dict[str, Said] = {}
        self.pod: dict[str, Said] = {}
        self.container: dict[str, Said] = {}
        self.lent: list[MountPoint] = []
        self.late = False

    def alike(self, other: RolePlan) -> bool:
        """Whether the pods of both roles come out the same: one set of words, nothing added to one of them alone."""
        return (
            self.words is other.words
            and self.labels == other.labels
            and self.annotations == other.annotations
            and self.words.words.scheduling.spread is None
            and self.command is other.command
            and self.env == other.env
        )

    def follow(self, twin: RolePlan) -> None:
        """Takes over what was decided for a role with the same words: nothing that is decided depends on the name."""
        self.devices = twin.devices
        self.image, self.command, self.args = twin.image, twin.command, twin.args
        self.env, self.labels, self.annotations = dict(twin.env), dict(twin.labels), dict(twin.annotations)
        self.volumes, self.mounts = list(twin.volumes), list(twin.mounts)
        self.capabilities, self.privileged = list(twin.capabilities), twin.privileged
        self.sidecar_words, self.init_words = dict(twin.sidecar_words), dict(twin.init_words)
        self.ports, self.pod = dict(twin.ports), dict(twin.pod)


class Gang:
    """Pods that start together. ``said``: the scheduler's word; ``by_operator``: the operator makes the group."""

    __slots__ = ("by_operator", "queue", "said")

    def __init__(self, said: Said, *, by_operator: bool) -> None:
        self.said = said
        self.by_operator = by_operator
        self.queue: Said | None = None

    @property
    def word(self) -> str:
        return str(self.said.value)


class Plan:
    """A job, ready to be written down as any kind that can express it.

    What the gang's scheduler adds to the job: ``labels`` of the job object alone, ``run_policy`` by path below
    ``runPolicy``, and ``scheduler``, the name that pods get where neither the job nor the cluster names one.
    ``waiting``: words of the roles whose pods come once the others run; they are no part of the gang, or both would
    wait for ever. ``beside``: objects that lowering writes besides the job and that must be there before it; ``there``:
    those of the cluster that lowering met in a file of its profile, without which nobody knows what comes of the job.
    """

    __slots__ = (
        "beside",
        "companions",
        "gang",
        "job",
        "kind",
        "labels",
        "roles",
        "run_policy",
        "scheduler",
        "there",
        "version",
        "waiting",
        "world",
    )

    def __init__(self, job: ResolvedJob, kind: Kind, version: str, world: World, roles: list[RolePlan]) -> None:
        self.job = job
        self.kind = kind
        self.version = version
        self.world = world
        self.roles = roles
        self.companions: Companions | None = None
        self.gang: Gang | None = None
        self.labels: dict[str, Said] = {}
        self.run_policy: dict[tuple[str, ...], Said] = {}
        self.scheduler: Said | None = None
        self.waiting: tuple[str, ...] = ()
        self.beside: list[Manifest] = []
        self.there: list[Manifest] = []
