"""What the job and its cluster say of the whole job: metadata, how it ends, what it starts with, and patches."""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.manifest.origins import Sourced
from specgen.plan.checks import OF_A_LAUNCHER
from specgen.plan.images import mirrored_in
from specgen.plan.model import Elastic, Fetched
from specgen.plan.pods import Patch
from specgen.quantity import seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.diagnostics.model import Place
    from specgen.plan.draft import JobDraft
    from specgen.plan.model import Plan
    from specgen.source import Path


def fill_facts(draft: JobDraft) -> None:
    """Name, namespace, labels and annotations, the cluster's facts, and what decides about pods."""
    job = draft.job
    written = job.layers.data["metadata"]
    if "namespace" in written:
        draft.namespace = Sourced(written["namespace"], job.place(("metadata", "namespace")), "`metadata.namespace`")
    for key, target in (("labels", draft.labels), ("annotations", draft.annotations)):
        for name, value in (written.get(key) or {}).items():
            target[name] = Sourced(value, job.place(("metadata", key, name)), f"`metadata.{key}`")
    if "resources" in job.layers.data:
        draft.resources = job.place(("resources",))
    if job.runtime is not None:
        draft.runtime = Sourced(job.runtime, job.place(("target", "runtime")), "`target.runtime`")
    if job.job.elastic is not None:
        draft.elastic = _elastic(draft)
    _lifecycle(draft)
    for key, data in (("dataset", job.job.dataset), ("model", job.job.model)):
        if data is not None and data.uri is not None:
            uri = Sourced(data.uri, job.place((key, "uri")), f"`{key}.uri`")
            one = draft.fetched[key] = Fetched(uri, Sourced(data.path, job.place((key, "path")), f"`{key}.path`"))
            if data.secret is not None:
                one.secret = Sourced(data.secret, job.place((key, "secret")), f"`{key}.secret`")
            one.offline = job.place((key, "offline")) if data.offline else None
    _launch(draft)
    draft.cluster = job.cluster_document
    cluster = job.cluster
    draft.mirrors = cluster.images.mirrors
    level, where = job.pod_security
    if level is not None:
        draft.pod_security = Sourced(level, job.cluster_place(where), "`podSecurity` of the cluster profile")
    if cluster.mesh is not None:
        by = cluster.mesh if isinstance(cluster.mesh, str) else cluster.mesh.by
        group = "annotations" if by == "annotation" else "labels"
        draft.mesh = Sourced(group, job.cluster_place(("mesh",)), "`mesh` of the cluster profile")


def _lifecycle(draft: JobDraft) -> None:
    job, found = draft.job, draft.lifecycle
    words, data = job.job.lifecycle, job.layers.data.get("lifecycle", {})
    if "cleanPods" in data:
        found.clean_pods = Sourced(words.clean_pods, job.place(("lifecycle", "cleanPods")), "`lifecycle.cleanPods`")
    elif ("lifecycle", "cleanPods") not in job.layers.removals:
        found.clean_pods = Sourced(words.clean_pods, None, "pods that outlive the job would keep their GPUs")
    manager = job.job.scheduling.managed_by
    if manager is not None:
        found.managed_by = Sourced(manager, job.place(("scheduling", "managedBy")), "`scheduling.managedBy`")
    if not data:
        return

    def said(word: str, value: Any) -> Sourced | None:
        return Sourced(value, job.place(("lifecycle", word)), f"`lifecycle.{word}`") if value is not None else None

    found.ttl = said("ttl", words.ttl and seconds(words.ttl))
    found.deadline = said("deadline", words.deadline and seconds(words.deadline))
    found.backoff_limit = said("backoffLimit", words.backoff_limit)
    found.restarts = said("restarts", words.restarts)
    found.restart_all = said("restartAll", words.restart_all)
    found.suspend = said("suspend", words.suspend)
    found.success = said("success", words.success)


def _elastic(draft: JobDraft) -> Elastic:
    job, words, count = draft.job, draft.job.job.elastic, draft.world
    assert words is not None

    def said(value: Any, *path: str) -> Sourced:
        return Sourced(value, job.place(("elastic", *path)), f"`elastic.{'.'.join(path)}`")

    meeting = words.rendezvous
    if meeting is not None and meeting.backend is not None:
        backend = said(meeting.backend, "rendezvous", "backend")
    else:
        place = job.place(("elastic",), KEY)
        backend = Sourced("c10d", place, "worker 0 holds the rendezvous, no other service is needed")
    bounds = [
        said(bound, word)
        if written is not None
        else Sourced(bound, job.place(("pods",)), f"`pods`, as `elastic.{word}` is not said")
        for word, written, bound in (("min", words.min, count.least), ("max", words.max, count.most))
    ]
    found = Elastic(backend, *bounds)
    if meeting is not None:
        found.host = said(meeting.host, "rendezvous", "host") if meeting.host is not None else None
        found.port = said(meeting.port, "rendezvous", "port") if meeting.port is not None else None
    found.restarts = said(words.restarts, "restarts") if words.restarts is not None else None
    if words.scale_on is not None:
        found.cpu = Sourced(words.scale_on.cpu, job.place(("elastic", "scaleOn", "cpu")), "`elastic.scaleOn`")
    return found


def _launch(draft: JobDraft) -> None:
    job, start, found = draft.job, draft.job.job.start, draft.launch
    if start is None or isinstance(start, str):
        return
    for word in job.layers.data["start"]:
        if word in OF_A_LAUNCHER:
            found.words[word] = job.place(("start", word), KEY)
    if start.implementation is not None:
        place = job.place(("start", "implementation"))
        found.implementation = Sourced(start.implementation, place, "`start.implementation`")
    if start.wait is not None:
        found.wait = Sourced(start.wait, job.place(("start", "wait")), "`start.wait`")
    if start.ssh is not None:
        if start.ssh.keys is not None:
            found.keys = Sourced(start.ssh.keys, job.place(("start", "ssh", "keys")), "`start.ssh.keys`")
        if start.ssh.port is not None:
            found.port = Sourced(start.ssh.port, job.place(("start", "ssh", "port")), "`start.ssh.port`")
        for word, value in (("config", start.ssh.config), ("server", start.ssh.server)):
            if value:
                found.sshd[word] = Sourced(value, job.place(("start", "ssh", word), KEY), f"`start.ssh.{word}`")


def patch(
    plan: Plan, tree: Any, word: str, place: Callable[[Path, str], Place], *, container: bool = False
) -> Patch | None:
    """The patch that a profile says at ``patch.word``, its images as the cluster pulls them; None: it says none.

    ``place``: of a path of that profile. ``container``: what is patched is one.
    """
    if not tree:
        return None
    pulled = mirrored_in(tree, plan.mirrors, container=container, met=plan.pulled)
    mirror = ", its images from the mirrors that the cluster profile names" if pulled is not tree else ""
    places: dict[Path, Place] = {}
    _note(tree, (), lambda path: places.setdefault(path, place(("patch", word, *path), KEY)))
    return Patch(pulled, f"`patch.{word}`{mirror}", places)


def _note(tree: Any, path: Path, note: Callable[[Path], object]) -> None:
    note(path)
    for step, below in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        _note(below, (*path, step), note)
