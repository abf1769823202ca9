"""Which TrainJobs are refused: by the CRD's expressions, and by Trainer's validating webhook.

Read from kubeflow/trainer v2.3.0 (658725bdae5c): the CRD of TrainJobs, pkg/webhooks/trainjob_webhook.go and the
``Validate`` of its plugins. The schema has been judged before.
"""

from __future__ import annotations

from specgen.diagnostics.model import listed, shown
from specgen.document.tree import Document
from specgen.manifest.beside import named
from specgen.manifest.model import Manifest
from specgen.manifest.views import mapping, sequence
from specgen.operators import MULTIKUEUE
from specgen.operators.expansion import Refusal
from specgen.operators.jobset import facts as layout
from specgen.operators.kubernetes.names import is_label, is_subdomain, known
from specgen.operators.kubernetes.objects import NAME, SERVER, name_of, name_refusal
from specgen.operators.objection import Objection
from specgen.operators.release import NO_FIELDS, minor
from specgen.operators.trainer.facts import OF_RUNTIMES, OPERATOR, PATCHES, RECORDED, RUNTIMES, UNSEEN, WEBHOOK
from specgen.operators.trainer.job import LAUNCHER, NODE, TrainJob
from specgen.operators.trainer.policies import RESERVED, TUNE
from specgen.operators.trainer.runtime import API_VERSION, found, stored
from specgen.operators.trainer.shipped import shipped
from specgen.operators.trainer.spelling import as_written, processes, runtime_as_newest, said_as_written
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.operators.expansion import Expansion
    from specgen.operators.jobset.refusals import Reason
    from specgen.source import Path

MANAGER = "trainer.kubeflow.org/trainjob-controller"
_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-")
_NODES = ("spec", "trainer", "numNodes")
RUNTIME = ("spec", "runtimeRef", "name")
# Causes that no rule presents: another file, or the cluster, may hold the runtime; and one that is refused is a finding
# of its own, at its own place.
NO_RUNTIME, REFUSED_RUNTIME = "no-runtime", "refused-runtime"
_PATCH_KEYS = ("dataset-initializer", "model-initializer", "node")


class Judged:
    """A TrainJob beside its runtime, as far as it comes to that, and everything that is refused of the two."""

    __slots__ = ("_version", "assumed", "job", "objections", "runtime")

    def __init__(self, version: str) -> None:
        self._version = version
        # in the order in which it is looked at
        self.objections: list[Objection] = []
        # the runtime as a file holds it, or as Trainer installs it; None where neither is known
        self.runtime: Manifest | None = None
        # that the runtime is one that Trainer installs, in words; empty where a file holds it
        self.assumed = ""
        # the two together; None where the runtime is not known, or not stored itself
        self.job: TrainJob | None = None

    def object(self, path: Path, reason: str, by: str, cause: str = "") -> None:
        """Adds an objection to what stands at a path of the newest spelling."""
        path, reason = as_written(path, self._version), said_as_written(reason, self._version)
        self.objections.append(Objection(path, reason, by, cause, assumed=self.assumed))


