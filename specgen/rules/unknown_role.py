"""A role that jobs of this kind do not have.

## What it checks
The keys under the replica specs are the words of the kind, written exactly so: `Master` and `Worker` in a PyTorchJob,
an XGBoostJob, or a PaddleJob, `Launcher` and `Worker` in an MPIJob, `Worker` in a JAXJob.

## Why it hurts
The admission webhook of the training operator refuses any other word, `master` and `worker` included, although the
operator's own defaulting would correct the letter case; of an MPIJob an event says so. The mpi-operator passes over
such a role without a word, and no pods come of it.

## Severity
- error: a webhook or the operator refuses the role, or no pods come of it.
- warning: the operator complains in an event, and takes the role as the near word.

## Example
Bad:

```yaml
pytorchReplicaSpecs:
  worker:
    replicas: 2
    template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

Good:

```yaml
pytorchReplicaSpecs:
  Worker:
    replicas: 2
    template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

## Fix
Rename the role: safe where the job is refused, unsafe where the operator passes over it, as pods come of it then. None
is applied where the word is not a near one: `PS` and `Chief` have no counterpart here.

## When to ignore it
Never; such a role gets no pods.

## References
training-operator 1.9.4, pkg/webhooks; pkg/apis/kubeflow.org/v1/{defaulting_utils,mpi_validation}.go; recorded with all
kinds and with mpi-operator 0.8.2.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, SAFE, UNSAFE, WARNING, Code, Fix
from specgen.diagnostics.operations import Rename
from specgen.diagnostics.suggest import Names
from specgen.rules import ROLED, WORKLOAD
from specgen.rules._operators import article, corrects, refuses, roles
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG303", "unknown-role", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ROLED
CAUSES = ("role", "passed-over")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each role; a role that is null is dropped by the API server and not reported."""
    terms = workload.terms
    # TFJob and MSJob make pods of any word
    if terms is None or not terms.strict:
        return
    written = roles(workload)
    refused = {one.path[-1] for one in context.refused("role")}
    passed_over = {one.path[-1] for one in context.refused("passed-over")}
    names = Names(terms.roles)
    for name, role in written.items():
        if name in terms.roles or role is None or not isinstance(name, str):
            continue
        if name in passed_over and any(word.lower() == name.lower() and word not in written for word in terms.needed):
            continue  # `missing_roles` names it
        note = refuses(workload)
        if name in passed_over:
            note = f"{workload.operator} passes over it without a word: no pods come of it"
        elif name not in refused:
            # recorded: 1.7.0 complains in an event, and creates the pods
            note = corrects(workload)
        near = names.similar(name)
        fix = None
        if len(near) == 1 and near[0] not in written:
            path = (*terms.path, name)
            fix = Fix(f"rename it to `{near[0]}`", SAFE if name in refused else UNSAFE, [Rename(path, near[0])])
        help = None if fix else names.hint(name, "role")
        yield CODE.at(
            (*terms.path, name),
            f"{article(workload.kind)} has no role `{shown(name)}`",
            part=KEY,
            label="expected " + " or ".join(f"`{role}`" for role in terms.roles),
            notes=[note],
            helps=[help] if help else [],
            fix=fix,
            severity=ERROR if name in refused or name in passed_over else WARNING,
        )
