"""`--nnodes` that leaves a job less room to grow and shrink than its `elasticPolicy`.

## What it checks
torchrun in an elastic PyTorchJob is not told a number of nodes of its own, nor a range that begins above `minReplicas`
or ends below `maxReplicas`: the operator says `minReplicas:maxReplicas` in `PET_NNODES`.

## Why it hurts
An option wins over its variable. With one number the rendezvous waits for exactly that many pods: the job does not
begin with fewer and does not go on when one is lost. With a range that holds for its lower end. Pods above the upper
end, such as those that an autoscaler adds, are turned away, and hold their devices.

## Severity
- warning: the job runs; the policy may be there for its rendezvous alone.

## Example
Bad:

```yaml
elasticPolicy: {minReplicas: 2, maxReplicas: 8}
pytorchReplicaSpecs:
  Worker:
    replicas: 4
    template: {spec: {containers: [{name: pytorch, image: "a/b:1", command: [torchrun, --nnodes=4, train.py]}]}}
```

Good:

```yaml
elasticPolicy: {minReplicas: 2, maxReplicas: 8}
pytorchReplicaSpecs:
  Worker:
    replicas: 4
    template: {spec: {containers: [{name: pytorch, image: "a/b:1", command: [torchrun, train.py]}]}}
```

## Fix
Tell it the operator's range, `--nnodes=$(PET_NNODES)`, or leave the option out. It is unsafe, as the job then begins
with fewer pods.

## When to ignore it
Where `elasticPolicy` is only there for its rendezvous. `minReplicas` equal to `maxReplicas` says the same.

## References
torch 2.13, torch/distributed/run.py (`parse_min_max_nnodes`) and argparse_util.py (`env`); training-operator 1.9.4,
pkg/controller.v1/pytorch/elastic.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Place, shown
from specgen.manifest.views import mapping
from specgen.operators.kubernetes import launchers
from specgen.rules import ROLE
from specgen.rules._remedies import told_by
from specgen.rules._words import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG429", "fixed-elastic-size", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("PyTorchJob",)
NEEDS = ("elasticPolicy",)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding; a number that is not even that of the pods is another rule's."""
    container = role.main
    policy = mapping(mapping(role.workload.manifest.tree.get("spec")).get("elasticPolicy"))
    least, most = policy.get("minReplicas"), policy.get("maxReplicas")
    if container is None or type(least) is not int or type(most) is not int or least >= most:
        return
    line = launchers.of_text([text for _, _, text in container.words()])
    if line is None or line.name != launchers.TORCHRUN or "standalone" in line.options:
        return
    for _, value, written, word, start in options(container, ("--nnodes",), line):
        ends, beside = value.split(":"), ("minReplicas", "may begin with these")
        if len(ends) == 2 and ends[0].isdecimal() and ends[1].isdecimal() and value.isascii():
            low, high = int(ends[0]), int(ends[1])
            # one that is wider lets the job do all that the policy says
            if low <= least and high >= most:
                continue
            if low <= least:
                label, beside = f"not with more than {high}", ("maxReplicas", "may grow to these")
            else:
                label = f"not with less than {low}"
        elif launchers.count(value) != role.workload.pods:
            continue
        else:
            label = f"always {value}"
        fix = told_by(container, word, written, value, "PET_NNODES", UNSAFE)
        yield CODE.at(
            Place(word.path, inside=(word.start + start, word.start + start + len(value))),
            f"`{shown(written)}` contradicts the {least} to {most} pods of `elasticPolicy`",
            label=label,
            related=[(Place(("spec", "elasticPolicy", beside[0])), beside[1])],
            notes=["the option wins over `PET_NNODES`, in which the operator says the range"],
            helps=[] if fix else [f"leave it out, or write `--nnodes={least}:{most}`"],
            fix=fix,
        )
        return