def judge(workload: Workload, tree: dict[str, Any], expansion: Expansion) -> Judged:
    """What the API server and the webhook say of a TrainJob of the right shape and without nulls.

    The runtime is looked for among the companions, then among those that Trainer installs. Where it is refused itself,
    the expansion gets that refusal; it also gets the notes about it.
    """
    judged = Judged(workload.version)
    ref, spec, name = workload.manifest.ref, mapping(tree.get("spec")), name_of(tree)
    for path, reason in _expressions(name, spec):
        judged.object(path, reason, SERVER, "name" if path == NAME else "")
    if judged.objections:
        return judged
    reference = mapping(spec.get("runtimeRef"))
    kind, group = reference.get("kind", RUNTIMES[0]), reference.get("apiGroup", "trainer.kubeflow.org")
    if kind not in RUNTIMES or group != "trainer.kubeflow.org":
        judged.object(RUNTIME, f"`spec.runtimeRef`: there are no runtimes `{kind}` of `{group}`", WEBHOOK)
        return judged
    called = layout.text(reference.get("name"))
    judged.runtime = found(workload.companions, kind, called, ref.namespace)
    if judged.runtime is None and kind == RUNTIMES[0]:
        judged.runtime = shipped(called, workload.manifest.where)
        if judged.runtime is not None:
            judged.assumed = (
                f"judged with the runtime `{called}` that Trainer {minor(RECORDED)} installs, since no file gives one"
            )
    if judged.runtime is None:
        for one in named(workload.companions, kind, called):
            if one.ref.api_version != API_VERSION:
                reason = f"there is no version `{one.ref.api_version}` of it"
                expansion.refusals.append(Refusal(kind, called, SERVER, reason))
        reason = f"`spec.runtimeRef`: the {kind} `{called}` {UNSEEN}"
        judged.object(RUNTIME, reason, WEBHOOK, NO_RUNTIME)
        for path, reason in _patches(TrainJob(name, ref.namespace, tree, {})):
            judged.object(path, reason, WEBHOOK)
        return judged
    # what specgen compiled is planned so that it is stored; to work out how would slow every build
    compiled = workload.shaped and not isinstance(workload.manifest.where, Document)
    # those that Trainer installs are here as its newest release has them
    absent = NO_FIELDS if judged.assumed else OPERATOR.absent_fields(workload.version, OF_RUNTIMES)
    whole: dict[str, Any] | None = judged.runtime.tree
    if not compiled:
        newest = Manifest(runtime_as_newest(judged.runtime.tree, workload.version), judged.runtime.where)
        whole = stored(newest, expansion, absent)
    if whole is None:
        reason = f"`spec.runtimeRef`: the {kind} `{called}` is refused, and must exist before the TrainJob"
        judged.object(RUNTIME, reason, WEBHOOK, REFUSED_RUNTIME)
        return judged
    judged.job = TrainJob(name, ref.namespace, tree, whole)
    judged.job.said_processes = processes(workload.manifest, judged.runtime.tree, workload.version)
    if OPERATOR.at(workload.version) < PATCHES:
        for path, job in strangers(judged.job):
            at = f"spec.runtimePatches[{path[2]}].targetJobs"
            judged.object(path, f"`{at}` names the job `{shown(job)}`: {lacks(judged.job)}", WEBHOOK)
    for path, reason in _hooked(judged.job):
        judged.object(path, reason, WEBHOOK)
    return judged


def strangers(job: TrainJob) -> Iterator[tuple[Path, str]]:
    """Jobs that patches name and the runtime lacks: the path of the name in the newest spelling, and the name.

    Until 2.1 the webhook refuses them (v2.1.0, pkg/runtime/framework/plugins/jobset, Validate; 2.0.1 the same of
    ``podSpecOverrides``). Since then they are added to the JobSet as they are, without containers (recorded:
    ``patch-unknown-job``).
    """
    own = job.own_jobs()
    for index, patch in enumerate(sequence(job.tree.get("runtimePatches"))):
        template = mapping(mapping(mapping(patch).get("trainingRuntimeSpec")).get("template"))
        for at, one in enumerate(sequence(mapping(template.get("spec")).get("replicatedJobs"))):
            name = layout.text(mapping(one).get("name"))
            if name not in own:
                path: Path = ("spec", "runtimePatches", index, "trainingRuntimeSpec", "template", "spec")
                yield (*path, "replicatedJobs", at, "name"), name


def lacks(job: TrainJob) -> str:
    """Which jobs the runtime has, of one that it lacks."""
    own = [shown(name) for name in job.own_jobs()]
    return f"the runtime has {listed(own)}" if own else "the runtime has no jobs"


def _expressions(name: str, spec: dict[str, Any]) -> Iterator[Reason]:
    reason = name_refusal(name)
    if reason:
        yield NAME, reason
    if not is_label(known(name), letter_first=True):
        yield NAME, f"`metadata.name`: `{name}` is not a DNS label of at most 63 characters that begins with a letter"
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
        yield from _mounted_twice(("spec", "runtimePatches", index), mapping(patch))


