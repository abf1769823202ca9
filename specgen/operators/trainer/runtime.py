"""The runtime of a TrainJob among the other objects of the files: found, defaulted, judged, and patched.

Read from kubeflow/trainer v2.3.0 (658725bdae5c): pkg/webhooks/trainingruntime_webhook.go, pkg/runtime/core, the CRDs of
runtimes; and Kubernetes' strategicpatch for the order of merged lists.
"""

from __future__ import annotations

from specgen.manifest.beside import named
from specgen.manifest.model import Manifest
from specgen.manifest.prune import NOTHING, prune, without_nulls
from specgen.manifest.views import mapping, sequence
from specgen.operators.expansion import Refusal
from specgen.operators.jobset import facts as layout
from specgen.operators.jobset.refusals import expressions as shared
from specgen.operators.kubernetes.objects import NAME, SERVER, misshapen, name_refusal, namespace_refusal
from specgen.operators.objection import Objection
from specgen.operators.trainer.facts import WEBHOOK
from specgen.schema.files import load
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from specgen.operators.expansion import Expansion
    from specgen.operators.jobset.refusals import Reason
    from specgen.operators.release import Fields

API_VERSION = "trainer.kubeflow.org/v1alpha1"
ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
SOURCES = ("torch", "mpi", "jax", "xgboost", "flux")
_SCHEMAS = {
    "ClusterTrainingRuntime": "clustertrainingruntime_v1alpha1",
    "TrainingRuntime": "trainingruntime_v1alpha1",
}
# Step of a TrainJob → the container that it needs.
STEPS = {
    "trainer": "node",
    "dataset-initializer": "dataset-initializer",
    "model-initializer": "model-initializer",
}
_UNJUDGED = ("trainer.kubeflow.org/webhook-validation", "disabled")
_MPI = {
    "numProcPerNode": 1,
    "mpiImplementation": "OpenMPI",
    "sshAuthMountPath": "/root/.ssh",
    "runLauncherAsNode": False,
}


def found(companions: Sequence[Manifest], kind: str, name: str, namespace: str | None) -> Manifest | None:
    """The runtime that a TrainJob of a namespace refers to; the last one of its name, as it is applied last."""
    chosen = None
    for one in named(companions, kind, name):
        ref = one.ref
        if ref.api_version != API_VERSION:
            continue
        if kind == "ClusterTrainingRuntime" or (ref.namespace or "default") == (namespace or "default"):
            chosen = one
    return chosen


def stored(runtime: Manifest, expansion: Expansion, absent: Fields = NOTHING) -> dict[str, Any] | None:
    """The runtime with the defaults of its CRD; None, and a refusal of it, where nobody stores it.

    absent: fields that the CRD of the release lacks.
    """
    ref = runtime.ref
    schema = _SCHEMAS[ref.kind]
    tree, removed = prune(load(f"k8s/trainer.kubeflow.org/{schema}.json"), without_nulls(runtime.tree), absent)
    reason = misshapen(schema, tree)
    if reason:
        expansion.refusals.append(Refusal(ref.kind, ref.name, SERVER, reason))
        return None
    for objection in refusals(ref.name, tree):
        expansion.refusals.append(Refusal(ref.kind, ref.name, objection.by, objection.reason))
        return None
    for path in removed:
        expansion.notes.append(
            f"{dotted(path)} of the runtime `{ref.name}` is unknown: dropped without field validation, refused with it"
        )
    tree = layout.copied(tree)
    if ref.kind == "TrainingRuntime":
        tree["metadata"].setdefault("namespace", "default")
    _defaults(tree["spec"])
    labels = mapping(mapping(tree.get("metadata")).get("labels"))
    if ref.kind == "ClusterTrainingRuntime" and labels.get("trainer.kubeflow.org/support") == "deprecated":
        expansion.notes.append(f"the runtime `{ref.name}` is labelled as deprecated")
    return tree  # type: ignore[no-any-return]


def refusals(name: str, tree: dict[str, Any]) -> Iterator[Objection]:
    """Everything that is refused of a runtime of the right shape and without nulls, in the order in which it is."""
    spec = mapping(tree.get("spec"))
    reason = name_refusal(name)
    if reason:
        yield Objection(NAME, reason, SERVER)
    reason = namespace_refusal(mapping(tree.get("metadata")))
    if reason:
        yield Objection(("metadata", "namespace"), reason, SERVER)
    if not spec:
        yield Objection(("spec",), "`spec` is empty", SERVER)
    for path, reason in shared(mapping(mapping(spec.get("template")).get("spec"))):
        yield Objection(("spec", "template", "spec", *path), reason, SERVER)
    for path, reason in _expressions(spec):
        yield Objection(("spec", *path), reason, SERVER)
    if mapping(mapping(tree.get("metadata")).get("labels")).get(_UNJUDGED[0]) != _UNJUDGED[1]:
        for path, reason in _reasons(spec):
            yield Objection(("spec", *path), reason, WEBHOOK)


