"""The pytorch-operator of the time before the training operator: values of its Helm chart.

The chart has four values: ``image.repository``, ``image.tag``, ``namespace.create`` and ``namespace.name``, with the
defaults below (its own documentation). It offers none for flags of the operator or for the init container of Workers.
Which tag belongs to which version nobody says, so the chart's own stays.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING
from specgen.install.mirrors import of_operator
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.profile.cluster import ClusterProfile, Operator

# It stands under this name in cluster profiles, as the older release of the same kind's operator.
NAME = "training-operator"
KNOWN: tuple[str, ...] = ("0.7.0",)
FOLDER = "pytorch-operator"
FILE = "values.yaml"
_REPOSITORY = "ccr.ccs.tencentyun.com/tke-market/pytorch-operator"
_TAG = "latest"


def is_chart(version: str) -> bool:
    """Whether a version of what profiles call training-operator is one of the pytorch-operator."""
    return version in KNOWN


def values(operator: Operator, cluster: ClusterProfile) -> tuple[dict[str, Any], list[Finding]]:
    """The chart's values. Findings: what the profile says and the chart has no value for."""
    findings = []
    pulled = of_operator(_REPOSITORY, cluster, NAME)
    if operator.gang is not None:
        message = f"`gang: {operator.gang}` contradicts the chart of {FOLDER}, which has no value for gang scheduling"
        findings.append(codes.CONTRADICTION.at(("operators", NAME, "gang"), message))
    if operator.mirror is not None:
        message = f"the chart of {FOLDER} has no value for the init container of Workers: `mirror` does not reach it"
        findings.append(codes.NOT_FOR_TARGET.at(("operators", NAME, "mirror"), message, severity=WARNING))
    tree = {
        "image": {"repository": pulled.image, "tag": _TAG},
        "namespace": {"create": True, "name": operator.namespace or FOLDER},
    }
    return tree, findings
