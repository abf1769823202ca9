"""What a plan is: plain values with their origins. ``make`` fills it from a profile; lowerings read nothing else.

A plan needs no profile: whoever knows the values of a job can make one.
"""

from __future__ import annotations

from specgen.manifest.origins import Sourced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.diagnostics.model import Place, Placer
    from specgen.manifest.model import Manifest
    from specgen.plan.kind import Kind
    from specgen.plan.objects import ExtraObjects
    from specgen.plan.pods import Patch, RolePlan


class Asked:
    """GPUs and NPUs that a pod asks for, by whatever words."""

    __slots__ = ("gpu", "npu", "said", "unread")

    def __init__(self, gpu: int = 0, npu: int = 0, said: Sourced | None = None) -> None:
        self.gpu = gpu
        self.npu = npu
        # their number with the place that says it, and the words for that
        self.said = said
        # the template of a claim that may bring more, of which nobody knows here how many; its reason is its name
        self.unread: Sourced | None = None

    @property
    def amount(self) -> int:
        """As many processes as find a device each."""
        return self.gpu or self.npu

    @property
    def noun(self) -> str:
        """What they are."""
        return "NPU" if self.npu and not self.gpu else "GPU"


class World:
    """How many processes there are: ``pods`` × ``procs_per_pod``; who starts them, and what the job says of roles."""

    __slots__ = (
        "asked",
        "counted",
        "elastic",
        "least",
        "led",
        "most",
        "named",
        "own",
        "per_device",
        "pods",
        "pods_place",
        "procs_per_pod",
        "procs_place",
        "starter",
        "starter_place",
        "starter_written",
        "target",
        "trains",
        "unled",
        "word",
    )

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
        # where `pods` is written; None: one pod is the default
        self.pods_place: Place | None = None
        # whether the number of processes is known; else it is 1 here and the starter counts where it runs
        self.counted = procs_per_pod is not None
        self.procs_per_pod = procs_per_pod or 1
        # what is written in place of a number of processes
        self.word = word
        # the devices that a pod asks for by the words at the top
        self.asked = Asked()
        # where that number is written, and else the device of which each has a process
        self.procs_place: Place | None = None
        self.per_device: Sourced | None = None
        self.starter = starter
        # where the starter is written, or would be; whether it is
        self.starter_place: Place | None = None
        self.starter_written = False
        # an elastic job begins with `pods` and has from `least` to `most` of them later
        self.elastic = among is not None
        self.least, self.most = among or (pods, pods)
        # whether one pod is the kind's first role
        self.led = led
        # where the profile takes that role away
        self.unled: Place | None = None
        # roles that the profile names → where; and their own number of pods, one where none is said
        self.named: dict[str, Place] = {}
        self.own: dict[str, Sourced] = {}
        # where the profile says that the launcher trains, if it does
        self.trains: Place | None = None
        # where the target is written
        self.target: Place | None = None

    @property
    def fixed(self) -> bool:
        """Whether the number of pods stays what it is at the start."""
        return self.least == self.most

    @property
    def size(self) -> int:
        """The number of processes."""
        return self.pods * self.procs_per_pod

    def first_and_workers(self, first: str, worker: str, name: str) -> dict[str, Sourced]:
        """One of ``pods`` is the role ``first``, in the manifest called ``name``; the others are workers, if any."""
        counts = {first: Sourced(1, self.pods_place, f"one of `pods` is the {name}, with rank 0")}
        if self.pods > 1:
            counts[worker] = Sourced(self.pods - 1, self.pods_place, f"`pods` minus one {name}")
        return counts


class Gang:
    """Pods that start together."""

    __slots__ = ("by_operator", "of_workloads", "priority", "queue", "queues", "said", "scheduler", "topology")

    def __init__(self, said: Sourced, *, by_operator: bool) -> None:
        # the scheduler's word
        self.said = said
        # whether the operator makes the group itself
        self.by_operator = by_operator
        self.queue: Sourced | None = None
        # what the cluster profile calls the scheduler, where it does
        self.scheduler: Sourced | None = None
        # the queues of the cluster, where its profile names them
        self.queues: Sourced | None = None
        # the job's priority; whether it is one of workloads, which Kueue alone reads, and not of pods
        self.priority: Sourced | None = None
        self.of_workloads = False
        # `within` or `near` → what the group itself says of it
        self.topology: dict[str, Sourced] = {}

    @property
    def word(self) -> str:
        return str(self.said.value)


class Lifecycle:
    """How the job ends and begins again; None: nothing is said. Times are in seconds."""

    __slots__ = (
        "backoff_limit",
        "clean_pods",
        "deadline",
        "managed_by",
        "restart_all",
        "restarts",
        "success",
        "suspend",
        "ttl",
    )

    def __init__(self) -> None:
        # the limit on what the operator counts; where it follows from ``restarts``, incidents, it is theirs
        self.backoff_limit: Sourced | None = None
        self.restarts: Sourced | None = None
        # which pods go when the job ends; None leaves it to the operator
        self.clean_pods: Sourced | None = None
        self.deadline: Sourced | None = None
        # the controller that the operator leaves the job to
        self.managed_by: Sourced | None = None
        # how often all pods start again together
        self.restart_all: Sourced | None = None
        self.success: Sourced | None = None
        self.suspend: Sourced | None = None
        self.ttl: Sourced | None = None


