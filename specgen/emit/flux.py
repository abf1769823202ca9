"""What Flux must be told of jobs: when one has failed, and when it is what its manifest asked for.

Fields: Kustomization v1 of kustomize-controller, ``healthCheckExprs``. How they are asked: fluxcd/pkg,
runtime/cel/status_evaluator.go: ``failed``, then ``current``, and what is neither is in progress, so nothing says that
by itself. The expressions are parsed, not compiled: they see the object's own fields, and one without a status is asked
again (status_reader.go).
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.controllers import SUBSTITUTE
from specgen.operators.outcome import FAILED, SUCCEEDED, outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from specgen.operators.outcome import Outcome
    from specgen.operators.reader import Reader
    from specgen.source import Path

# What a variable of `postBuild` looks like, and what a shell's does; `$NAME` and `$(NAME)` it leaves alone.
VARIABLE = "${"
_FILES, _SCRIPTS = ("data", "stringData"), ("command", "args")


def settings(readers: Sequence[Reader]) -> dict[str, Any]:
    """A patch of a Kustomization. What is not known of a kind is left out.

    Flux has no word for a suspended job: like a batch Job it is in progress until it has ended.
    """
    checks = []
    for reader in readers:
        said = outcome(reader)
        if said is not None:
            states = {"failed": cel(said, FAILED), "current": cel(said, SUCCEEDED)}
            checks.append({"apiVersion": reader.api_version, "kind": reader.kind, **states})
    return {"spec": {"healthCheckExprs": checks}}


def cel(said: Outcome, state: str) -> str:
    """The expression that is true of a job in a state."""
    words = said.of(state)
    listed = ", ".join(f"'{word}'" for word in words)
    if said.phase:
        return f"has(status.state) && has(status.state.phase) && status.state.phase in [{listed}]"
    one = f"c.type == {listed}" if len(words) == 1 else f"c.type in [{listed}]"
    return f"has(status.conditions) && status.conditions.exists(c, {one} && c.status == 'True')"


def guarded(tree: dict[str, Any]) -> dict[str, Any]:
    """An object with what a program of its own has to expand, so that ``postBuild`` of a Kustomization does not.

    Flux takes the whole text of an object for a template, and what it does not know becomes nothing
    (kustomize-controller 1.8, docs/spec/v1/kustomizations.md, "Post build variable substitution"); also
    ``${host%%:*}``, of which it knows the meaning. An author who has it fill in an image or a name means it: then, and
    where the annotation is there, the object stays as it is.
    """
    theirs, meant = substituted(tree)
    if meant or not theirs:
        return tree
    metadata = mapping(tree.get("metadata"))
    annotations = mapping(metadata.get("annotations"))
    return {**tree, "metadata": {**metadata, "annotations": {**annotations, SUBSTITUTE: "disabled"}}}


def substituted(tree: dict[str, Any]) -> tuple[list[Path], list[Path]]:
    """The texts of an object with variables that a program expands, and those that only a substitution makes sense of.

    Neither, where the object says whether Flux substitutes in it.
    """
    theirs: list[Path] = []
    meant: list[Path] = []
    if SUBSTITUTE not in mapping(mapping(tree.get("metadata")).get("annotations")):
        for path, text in _texts((), tree):
            if VARIABLE in text:
                (theirs if _is_program(path, text) else meant).append(path)
    return theirs, meant


def _is_program(path: Path, text: str) -> bool:
    """Whether a text is a file, or a script: a word of a command line without blanks may be meant for Flux."""
    return path[0] in _FILES or (len(path) > 1 and path[-2] in _SCRIPTS and any(sign.isspace() for sign in text))


def _texts(path: Path, value: object) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, below in value.items():
            yield from _texts((*path, key), below)
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _texts((*path, index), below)
