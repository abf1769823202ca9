"""A restart policy of a container that the cluster's Kubernetes does not take.

## What it checks
`restartPolicy` of a container that is no init container, and `restartPolicyRules` of any, against the version of
Kubernetes that the cluster profile says. Both came with the feature `ContainerRestartRules`: 1.34 has it switched off,
1.35 has it on.

## Why it hurts
Before 1.34 the API server refuses each pod: `may not be set for non-init containers`. The job was taken, as its
operator's CRD knows the field; no pod of it is ever created, and the operator tries again without end.

## Severity
- error: the API server of that version refuses the pods.
- warning: 1.34 takes it where somebody has switched the feature on.

## Example
Bad, on Kubernetes 1.33:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    restartPolicy: Never
    restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [42]}}]
```

Good:

```yaml
restartPolicy: ExitCode
template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

## Fix
Leave them out: the policy of the role holds for all its containers. None is applied, as it restarts for other reasons.

## When to ignore it
Where the cluster is newer than its profile says.

## References
Kubernetes 1.33, pkg/apis/core/validation/validation.go (validateContainers); 1.34 and 1.35,
pkg/features/kube_features.go (`ContainerRestartRules`).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, Code, Place, shown
from specgen.rules import ALL, CONTAINER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG339", "container-restart-too-new", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = ("restartPolicy", "restartPolicyRules")

# The minor version of Kubernetes 1 that has the feature, and the one that has it switched on.
_KNOWN, _ON = 34, 35


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding for each container."""
    version = context.cluster.kubernetes if context.cluster is not None else None
    minor = int(version.rpartition(".")[2]) if version else _ON
    keys = ["restartPolicyRules"] if container.init else ["restartPolicy", "restartPolicyRules"]
    key = next((one for one in keys if container.tree.get(one)), None)
    if minor >= _ON or key is None:
        return
    switched = minor >= _KNOWN
    what = "an init container" if container.init else "a container that is no init container"
    finding = CODE.at(
        Place((*container.path, key), KEY),
        f"`{key}` of container `{shown(container.name)}` is newer than Kubernetes {version}",
        label="switched off there" if switched else "refused there",
        notes=[
            f"Kubernetes 1.{_KNOWN} has `{key}` of {what} where the feature gate `ContainerRestartRules` is switched on"
            if switched
            else "the API server refuses the pods, and the operator tries again without end"
        ],
        helps=["leave it out: the restart policy of the pod holds for its containers"],
        severity=WARNING if switched else ERROR,
    )
    finding.cluster = [(("kubernetes",), f"Kubernetes {version}")]
    yield finding
