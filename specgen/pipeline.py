"""The stages in order. Each is a function of its input; what they print, and where, is the command line's business."""

from __future__ import annotations

from specgen.checking import check as check_object
from specgen.checking import check_manifest, operator_version, workload_of
from specgen.diagnostics.model import ERROR, KEY, Place, article, has_errors, listed
from specgen.diagnostics.place import against, order, place, published
from specgen.diagnostics.suppress import UNUSED, commented, spans_of, suppress
from specgen.document.read import read
from specgen.manifest.model import Bundle
from specgen.manifest.origins import manifests
from specgen.profile import codes
from specgen.profile.library import Library, check, is_meant, is_profile
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.diagnostics.model import Diagnostic, Finding
    from specgen.diagnostics.selection import Selection
    from specgen.document.tree import Document
    from specgen.lower.lowering import Lowering
    from specgen.manifest.model import Manifest
    from specgen.operators.reader import Reader
    from specgen.plan.draft import JobDraft
    from specgen.profile.resolve import ResolvedJob


# Profiles that jobs name, and that are not built by themselves.
PARTS = ("Base", "Cluster")
# Pods that find no room on the cluster (``rules.does_not_fit``).
NO_ROOM = "SG601"
# What an operator would refuse of a whole job (``rules.refused_job``).
REFUSED = "SG317"
# Containers that keep their pods (``rules.endless_sidecar``).
ENDLESS = "SG472"
# A reference to no variable (``rules.undefined_reference``).
UNDEFINED = "SG463"
# One process beside several GPUs (``rules.one_process``).
ONE_PROCESS = "SG503"


