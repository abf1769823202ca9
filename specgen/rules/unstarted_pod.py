"""A pod that is placed on a node, and whose containers the kubelet never starts.

## What it checks
The `medium` of an `emptyDir` is `Memory`, `HugePages`, or one of `HugePages-<size>`, in these letters; and no container
is to run as user 0 (`runAsUser`) and as anybody but root (`runAsNonRoot: true`), where what a container says stands in
place of what its pod says.

## Why it hurts
The API server takes such pods. With another medium they stay in `ContainerCreating`, with both words in
`CreateContainerConfigError`: they hold their devices, the rest of the job waits for them, and nothing fails.

## Severity
- error: the kubelet starts no container of the pod, or not this one.

## Example
Bad:

```yaml
volumes: [{name: shm, emptyDir: {medium: memory}}]
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    volumeMounts: [{name: shm, mountPath: /dev/shm}]
```

Good:

```yaml
volumes: [{name: shm, emptyDir: {medium: Memory}}]
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    volumeMounts: [{name: shm, mountPath: /dev/shm}]
```

## Fix
The medium as the kubelet spells it: safe where letter case alone differs, as no such pod ever ran. Of the two words
about root none is applied: who may run as root is for people to say.

## When to ignore it
Never.

## References
Kubernetes 1.36, pkg/volume/emptydir/empty_dir.go and pkg/kubelet/kuberuntime/security_context_others.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, SAFE, UNSAFE, Code, Place
from specgen.operators.kubernetes.kubelet import refusals
from specgen.rules import ALL, MEDIUM, ROLE
from specgen.rules._remedies import respelt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG331", "unstarted-pod", ERROR, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (MEDIUM,)

_WAITS = {"medium": "ContainerCreating", "root": "CreateContainerConfigError"}


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each place; twins have theirs once."""
    before = role.workload.roles[: role.workload.roles.index(role)]
    if any([other.pod is role.pod for other in before]):
        return
    seen = set()
    for reason in refusals(role.pod):
        path = (*role.pod_path, *reason.path)
        # a pod's words are those of each of its containers
        if path in seen:
            continue
        seen.add(path)
        fix = None
        if reason.words:
            word = str(role.pod["volumes"][reason.path[1]]["emptyDir"]["medium"])
            same = any([word.lower() == known.lower() for known in reason.words])
            fix = respelt(path, word, reason.words, SAFE if same else UNSAFE)
        other = reason.other
        yield CODE.at(
            path,
            reason.message,
            related=[] if other is None else [(Place((*role.pod_path, *other)), "never as root")],
            notes=[f"the pod is placed, and waits on its node in `{_WAITS[reason.cause]}`"],
            helps=["leave out the one that is not meant"] if reason.cause == "root" else [],
            fix=fix,
        )
