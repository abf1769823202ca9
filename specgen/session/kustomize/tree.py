"""What one kustomization names: files, other kustomizations, and what no tree may hold that is rendered here."""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.pipeline import Text
from specgen.recognise.kustomize import KUSTOMIZATIONS, is_remote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.document.tree import Document
    from specgen.session.files import Files
    from specgen.source import Path

_GROUP = "kustomize.config.k8s.io/"
# Fields whose items are files or folders with a kustomization, and those whose items are files
# (api/types/kustomization.go of kustomize 5.8).
_TAKING = ("resources", "bases", "components", "generators", "transformers", "validators")
_FILES = ("configurations", "crds", "patchesStrategicMerge")
# Fields of which an item has the file as its `path`.
_PATHS = ("patches", "patchesJson6902", "replacements")
_GENERATORS = ("configMapGenerator", "secretGenerator")
# What is rendered by a program that kustomize would start.
_HELM = ("helmCharts", "helmChartInflationGenerator")
# Fields whose files configure kustomize itself, and may name files of their own.
_PLUGINS = ("generators", "transformers", "validators")


class Kustomization:
    """One that was read. ``name``: as paths lead to it."""

    __slots__ = ("components", "document", "files", "missing", "name", "problem", "resources", "takes", "text", "tree")

    def __init__(self, name: str, text: Text, document: Document) -> None:
        self.name = name
        self.text = text
        self.document = document
        self.tree: dict[str, Any] = document.data
        # where another one is named → its name: those whose objects it takes, and Components
        self.takes: dict[Path, str] = {}
        self.components: dict[Path, str] = {}
        # where a file of objects is named → its name
        self.resources: dict[Path, str] = {}
        # (where, name) of files that it names, of whatever use
        self.files: list[tuple[Path, str]] = []
        # where something is named that is nowhere
        self.missing: list[tuple[Path, str]] = []
        # where and why it is not rendered here
        self.problem: tuple[Path, str] | None = None

    @property
    def folder(self) -> str:
        """Its folder, as command lines name it."""
        return self.name.rpartition("/")[0] or "."

    @property
    def is_component(self) -> bool:
        """Whether it is made to be taken by others."""
        return self.tree.get("kind") == "Component"

    def items(self, field: str) -> list[Any]:
        """The items of a list of its own; empty where it has none."""
        value = self.tree.get(field)
        return value if isinstance(value, list) else []


