"""A TrainJob over a runtime of the cluster: only what a TrainJob of the installed version can carry to it.

Pods are written in full first, as for every kind; what the TrainJob's ``trainer`` or its patches have a field for goes
there (``operators.trainer.facts``), everything else is refused at the line that it came from, with the runtime's name.
Read from kubeflow/trainer v2.3.0 (658725bdae5c), pkg/apis/trainer/v1alpha1/trainjob_types.go, and its older types.
"""

from __future__ import annotations

from specgen.diagnostics.model import has_errors
from specgen.lower import job as job_parts
from specgen.lower.pod import template
from specgen.lower.trainjob.admitted import refused
from specgen.lower.trainjob.agree import alike, contradictions, nodes_of_launcher, pods_of, trained
from specgen.lower.trainjob.answers import LAUNCHED
from specgen.lower.trainjob.fetch import initializer
from specgen.lower.trainjob.had import take_had
from specgen.lower.trainjob.own import CONTAINER, counted, suspended, unable
from specgen.manifest.build import Build
from specgen.manifest.model import Manifest
from specgen.manifest.origins import Origins
from specgen.manifest.shape import shape
from specgen.manifest.views import mapping
from specgen.operators.release import spelled
from specgen.operators.trainer import facts, spelling
from specgen.operators.trainer.runtime import API_VERSION
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.manifest.origins import Sourced
    from specgen.plan.model import Plan
    from specgen.plan.pods import RolePlan
    from specgen.source import Path

_PROGRAM = {"image": "image", "command": "command", "args": "args", "env": "env", "resources": "resourcesPerNode"}
# Where the pod of a JobSet's job stands in it.
_OF_POD: Path = ("spec", "replicatedJobs", 0, "template", "spec", "template")
_MESH = "sidecar.istio.io/inject"


class _Over:
    """One job over its runtime: the TrainJob that is written, and what was found wrong.

    ``pods``: those of the role at hand; ``patches``: job of the runtime → what it changes there, the pods that it comes
    from, and their paths beside those of the patch.
    """

    __slots__ = ("at", "build", "findings", "name", "patches", "place", "plan", "pods")

    def __init__(self, plan: Plan, runtime: Sourced) -> None:
        self.plan = plan
        self.name = str(runtime.value)
        self.place = runtime.at
        self.at = facts.OPERATOR.at(plan.version)
        self.build = job_parts.envelope(plan, API_VERSION)
        self.pods = Build(Origins(plan.document))
        self.patches: list[tuple[str, dict[str, Any], Build, list[tuple[Path, Path]]]] = []
        self.findings: list[Finding] = []

    def refuse(self, path: Path, since: tuple[int, int] | None) -> None:
        """SG208 for a field of the pods, at the line that it came from."""
        origin = self.origin(path)
        place = origin[1] if origin is not None and origin[1] is not None else self.place
        if any(one.place.path == place.path for one in self.findings):
            return
        field = str(path[-1])
        if since is None:
            message = f"`{field}` stands in the runtime `{self.name}`, and no TrainJob can change it"
        else:
            message = f"trainer {self.plan.version} cannot change `{field}` of the runtime `{self.name}`"
        notes = [f"it is here because: {origin[2]}"] if origin is not None else []
        if since is not None:
            notes.append(f"a TrainJob can from {spelled(since)} on")
        helps = ["`target: TrainJob` writes a runtime of the job's own"]
        self.findings.append(codes.NOT_FOR_TARGET.at(place, message, notes=notes, helps=helps))

    def origin(self, path: Path) -> tuple[Path, Place | None, str] | None:
        """Where a field of the pods came from: of a list or mapping without an origin its first part."""
        tree: Any = self.pods.tree
        for step in path:
            tree = tree[step]
        origin = self.pods.origins.of(path)
        while origin is None and tree and isinstance(tree, (dict, list)):
            step = next(iter(tree)) if isinstance(tree, dict) else 0
            path, tree = (*path, step), tree[step]
            origin = self.pods.origins.of(path)
        return origin

    def of_cluster(self, path: Path) -> bool:
        """Whether the cluster profile alone brought a field: its runtimes are as its pods must be."""
        origin = self.origin(path)
        where = origin[1].where if origin is not None and origin[1] is not None else None
        return where is not None and where is self.plan.cluster


