"""What a real API server said to real manifests, document by document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

OPERATORS = ("training-operator-1.9.4", "mpi-operator-0.8.2", "ms-operator-1.0.0", "trainer-2.3.0")
"""The recordings of the versions that the schemas are written for."""

_OF_ONE_KIND = (re.compile(r'"FILE": (\w+) in version'), re.compile(r'^The (\w+) "[^"]*" is invalid'))


class Loader(yaml.CSafeLoader):
    """YAML 1.1 as the recordings read it: PyYAML's scalars without time stamps and base 60."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if tag.rpartition(":")[2] not in ("timestamp", "int", "float")]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int",
    re.compile(r"^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+)$"),
    list("-+0123456789"),
)
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?)$"),
    list("-+0123456789."),
)


@dataclass(frozen=True)
class Recording:
    """One document and what the server said to it, in strict mode and without validation."""

    name: str
    document: dict[str, Any]
    said: tuple[str, ...]
    """Nothing where it accepted the document."""


def recordings(shared: Path) -> dict[str, list[Recording]]:
    """`group/version Kind` → the recordings of the corpus, the source manifests and the probes."""
    found: dict[str, list[Recording]] = {}
    for recording in (*_files(shared, "corpus", "corpus"), *_files(shared, "sources", "sources/manifests")):
        found.setdefault(_key(recording.document), []).append(recording)
    for operator in OPERATORS:
        for recording in _probes(shared / "conformance" / operator):
            found.setdefault(_key(recording.document), []).append(recording)
    return found


def _key(document: Mapping[str, Any]) -> str:
    return f"{document.get('apiVersion')} {document.get('kind')}"


def documents(path: Path) -> list[dict[str, Any]]:
    """The mappings in a file; none where it cannot be read."""
    try:
        found = list(yaml.load_all(path.read_text("utf-8"), Loader=Loader))
    except yaml.YAMLError:
        return []  # the server, too, saw no document: the reader's tests hold these files
    return [document for document in found if isinstance(document, dict)]


def _files(shared: Path, folder: str, manifests: str) -> Iterator[Recording]:
    for name, verdict in sorted(json.loads((shared / folder / "VERDICTS.json").read_text("utf-8")).items()):
        said = [line for mode in ("strict", "lenient") for line in verdict.get(mode, {}).get("errors", ())]
        for number, document in enumerate(documents(shared / manifests / name)):
            about = tuple(_about(str(document.get("kind")), said))
            where = f"{folder}/{name}" + (f"#{number}" if number else "")
            yield Recording(where, document, about)


def _about(kind: str, lines: list[str]) -> Iterator[str]:
    """The lines about documents of one kind; a list with `*` belongs to the line before it."""
    of = ""
    for line in lines:
        named = [match[1] for form in _OF_ONE_KIND if (match := form.search(line))]
        of = named[0] if named else of
        if of in ("", kind):
            yield line


def _probes(folder: Path) -> Iterator[Recording]:
    for record in sorted(folder.glob("probes/*.json")):
        recorded = json.loads(record.read_text("utf-8"))
        verdict = recorded.get("verdict", {})
        answers = [verdict[mode] for mode in ("strict", "lenient") if mode in verdict]
        said = tuple(a["message"] for a in answers if not a["accepted"] and a.get("code") != 403)
        asked = [d for d in documents(record.with_suffix(".yaml")) if d.get("kind") == recorded.get("kind")]
        for document in asked[-1:]:
            yield Recording(f"{folder.name}/{record.stem}", document, said)
