"""``lint`` and ``expand`` take the whole corpus, broken files included, without an exception."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgen import operators
from specgen.document.decode import decode
from specgen.document.read import read
from specgen.linting import lint_source
from specgen.manifest.origins import manifests
from specgen.manifest.views import Workload
from specgen.operators.compared import _plain
from specgen.operators.expand import expand_manifest
from specgen.operators.reader import Reader


def test_every_file(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each job is expanded beside the other objects of its file, with field validation and without."""
    home = shared / "corpus"
    files = [one for one in sorted(home.rglob("*")) if one.is_file() and one.parent != home]
    counts = dict.fromkeys(("files", "unreadable", "objects", "jobs", "expanded", "refused"), 0)
    for file in files:
        counts["files"] += 1
        source, findings = decode(file.name, file.read_bytes())
        if source is None:
            assert findings
            counts["unreadable"] += 1
            continue
        assert isinstance(lint_source(source).diagnostics, list)
        documents = [one for one in read(source)[0] if isinstance(one.data, dict)]
        objects = [one for document in documents for one in manifests(document)]
        counts["objects"] += len(objects)
        for manifest in objects:
            backend = operators.by_object(manifest.ref.api_version, manifest.ref.kind)
            if backend is None:
                continue
            counts["jobs"] += 1
            others = [one for one in objects if one is not manifest]
            for lenient in (False, True):
                expansion, findings = expand_manifest(manifest, backend, lenient=lenient, companions=others)
                assert expansion is not None or findings
            _lives_alike(backend.read(manifest), backend)
            stored = expansion is not None and not any(one.kind == manifest.ref.kind for one in expansion.refusals)
            counts["expanded" if stored else "refused"] += 1
    with capsys.disabled():
        print(f"\ncorpus: {', '.join(f'{count} {what}' for what, count in counts.items())}", end=" ")
    assert counts["files"] >= 426
    assert counts["jobs"] > 250 and counts["expanded"] > 150


def _lives_alike(workload: Workload, reader: Reader) -> None:
    """What becomes of a job is the same, worked out with its pods and without them."""
    without, whole = reader.life(workload), reader.expand(workload).lifecycle
    assert _plain(without) == _plain(whole)