def _expressions(spec: dict[str, Any]) -> Iterator[Reason]:
    policy = mapping(spec.get("mlPolicy"))
    given = [source for source in SOURCES if source in policy]
    if len(given) > 1:
        reason = f"`spec.mlPolicy`: `{given[0]}` contradicts `{given[1]}`: only one of them may be given"
        yield ("mlPolicy", given[1]), reason
    if layout.number(mapping(policy.get("flux")).get("numProcPerNode"), 1) < 1:
        yield ("mlPolicy", "flux", "numProcPerNode"), "`spec.mlPolicy.flux.numProcPerNode` is below 1"
    for index, target in enumerate(sequence(mapping(mapping(policy.get("torch")).get("envInjection")).get("targets"))):
        if STEPS["trainer"] in sequence(mapping(target).get("containerNames")):
            reason = "`spec.mlPolicy.torch.envInjection` must not name the container `node`, which has the variables"
            yield ("mlPolicy", "torch", "envInjection", "targets", index, "containerNames"), reason


def _defaults(spec: dict[str, Any]) -> None:
    policy, gang = mapping(spec.get("mlPolicy")), mapping(spec.get("podGroupPolicy"))
    if "mpi" in policy:
        policy["mpi"] = {**_MPI, **mapping(policy["mpi"])}
    if "flux" in policy:
        policy["flux"] = {"numProcPerNode": 1, **mapping(policy["flux"])}
    if "coscheduling" in gang:
        gang["coscheduling"] = {"scheduleTimeoutSeconds": 60, **mapping(gang["coscheduling"])}
    topology = mapping(gang.get("volcano")).get("networkTopology")
    if isinstance(topology, dict):
        gang["volcano"]["networkTopology"] = {"mode": "hard", "highestTierAllowed": 1, **topology}
    template = mapping(spec.get("template"))
    if "spec" in template:
        template["spec"] = layout.with_crd_defaults(mapping(template["spec"]))


def ancestor(job: Any) -> str:
    """The step of a TrainJob that a replicated job stands for, by its label."""
    return layout.text(mapping(mapping(layout.template_of(job).get("metadata")).get("labels")).get(ANCESTOR))


def _reasons(spec: dict[str, Any]) -> Iterator[Reason]:
    for index, job in enumerate(sequence(mapping(mapping(spec.get("template")).get("spec")).get("replicatedJobs"))):
        path, step = f"spec.template.spec.replicatedJobs[{index}]", ancestor(job)
        at = ("template", "spec", "replicatedJobs", index)
        if step not in STEPS:
            continue
        if layout.number(job.get("replicas"), 1) != 1:
            yield (*at, "replicas"), f"`{path}.replicas` must be 1 for the step `{step}`"
        if all(one.get("name") != STEPS[step] for one in layout.containers_of(job)):
            listed = (*at, "template", "spec", "template", "spec", "containers")
            yield listed, f"`{path}`: the step `{step}` needs a container `{STEPS[step]}`"


# Lists of a pod that a patch merges, and by what (struct tags of Kubernetes 1.36); others are replaced.
_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "volumes": "name",
    "env": "name",
    "volumeMounts": "mountPath",
    "imagePullSecrets": "name",
    "schedulingGates": "name",
}


def patched(spec: dict[str, Any], patches: list[Any]) -> None:
    """Merges ``runtimePatches`` into a JobSet's spec, in their order; an unknown job is added, as Trainer does."""
    for patch in patches:
        inner = mapping(mapping(mapping(patch).get("trainingRuntimeSpec")).get("template"))
        for job in sequence(mapping(inner.get("spec")).get("replicatedJobs")):
            if isinstance(job, dict):
                spec["replicatedJobs"] = _lists(sequence(spec.get("replicatedJobs")), [job], "name")


def _merged(tree: Any, patch: Any, key: str) -> Any:
    if isinstance(tree, dict) and isinstance(patch, dict):
        return {**tree, **{name: _merged(tree.get(name), value, name) for name, value in patch.items()}}
    if isinstance(tree, list) and isinstance(patch, list) and key in _KEYS:
        return _lists(tree, patch, _KEYS[key])
    return layout.copied(patch)


def _lists(tree: list[Any], patch: list[Any], key: str) -> list[Any]:
    """Items of equal keys merged, in the order of strategicpatch: patched items come as early as the order allows."""

    def name(item: Any) -> Any:
        said = mapping(item).get(key)
        return None if isinstance(said, (dict, list)) else said

    places = {name(item): at for at, item in enumerate(tree)}
    wanted = [name(item) for item in patch]
    left = [item for item in tree if name(item) not in wanted]
    right = [_merged(tree[places[name(item)]], item, "") if name(item) in places else item for item in patch]
    merged: list[Any] = []
    while left and right:
        before = name(right[0]) in places and places[name(left[0])] < places[name(right[0])]
        merged.append(left.pop(0) if before else layout.copied(right.pop(0)))
    return [*merged, *left, *layout.copied(right)]
