"""The kinds and operators that profiles may name; written by ``python -m specgen.generate``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from specgen.profile.operator import Operator
from specgen.profile.words import Words

Kind = Literal[
    "VolcanoJob",
    "JobSet",
    "PyTorchJob",
    "TFJob",
    "MPIJob",
    "MSJob",
    "TrainJob",
]
KindVersion = Literal[
    "v1alpha1",
    "v1alpha2",
    "v1",
    "v2beta1",
]


class Operators(Words):
    """Installed operators."""

    jobset: Operator | None = None
    """JobSet's controller, of JobSets without Kubeflow Trainer."""
    training_operator: Operator | None = Field(default=None, alias="training-operator")
    """Kubeflow's training operator, of PyTorchJob, TFJob, and MPIJob v1."""
    mpi_operator: Operator | None = Field(default=None, alias="mpi-operator")
    """Kubeflow's MPI operator, of MPIJob v2beta1."""
    ms_operator: Operator | None = Field(default=None, alias="ms-operator")
    """MindSpore's operator, of MSJob."""
    trainer: Operator | None = None
    """Kubeflow Trainer, of TrainJob."""
