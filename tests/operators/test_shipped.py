"""The runtimes that Trainer installs are those of its manifests."""

from __future__ import annotations

from pathlib import Path

import yaml

from specgen.document.tree import Document, Mapping
from specgen.operators.trainer.shipped import NAMES, shipped
from specgen.source import Source


def test_they_are_upstreams(shared: Path) -> None:
    nowhere = Document(Source("", ""), Mapping(0), 0)
    found = {}
    for file in sorted((shared / "conformance" / "trainer-2.3.0" / "runtimes").glob("*.yaml")):
        for tree in yaml.safe_load_all(file.read_text(encoding="utf-8")):
            if tree["kind"] == "ClusterTrainingRuntime":
                found[tree["metadata"]["name"]] = tree
    # one more runtime serves data from a cache, and is not installed by default
    assert sorted(found.keys() - set(NAMES)) == ["torch-distributed-with-cache"]
    for name in NAMES:
        manifest = shipped(name, nowhere)
        assert manifest is not None and manifest.tree == found[name]
    assert shipped("torch", nowhere) is None
