"""Which TrainJobs are refused: by the CRD's expressions, and by Trainer's validating webhook.

Read from kubeflow/trainer v2.3.0 (658725bdae5c): the CRD of TrainJobs, pkg/webhooks/trainjob_webhook.go and the
``Validate`` of its plugins. The schema has been judged before.
"""

from __future__ import annotations

from specgen.backends import _jobset_spec as layout
from specgen.backends._expansion import Expansion
from specgen.backends._jobset_expand import misshapen, name_of, name_refusal
from specgen.backends._jobset_webhook import NOTHING, SERVER, known
from specgen.backends._trainer_job import LAUNCHER, NODE, TrainJob
from specgen.backends._trainer_policies import RESERVED, TUNE
from specgen.backends._trainer_runtime import found, stored
from specgen.backends._trainer_shipped import shipped
from specgen.backends._trainer_versions import as_newest
from specgen.document.read import read
from specgen.document.tree import Document
from specgen.manifest.origins import manifests
from specgen.manifest.prune import without_nulls
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_label, is_subdomain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.backends._jobset_webhook import Reason
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.source import Path

MANAGER = "trainer.kubeflow.org/trainjob-controller"
MULTIKUEUE = "kueue.x-k8s.io/multikueue"
_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-")
KINDS = ("ClusterTrainingRuntime", "TrainingRuntime")
_NAME = ("metadata", "name")
_NODES = ("spec", "trainer", "numNodes")
_RUNTIME = ("spec", "runtimeRef", "name")
_PATCH_KEYS = ("dataset-initializer", "model-initializer", "node")


def server_refusal(name: str, spec: dict[str, Any]) -> str:
    """Why the API server does not store a TrainJob of the right shape; empty: it asks the webhook."""
    return next(_expressions(name, spec), NOTHING)[1]


def _expressions(name: str, spec: dict[str, Any]) -> Iterator[Reason]:
    reason = name_refusal(name)
    if reason:
        yield _NAME, reason
    if not is_label(known(name), letter_first=True):
        yield _NAME, f"`metadata.name`: `{name}` is not a DNS label of at most 63 characters that begins with a letter"
    manager = spec.get("managedBy", MANAGER)
    if manager not in (MANAGER, MULTIKUEUE):
        yield ("spec", "managedBy"), f"`spec.managedBy`: `{manager}` is none of `{MANAGER}` and `{MULTIKUEUE}`"
    for key in ("dataset", "model"):
        uri = layout.text(mapping(mapping(spec.get("initializer")).get(key)).get("storageUri"))
        if uri and not is_uri(uri):
            path = ("spec", "initializer", key, "storageUri")
            yield path, f"`spec.initializer.{key}.storageUri`: `{uri}` is no address of the form `scheme://...`"
    managers: list[Any] = []
    for index, patch in enumerate(sequence(spec.get("runtimePatches"))):
        manager = mapping(patch).get("manager")
        if manager in managers:
            place = ("spec", "runtimePatches", index, "manager")
            yield place, f"`spec.runtimePatches[{index}].manager`: two patches have the manager `{manager}`"
        managers.append(manager)


def is_uri(uri: str) -> bool:
    """Whether the CRD takes a text for an address of data: ``scheme://…``."""
    scheme, colon, rest = uri.partition("://")
    return bool(colon and rest and scheme and scheme[0].isalpha() and _SCHEME.issuperset(scheme) and "\n" not in rest)


def webhook_refusal(job: TrainJob) -> str:
    """Why the validating webhook refuses a TrainJob whose runtime exists; empty: it is stored."""
    return next(_reasons(job), NOTHING)[1]


def _reasons(job: TrainJob) -> Iterator[Reason]:
    yield from _initializers(job)
    yield from _patches(job)
    given = [mapping(entry).get("name") for entry in sequence(mapping(job.trainer).get("env"))]
    for name in RESERVED.get(job.source, ()):
        if name in given:
            path = ("spec", "trainer", "env", given.index(name), "name")
            yield path, f"`spec.trainer.env`: `{name}` is reserved for the policy `{job.source}`"
    if job.source == "torch" and mapping(job.trainer).get("command") == TUNE:
        from specgen.backends._trainer_torchtune import reasons

        yield from reasons(job)
    if job.source == "torch":
        yield from _injection(job)
    as_node = job.source == "mpi" and job.policy.get("runLauncherAsNode") is True
    if as_node and (job.nodes or 1) >= 2 and None in (job.first(name=LAUNCHER), job.first(name=NODE)):
        yield _NODES, "`spec.trainer.numNodes` must be 1 where the runtime lacks the jobs `launcher` and `node`"
    if job.source == "flux":
        yield from _flux(job)
    if "volcano" in job.gang and job.annotations.get("scheduling.volcano.sh/queue-name") == "":
        yield _RUNTIME, "the annotation `scheduling.volcano.sh/queue-name` is empty"


def _initializers(job: TrainJob) -> Iterator[Reason]:
    for key in ("dataset", "model"):
        step = f"{key}-initializer"
        if key not in mapping(job.tree.get("initializer")):
            continue
        at = job.first(name=step)
        if at is None:
            path = ("spec", "initializer", key)
            yield path, f"`spec.runtimeRef`: the runtime has no job `{step}`, which `spec.initializer.{key}` needs"
            continue
        named = [one for one in layout.containers_of(job.jobs[at]) if one.get("name") == step]
        if not named:
            yield _RUNTIME, f"`spec.runtimeRef`: the runtime's job `{step}` has no container `{step}`"
        elif all(mapping(mount).get("name") != "initializer" for mount in sequence(named[0].get("volumeMounts"))):
            yield _RUNTIME, f"`spec.runtimeRef`: the runtime's container `{step}` mounts no volume `initializer`"


