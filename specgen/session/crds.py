"""Kinds of a user's own cluster: those that the CustomResourceDefinitions of ``--crds`` define."""

from __future__ import annotations

from specgen.diagnostics.model import BadQuestion
from specgen.document.read import read
from specgen.manifest.origins import manifests
from specgen.pipeline import nowhere
from specgen.schema.crd import kinds_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Protocol

    from specgen.diagnostics.model import Finding
    from specgen.source import Source

    class Files(Protocol):
        """Files and folders by name."""

        def below(self, name: str) -> list[str] | None: ...

        def named(self, name: str) -> tuple[Source | None, list[Finding]]: ...


CRD = "CustomResourceDefinition"


def kinds(files: Files, names: Iterable[str]) -> tuple[dict[tuple[str, str], dict[str, Any]], list[Finding]]:
    """(apiVersion, kind) → schema, of all CRDs in files and folders, and what keeps one of these from being read.

    Raises BadQuestion for a name that cannot be opened, or that holds no CRD.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    wrong: list[Finding] = []
    for name in names:
        below = files.below(name)
        before = len(found), len(wrong)
        for file in [name] if below is None else below:
            try:
                source, findings = files.named(file)
            except BadQuestion as error:
                raise BadQuestion(f"--crds {file}: {error}") from None
            wrong += findings
            # other files of a folder are no concern of this option
            if source is None or CRD not in source.text:
                continue
            documents, findings = read(source)
            for finding in findings:
                finding.where = finding.where or nowhere(source)
            wrong += findings
            for document in documents:
                for manifest in manifests(document) if isinstance(document.data, dict) else ():
                    if manifest.ref.kind == CRD:
                        found.update(kinds_of(manifest.tree))
        if before == (len(found), len(wrong)):
            raise BadQuestion(f"--crds {name}: there is no {CRD} in it")
    return found, wrong
