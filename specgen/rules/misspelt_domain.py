"""A `topologyKey` that is a label of Kubernetes' nodes but for the letter case.

## What it checks
`topologyKey` of affinities between pods, and of `topologySpreadConstraints`, against the labels that nodes have by
Kubernetes itself, such as `kubernetes.io/hostname` and `topology.kubernetes.io/zone`: one that differs from such a
label in letter case alone.

## Why it hurts
No node has the label. Pods that must stand together, or must be spread, wait for ever; pods that must stay apart are
not kept apart, as nodes without the label are in no domain; what is only preferred has no effect. Nobody says so.

## Severity
- warning: somebody may have given the nodes that label.

## Example
Bad:

```yaml
topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: kubernetes.io/hostName, whenUnsatisfiable: DoNotSchedule}
containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

Good:

```yaml
topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule}
containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
The label as nodes have it. Unsafe: pods then stand elsewhere.

## When to ignore it
Where nodes have both labels.

## References
Kubernetes 1.36, "Well-Known Labels, Annotations and Taints"; pkg/scheduler/framework/plugins/{interpodaffinity,
podtopologyspread}.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, shown
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG335", "misspelt-domain", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = ("affinity", "topologySpreadConstraints")

_LABELS = (
    "kubernetes.io/hostname",
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
)
_NEAR = {label.lower(): label for label in _LABELS}
_REQUIRED, _PREFERRED = (f"{word}DuringSchedulingIgnoredDuringExecution" for word in ("required", "preferred"))
_EFFECTS = {"podAffinity": "the pods wait for ever", "podAntiAffinity": "the pods are not kept apart"}


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each key; twins have theirs once."""
    before = role.workload.roles[: role.workload.roles.index(role)]
    if any([other.pod is role.pod for other in before]):
        return
    for path, tree, effect in _terms(role.pod):
        key = tree.get("topologyKey")
        meant = _NEAR.get(key.lower()) if isinstance(key, str) else None
        if meant is None or key == meant:
            continue
        where = (*role.pod_path, *path, "topologyKey")
        yield CODE.at(
            where,
            f"no node has the label `{shown(key)}`: it is called `{meant}`",
            notes=[f"keys of labels are told apart by letter case, and {effect}"],
            fix=Fix(f"write `{meant}`", UNSAFE, [Set(where, meant)]),
        )


def _terms(pod: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any], str]]:
    """(path in the pod, what holds a key, what a key that no node has comes to)."""
    affinity = mapping(pod.get("affinity"))
    for kind, effect in _EFFECTS.items():
        own = mapping(affinity.get(kind))
        for at, term in enumerate(sequence(own.get(_REQUIRED))):
            yield ("affinity", kind, _REQUIRED, at), mapping(term), effect
        for at, one in enumerate(sequence(own.get(_PREFERRED))):
            path = ("affinity", kind, _PREFERRED, at, "podAffinityTerm")
            yield path, mapping(mapping(one).get("podAffinityTerm")), "it has no effect"
    for at, one in enumerate(sequence(pod.get("topologySpreadConstraints"))):
        tree = mapping(one)
        must = tree.get("whenUnsatisfiable") != "ScheduleAnyway"
        yield ("topologySpreadConstraints", at), tree, "the pods wait for ever" if must else "it has no effect"
