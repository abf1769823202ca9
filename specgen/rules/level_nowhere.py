"""A level of a topology that no flavor of the queue has, or pods that none is given to.

## What it checks
The annotations of Kueue's topology on the templates of roles, what pods select and tolerate, against the flavors of the
job's ClusterQueue: those of the cluster profile, or of the files of the run, if LocalQueue, ClusterQueue, all
ResourceFlavors and their Topologies are among them. And `networkTopology` of a Volcano Job, against the HyperNodes
among the files, or the tiers of the cluster profile.

## Why it hurts
Kueue finds no flavor for the pods: the job stays suspended for ever, and its Workload alone says why. A flavor with a
Topology is for pods alone that wish for one, unless all of the queue have one; one without takes no pods that do.
Without HyperNodes, or without its plugin network-topology-aware, Volcano puts the pods of a gang anywhere.

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
Worker: {template: {spec: {containers: [{name: pytorch, resources: {limits: {nvidia.com/gpu: 8}}}]}}}
```

## Fix
Name a level that the Topology of a flavor has, or give a flavor such a Topology. None is applied.

## When to ignore it
Where the queue or the flavors of the cluster are not those of the files.

## References
Kueue 0.19.2, pkg/scheduler/flavorassigner/tas_flavorassigner.go (checkPodSetAndFlavorMatchForTAS), recorded:
`tas-required-unknown-level`, `tas-flavor-without-topology`; Volcano 1.15.1, recorded:
`topology-hard-default-config`, `topology-hard-no-hypernodes`.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, Code, Place, listed, shown
from specgen.manifest.beside import named
from specgen.manifest.views import mapping
from specgen.operators.queues import KUEUE_QUEUE, PREFERRED, TOPOLOGY, kueue_knows
from specgen.rules import ALL, KUEUE, WORKLOAD
from specgen.rules._gangs import marks, of_group, release, says

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context
    from specgen.schedulers.sums import Lack, Lacking

CODE = Code("SG712", "level-nowhere", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (KUEUE, "networkTopology")

# What pods have against the nodes of a flavor, whatever its levels.
_OF_NODES = ("labels", "taint")
_FIELDS = ("nodeSelector", "affinity", "tolerations")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each role without a flavor, at its wish or at the queue; of Volcano one for the job."""
    if workload.operator == "volcano":
        yield from _of_volcano(workload, context)
    label = marks(workload.manifest.tree, "labels").get(KUEUE_QUEUE)
    if not isinstance(label, str) or not kueue_knows(workload.manifest.tree, release(context)):
        return
    own = bool(named(context.companions, "LocalQueue", label))
    if own:
        from specgen.rules._queues import levels_kueue  # few jobs stand beside their queue

        lacking, queue = levels_kueue(label, workload, context)
    elif context.cluster is not None and context.cluster.scheduling.gang in (None, "kueue") and says(context, label):
        from specgen.rules._world import unfit  # of most queues nobody says what they have

        lacking, queue = unfit(workload, context), None
    else:
        return
    roles = {role.name.lower(): role for role in workload.roles}
    for one in lacking:
        role = roles.get(one.pods)
        name = queue.ref.name or "" if queue is not None else label
        wish = _wish(role, one.level) if role is not None else ""
        place = Place(("metadata", "labels", KUEUE_QUEUE))
        if role is not None and wish:
            place = Place((*role.template_path, "metadata", "annotations", wish), "value" if one.level else KEY)
        elif role is not None and all([lack.kind in _OF_NODES for lack in one.flavors]):
            place = _choice(role, workload) or place
        finding = CODE.at(
            place,
            _said(one, f"{'ClusterQueue' if queue is not None else 'queue'} `{shown(name)}`", role),
            notes=["Kueue never lets the job begin: it stays suspended, without a pod"],
            helps=_helps(one),
        )
        if queue is not None:
            finding.related = [
                (Place(("spec", "resourceGroups"), where=queue.where), "; ".join(map(_has, one.flavors)))
            ]
        else:
            finding.cluster = [(("scheduling", "flavors", lack.flavor), _has(lack)) for lack in one.flavors]
        yield finding


def _choice(role: Role, workload: Workload) -> Place | None:
    """What pods say of their nodes; what stands in a runtime is another object's."""
    said = [field for field in _FIELDS if mapping(role.template.get("spec")).get(field)]
    return Place((*role.template_path, "spec", said[0]), KEY) if said and workload.operator != "trainer" else None


def _said(one: Lacking, queue: str, role: Role | None) -> str:
    """What is wrong, in one clause."""
    who = f"`{role.name}`" if role is not None else f"the pods of `{shown(one.pods)}`"
    if all([lack.kind in ("topology", "level") for lack in one.flavors]):
        what = f"the level `{shown(one.level)}`" if one.level else "a topology"
        return f"no flavor of the {queue} has {what}, which {who} asks for"
    return f"no flavor of the {queue} is ever given to {who}: {'; '.join(map(_why, one.flavors))}"


def _why(lack: Lack) -> str:
    what = f"`{shown(lack.what)}`"
    return (
        f"`{shown(lack.flavor)}` "
        + {
            "topology": "has no topology",
            "level": f"has no level {what}",
            "placed": "takes pods alone that wish for a topology",
            "taint": f"has the taint {what}, which they do not tolerate",
            "labels": "means other nodes than they select",
            "quota": f"never has so much {what}",
        }[lack.kind]
    )


def _helps(one: Lacking) -> list[str]:
    """How pods wish for a topology, where that is what lacks."""
    levels = [level for lack in one.flavors if lack.kind == "placed" for level in lack.levels]
    if not levels:
        return []
    return [f"`{PREFERRED}: {levels[0]}` on the pods is such a wish, as `scheduling.near` of a job profile writes it"]


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


def _has(lack: Lack) -> str:
    return f"`{shown(lack.flavor)}` has {'other nodes' if lack.kind in _OF_NODES else listed(lack.levels) or 'none'}"
