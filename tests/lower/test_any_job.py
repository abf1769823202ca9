"""Any job as any kind: an answer that holds, or a finding with its place; never a bug, never a half-truth.

What builds is what `lint` accepts on the same cluster, what its operator makes pods of, and the same when built again.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, seed
from hypothesis import strategies as st

from specgen.checking import operator_gang
from specgen.linting import lint_source
from specgen.manifest.model import Manifest
from specgen.operators.expand import expand_manifest
from specgen.pipeline import Compiled
from specgen.source import Source
from tests.lower.any_job import TARGETS, clusters, jobs
from tests.lower.lowering import built, stream
from tests.test_fuzz import FEW, MANY, SEED


def check(job: dict[str, Any], cluster: dict[str, Any] | None) -> None:
    result = built(job, cluster)
    for one in result.diagnostics:
        assert one["primary"]["file"] in ("job.yaml", "cluster.yaml"), one
        # the first key is where nothing else was found to point at
        assert one["severity"] != "error" or one["primary"]["start"]["offset"] > 1, one
    if result.failed:
        return
    bundles = [compiled.bundle for compiled in result.compiled if compiled.bundle is not None]
    text = stream(bundles)
    assert text == stream([one.bundle for one in built(job, cluster).compiled if one.bundle is not None])
    said = [one["code"] for one in result.diagnostics]
    linted = lint_source(Source("out.yaml", text), result.compiled[0].job.cluster)
    assert [one for one in linted.diagnostics if one["severity"] == "error" and one["code"] not in said] == []
    for compiled in result.compiled:
        _expanded(compiled)


def _expanded(compiled: Compiled) -> None:
    """The operator takes the job as it stands written, and makes as many pods of it as are planned."""
    assert compiled.bundle is not None and compiled.plan is not None and compiled.reader is not None
    bare = [Manifest(json.loads(json.dumps(one.tree)), one.where) for one in compiled.bundle.manifests]
    job = bare[compiled.bundle.manifests.index(compiled.bundle.job)]
    gang = operator_gang(compiled.job.cluster, compiled.reader)
    beside = [one for one in bare if one is not job]
    expansion, findings = expand_manifest(job, compiled.reader, compiled.plan.version, gang=gang, companions=beside)
    assert findings == [] and expansion is not None, [finding.message for finding in findings]
    assert expansion.refusals == [], expansion.refusals
    spec = job.tree["spec"]
    if spec.get("suspend") or (spec.get("runPolicy") or {}).get("suspend"):
        assert expansion.pods == []
        return
    assert len(expansion.pods) == sum(int(role.replicas.value) for role in compiled.plan.roles)


@pytest.mark.parametrize("kind", TARGETS)
def test_any_job(kind: str) -> None:
    @given(jobs(kind), st.none() | clusters())
    @FEW
    def run(job: dict[str, Any], cluster: dict[str, Any] | None) -> None:
        check(job, cluster)

    run()


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", TARGETS)
def test_any_job_long(kind: str) -> None:
    @seed(SEED)
    @given(jobs(kind), st.none() | clusters())
    @MANY
    def run(job: dict[str, Any], cluster: dict[str, Any] | None) -> None:
        check(job, cluster)

    run()
