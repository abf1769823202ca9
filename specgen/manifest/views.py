"""Read-only looks at a tree: workload, role, container. What has the wrong type is treated as absent, never trusted."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.source import Path


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


class Container:
    """A container of a pod template; ``init`` says that it is an init container."""

    __slots__ = ("_amounts", "_env", "_line", "_mounts", "_words", "init", "path", "role", "slips", "split", "tree")

    def __init__(self, role: Role, path: Path, tree: dict[str, Any], *, init: bool) -> None:
        self.role = role
        self.path = path
        self.tree = tree
        self.init = init
        self._env: dict[str, tuple[int, dict[str, Any]]] | None = None
        self._mounts: list[tuple[int, dict[str, Any]]] | None = None
        self._amounts: dict[str, tuple[Any, Path]] | None = None
        self._words: list[tuple[str, int, str]] | None = None
        self._line: str | None = None
        # What cannot work of its command line, and the words of its scripts, once a rule has asked.
        self.slips: list[Any] | None = None
        self.split: list[Any] | None = None

    @property
    def name(self) -> str:
        name = self.tree.get("name")
        return name if isinstance(name, str) else ""

    @property
    def env(self) -> dict[str, tuple[int, dict[str, Any]]]:
        """Variable → (index in the list, its entry); of equal names the last, as Kubernetes takes it."""
        if self._env is None:
            self._env = {}
            for index, entry in enumerate(sequence(self.tree.get("env"))):
                name = mapping(entry).get("name")
                if isinstance(name, str):
                    self._env[name] = (index, entry)
        return self._env

    @property
    def mounts(self) -> list[tuple[int, dict[str, Any]]]:
        """(index, entry) of each volume mount that has a path."""
        if self._mounts is None:
            self._mounts = [
                (index, entry)
                for index, entry in enumerate(sequence(self.tree.get("volumeMounts")))
                if isinstance(mapping(entry).get("mountPath"), str)
            ]
        return self._mounts

    @property
    def mounted(self) -> list[str]:
        """The paths at which something is mounted, by its own list or by the operator."""
        own = [entry["mountPath"] for _, entry in self.mounts]
        return own if self.init else [*own, *self.role.workload.added_mounts]

    def mounts_at(self, path: str) -> bool:
        """Whether something is mounted at exactly this path."""
        return any(one.rstrip("/") == path for one in self.mounted)

    def amounts(self) -> dict[str, tuple[Any, Path]]:
        """Resource → (amount, path of the value): limits first, then requests without a limit."""
        if self._amounts is None:
            self._amounts = {}
            resources = mapping(self.tree.get("resources"))
            for side in ("limits", "requests"):
                for name, amount in mapping(resources.get(side)).items():
                    if name not in self._amounts:
                        self._amounts[name] = (amount, (*self.path, "resources", side, name))
        return self._amounts

    def words(self) -> list[tuple[str, int, str]]:
        """(``command`` or ``args``, index, text) of the command line in order."""
        if self._words is None:
            self._words = [
                (key, index, word)
                for key in ("command", "args")
                for index, word in enumerate(sequence(self.tree.get(key)))
                if isinstance(word, str)
            ]
        return self._words

    @property
    def line(self) -> str:
        """The texts of the command line, with blanks between them: whether a word is in any of them is asked often."""
        if self._line is None:
            self._line = " ".join([text for _, _, text in self.words()])
        return self._line


class Role:
    """One role of a workload: its replicas and its pod template."""

    __slots__ = (
        "_containers",
        "_pod",
        "_template",
        "default_replicas",
        "name",
        "path",
        "refused",
        "template_path",
        "tree",
        "workload",
    )

    def __init__(
        self,
        workload: Workload,
        name: str,
        path: Path,
        tree: Any,
        template: tuple[str, ...] = ("template",),
        *,
        default_replicas: int = 1,
    ) -> None:
        self.workload = workload
        self.name = name
        self.path = path
        self.tree = mapping(tree)
        self.template_path = (*path, *template)
        # replicas that absent ones stand for
        self.default_replicas = default_replicas
        self._template: dict[str, Any] | None = None
        self._pod: dict[str, Any] | None = None
        self._containers: dict[bool, list[Container]] = {}
        # What the API server refuses of the role's pods, once a rule has asked.
        self.refused: list[Any] | None = None

    @property
    def replicas(self) -> int:
        """Replicas as the operator counts them: ``default_replicas`` where absent or no number."""
        count = self.tree.get("replicas")
        return count if isinstance(count, int) and not isinstance(count, bool) else self.default_replicas

    @property
    def replicas_place(self) -> Place:
        """Where they are said; the role itself where nobody says them."""
        return Place((*self.path, "replicas")) if "replicas" in self.tree else Place(self.path, KEY)

    @property
    def template(self) -> dict[str, Any]:
        if self._template is None:
            tree: Any = self.tree
            for step in self.template_path[len(self.path) :]:
                tree = mapping(tree).get(str(step))
            self._template = mapping(tree)
        return self._template

    @property
    def pod(self) -> dict[str, Any]:
        if self._pod is None:
            self._pod = mapping(self.template.get("spec"))
        return self._pod

    @property
    def pod_path(self) -> Path:
        return (*self.template_path, "spec")

    def containers(self, *, init: bool = False) -> list[Container]:
        """The pod's containers, or its init containers; the same objects whenever they are asked for."""
        if init not in self._containers:
            key = "initContainers" if init else "containers"
            self._containers[init] = [
                Container(self, (*self.pod_path, key, index), tree, init=init)
                for index, tree in enumerate(sequence(self.pod.get(key)))
                if isinstance(tree, dict)
            ]
        return self._containers[init]

    def release(self) -> None:
        """Lets the containers go, which name the role as it names them."""
        self._containers = {}

    @property
    def main(self) -> Container | None:
        """The container that trains: the one with the operator's name, else the only one or the first."""
        containers = self.containers()
        if self.workload.container is None:
            return containers[0] if containers else None
        for container in containers:
            if container.name == self.workload.container:
                return container
        return containers[0] if len(containers) == 1 else None


