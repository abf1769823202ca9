"""A label or an annotation of a queue, or of a group, that is called nearly so.

## What it checks
Labels and annotations of jobs and of their pods below the prefixes of Kueue (`kueue.x-k8s.io/`), Volcano
(`scheduling.volcano.sh/`, `scheduling.k8s.io/`) and scheduler-plugins (`scheduling.x-k8s.io/`), which these do not
read, and that are called nearly like one that they do: `kueue.x-k8s.io/queue` for `kueue.x-k8s.io/queue-name`. One that
is like none of them is passed over: it may be of another release. Of JobSet, `exclusive-topology` and `node-selector`
below `alpha.jobset.sigs.k8s.io/`, spelt nearly so or without the `alpha.` in front.

## Why it hurts
Nobody reads the key, and nobody says so: the job is in no queue and starts at once, past the quota, or its pods are in
no group, or shares its topology.

## Severity
- warning: something else of the cluster may read it.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft, labels: {kueue.x-k8s.io/queue: research}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft, labels: {kueue.x-k8s.io/queue-name: research}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

## Fix
Call it as it is read. It is unsafe: the job then waits for its queue.

## When to ignore it
Where something else in the cluster reads it, or a release that has another word.

## References
Kueue 0.19, pkg/controller/constants/constants.go, pkg/controller/jobs/pod/constants, apis/kueue/v1beta2; Volcano 1.15,
vendor/volcano.sh/apis/pkg/apis/scheduling/v1beta1/labels.go; scheduler-plugins 0.34, apis/scheduling/v1alpha1/types.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Rename
from specgen.diagnostics.suggest import similar
from specgen.operators.queues import MARKS
from specgen.rules import ALL, GANG, KUEUE, WORKLOAD
from specgen.rules._gangs import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG625", "misspelt-mark", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (GANG, KUEUE)

_JOBSET = ("jobset.sigs.k8s.io/", "alpha.jobset.sigs.k8s.io/")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each key, at the key."""
    holders: list[tuple[object, Path]] = [(workload.manifest.tree, ())]
    holders += [(role.template, role.template_path) for role in workload.roles]
    if workload.kind == "JobSet":
        # each of its Jobs may be one of its own topology
        holders += [(role.tree.get("template"), (*role.path, "template")) for role in workload.roles]
    seen = set()
    for tree, above in holders:
        for kind in ("labels", "annotations"):
            own = marks(tree, kind)
            for key in own:
                meant = _meant(key) if isinstance(key, str) else ""
                if not meant or (kind, key, above) in seen:
                    continue
                seen.add((kind, key, above))
                path = (*above, "metadata", kind, key)
                taken = meant in own
                yield CODE.at(
                    Place(path, KEY),
                    f"nobody reads `{shown(key)}`: it is called `{meant}`",
                    label="without effect",
                    notes=["whoever lets jobs begin does not report a key that it does not know"],
                    helps=[f"`{meant}` is there as well"] if taken else [],
                    fix=None if taken else Fix(f"write `{meant}`", UNSAFE, [Rename(path, meant)]),
                )


def _meant(key: str) -> str:
    """The key that was meant; empty: it is known, or like none."""
    if key.startswith(_JOBSET):
        from specgen.operators.jobset import facts  # few jobs have a mark below it

        return facts.meant(key)
    prefix, slash, name = key.rpartition("/")
    written, other = MARKS.get(prefix + slash, ((), ()))
    if not name or name in written or name in other:
        return ""
    # a word left out at the end, or one too many
    cut = [one for one in written if one.startswith(f"{name}-") or name.startswith(f"{one}-")]
    near = cut if len(cut) == 1 else similar(name, written)[:1]
    return f"{prefix}/{near[0]}" if near else ""
