"""PodGroup `scheduling.x-k8s.io/v1alpha1` of scheduler-plugins 0.34.7."""

from __future__ import annotations

from specgen.generate.pod_versions import KUBERNETES_136
from specgen.generate.shapes import Field, Kind, Shape

# apis/scheduling/v1alpha1/types.go; pkg/coscheduling.
POD_GROUP = Kind(
    group="scheduling.x-k8s.io",
    version="v1alpha1",
    kind="PodGroup",
    operator="scheduler-plugins 0.34.7",
    description="PodGroup of scheduler-plugins 0.34.7: pods that are scheduled together or not at all.",
    fields={"spec": Field("PodGroupSpec")},
    shapes=(
        Shape(
            "PodGroupSpec",
            {
                "minMember": Field("int32", "Pods that must fit at once.", minimum=1),
                "minResources": Field("map[quantity]", "Resources that must be free before pods are considered."),
                "scheduleTimeoutSeconds": Field("int32", "Seconds that pods wait for the rest of the gang."),
            },
            "Size of the gang.",
        ),
    ),
)

PODS = KUBERNETES_136
KINDS = (POD_GROUP,)
