"""A number of pods that the role cannot have.

## What it checks
`Master` of a PyTorchJob or an XGBoostJob says `replicas: 1`, in so many words; `Launcher` of an MPIJob has one pod.
`Worker` of a PyTorchJob says at least 1 or nothing, that of the mpi-operator at least 1. No number is negative.
`Chief`, `Master` and `Evaluator` of a TFJob have one pod each, unless `enableDynamicWorker` keeps them out of its
cluster.

## Why it hurts
Webhooks and operators refuse everything else: a Master without `replicas` too, although the operator's own default
would be 1. A role of another kind with 0 replicas still gets its first pod, which is deleted and created again.
Two chiefs of a TFJob stand in the `TF_CONFIG` of all its pods, and TensorFlow ends with `There must be at most one
'chief' job` where it reads it.

## Severity
- error: the API server, a webhook or the operator refuses the number.
- warning: nobody refuses it: a pod is created all the same, and deleted again; or TensorFlow alone refuses so many.

## Example
Bad:

```yaml
Master:
  replicas: 2
  template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

Good:

```yaml
Master:
  replicas: 1
  template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

## Fix
Write `replicas: 1`, put further pods into `Worker`, and leave out a role that shall have no pods. Safe where the number
is missing and can only be one; unsafe where another one stands there, or a role goes.

## When to ignore it
Never; such a job does not start, or does not start as written.

## References
training-operator 1.9.4, pkg/webhooks and pkg/apis/kubeflow.org/v1/mpi_validation.go; mpi-operator 0.8,
pkg/apis/kubeflow/validation/validation.go; recorded with all of them. TensorFlow 2.16,
tensorflow/python/distribute/multi_worker_util.py (validate_cluster_spec).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, SAFE, UNSAFE, WARNING, Code, Fix, article, plural
from specgen.diagnostics.operations import Remove, Set
from specgen.diagnostics.suggest import similar
from specgen.manifest.views import mapping
from specgen.rules import ROLE, ROLED
from specgen.rules._operators import SERVER, by_server, creates_one, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG304", "wrong-replicas", ERROR, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ROLED
CAUSES = ("replicas",)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding; a value of another type than a whole number is the schema's business."""
    workload, terms, path = role.workload, role.workload.terms, (*role.path, "replicas")
    if terms is None:
        return
    count = role.tree.get("replicas")
    refused = [one for one in context.refused(*CAUSES) if one.path == path]
    if not refused:
        if role.name in terms.lone and isinstance(count, int) and count > 1:
            yield from _several(role, count)
        # the Workers of an MPIJob may be none
        if count == 0 and count is not False and terms.port is not None:
            yield _none(role)
        return
    if count is None:
        says, helps = "does not say `replicas: 1`", []
        fix: Fix | None = Fix("write `replicas: 1`", SAFE, [Set(path, 1)])
        if role.name in terms.peopled:
            says, fix, helps = "does not say how many pods it has", None, ["write `replicas`"]
        near = next((key for key in role.tree if isinstance(key, str) and similar(key, ["replicas"])), None)
        if near is not None:  # what is meant stands there, and would be in the way of a second one
            fix, helps = None, [f"rename `{near}` to `replicas`"]
        note, label = refuses(workload), "lacks `replicas`"
        yield CODE.at(path, f"`{role.name}` {says}", part=KEY, label=label, notes=[note], helps=helps, fix=fix)
    elif not isinstance(count, int) or isinstance(count, bool):
        return
    elif role.name in terms.single:
        notes = ["the other pods belong in `Worker`", refuses(workload)] if count > 1 else [refuses(workload)]
        fix = Fix("write `replicas: 1`", UNSAFE, [Set(path, 1)])
        message = f"`{role.name}` asks for {plural(count, 'pod')}, {article(workload.kind)} has exactly one"
        yield CODE.at(path, message, label="expected 1", notes=notes, fix=fix)
    elif role.name in terms.peopled:
        message = f"`{role.name}` asks for {plural(count, 'pod')}, a role has at least one"
        note = SERVER if by_server(refused[0]) else refuses(workload)
        fix = _left_out(role) if count == 0 else None
        alone = ["without it the launcher runs alone"] if fix is not None and workload.kind == "MPIJob" else []
        yield CODE.at(path, message, label="expected 1 or more", notes=[note, *alone], fix=fix)
    else:
        message = f"`{role.name}` asks for {plural(count, 'pod')}"
        yield CODE.at(path, message, label="expected 0 or more", notes=[SERVER])


def _several(role: Role, count: int) -> Iterator[Finding]:
    """Pods of which the program takes one alone; none where the operator tells nobody of them."""
    workload, path = role.workload, (*role.path, "replicas")
    if mapping(workload.manifest.tree.get("spec")).get("enableDynamicWorker") is True:
        return
    word = role.name.lower()
    yield CODE.at(
        path,
        f"`{role.name}` asks for {plural(count, 'pod')}, a cluster of TensorFlow has one at most",
        label="expected 1",
        notes=[
            f"`TF_CONFIG` names them all: `tf.distribute` ends with `There must be at most one '{word}' job`"
            if role.name != "Master"
            else "`TF_CONFIG` names them all, and the master of a cluster is its chief",
            *(["the other pods belong in `Worker`"] if role.name != "Evaluator" else []),
        ],
        fix=Fix("write `replicas: 1`", UNSAFE, [Set(path, 1)]),
        severity=WARNING,
    )


def _none(role: Role) -> Finding:
    """A role without pods that nobody refuses."""
    terms = role.workload.terms
    message, note = (
        f"`{role.name}` asks for 0 pods, and gets one",
        "the operator creates its first pod all the same, and deletes it again",
    )
    if terms is not None and role.name in terms.peopled:
        message = f"`{role.name}` asks for 0 pods, a role has at least one"
        note = creates_one()
    path = (*role.path, "replicas")
    fix = _left_out(role)
    return CODE.at(path, message, label="expected 1 or more", notes=[note], fix=fix, severity=WARNING)


def _left_out(role: Role) -> Fix:
    return Fix("leave the role out", UNSAFE, [Remove(role.path)])
