"""Pods that must run on nodes of the control plane, and may not.

## What it checks
Pods that ask for the label `node-role.kubernetes.io/control-plane`, or `master`, by a node selector or a required
affinity, tolerate the taint of that name.

## Why it hurts
kubeadm and most installers taint these nodes. The scheduler finds no node that is both: the pods wait for ever.

## Severity
- warning: a small cluster may have taken the taint away.

## Example
Bad:

```yaml
containers: [{name: pytorch, image: "a/b:1"}]
nodeSelector: {node-role.kubernetes.io/control-plane: ""}
```

Good:

```yaml
containers: [{name: pytorch, image: "a/b:1"}]
nodeSelector: {node-role.kubernetes.io/control-plane: ""}
tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]
```

## Fix
Tolerate the taint, or ask for other nodes. None is applied: training rarely belongs on the control plane.

## When to ignore it
It is a warning, as a cluster of one node, or of a few, may have taken the taint away.

## References
Kubernetes 1.36, "Well-Known Labels, Annotations and Taints": `node-role.kubernetes.io/control-plane`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, NODE_ROLE, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG435", "untolerated-control-plane", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (NODE_ROLE,)

_LABELS = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding for each label."""
    for label, place in _asked(role):
        if _tolerated(role, label):
            continue
        yield CODE.at(
            place,
            f"pods of `{role.name}` must run on nodes with `{label}`, and do not tolerate its taint",
            label="asks for the control plane",
            notes=["most clusters taint these nodes: the pods wait for ever"],
            helps=[f"tolerate it: `{{key: {label}, operator: Exists}}`, or ask for other nodes"],
        )


def _asked(role: Role) -> Iterator[tuple[str, Place]]:
    for label in _LABELS:
        if label in mapping(role.pod.get("nodeSelector")):
            yield label, Place((*role.pod_path, "nodeSelector", label), KEY)
    node: Path = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    terms = role.pod
    for step in node[:-1]:
        terms = mapping(terms.get(str(step)))
    found = sequence(terms.get(str(node[-1])))
    if len(found) != 1:
        return  # one of several terms is enough
    for index, one in enumerate(sequence(mapping(found[0]).get("matchExpressions"))):
        if mapping(one).get("key") in _LABELS and mapping(one).get("operator") in ("Exists", "In"):
            yield mapping(one)["key"], Place((*role.pod_path, *node, 0, "matchExpressions", index, "key"))


def _tolerated(role: Role, label: str) -> bool:
    for one in sequence(role.pod.get("tolerations")):
        key, effect = mapping(one).get("key"), mapping(one).get("effect")
        every = key in (None, "") and mapping(one).get("operator") == "Exists"
        if (key == label or every) and effect in (None, "", "NoSchedule"):
            return True
    return False
