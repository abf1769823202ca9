"""The stages in order. Each is a function of its input; what they print, and where, is the command line's business."""

from __future__ import annotations

from specgen import backends
from specgen.checking import check as check_object
from specgen.checking import check_manifest, operator_version, workload_of
from specgen.diagnostics.model import ERROR, KEY, Place, has_errors, listed
from specgen.diagnostics.place import order, place
from specgen.diagnostics.suppress import UNUSED, suppress
from specgen.document import codes as document_codes
from specgen.document.one import settled, wary
from specgen.document.read import read
from specgen.manifest.model import Bundle
from specgen.manifest.origins import manifests
from specgen.plan.make import make
from specgen.profile import codes
from specgen.profile.library import Library, check, is_profile
from specgen.profile.resolve import resolve, variants
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.backends import Backend
    from specgen.diagnostics.model import Diagnostic, Finding
    from specgen.document.tree import Document
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.resolve import ResolvedJob


# What an operator would refuse of a whole job (``rules.refused_job``).
REFUSED = "SG317"


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
    if has_errors(findings):
        return kept  # what is ignored may be what an error kept from being looked for
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
        # the schema knows only kinds that profiles compile to: it is the version that is not there
        other = backends.by_target(kind)
        assert other is not None
        message = f"a {kind} has no version `{served}`, the operator serves `{other.API_VERSION}`"
        return [codes.NOT_FOR_TARGET.at(job.place(("target", "version")), message)]
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
    bundle.manifests[:0] = plan.beside
    if plan.gang is not None and not has_errors(found):
        scheduling.attach(plan, bundle, workload_of(backend, manifest, plan.version, plan.beside))
    if plan.companions is not None:
        from specgen.backends import _companions  # most jobs stand alone

        bundle.manifests[:0] = _companions.companions(plan)
        findings += _companions.doubled(bundle.manifests)
    judged = check_manifest(manifest, backend, job.cluster, plan.version, plan.beside)
    if has_errors(found):
        # what could not be said is not there, for which its operator would refuse the rest
        judged = [finding for finding in judged if finding.code.id != REFUSED]
        # and what cannot be said is not reported again by what would refuse it
        said = [place(finding, job.document)["primary"]["start"] for finding in found if finding.severity == ERROR]
        judged = [finding for finding in judged if place(finding, manifest.where)["primary"]["start"] not in said]
    findings += judged
    for beside in bundle.manifests:
        if beside is not manifest:
            findings += check_object(beside, job.cluster) or []
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
    objects = [manifests(document) if isinstance(document.data, dict) else [] for document in documents]
    # a job may need another object of the same text, as a TrainJob its runtime
    together = [manifest for found in objects for manifest in found]
    for document, found in zip(documents, objects, strict=True):
        wrong, unknown = _lint(document, found, together, cluster)
        foreign += unknown
        diagnostics += [place(finding, document) for finding in wrong]
    kept, suppressed = suppress(source, order(diagnostics), documents)
    return Linted(kept, foreign, suppressed)


def _lint(
    document: Document, objects: list[Manifest], together: list[Manifest], cluster: ClusterProfile | None
) -> tuple[list[Finding], int]:
    if document.data is None:
        return [], 0
    if not isinstance(document.data, dict):
        kind = "list" if isinstance(document.data, list) else "scalar"
        return [document_codes.NOT_A_MAPPING.at((), f"the document is a {kind}, a Kubernetes object is a mapping")], 0
    findings: list[Finding] = []
    foreign = 0
    for manifest in objects:
        beside = [other for other in together if other is not manifest] if len(together) > 1 else ()
        found = check_object(manifest, cluster, beside)
        if found is None:
            foreign += 1
        else:
            findings += found
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
