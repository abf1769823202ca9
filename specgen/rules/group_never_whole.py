"""A PodGroup of more pods than are in it.

## What it checks
`minMember` of a PodGroup among the files that are checked together, against the pods of the job that name it: by the
annotation `scheduling.k8s.io/group-name` for Volcano, by the label `scheduling.x-k8s.io/pod-group` for
scheduler-plugins. Passed over where another object of the files names the group as well.

## Why it hurts
No pod of the group starts before as many are there. The job waits for ever, on an empty cluster as on a full one.

## Severity
- warning: pods of files that are not among these may belong to the group.

## Example
Bad:

```yaml
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: train}
spec: {minMember: 8}
---
replicas: 4
template:
  metadata: {annotations: {scheduling.k8s.io/group-name: train}}
  spec:
    schedulerName: volcano
    containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

Good:

```yaml
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: train}
spec: {minMember: 4}
---
replicas: 4
template:
  metadata: {annotations: {scheduling.k8s.io/group-name: train}}
  spec:
    schedulerName: volcano
    containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
Make `minMember` the number of the pods, or add the pods that are missing. None is applied.

## When to ignore it
Where pods of files that are not among these belong to the group.

## References
Recorded: Volcano 1.15.1 and scheduler-plugins 0.34.7, `hand-group-min-above`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, plural, shown
from specgen.manifest.beside import mentioning, named
from specgen.manifest.views import mapping
from specgen.operators.queues import COSCHEDULING_GROUP, VOLCANO_GROUP
from specgen.rules import ALL, GANG, WORKLOAD
from specgen.rules._gangs import marks, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG621", "group-never-whole", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (GANG,)

_MARKS = (
    ("annotations", VOLCANO_GROUP, "scheduling.volcano.sh"),
    ("labels", COSCHEDULING_GROUP, "scheduling.x-k8s.io"),
)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each group, at the first pods that name it."""
    # the operator's own group takes the place of what the pods say
    if workload.gang is not None:
        return
    for kind, word, api in _MARKS:
        says = {role.name: marks(role.template, kind).get(word) for role in workload.roles}
        for name in dict.fromkeys([value for value in says.values() if isinstance(value, str)]):
            roles = [role for role in workload.roles if says[role.name] == name]
            groups = named(context.companions, "PodGroup", name)
            group = next((one for one in groups if _is(one, api, workload)), None)
            if group is None or any([one is not group for one in mentioning(context.companions, name)]):
                continue
            least = number(mapping(group.tree.get("spec")).get("minMember"))
            pods = sum(max(0, role.replicas) for role in roles)
            if least is not None and least > pods > 0:
                yield CODE.at(
                    Place((*roles[0].template_path, "metadata", kind, word), KEY),
                    f"the PodGroup `{shown(name)}` of {least} waits for ever: the job has {plural(pods, 'pod')} in it",
                    related=[(Place(("spec", "minMember"), where=group.where), f"needs {plural(least, 'pod')}")],
                )


def _is(one: Manifest, api: str, workload: Workload) -> bool:
    ref, space = one.ref, workload.manifest.ref.namespace
    return ref.api_version.partition("/")[0] == api and (space == ref.namespace or None in (space, ref.namespace))
