"""A service mesh that puts its proxy into the pods of a job, or an opt-out that none of its pods has.

## What it checks
No pod template asks for the sidecar of Istio or Linkerd (`sidecar.istio.io/inject: "true"`, `linkerd.io/inject:
enabled`), and what keeps it out stands on the pod templates, not on the job alone: operators copy no annotation of a
job to its pods.

## Why it hurts
The proxy comes up after the init containers, which wait for a name and have no network yet; it holds ports that ranks
meet by, does not know RDMA, and runs on when the program has ended, so that the pod never does and keeps its GPUs.

## Severity
- warning: whether the mesh runs its proxy as a native sidecar is not known.

## Example
Bad:

```yaml
kind: PyTorchJob
apiVersion: kubeflow.org/v1
metadata: {name: llama-ft, annotations: {sidecar.istio.io/inject: "false"}}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}
```

Good:

```yaml
kind: PyTorchJob
apiVersion: kubeflow.org/v1
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        metadata: {annotations: {sidecar.istio.io/inject: "false"}}
        spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}
```

## Fix
`"false"`, or `disabled` for Linkerd, in `template.metadata` of every role. Unsafe: a pod may be let into the mesh on
purpose.

## When to ignore it
Where the mesh runs its proxy as a native sidecar (Istio 1.27 on by default) and ranks do not meet through it.

## References
Istio 1.27, "Installing the sidecar" (label and annotation of pods); Linkerd 2.18, "Automatic proxy injection";
istio/istio#11045, kubeflow/pytorch-operator#258, kubeflow/trainer#1681.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping
from specgen.rules import ALL, MESH, WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG483", "mesh-sidecar", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (MESH,)

# Annotation or label → the words that let a proxy in, and those that keep it out.
_KEYS = {
    "sidecar.istio.io/inject": (("true",), ("false",)),
    "linkerd.io/inject": (("enabled", "ingress"), ("disabled",)),
}
_WHERE = ("annotations", "labels")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each role that asks for a proxy, one for an opt-out without effect."""
    for role in workload.roles:
        for where, key, value in _said(role.template.get("metadata")):
            if value in _KEYS[key][0]:
                path = (*role.template_path, "metadata", where, key)
                yield CODE.at(
                    path,
                    f"the pods of `{role.name}` ask for the proxy of a service mesh",
                    label="lets the sidecar in",
                    notes=[
                        "it comes up after the init containers, which have no network yet",
                        "unless it is a native sidecar it runs on when the program has ended: the job never does",
                    ],
                    fix=Fix("keep the proxy out", UNSAFE, [Set(path, _KEYS[key][1][0])]),
                )
    for where, key, value in _said(workload.manifest.tree.get("metadata")):
        without = [role for role in workload.roles if not _has(role, key)]
        # the pods of a TrainJob are told by its runtime
        if value in _KEYS[key][1] and without and workload.terms is not None:
            yield _idle(("metadata", where, key), where, key, value, without)


def _said(metadata: Any) -> Iterator[tuple[str, str, str]]:
    """(annotations or labels, key, value) of what is said of a proxy."""
    for where in _WHERE:
        found = mapping(mapping(metadata).get(where))
        for key in _KEYS:
            value = found.get(key)
            if isinstance(value, str):
                yield where, key, value


def _has(role: Role, key: str) -> bool:
    return any(known == key for _, known, _ in _said(role.template.get("metadata")))


def _idle(path: Path, where: str, key: str, value: str, without: list[Role]) -> Finding:
    patch = []
    for role in without:
        below: Path = role.template_path
        entry: Any = {"metadata": {where: {key: value}}}
        tree: Any = role.template
        for step in ("metadata", where, key):
            below, entry = (*below, step), entry[step]
            if step not in tree or not isinstance(tree[step], dict):
                break
            tree = tree[step]
        patch.append(Set(below, entry))
    return CODE.at(
        Place(path, "key"),
        f"`{key}` on the job has no effect on its pods",
        label="operators copy no annotation of a job",
        related=[(Place((*role.path, "template"), "key"), f"`{role.name}` has none") for role in without],
        notes=["in a namespace of a mesh its proxy comes into the pods all the same"],
        fix=Fix("say it in the pod templates", UNSAFE, patch),
    )