def _patches(job: TrainJob) -> Iterator[Reason]:
    for index, patch in enumerate(sequence(job.tree.get("runtimePatches"))):
        path, at = f"spec.runtimePatches[{index}]", ("spec", "runtimePatches", index)
        manager = layout.text(mapping(patch).get("manager"))
        domain, slash, rest = manager.partition("/")
        if not slash or not rest or not is_subdomain(domain):
            yield (*at, "manager"), f"`{path}.manager`: `{manager}` is not of the form `example.com/name`"
        template = mapping(mapping(mapping(patch).get("trainingRuntimeSpec")).get("template"))
        for replicated in sequence(mapping(template.get("spec")).get("replicatedJobs")):
            for container in layout.containers_of(replicated):
                if container.get("name") in _PATCH_KEYS and sequence(container.get("env")):
                    yield at, f"`{path}` must not patch `env` of the container `{container['name']}`"


def _injection(job: TrainJob) -> Iterator[Reason]:
    for target in sequence(mapping(job.policy.get("envInjection")).get("targets")):
        name = mapping(target).get("jobName")
        at = job.first(name=layout.text(name))
        if at is None:
            yield _RUNTIME, f"`spec.runtimeRef`: `envInjection` names the job `{name}`, which the runtime lacks"
            continue
        both = [*layout.containers_of(job.jobs[at], "initContainers"), *layout.containers_of(job.jobs[at])]
        names = [one.get("name") for one in both]
        for container in sequence(mapping(target).get("containerNames")):
            if container not in names:
                lacks = f"names the container `{container}`, which the job `{name}` lacks"
                yield _RUNTIME, f"`spec.runtimeRef`: `envInjection` {lacks}"


def _flux(job: TrainJob) -> Iterator[Reason]:
    if job.processes is not None and job.processes < 1:
        yield (
            ("spec", "trainer", "numProcPerNode"),
            "`spec.trainer.numProcPerNode` is below 1, which Flux does not allow",
        )
    at = job.first(name=NODE)
    if at is not None:
        for one in layout.containers_of(job.jobs[at], "initContainers"):
            if one.get("name") == "flux-installer":
                yield _RUNTIME, "`spec.runtimeRef`: the init container `flux-installer` is reserved for Flux"


def refusals(workload: Workload) -> Iterator[tuple[Path, str, str, str]]:
    """(path, why, who, assumed) of all that is refused of a TrainJob, or of what Trainer makes of it and its runtime.

    The runtime is looked for among the companions, then in the manifest's own text, then among those that Trainer
    installs; ``assumed`` says so. Without one only what needs none is judged. The name's form is a rule's business.
    A tree of the wrong shape is not judged.
    """
    from specgen.backends._trainer_expand import OPERATOR, WEBHOOK, expand

    tree, ref = as_newest(workload.manifest.tree, workload.version), workload.manifest.ref
    if not workload.shaped:
        tree = mapping(without_nulls(tree))
        if misshapen("trainjob_v1alpha1", tree):
            return
    spec, name = mapping(tree.get("spec")), name_of(tree)
    refused = list(_expressions(name, spec))
    for path, reason in refused:
        if path != _NAME:
            yield path, reason, SERVER, ""
    if refused:
        return
    workload.companions = workload.companions or _beside(workload.manifest)
    reference = mapping(spec.get("runtimeRef"))
    kind, group = reference.get("kind", KINDS[0]), reference.get("apiGroup", "trainer.kubeflow.org")
    if kind not in KINDS or group != "trainer.kubeflow.org":
        yield _RUNTIME, f"`spec.runtimeRef`: there are no runtimes `{kind}` of `{group}`", WEBHOOK, ""
        return
    called, assumed = layout.text(reference.get("name")), ""
    runtime = found(workload.companions, kind, called, ref.namespace)
    if runtime is None and kind == KINDS[0]:
        runtime = shipped(called, workload.manifest.where)
        assumed = f"judged with the runtime `{called}` that Trainer 2.3 installs, since no file gives one"
    if runtime is None:
        for path, reason in _patches(TrainJob(name, ref.namespace, tree, {})):
            yield path, reason, WEBHOOK, ""
        return
    compiled = not isinstance(workload.manifest.where, Document)
    expansion = Expansion(OPERATOR, workload.version, ref)
    whole = runtime.tree if compiled else stored(runtime, expansion)
    if whole is None:
        for one in expansion.refusals:
            reason = f"the {kind} `{one.name}` is refused, and this TrainJob without it: {one.reason}"
            yield _RUNTIME, reason, one.by, assumed
        return
    refused = list(_reasons(TrainJob(name, ref.namespace, tree, whole)))
    for path, reason in refused:
        yield path, reason, WEBHOOK, assumed
    # what specgen compiled was planned so that its objects are taken; to expand each job would slow every build
    workload.companions = [*workload.companions, runtime] if assumed else workload.companions
    for one in () if refused or compiled else expand(workload).refusals:
        if one.kind == "Pod":
            continue  # followers of exclusive placement, which come once their leader has a node
        # a name is too long for what is called after it; all else lies in the runtime as the TrainJob changes it
        path = _NAME if one.reason.startswith("the name of a") else _RUNTIME
        reason = f"the {one.kind} `{one.name}` that comes of this TrainJob is refused: {one.reason}"
        yield path, reason, one.by, assumed


def _beside(manifest: Manifest) -> list[Manifest]:
    """The other objects of the text that a manifest was read from; none of one that was compiled."""
    where = manifest.where
    if not isinstance(where, Document):
        return []
    trees = [one for one in read(where.source)[0] if isinstance(one.data, dict) and one.number != where.number]
    return [one for document in trees for one in manifests(document)]
