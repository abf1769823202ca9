"""Shape and rules of one object: the same for what was lowered and for what was found in a repository."""

from __future__ import annotations

from specgen import backends
from specgen.diagnostics.model import ERROR
from specgen.document.tree import Document
from specgen.manifest.shape import shape
from specgen.rules import Context, run
from specgen.rules._fold import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.backends import Reader
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.profile.cluster import ClusterProfile, Operator


def check(
    manifest: Manifest, cluster: ClusterProfile | None, companions: Sequence[Manifest] = ()
) -> list[Finding] | None:
    """What is known of an object: a job's shape and rules, the shape of kinds that stand beside jobs; None: nothing.

    ``companions``: the objects that come with it.
    """
    ref = manifest.ref
    backend = backends.by_object(ref.api_version, ref.kind)
    if backend is not None:
        return _check_job(manifest, backend, cluster, companions)
    from specgen.backends._companions import RUNTIMES, SCHEMAS

    schema = SCHEMAS.get((ref.api_version, ref.kind))
    if schema is None:
        return None
    text = manifest.where.plain if isinstance(manifest.where, Document) else None
    tree, findings = manifest.tree, []
    if ref.kind in RUNTIMES:
        from specgen.backends import _trainer_versions as versions  # few jobs come with one

        trainer = cluster.operators.trainer if cluster is not None else None
        if trainer is not None:
            version, findings = trainer.version, versions.too_new_runtime(tree, trainer.version)
        else:
            version, findings = versions.older(tree)
        tree = versions.runtime_as_newest(tree, version)
    return [_of(manifest, finding) for finding in shape(schema, tree, text) + findings]


def _check_job(
    manifest: Manifest, backend: Reader, cluster: ClusterProfile | None, companions: Sequence[Manifest]
) -> list[Finding]:
    version = operator_version(cluster, backend)
    # releases of most operators only add fields, and the newest takes what the others do
    older = getattr(backend, "older", None)
    if older is None or (cluster is not None and _operator(cluster, backend) is not None):
        return check_manifest(manifest, backend, cluster, version, companions)
    told, doubts = older(manifest.tree)
    findings = check_manifest(manifest, backend, cluster, told or version, companions)
    for finding in findings:
        if not told and finding.code.id in ("SG101", "SG103"):
            finding.notes = [*finding.notes, f"judged as for {backend.OPERATOR} {version}, as nothing says another"]
    return findings + [_of(manifest, finding) for finding in doubts]


def _of(manifest: Manifest, finding: Finding) -> Finding:
    finding.where = finding.where or manifest.where
    finding.subject = finding.subject or manifest.ref.as_dict()
    return finding


def operator_version(cluster: ClusterProfile | None, backend: Reader) -> str:
    """The version that the cluster profile says, else the newest that the backend was read from."""
    operator = _operator(cluster, backend) if cluster is not None else None
    return operator.version if operator is not None else backend.NEWEST


def operator_gang(cluster: ClusterProfile, backend: Reader) -> str | None:
    """The flag for gang scheduling that the cluster profile says the operator was started with."""
    operator = _operator(cluster, backend)
    return operator.gang if operator is not None else None


def _operator(cluster: ClusterProfile, backend: Reader) -> Operator | None:
    # a profile has no word for operators that come with another one, such as JobSet's
    return getattr(cluster.operators, backend.OPERATOR.replace("-", "_"), None)


def workload_of(
    backend: Reader, manifest: Manifest, version: str | None, companions: Sequence[Manifest] = ()
) -> Workload:
    """The job as its operator sees it; with what stands beside it, where its pods are another object's."""
    workload = backend.read(manifest, version)
    if companions and hasattr(backend, "meet"):
        backend.meet(workload, companions)
    return workload


def check_manifest(
    manifest: Manifest,
    backend: Reader,
    cluster: ClusterProfile | None,
    version: str | None = None,
    companions: Sequence[Manifest] = (),
) -> list[Finding]:
    """Shape and rules: the same for what was lowered and for what was found in a repository.

    ``companions``: the objects beside a job whose pods they hold, such as the runtime of a TrainJob.
    """
    text = manifest.where.plain if isinstance(manifest.where, Document) else None
    tree = backends.as_newest(backend, manifest.tree, version)
    findings = shape(backend.SCHEMA, tree, text, unique=backend.unique_lists(version or backend.NEWEST))
    shaped = not findings
    if tree is not manifest.tree and hasattr(backend, "as_written"):
        for finding in findings:
            finding.place.path = backend.as_written(finding.place.path, version)
    if version is not None and version != backend.NEWEST and backend.absent_fields(version):
        from specgen.backends._too_new import too_new  # most clusters have the newest

        findings += too_new(backend, manifest.tree, version)
    misplaced = [finding.place.path[:-1] for finding in findings if finding.code.id == "SG111"]
    misshapen = [finding.place.path for finding in findings if finding.severity == ERROR]
    workload = workload_of(backend, manifest, version, companions)
    workload.shaped = shaped
    findings = fold(findings + run(workload, Context(cluster, misplaced, misshapen)), workload)
    for finding in findings:
        if companions and hasattr(backend, "settled"):
            backend.settled(workload, finding)
        finding.where = finding.where or manifest.where
        finding.subject = finding.subject or manifest.ref.as_dict()
    return findings