def _mounted_twice(path: Path, patch: dict[str, Any]) -> Iterator[Reason]:
    """A volume that one patch mounts twice: the CRD tells mounts apart by their volume, in patches alone (recorded)."""
    template = mapping(mapping(patch.get("trainingRuntimeSpec")).get("template"))
    for number, replicated in enumerate(sequence(mapping(template.get("spec")).get("replicatedJobs"))):
        for key in ("initContainers", "containers"):
            for at, container in enumerate(layout.containers_of(replicated, key)):
                seen: list[Any] = []
                for place, mount in enumerate(sequence(container.get("volumeMounts"))):
                    name = mapping(mount).get("name")
                    if name in seen:
                        job: Path = ("trainingRuntimeSpec", "template", "spec", "replicatedJobs", number)
                        pod: Path = ("template", "spec", "template", "spec", key, at)
                        where: Path = (*path, *job, *pod, "volumeMounts", place, "name")
                        yield (
                            where,
                            f"`{dotted(path)}` mounts the volume `{name}` twice: one patch of a manager may once",
                        )
                    seen.append(name)


def is_uri(uri: str) -> bool:
    """Whether the CRD takes a text for an address of data: ``scheme://…``."""
    scheme, colon, rest = uri.partition("://")
    return bool(colon and rest and scheme and scheme[0].isalpha() and _SCHEME.issuperset(scheme) and "\n" not in rest)


def _hooked(job: TrainJob) -> Iterator[Reason]:
    """What the webhook refuses of a TrainJob whose runtime exists."""
    yield from _initializers(job)
    yield from _patches(job)
    given = [mapping(entry).get("name") for entry in sequence(mapping(job.trainer).get("env"))]
    for name in RESERVED.get(job.source, ()):
        if name in given:
            path = ("spec", "trainer", "env", given.index(name), "name")
            yield path, f"`spec.trainer.env`: `{name}` is reserved for the policy `{job.source}`"
    if job.source == "torch" and mapping(job.trainer).get("command") == TUNE:
        from specgen.operators.trainer.torchtune import reasons as of_torchtune

        yield from of_torchtune(job)
    if job.source == "torch":
        yield from _injection(job)
    as_node = job.source == "mpi" and job.policy.get("runLauncherAsNode") is True
    if as_node and (job.nodes or 1) >= 2 and None in (job.first(name=LAUNCHER), job.first(name=NODE)):
        yield _NODES, "`spec.trainer.numNodes` must be 1 where the runtime lacks the jobs `launcher` and `node`"
    if job.source == "flux":
        yield from _flux(job)
    if "volcano" in job.gang and job.annotations.get("scheduling.volcano.sh/queue-name") == "":
        yield RUNTIME, "the annotation `scheduling.volcano.sh/queue-name` is empty"


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
            yield RUNTIME, f"`spec.runtimeRef`: the runtime's job `{step}` has no container `{step}`"
        elif all(mapping(mount).get("name") != "initializer" for mount in sequence(named[0].get("volumeMounts"))):
            yield RUNTIME, f"`spec.runtimeRef`: the runtime's container `{step}` mounts no volume `initializer`"


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
            yield RUNTIME, f"`spec.runtimeRef`: `envInjection` names the job `{name}`, which the runtime lacks"
            continue
        both = [*layout.containers_of(job.jobs[at], "initContainers"), *layout.containers_of(job.jobs[at])]
        names = [one.get("name") for one in both]
        for container in sequence(mapping(target).get("containerNames")):
            if container not in names:
                lacks = f"names the container `{container}`, which the job `{name}` lacks"
                yield RUNTIME, f"`spec.runtimeRef`: `envInjection` {lacks}"


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
                yield RUNTIME, "`spec.runtimeRef`: the init container `flux-installer` is reserved for Flux"
