"""What a rule may ask besides its subject: the cluster, the operator, and what is refused of the job and its pods."""

from __future__ import annotations

from specgen.manifest.origins import Origins
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.admission import refusals
from specgen.operators.kubernetes.shell import is_plain
from specgen.profile.library import class_of, installed
from specgen.schema.record import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Container, Role, Workload
    from specgen.operators.expansion import Expansion
    from specgen.operators.kubernetes.argv import Slip
    from specgen.operators.kubernetes.reason import Reason
    from specgen.operators.lifecycle import Lifecycle
    from specgen.operators.objection import Objection
    from specgen.operators.reader import Reader
    from specgen.profile.cluster import ClusterProfile
    from specgen.source import Path

# Causes that the schema of a job finds by itself where its CRD holds the keys of a list unique (SG104).
_UNIQUE = ("claim-twice", "container-twice", "gate-twice", "mount-twice", "spread-twice", "volume-twice")


class Context:
    """What a rule may ask besides its subject."""

    __slots__ = (
        "_asks",
        "_by_cause",
        "_expansion",
        "_faultless",
        "_life",
        "_objections",
        "_reported",
        "_resumed",
        "chosen",
        "cluster",
        "companions",
        "misplaced_env",
        "misshapen",
        "nccl",
        "reader",
        "variables",
    )

    def __init__(
        self,
        cluster: ClusterProfile | None = None,
        misplaced_env: Iterable[tuple[str | int, ...]] = (),
        misshapen: Iterable[tuple[str | int, ...]] = (),
        objections: Iterable[Objection] = (),
        reader: Reader | None = None,
        chosen: frozenset[str] = frozenset(),
        companions: Sequence[Manifest] = (),
    ) -> None:
        # the cluster, if one is known
        self.cluster = cluster
        # paths of list items under ``volumeMounts`` that are environment variables (SG111): they count as written where
        # they belong, so that one slip is one finding
        self.misplaced_env = tuple(misplaced_env)
        # paths of values whose shape is refused
        self.misshapen = tuple(misshapen)
        self._reported: Reported | None = None
        # the kind of the job, as its operator takes it
        self.reader = reader
        # codes of opt-in rules that somebody asked for
        self.chosen = chosen
        # the other objects of the run that may decide about it
        self.companions = companions
        # what is refused of the job; worked out once a rule asks
        self._objections = objections
        self._by_cause: dict[str, list[Objection]] | None = None
        # the variables of each container, as ``_words.variables`` finds them; several rules ask for them
        self.variables: dict[Container, dict[str, tuple[Path, dict[str, Any]]]] = {}
        # the settings of NCCL of each container, as ``_nccl.settings`` finds them
        self.nccl: dict[Container, list[Any]] = {}
        # a pod of the job of which nothing is refused
        self._faultless: dict[str, Any] | None = None
        # what the operator makes of the job
        self._expansion: Expansion | None = None
        # what it makes once the queue has let the job begin, where that is something else
        self._resumed: Expansion | None = None
        # what becomes of it once it runs
        self._life: tuple[Lifecycle | None] | None = None
        # role → what one of its pods asks for, and which of it some pool has
        self._asks: dict[str, tuple[dict[str, int], dict[str, list[str]]]] = {}

    def refused(self, *causes: str) -> list[Objection]:
        """What is refused of the job for these causes, cause by cause, each in the order in which it is looked at."""
        if self._by_cause is None:
            self._by_cause = {}
            for one in self._objections:
                self._by_cause.setdefault(one.cause, []).append(one)
        found = self._by_cause
        return [one for cause in causes for one in found.get(cause, ())] if found else []

    def expanded(self, workload: Workload) -> Expansion:
        """What the operator makes of the job; worked out once a rule asks. It costs: ask where little else is left."""
        if self._expansion is None:
            assert self.reader is not None  # whoever asks for this judges a job
            self._expansion = self.reader.expand(workload)
        return self._expansion

    def resumed(self, workload: Workload) -> Expansion:
        """What the operator makes of the job once its queue has let it begin."""
        from specgen.manifest.model import Manifest
        from specgen.operators.expand import as_resumed

        if self.reader is None or not _is_suspended(workload):
            return self.expanded(workload)
        if self._resumed is not None:
            return self._resumed
        job = self.reader.read(Manifest(as_resumed(workload.manifest.tree), workload.manifest.where), workload.version)
        job.companions, job.gang = workload.companions, workload.gang
        self._resumed = self.reader.expand(job)
        job.release()
        return self._resumed

    def life(self, workload: Workload) -> Lifecycle | None:
        """What becomes of the job once it runs; None where it does not come to that, or nobody knows its operator."""
        if self._life is None:
            self._life = (self._lived(workload),)
        return self._life[0]

    def _lived(self, workload: Workload) -> Lifecycle | None:
        if self.reader is None:
            return None
        if _is_suspended(workload):
            return self.resumed(workload).lifecycle
        return self._expansion.lifecycle if self._expansion is not None else self.reader.life(workload)

    def asks(self, role: Role) -> tuple[dict[str, int], dict[str, list[str]]]:
        """(what a pod of a role asks for in billionths, which devices among it → the pools that have some of them)."""
        known = self._asks.get(role.name)
        if known is None:
            assert self.reader is not None and self.cluster is not None  # whoever asks for this has nodes in mind
            from specgen.operators.kubernetes.room import asked
            from specgen.rules._pools import devices_of

            own = asked(mapping(self.reader.sent(role).get("spec")))
            known = self._asks[role.name] = (own, devices_of(own, self.cluster))
        return known

    def made(self, workload: Workload) -> list[dict[str, Any]]:
        """The pods that the operator makes of the job; none where nobody knows it."""
        return self.expanded(workload).pods if self.reader is not None else []

    def pods(self, role: Role) -> list[dict[str, Any]]:
        """The pods that the operator makes of a role, in order; none where it makes none of the job."""
        expansion = self.expanded(role.workload)
        own = {one.pod for one in expansion.instances if one.role == role.name}
        return [pod for pod in expansion.pods if mapping(pod.get("metadata")).get("name") in own]

    @property
    def operators(self) -> dict[str, str]:
        """The operators that the cluster profile lists → their versions."""
        if self.cluster is None:
            return {}
        found = [(name, installed(self.cluster, name)) for name in plain(self.cluster.operators)]
        return {name: one.version for name, one in found if one is not None}

    @property
    def priorities(self) -> dict[str, str | None]:
        """The priorities that the cluster profile lists → whether they are of a ``pod`` or of a ``workload``."""
        cluster = self.cluster
        return {} if cluster is None else {name: class_of(cluster, name) for name in cluster.scheduling.priorities}

    def serves(self, workload: Workload) -> bool | None:
        """Whether the cluster's operators, as its profile lists them, serve a job; None: the job's own is not listed.

        Operators that profiles have no word for are not known there, nor are any in a profile that lists none.
        """
        if self.cluster is None or self.reader is None or not plain(self.cluster.operators):
            return True
        operator = self.reader.operator
        if not hasattr(self.cluster.operators, operator.name.replace("-", "_")):
            return True
        own = installed(self.cluster, operator.name)
        if own is None:
            brought = operator.comes_with and installed(self.cluster, operator.comes_with) is not None
            return True if brought else None
        kinds = operator.kinds(own.version)
        return not kinds or not operator.has_minor(own.version) or workload.kind in kinds

    def refused_pod(self, role: Role) -> list[Reason]:
        """What the API server refuses of a role's pods and is nobody else's finding; each role is judged once.

        It judges the template as the operator sends it; nothing where the operator makes no pod.
        """
        if role.refused is None:
            reader = self.reader
            assert reader is not None  # whoever asks for this judges a job
            role.refused = self._refused(reader.sent(role)) if reader.makes_pods(role) else []
        return [one for one in role.refused if not _is_known(one, role, self)] if role.refused else []

    def _refused(self, pod: dict[str, Any]) -> list[Reason]:
        """What the API server refuses of a pod; of one that is nearly like one without fault, what is new in it."""
        if self._faultless is None:
            found = list(refusals(pod))
            self._faultless = pod if not found else None
            return found
        # what is refused of a part is said with its place in the whole
        return list(refusals(pod)) if any(refusals(_news(pod, self._faultless))) else []

    def is_reported(self, path: Path) -> bool:
        """Whether a path leads to a value whose shape is refused, or to a part of one, or above one."""
        if self._reported is None:
            self._reported = Reported((*self.misplaced_env, *self.misshapen))
        return self._reported.meets(path)

    def slips(self, container: Container) -> list[Slip]:
        """What cannot work of a container's command line as it is written; each container is judged once."""
        if container.slips is None:
            found = container.words()
            words = [text for _, _, text in found]
            container.slips = []
            if not is_plain(words, program=bool(found) and found[0][0] == "command"):
                from specgen.rules._slips import slips_of  # most command lines are plain

                container.slips = slips_of(container, words, self.made)
        return container.slips

    def refused_container(self, container: Container) -> list[Reason]:
        """That of one container."""
        own: Path = ("spec", *container.path[-2:])
        return [one for one in self.refused_pod(container.role) if one.path[:3] == own]


