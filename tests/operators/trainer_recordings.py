"""Reads recordings of Trainer and JobSet (``shared/conformance/README-trainer.md``): a job and what was beside it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from specgen.document.decode import decode
from specgen.document.read import read
from specgen.document.tree import Document, Mapping
from specgen.manifest.model import Manifest
from specgen.source import Source


class Record:
    """One recording: the job that was sent, and what existed beside it."""

    def __init__(self, name: str, data: dict[str, Any], shared: Path) -> None:
        self.name = name
        self.data = data
        self.documents = documents(shared / data["source"].removeprefix("shared/"))
        self.shared = shared

    def job(self) -> Manifest:
        """The job: the record's own for a runtime, else the document of its kind and name."""
        if "trainjob" in self.data:
            return manifest(self.data["trainjob"])
        for tree in self.documents:
            metadata = tree.get("metadata") or {}
            called = metadata.get("name") or metadata.get("generateName")
            if tree.get("kind") == self.data["kind"] and called == self.data["name"]:
                return manifest(tree)
        raise LookupError(f"{self.name}: its source has no {self.data['kind']} {self.data['name']}")

    def companions(self) -> list[Manifest]:
        """The runtimes of Trainer, the file's other documents, and what the record says was created before."""
        home = self.shared / "conformance" / "trainer-2.3.0"
        shipped = [tree for file in sorted((home / "runtimes").glob("*.yaml")) for tree in documents(file)]
        runtime = self.data.get("runtime") or {}
        more: list[dict[str, Any]] = []
        if "from" in runtime:
            more = documents(self.shared / runtime["from"])
        elif runtime:
            tree = next(one for one in shipped if one["metadata"]["name"] == runtime["spec_of"])
            metadata = {"name": runtime["name"]}
            if runtime["kind"] == "TrainingRuntime":
                metadata["namespace"] = self.data["namespace"]
            more = [{**tree, "kind": runtime["kind"], "metadata": metadata}]
        named = [one for one in self.data.get("companions", ()) if one.partition("/")[0].endswith("Class")]
        split = [one.split("/") for one in named]
        # those that no file gives were created with the value 1000
        classes = [{"kind": kind, "metadata": {"name": called}, "value": 1000} for kind, called in split]
        return [manifest(tree) for tree in [*classes, *shipped, *more, *self.documents]]

    @property
    def refused_strictly(self) -> bool:
        """Whether the job itself, not the runtime that the record is about, was refused with field validation."""
        verdict = self.data.get("trainjob_verdict") or self.data["verdict"]
        return not verdict["strict"]["accepted"]

    @property
    def refused(self) -> bool:
        """Whether nobody stored the job."""
        verdict = self.data.get("trainjob_verdict") or self.data["verdict"]
        return self.refused_strictly and not verdict.get("lenient", {}).get("accepted")


def documents(file: Path) -> list[dict[str, Any]]:
    """A file's objects as specgen reads them, which is how the API server does: plain ``y`` is true, ``2.0`` is 2."""
    source, _ = decode(file.name, file.read_bytes())
    assert source is not None
    return [one.data for one in read(source)[0] if isinstance(one.data, dict)]


def manifest(tree: dict[str, Any]) -> Manifest:
    return Manifest(tree, Document(Source("<recording>", ""), Mapping(0), 0))


def records(shared: Path, part: str = "") -> list[Record]:
    home = shared / "conformance" / part / "trainer-2.3.0"
    found: list[Record] = []
    if part and not (home / "INDEX.csv").is_file():
        return found
    with open(home / "INDEX.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name = "/".join(filter(None, (part, row["file"])))
            found.append(Record(name, json.loads((home / row["file"]).read_text(encoding="utf-8")), shared))
    return found