def over(plan: Plan, runtime: Sourced) -> tuple[Manifest, list[Finding]]:
    """The TrainJob; nothing stands beside it."""
    over = _Over(plan, runtime)
    kind, launched = "ClusterTrainingRuntime", plan.world.starter in LAUNCHED
    names = {"worker": CONTAINER, "launcher": "launcher"}
    tree = plan.existing[0].tree if plan.existing else None
    if tree is not None:
        kind = str(tree.get("kind"))
        names["launcher" if launched else "worker"] = trained(tree)
        over.findings += contradictions(plan, over.name, over.place, tree)
    spec = over.build.within("spec")
    ref = spec.within("runtimeRef")
    ref.put("apiGroup", "trainer.kubeflow.org", over.place, "the group of Trainer's runtimes")
    ref.put("kind", kind, over.place, "a runtime of the cluster")
    ref.put("name", over.name, over.place, "`target.runtime`")
    over.findings += unable(plan) + _words(over)
    said = plan.world.procs_place is not None or plan.resources is not None
    if plan.world.starter == "runtime":
        said = plan.world.procs_place is not None
    counts = said or plan.world.starter == "none" or launched
    counted(plan, spec.within("trainer"), processes=counts)
    over.findings += initializer(plan, spec)
    suspended(plan, spec)
    if launched:
        over.findings += nodes_of_launcher(plan, over.name, tree)
    for role in plan.roles:
        also = alike(tree) if tree is not None and plan.world.starter == "runtime" else []
        _pods(over, spec.within("trainer"), role, names[role.word], also)
    patches = [(name, patch) for name, patch, _, _ in over.patches]
    if patches:
        field, value = spelling.overrides(over.at, patches)
        spec.put(field, value, over.place, f"what the job changes in the runtime `{over.name}`")
    for number, (_, _, pods, carried) in enumerate(over.patches):
        for path, there in carried:
            pods.origins.hand({path: spelling.below(over.at, patches, number, there)}, over.build.origins)
    return job_parts.finished(plan, over.build, over.findings)


def _words(over: _Over) -> list[Finding]:
    """SG208: words of the job that are the runtime's alone."""
    findings = []
    name, lifecycle = over.name, over.plan.lifecycle
    for word, what, said in (
        ("ttl", "after what time it goes", lifecycle.ttl),
        ("backoffLimit", "how often pods restart", lifecycle.backoff_limit),
        ("restarts", "how often pods restart", lifecycle.restarts),
        ("restartAll", "how often all pods restart", lifecycle.restart_all),
        ("success", "when it succeeds", lifecycle.success),
    ):
        if said is not None:
            message = f"the runtime `{name}` says {what}: no TrainJob can change `{word}`"
            findings.append(codes.NOT_FOR_TARGET.at(said.key, message))
    for role in over.plan.roles:
        if role.restart is not None:
            message = f"the runtime `{name}` says whether its pods restart: no TrainJob can change `restart`"
            findings.append(codes.NOT_FOR_TARGET.at(role.restart.key, message))
    if lifecycle.deadline is not None and over.at < facts.DEADLINE:
        message = f"trainer {over.plan.version} does not know `activeDeadlineSeconds` of a TrainJob"
        notes = [f"it came with {spelled(facts.DEADLINE)}"]
        findings.append(codes.NOT_FOR_TARGET.at(lifecycle.deadline.key, message, notes=notes))
    if over.plan.runtime_patch is not None:
        message = f"the runtime `{name}` is the cluster's: a job cannot patch it"
        findings.append(codes.NOT_FOR_TARGET.at(over.plan.runtime_patch.place(()), message))
    gang = over.plan.gang
    if gang is not None and gang.word != "kueue":
        place = gang.said.place if gang.said.place is not None else over.place
        message = f"the runtime `{name}` says which gang its pods are: a TrainJob cannot ask {gang.word} for one"
        helps = ["`scheduling: {gang: false}` leaves it to the runtime"]
        findings.append(codes.NOT_FOR_TARGET.at(place, message, helps=helps))
    return findings


def _pods(over: _Over, trainer: Build, role: RolePlan, name: str, also: list[str]) -> None:
    """Writes the pods of a role, and hands what can be carried to ``trainer`` or the patch of the runtime's job.

    ``also``: further jobs of the runtime whose pods are those of the role.
    """
    over.pods = Build(Origins(over.plan.document))
    if over.plan.existing:
        take_had(role, pods_of(over.plan.existing[0].tree, [name, *also]), CONTAINER)
    template(role, over.pods.within("template"), CONTAINER)
    job_parts.patch_role(role, over.pods, over.findings)
    if role.pod_patch is not None or role.patch is not None:
        wrong = _misshapen(over.pods)
        over.findings += wrong
        if has_errors(wrong):
            return  # nothing can be handed on of what is no pod
    over.findings += refused(over.pods)
    pods = over.pods.tree["template"]
    patch: dict[str, Any] = {}
    carried: list[tuple[Path, Path]] = []
    again: list[tuple[dict[str, Any], list[tuple[Path, Path]]]] = []
    for key in pods:
        if key not in ("metadata", "spec"):
            over.refuse(("template", key), None)
    for key, words in mapping(pods.get("metadata")).items():
        for word in words:
            path: Path = ("template", "metadata", key, word)
            if over.at >= facts.POD_METADATA:
                patch.setdefault("metadata", {}).setdefault(key, {})[word] = words[word]
                carried.append((path, path[1:]))
            elif word != _MESH or not over.of_cluster(path):
                over.refuse(path, facts.POD_METADATA)
    for key, value in pods["spec"].items():
        path = ("template", "spec", key)
        since = facts.POD_FIELDS.get(key)
        if key == "containers":
            # of a role beside a launcher, the runtime keeps the program: ``spec.trainer`` is the launcher's
            whose = trainer if role is over.plan.roles[-1] else None
            again = _containers(over, whose, value, patch, carried)
        elif since is not None and over.at >= since:
            patch.setdefault("spec", {})[key] = value
            carried.append((path, path[1:]))
        elif key == "initContainers":
            for index, one in enumerate(value):
                _beside(over, one, (*path, index, "name"))
        elif key != "schedulerName" or not over.of_cluster(path):
            over.refuse(path, since)
    rounds = [(patch, carried), *again] if patch else again
    over.patches += [(one, more, over.pods, paths) for one in (name, *also) for more, paths in rounds]