def _is_suspended(workload: Workload) -> bool:
    spec = mapping(workload.manifest.tree.get("spec"))
    return True in (spec.get("suspend"), mapping(spec.get("runPolicy")).get("suspend"))


class Reported:
    """Paths that something was found at."""

    __slots__ = ("_above", "_paths")

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = frozenset(paths)
        self._above = frozenset([path[:cut] for path in self._paths for cut in range(len(path))])

    def meets(self, path: Path) -> bool:
        """Whether one of them is this path, lies below it, or above it."""
        return path in self._above or any([path[:cut] in self._paths for cut in range(len(path) + 1)])


def _news(pod: dict[str, Any], seen: dict[str, Any]) -> dict[str, Any]:
    """What of a pod must still be judged once another one was found right, as twin roles of a job have nearly the same.

    Where nothing but the restart policy and further init containers differ, these, and the names they must not repeat.
    """
    spec, other = pod["spec"], seen["spec"]
    mine, theirs = sequence(spec.get("initContainers")), sequence(other.get("initContainers"))
    apart = ("initContainers", "restartPolicy")
    same = pod.get("metadata") == seen.get("metadata") and mine[: len(theirs)] == theirs
    if not same or any([other.get(key) is not value for key, value in spec.items() if key not in apart]):
        return pod
    known = [
        {"name": mapping(one).get("name"), "image": "known"} for one in (*theirs, *sequence(spec.get("containers")))
    ]
    return {
        "spec": {**{key: spec[key] for key in apart[1:] if key in spec}, "containers": [*known, *mine[len(theirs) :]]}
    }


