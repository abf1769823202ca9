"""A level of a topology that no flavor of the queue has.

## What it checks
The annotations of Kueue's topology on the templates of roles, against the flavors of the job's ClusterQueue. Passed
over unless LocalQueue, ClusterQueue, all ResourceFlavors and their Topologies are among the files of the run. And
`networkTopology` of a Volcano Job, against the HyperNodes among the files, or the tiers of the cluster profile.

## Why it hurts
Kueue finds no flavor for the pods: the job stays suspended for ever, and its Workload alone says why, with `does not
support TopologyAwareScheduling` or `does not contain the requested level`. Without HyperNodes, or without its plugin
network-topology-aware, Volcano puts the pods of a gang anywhere, whatever the job says.

## Severity
- error: no flavor of the queue is ever given to the pods.
- warning: Volcano may have HyperNodes that nobody shows.

## Example
Bad:

```yaml
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: h100}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 64}]}]
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: research}, spec: {clusterQueue: team}}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft, labels: {kueue.x-k8s.io/queue-name: research}}
spec:
  pytorchReplicaSpecs:
    Worker:
      template:
        metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: example.com/rack}}
        spec: {containers: [{name: pytorch, resources: {limits: {nvidia.com/gpu: 8}}}]}
```

Good: the flavor has a Topology with that level, `spec: {topologyName: fabric}`, or the pods wish for none.

```yaml
Worker:
  template: {spec: {containers: [{name: pytorch, resources: {limits: {nvidia.com/gpu: 8}}}]}}
```

## Fix
Name a level that the Topology of a flavor has, or give a flavor such a Topology. None is applied.

## When to ignore it
Where the queue or the flavors of the cluster are not those of the files.

## References
Kueue 0.19.2, recorded: `tas-required-unknown-level`, `tas-flavor-without-topology`; Volcano 1.15.1, recorded:
`topology-hard-default-config`, `topology-hard-no-hypernodes`.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, Code, Place, listed, shown
from specgen.manifest.beside import named
from specgen.manifest.views import mapping
from specgen.operators.queues import KUEUE_QUEUE, TOPOLOGY
from specgen.rules import ALL, KUEUE, WORKLOAD
from specgen.rules._gangs import marks, of_group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context

CODE = Code("SG712", "level-nowhere", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (KUEUE, "networkTopology")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each role that wishes for such a level, at the wish; of Volcano one for the job."""
    if workload.operator == "volcano":
        yield from _of_volcano(workload, context)
    label = marks(workload.manifest.tree, "labels").get(KUEUE_QUEUE)
    roles = {role.name.lower(): role for role in workload.roles if _wish(role)}
    if not isinstance(label, str) or not roles or not named(context.companions, "LocalQueue", label):
        return
    from specgen.rules._queues import levels_kueue  # few jobs stand beside their queue

    lacking, queue = levels_kueue(label, workload, context)
    for one in lacking:
        role = roles.get(one.pods)
        if role is None or queue is None:
            continue
        what = f"the level `{shown(one.level)}`" if one.level else "a topology"
        yield CODE.at(
            Place(
                (*role.template_path, "metadata", "annotations", _wish(role, one.level)), "value" if one.level else KEY
            ),
            f"no flavor of the ClusterQueue `{shown(queue.ref.name or '')}` has {what}, which `{role.name}` asks for",
            related=[(Place(("spec", "resourceGroups"), where=queue.where), "; ".join(map(_has, one.flavors)))],
            notes=["Kueue never lets the job begin: it stays suspended, without a pod"],
        )


def _of_volcano(workload: Workload, context: Context) -> Iterator[Finding]:
    wished = mapping(mapping(workload.manifest.tree.get("spec")).get("networkTopology"))
    tier = wished.get("highestTierAllowed")
    if not isinstance(tier, int) or wished.get("mode", "hard") != "hard":
        return
    hypernodes = of_group("topology.volcano.sh", list(context.companions))
    tiers = [mapping(one.tree.get("spec")).get("tier") for one in hypernodes]
    if not tiers:
        levels = context.cluster.topology.values() if context.cluster is not None else []
        tiers = [one.tier for one in levels if not isinstance(one, str)]
        if not levels:
            return  # nobody says which topologies there are
    known = sorted({one for one in tiers if isinstance(one, int)})
    if any(one <= tier for one in known):
        return
    has = f"the lowest tier is {known[0]}" if known else "no level of the cluster profile has a tier"
    yield CODE.at(
        Place(("spec", "networkTopology", "highestTierAllowed")),
        f"no HyperNode of tier {tier} or below is known: {has}",
        notes=[] if known else ["without HyperNodes, and without `network-topology-aware`, the pods stand anywhere"],
        helps=["`topology: {rack: {label: …, tier: 1}}` in the cluster profile says which tier a level is"],
        severity=WARNING,
    )


def _wish(role: Role, level: str = "") -> str:
    """The annotation that asks for a level, any where none is named; empty: there is none."""
    said = marks(role.template, "annotations")
    return next((name for name in TOPOLOGY if name in said and level in ("", said[name])), "")


def _has(flavor: tuple[str, list[str]]) -> str:
    name, levels = flavor
    return f"`{shown(name)}` has {listed(levels) or 'none'}"
