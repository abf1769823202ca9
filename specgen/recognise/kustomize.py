"""The files around a text: the chart that renders it, the kustomization that names it, and patches."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Place
from specgen.document.read import read
from specgen.recognise import Foreign, codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Protocol

    from specgen.diagnostics.model import Finding

    class Files(Protocol):
        """Files around those of a run, by name."""

        def join(self, name: str, beside: str) -> str: ...

        def beside(self, name: str) -> str | None: ...


# As kustomize looks for them (api/konfig, RecognizedKustomizationFileNames).
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
# How far upwards a file is looked for.
_MOST_FOLDERS = 8
# Codes that say that a part is missing: a patch has no other errors.
_LACKING = frozenset(("SG102", "SG305", "SG309"))


def is_remote(name: str) -> bool:
    """Whether kustomize takes a resource for an address: with a scheme, a host of git's, or a query."""
    return "://" in name or "?ref=" in name or name.startswith(("git@", "git::", "github.com/")) or ".git" in name


class _Kustomization:
    __slots__ = ("patches", "resources")

    def __init__(self, patches: set[str], resources: set[str]) -> None:
        # names of files
        self.patches = patches
        self.resources = resources


class Around:
    """Files that lie around those of a run, each read once. Without ``files`` there are none."""

    __slots__ = ("_charts", "_files", "_known", "_named", "_near")

    def __init__(self, files: Files | None = None, named: Iterable[str] = ()) -> None:
        self._files = files
        # kustomizations among the files of the run: their patches may lie anywhere
        self._named = [name for name in named if name.rpartition("/")[2] in KUSTOMIZATIONS]
        self._charts: dict[str, bool] = {}
        self._known: dict[str, _Kustomization | None] = {}
        # folder → kustomizations in it and above it
        self._near: dict[str, list[str]] = {}

    def _text(self, name: str) -> str | None:
        return None if self._files is None else self._files.beside(name)

    def _above(self, name: str) -> list[str]:
        """The kustomizations in the folder of a text, and in those above it."""
        if self._files is None or name.startswith("<"):
            return []
        folder = name.rpartition("/")[0]
        if folder not in self._near:
            names = [
                self._files.join("../" * number + word, name)
                for word in KUSTOMIZATIONS
                for number in range(_MOST_FOLDERS)
            ]
            self._near[folder] = [one for one in dict.fromkeys(names) if self._kustomization(one) is not None]
        return self._near[folder]

    def chart(self, name: str) -> str | None:
        """The folder of the Helm chart below whose `templates` a file lies; None: it lies in none."""
        folders = name.split("/")[:-1]
        for number, folder in enumerate(reversed(folders)):
            if folder == "templates" and self._files is not None:
                chart = self._files.join("../" * (number + 1) + "Chart.yaml", name)
                if chart not in self._charts:
                    self._charts[chart] = self._text(chart) is not None
                if self._charts[chart]:
                    return chart.rpartition("/")[0] or "."
        return None

    def _kustomization(self, name: str) -> _Kustomization | None:
        if name not in self._known:
            text = self._text(name)
            self._known[name] = None if text is None else self._read(name, text)
        return self._known[name]

    def _read(self, name: str, text: str) -> _Kustomization:
        from specgen.source import Source

        documents, _ = read(Source(name, text))
        tree = documents[0].data if documents and isinstance(documents[0].data, dict) else {}
        patches = [*_items(tree, "patchesStrategicMerge"), *_paths(tree, "patches"), *_paths(tree, "patchesJson6902")]
        kept = [*_items(tree, "resources"), *_items(tree, "bases"), *_items(tree, "generators")]
        return _Kustomization(self._there(name, patches), self._there(name, kept))

    def _there(self, name: str, files: Iterable[str]) -> set[str]:
        assert self._files is not None  # a kustomization was read
        return {self._files.join(file, name) for file in files if "\n" not in file and "\0" not in file}

    def patch(self, name: str, text: str, findings: list[Finding]) -> Foreign | None:
        """The note on a file whose objects are patches; ``findings``: what is found of an object of it as one."""
        if self._files is None or not findings:
            return None
        own = self._files.join(name.rpartition("/")[2], name)
        for file in dict.fromkeys([*self._above(name), *self._named]):
            known = self._kustomization(file)
            if known is not None and own in known.patches:
                return _patch(file)
        errors = {finding.code.id for finding in findings if finding.severity == ERROR}
        if not errors or not errors <= _LACKING or "image:" in text:
            return None
        for word in KUSTOMIZATIONS:
            file = self._files.join(word, name)
            known = self._kustomization(file) if not name.startswith("<") else None
            if known is not None and own not in known.resources:
                return _patch(file)
        return None


def _patch(kustomization: str) -> Foreign:
    folder = kustomization.rpartition("/")[0] or "."
    message = f"a patch of `{kustomization}` is no object by itself, and nothing of it is checked"
    helps = [f"have it judged as it is rendered: `specgen lint --kustomize {folder}`"]
    return Foreign("kustomize patch", codes.PATCH.at(Place(()), message, helps=helps))


def _items(tree: dict[str, Any], key: str) -> list[str]:
    value = tree.get(key)
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _paths(tree: dict[str, Any], key: str) -> list[str]:
    value = tree.get(key)
    found = [one.get("path") for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return [one for one in found if isinstance(one, str)]
