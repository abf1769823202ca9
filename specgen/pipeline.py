"""The stages in order. Each is a function of its input; what they print, and where, is the command line's business."""

from __future__ import annotations

from specgen import backends
from specgen.diagnostics.model import ERROR, KEY, Place, has_errors, listed
from specgen.diagnostics.place import order, place
from specgen.diagnostics.suppress import UNUSED, suppress
from specgen.document import codes as document_codes
from specgen.document.one import settled, wary
from specgen.document.read import read
from specgen.manifest.model import Bundle, Manifest
from specgen.manifest.origins import manifests
from specgen.manifest.shape import shape
from specgen.plan.make import make
from specgen.profile import codes
from specgen.profile.library import Library, check, is_profile
from specgen.profile.resolve import resolve, variants
from specgen.rules import Context, run
from specgen.rules._fold import fold
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.backends import Backend, Reader
    from specgen.diagnostics.model import Diagnostic, Finding
    from specgen.document.tree import Document
    from specgen.plan.model import Plan
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.resolve import ResolvedJob


class Compiled:
    """One job's way: its resolved words, plan and bundle, as far as it came."""

    __slots__ = ("backend", "bundle", "job", "plan")

    def __init__(self, job: ResolvedJob) -> None:
        self.job = job
        self.backend: Backend | None = None
        self.plan: Plan | None = None
        self.bundle: Bundle | None = None


class Result:
    """What came of one source: compiled jobs, placed diagnostics, and findings that an ignore took out."""

    __slots__ = ("compiled", "diagnostics", "suppressed")

    def __init__(self) -> None:
        self.compiled: list[Compiled] = []
        self.diagnostics: list[Diagnostic] = []
        self.suppressed = 0

    @property
    def failed(self) -> bool:
        return any(diagnostic["severity"] == ERROR for diagnostic in self.diagnostics)


def compile_source(
    source: Source, library: Library, *, cluster: str | None = None, settings: Sequence[str] = (), today: str = ""
) -> Result:
    """A job profile → its bundles, one for each variant. Raises BadSetting for a ``--set`` path that does not exist.

    ``today``, as ``2027-01-31``, ends the ignores that are dated; without it they last.
    """
    result = Result()
    document, findings = check(source)
    if document is not None and document.data["kind"] != "Job":
        kind = document.data["kind"]
        message = f"a {kind} is not built by itself: it is what job profiles name"
        findings.append(codes.WRONG_ENVELOPE.at(("kind",), message))
    if document is None or has_errors(findings):
        result.diagnostics = order(place(finding, document or nowhere(source)) for finding in findings)
        return result
    for variant in variants(document):
        job, found = resolve(document, library, variant=variant, cluster=cluster, settings=settings)
        findings += found
        if job is None:
            continue
        compiled = Compiled(job)
        result.compiled.append(compiled)
        findings += _compile(compiled)
    kept = _unignored(document, findings, today)
    ignored = len(findings) - sum(finding.code is not UNUSED for finding in kept)
    result.diagnostics, commented = suppress(source, order(place(finding, document) for finding in kept), [document])
    result.suppressed = ignored + commented
    return result


def nowhere(source: Source) -> Document:
    """An empty document of a text: findings that know their offsets are placed through it."""
    from specgen.document.tree import Document, Mapping

    return Document(source, Mapping(0), 0)


def _unignored(document: Document, findings: list[Finding], today: str) -> list[Finding]:
    """Without the warnings and notes that the profile's ``ignore`` names. An ignore without effect is a finding."""
    written = document.data.get("ignore") or {}
    if not written:
        return findings
    over = [code for code, said in written.items() if isinstance(said, dict) and (said.get("until") or today) < today]
    ignored = [code for code in written if code not in over]
    kept = [finding for finding in findings if finding.code.id not in ignored or finding.severity == ERROR]
    for code in over if today else ():
        message = f"this ignore of {code} ended on {written[code]['until']}"
        kept.append(UNUSED.at(Place(("ignore", code), KEY, where=document), message))
    met = [finding.code.id for finding in findings if finding.severity != ERROR]
    for code in ignored:
        if code not in met:
            kept.append(UNUSED.at(Place(("ignore", code), KEY, where=document), f"nothing here is reported as {code}"))
    return kept


