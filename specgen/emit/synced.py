"""What Argo CD and Flux are told of an output tree: where it lies, and in which steps its parts are applied.

Applications: docs/operator-manual/application.yaml of argo-cd 3. Kustomizations: docs/spec/v1/kustomizations.md of
kustomize-controller 1.8, sources: docs/spec/v1 of source-controller 1.8.

What Flux needs steps for: it applies definitions and namespaces of a Kustomization first and waits for them, and tries
all that is left before it applies one of it (fluxcd/pkg, ssa/manager_apply.go, ``ApplyAllStaged`` and ``ApplyAll``). So
that an object may come with its definition, and not with the webhook that answers for it: operators are a step of their
own, and runtimes, without which Trainer's webhook refuses a TrainJob, are another.
"""

from __future__ import annotations

import re
from posixpath import normpath

from specgen.emit import flux
from specgen.emit.plugin import application
from specgen.operators.controllers import SYNC_WAVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.operators.reader import Reader

OCI = "oci://"
_FLUX = "flux-system"
_JOBS, _RUNTIMES, _OPERATORS, _TWINS = "jobs", "runtimes", "operators", "preflight"
# The folders that help and documentation call so, whose names are the words alone.
_USUAL = {
    _JOBS: "out",
    _RUNTIMES: "out",
    _OPERATORS: "operators",
    _TWINS: "preflight",
    f"{_TWINS}-{_RUNTIMES}": "preflight",
}
# A step of a path that can stand in a name as it is, but for its dots; what a label holds at most, and of a digest.
_STEP = re.compile("[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_LONGEST, _DIGEST = 63, 8
# How long twins may wait for their nodes and try them, before their jobs are given up.
_TRIED = "2h"


class Tree:
    """An output tree, or the folder of one job in it: its ``path`` in the repository, and that of the operators'
    manifests, if they are synced too.

    ``readers``: the kinds of its jobs. ``layers``: below it, the folder of what a webhook looks for, and that of jobs;
    empty: there is nothing of the kind. ``namespace``: the one for jobs that name none, which are the ``homeless``;
    ``namespaces``: those that jobs name. ``twins``: the tree of the jobs' twins, which end well before a job begins.
    ``parts``: folders of it that are synced each by itself, in its place; ``is_part``: it is one. ``called``: by what
    name, None: after its folder.
    """

    __slots__ = (
        "called",
        "homeless",
        "is_part",
        "layers",
        "namespace",
        "namespaces",
        "operators",
        "parts",
        "path",
        "readers",
        "repository",
        "revision",
        "twins",
        "wait",
    )

    def __init__(self, path: str, repository: str, revision: str, namespace: str) -> None:
        self.path = path
        self.repository = repository
        self.revision = revision
        self.namespace = namespace
        self.namespaces: Sequence[str] = ()
        self.homeless: Sequence[str] = ()
        self.operators: str | None = None
        self.readers: Sequence[Reader] = ()
        self.layers: tuple[str, ...] = ()
        self.parts: Sequence[Tree] = ()
        self.is_part = False
        self.called: str | None = None
        self.twins: Tree | None = None
        # how long Flux waits for the end of jobs, such as `24h`; None: it does not
        self.wait: str | None = None

    @property
    def moves(self) -> bool:
        """Whether Flux can be told the namespace: it moves all objects there, also those that name another one."""
        return bool(self.homeless) and all(one == self.namespace for one in self.namespaces)

    @property
    def name(self) -> str:
        """Of its Application, or of its source and the Kustomization of its jobs."""
        return self.called or name_of(_JOBS, self.path)

    @property
    def runtimes(self) -> str:
        """The name of the Kustomization of its runtimes."""
        return f"{self.called}-{_RUNTIMES}" if self.called else name_of(_RUNTIMES, self.path)


def name_of(word: str, path: str) -> str:
    """A name for what lies in a folder of the repository: the word alone where it is the usual one.

    No two folders have the same one. A slash is a dot, and a dot two dashes; where that says two things, or is no name
    of an object that may be the value of a label, a digest of the path tells it.
    """
    path = normpath(path)
    if path == _USUAL.get(word):
        return word
    steps = path.split("/")
    said = f"{word}.{'.'.join(step.replace('.', '--') for step in steps)}"
    plain = all(_STEP.fullmatch(step) and "--" not in step for step in steps)
    if plain and len(said) <= _LONGEST:
        return said
    from hashlib import sha256

    kept = re.sub(r"[^a-z0-9.]+", "-", said.lower())[: _LONGEST - _DIGEST - 1]
    return f"{re.sub(r'[-.]*[.][-.]*', '.', kept).strip('.-')}-{sha256(path.encode()).hexdigest()[:_DIGEST]}"


def former(tree: Tree, *, flux: bool) -> list[str]:
    """What the same tree was called before: all of it `jobs` until names followed from folders.

    Its parts take the place of what applied it as a whole.
    """
    if tree.is_part:
        return []
    layered = flux and any(one.layers for one in (tree, *tree.parts))
    old = [_JOBS, *([_RUNTIMES] if layered else [])]
    now = [tree.name, *([tree.runtimes] if layered else [])]
    if tree.parts:
        return list(dict.fromkeys([*old, *now]))
    return [] if tree.called else [one for one in old if one not in now]


def applications(tree: Tree) -> list[dict[str, Any]]:
    """An Application of the tree, or of each of its parts, and one of the operators.

    Waves count among Applications that another one creates. Operators keep their definitions, with which all of their
    jobs would go, whatever becomes of the repository. Until an operator's definitions are there, jobs are tried again.
    """
    found = []
    if tree.operators is not None:
        one = application(name_of(_OPERATORS, tree.operators), _source(tree, tree.operators))
        one["metadata"]["annotations"] = {SYNC_WAVE: "-1"}
        # definitions of jobs are longer than the annotation that a client-side apply keeps of them
        one["spec"]["syncPolicy"] = {
            "automated": {"prune": False, "selfHeal": True},
            "syncOptions": ["ServerSideApply=true"],
        }
        del one["spec"]["destination"]["namespace"]
        found.append(one)
    for part in tree.parts or (tree,):
        jobs = application(part.name, _source(tree, part.path))
        jobs["spec"]["destination"]["namespace"] = part.namespace
        if tree.operators is not None:
            jobs["spec"]["syncPolicy"]["retry"] = {
                "limit": 10,
                "backoff": {"duration": "5s", "factor": 2, "maxDuration": "3m"},
            }
        found.append(jobs)
    return found


def _source(tree: Tree, path: str) -> dict[str, Any]:
    return {"repoURL": tree.repository, "targetRevision": tree.revision, "path": path}


def steps(tree: Tree) -> list[dict[str, Any]]:
    """A source of Flux, and a Kustomization for each step, which waits for the one before it.

    Parts of a tree wait for the operators alone, and not for each other.
    """
    kind = "OCIRepository" if tree.repository.startswith(OCI) else "GitRepository"
    source = _object(
        "source.toolkit.fluxcd.io/v1", kind, tree.name, {"interval": "5m", "url": tree.repository, "ref": _ref(tree)}
    )
    found = [source]

    def step(name: str, path: str, spec: dict[str, Any], before: str) -> str:
        depends = {"dependsOn": [{"name": before}]} if before else {}
        where = {"sourceRef": {"kind": kind, "name": tree.name}, "path": f"./{normpath(path)}", "interval": "10m"}
        found.append(_object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", name, {**depends, **where, **spec}))
        return name

    before = ""
    if tree.operators is not None:
        # their definitions, pruned, would take all jobs with them
        spec = {"prune": False, "wait": True, "timeout": "10m"}
        before = step(name_of(_OPERATORS, tree.operators), tree.operators, spec, before)

    def jobs_of(one: Tree, name: str, before: str, within: Tree | None = None) -> tuple[str, str]:
        """Has the runtimes of a tree applied, and gives the path of its jobs, and what they wait for."""
        if not one.layers:
            return one.path, before
        first, path = (f"{one.path}/{layer}" for layer in one.layers)
        spec = {"prune": True, "wait": True, "timeout": "5m", **_within(within or one)}
        return path, step(name, first, spec, before)

    if tree.twins is not None:
        # a twin that failed is not tried again: what it found of the nodes stands in its log
        twins = tree.twins
        health = flux.settings(twins.readers)["spec"]
        path, before = jobs_of(twins, name_of(f"{_TWINS}-{_RUNTIMES}", twins.path), before, tree)
        tried = {"prune": True, "wait": True, "timeout": _TRIED, **_within(tree), **health}
        before = step(name_of(_TWINS, twins.path), path, tried, before)
    for part in tree.parts or (tree,):
        spec = {"retryInterval": "1m", "prune": True, "deletionPolicy": "Orphan", **_within(part)}
        if tree.wait:
            spec |= {"wait": True, "timeout": tree.wait, **flux.settings(part.readers)["spec"]}
        path, last = jobs_of(part, part.runtimes, before)
        step(part.name, path, spec, last)
    return found


def _within(tree: Tree) -> dict[str, str]:
    """The namespace that Flux moves the objects of a tree to."""
    return {"targetNamespace": tree.namespace} if tree.moves else {}


def _ref(tree: Tree) -> dict[str, str]:
    """What a source of Flux follows: the tag or digest of an artifact; a branch, commit or whole reference of Git."""
    if tree.repository.startswith(OCI):
        key = "digest" if tree.revision.startswith("sha256:") else "tag"
    elif tree.revision.startswith("refs/"):
        key = "name"
    else:
        key = "commit" if re.fullmatch("[0-9a-f]{40}", tree.revision) else "branch"
    return {key: tree.revision}


def _object(api_version: str, kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": _FLUX},
        "spec": spec,
    }
