"""A `managedBy` that no controller answers to.

## What it checks
`runPolicy.managedBy` is a word that the operator knows: `kubeflow.org/training-operator` or
`kueue.x-k8s.io/multikueue`, in an MPIJob of the mpi-operator `kubeflow.org/mpi-operator` instead of the first.

## Why it hurts
The admission webhook of the training operator refuses any other word. An MPIJob with one is stored, and then its
operator leaves it alone without an event or a condition.

## Severity
- error: a webhook refuses the word.
- warning: the job is stored and left alone; whether a controller of the cluster takes it is not known.

## Example
Bad:

```yaml
runPolicy: {managedBy: kueue.x-k8s.io}
```

Good:

```yaml
runPolicy: {managedBy: kueue.x-k8s.io/multikueue}
```

## Fix
Write one of the words, or leave the field out: the operator then takes the job. A word that is near stands in place:
unsafe, as another controller takes the job.

## When to ignore it
In an MPIJob that a controller of your own takes; elsewhere never.

## References
training-operator 1.9.4, pkg/webhooks; mpi-operator 0.8, pkg/controller/mpi_job_controller.go; recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, UNSAFE, WARNING, Code, listed
from specgen.manifest.views import mapping
from specgen.rules import WORKLOAD
from specgen.rules._operators import operator, refuses, spec
from specgen.rules._remedies import respelt
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG308", "unknown-manager", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
CAUSES = ("manager",)
KINDS = ("MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob")
NEEDS = ("managedBy",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding. Where the version lacks the field, that is another one (SG101)."""
    manager = mapping(spec(workload).get("runPolicy")).get("managedBy")
    terms = workload.terms
    if terms is None or not isinstance(manager, str):
        return
    if operator(workload).lacks(("runPolicy", "managedBy"), workload.version):
        return
    if manager in terms.managers:
        return
    judged = bool(context.refused(*CAUSES))
    left = f"{workload.operator} stores the job and leaves it alone, without an event"
    path = ("spec", "runPolicy", "managedBy")
    fix = respelt(path, manager, terms.managers, UNSAFE)
    yield CODE.at(
        path,
        f"no controller takes jobs that are managed by `{shown(manager)}`",
        label="expected one of two words",
        notes=[refuses(workload) if judged else left],
        helps=[] if fix else [f"the words here are {listed(terms.managers)}"],
        fix=fix,
        severity=ERROR if judged else WARNING,
    )
