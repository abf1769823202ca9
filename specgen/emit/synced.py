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
from specgen.emit.layout import layers
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
# How long twins may wait for their nodes and try them, before their jobs are given up.
_TRIED = "2h"


class Tree:
    """An output tree: its ``path`` in the repository, and that of the operators' manifests, if they are synced too.

    ``readers``: the kinds of its jobs. ``runtimes``: whether it has layers. ``namespace``: the one for jobs that name
    none, which are the ``homeless``; ``namespaces``: those that jobs name. ``twins``: the tree of the jobs' twins,
    which end well before a job begins.
    """

    __slots__ = (
        "homeless",
        "namespace",
        "namespaces",
        "operators",
        "path",
        "readers",
        "repository",
        "revision",
        "runtimes",
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
        self.runtimes = False
        self.twins: Tree | None = None
        # how long Flux waits for the end of jobs, such as `24h`; None: it does not
        self.wait: str | None = None

    @property
    def moves(self) -> bool:
        """Whether Flux can be told the namespace: it moves all objects there, also those that name another one."""
        return bool(self.homeless) and all(one == self.namespace for one in self.namespaces)


def applications(tree: Tree) -> list[dict[str, Any]]:
    """An Application of the tree, and one of the operators.

    Waves count among Applications that another one creates. Operators keep their definitions, with which all of their
    jobs would go, whatever becomes of the repository. Until an operator's definitions are there, jobs are tried again.
    """
    found = []
    if tree.operators is not None:
        one = application(_OPERATORS, _source(tree, tree.operators))
        one["metadata"]["annotations"] = {SYNC_WAVE: "-1"}
        # definitions of jobs are longer than the annotation that a client-side apply keeps of them
        one["spec"]["syncPolicy"] = {
            "automated": {"prune": False, "selfHeal": True},
            "syncOptions": ["ServerSideApply=true"],
        }
        del one["spec"]["destination"]["namespace"]
        found.append(one)
    jobs = application(_JOBS, _source(tree, tree.path))
    jobs["spec"]["destination"]["namespace"] = tree.namespace
    if tree.operators is not None:
        jobs["spec"]["syncPolicy"]["retry"] = {
            "limit": 10,
            "backoff": {"duration": "5s", "factor": 2, "maxDuration": "3m"},
        }
    return [*found, jobs]


def _source(tree: Tree, path: str) -> dict[str, Any]:
    return {"repoURL": tree.repository, "targetRevision": tree.revision, "path": path}


def steps(tree: Tree) -> list[dict[str, Any]]:
    """A source of Flux, and a Kustomization for each step, which waits for the one before it."""
    kind = "OCIRepository" if tree.repository.startswith(OCI) else "GitRepository"
    source = _object(
        "source.toolkit.fluxcd.io/v1", kind, _JOBS, {"interval": "5m", "url": tree.repository, "ref": _ref(tree)}
    )
    found = [source]

    def step(name: str, path: str, spec: dict[str, Any]) -> None:
        before = found[-1]["metadata"]["name"]
        depends = {"dependsOn": [{"name": before}]} if len(found) > 1 else {}
        where = {"sourceRef": {"kind": kind, "name": _JOBS}, "path": f"./{normpath(path)}", "interval": "10m"}
        found.append(_object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", name, {**depends, **where, **spec}))

    within = {"targetNamespace": tree.namespace} if tree.moves else {}
    if tree.operators is not None:
        # their definitions, pruned, would take all jobs with them
        step(_OPERATORS, tree.operators, {"prune": False, "wait": True, "timeout": "10m"})

    def jobs_of(one: Tree, before: str) -> str:
        """Has the runtimes of a tree applied, and gives the path of its jobs."""
        if not one.runtimes:
            return one.path
        first, path = (f"{one.path}/{layer.rpartition('/')[0]}" for layer in layers())
        step(f"{before}{_RUNTIMES}", first, {"prune": True, "wait": True, "timeout": "5m", **within})
        return path

    if tree.twins is not None:
        # a twin that failed is not tried again: what it found of the nodes stands in its log
        health = flux.settings(tree.twins.readers)["spec"]
        tried = {"prune": True, "wait": True, "timeout": _TRIED, **within, **health}
        step(_TWINS, jobs_of(tree.twins, f"{_TWINS}-"), tried)
    path = jobs_of(tree, "")
    waits = {"wait": True, "timeout": tree.wait, **flux.settings(tree.readers)["spec"]} if tree.wait else {}
    step(_JOBS, path, {"retryInterval": "1m", "prune": True, "deletionPolicy": "Orphan", **within, **waits})
    return found


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