def _compile(compiled: Compiled) -> list[Finding]:
    job = compiled.job
    target = job.job.target
    assert target is not None
    kind, served = (target, None) if isinstance(target, str) else (target.kind, target.version)
    installed = job.cluster_document.data.get("operators") or () if job.cluster_document is not None else ()
    backend = backends.by_target(kind, served, tuple(installed))
    if backend is None:
        other = backends.by_target(kind)
        if other is not None and served is not None:
            message = f"a {kind} has no version `{served}`, the operator serves `{other.API_VERSION}`"
            return [codes.NOT_FOR_TARGET.at(job.place(("target", "version")), message)]
        return [codes.NOT_BUILT_YET.at(job.place(("target",)), f"the target `{kind}` is not built yet")]
    compiled.backend = backend
    version = operator_version(job.cluster, backend)
    plan, findings = make(job, backend.PLAN, version)
    if not backends.speaks_for(backend, version):
        place_of_version = job.cluster_place(("operators", backend.OPERATOR, "version"))
        message = f"what {backend.OPERATOR} {version} takes is not known here"
        notes = [f"known are {listed(backend.RELEASES)}; the manifest is written for {backend.NEWEST}"]
        findings.append(codes.UNKNOWN_VERSION.at(place_of_version, message, notes=notes))
    if plan is None:
        return findings
    compiled.plan = plan
    if plan.gang is not None:
        from specgen import scheduling  # a job without a gang does not load them

        findings += scheduling.prepare(plan)
        if has_errors(findings):
            return findings
    manifest, found = backend.lower(plan)
    findings += found
    bundle = compiled.bundle = Bundle(job.name, [manifest])
    if plan.gang is not None:
        scheduling.attach(plan, bundle, backend.read(manifest, plan.version))
    if plan.companions is not None:
        from specgen.backends import _companions  # most jobs stand alone

        bundle.manifests[:0] = _companions.companions(plan)
        findings += _companions.doubled(bundle.manifests)
    findings += check_manifest(manifest, backend, job.cluster, plan.version)
    for beside in bundle.manifests:
        if beside is not manifest:
            findings += check_beside(beside, job.cluster)
    return findings


def check_beside(manifest: Manifest, cluster: ClusterProfile) -> list[Finding]:
    """What is known of an object beside a job: a job's rules, the shape of the kinds that specgen writes, else nothing."""
    from specgen.backends._companions import SCHEMAS

    ref = manifest.ref
    backend = backends.by_object(ref.api_version, ref.kind)
    if backend is not None:
        return check_manifest(manifest, backend, cluster, operator_version(cluster, backend))
    schema = SCHEMAS.get((ref.api_version, ref.kind))
    findings = shape(schema, manifest.tree) if schema is not None else []
    for finding in findings:
        finding.where = finding.where or manifest.where
        finding.subject = finding.subject or ref.as_dict()
    return findings


def operator_version(cluster: ClusterProfile | None, backend: Reader) -> str:
    """The version that the cluster profile says, else the newest that the backend was read from."""
    operator = None
    if cluster is not None:
        operator = getattr(cluster.operators, backend.OPERATOR.replace("-", "_"))
    return operator.version if operator is not None else backend.NEWEST


def operator_gang(cluster: ClusterProfile, backend: Reader) -> str | None:
    """The flag for gang scheduling that the cluster profile says the operator was started with."""
    operator = getattr(cluster.operators, backend.OPERATOR.replace("-", "_"))
    return operator.gang if operator is not None else None


