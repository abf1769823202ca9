"""The shortest example of a word: lines of a job profile, and of a cluster profile where it needs one.

It is that of ``_examples``, or one of the word's own schema, or what its type has to offer.
"""

from __future__ import annotations

from specgen.document.read import read
from specgen.document.write import scalar, write_json, write_yaml
from specgen.reference._examples import EXAMPLES
from specgen.reference.words import JOB
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.profile.library import Library
    from specgen.reference.words import Word

CLUSTER_FILE = "cluster.yaml"
# What an example stands in. The command is one that every starter takes.
_JOB: dict[str, Any] = {
    "apiVersion": "specgen/v1",
    "kind": "Job",
    "metadata": {"name": "train"},
    "image": "registry.example.com/train:1",
    "command": ["train.py"],
    "pods": 2,
}
_CLUSTER: dict[str, Any] = {"apiVersion": "specgen/v1", "kind": "Cluster", "metadata": {"name": "lab"}}
_RUNTIME: dict[str, Any] = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "ClusterTrainingRuntime",
    "metadata": {
        "name": "torch-distributed",
        "labels": {"trainer.kubeflow.org/framework": "torch"},
    },
    "spec": {
        "mlPolicy": {"numNodes": 1, "torch": {}},
        "template": {
            "spec": {
                "replicatedJobs": [
                    {
                        "name": "node",
                        "template": {
                            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                            "spec": {
                                "template": {
                                    "spec": {"containers": [{"name": "node", "image": "registry.example.com/torch:1"}]}
                                }
                            },
                        },
                    }
                ]
            }
        },
    },
}
# Files that examples name.
_FILES = {
    "base.yaml": write_yaml({"apiVersion": "specgen/v1", "kind": "Base", "env": {"NCCL_DEBUG": "INFO"}}),
    "model.toml": "layers = 12\n",
    "torch-distributed.yaml": write_yaml(_RUNTIME),
}


def example(word: Word) -> tuple[str, str]:
    """Lines of a job profile, and those of a cluster profile; both may be empty."""
    # the words of operators are those of all, and stand in the reference once, below the first
    below = word.path[0] == "operators" and len(word.path) > 2
    known = EXAMPLES.get(".".join(["cluster", "operators", "*", *word.path[2:]]) if below else word.name)
    if known is not None:
        return known
    if len(word.path) == 2 and word.path[0] == "operators":
        return "", f"operators: {{{word.path[1]}: {{version: {_newest(word.path[1])}}}}}"
    value = _value(word)
    text = value if isinstance(value, str) and value[:1] in "{[" else scalar(value, "")
    for depth in range(len(word.path) - 1, 0, -1):
        text = f"{{{word.path[depth]}: {text}}}"
        if depth in word.keyed:
            raise ValueError(f"`{word.name}` stands below names: say in `_examples` what its example is")
    line = f"{word.path[0]}: {text}"
    return (line, "") if word.profile == JOB else ("", line)


def _newest(operator: str) -> str:
    """The newest release of an operator that cluster profiles list."""
    from specgen.operators import by_object
    from specgen.operators.index import KINDS

    readers = [by_object(*key) for key in KINDS]
    return next(one.operator.newest for one in readers if one is not None and one.operator.name == operator)


def _value(word: Word) -> Any:
    """A value that the schema itself offers."""
    examples = word.schema.get("examples")
    if examples:
        return write_json(examples[0]).strip() if isinstance(examples[0], (dict, list)) else examples[0]
    for one in word.alternatives:
        choices = [one["const"]] if "const" in one else one.get("enum", one.get("x-specgen-words", ()))
        if choices:
            return next(choice for choice in choices if choice != word.default)
        if one.get("type") == "boolean":
            return word.default != "true"
        # a sentence that says "such as `64Gi`", or the title of a grammar that does
        for text in (word.sentence, str(one.get("title", ""))):
            said = text.partition("such as ")[2].strip("`.").partition("`")[0].partition(",")[0].partition(";")[0]
            if said:
                return int(said) if one.get("type") in ("integer", "number") and said.isdigit() else said
    raise ValueError(f"`{word.name}` has no example: say one in `_examples`")


def beside(job: str) -> list[tuple[str, str]]:
    """(name, text) of the profiles that the lines of an example name."""
    said = data(job).get("extends", ())
    return [(name, _FILES[name]) for name in ([said] if isinstance(said, str) else said) if name in _FILES]


def data(text: str) -> dict[str, Any]:
    """The lines of an example as data."""
    documents, findings = read(Source("example", text))
    if findings:
        raise ValueError(f"{text}: {findings[0].message}")
    found: dict[str, Any] = documents[0].data if documents else {}
    return found


def profile(job: dict[str, Any], target: Any, *, cluster: bool, without: str = "") -> str:
    """The whole job profile in which lines of an example stand; ``without``: a word at its top that is not said."""
    whole = {**_JOB, "target": target}
    if cluster:
        whole["cluster"] = CLUSTER_FILE
    return write_yaml({**{key: value for key, value in whole.items() if key != without}, **job})


def cluster_profile(cluster: dict[str, Any]) -> str:
    """The same of a cluster profile."""
    return write_yaml({**_CLUSTER, **cluster})


class Files:
    """The files of an example: the profile of its cluster, and what examples name."""

    def __init__(self, cluster: str) -> None:
        self._texts = {**_FILES, CLUSTER_FILE: cluster} if cluster else _FILES

    def join(self, name: str, beside: str) -> str:
        """All of them lie beside each other."""
        return name

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        """Its text; SG202 of one that no example has."""
        if name in self._texts:
            return Source(name, self._texts[name]), []
        from specgen.profile.codes import BROKEN_REFERENCE

        return None, [BROKEN_REFERENCE.at((), "examples have no such file")]

    def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
        """Its bytes."""
        source, findings = self.read(name)
        return (None if source is None else source.text.encode()), findings


def library(cluster: str) -> Library:
    """The files as the compiler asks for them."""
    from specgen.profile.library import Library

    return Library(Files(cluster))
