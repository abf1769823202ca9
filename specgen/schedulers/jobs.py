"""Which pods a job has at which time: what its operator makes, in what order, and what follows when one is lost.

A unit is what one controller makes one after the other: the pods of a role, or those of one batch Job. Its first pod
that is refused keeps out those behind it. Held against recordings of the operators' pods beside a real scheduler.
"""

from __future__ import annotations

from functools import partial

from specgen.manifest.model import Manifest
from specgen.manifest.views import mapping, sequence
from specgen.operators import by_object
from specgen.operators.expand import expand_manifest
from specgen.operators.expansion import MOST_PODS
from specgen.operators.jobset import facts as layout
from specgen.operators.jobset.pods_of_jobs import alone, pod_of, priority_of
from specgen.operators.lifecycle import BACKOFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from specgen.operators.expansion import Expansion
    from specgen.operators.lifecycle import Lifecycle
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.world import Operators

_LAUNCHER = "launcher"
# Kinds whose operator goes through its roles in the order of a Go map: any.
UNORDERED = ("PyTorchJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob", "MSJob")
_NAMELESS = "it has neither a name nor `generateName`"
_CONTAINERS = ("initContainers", "containers")


def placeless(tree: dict[str, Any]) -> Manifest:
    """An object that no file shows."""
    from specgen.document.tree import Document, Mapping
    from specgen.source import Source

    return Manifest(tree, Document(Source("", ""), Mapping(0), 0))


class Unit:
    """Pods that are made one after the other. ``child``: the batch Job that makes them, None: the operator itself.

    ``count``: pods that the operator itself makes, ``size``: pods in all; ``write`` writes pods, and ``bear`` the batch
    Job, where somebody asks for them.
    """

    __slots__ = (
        "_bear",
        "_child",
        "_made",
        "_pods",
        "_size",
        "_write",
        "count",
        "done",
        "failures",
        "label",
        "name",
        "resting",
        "role",
        "topology",
    )

    def __init__(
        self,
        role: str,
        name: str,
        pods: Sequence[tuple[str, dict[str, Any]]] = (),
        child: dict[str, Any] | None = None,
        *,
        count: int = 0,
        size: int | None = None,
        write: Callable[[], list[tuple[str, dict[str, Any]]]] | None = None,
        bear: Callable[[], dict[str, Any] | None] | None = None,
    ) -> None:
        self.role = role
        self.name = name
        self._child = child
        self._bear = bear
        self.count = count or len(pods)
        self._size = size
        self._pods = list(pods)
        self._write = write
        # indexes of a batch Job that have ended well, and those whose pod comes anew after a while
        self.done: set[int] = set()
        self.resting: set[int] = set()
        self.failures = 0
        # (priority, (index, domain, its value) → the pod), of a batch Job
        self._made: tuple[dict[str, Any], dict[tuple[int, str, str | None], dict[str, Any]]] = ({}, {})
        # the domain that is this Job's alone, and its value once the first pod has a node
        self.topology = ""
        self.label: str | None = None

    @property
    def pods(self) -> list[tuple[str, dict[str, Any]]]:
        """(key, pod) in the order in which they are made; of a batch Job they are made when they are due."""
        if self._write is not None:
            self._pods, self._write = self._write(), None
        return self._pods

    @property
    def child(self) -> dict[str, Any] | None:
        if self._bear is not None:
            self._child, self._bear = self._bear(), None
        return self._child

    @property
    def size(self) -> int:
        if self._size is None:
            self._size = self.count if self.child is None else layout.pods_each(self.spec)
        return self._size

    @property
    def spec(self) -> dict[str, Any]:
        """The spec of the batch Job."""
        return mapping(mapping(self.child).get("spec"))

    @property
    def completions(self) -> int:
        """Pods of the batch Job that must end well."""
        return layout.number(self.spec.get("completions"), layout.pods_each(self.spec))

    def due(self, companions: Sequence[Manifest]) -> list[tuple[str, dict[str, Any]]]:
        """The pods that are to be there now, by key; those of a batch Job that are not done."""
        if self.child is None:
            return self.pods
        spec = self.spec
        indexed = spec.get("completionMode") == "Indexed"
        wanted = min(layout.number(spec.get("parallelism"), 1), max(self.completions - len(self.done), 0))
        due: list[tuple[str, dict[str, Any]]] = []
        priority = priority_of(mapping(mapping(spec.get("template")).get("spec")), companions)
        if self._made[0] != priority:
            self._made = (priority, {})
        known = self._made[1]
        for index in range(self.completions):
            if len(due) >= wanted:
                break
            if index in self.done or index in self.resting:
                continue
            at = (index, self.topology, self.label)
            if at not in known:
                if self.topology and index and self.label is None:
                    break  # the webhook refuses those that follow until the first one has a node
                known[at] = self._pod(mapping(self.child), index, indexed, priority)
            due.append((f"{self.name}-{index}", known[at]))
        return due

    def _pod(self, child: dict[str, Any], index: int, indexed: bool, priority: dict[str, Any]) -> dict[str, Any]:
        pod = pod_of(child, index, indexed=indexed, priority=priority)
        if self.topology and index == 0:
            alone(pod, self.topology)
        elif self.topology:
            pod["spec"]["nodeSelector"] = {**mapping(pod["spec"].get("nodeSelector")), self.topology: self.label}
        return pod