class Elastic:
    """What an elastic job says besides its counts; None: nothing is said."""

    __slots__ = ("backend", "cpu", "host", "least", "most", "port", "restarts")

    def __init__(self, backend: Sourced, least: Sourced, most: Sourced) -> None:
        # the store in which the workers meet, its host and its port
        self.backend = backend
        self.host: Sourced | None = None
        self.port: Sourced | None = None
        self.least = least
        self.most = most
        # how often the workers may meet again
        self.restarts: Sourced | None = None
        # percent of the CPU requests, by which an autoscaler changes the number of workers
        self.cpu: Sourced | None = None


class Launch:
    """What the job says of a launcher and its workers; None: nothing is said."""

    __slots__ = ("implementation", "keys", "port", "sshd", "wait", "words")

    def __init__(self) -> None:
        self.implementation: Sourced | None = None
        # where the keys of ssh are mounted
        self.keys: Sourced | None = None
        # where sshd of the workers listens
        self.port: Sourced | None = None
        # words about sshd of the workers → what they say
        self.sshd: dict[str, Sourced] = {}
        # whether the launcher waits for its workers
        self.wait: Sourced | None = None
        # words of `start` that only a launcher has → where they are written
        self.words: dict[str, Place] = {}


class Fetched:
    """Data that is fetched before the program begins."""

    __slots__ = ("offline", "path", "secret", "uri")

    def __init__(self, uri: Sourced, path: Sourced) -> None:
        self.uri = uri
        # where the program finds it
        self.path = path
        self.secret: Sourced | None = None
        # where somebody says that it is there already
        self.offline: Place | None = None


class Plan:
    """A job, ready to be written down as any kind that can express it."""

    __slots__ = (
        "annotations",
        "cluster",
        "document",
        "elastic",
        "existing",
        "fetched",
        "gang",
        "generated",
        "job_labels",
        "kind",
        "labels",
        "launch",
        "lifecycle",
        "mesh",
        "mirrors",
        "named",
        "namespace",
        "objects",
        "patch",
        "pod_security",
        "prerequisites",
        "pulled",
        "resources",
        "roles",
        "run_policy",
        "runtime",
        "runtime_patch",
        "scheduler",
        "version",
        "waiting",
        "world",
    )

    def __init__(
        self, named: Sourced, kind: Kind, version: str, world: World, roles: Sequence[RolePlan], document: Placer
    ) -> None:
        # the job's name; of a job whose name the API server makes, one that is as long
        self.named = named
        # what that name begins with; None: the job has a name of its own
        self.generated: Sourced | None = None
        self.namespace: Sourced | None = None
        # labels of the job, of its pods, and of what is made beside it
        self.labels: dict[str, Sourced] = {}
        # labels and annotations of the job object alone
        self.job_labels: dict[str, Sourced] = {}
        self.annotations: dict[str, Sourced] = {}
        self.kind = kind
        # of the operator
        self.version = version
        self.world = world
        self.roles: Sequence[RolePlan] = roles
        # what places without a placer of their own are in
        self.document = document
        # the cluster profile, to tell what it brought
        self.cluster: Placer | None = None
        self.lifecycle = Lifecycle()
        self.elastic: Elastic | None = None
        self.launch = Launch()
        # `dataset` and `model`, where they are fetched
        self.fetched: dict[str, Fetched] = {}
        # the runtime of the cluster that brings what the job leaves unsaid
        self.runtime: Sourced | None = None
        # over the job object, and over the runtime of its own
        self.patch: Patch | None = None
        self.runtime_patch: Patch | None = None
        # where the job says what its pods ask for
        self.resources: Place | None = None
        self.gang: Gang | None = None
        # what the gang's scheduler adds, by path below `runPolicy`
        self.run_policy: dict[tuple[str, ...], Sourced] = {}
        # the name of the gang's scheduler, which pods get where neither the job nor the cluster names one
        self.scheduler: Sourced | None = None
        # words of roles whose pods come once the others run; in the gang, both would wait for ever
        self.waiting: tuple[str, ...] = ()
        # facts of the cluster: its level of Pod Security, and its mesh's way to keep pods out
        self.pod_security: Sourced | None = None
        self.mesh: Sourced | None = None
        # beginning of an image → what the cluster pulls in its place; and image as it is pulled so → as it was written
        self.mirrors: dict[str, str] = {}
        self.pulled: dict[str, str] = {}
        # what stands beside the job for every kind
        self.objects: ExtraObjects | None = None
        # objects that lowering writes besides the job and that must be there before it
        self.prerequisites: list[Manifest] = []
        # objects of the cluster without which nobody can tell what comes of the job
        self.existing: list[Manifest] = []

    @property
    def name(self) -> str:
        """The job's name."""
        return str(self.named.value)
