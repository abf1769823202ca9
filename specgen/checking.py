"""Shape and rules of one object: the same for what was lowered and for what was found in a repository."""

from __future__ import annotations

from specgen import operators
from specgen.diagnostics.model import ERROR, has_errors
from specgen.document.tree import Document
from specgen.manifest.model import Manifest
from specgen.manifest.origins import Origins
from specgen.manifest.shape import shape
from specgen.profile.library import installed
from specgen.rules import Context, run, run_beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.operators.reader import Reader
    from specgen.profile.cluster import ClusterProfile
    from specgen.source import Path


def check(
    manifest: Manifest,
    cluster: ClusterProfile | None,
    companions: Sequence[Manifest] = (),
    chosen: frozenset[str] = frozenset(),
    kinds: Mapping[tuple[str, str], dict[str, Any]] | None = None,
) -> list[Finding] | None:
    """What is known of an object: a job's shape and rules, the shape of kinds that stand beside jobs; None: nothing.

    ``companions``: the objects that come with it. ``chosen``: codes of opt-in rules that are looked for. ``kinds``:
    schemas of other kinds, by apiVersion and kind.
    """
    ref = manifest.ref
    reader = operators.by_object(ref.api_version, ref.kind)
    if reader is not None:
        return _check_job(manifest, reader, cluster, companions, chosen)
    from specgen.operators.beside import SCHEMAS, is_read
    from specgen.operators.trainer.facts import RUNTIMES

    schema = SCHEMAS.get((ref.api_version, ref.kind))
    if schema is None and kinds and (ref.api_version, ref.kind) in kinds:
        return _check_custom(manifest, kinds[ref.api_version, ref.kind])
    if schema is None:
        slip = misnamed(manifest, cluster)
        if slip is not None:
            return [slip]
        if (ref.api_version, ref.kind) == ("batch/v1", "Job"):
            return _batch_job(manifest, cluster, companions, chosen)
        # objects whose shape is unknown here may hold a word that decides about jobs
        found = [_of(manifest, one) for one in run_beside(manifest, Context(cluster, chosen=chosen), known=False)]
        return found if found or is_read(ref.api_version, ref.kind) else None
    text = manifest.where.plain if isinstance(manifest.where, Document) else None
    tree = manifest.tree
    findings: list[Finding] = []
    if ref.kind in RUNTIMES:
        from specgen.operators.trainer.spelling import runtime  # few jobs come with one

        trainer = cluster.operators.trainer if cluster is not None else None
        tree, findings = runtime(tree, trainer.version if trainer is not None else None)
    findings = shape(schema, tree, text) + findings
    if ref.kind in RUNTIMES:
        shaped = [finding.place.path for finding in findings if finding.severity == ERROR]
        # one slip is one finding
        findings += [one for one in _refused_runtime(tree, manifest) if one.place.path not in shaped]
    elif not has_errors(findings):
        findings += _refused_companion(manifest)
    if not has_errors(findings):
        findings += run_beside(manifest, Context(cluster, chosen=chosen), known=True)
    return [_of(manifest, finding) for finding in findings]


def _batch_job(
    manifest: Manifest, cluster: ClusterProfile | None, companions: Sequence[Manifest], chosen: frozenset[str]
) -> list[Finding] | None:
    """What is certain of a Job of Kubernetes, which is otherwise not looked at: nobody knows what it is for.

    None: it has not the form of one, and nothing is found of it.
    """
    from specgen.manifest.prune import without_nulls
    from specgen.operators.kubernetes import batch
    from specgen.operators.kubernetes.hosts import Hosts
    from specgen.operators.kubernetes.objects import SERVER
    from specgen.operators.objection import Objection
    from specgen.rules._context import unfinished
    from specgen.rules.address_of_no_pod import of_batch_job
    from specgen.rules.refused_job import finding

    found = run_beside(manifest, Context(cluster, chosen=chosen), known=False)
    tree = without_nulls(manifest.tree)
    # a JobSet holds such Jobs: what does not have their shape is not judged
    inner = {"name": "pod", "template": {"spec": tree.get("spec")}}
    whole = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "job"},
        "spec": {"replicatedJobs": [inner]},
    }
    # exit codes that stand twice are refused of a Job for their own sake
    shaped = shape("jobset_v1alpha2", whole)
    shaped = [one for one in shaped if one.code.id != "SG104" or "values" not in one.place.path]
    if not manifest.ref.name or has_errors(shaped):
        return [_of(manifest, one) for one in found] or None
    job = Manifest(tree, manifest.where)
    for one in batch.refusals(job):
        if not unfinished(tree, one.path, manifest):
            objection = Objection(one.path, one.message, SERVER)
            objection.words, objection.right = one.words, one.right
            found.append(finding(objection, tree))
    workload = batch.read(job)
    hosts = Hosts()
    for host, domain in batch.hosts(workload).items():
        # whoever names a domain has its Service, here or in the cluster
        if domain:
            hosts.names[host] = f"{host}.{domain}"
            hosts.domains[domain] = None
        else:
            hosts.nameless[host] = None
    services = [one for one in companions if one.ref.kind == "Service"]
    hosts.shared.update([one.ref.name for one in services])
    hosts.names.update({name: name for name in sorted(hosts.shared)})
    found += of_batch_job(workload, hosts, list(batch.headless(workload, services)))
    return [_of(manifest, one) for one in found]