class Job:
    """A job and its pods. ``refused``: why it is not accepted, by whom; ``told``: why pods of it are not made;
    ``unnamed``: role → what a quota counts and containers of its pods do not say, with those containers.

    ``like``: a job that differs from it in its name alone, so that what comes of it need not be worked out.
    """

    __slots__ = (
        "_companions",
        "_expansion",
        "_operators",
        "_whole",
        "equipped",
        "failed",
        "finished",
        "gone",
        "id",
        "kind",
        "left_out",
        "lifecycle",
        "name",
        "namespace",
        "number",
        "refused",
        "refused_by",
        "restarts",
        "reverse",
        "services",
        "stages",
        "suspended",
        "told",
        "tree",
        "units",
        "unnamed",
    )

    def __init__(
        self,
        tree: dict[str, Any],
        companions: Sequence[Manifest],
        *,
        reverse: bool = False,
        operators: Operators | None = None,
        like: Job | None = None,
    ) -> None:
        self._operators = operators or {}
        self._companions = companions
        # when it was submitted, counted
        self.number = 0
        metadata = mapping(tree.get("metadata"))
        self.kind = str(tree.get("kind"))
        self.name = str(metadata.get("name") or metadata.get("generateName") or "")
        self.namespace = str(metadata.get("namespace") or "default")
        # what it is called among others: its name, or more where two have the same
        self.id = self.name
        self.reverse = reverse
        self.finished = self.failed = self.gone = False
        # those that spread its pods
        self.services: list[dict[str, Any]] = []
        # whether there is what its operator makes before pods
        self.equipped = False
        self.restarts = 0
        self.told: dict[str, None] = {}
        self.unnamed: dict[str, dict[str, list[str]]] = {}
        if like is None:
            self.load(tree, companions)
        else:
            self._take(tree, like)

    @property
    def expansion(self) -> Expansion | None:
        """What the operator makes of it."""
        return self._expansion if self._whole is None else self._whole().expansion

    def load(self, tree: dict[str, Any], companions: Sequence[Manifest]) -> None:
        """What comes of the job as it is written now."""
        self.tree = tree
        self.refused = self.refused_by = ""
        self.left_out = 0
        self.units: list[Unit] = []
        # (unit, units that must be ready, or complete, before it)
        self.stages: dict[str, list[tuple[Unit, bool]]] = {}
        self._expansion: Expansion | None = None
        self._whole: Callable[[], Job] | None = None
        self.lifecycle: Lifecycle | None = None
        spec = mapping(tree.get("spec"))
        self.suspended = spec.get("suspend") is True or mapping(spec.get("runPolicy")).get("suspend") is True
        if (tree.get("apiVersion"), tree.get("kind")) == ("batch/v1", "Job"):
            self._batch(tree)
            self.units = [] if self.left_out else self.units
            return
        if (tree.get("apiVersion"), tree.get("kind")) == ("v1", "Pod"):
            self._pod(tree)
            return
        reader = by_object(str(tree.get("apiVersion")), self.kind)
        if reader is None:
            self.refused = f"{self.kind} of {tree.get('apiVersion')} is no job that is known here"
            return
        version, flag = self._operators.get(reader.operator.name, (None, None))
        gang = flag or None
        expansion, findings = expand_manifest(placeless(tree), reader, version, gang=gang, companions=companions)
        if expansion is None:
            self.refused = next((one.message for one in findings), "the API server does not store it")
            return
        self._expansion = expansion
        self.left_out = expansion.left_out
        self.lifecycle = expansion.lifecycle
        for refusal in expansion.refusals:
            if refusal.kind == self.kind and refusal.name == expansion.job.name:
                self.refused, self.refused_by = refusal.reason, refusal.by
                return
            self.told[f"{refusal.kind} {refusal.name}: {refusal.reason}"] = None
        if self.suspended:
            return
        children = [one for one in expansion.others if one.get("kind") == "Job"]
        if self.kind in ("JobSet", "TrainJob"):
            self._children(expansion, children)
        else:
            self._roles(expansion, children)
        if self.left_out:
            self.units = []  # a part of them would say nothing

    def _take(self, tree: dict[str, Any], like: Job) -> None:
        """What comes of the job as of another one, all but what bears its name."""
        read: list[Job] = []

        def whole() -> Job:
            if not read:
                read.append(Job(tree, self._companions, reverse=self.reverse, operators=self._operators))
            return read[0]

        def pods(at: int) -> list[tuple[str, dict[str, Any]]]:
            return whole().units[at].pods

        def child(at: int) -> dict[str, Any] | None:
            return whole().units[at].child

        self.tree = tree
        self.refused = self.refused_by = ""
        self.left_out = 0
        self.stages = {}
        self._expansion, self._whole = None, whole
        self.lifecycle = like.lifecycle
        self.suspended = like.suspended
        self.units = [
            Unit(
                unit.role,
                unit.name.replace(like.name, self.name),
                count=unit.count,
                size=unit.size,
                write=partial(pods, at),
                bear=partial(child, at),
            )
            for at, unit in enumerate(like.units)
        ]

    def _batch(self, tree: dict[str, Any]) -> None:
        from specgen.operators.kubernetes.admission import pod_refusal
        from specgen.operators.lifecycle import EVERY, NOTHING, End, Lifecycle, Success

        spec = mapping(tree.get("spec"))
        template = mapping(spec.get("template"))
        self.refused = pod_refusal(
            {"metadata": mapping(template.get("metadata")), "spec": mapping(template.get("spec"))}
        )
        if mapping(template.get("spec")).get("restartPolicy") not in ("Never", "OnFailure"):
            self.refused = self.refused or "`restartPolicy` of a Job's pods is Never or OnFailure"
        own = mapping(template.get("spec"))
        if any(not isinstance(one, dict) for word in _CONTAINERS for one in sequence(own.get(word))):
            self.refused = self.refused or "a container of its pods is no mapping"
        self.refused = self.refused or ("" if self.name else _NAMELESS)
        if self.refused:
            return
        metadata = mapping(template.get("metadata"))
        words = {"batch.kubernetes.io/job-name": self.name, "job-name": self.name}
        inner = {
            "labels": {**mapping(metadata.get("labels")), **words},
            "annotations": {**mapping(metadata.get("annotations"))},
        }
        named = {**mapping(tree.get("metadata")), "name": self.name}
        stored = {**tree, "metadata": named, "spec": {**spec, "template": {"metadata": inner, "spec": own}}}
        if not self.suspended:
            self.units = [Unit("pod", self.name, child=stored)]
            self.left_out = max(layout.pods_each(spec) - MOST_PODS, 0)
        self.lifecycle = Lifecycle(Success(EVERY, ["pod"]), [], End(NOTHING, ""), [])

    def _pod(self, tree: dict[str, Any]) -> None:
        """A pod by itself, which nobody makes anew."""
        from specgen.operators.kubernetes.admission import pod_refusal
        from specgen.operators.lifecycle import EVERY, NOTHING, End, Lifecycle, Success

        self.suspended = False
        self.refused = pod_refusal(tree) or ("" if self.name else _NAMELESS)
        if not self.refused:
            self.units = [Unit("pod", self.name, [(self.name, tree)])]
            self.lifecycle = Lifecycle(Success(EVERY, ["pod"]), [], End(NOTHING, ""), [])

    def _roles(self, expansion: Expansion, children: list[dict[str, Any]]) -> None:
        found: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        for pod, instance in zip(expansion.pods, expansion.instances, strict=False):
            own = found.setdefault(instance.role.lower(), [])
            own.append((f"{instance.role.lower()}-{len(own)}", pod))
        names = list(found)
        if _LAUNCHER in names and self.kind == "MPIJob":
            names = [*(name for name in names if name != _LAUNCHER), _LAUNCHER]
        if self.reverse and self.kind in UNORDERED:
            names.reverse()
        for name in names:
            child = None
            if name == _LAUNCHER and children:
                child = children[0]
                inner = mapping(found[name][0][1].get("metadata"))
                spec = mapping(child.get("spec"))
                template = {"metadata": {"annotations": {}, **inner}, "spec": found[name][0][1]["spec"]}
                child = {**child, "spec": {"parallelism": 1, "completions": 1, **spec, "template": template}}
            self.units.append(Unit(name, f"{self.name}-{name}", found[name], child))
        if len(self.units) > 1 and self.units[-1].child is not None:
            # the launcher comes when all Workers exist, or are ready where the job says so
            ready = any("come when all Workers are ready" in note for note in expansion.notes)
            self.stages[self.units[-1].name] = [(unit, ready) for unit in self.units[:-1]]

        if self.kind == "Job":
            self._tasks()

    def _tasks(self) -> None:
        """Tasks of a Volcano Job that wait for others: until all pods of those run (``iteration: all``)."""
        units = {unit.role: unit for unit in self.units}
        for task in (mapping(one) for one in sequence(mapping(self.tree.get("spec")).get("tasks"))):
            unit = units.get(str(task.get("name")).lower())
            names = [str(name).lower() for name in sequence(mapping(task.get("dependsOn")).get("name"))]
            if unit is not None and names:
                self.stages[unit.name] = [(units[name], True) for name in names if name in units]

    def _children(self, expansion: Expansion, children: list[dict[str, Any]]) -> None:
        jobset = next((one for one in expansion.others if one.get("kind") == "JobSet"), self.tree)
        spec = mapping(jobset.get("spec"))
        ordered = mapping(spec.get("startupPolicy")).get("startupPolicyOrder") == "InOrder"
        by_role: dict[str, list[Unit]] = {}
        for tree in children:
            metadata = mapping(tree.get("metadata"))
            role = str(mapping(metadata.get("labels")).get(layout.PREFIX + "replicatedjob-name"))
            unit = Unit(role, str(metadata.get("name")), child=tree)
            annotations = mapping(mapping(mapping(tree["spec"]["template"]).get("metadata")).get("annotations"))
            if layout.BY_SELECTOR not in annotations:
                unit.topology = str(annotations.get(layout.EXCLUSIVE, ""))
            by_role.setdefault(role, []).append(unit)
            self.units.append(unit)
        before: list[Unit] = []
        for job in (mapping(one) for one in sequence(spec.get("replicatedJobs"))):
            own = by_role.get(str(job.get("name")), [])
            for unit in own:
                self.stages[unit.name] = [(one, True) for one in before] if ordered else []
                for entry in (mapping(one) for one in sequence(job.get("dependsOn"))):
                    for one in by_role.get(str(entry.get("name")), []):
                        self.stages[unit.name].append((one, entry.get("status") != "Complete"))
            before += own

    @property
    def expected(self) -> int | None:
        """Pods by the replicas of the manifest; None: it does not say them itself."""
        spec = mapping(self.tree.get("spec"))
        if self.kind == "TrainJob":
            return None
        if self.kind == "Pod":
            return 1
        if self.kind == "Job":
            return layout.pods_each(spec)
        if self.kind == "JobSet":
            jobs = [mapping(one) for one in sequence(spec.get("replicatedJobs"))]
            return sum(layout.number(one.get("replicas"), 1) * layout.pods_each(layout.job_spec(one)) for one in jobs)
        if self.kind == "Job" or "tasks" in spec:
            return sum(layout.number(mapping(one).get("replicas"), 1) for one in sequence(spec.get("tasks")))
        roles: dict[str, Any] = next(
            (mapping(value) for key, value in spec.items() if key.endswith("ReplicaSpecs")), {}
        )
        return sum(layout.number(mapping(role).get("replicas"), 1) for role in roles.values())

    def open(self, unit: Unit, made: dict[str, Pod]) -> bool:
        """Whether what a unit waits for has come."""
        for other, ready in self.stages.get(unit.name, ()):
            if other.child is not None and len(other.done) >= other.completions:
                continue
            if not ready and other.child is not None:
                return False  # it must be complete
            own = [pod for pod in made.values() if pod.unit == other.name]
            wanted = other.count if other.child is None else layout.pods_each(other.spec)
            if len(own) < wanted or (ready and any(pod.node is None for pod in own)):
                return False
        return True

    def lost(self, unit: Unit, index: int) -> str:
        """A pod is gone before its end. What follows: ``anew``, ``failed``, or ``restarted`` (all of a JobSet);
        ``gone``: nothing, it was nobody's.
        """
        if self.kind == "Pod":
            self.gone = True
            return "gone"
        if unit.child is None:
            return "anew"
        spec = unit.spec
        rules = [mapping(one) for one in sequence(mapping(spec.get("podFailurePolicy")).get("rules"))]
        for rule in rules:
            on = [mapping(one).get("type") for one in sequence(rule.get("onPodConditions"))]
            if "DisruptionTarget" in on:
                if rule.get("action") in ("Ignore", "Count"):
                    unit.failures += rule.get("action") == "Count"
                    break
                if rule.get("action") == "FailJob":
                    unit.failures = 2**31
                    break
        else:
            unit.failures += 1
        unit.resting.add(index)
        if unit.failures <= layout.number(spec.get("backoffLimit"), BACKOFF):
            return "anew"
        if self.kind in ("JobSet", "TrainJob"):
            jobset = next(
                (one for one in (self.expansion.others if self.expansion else []) if one.get("kind") == "JobSet"),
                self.tree,
            )
            policy = mapping(mapping(jobset.get("spec")).get("failurePolicy"))
            if self.restarts < layout.number(policy.get("maxRestarts"), 0):
                self.restarts += 1
                for one in self.units:
                    one.done, one.resting, one.failures, one.label = set(), set(), 0, None
                return "restarted"
        self.failed = True
        return "failed"

    def succeeded(self, done: dict[str, list[bool]]) -> bool:
        """Whether the job has ended well. ``done``: role → whether each of its pods that exist has ended."""
        from specgen.operators.lifecycle import ANY, ANY_JOB, ANY_ROLE, EVERY, FIRST

        life = self.lifecycle
        if life is None:
            return False
        roles = [role.lower() for role in life.success.roles] or [unit.role for unit in self.units]
        units = [unit for unit in self.units if unit.role in roles]
        complete = [
            len(unit.done) >= unit.completions
            if unit.child is not None
            else bool(done.get(unit.role)) and all(done[unit.role])
            for unit in units
        ]
        if life.success.how == EVERY:
            return bool(complete) and all(complete)
        if life.success.how in (ANY_JOB, ANY_ROLE):
            return any(complete)
        if life.success.how == FIRST:
            unit = units[0] if units else None
            return unit is not None and (bool(unit.done) if unit.child is not None else done.get(unit.role, [False])[0])
        return life.success.how == ANY and any(any(done.get(unit.role, [])) for unit in units)


def is_job(tree: dict[str, Any]) -> bool:
    """Whether an object is a job of which pods are known here, or a pod by itself."""
    api_version, kind = str(tree.get("apiVersion")), str(tree.get("kind"))
    return (api_version, kind) in (("batch/v1", "Job"), ("v1", "Pod")) or by_object(api_version, kind) is not None
