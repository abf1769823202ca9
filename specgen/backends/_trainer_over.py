"""A TrainJob over a runtime of the cluster: only what a TrainJob of the installed version can carry to it.

Pods are written in full first, as for every kind; what the TrainJob's ``trainer`` or its patches have a field for goes
there (``_trainer_versions``), everything else is refused at the line that it came from, with the runtime's name.
Read from kubeflow/trainer v2.3.0 (658725bdae5c), pkg/apis/trainer/v1alpha1/trainjob_types.go, and its older types.
"""

from __future__ import annotations

from specgen.backends import _job
from specgen.backends import _trainer_versions as versions
from specgen.backends._pod import template
from specgen.backends._trainer_fetch import initializer
from specgen.backends._trainer_lower import CONTAINER, counted, suspended, unable
from specgen.backends._trainer_plan import LAUNCHED
from specgen.backends._trainer_runtime import API_VERSION, SOURCES, ancestor
from specgen.diagnostics.model import KEY
from specgen.manifest.build import Build
from specgen.manifest.model import reference
from specgen.manifest.origins import Origins
from specgen.manifest.views import mapping, sequence
from specgen.profile import codes
from specgen.profile.resolve import unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan
    from specgen.source import Path

_PROGRAM = {"image": "image", "command": "command", "args": "args", "env": "env", "resources": "resourcesPerNode"}
_MESH = "sidecar.istio.io/inject"
# Words of the job that stand in the runtime's JobSet → how.
_OF_JOBSET = {"ttl": "after what time it goes", "backoffLimit": "how often pods restart", "success": "when it succeeds"}


class _Over:
    """One job over its runtime: the TrainJob that is written, and what was found wrong."""

    __slots__ = ("at", "build", "findings", "name", "patch", "place", "plan", "pods")

    def __init__(self, plan: Plan, name: str, place: Place) -> None:
        self.plan = plan
        self.name = name
        self.place = place
        self.at = versions.release(plan.version)
        self.build = _job.envelope(plan, API_VERSION)
        self.pods = Build(Origins(plan.job.document))
        self.patch: dict[str, Any] = {}
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
            notes.append(f"a TrainJob can from {versions.spelled(since)} on")
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
        return where is not None and where is self.plan.job.cluster_document


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The TrainJob; nothing stands beside it."""
    job, target = plan.job, plan.job.job.target
    assert target is not None and not isinstance(target, str) and target.runtime is not None
    over = _Over(plan, target.runtime, job.place(("target", "runtime")))
    kind, name = "ClusterTrainingRuntime", CONTAINER
    tree = _runtime(over)
    if tree is not None:
        kind, name = str(tree.get("kind")), _trained(over, tree)
    spec = over.build.within("spec")
    ref = spec.within("runtimeRef")
    ref.put("apiGroup", "trainer.kubeflow.org", over.place, "the group of Trainer's runtimes")
    ref.put("kind", kind, over.place, "a runtime of the cluster")
    ref.put("name", over.name, over.place, "`target.runtime`")
    over.findings += unable(plan) + _words(over)
    data = job.layers.data
    counts = "procsPerPod" in data or bool(data.get("resources")) or plan.world.starter == "none"
    counted(plan, spec.within("trainer"), processes=counts)
    over.findings += initializer(plan, spec)
    suspended(plan, spec)
    if plan.world.starter not in LAUNCHED:
        _pods(over, spec, name)
    return _job.finished(plan, over.build, over.findings)


def _runtime(over: _Over) -> dict[str, Any] | None:
    """The runtime's object where the cluster profile says its file. Findings: unknown, or another one in the file."""
    job = over.plan.job
    operator = job.cluster.operators.trainer
    where = ("operators", "trainer", "runtimes")
    known = operator.runtimes if operator is not None else {}
    if over.name not in known:
        path = where if known else where[:2] if operator is not None else ("metadata",)
        over.findings.append(unknown(over.name, list(known), "runtime", over.place, job, path))
        return None
    said = known[over.name]
    file = said if isinstance(said, str) else said.file
    if file is None or job.cluster_document is None:
        return None
    place = job.cluster_place((*where, over.name))
    documents, findings = job.library.objects(file, job.cluster_document)
    for finding in findings:
        if finding.code is codes.BROKEN_REFERENCE:
            finding = codes.BROKEN_REFERENCE.at(place, f"`{file}`: {finding.message}")
        over.findings.append(finding)
    for document in documents:
        ref = reference(document.data)
        if ref.kind in ("ClusterTrainingRuntime", "TrainingRuntime") and ref.name == over.name:
            return mapping(document.data)
    if not findings:
        message = f"`{file}`: it holds no runtime `{over.name}`"
        over.findings.append(codes.BROKEN_REFERENCE.at(place, message))
    return None


def _trained(over: _Over, tree: dict[str, Any]) -> str:
    """The replicated job of the runtime that trains. SG207: the runtime tells its pods what another starter reads."""
    spec = mapping(tree.get("spec"))
    policy = mapping(spec.get("mlPolicy"))
    source = next((one for one in SOURCES if one in policy), None)
    if over.plan.world.starter == "torchrun" and source != "torch" and over.plan.roles[0].command is not None:
        told = f"those of `{source}`" if source is not None else "nothing"
        message = f"`torchrun` contradicts the runtime `{over.name}`, which tells its pods {told}"
        helps = ["`start: self` leaves the processes to the command"]
        over.findings.append(codes.CONTRADICTION.at(over.place, message, helps=helps))
    for job in sequence(mapping(mapping(spec.get("template")).get("spec")).get("replicatedJobs")):
        if ancestor(job) == "trainer":
            return str(mapping(job).get("name"))
    return CONTAINER


