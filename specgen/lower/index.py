"""Kind → the modules that compile to it, by version; written by ``python -m specgen.generate``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.lower import (
        jobset,
        mpijob_v1,
        mpijob_v2beta1,
        msjob,
        pytorchjob,
        tfjob,
        trainjob,
        volcanojob,
    )
    from specgen.lower.lowering import Lowering

    MODULES: tuple[Lowering, ...] = (
        jobset,
        mpijob_v1,
        mpijob_v2beta1,
        msjob,
        pytorchjob,
        tfjob,
        trainjob,
        volcanojob,
    )

TARGETS: dict[str, tuple[str, ...]] = {
    "JobSet": ("jobset",),
    "MPIJob": ("mpijob_v1", "mpijob_v2beta1"),
    "MSJob": ("msjob",),
    "PyTorchJob": ("pytorchjob",),
    "TFJob": ("tfjob",),
    "TrainJob": ("trainjob",),
    "VolcanoJob": ("volcanojob",),
}
