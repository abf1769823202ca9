"""Every kind that has a schema; `specgen.generate.kinds` describes them, one module for each operator."""

from __future__ import annotations

from specgen.generate.kinds import (
    core,
    jobset,
    mpi_operator,
    ms_operator,
    scheduler_plugins,
    trainer,
    training_operator,
    volcano,
)

KINDS = (
    *training_operator.KINDS,
    *mpi_operator.KINDS,
    *ms_operator.KINDS,
    *trainer.KINDS,
    *jobset.KINDS,
    *volcano.KINDS,
    *scheduler_plugins.KINDS,
    *core.KINDS,
)
