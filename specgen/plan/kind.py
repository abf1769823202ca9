"""What the planner must know of a target kind: plain data, which each module of ``lower`` holds in ``PLAN``.

What differs by job or by version, the planner asks that module (``target``).
"""

from __future__ import annotations

from specgen.diagnostics.model import article

# Where the operators write the host file (mpi-operator 0.8, training-operator 1.9 and Trainer 2.3 alike).
HOSTFILE = "/etc/mpi/hostfile"


class Kind:
    """A target kind: its roles, its starters, and what its operator takes."""

    __slots__ = (
        "all_devices",
        "constant_env",
        "counts_pods",
        "elastic",
        "fetches",
        "first",
        "flags",
        "gang",
        "hands_words_on",
        "labels",
        "launcher",
        "leaves",
        "letter",
        "meets",
        "name",
        "names_scheduler",
        "no_gang",
        "operator",
        "other",
        "own",
        "pods_of",
        "port",
        "reserved_env",
        "restart",
        "restarts",
        "rigid",
        "roles",
        "serving",
        "single",
        "starter",
        "starters",
        "together",
        "unled",
        "wakes",
        "worker",
    )

    def __init__(
        self,
        name: str,
        *,
        operator: str,
        roles: dict[str, str],
        first: str | None,
        worker: str,
        starters: tuple[str, ...],
        restart: str,
        reserved_env: frozenset[str],
        constant_env: dict[str, str] | None = None,
        labels: tuple[str, str],
        starter: str = "none",
        own: tuple[str, ...] = (),
        serving: tuple[str, ...] = (),
        launcher: str | None = None,
        restarts: dict[str, str] | None = None,
        letter: str = "the webhook wants a letter first",
        elastic: bool = False,
        rigid: str = "",
        no_gang: dict[str, str] | None = None,
        gang: str = "",
        flags: tuple[str, ...] = ("volcano", "scheduler-plugins"),
        single: tuple[str, ...] = (),
        all_devices: bool = False,
        pods_of: tuple[int, int] | None = None,
        port: tuple[str, int] | None = None,
        fetches: bool = False,
        names_scheduler: bool = True,
        leaves: bool = False,
        unled: bool = False,
        hands_words_on: bool = False,
        meets: tuple[str, str, str] | None = None,
        together: bool = False,
        counts_pods: str = "",
        wakes: bool = True,
        other: str = "",
    ) -> None:
        self.name = name
        # the operator that serves it, by its name in cluster profiles
        self.operator = operator
        # another operator, which serves the kind in another version, and whose jobs can be what these cannot
        self.other = other
        # word in the profile → name in the manifest, in the manifest's order
        self.roles = roles
        # the word of the role that always takes one of the pods and has rank 0 (PyTorchJob's Master), or None
        self.first = first
        # whether `first` can be taken away, and all pods are then workers
        self.unled = unled
        # the word of the role that holds `pods`, or what `first` leaves of them
        self.worker = worker
        # words of roles with a count of their own
        self.own = own
        # words of roles that compute nothing, and have devices only where they say so themselves
        self.serving = serving
        # words of roles that come with the others, one pod each
        self.single = single
        # the word of the role that runs mpirun's line, or None
        self.launcher = launcher
        # words of `start` that it can do, and the one that it has by itself
        self.starters = starters
        self.starter = starter
        # whether the operator hands torchrun's words for a number of processes on
        self.hands_words_on = hands_words_on
        # the variable in which processes are told how many they are, where the operator counts pods in it
        self.counts_pods = counts_pods
        # variables that tell each pod its number and the address and port of the first one
        self.meets = meets
        # whether a process uses all devices of its pod
        self.all_devices = all_devices
        # the operator's restart policy, and that of roles with another one, by their words
        self.restart = restart
        self.restarts = restarts or {}
        # whether the number of workers may change while the job runs; what a reader should know where it may not
        self.elastic = elastic
        self.rigid = rigid
        # whether it fetches data by `uri`, and runs over runtimes of the cluster
        self.fetches = fetches
        # gang scheduler → why its jobs cannot have it, unless their operator makes the gang itself, for one of `flags`
        self.no_gang = no_gang or {}
        self.flags = flags
        # the gang scheduler whose own kind it is: each of its jobs is a gang, unless it says that it is none
        self.gang = gang
        # whether an operator that makes the gang's group also names the scheduler in the pods
        self.names_scheduler = names_scheduler
        # whether every release of its operator leaves jobs to another controller, by `spec.managedBy`
        self.leaves = leaves
        # whether one pod that fails has all of them begin again, and that is what is counted
        self.together = together
        # whether its operator looks when the job's deadline is over; else it does when a pod changes
        self.wakes = wakes
        # variables that the operator sets
        self.reserved_env = reserved_env
        # those of them that have one value in every pod of every job
        self.constant_env = constant_env or {}
        # the operator's labels for the job's name and the role on its pods
        self.labels = labels
        # who wants names to begin with a letter, empty where nobody does
        self.letter = letter
        # the version of Kubernetes whose pods the CRD knows, where that is an old one
        self.pods_of = pods_of
        # (name, number) of the port that the operator gives every pod of a job without a launcher
        self.port = port

    @property
    def one(self) -> str:
        """The kind in a sentence: ``a PyTorchJob``, ``an MSJob``."""
        return article(self.name)


class Mpi:
    """How the launcher of a kind finds and reaches its workers, at one version of the operator."""

    __slots__ = (
        "agent",
        "holds",
        "hostfile",
        "hosts",
        "idle",
        "implementations",
        "keys",
        "mounts",
        "refusal",
        "written",
    )

    def __init__(
        self,
        *,
        agent: str | None,
        idle: tuple[str, ...],
        mounts: tuple[tuple[str, str], ...],
        implementations: tuple[str, ...] = ("OpenMPI",),
        holds: bool = False,
        refusal: str = "",
        keys: str = "",
        written: bool = False,
        hosts: str = "",
        hostfile: str = HOSTFILE,
    ) -> None:
        # the program by which it starts processes in them, None for ssh; what an agent starts sees the variables of
        # the worker's container, what sshd starts does not
        self.agent = agent
        # what the operator has a worker without a command run, and whether that must be written nevertheless
        self.idle = idle
        self.written = written
        # (volume, path) of what the operator adds to the launcher
        self.mounts = mounts
        # where the keys of ssh are mounted
        self.keys = keys
        # the host file; where the operator mounts a list of hosts without slots, the launcher writes it from that
        self.hostfile = hostfile
        self.hosts = hosts
        # the implementations of MPI that the operator writes host files for
        self.implementations = implementations
        # whether the operator can create the launcher once the workers are ready
        self.holds = holds
        # why the launcher cannot train, or cannot but train; empty where all is well
        self.refusal = refusal