def _check_custom(manifest: Manifest, schema: dict[str, Any]) -> list[Finding]:
    """The shape of an object of a kind that only a cluster knows."""
    from specgen.schema.judge import judge
    from specgen.schema.wording import MANIFEST

    text = manifest.where.plain if isinstance(manifest.where, Document) else None
    return [_of(manifest, one) for one in judge(schema, None, manifest.tree, wording=MANIFEST, text=text)]


def misnamed(manifest: Manifest, cluster: ClusterProfile | None) -> Finding | None:
    """Why no operator takes an object of a kind that is not known: its apiVersion or kind is a slip; None: it is none.

    ``expand`` and the objects that a profile has beside its job ask it, too.
    """
    from specgen.operators.unserved import unserved  # most objects are of a known kind

    finding = unserved(manifest.tree, Context(cluster).operators)
    return None if finding is None else _of(manifest, finding)


def advised(doubts: list[Finding], objects: Sequence[Manifest]) -> list[Finding]:
    """The doubtful scalars of a document, each with what its field takes: quotes are no help where that is a number."""
    if doubts:
        from specgen.manifest.numbers import advise  # most documents have none

        return advise(doubts, objects, _schema)
    return doubts


def _schema(manifest: Manifest) -> str | None:
    """The module of ``specgen.tables`` of an object's kind."""
    from specgen.operators.beside import SCHEMAS

    ref = manifest.ref
    reader = operators.by_object(ref.api_version, ref.kind)
    return reader.schema if reader is not None else SCHEMAS.get((ref.api_version, ref.kind))


def _refused_companion(manifest: Manifest) -> list[Finding]:
    """What the API server refuses of an object that is no job, as far as its kind is known."""
    from specgen.manifest.prune import without_nulls
    from specgen.operators.kubernetes.companions import refusals
    from specgen.operators.kubernetes.objects import SERVER
    from specgen.operators.objection import Objection
    from specgen.rules._context import unfinished
    from specgen.rules.refused_job import finding

    tree = without_nulls(manifest.tree)
    return [
        finding(Objection(one.path, one.message, SERVER))
        for one in refusals(manifest.ref.kind, tree)
        if not unfinished(tree, one.path, manifest)
    ]


def _refused_runtime(tree: dict[str, Any], manifest: Manifest) -> list[Finding]:
    """What the API server and the webhook of Trainer refuse of a runtime, which is no job that rules look at."""
    from specgen.manifest.prune import without_nulls
    from specgen.operators.kubernetes.objects import name_of
    from specgen.operators.trainer.runtime import refusals
    from specgen.rules._context import unfinished
    from specgen.rules.refused_job import finding

    return [
        finding(one)
        for one in refusals(name_of(tree), without_nulls(tree))
        if one.path[:1] != ("metadata",) or not unfinished(tree, one.path, manifest)
    ]


def _check_job(
    manifest: Manifest,
    reader: Reader,
    cluster: ClusterProfile | None,
    companions: Sequence[Manifest],
    chosen: frozenset[str],
) -> list[Finding]:
    version = operator_version(cluster, reader)
    older = reader.older(manifest.tree)
    if older is None or (cluster is not None and installed(cluster, reader.operator.name) is not None):
        return check_manifest(manifest, reader, cluster, version, companions, chosen)
    told, doubts = older
    findings = check_manifest(manifest, reader, cluster, told or version, companions, chosen)
    for finding in findings:
        if not told and finding.code.id in ("SG101", "SG103"):
            finding.notes = [*finding.notes, f"judged as for {reader.operator.name} {version}, as nothing says another"]
    return findings + [_of(manifest, finding) for finding in doubts]


def _known(manifest: Manifest) -> None:
    """Lets the origins of a manifest know it, so that they can tell a value of it from another."""
    if isinstance(manifest.where, Origins):
        manifest.where.tree = manifest.tree


def _of(manifest: Manifest, finding: Finding) -> Finding:
    _known(manifest)
    if isinstance(manifest.where, Origins):
        # what nobody wrote cannot be shown
        finding.related = [one for one in finding.related if manifest.where.wrote(one[0])]
    finding.where = finding.where or manifest.where
    finding.subject = finding.subject or manifest.ref.as_dict()
    return finding


