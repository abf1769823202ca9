"""A priority class that the cluster profile does not list.

## What it checks
`priorityClassName` of pods against `scheduling.priorities` of the cluster profile, where that lists any. The two that
every cluster has begin with `system-`.

## Why it hurts
Of an unknown class the API server refuses every pod: the job is accepted, its operator tries to create pods without
end, and the reason stands in events alone.

## Severity
- warning: the class may be made together with the job.

## Example
Bad:

```yaml
priorityClassName: hihg
containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

Good:

```yaml
priorityClassName: high
containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
Use a class of the cluster, or add it to the cluster profile.

## When to ignore it
Where the class is made together with the job; better, list it.

## References
Kubernetes 1.36, plugin/pkg/admission/priority (`no PriorityClass with name … was found`).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, listed, shown
from specgen.diagnostics.suggest import of_objects
from specgen.rules import ALL, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG474", "unknown-priority", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = ("priorityClassName",)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    named = role.pod.get("priorityClassName")
    known = context.priorities
    if not isinstance(named, str) or not named or not known or named.startswith("system-") or "$" in named:
        return
    if known.get(named) == "pod":
        return
    classes = [name for name, of in known.items() if of == "pod"]
    notes = ["the API server refuses each pod of a class that is not there, while the job is accepted"]
    if named in known:
        notes.insert(0, "the cluster profile lists it as a priority of workloads, which Kueue alone reads")
    elif classes:
        notes.insert(0, f"it lists {listed(classes)}")
    near = of_objects(named, classes)
    finding = CODE.at(
        Place((*role.pod_path, "priorityClassName")),
        f"the cluster profile lists no PriorityClass `{shown(named)}`",
        notes=notes,
        helps=[f"there is a class with a similar name: `{near[0]}`"] if near else [],
    )
    finding.cluster = [(("scheduling", "priorities"), "its priorities")]
    if named in known:
        finding.cluster = [(("scheduling", "priorities", named), "of workloads")]
    yield finding
