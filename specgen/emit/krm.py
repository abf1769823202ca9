"""A ResourceList as a KRM function reads it: what its functionConfig asks for, and what becomes of its items.

Words and meaning are those of the functions specification (kustomize, cmd/config/docs/api-conventions/
functions-spec.md).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place, listed, shown
from specgen.diagnostics.operations import Append, Remove, Set
from specgen.document.tree import Mapping, Sequence
from specgen.emit.codes import FOREIGN_ITEM, WRONG_FUNCTION
from specgen.manifest.model import reference
from specgen.manifest.views import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence as Listed
    from typing import Any, TypeAlias

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.operations import Operation
    from specgen.document.tree import Document, Node
    from specgen.source import Path, Source

    Id: TypeAlias = tuple[str, str, str, str]

MARK = "specgen/generated-by"
"""Annotation of generated items: the ``metadata.name`` of the functionConfig that they come of."""
API_VERSION = "krm.specgen/v1"
BUILD, LINT = "Build", "Lint"
CONFIG = "functionConfig"
# Word of a functionConfig → whether it takes a list. What stands for files may be a whole profile as well.
_WORDS = {
    BUILD: {"profiles": True, "cluster": False, "variant": False, "set": True},
    LINT: {"cluster": False, "select": True, "ignore": True, "operators": True},
}
_PROFILES = ("profiles", "cluster")
# Annotations that belong to whoever runs functions: where an item lies, and which one it was.
_RUNNERS = (
    "config.kubernetes.io/",
    "internal.config.kubernetes.io/",
    "config.k8s.io/",
    "internal.config.k8s.io/",
    "kustomize.config.k8s.io/",
)


class Asked:
    """What a functionConfig asks for. ``profile``: it is a job profile itself, without the marks of its runner.

    ``words`` are those of ``spec``, or of the ``data`` of a ConfigMap, below ``base``.
    """

    __slots__ = ("base", "findings", "name", "profile", "verb", "words")

    def __init__(self, verb: str, name: str) -> None:
        self.verb = verb
        self.name = name
        self.profile: dict[str, Any] | None = None
        self.words: dict[str, Any] = {}
        self.base: Path = ()
        self.findings: list[Finding] = []


def wrong(document: Document) -> str:
    """Why a document is no ResourceList that a function can work on; empty: it is one."""
    data = document.data
    if not isinstance(data, dict) or data.get("kind") != "ResourceList":
        return "standard input holds no ResourceList (`specgen krm --help` shows one)"
    version = data.get("apiVersion")
    if not isinstance(version, str) or not version.startswith("config.kubernetes.io/v1"):
        return "the ResourceList is none of `config.kubernetes.io/v1`"
    if "items" not in data:
        return "the ResourceList has no `items`"
    items = data["items"]
    if items is not None and not isinstance(items, list):
        return "`items` of the ResourceList is no list"
    if any(not isinstance(item, dict) for item in items or ()):
        return "`items` of the ResourceList holds what is no object"
    return ""


def asked(document: Document) -> Asked:
    """The functionConfig of a ResourceList, checked; without one the items are linted."""
    config = document.data.get(CONFIG)
    if config is None:
        return Asked(LINT, "specgen")
    if not isinstance(config, dict):
        found = Asked(LINT, "specgen")
        found.findings.append(WRONG_FUNCTION.at((CONFIG,), "`functionConfig` is no object"))
        return found
    name = mapping(config.get("metadata")).get("name")
    version, kind = config.get("apiVersion"), config.get("kind")
    found = Asked(LINT, name if isinstance(name, str) and name else "specgen")
    if isinstance(version, str) and version.startswith("specgen/"):
        found.verb = BUILD
        found.profile = _unmarked(config)
        return found
    if version == "v1" and kind == "ConfigMap":
        key = "data"
        data = config.get(key)
        found.verb = BUILD if isinstance(data, dict) and "profiles" in data else LINT
    elif version == API_VERSION and isinstance(kind, str) and kind in _WORDS:
        key = "spec"
        found.verb = kind
    else:
        message = "nothing is to be built or linted by this functionConfig"
        helps = [
            f"it is a job profile, a `{BUILD}` or `{LINT}` of `{API_VERSION}`, or a ConfigMap with the words of either"
        ]
        at = "kind" if version == API_VERSION else "apiVersion"
        found.findings.append(WRONG_FUNCTION.at((CONFIG, at), message, helps=helps))
        return found
    found.base = (CONFIG, key)
    written = config.get(key)
    if written is not None and not isinstance(written, dict):
        found.findings.append(WRONG_FUNCTION.at(found.base, f"`{key}` is no mapping"))
        return found
    _take(found, written or {}, split=key == "data")
    return found


def _unmarked(config: dict[str, Any]) -> dict[str, Any]:
    """A profile without the annotations by which functions are run."""
    metadata = config.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(annotations, dict):
        return config
    own = {key: value for key, value in annotations.items() if not key.startswith(_RUNNERS)}
    rest = {key: value for key, value in metadata.items() if key != "annotations"}
    return {**config, "metadata": {**rest, "annotations": own} if own else rest}


def _take(found: Asked, written: dict[str, Any], *, split: bool) -> None:
    """Checks the words of a functionConfig; ``split``: they are texts, with commas between several."""
    known = _WORDS[found.verb]
    for word, value in written.items():
        path = (*found.base, word)
        if word not in known:
            helps = [f"`{found.verb}` knows {listed(list(known))}"]
            found.findings.append(WRONG_FUNCTION.at(path, f"there is no word `{shown(word)}`", part=KEY, helps=helps))
            continue
        if split and known[word] and isinstance(value, str):
            value = [part.strip() for part in value.split(",") if part.strip()]
        takes = (str, dict) if word in _PROFILES and not split else (str,)
        values = value if known[word] else [value]
        if not isinstance(values, list) or not all(
            isinstance(one, takes) and (one or word == "variant") for one in values
        ):
            what = "file names, or whole profiles" if dict in takes else "texts" if known[word] else "text"
            message = f"`{word}` takes {'a list of ' if known[word] and not split else ''}{what}"
            found.findings.append(WRONG_FUNCTION.at(path, message))
            continue
        found.words[word] = value
    if found.verb == BUILD and not found.findings and not found.words.get("profiles"):
        found.findings.append(WRONG_FUNCTION.at(found.base, "no `profiles` are named, so nothing would be built"))


def texts(document: Document) -> list[str]:
    """Each item as the text of a file of its own: as it stands, with its comments, where that can be told."""
    root, items = document.root, document.node(("items",))
    if not isinstance(root, Mapping) or not isinstance(items, Sequence):
        return []
    found = []
    carried: list[str] = []
    end = root.keys["items"].end
    for node in items.items:
        before = [line.strip().removeprefix("-").strip() for line in document.source.text[end : node.start].split("\n")]
        above = [*carried, *(line for line in before if line.startswith("#"))]
        text, carried = _cut(document.source, node)
        found.append(_same("".join(f"{line}\n" for line in above) + text, node.value))
        end = node.end
    return found


def _cut(source: Source, node: Node) -> tuple[str, list[str]]:
    """A block without its margin, and the comments behind it that stand further left: they are about what follows."""
    margin = source.position(node.start)[1] - 1
    first, *rest = source.text[node.start : node.end].rstrip().split("\n")
    carried: list[str] = []
    while rest and (not rest[-1].strip() or (rest[-1].lstrip()[0] == "#" and rest[-1][:margin].strip())):
        carried.insert(0, rest.pop().strip())
    lines = [first, *(line[margin:] if not line[:margin].strip() else line for line in rest)]
    return "".join(f"{line}\n" for line in lines), [line for line in carried if line]


def _same(text: str, data: Any) -> str:
    """The text where it alone says the same, and else one that is written anew: it may share parts with other items."""
    from specgen.document.read import read
    from specgen.document.write import write_yaml
    from specgen.source import Source

    documents, findings = read(Source("", text))
    return text if not findings and len(documents) == 1 and documents[0].data == data else write_yaml(data)


def merged(document: Document, trees: Listed[dict[str, Any]], owner: str) -> tuple[list[Operation], list[Finding]]:
    """What becomes of the items of a ResourceList once ``trees`` are generated by ``owner``.

    An item that the same functionConfig generated before gives way to its successor, where it stands and with the
    annotations of whoever runs functions, or goes; others stay, and one that is the same object as a new one is SG840.
    """
    new = {_id(tree): _marked(tree, owner) for tree in trees}
    operations: list[Operation] = []
    findings: list[Finding] = []
    for index, item in enumerate(document.data["items"] or ()):
        own = _id(item)
        annotations = mapping(mapping(item.get("metadata")).get("annotations"))
        if annotations.get(MARK) == owner:
            tree = new.pop(own, None)
            if tree is None:
                operations.append(Remove(("items", index)))
                continue
            tree = _with(tree, {key: value for key, value in annotations.items() if key.startswith(_RUNNERS)})
            if tree != item:
                operations.append(Set(("items", index), tree))
        elif own in new:
            ref = reference(item)
            message = f"the {ref.kind} `{shown(ref.name)}` is there already, and nothing says that it was generated"
            notes = ["what somebody else wrote is never replaced"]
            helps = ["take it out, or give the job another name"]
            place = Place(("items", index, "metadata", "name"))
            findings.append(FOREIGN_ITEM.at(place, message, notes=notes, helps=helps))
    if document.data["items"] is not None:
        operations += [Append(("items",), tree) for tree in new.values()]
    elif new:
        operations.append(Set(("items",), list(new.values())))
    return ([] if findings else operations), findings


def _id(tree: dict[str, Any]) -> Id:
    ref = reference(tree)
    return ref.api_version.rpartition("/")[0], ref.kind, ref.namespace or "", ref.name


def _marked(tree: dict[str, Any], owner: str) -> dict[str, Any]:
    return _with(tree, {MARK: owner})


def _with(tree: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """A copy of an object with more annotations."""
    metadata = mapping(tree.get("metadata"))
    annotations = {**mapping(metadata.get("annotations")), **more}
    return {**tree, "metadata": {**metadata, "annotations": annotations}}