def _words(over: _Over) -> list[Finding]:
    """SG208: words of the job that are the runtime's alone; SG209: its launcher."""
    job, findings = over.plan.job, []
    name, data = over.name, over.plan.job.layers.data
    for word, what in _OF_JOBSET.items():
        if word in data.get("lifecycle", {}):
            message = f"the runtime `{name}` says {what}: no TrainJob can change `{word}`"
            findings.append(codes.NOT_FOR_TARGET.at(job.place(("lifecycle", word), KEY), message))
    for role in over.plan.roles:
        if role.words.words.lifecycle.restart is not None:
            message = f"the runtime `{name}` says whether its pods restart: no TrainJob can change `restart`"
            findings.append(codes.NOT_FOR_TARGET.at(role.words.place(("lifecycle", "restart"), KEY), message))
    if "deadline" in data.get("lifecycle", {}) and over.at < versions.DEADLINE:
        message = f"trainer {over.plan.version} does not know `activeDeadlineSeconds` of a TrainJob"
        notes = [f"it came with {versions.spelled(versions.DEADLINE)}"]
        findings.append(codes.NOT_FOR_TARGET.at(job.place(("lifecycle", "deadline"), KEY), message, notes=notes))
    if over.plan.world.starter in LAUNCHED:
        message = (
            f"{over.plan.world.starter} in the launcher of a runtime of the cluster, here `{name}`, is not built yet"
        )
        findings.append(codes.NOT_BUILT_YET.at(job.place(("start",)), message))
    patch = data.get("patch") or {}
    if patch.get("runtime"):
        message = f"the runtime `{name}` is the cluster's: a job cannot patch it"
        findings.append(codes.NOT_FOR_TARGET.at(job.place(("patch", "runtime"), KEY), message))
    gang = over.plan.gang
    if gang is not None and gang.word != "kueue":
        place = gang.said.place if gang.said.place is not None else over.place
        message = f"the runtime `{name}` says which gang its pods are: a TrainJob cannot ask {gang.word} for one"
        helps = ["`scheduling: {gang: false}` leaves it to the runtime"]
        findings.append(codes.NOT_FOR_TARGET.at(place, message, helps=helps))
    return findings


def _pods(over: _Over, spec: Build, name: str) -> None:
    """Writes the pods, and hands what can be carried to ``trainer`` or the patch."""
    plan, role = over.plan, over.plan.roles[0]
    over.findings += template(plan, role, over.pods.within("template"), CONTAINER)
    _job.patch_role(role, over.pods, over.findings)
    pods = over.pods.tree["template"]
    field, _ = versions.overrides(over.at, name, {})
    below: Path = ("spec", field, 0)
    if over.at >= versions.PATCHES:
        below = (*below, "trainingRuntimeSpec", "template", "spec", "replicatedJobs", 0, "template", "spec", "template")
    carried: list[tuple[Path, Path]] = []
    for key, words in mapping(pods.get("metadata")).items():
        for word in words:
            path: Path = ("template", "metadata", key, word)
            if over.at >= versions.POD_METADATA:
                over.patch.setdefault("metadata", {}).setdefault(key, {})[word] = words[word]
                carried.append((path, (*below, "metadata", key, word)))
            elif word != _MESH or not over.of_cluster(path):
                over.refuse(path, versions.POD_METADATA)
    inner = below if field == "podSpecOverrides" else (*below, "spec")
    for key, value in pods["spec"].items():
        path = ("template", "spec", key)
        since = versions.POD_FIELDS.get(key)
        if key == "containers":
            _containers(over, spec.within("trainer"), value, path, (*inner, key, 0), carried)
        elif since is not None and over.at >= since:
            over.patch.setdefault("spec", {})[key] = value
            carried.append((path, (*inner, key)))
        elif key == "initContainers":
            for index, one in enumerate(value):
                _beside(over, one, (*path, index, "name"))
        elif key != "schedulerName" or not over.of_cluster(path):
            over.refuse(path, since)
    if over.patch:
        _, value = versions.overrides(over.at, name, over.patch)
        spec.put(field, value, over.place, f"what the job changes in the runtime `{over.name}`")
        for path, there in carried:
            over.pods.origins.hand(path, over.build.origins, there)


def _containers(
    over: _Over, trainer: Build, containers: list[Any], path: Path, there: Path, carried: list[tuple[Path, Path]]
) -> None:
    for index, one in enumerate(containers):
        if one.get("name") != CONTAINER:
            _beside(over, one, (*path, index, "name"))
            continue
        patch: dict[str, Any] = {}
        for key, value in one.items():
            at = (*path, index, key)
            since = versions.CONTAINER_FIELDS.get(key)
            if key in _PROGRAM:
                trainer.tree[_PROGRAM[key]] = value
                over.pods.origins.hand(at, trainer.origins, (*trainer.path, _PROGRAM[key]))
            elif since is not None and over.at >= since:
                patch[key] = value
                carried.append((at, (*there, key)))
            elif key != "name":
                over.refuse(at, since)
        if patch:
            over.patch.setdefault("spec", {})["containers"] = [{"name": CONTAINER, **patch}]


def _beside(over: _Over, container: Any, path: Path) -> None:
    """SG208: a patch reaches only containers that the runtime has, and not what they run."""
    origin = over.origin(path)
    place = origin[1] if origin is not None and origin[1] is not None else over.place
    name = mapping(container).get("name")
    message = f"a TrainJob cannot put the container `{name}` beside the program of the runtime `{over.name}`"
    helps = ["`target: TrainJob` writes a runtime of the job's own"]
    over.findings.append(codes.NOT_FOR_TARGET.at(place, message, helps=helps))