def check_manifest(
    manifest: Manifest, backend: Reader, cluster: ClusterProfile | None, version: str | None = None
) -> list[Finding]:
    """Shape and rules: the same for what was lowered and for what was found in a repository."""
    from specgen.document.tree import Document

    text = manifest.where.plain if isinstance(manifest.where, Document) else None
    findings = shape(backend.SCHEMA, manifest.tree, text, unique=backend.unique_lists(version or backend.NEWEST))
    if version is not None and version != backend.NEWEST and backend.absent_fields(version):
        from specgen.backends._too_new import too_new  # most clusters have the newest

        findings += too_new(backend, manifest.tree, version)
    misplaced = [finding.place.path[:-1] for finding in findings if finding.code.id == "SG111"]
    workload = backend.read(manifest, version)
    findings = fold(findings + run(workload, Context(cluster, misplaced)), workload)
    for finding in findings:
        finding.where = finding.where or manifest.where
        finding.subject = finding.subject or manifest.ref.as_dict()
    return findings


class Linted:
    """What came of one text: placed diagnostics, objects of kinds that are not checked, findings ignored by comments."""

    __slots__ = ("diagnostics", "foreign", "suppressed")

    def __init__(self, diagnostics: list[Diagnostic], foreign: int, suppressed: int) -> None:
        self.diagnostics = diagnostics
        self.foreign = foreign
        self.suppressed = suppressed


def lint_source(
    source: Source,
    cluster: ClusterProfile | None = None,
    library: Library | None = None,
    *,
    cluster_file: str | None = None,
    today: str = "",
) -> Linted:
    """The diagnostics of every object in a text; a profile of specgen's own is checked as ``build`` does it.

    ``cluster``: what rules may know of the cluster; ``cluster_file``: its name, for profiles. ``today``: as for
    ``compile_source``.
    """
    documents, findings = read(source)
    if documents and isinstance(documents[0].data, dict) and is_profile(documents[0].data.get("apiVersion")):
        library = library or Library(_NoFiles())
        if documents[0].data.get("kind") not in ("Base", "Cluster"):
            result = compile_source(source, library, cluster=cluster_file, today=today)
            return Linted(result.diagnostics, 0, result.suppressed)
        placed = order(place(finding, documents[0]) for finding in check(source)[1])
        kept, suppressed = suppress(source, placed, documents[:1])
        return Linted(kept, 0, suppressed)
    diagnostics = [place(finding, nowhere(source)) for finding in findings]
    foreign = 0
    for document in documents:
        found, unknown = _lint(document, cluster)
        foreign += unknown
        diagnostics += [place(finding, document) for finding in found]
    kept, suppressed = suppress(source, order(diagnostics), documents)
    return Linted(kept, foreign, suppressed)


def _lint(document: Document, cluster: ClusterProfile | None) -> tuple[list[Finding], int]:
    if document.data is None:
        return [], 0
    if not isinstance(document.data, dict):
        kind = "list" if isinstance(document.data, list) else "scalar"
        return [document_codes.NOT_A_MAPPING.at((), f"the document is a {kind}, a Kubernetes object is a mapping")], 0
    findings: list[Finding] = []
    foreign = 0
    objects = manifests(document)
    for manifest in objects:
        backend = backends.by_object(manifest.ref.api_version, manifest.ref.kind)
        if backend is None:
            foreign += 1
        else:
            findings += check_manifest(manifest, backend, cluster, operator_version(cluster, backend))
    doubts = wary(document) if foreign < len(objects) else []
    return settled(doubts, findings, document), foreign


def compile_job(text: str, *, name: str = "<profile>", library: Library | None = None) -> Result:
    """The Python API of ``specgen build`` for one profile's text; without a library it may name no other file."""
    return compile_source(Source(name, text), library or Library(_NoFiles()))


def lint_text(text: str, *, name: str = "<manifest>") -> list[Diagnostic]:
    """The Python API of ``specgen lint`` for one text."""
    return lint_source(Source(name, text)).diagnostics


class _NoFiles:
    """The files of a text that stands alone."""

    def join(self, name: str, beside: str) -> str:
        return name

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        finding = codes.BROKEN_REFERENCE.at((), "a text that stands alone names no files")
        return None, [finding]

    def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
        return None, self.read(name)[1]
