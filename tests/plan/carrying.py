"""Jobs with files beside them, held in memory."""

from __future__ import annotations

import posixpath
from typing import Any

import yaml

from specgen.diagnostics.model import Finding
from specgen.document.decode import decode
from specgen.pipeline import Result, compile_source
from specgen.profile.codes import BROKEN_REFERENCE
from specgen.profile.library import Library
from specgen.source import Source

JOB: dict[str, Any] = {
    "apiVersion": "specgen/v1",
    "kind": "Job",
    "metadata": {"name": "a"},
    "target": "PyTorchJob",
    "image": "a:1",
    "command": ["train"],
}


class Files:
    """Files by name."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    def join(self, name: str, beside: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(beside), name))

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        data, findings = self.content(name)
        return (None, findings) if data is None else decode(name, data)

    def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
        if name not in self.files:
            return None, [BROKEN_REFERENCE.at((), "there is no such file")]
        return self.files[name], []


def compiled(words: dict[str, Any], files: dict[str, bytes] | None = None) -> Result:
    """A job of these words, at `jobs/a.yaml`; files are named from the root."""
    text = yaml.safe_dump({**JOB, **words}, sort_keys=False)
    return compile_source(Source("jobs/a.yaml", text), Library(Files(files or {})))


def trees(result: Result) -> list[dict[str, Any]]:
    """The objects of the only job, which has no error."""
    assert not result.failed, result.diagnostics
    (one,) = result.compiled
    assert one.bundle is not None
    return [manifest.tree for manifest in one.bundle.manifests]
