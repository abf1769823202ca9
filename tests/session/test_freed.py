"""What was judged is freed at once: a repository of manifests is not held until the collector of cycles comes by."""

import gc
from pathlib import Path

import pytest

from specgen.cli.files import DiskFiles
from specgen.manifest.views import Container, Role, Workload
from specgen.session import Session

JOBS = sorted((Path(__file__).parents[2] / "out").rglob("*.yaml"))


@pytest.mark.soak
def test_jobs_of_a_run_lie_in_no_cycle() -> None:
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        session = Session(DiskFiles(), today="2026-01-01")
        session.lint([str(path) for path in JOBS])
        gc.collect()
        left = [one for one in gc.garbage if isinstance(one, (Workload, Role, Container))]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert session.judged > 10
    assert left == []
