"""One domain that is asked of some roles, or of each by itself, and not of the job.

## What it checks
The annotations of Kueue's topology on the templates of roles that ask for devices: `podset-required-topology` of one
level on several of them without one `podset-group-name`, or on some of them alone.

## Why it hurts
Each role is a set of pods to Kueue, with a domain of its own. Master and Workers that must each be in one rack may be
in two; a role that asks for none is placed anywhere. The traffic between them leaves the rack all the same.

## Severity
- warning: the roles may be meant to be apart.

## Example
Bad:

```yaml
Master:
  template:
    metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: example.com/rack}}
    spec: {containers: [{name: pytorch, image: "example/train:1", resources: {limits: {nvidia.com/gpu: 8}}}]}
Worker:
  replicas: 3
  template:
    metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: example.com/rack}}
    spec: {containers: [{name: pytorch, image: "example/train:1", resources: {limits: {nvidia.com/gpu: 8}}}]}
```

Good:

```yaml
Worker:
  replicas: 4
  template:
    metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: example.com/rack}}
    spec: {containers: [{name: pytorch, image: "example/train:1", resources: {limits: {nvidia.com/gpu: 8}}}]}
```

## Fix
Give both roles the same `kueue.x-k8s.io/podset-group-name`: Kueue keeps two sets of pods together of which one has a
single pod. That is unsafe: the job may wait longer. Of other jobs, make the pods those of one role.

## When to ignore it
Where the roles may be apart, as parameter servers and workers often may.

## References
Kueue 0.19.2, recorded: `tas-pytorch-both-required-apart`, `tas-pytorch-worker-only`, `tas-group-master-workers`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, listed, shown
from specgen.manifest.origins import Origins
from specgen.operators.queues import GROUP, REQUIRED, SLICE, TOPOLOGY
from specgen.rules import ALL, KUEUE, WORKLOAD
from specgen.rules._gangs import devices, marks
from specgen.rules._remedies import put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG606", "domains-apart", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (KUEUE,)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the first role that asks for a domain."""
    roles = [role for role in workload.roles if role.replicas > 0]
    said = [role for role in roles if isinstance(marks(role.template, "annotations").get(REQUIRED), str)]
    if len(roles) < 2 or not said or any([SLICE in marks(role.template, "annotations") for role in roles]):
        return
    level = marks(said[0].template, "annotations")[REQUIRED]
    unsaid = [role for role in roles if not any([name in TOPOLOGY for name in marks(role.template, "annotations")])]
    # a profile says the word of the whole job, or takes it from a role on purpose
    written = not isinstance(workload.manifest.where, Origins)
    free = [role for role in unsaid if written and devices(role)]
    if free and any([devices(role) for role in said]):
        names = listed([role.name for role in free])
        yield CODE.at(
            Place(_path(said[0], REQUIRED), KEY),
            f"one `{shown(level)}` is asked of {listed([role.name for role in said])} and not of {names}",
            related=[(Place(role.path, KEY), "placed wherever there is room") for role in free],
            notes=["to Kueue each role is a set of pods of its own, and an annotation is of one set"],
        )
        return
    said = [role for role in said if marks(role.template, "annotations")[REQUIRED] == level]
    groups = [marks(role.template, "annotations").get(GROUP) for role in said]
    if len(said) < 2 or (None not in groups and len(set(map(str, groups))) == 1):
        return
    yield CODE.at(
        Place(_path(said[0], REQUIRED)),
        f"{listed([role.name for role in said])} are each kept in one `{shown(level)}`, and not in the same",
        label="each by itself",
        related=[(Place(_path(role, REQUIRED)), "a domain of its own") for role in said[1:]],
        notes=[
            "to Kueue each role is a set of pods of its own",
            f"`{GROUP}` keeps two sets together, of which one has a single pod",
        ],
        fix=_group(workload, said),
    )


def _path(role: Role, name: str) -> Path:
    return (*role.template_path, "metadata", "annotations", name)


def _group(workload: Workload, roles: list[Role]) -> Fix | None:
    """Both roles in one group, where Kueue makes one."""
    pods = [role.replicas for role in roles]
    if len(roles) != 2 or len(workload.roles) != 2 or 1 not in pods or workload.operator == "trainer":
        return None
    patch = []
    for role in roles:
        if GROUP in marks(role.template, "annotations"):
            return None
        patch.append(put(workload.manifest.tree, _path(role, GROUP), workload.manifest.ref.name or "group"))
    return Fix(f"keep both together by `{GROUP}`", UNSAFE, patch)
