"""A job of a kind that no operator of the cluster serves.

## What it checks
The operator of a job's kind and version is among `operators` of the cluster profile, and the release that is listed
serves the kind. Profiles that list no operator are not asked.

## Why it hurts
Without the CRD the API server refuses the job: `no matches for kind`. Where the CRD is there, left behind or installed
with another one's, the job is stored, and nobody makes its pods. A warning, as an operator may be there nevertheless.

## Severity
- warning: an operator may be there that the cluster profile does not list.

## Example
Bad:

```yaml
# a cluster with `operators: {mpi-operator: {version: 0.8.2}}`, which serves kubeflow.org/v2beta1
apiVersion: kubeflow.org/v1
kind: MPIJob
metadata: {name: allreduce}
spec:
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template: {spec: {containers: [{name: mpi, image: "registry.example.com/mpi:1", command: [mpirun, ./train]}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: allreduce}
spec:
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template: {spec: {containers: [{name: mpi, image: "registry.example.com/mpi:1", command: [mpirun, ./train]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "registry.example.com/mpi:1"}]}}
```

## Fix
Name the operator with its version in the cluster profile, or write the job as a kind that the cluster serves.

## When to ignore it
Never; an operator that is there belongs into the cluster profile, whose version decides how the job is judged.

## References
The CRDs of each release; training-operator 1.9.0 (JAXJob came, MXJob went).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, listed
from specgen.rules import ALL, UNSERVED, WORKLOAD
from specgen.rules._operators import served_as

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG473", "unserved-kind", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (UNSERVED,)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the kind or its version."""
    if context.serves(workload) or context.reader is None:
        return
    name, ref, others = context.reader.operator.name, workload.manifest.ref, context.operators
    if name in others:
        yield CODE.at(
            Place(("kind",)),
            f"{name} {others[name]}, which the cluster profile lists, serves no {ref.kind}",
            notes=[f"without its CRD the API server refuses the job; {listed(context.reader.minors)} has it"],
        )
        return
    helps = [f"name `{name}` with its version under `operators` of the cluster profile, if it is there"]
    served = served_as(ref.kind, others)
    if served:
        helps.append(f"the cluster serves {ref.kind} as `{served[0]}`")
    refused = "without the CRD the API server refuses the job; without the operator it gets no pods"
    yield CODE.at(
        Place(("apiVersion",)),
        f"{ref.kind} of `{ref.api_version}` is served by the {name}, which the cluster profile does not list",
        notes=[f"it lists {listed(list(others))}", refused],
        helps=helps,
    )
