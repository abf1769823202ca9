"""GridJob `grid.example.com/v1` of grid-operator 0.4.0."""

from __future__ import annotations

from specgen.generate.kinds.training_operator import REPLICA_SPEC
from specgen.generate.pod_versions import KUBERNETES_136
from specgen.generate.shapes import Field, Kind, Shape

GRID_JOB = Kind(
    group="grid.example.com",
    version="v1",
    kind="GridJob",
    operator="grid-operator 0.4.0",
    description="GridJob of grid-operator 0.4.0: pods that know their number through GRID_INDEX.",
    fields={"spec": Field("GridJobSpec")},
    shapes=(
        Shape(
            "GridJobSpec",
            {
                "gridReplicaSpecs": Field("map[ReplicaSpec]", "The roles.", required=True),
                "runPolicy": Field("RunPolicy", "Cleaning up."),
            },
            "Roles and policies of the job.",
        ),
        Shape("RunPolicy", {"cleanPodPolicy": Field("string", "Pods to delete when the job ends.")}),
        REPLICA_SPEC,
    ),
)

PODS = KUBERNETES_136
KINDS = (GRID_JOB,)
