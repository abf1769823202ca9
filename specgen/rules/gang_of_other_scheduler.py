"""A gang or a queue of a scheduler that does not place these pods.

## What it checks
`schedulerName` of the pods, written or the cluster's own, against what names a gang or a queue of Volcano,
scheduler-plugins, KAI or YuniKorn: annotations and labels of the pods, `podGroupPolicy` of a runtime of Trainer, the
gang flag of their operator, a Volcano Job. Other names of schedulers are not judged.

## Why it hurts
The PodGroup stands there and nobody asks it: the pods are bound one by one, and where there is no room for all, those
that are bound hold their devices and wait.

## Severity
- warning: a webhook may name another scheduler, or one may be called so.

## Example
Bad:

```yaml
replicas: 4
template:
  metadata: {annotations: {scheduling.k8s.io/group-name: train}}
  spec:
    schedulerName: default-scheduler
    containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

Good:

```yaml
replicas: 4
template:
  metadata: {annotations: {scheduling.k8s.io/group-name: train}}
  spec:
    schedulerName: volcano
    containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
Name the gang's scheduler, or take the gang out. The first is offered and unsafe: another scheduler then places the
pods.

## When to ignore it
Where an admission webhook names the scheduler of the pods, or the scheduler that is called so is another one.

## References
Volcano 1.15.1, recorded: `trainjob-no-scheduler-name`, `scheduler-name-default`, `vc-scheduler-name-default`,
`hand-group-no-scheduler`. The coscheduling plugin may be in the scheduler that has no name (`scheduler-name-default`).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place
from specgen.manifest.views import mapping
from specgen.operators.queues import (
    COSCHEDULING_GROUP,
    DEFAULT,
    KAI,
    KAI_QUEUE,
    SCHEDULERS,
    VOLCANO,
    VOLCANO_GROUP,
    VOLCANO_QUEUE,
    YUNIKORN,
    YUNIKORN_APPLICATION,
)
from specgen.rules import ALL, GANG, WORKLOAD
from specgen.rules._gangs import marks, scheduler
from specgen.rules._remedies import put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context
    from specgen.source import Path

    # where a gang or queue is said, what it is, and its scheduler
    Said = tuple[Path, str, str]

CODE = Code("SG610", "gang-of-other-scheduler", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (GANG,)

_COSCHEDULING = "scheduler-plugins"
_MARKS = (
    ("annotations", VOLCANO_GROUP, VOLCANO),
    ("annotations", VOLCANO_QUEUE, VOLCANO),
    ("labels", COSCHEDULING_GROUP, _COSCHEDULING),
    ("labels", KAI_QUEUE, KAI),
    *[("labels", name, YUNIKORN) for name in YUNIKORN_APPLICATION],
)
_ONE_BY_ONE = "the pods are bound one by one: where there is no room for all, some hold their devices and wait"
_UNCOUNTED = "the queue knows nothing of the pods, and they wait for nothing that it says"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding: at the first word for a gang whose pods another scheduler places."""
    runtime = _runtime(workload) if workload.operator == "trainer" else None
    for role in workload.roles:
        placed = scheduler(role, context)
        if placed is None:
            yield from _by_hand(role)
        for path, what, wanted in _said(role, runtime) if placed in SCHEDULERS and role.replicas > 0 else ():
            # the coscheduling plugin may be in any scheduler that is Kubernetes' own
            if placed == wanted or (placed == DEFAULT and wanted in (_COSCHEDULING, YUNIKORN)):
                continue
            yield _other(workload, role, (path, what, wanted), str(placed), runtime)
            return


def _runtime(workload: Workload) -> Manifest | None:
    from specgen.operators.trainer.roles import runtime_of  # few jobs have one

    return runtime_of(workload)


def _said(role: Role, runtime: Manifest | None) -> Iterator[Said]:
    workload = role.workload
    for kind, name, wanted in _MARKS:
        if name in marks(role.template, kind):
            yield (*role.template_path, "metadata", kind, name), f"`{name}`", wanted
    if workload.operator == "volcano":
        yield ("kind",), "the gang of a Volcano Job", VOLCANO
    elif workload.gang is not None:
        yield role.path, f"the gang of the {workload.operator}", workload.gang
    elif runtime is not None:
        groups = mapping(mapping(runtime.tree.get("spec")).get("podGroupPolicy"))
        for word, wanted in (("volcano", VOLCANO), ("coscheduling", _COSCHEDULING)):
            if word in groups:
                yield ("spec", "podGroupPolicy", word), "`podGroupPolicy`", wanted


def _other(workload: Workload, role: Role, said: Said, placed: str, runtime: Manifest | None) -> Finding:
    path, what, wanted = said
    named = role.pod.get("schedulerName")
    spec = mapping(workload.manifest.tree.get("spec"))
    if named:
        there: Path | None = (*role.pod_path, "schedulerName")
    else:
        there = ("spec", "schedulerName") if workload.operator == "volcano" and spec.get("schedulerName") else None
    related = []
    if there is not None and len(path) > 1:
        related.append((Place(there), f"names `{placed}`"))
    place = Place(there) if there is not None and len(path) <= 1 else Place(path, KEY)
    if workload.gang == wanted and there is not None:
        place, related = Place(there), []
    fix = None
    if wanted in (VOLCANO, KAI) and workload.operator != "trainer":
        patch = [
            put(workload.manifest.tree, (*one.pod_path, "schedulerName"), wanted)
            for one in workload.roles
            if one.pod.get("schedulerName") or there is None
        ]
        if there == ("spec", "schedulerName"):
            patch.append(put(workload.manifest.tree, there, wanted))
        fix = Fix(f"name `{wanted}`", UNSAFE, patch)
    finding = CODE.at(
        place,
        f"{what} is of {_called(wanted)}, and `{placed}` places the pods",
        label="" if there is not None else "`schedulerName` is not said",
        related=related,
        notes=[_UNCOUNTED if path[-1] in (VOLCANO_QUEUE, KAI_QUEUE) else _ONE_BY_ONE],
        helps=[] if fix or wanted == _COSCHEDULING else [f"say `schedulerName: {wanted}` in the pod templates"],
        fix=fix,
    )
    if runtime is not None and path[1] == "podGroupPolicy":
        finding.where = runtime.where
        finding.related = [(Place(one.path, one.part, where=runtime.where), label) for one, label in related]
    return finding


def _called(wanted: str) -> str:
    return {VOLCANO: "Volcano", KAI: "KAI", YUNIKORN: "YuniKorn"}.get(wanted, wanted)


def _by_hand(role: Role) -> Iterator[Finding]:
    """A group's name where the operator would write its own, or else nobody reads it."""
    if role.workload.operator != "training-operator" or VOLCANO_GROUP not in marks(role.template, "annotations"):
        return
    yield CODE.at(
        Place((*role.template_path, "metadata", "annotations", VOLCANO_GROUP), KEY),
        f"`{VOLCANO_GROUP}` makes no gang: the pods name no scheduler",
        label="without effect",
        notes=[
            "without `schedulerName: volcano` another scheduler places the pods",
            "a training operator that was started for Volcano names it, and writes a group of its own over this",
        ],
    )
