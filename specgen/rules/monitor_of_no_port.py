"""A PodMonitor that asks the pods of a job for a port by a name that none of their containers has.

## What it checks
`port` of each endpoint of a PodMonitor beside a job that selects pods of the job: some container of theirs has a port
of that name, or the operator adds one.

## Why it hurts
Prometheus finds its targets by the names of ports: there is none, and nothing is scraped, in silence.

## Severity
- warning: a webhook of the cluster may add a container with the port.

## Example
Bad:

```yaml
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: llama-ft}
spec:
  selector: {matchLabels: {training.kubeflow.org/job-name: llama-ft}}
  podMetricsEndpoints: [{port: metricz}]
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Worker: {replicas: 4, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1",
      ports: [{name: metrics, containerPort: 9400}]}]}}}
```

Good:

```yaml
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: llama-ft}
spec:
  selector: {matchLabels: {training.kubeflow.org/job-name: llama-ft}}
  podMetricsEndpoints: [{port: metrics}]
```

## Fix
The name of a port that the pods have; in a profile `ports` gives the training container some.

## When to ignore it
Where a webhook adds the port.

## References
prometheus-operator, API reference: `PodMetricsEndpoint.port`.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, listed, shown
from specgen.diagnostics.suggest import similar
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.selectors import meets, requirements
from specgen.rules import ALL, SELECTED, WORKLOAD
from specgen.rules._selected import SELECTORS, beside, labels_of, pods_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG515", "monitor-of-no-port", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (SELECTED,)

_MONITOR = "PodMonitor"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each endpoint."""
    for one in beside(workload, context, _MONITOR):
        spec = mapping(one.tree.get("spec"))
        asked = requirements(spec.get(SELECTORS[_MONITOR][1]))
        pods = [pod for pod in pods_of(workload, context) if asked and meets(labels_of(pod), asked)]
        names = [name for pod in pods for name in _ports(pod)]
        for at, endpoint in enumerate(sequence(spec.get("podMetricsEndpoints"))):
            name = mapping(endpoint).get("port")
            if not pods or not isinstance(name, str) or name in names or "$" in name:
                continue
            near = similar(name, names)
            known = f"their ports are {listed(list(dict.fromkeys(names)), most=4)}" if names else "they have no ports"
            yield CODE.at(
                Place(("spec", "podMetricsEndpoints", at, "port"), where=one.where),
                f"no pod of `{shown(workload.manifest.ref.name)}` has a port `{shown(name)}`: nothing is scraped",
                label="no port of that name",
                helps=[f"write `{shown(near[0])}`" if near else known],
            )


def _ports(pod: dict[str, Any]) -> Iterator[str]:
    spec = mapping(pod.get("spec"))
    for container in (*sequence(spec.get("containers")), *sequence(spec.get("initContainers"))):
        for port in sequence(mapping(container).get("ports")):
            name = mapping(port).get("name")
            if isinstance(name, str):
                yield name
