"""The pytorch-operator of the time before the training operator: values of its Helm chart.

The chart has four values: ``image.repository``, ``image.tag``, ``namespace.create`` and ``namespace.name``, with the
defaults below (its own documentation). It offers none for flags of the operator or for the init container of Workers.
Which tag belongs to which version nobody says, so the chart's own stays.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING
from specgen.install.mirrors import of_operator
from specgen.operators.training.facts import FORERUNNER, OPERATOR
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.operator import Operator

# The name under which cluster profiles list it, and the directory of its files.
NAME, FOLDER = OPERATOR.name, FORERUNNER.name
FILE = "values.yaml"
_TAG = "latest"


def is_chart(version: str) -> bool:
    """Whether a version of what profiles call training-operator is one of the pytorch-operator."""
    return FORERUNNER.release(version) is not None


def values(entry: Operator, cluster: ClusterProfile) -> tuple[dict[str, Any], list[Finding]]:
    """The chart's values. Findings: what the profile says and the chart has no value for."""
    findings = []
    [repository] = FORERUNNER.own_images(entry.version)
    pulled = of_operator(repository, cluster, NAME)
    if entry.gang is not None:
        message = f"`gang: {entry.gang}` contradicts the chart of {FOLDER}, which has no value for gang scheduling"
        findings.append(codes.CONTRADICTION.at(("operators", NAME, "gang"), message))
    if entry.mirror is not None:
        message = f"the chart of {FOLDER} has no value for the init container of Workers: `mirror` does not reach it"
        findings.append(codes.NOT_FOR_TARGET.at(("operators", NAME, "mirror"), message, severity=WARNING))
    tree = {
        "image": {"repository": pulled.image, "tag": _TAG},
        "namespace": {"create": True, "name": entry.namespace or FOLDER},
    }
    return tree, findings
