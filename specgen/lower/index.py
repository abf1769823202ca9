"""Kind → the modules that compile to it, by version; written by ``python -m specgen.generate``."""

from __future__ import annotations

TARGETS: dict[str, tuple[str, ...]] = {
    "MPIJob": ("mpijob_v1", "mpijob_v2beta1"),
    "MSJob": ("msjob",),
    "PyTorchJob": ("pytorchjob",),
    "TFJob": ("tfjob",),
    "TrainJob": ("trainjob",),
}