def operator_version(cluster: ClusterProfile | None, reader: Reader) -> str:
    """The version that the cluster profile says, else the newest that the reader was read from."""
    operator = installed(cluster, reader.operator.name) if cluster is not None else None
    return operator.version if operator is not None else reader.newest


def operator_gang(cluster: ClusterProfile, reader: Reader) -> str | None:
    """The flag for gang scheduling that the cluster profile says the operator was started with."""
    operator = installed(cluster, reader.operator.name)
    return operator.gang if operator is not None else None


def workload_of(
    reader: Reader, manifest: Manifest, version: str | None, companions: Sequence[Manifest] = ()
) -> Workload:
    """The job as its operator sees it; with what stands beside it, where its pods are another object's."""
    workload = reader.read(manifest, version)
    if companions:
        reader.with_runtime(workload, companions)
    return workload


# A misspelt name, of a field or a role: one alone may hide what stands below it.
_NAMES = ("SG101", "SG303")


def check_manifest(
    manifest: Manifest,
    reader: Reader,
    cluster: ClusterProfile | None,
    version: str | None = None,
    companions: Sequence[Manifest] = (),
    chosen: frozenset[str] = frozenset(),
) -> list[Finding]:
    """Shape and rules: the same for what was lowered and for what was found in a repository.

    ``companions``: the objects beside a job whose pods they hold, such as the runtime of a TrainJob. ``chosen``: codes
    of opt-in rules that are looked for.
    """
    findings, workload = _found(manifest, reader, cluster, version, companions, chosen)
    several = len(findings) > 1 or (bool(findings) and findings[0].code.id in _NAMES)
    if several and not isinstance(manifest.where, Origins):
        from specgen.manifest.symptoms import hidden, without_symptoms  # most jobs have no two findings

        def judge(tree: dict[str, Any]) -> list[Finding]:
            others, copy = _found(Manifest(tree, manifest.where), reader, cluster, version, companions, chosen)
            copy.release()
            return others

        below = hidden(findings, manifest.tree, judge)
        findings = [*without_symptoms(findings, manifest.tree, judge), *below]
    if findings and isinstance(manifest.where, Origins):
        for holder in companions:
            _known(holder)
    for finding in findings:
        if companions:
            reader.relocate(workload, finding)
        _of(manifest, finding)
    workload.release()
    return findings


def _found(
    manifest: Manifest,
    reader: Reader,
    cluster: ClusterProfile | None,
    version: str | None,
    companions: Sequence[Manifest],
    chosen: frozenset[str],
) -> tuple[list[Finding], Workload]:
    """What is wrong with a job, with paths of its own, and the job as its operator sees it."""
    text = manifest.where.plain if isinstance(manifest.where, Document) else None
    at = version or reader.newest
    tree = reader.as_newest(manifest.tree, at)
    findings = shape(reader.schema, tree, text, unique=reader.unique_lists(at))
    shaped = not findings
    if findings:
        from specgen.operators.other_version import as_of_release  # most jobs have the right shape

        as_of_release(reader, tree, findings, at, spelled=tree is not manifest.tree)
    if version is not None and version != reader.newest and reader.absent_fields(version):
        from specgen.operators.too_new import too_new  # most clusters have the newest

        findings += too_new(reader.operator, manifest.tree, version, reader.group, gone=reader.gone)
    misplaced = [finding.place.path[:-1] for finding in findings if finding.code.id == "SG111"]
    misshapen = [finding.place.path for finding in findings if finding.severity == ERROR]
    workload = workload_of(reader, manifest, version, companions)
    workload.gang = operator_gang(cluster, reader) if cluster is not None else None
    if shaped and isinstance(manifest.where, Document):
        from specgen.manifest.prune import has_nulls  # what was compiled has none

        shaped = not has_nulls(manifest.tree)
    workload.shaped = shaped
    context = Context(cluster, misplaced, misshapen, reader.refusals(workload), reader, chosen, companions)
    found = run(workload, context)
    if mistyped := [one.place.path for one in findings if one.code.id == "SG103"]:
        _spare(found, mistyped)
    findings += found
    if len(findings) > 1:
        from specgen.rules._fold import fold  # most jobs have none

        findings = fold(findings, workload)
    return findings, workload


def _spare(findings: list[Finding], mistyped: list[Path]) -> None:
    """Takes back fixes that write over what has a wrong type: to a rule nothing stands there, and it would be lost."""
    from specgen.diagnostics.operations import Append, Set  # most jobs have the right types

    for one in findings:
        patch = one.fix.patch if one.fix is not None else []
        written = [operation.path for operation in patch if isinstance(operation, (Append, Set))]
        if any(path[: len(there)] == there or there[: len(path)] == path for path in written for there in mistyped):
            one.fix = None