class Trees:
    """Kustomizations and the files around them, each read once. ``known``: texts of the run by their names."""

    __slots__ = ("_files", "_known", "_texts", "contents", "unread")

    def __init__(self, files: Files, known: dict[str, Text]) -> None:
        self._files = files
        self._texts: dict[str, Text | None] = {files.join(name.rpartition("/")[2], name): known[name] for name in known}
        self._known: dict[str, Kustomization | None] = {}
        # files that are no texts of YAML to anybody here
        self.contents: dict[str, bytes] = {}
        # file → why it cannot be read
        self.unread: dict[str, str] = {}

    def text(self, name: str) -> Text | None:
        """A file as YAML; None: it cannot be read, and ``unread`` says why."""
        if name not in self._texts:
            source, findings = self._files.read(name)
            self._texts[name] = None if source is None else Text(source)
            if source is None:
                self.unread[name] = findings[0].message
        return self._texts[name]

    def content(self, name: str) -> bytes | None:
        """A file as it is; None: as above."""
        if name in self._texts:
            text = self.text(name)
            return None if text is None else ("\ufeff" * text.source.bom + text.source.text).encode()
        if name not in self.contents and name not in self.unread:
            found, findings = self._files.content(name)
            if found is None:
                self.unread[name] = findings[0].message
            else:
                self.contents[name] = found
        return self.contents.get(name)

    def kustomization(self, name: str) -> Kustomization | None:
        """The kustomization in a file; None: it is none of kustomize's, or cannot be read as one."""
        if name not in self._known:
            text = self.text(name)
            document = _only(text) if text is not None else None
            self._known[name] = None
            if text is not None and document is not None:
                found = self._known[name] = Kustomization(name, text, document)
                self._look(found)
        return self._known[name]

    def _look(self, found: Kustomization) -> None:
        # of two in a folder kustomize takes none, and says so where it sees both
        beside = [self._files.join(one, found.name) for one in KUSTOMIZATIONS]
        found.files += [((), one) for one in beside if one != found.name and self._files.is_there(one)]
        for field in _HELM:
            if field in found.tree:
                found.problem = (field,), "it inflates a Helm chart, which starts another program"
        for path, word in _named(found.tree):
            # a text of several lines says itself what others have in a file
            if "\n" not in word and "\0" not in word:
                self._meet(found, path, word)

    def _meet(self, found: Kustomization, path: Path, word: str) -> None:
        name = self._files.join(word, found.name)
        field = path[0]
        if word.startswith("/"):
            found.problem = found.problem or (path, f"`{shown(word)}` is an absolute path")
        elif self._files.is_there(name):
            found.files.append((path, name))
            if field in ("resources", "bases"):
                found.resources[path] = name
            elif field in _PLUGINS:
                found.files += [(path, one) for one in self._configured(name, found.name)]
        elif field in _TAKING and (other := self._inside(name)) is not None:
            found.files.append((path, other))
            (found.components if field == "components" else found.takes)[path] = other
        elif is_remote(word):
            found.problem = found.problem or (path, f"it fetches `{shown(word)}`")
        else:
            found.missing.append((path, word))

    def _inside(self, folder: str) -> str | None:
        """The kustomization in a folder."""
        return next((f"{folder}/{one}" for one in KUSTOMIZATIONS if self._files.is_there(f"{folder}/{one}")), None)

    def _configured(self, name: str, beside: str) -> list[str]:
        """Files that a configuration of kustomize's own plugins may name: they count from the kustomization."""
        text = self.text(name)
        found = []
        for document in text.parsed[0] if text is not None else ():
            for word in _words(document.data):
                file = self._files.join(word.partition("=")[2] or word, beside)
                if self._files.is_there(file):
                    found.append(file)
        return found


def _only(text: Text) -> Document | None:
    """The one document of a text that is a kustomization by what it says, or may be one for lack of it."""
    documents, findings = text.parsed
    if findings or len(documents) != 1 or not isinstance(documents[0].data, dict):
        return None
    version = documents[0].data.get("apiVersion", _GROUP)
    return documents[0] if isinstance(version, str) and version.startswith(_GROUP) else None


def _named(tree: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """(path, text) of every entry that names a file or a folder."""
    for field, value in tree.items():
        if field in (*_TAKING, *_FILES):
            yield from _texts((field,), value)
        elif field in _PATHS and isinstance(value, list):
            for at, item in enumerate(value):
                if isinstance(item, dict) and isinstance(item.get("path"), str):
                    yield (field, at, "path"), item["path"]
        elif field in _GENERATORS and isinstance(value, list):
            for at, item in enumerate(value):
                for key in ("files", "envs") if isinstance(item, dict) else ():
                    for path, word in _texts((field, at, key), item.get(key)):
                        yield path, word.rpartition("=")[2] if key == "files" else word
                if isinstance(item, dict) and isinstance(item.get("env"), str):
                    yield (field, at, "env"), item["env"]
        elif field == "openapi" and isinstance(value, dict) and isinstance(value.get("path"), str):
            yield (field, "path"), value["path"]


def _texts(path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    for at, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, str) and item:
            yield (*path, at), item


def _words(tree: Any) -> Iterator[str]:
    """Every text of one line in a tree."""
    left = [tree]
    while left:
        one = left.pop()
        if isinstance(one, dict | list):
            left += one.values() if isinstance(one, dict) else one
        elif isinstance(one, str) and one and "\n" not in one and "\0" not in one:
            yield one