def _misshapen(pods: Build) -> list[Finding]:
    """What no pod is, of one that was patched: the kinds that the TrainJob becomes have no field for all of it."""
    pods.origins.tree = pods.tree
    # the schema takes a template without a pod
    job = {"name": "node", "template": {"spec": {"template": {"spec": {}, **pods.tree["template"]}}}}
    tree = {"metadata": {"name": "job"}, "spec": {"replicatedJobs": [job]}}
    findings = shape("jobset_v1alpha2", {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", **tree})
    for finding in findings:
        finding.place.path = finding.place.path[len(_OF_POD) - 1 :]
        finding.where = pods.origins
    return findings


def _containers(
    over: _Over, trainer: Build | None, containers: list[Any], patch: dict[str, Any], carried: list[tuple[Path, Path]]
) -> list[tuple[dict[str, Any], list[tuple[Path, Path]]]]:
    """Puts into the patch what it can carry; further patches, with their paths, for what one cannot hold."""
    again: list[tuple[dict[str, Any], list[tuple[Path, Path]]]] = []
    path: Path = ("template", "spec", "containers")
    for index, one in enumerate(containers):
        if one.get("name") != CONTAINER:
            _beside(over, one, (*path, index, "name"))
            continue
        changed: dict[str, Any] = {}
        for key, value in one.items():
            at = (*path, index, key)
            since = facts.CONTAINER_FIELDS.get(key)
            if key == "resources" and "claims" in value:
                over.refuse((*at, "claims"), None)  # Trainer takes limits and requests of a TrainJob alone (recorded)
            if key in _PROGRAM and trainer is not None:
                trainer.tree[_PROGRAM[key]] = value
                over.pods.origins.hand({at: (*trainer.path, _PROGRAM[key])}, trainer.origins)
            elif key == "volumeMounts":
                (first, paths), *more = _mounts(value, at)
                changed[key] = first
                carried += paths
                again += [
                    ({"spec": {"containers": [{"name": CONTAINER, key: mounts}]}}, below) for mounts, below in more
                ]
            elif since is not None and over.at >= since:
                changed[key] = value
                carried.append((at, ("spec", "containers", 0, key)))
            elif key not in ("name", *_PROGRAM):
                over.refuse(at, since)
        if changed:
            patch.setdefault("spec", {})["containers"] = [{"name": CONTAINER, **changed}]
    return again


def _mounts(mounts: list[Any], path: Path) -> list[tuple[list[Any], list[tuple[Path, Path]]]]:
    """The mounts of a container for one patch after the other, with their paths: in each, a volume is mounted once.

    The CRDs tell the mounts in a patch apart by their volume, and Trainer merges patches by the path of the mount: so
    one volume comes to several paths (recorded). A second volume of the same source would not be the same directory.
    """
    rounds: list[tuple[list[Any], list[tuple[Path, Path]]]] = [([], [])]
    seen: dict[Any, int] = {}
    for index, mount in enumerate(mounts):
        name = mapping(mount).get("name")
        turn = seen[name] = seen.get(name, -1) + 1
        if turn == len(rounds):
            rounds.append(([], []))
        held, paths = rounds[turn]
        paths.append(((*path, index), ("spec", "containers", 0, "volumeMounts", len(held))))
        held.append(mount)
    return rounds


def _beside(over: _Over, container: Any, path: Path) -> None:
    """SG208: a patch reaches only containers that the runtime has, and not what they run."""
    origin = over.origin(path)
    place = origin[1] if origin is not None and origin[1] is not None else over.place
    name = mapping(container).get("name")
    message = f"a TrainJob cannot put the container `{name}` beside the program of the runtime `{over.name}`"
    helps = ["`target: TrainJob` writes a runtime of the job's own"]
    over.findings.append(codes.NOT_FOR_TARGET.at(place, message, helps=helps))
