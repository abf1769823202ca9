"""A pod template without containers, or a container without an image.

## What it checks
Every role's template has at least one container, and every container, init containers included, names its image.

## Why it hurts
The schema of the kind allows both. The admission webhook of the training operator refuses them, and the mpi-operator
a list of containers that is empty. Others find out from the API server once pods are made. With training-operator 1.7
and ms-operator 1.0 an empty list makes the operator itself crash and restart, for all jobs of the cluster.

## Severity
- error: a webhook, the operator or the API server refuses the job or its pods.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    command: [python, train.py]
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [python, train.py]
```

## Fix
Name the image. None is applied: which one is not known.

## When to ignore it
Where something fills the image in before the object is created, such as an `images` entry of kustomize.

## References
training-operator 1.9.4, pkg/webhooks; mpi-operator 0.8, pkg/apis/kubeflow/validation/validation.go; recorded with both,
with 1.7.0, and with ms-operator 1.0.0.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Code
from specgen.manifest.views import mapping
from specgen.rules import ALL, ROLE
from specgen.rules._operators import predates_hooks, refuses
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context

CODE = Code("SG305", "incomplete-template", ERROR, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL


def check(role: Role, context: Context) -> Iterator[Finding]:
    """A missing `containers` in a spec that is there is the schema's business."""
    terms = role.workload.terms
    if terms is None and role.replicas < 1:
        return
    message = f"the pods of `{role.name}` have no containers"
    template = role.tree.get("template")
    if terms is not None and (template is None or (isinstance(template, dict) and template.get("spec") is None)):
        path = role.template_path if template is None else (*role.template_path, "spec")
        yield CODE.at(path, message, part=KEY, label="no pod spec", notes=[_empty(role.workload)])
        return
    absent = terms is None and any(one.cause == "no-containers" for one in context.refused_pod(role))
    if role.pod.get("containers") == [] or absent:
        path = (*role.pod_path, "containers")
        yield CODE.at(path, message, part=KEY, label="an empty list", notes=[_empty(role.workload)])
    for init in (False, True):
        for container in role.containers(init=init):
            if mapping(container.tree).get("image") in (None, ""):
                kind = "init container" if init else "container"
                judged = not init and role.workload.operator == "training-operator"
                note = refuses(role.workload) if judged else "the API server refuses the pods"
                message = f"{kind} `{shown(container.name)}` of `{role.name}` has no image"
                where = "image" if "image" in mapping(container.tree) else "name"
                yield CODE.at((*container.path, where), message, label="lacks `image`", notes=[note])


def _empty(workload: Workload) -> str:
    """Who stumbles over a template without containers."""
    crashes = "panics over it and restarts without end, for all jobs of the cluster"
    if workload.operator == "ms-operator":
        return f"the operator {crashes}"
    # the port is put into the container before anything is validated
    if predates_hooks(workload):
        return f"training-operator {workload.version} {crashes}"
    return refuses(workload) if workload.terms is not None else "the API server refuses the pods"
