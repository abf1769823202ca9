"""The operators that can be installed; written by ``python -m specgen.generate``."""

from __future__ import annotations

from specgen.install import (
    jobset,
    mpi_operator,
    ms_operator,
    trainer,
    training_operator,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.install.model import Module

MODULES: tuple[Module, ...] = (
    jobset,
    training_operator,
    mpi_operator,
    ms_operator,
    trainer,
)
