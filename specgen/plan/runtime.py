"""The runtime of the cluster that a job names: its object, where the cluster profile gives its file, and its command.

Loaded for jobs over one.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING
from specgen.manifest.model import Manifest, reference
from specgen.manifest.views import mapping
from specgen.profile import codes
from specgen.profile.library import unusable
from specgen.profile.resolve import unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.draft import JobDraft
    from specgen.profile.resolve import ResolvedJob

_KINDS = ("ClusterTrainingRuntime", "TrainingRuntime")


def find(draft: JobDraft) -> list[Finding]:
    """Puts the runtime's object into the plan. Findings: unknown, or another one in the file.

    Where no cluster profile lists any, the cluster may have it: Trainer's release installs some.
    """
    job, said = draft.job, draft.runtime
    assert said is not None and said.place is not None
    operator = job.cluster.operators.trainer
    where = ("operators", "trainer", "runtimes")
    known = operator.runtimes if operator is not None else {}
    if said.value not in known and known:
        return [unknown(said.value, list(known), "runtime", said.place, job, where)]
    if not known:
        return [_unread(str(said.value), said.place, draft)]
    named = known[said.value]
    file = named if isinstance(named, str) else named.file
    if file is None or job.cluster_document is None:
        return []
    place = job.cluster_place((*where, said.value))
    documents, problems = job.library.objects(file, job.cluster_document)
    findings = [unusable(file, place, one) if one.code is codes.BROKEN_REFERENCE else one for one in problems]
    for document in documents:
        ref = reference(document.data)
        if ref.kind in _KINDS and ref.name == said.value:
            draft.existing = [Manifest(mapping(document.data), document)]
            return findings
    if not findings:
        findings.append(codes.BROKEN_REFERENCE.at(place, f"`{file}`: it holds no runtime `{said.value}`"))
    return findings


def _unread(name: str, place: Place, draft: JobDraft) -> Finding:
    """SG203, a warning: a runtime of which nothing is known, and how to have its file."""
    job = draft.job
    line = f"operators: {{trainer: {{version: {draft.version}, runtimes: {{{name}: {name}.yaml}}}}}}"
    command = f"kubectl get clustertrainingruntime {name} -o yaml > {name}.yaml"
    helps = [f"`{command}` has it, and the cluster profile says `{line}`"]
    notes = ["the job is built as for the runtimes that Trainer installs: one job, with one container, called `node`"]
    related = []
    if job.cluster_document is not None:
        related = [(job.cluster_place(("metadata",), KEY), "it lists no runtime")]
        message = f"the runtime `{name}` is taken unread: the cluster profile lists none"
    else:
        message = f"the runtime `{name}` is taken unread: the job names no cluster profile, which lists them"
    return codes.UNKNOWN_NAME.at(place, message, related=related, notes=notes, helps=helps, severity=WARNING)


def own_command(job: ResolvedJob) -> list[Finding]:
    """What `start: runtime` contradicts: a job without a runtime of the cluster, and one with a command of its own."""
    place, data = job.place(("start",)), job.layers.data
    if job.runtime is None:
        message = "`start: runtime` contradicts a job that names no runtime of the cluster"
        helps = ["`target: {kind: TrainJob, runtime: NAME}` names one"]
        return [codes.CONTRADICTION.at(place, message, helps=helps)]
    own: list[tuple[str, ...]] = [("command",), ("prepare",)]
    own += [("roles", role, word) for role in data.get("roles") or {} for word in ("command", "prepare")]
    for path in own:
        words: Any = data
        for step in path:
            words = (words or {}).get(step)
        if words is not None:
            message = f"`start: runtime` contradicts `{path[-1]}`: the runtime's own command starts the processes"
            related = [(job.place(path, KEY), "the job's own")]
            return [codes.CONTRADICTION.at(place, message, related=related)]
    return []
