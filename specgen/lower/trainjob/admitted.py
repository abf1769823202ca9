"""What the API server refuses of the pods of a TrainJob over a runtime of the cluster, at the profile's line.

The job holds no pod that rules could look at, and the runtime need not be known; but what the profile says of pods
stands in them as it was written.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, VALUE
from specgen.operators.kubernetes.admission import refusals
from specgen.rules.refused_pod import CODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build

# The runtime has an image, and volumes and claims of its own.
_OF_RUNTIME = ("no-claim", "no-image", "no-volume")
_NOTE = "the API server refuses the pods; the job itself is accepted"


def refused(pods: Build) -> Iterator[Finding]:
    """SG315 for each refusal of the template of a role."""
    pods.origins.tree = pods.tree
    for reason in refusals(pods.tree["template"]):
        if reason.cause in _OF_RUNTIME:
            continue
        tree: Any = pods.tree["template"]
        for step in reason.path[:-1]:
            tree = tree[step]
        part = VALUE if not isinstance(tree, dict) or reason.path[-1] in tree else KEY
        finding = CODE.at(("template", *reason.path), reason.message, part=part, notes=[_NOTE])
        finding.where = pods.origins
        yield finding
