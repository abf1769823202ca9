"""The grid-operator: its releases, and what it calls things."""

from __future__ import annotations

from specgen.manifest.views import Terms
from specgen.operators.release import Manifests, Operator, Release
from specgen.operators.training.facts import Framework

OPERATOR = Operator(
    "grid-operator",
    (Release("0.3.0", own_images=("registry.example.com/grid/operator",)), Release("0.4.0")),
    manifests=Manifests(
        "github.com/example/grid-operator",
        "config/default",
        namespace="grid-system",
        deployment="grid-operator",
        container="manager",
        words="args",
    ),
)
FRAMEWORK = Framework(
    "GridJob",
    Terms("gridReplicaSpecs", ("Worker",)),
    container="grid",
    controller="gridjob-controller",
    # in every container
    injected=frozenset(("GRID_INDEX", "GRID_SIZE")),
)
