"""A sidecar that a webhook puts into the pods of a job and that never ends, or an opt-out that none of its pods has.

## What it checks
No pod template asks for a sidecar that runs on: the proxy of Istio or Linkerd (`sidecar.istio.io/inject: "true"`,
`linkerd.io/inject: enabled`) without the annotation that makes it a native sidecar, Vault's agent
(`vault.hashicorp.com/agent-inject: "true"`) without `agent-pre-populate-only` or `agent-enable-quit`. What is said of
them stands on the pod templates, not on the job alone: operators copy no annotation of a job to its pods.

## Why it hurts
A pod ends when all of its containers have: the program is through, and the job keeps its GPUs. A proxy comes up after
the init containers, which have no network yet, holds ports that ranks meet by, and does not know RDMA.

## Severity
- warning: whether the cluster has the webhook, and adds a native sidecar by itself, is not known.

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
`"false"`, or `disabled` for Linkerd, in `template.metadata` of every role; `agent-pre-populate-only: "true"` beside
Vault's annotation, which leaves its init container. Unsafe: a mesh may be meant, a program may renew its secrets.

## When to ignore it
Where the mesh runs its proxy as a native sidecar (Istio 1.27 on by default) and ranks do not meet through it.

## References
Istio 1.27, "Installing the sidecar"; Linkerd 2.19, "Native sidecars"; vault-k8s, agent-inject/agent/annotations.go;
istio/istio#11045, kubeflow/pytorch-operator#258, kubeflow/trainer#1681, hashicorp/vault-k8s#120.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping
from specgen.rules import ALL, MESH, WORKLOAD
from specgen.rules._remedies import put

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

_TRUE = ("1", "t", "true")
_ISTIO, _LINKERD, _VAULT = "sidecar.istio.io/inject", "linkerd.io/inject", "vault.hashicorp.com/agent-inject"
_INIT_ONLY = "vault.hashicorp.com/agent-pre-populate-only"
# Annotation or label → the words that let a sidecar in.
_ASKS = {_ISTIO: ("true",), _LINKERD: ("enabled", "ingress"), _VAULT: _TRUE}
# → annotations of which one that is true has it end with the program, or by it.
_ENDS = {
    _ISTIO: ("sidecar.istio.io/nativeSidecar",),
    _LINKERD: tuple([f"config.{stage}linkerd.io/proxy-enable-native-sidecar" for stage in ("", "alpha.", "beta.")]),
    _VAULT: (_INIT_ONLY, "vault.hashicorp.com/agent-enable-quit"),
}
# → the word that keeps out what a namespace lets in.
_KEEPS_OUT = {_ISTIO: "false", _LINKERD: "disabled"}
_WHERE = ("annotations", "labels")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each role that asks for a sidecar, one for a word on the job without effect."""
    for role in workload.roles:
        metadata = role.template.get("metadata")
        own = mapping(mapping(metadata).get("annotations"))
        for where, key, value in _said(metadata):
            if value in _ASKS[key] and not any([own.get(name) in _TRUE for name in _ENDS[key]]):
                yield _asked(role, (*role.template_path, "metadata", where), key)
    for where, key, value in _said(workload.manifest.tree.get("metadata")):
        without = [role for role in workload.roles if not _has(role, key)]
        # the pods of a TrainJob are told by its runtime
        if value in (_KEEPS_OUT.get(key), *(_TRUE if key == _VAULT else ())) and without and workload.terms is not None:
            yield _idle(("metadata", where, key), where, key, value, without)


def _said(metadata: Any) -> Iterator[tuple[str, str, str]]:
    """(annotations or labels, key, value) of what is said of a sidecar; Vault's webhook reads no labels."""
    for where in _WHERE:
        found = mapping(mapping(metadata).get(where))
        for key in _ASKS:
            value = found.get(key)
            if isinstance(value, str) and (where == "annotations" or key != _VAULT):
                yield where, key, value


def _has(role: Role, key: str) -> bool:
    return any(known == key for _, known, _ in _said(role.template.get("metadata")))


def _asked(role: Role, above: Path, key: str) -> Finding:
    if key == _VAULT:
        what = "Vault's agent"
        notes = [
            "beside its init container it is an ordinary container, which renews secrets until it is killed",
            "when the program has ended, the pod still runs: the job never succeeds",
        ]
        beside = put(role.workload.manifest.tree, (*above, _INIT_ONLY), "true")
        fix = Fix(f'write `{_INIT_ONLY}: "true"` beside it', UNSAFE, [beside])
    else:
        what = "the proxy of a service mesh"
        notes = [
            "it comes up after the init containers, which have no network yet",
            "unless it is a native sidecar it runs on when the program has ended: the job never does",
        ]
        fix = Fix("keep the proxy out", UNSAFE, [Set((*above, key), _KEEPS_OUT[key])])
    return CODE.at(
        (*above, key),
        f"the pods of `{role.name}` ask for {what}",
        label="lets the sidecar in",
        notes=notes,
        fix=fix,
    )


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
        notes=[
            "Vault's webhook sees pods alone: no agent comes into them, and no secret"
            if key == _VAULT
            else "in a namespace of a mesh its proxy comes into the pods all the same"
        ],
        fix=Fix("say it in the pod templates", UNSAFE, patch),
    )