class Terms:
    """What an operator asks of the roles of every job of a kind: data for its refusals and for the rules."""

    __slots__ = (
        "cleans",
        "field",
        "hooked",
        "hosts",
        "letter_first",
        "lone",
        "managers",
        "needed",
        "path",
        "peopled",
        "port",
        "restart",
        "restarts",
        "roles",
        "single",
        "strict",
    )

    def __init__(
        self,
        field: str,
        roles: tuple[str, ...],
        *,
        strict: bool = True,
        needed: tuple[str, ...] = (),
        single: tuple[str, ...] = (),
        lone: tuple[str, ...] = (),
        peopled: tuple[str, ...] = (),
        restart: dict[str, str] | None = None,
        restarts: tuple[str, ...] = ("Always", "OnFailure", "Never", "ExitCode"),
        managers: tuple[str, ...] = (),
        port: tuple[str, int] | None = None,
        hosts: tuple[str, ...] | None = None,
        letter_first: bool = True,
        hooked: bool = False,
    ) -> None:
        # the field of the spec in which the roles stand
        self.field = field
        self.path: Path = ("spec", field)
        # the words for them, in the operator's order
        self.roles = roles
        # whether pods come of no other words
        self.strict = strict
        # roles without which a job is refused
        self.needed = needed
        # roles that have exactly one pod
        self.single = single
        # roles of which the program takes one pod at most, though nobody refuses more
        self.lone = lone
        # roles that have at least one pod where they are written
        self.peopled = peopled
        # role → the policy of its pods where it gives none; under an empty word that of all others
        self.restart = {"": "Never", **(restart or {})}
        # words for ``restartPolicy``
        self.restarts = restarts
        # words for ``cleanPodPolicy``
        self.cleans = ("None", "Running", "All")
        # words for ``managedBy``; empty where nobody looks at it
        self.managers = managers
        # (name, number) that the operator adds to the training container; None: it adds none
        self.port = port
        # roles after whose pods a Service or a host is called; None: all
        self.hosts = hosts
        # whether a job's name must be a DNS label that begins with a letter
        self.letter_first = letter_first
        # whether the operator has an admission webhook for the kind, be it in newer releases alone
        self.hooked = hooked


class Workload:
    """A job as its operator sees it, read from the manifest by its backend.

    ``container``: the name by which the operator finds the training container; None where it takes the first.
    ``procs_per_pod``: processes that the operator believes each pod to start (1 if it does not say); ``procs_told``:
    what it tells torchrun of them (``PET_NPROC_PER_NODE``), empty where that is not known here, None where it tells
    nothing. ``gang``: the operator's flag for gang scheduling, None without. ``companions``: other objects of the same
    files, unjudged. ``added_volumes``: volumes that the operator adds to its pods, which templates may mount;
    ``added_mounts``: paths at which it mounts volumes of the job's own list, in all but init containers.
    ``terms``: what is asked of its roles, None where they are another object's. ``hooked``: an admission webhook judges
    it. ``shaped``: its tree is known to have the shape of its schema, and holds no nulls.
    """

    __slots__ = (
        "added_mounts",
        "added_volumes",
        "companions",
        "container",
        "gang",
        "hooked",
        "manifest",
        "operator",
        "procs_path",
        "procs_per_pod",
        "procs_told",
        "roles",
        "rules_env",
        "shaped",
        "terms",
        "version",
    )

    def __init__(self, manifest: Manifest, *, container: str | None, operator: str, version: str) -> None:
        self.manifest = manifest
        self.container = container
        self.operator = operator
        self.version = version
        self.gang: str | None = None
        self.companions: Sequence[Manifest] = ()
        self.procs_per_pod = 1
        self.procs_path: Path | None = None
        self.procs_told: str | None = None
        self.roles: list[Role] = []
        self.rules_env: frozenset[str] = frozenset()
        self.added_volumes: tuple[str, ...] = ()
        self.added_mounts: tuple[str, ...] = ()
        self.hooked = False
        self.shaped = False
        self.terms: Terms | None = None

    def release(self) -> None:
        """Lets the roles go, which name the job as it names them: so that a file's whole tree is freed when it has been
        judged, and not when the collector of cycles comes by."""
        for role in self.roles:
            role.release()
        self.roles = []

    @property
    def kind(self) -> str:
        return self.manifest.ref.kind

    @property
    def pods(self) -> int:
        return sum(role.replicas for role in self.roles)

    @property
    def world_size(self) -> int:
        return self.pods * self.procs_per_pod