def is_own(role: Role, path: Path) -> bool:
    """Whether a path of the pod leads to something of the role's template, and not to what its operator adds."""
    tree: Any = {"spec": role.pod, "metadata": role.template.get("metadata")}
    for step in path:
        if isinstance(step, int) and (not isinstance(tree, list) or step >= len(tree)):
            return False
        tree = below(tree, step)
    # a field that is missing is missing in the template
    return True


def below(tree: Any, step: str | int) -> Any:
    """The item or field of a tree; None where it has none."""
    if isinstance(step, int):
        return tree[step] if isinstance(tree, list) and step < len(tree) else None
    return mapping(tree).get(step)


def _is_known(reason: Reason, role: Role, context: Context) -> bool:
    """Whether a refusal is another finding already, or about a text that a tool still fills in."""
    path: Path = (*role.template_path, *reason.path)
    if context.is_reported(path):
        return True
    # a runtime's lists are judged where the runtime is
    if role.workload.operator == "trainer" and reason.cause in _UNIQUE:
        return True
    return reason.cause != "no-volume" and _is_unfinished(role, reason.path)


def _is_unfinished(role: Role, path: Path) -> bool:
    tree = {"spec": role.pod, "metadata": role.template.get("metadata")}
    return unfinished(tree, path, role.workload.manifest)


def unfinished(tree: Any, path: Path, manifest: Manifest) -> bool:
    """Whether a value, or the key that names it, holds what a tool fills in: ``${NAME}``, ``{{name}}``."""
    for step in path:
        tree = below(tree, step)
    # what was compiled has no `$(NAME)` that kustomize once filled in
    signs = ("${", "{{") if isinstance(manifest.where, Origins) else ("$", "{{")
    return any(sign in text for text in (tree, path[-1]) if isinstance(text, str) for sign in signs)