class Text:
    """A source and the documents in it, which are read when they are first asked for."""

    __slots__ = ("_objects", "_parsed", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self._parsed: tuple[list[Document], list[Finding]] | None = None
        self._objects: list[list[Manifest]] | None = None

    @property
    def parsed(self) -> tuple[list[Document], list[Finding]]:
        """Its documents, and the findings for which there are no more of them."""
        if self._parsed is None:
            self._parsed = read(self.source)
            if self._parsed[1]:
                from specgen.indented import advise  # most texts are YAML

                advise(self.source, self._parsed[1])
        return self._parsed

    @property
    def objects(self) -> list[list[Manifest]]:
        """The objects of each document; none of one that is no mapping."""
        if self._objects is None:
            documents, _ = self.parsed
            self._objects = [manifests(one) if isinstance(one.data, dict) else [] for one in documents]
        return self._objects

    @property
    def kind(self) -> object:
        """The ``kind`` of a profile, whatever its author wrote there; None: this is no profile."""
        data = next((document.data for document in self.parsed[0] if document.data is not None), None)
        if not isinstance(data, dict) or not (is_profile(data.get("apiVersion")) or is_meant(data)):
            return None
        return data.get("kind") or ""

    @property
    def is_job(self) -> bool:
        """Whether this is a profile that is built; of a text that cannot be read, whether it looks like one."""
        if "specgen" not in self.source.text and not _has_words(self.source.text):
            return False
        if self.parsed[1] and not self.parsed[0]:
            return _looks_like_job(self.source.text)
        return self.kind is not None and self.kind not in PARTS

    def forget(self) -> None:
        """Lets go of all but the source."""
        self._parsed = self._objects = None


def _has_words(text: str) -> bool:
    """Whether a text may be a job profile that does not say so: every job has one of these words."""
    return any(text.startswith(word) or f"\n{word}" in text for word in ("target:", "extends:", "image:"))


def _looks_like_job(text: str) -> bool:
    said = text.translate(dict.fromkeys(map(ord, " \"'")))
    ends = [f"kind:{kind}{end}" for kind in PARTS for end in "\r\n,}"]
    return "apiVersion:specgen/" in said and not any(end in said for end in ends)


class Compiled:
    """One job's way: its resolved words, plan and bundle, as far as it came, and what was found on it.

    ``inexpressible``: those of the findings that name what its kind has no words for.
    """

    __slots__ = ("bundle", "draft", "findings", "inexpressible", "job", "lowering", "plan", "resolved")

    def __init__(self, job: ResolvedJob, findings: list[Finding]) -> None:
        self.job = job
        self.findings = findings
        # how many of the findings are of the words alone
        self.resolved = len(findings)
        self.inexpressible: list[Finding] = []
        self.lowering: Lowering | None = None
        self.plan: JobDraft | None = None
        # a plan with errors that leave its pods as they will be
        self.draft: JobDraft | None = None
        self.bundle: Bundle | None = None

    @property
    def reader(self) -> Reader | None:
        """The kind that the job compiles to; None where it did not come so far."""
        return self.lowering.READER if self.lowering is not None else None


class Result:
    """What came of one source: compiled jobs, placed diagnostics, and findings that an ignore took out.

    ``variants``: the names of the profile's variants, empty for the job itself; None: it did not come so far.
    """

    __slots__ = ("compiled", "diagnostics", "suppressed", "variants")

    def __init__(self) -> None:
        self.compiled: list[Compiled] = []
        self.variants: list[str] | None = None
        self.diagnostics: list[Diagnostic] = []
        self.suppressed = 0

    @property
    def failed(self) -> bool:
        return any(diagnostic["severity"] == ERROR for diagnostic in self.diagnostics)


def compile_source(
    source: Source, library: Library, *, cluster: str | None = None, settings: Sequence[str] = (), today: str = ""
) -> Result:
    """A job profile → its bundles, one for the job itself and one for each variant.

    Raises BadSetting for a ``--set`` path that does not exist. ``today``, as ``2027-01-31``, ends the ignores that are
    dated; without it they last.
    """
    return compile_texts([Text(source)], library, cluster=cluster, settings=settings, today=today)[0]


def compile_texts(
    texts: Sequence[Text],
    library: Library,
    *,
    cluster: str | None = None,
    settings: Sequence[str] = (),
    variant: str | None = None,
    today: str = "",
    tree: bool = False,
    applied: bool = False,
    selection: Selection | None = None,
) -> list[Result]:
    """``compile_source`` of each text, in their order. All that is known of them is held at once.

    ``variant``: as for ``resolve``; a profile that has none of the name comes to nothing.
    ``tree``: they are built into an output tree, which a controller may apply. ``applied``: a controller applies them
    as they are. ``selection``: opt-in rules that are asked, and other severities than usual.

    Every stage takes all of them before the next one begins: its code and tables then stay in the processor's caches,
    which saves a sixth of the time as soon as there are some dozens.
    """
    profiles = [_Profile(text) for text in texts]
    for profile in profiles:
        profile.resolve(library, cluster, settings, variant)
    jobs = [compiled for profile in profiles for compiled in profile.compiled]
    for stage in (_plan, _lower):
        for compiled in jobs:
            stage(compiled)
    for compiled in jobs:
        if compiled.job.mark is not None:
            _mark(compiled)
    for compiled in jobs:
        _judge(compiled, frozenset() if selection is None else selection.chosen)
    for profile in profiles:
        if len(profile.compiled) > 1:
            _compare(profile.compiled)
    for compiled in jobs if tree or applied else ():
        _for_controllers(compiled, tree=tree)
    return [profile.result(today, tree or applied, selection) for profile in profiles]


class _Profile:
    """One source's way: its document, its jobs, and what was found, in the document itself and in each of its jobs."""

    __slots__ = ("compiled", "document", "found", "parsed", "source", "variants", "whole")

    def __init__(self, text: Text) -> None:
        self.source = text.source
        self.document, findings = check(text.source, text.parsed)
        # what it says, where that cannot be a job
        self.parsed = text.parsed[0] if self.document is None else []
        if self.document is not None and self.document.data["kind"] != "Job":
            kind = self.document.data["kind"]
            message = f"a {kind} is not built by itself: it is what job profiles name"
            findings.append(codes.WRONG_ENVELOPE.at(("kind",), message))
        self.found = [findings]
        self.compiled: list[Compiled] = []
        self.variants: list[str] | None = None
        # whether all of its jobs were asked for
        self.whole = True

    @property
    def broken(self) -> bool:
        """Whether the document itself goes no further."""
        return self.document is None or has_errors(self.found[0])

    def resolve(self, library: Library, cluster: str | None, settings: Sequence[str], variant: str | None) -> None:
        if self.document is None or self.broken:
            if self.parsed:
                from specgen.profile.broken import others  # most profiles are right

                self.found[0] += others(self.parsed[0], library, cluster, list(self.found[0]), settings)
                one = [document for document in self.parsed if document.root.value is not None]
                if len(one) == 1:
                    found = list(self.found[0])
                    self.found[0] += _independent(one[0], found, library, cluster, settings, variant)
            return
        from specgen.profile.resolve import resolve  # lint, where no profile is asked for

        resolved = resolve(self.document, library, variant=variant, cluster=cluster, settings=settings)
        self.variants, self.whole = resolved.variants, variant is None
        self.found.append(resolved.findings)
        broken = [resolved.findings] if has_errors(resolved.findings) else []
        for job, findings in resolved.jobs:
            self.found.append(findings)
            if job is not None:
                self.compiled.append(Compiled(job, findings))
            else:
                broken.append(findings)
        for findings in broken:
            from specgen.profile.broken import elsewhere  # most profiles are right

            findings += elsewhere(self.document, library, cluster, findings)
            findings += _independent(self.document, findings, library, cluster, settings, variant)

    def result(self, today: str, applied: bool, selection: Selection | None) -> Result:
        result = Result()
        result.compiled = self.compiled
        result.variants = self.variants
        findings = [finding for found in self.found for finding in found]
        if selection is not None:
            for finding in findings:
                finding.severity = selection.severity(finding.code.id, finding.severity)
        if self.document is None or self.broken:
            document = self.document or nowhere(self.source)
            result.diagnostics = order(place(finding, document) for finding in findings)
            return result
        kept = _unignored(self.document, findings, today, whole=self.whole, applied=applied)
        ignored = len(findings) - sum(finding.code is not UNUSED for finding in kept)
        ended = [place(finding, self.document) for finding in kept if finding.code is UNUSED]
        placed = order(place(finding, self.document) for finding in kept)
        result.diagnostics = placed
        if commented(self.source):
            spans = spans_of([self.document])
            chosen: frozenset[str] = selection.chosen if selection is not None else frozenset()
            result.diagnostics, more = suppress(self.source, placed, spans, today=today, chosen=chosen)
            ignored += more
        if not self.whole:
            # what is ignored may be found in the jobs that were not asked for
            result.diagnostics = [one for one in result.diagnostics if one["code"] != UNUSED.id or one in ended]
        result.suppressed = ignored
        return result


def _independent(
    document: Document,
    known: list[Finding],
    library: Library,
    cluster: str | None,
    settings: Sequence[str],
    variant: str | None,
) -> list[Finding]:
    """Errors of a job that stand whatever is written in the places that are wrong: of its profile, of those that it
    names, and of settings.

    ``known``: what is wrong there. Told is what is found, in the same words, in each copy that has other values there;
    a copy whose own values are refused proves nothing.
    """
    from specgen.profile.broken import apart
    from specgen.profile.repaired import repaired, reset

    # of a base or a cluster's profile that is to be built itself nothing would come
    is_job = isinstance(document.data, dict) and document.data.get("kind") == "Job"
    wrong = apart(document, known, library, cluster) if is_job else None
    if wrong is None:
        return []
    parts, in_settings = wrong
    repairs = []
    for part, errors in parts.items():
        again = repaired(part, errors)
        if again is None:
            return []
        repairs.append(again)
    other = reset(settings, in_settings) if in_settings else None
    if (in_settings and other is None) or not (repairs or other):
        return []
    judged = not any(again.planned for again in repairs)
    held: dict[tuple[str, str, str, int], Finding] | None = None
    # of each profile that is wrong, and of the settings, the copies that prove something
    counts = [len(again.copies) for again in repairs] + ([len(other.lists)] if other is not None else [])
    proofs: list[set[int]] = [set() for _ in counts]
    for turn in range(max(counts)):
        copies = [again.copies[turn % len(again.copies)] for again in repairs]
        job, files = document, library
        for again, copy in zip(repairs, copies, strict=True):
            if again.document is document:
                job = copy
            else:
                files = files.holding(again.document, copy)
        said = settings if other is None else other.lists[turn % len(other.lists)]
        try:
            kept: list[Finding] | None = _errors(job, files, cluster, said, variant, judged=judged)
        except Exception:
            return []  # what is wrong with the profile itself is known, and told whatever a copy of it leads to
        for again, copy in zip(repairs, copies, strict=True):
            kept = again.kept(kept, copy, job) if kept is not None else None
        if other is not None and kept is not None:
            kept = other.kept(kept, said, job)
        if kept is None:
            continue
        for count, proof in zip(counts, proofs, strict=True):
            proof.add(turn % count)
        found = {}
        for finding in kept:
            for again, copy in zip(repairs, copies, strict=True):
                again.in_original(finding, copy)
            primary = place(finding, document)["primary"]
            found[finding.code.id, finding.message, primary["file"], primary["start"]["offset"]] = finding
        held = found if held is None else {key: one for key, one in held.items() if key in found}
        if not held:
            return []
    # one copy alone proves nothing of any other value, unless nothing is told that a value could heal
    every = (*repairs, *([other] if other is not None else ()))
    proven = all(one.guarded or len(proof) > 1 for one, proof in zip(every, proofs, strict=True))
    return list(held.values()) if held and proven else []


def _errors(
    document: Document,
    library: Library,
    cluster: str | None,
    settings: Sequence[str],
    variant: str | None,
    *,
    judged: bool,
) -> list[Finding]:
    """The errors of all jobs of a profile of a right shape; of those that rules find in manifests, unless ``judged``,
    that there is no room for the pods, which no program decides."""
    from specgen.profile.resolve import resolve

    resolved = resolve(document, library, variant=variant, cluster=cluster, settings=settings)
    findings = list(resolved.findings)
    for job, found in resolved.jobs:
        if job is not None:
            compiled = Compiled(job, found)
            _plan(compiled)
            planned = len(found)
            _lower(compiled)
            _judge(compiled, frozenset())
            if not judged:
                found[planned:] = [finding for finding in found[planned:] if finding.code.id == NO_ROOM]
        findings += found
    return [finding for finding in findings if finding.severity == ERROR]


def nowhere(source: Source) -> Document:
    """An empty document of a text: findings that know their offsets are placed through it."""
    from specgen.document.tree import Document, Mapping

    return Document(source, Mapping(0), 0)


def ignores(document: Document, today: str) -> list[str]:
    """The codes that a profile's ``ignore`` names, but for those that ended before ``today``."""
    written = document.data.get("ignore") or {}
    over = [code for code, said in written.items() if isinstance(said, dict) and (said.get("until") or today) < today]
    return [code for code in written if code not in over]


def _unignored(document: Document, findings: list[Finding], today: str, *, whole: bool, applied: bool) -> list[Finding]:
    """Without the warnings and notes that the profile's ``ignore`` names. An ignore without effect is a finding.

    Unless not the ``whole`` profile was looked at.
    """
    written = document.data.get("ignore") or {}
    if not written:
        return findings
    ignored = ignores(document, today)
    over = [code for code in written if code not in ignored]
    kept = [finding for finding in findings if finding.code.id not in ignored or finding.severity == ERROR]
    for code in over if today else ():
        message = f"this ignore of {code} ended on {written[code]['until']}"
        kept.append(UNUSED.at(Place(("ignore", code), KEY, where=document), message))
    met = [finding.code.id for finding in findings if finding.severity != ERROR]
    if has_errors(findings) or not whole:
        return kept  # what is ignored may be what an error kept from being looked for, or be found in another job
    unmet = [code for code in ignored if code not in met]
    if unmet:
        from specgen.answers.codes import ALL  # what only a cluster says

        unmet = [code for code in unmet if code not in [one.id for one in ALL]]
    if unmet and not applied:
        from specgen.emit.gitops import CODES  # what nobody has looked for here

        unmet = [code for code in unmet if code not in CODES]
    for code in unmet:
        kept.append(UNUSED.at(Place(("ignore", code), KEY, where=document), f"nothing here is reported as {code}"))
    return kept


def _plan(compiled: Compiled) -> None:
    from specgen import lower
    from specgen.plan.make import make

    job = compiled.job
    target = job.job.target
    assert target is not None
    kind, served = (target, None) if isinstance(target, str) else (target.kind, target.version)
    assert kind is not None  # the job is complete
    installed = job.cluster_document.data.get("operators") or () if job.cluster_document is not None else ()
    lowering = lower.by_target(kind, served, tuple(installed))
    if lowering is None:
        # the schema knows only kinds that profiles compile to: it is the version that is not there
        other = lower.by_target(kind)
        assert other is not None
        message = f"{article(kind)} has no version `{served}`, the operator serves `{other.READER.api_version}`"
        compiled.findings.append(codes.NOT_FOR_TARGET.at(job.place(("target", "version")), message))
        return
    compiled.lowering = lowering
    reader = lowering.READER
    version = operator_version(job.cluster, reader)
    draft, findings = make(job, lowering, version)
    compiled.plan, compiled.draft = (None, draft) if has_errors(findings) else (draft, None)
    compiled.findings += findings
    if not reader.speaks_for(version):
        name = reader.operator.name
        place_of_version = job.cluster_place(("operators", name, "version"))
        nearest = reader.operator.nearest(version, kind) if version is not None else ""
        near = f": the nearest that is known is {nearest}" if nearest else ""
        message = f"what {name} {version} takes is not known here{near}"
        notes = [f"known are {listed(reader.minors)}; the manifest is written for {reader.newest}"]
        compiled.findings.append(codes.UNKNOWN_VERSION.at(place_of_version, message, notes=notes))


def _lower(compiled: Compiled) -> None:
    plan, lowering = compiled.plan, compiled.lowering
    if plan is None or lowering is None:
        return
    if plan.gang is not None:
        from specgen import gangs  # a job without a gang does not load them

        compiled.findings += gangs.prepare(plan)
        if has_errors(compiled.findings):
            return
    from specgen.plan.complete import complete

    findings = complete(plan)
    manifest, found = lowering.lower(plan)
    findings += found
    compiled.findings += findings
    compiled.inexpressible = [finding for finding in findings if finding.severity == ERROR]
    bundle = compiled.bundle = Bundle(compiled.job.name, [manifest])
    bundle.manifests[:0] = plan.prerequisites
    if plan.gang is not None and not compiled.inexpressible:
        gangs.attach(plan, bundle, workload_of(lowering.READER, manifest, plan.version, plan.prerequisites))
    if plan.objects is not None:
        from specgen.lower.extra_objects import doubled, extra_objects  # most jobs stand alone

        bundle.manifests[:0] = extra_objects(plan)
        compiled.findings += doubled(bundle.manifests)
    if len(bundle.manifests) > 1:
        from specgen.emit.waves import in_waves

        in_waves(bundle)


def _mark(compiled: Compiled) -> None:
    """Ends the job's name in a hash of its manifests, and makes them once more: the name stands in many places."""
    if compiled.bundle is None:
        return
    from specgen.emit.suffix import digest, stale  # most jobs have a name without a hash

    compiled.job.mark = digest(compiled.bundle)
    del compiled.findings[compiled.resolved :]
    _plan(compiled)
    _lower(compiled)
    plan, reader = compiled.plan, compiled.reader
    if compiled.bundle is not None and plan is not None and reader is not None:
        workload = workload_of(reader, compiled.bundle.job, plan.version, plan.prerequisites)
        compiled.findings += stale(compiled.bundle, compiled.job.name, [role.name for role in workload.roles])


# Of what comes with a job all that matters to it: what schedulers look for, files that a launcher reads, and what
# selects its pods.
_BESIDE = ("PodGroup", "ResourceClaimTemplate", "ConfigMap", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor")


def _judge(compiled: Compiled, chosen: frozenset[str]) -> None:
    plan, lowering, bundle = compiled.plan, compiled.lowering, compiled.bundle
    if compiled.draft is not None and lowering is not None:
        compiled.findings += _without_room(compiled.job, compiled.draft, lowering)
    if plan is None or lowering is None or bundle is None:
        return
    job, manifest = compiled.job, bundle.job
    companions = [*plan.prerequisites, *(one for one in bundle.manifests if one.ref.kind in _BESIDE)]
    judged = check_manifest(manifest, lowering.READER, job.cluster, plan.version, companions, chosen)
    against(judged, manifest.where, job.cluster_document)
    if compiled.inexpressible:
        # what could not be said is not there, for which its operator would refuse the rest
        judged = [finding for finding in judged if finding.code.id != REFUSED]
        # and what cannot be said is not reported again by what would refuse it
        said = [place(finding, job.document)["primary"]["start"] for finding in compiled.inexpressible]
        judged = [finding for finding in judged if place(finding, manifest.where)["primary"]["start"] not in said]
    if any(finding.code.id == ENDLESS for finding in judged):
        # of the profile's own sidecars it was said already, with what keeps them from ending
        known = [place(one, job.document)["primary"]["start"] for one in compiled.findings]
        at = [place(one, manifest.where)["primary"]["start"] if one.code.id == ENDLESS else None for one in judged]
        judged = [one for one, start in zip(judged, at, strict=True) if start not in known]
    if any(finding.code is codes.UNVARIED_JOB for finding in compiled.findings):
        # a variable that each variant sets is told with what helps
        said = [place(one, job.document)["primary"]["start"] for one in compiled.findings]
        at = [place(one, manifest.where)["primary"]["start"] if one.code.id == UNDEFINED else None for one in judged]
        judged = [one for one, start in zip(judged, at, strict=True) if start is None or start not in said]
    if job.job.start is not None:
        # who says what starts the processes means it, whatever a patch makes of the command
        judged = [finding for finding in judged if finding.code.id != ONE_PROCESS]
    compiled.findings += judged
    for beside in bundle.manifests:
        if beside is not manifest:
            found = check_object(beside, job.cluster) or []
            # what could not be said may be why it is refused, such as a patch of its own runtime
            compiled.findings += [one for one in found if not compiled.inexpressible or one.code.id != REFUSED]


def _compare(jobs: Sequence[Compiled]) -> None:
    """What the jobs of one profile do to each other."""
    from specgen.rules._siblings import overwritten  # most profiles are one job

    workloads = []
    for compiled in jobs:
        plan, reader, bundle = compiled.plan, compiled.reader, compiled.bundle
        if plan is not None and reader is not None and bundle is not None and not has_errors(compiled.findings):
            workloads.append(workload_of(reader, bundle.job, plan.version, plan.prerequisites))
    jobs[0].findings += overwritten(workloads)
    for workload in workloads:
        workload.release()


def _without_room(job: ResolvedJob, draft: JobDraft, lowering: Lowering) -> list[Finding]:
    """Why the pods of a job with other errors find no room either, so that all is said in one round."""
    from specgen.plan.complete import complete

    if draft.gang is not None:
        from specgen import gangs  # a job without a gang does not load them

        gangs.prepare(draft)
    complete(draft)
    manifest, _ = lowering.lower(draft)
    judged = check_manifest(manifest, lowering.READER, job.cluster, draft.version, draft.prerequisites)
    found = [finding for finding in judged if finding.code.id == NO_ROOM]
    against(found, manifest.where, job.cluster_document)
    return found


def _for_controllers(compiled: Compiled, *, tree: bool) -> None:
    from specgen.emit.gitops import check as check_applied
    from specgen.emit.gitops import hooked, lost
    from specgen.emit.waves import keep

    plan, reader, bundle = compiled.plan, compiled.reader, compiled.bundle
    if plan is None or reader is None or bundle is None or has_errors(compiled.findings):
        return
    keep(bundle)
    for finding in [*check_applied(bundle.job, reader, plan.version), *hooked(bundle)]:
        finding.where = finding.where or bundle.job.where
        compiled.findings.append(finding)
    for manifest in bundle.manifests if tree else ():
        for finding in lost(manifest):
            finding.where = finding.where or manifest.where
            compiled.findings.append(finding)


def compile_job(text: str, *, name: str = "<profile>", library: Library | None = None) -> Result:
    """The Python API of ``specgen build`` for one profile's text; without a library it may name no other file."""
    from specgen.manifest.edits import edits

    result = compile_source(Source(name, text), library or Library(NoFiles()))
    result.diagnostics = published(result.diagnostics, edits)
    return result


class NoFiles:
    """The files of a text that stands alone."""

    def join(self, name: str, beside: str) -> str:
        """The name as it stands."""
        return name

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        """None: SG202."""
        finding = codes.BROKEN_REFERENCE.at((), "a text that stands alone names no files")
        return None, [finding]

    def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
        """None: SG202."""
        return None, self.read(name)[1]
