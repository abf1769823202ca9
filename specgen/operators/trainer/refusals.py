"""Which TrainJobs are refused: by the CRD's expressions, and by Trainer's validating webhook.

Read from kubeflow/trainer v2.3.0 (658725bdae5c): the CRD of TrainJobs, pkg/webhooks/trainjob_webhook.go and the
``Validate`` of its plugins. The schema has been judged before.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset import facts as layout
from specgen.operators.jobset.refusals import NOTHING
from specgen.operators.kubernetes.names import is_label, is_subdomain, known
from specgen.operators.kubernetes.objects import name_refusal
from specgen.operators.trainer.job import LAUNCHER, NODE, TrainJob
from specgen.operators.trainer.policies import RESERVED, TUNE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.operators.jobset.refusals import Reason

MANAGER = "trainer.kubeflow.org/trainjob-controller"
MULTIKUEUE = "kueue.x-k8s.io/multikueue"
_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-")
NAME = ("metadata", "name")
_NODES = ("spec", "trainer", "numNodes")
RUNTIME = ("spec", "runtimeRef", "name")
_PATCH_KEYS = ("dataset-initializer", "model-initializer", "node")


def server_refusal(name: str, spec: dict[str, Any]) -> str:
    """Why the API server does not store a TrainJob of the right shape; empty: it asks the webhook."""
    return next(expressions(name, spec), NOTHING)[1]


def expressions(name: str, spec: dict[str, Any]) -> Iterator[Reason]:
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


def is_uri(uri: str) -> bool:
    """Whether the CRD takes a text for an address of data: ``scheme://…``."""
    scheme, colon, rest = uri.partition("://")
    return bool(colon and rest and scheme and scheme[0].isalpha() and _SCHEME.issuperset(scheme) and "\n" not in rest)


def webhook_refusal(job: TrainJob) -> str:
    """Why the validating webhook refuses a TrainJob whose runtime exists; empty: it is stored."""
    return next(reasons(job), NOTHING)[1]


def reasons(job: TrainJob) -> Iterator[Reason]:
    yield from _initializers(job)
    yield from patches(job)
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


def patches(job: TrainJob) -> Iterator[Reason]:
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
