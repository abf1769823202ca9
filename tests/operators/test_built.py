"""What ``expand`` refuses is not built: each job that a profile comes to is taken, or the build has an error."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from specgen.cli.files import DiskFiles
from specgen.diagnostics.model import ERROR
from specgen.operators.expand import expand_manifest
from specgen.session import Session


def _refused(folder: Path, tmp_path: Path) -> Iterator[str]:
    """A sentence for each job that is built without an error and refused, of the profiles below a folder."""
    home = tmp_path / "repository"
    shutil.copytree(folder, home)
    # profiles may name files of their repository alone
    (home / ".git").mkdir(exist_ok=True)
    session = Session(DiskFiles())
    jobs = 0
    for result in session.compile([str(home)]):
        if any(one["severity"] == ERROR for one in result.diagnostics):
            continue
        for compiled in result.compiled:
            bundle, reader, plan = compiled.bundle, compiled.reader, compiled.plan
            if bundle is None or reader is None or plan is None or not reader.speaks_for(plan.version):
                continue
            jobs += 1
            beside = [*(one for one in bundle.manifests if one is not bundle.job), *plan.existing]
            expansion, findings = expand_manifest(bundle.job, reader, plan.version, companions=beside, resumed=True)
            if expansion is None:
                yield f"{compiled.job.name}: {[finding.message for finding in findings]}"
                continue
            for one in expansion.refusals:
                # a runtime of the cluster is named and not held
                if "is not among the files" not in one.reason:
                    yield f"{compiled.job.name}: {one.kind} {one.name}: {one.reason}"
    assert jobs > 5, f"only {jobs} jobs of {folder}"


def test_samples(root: Path, tmp_path: Path) -> None:
    assert list(_refused(root / "profiles", tmp_path)) == []


def test_profiles_of_others(shared: Path, tmp_path: Path) -> None:
    assert list(_refused(shared / "profiles", tmp_path)) == []


def test_cases(shared: Path, tmp_path: Path) -> None:
    assert list(_refused(shared / "findings" / "cases", tmp_path)) == []
