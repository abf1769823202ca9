"""A role that jobs of this kind do not have.

## What it checks
The keys under the replica specs are the words of the kind, written exactly so: `Master` and `Worker` in a PyTorchJob,
an XGBoostJob, or a PaddleJob, `Launcher` and `Worker` in an MPIJob, `Worker` in a JAXJob. A TFJob may have roles of
any word: of them those are found that are nearly `Chief`, `Master`, `Worker`, `PS` or `Evaluator` in any letter case,
and those beside which no role decides about the job.

## Why it hurts
The admission webhook of the training operator refuses any other word, `master` and `worker` included, although the
operator's own defaulting would correct the letter case; of an MPIJob an event says so. The mpi-operator passes over
such a role without a word, and no pods come of it. A TFJob gets its pods, but they are nobody's Workers: TensorFlow
refuses a `TF_CONFIG` with a task of that type, and the job succeeds by its Chief or its Workers alone.

## Severity
- error: a webhook or the operator refuses the role, or no pods come of it.
- warning: the operator complains in an event, and takes the role as the near word; or it makes pods of it, of a TFJob.

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
Rename the role: safe where the job is refused, else unsafe, as other pods come of it then. None
is applied where the word is not a near one: `PS` and `Chief` have no counterpart here.

## When to ignore it
Never; such a role gets no pods.

## References
training-operator 1.9.4, pkg/webhooks; pkg/apis/kubeflow.org/v1/{defaulting_utils,mpi_validation}.go,
pkg/controller.v1/tensorflow/tfjob_controller.go; recorded with all kinds and with mpi-operator 0.8.2. TensorFlow 2.16,
tensorflow/python/distribute/multi_worker_util.py (validate_cluster_spec).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, SAFE, UNSAFE, WARNING, Code, Fix, article
from specgen.diagnostics.operations import Rename
from specgen.diagnostics.suggest import Names
from specgen.rules import ROLED, WORKLOAD
from specgen.rules._operators import corrects, refuses, roles
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
    if terms is None:
        return
    if not terms.strict:
        yield from _any_word(workload, context)
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


def _any_word(workload: Workload, context: Context) -> Iterator[Finding]:
    """Roles of a kind that makes pods of any word, where another word was meant, or nobody decides about the job."""
    terms = workload.terms
    # an MSJob counts its pods by other words of its own
    if terms is None or workload.kind != "TFJob":
        return
    from specgen.operators.lifecycle import NEVER  # other jobs are not asked for what becomes of them

    words = {role.lower() for role in terms.roles}
    given = {role.name.lower() for role in workload.roles}
    strange = [role for role in workload.roles if role.name.lower() not in words]
    life = context.life(workload) if strange else None
    never = life is not None and life.success.how == NEVER
    names = Names(terms.roles)
    for role in strange:
        near = [name for name in names.similar(role.name) if name.lower() not in given]
        if not near and not never:
            continue
        path = (*terms.path, role.path[-1])
        yield CODE.at(
            path,
            f"a TFJob has no role `{shown(role.name)}`"
            + (", and no role that decides about its success" if never else ""),
            part=KEY,
            label="expected " + " or ".join(f"`{one}`" for one in terms.roles),
            notes=[
                "the operator creates its pods all the same, and TensorFlow's strategies know no tasks of that type",
                *(
                    ["a TFJob succeeds by its Chief, its Master, or its Workers, and never by other roles"]
                    if never
                    else []
                ),
            ],
            helps=[] if len(near) == 1 else [names.hint(role.name, "role") or "call the role that decides `Worker`"],
            fix=Fix(f"rename it to `{near[0]}`", UNSAFE, [Rename(path, near[0])]) if len(near) == 1 else None,
            severity=WARNING,
        )
