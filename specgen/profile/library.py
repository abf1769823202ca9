"""Profile files that other profiles name: read once, checked once, kept for the whole run."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Finding, Place, has_errors, listed
from specgen.document.one import one, unexplained, wary
from specgen.document.read import read
from specgen.document.tree import Document, Mapping
from specgen.profile import codes
from specgen.schema.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.layers import Layers
    from specgen.profile.operator import Operator
    from specgen.source import Path, Source

    class Files(Protocol):
        """Files by name, within the limits and the root that the command line sets."""

        def join(self, name: str, beside: str) -> str:
            """The name of a file that the file ``beside`` calls ``name``."""
            ...

        def read(self, name: str) -> tuple[Source | None, list[Finding]]:
            """Its text, or findings (``SG202`` without a place where it cannot be opened)."""
            ...

        def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
            """Its bytes, or SG202 without a place. Of a file longer than any profile the rest may be missing."""
            ...


API_VERSION = "specgen/v1"
KINDS = ("Job", "Base", "Cluster")


def unusable(name: str, place: Place, problem: Finding) -> Finding:
    """SG202 without a place, of ``Files``, at the place where a profile calls the file ``name``."""
    message = f"`{name}`: {problem.message}"
    if place.path == ("cluster",) and "." not in name and "/" not in name:
        way = "a cluster profile is a file: `specgen init cluster --like h100-infiniband > cluster.yaml` writes one"
        problem.helps = problem.helps or [way]
    if place.path[:1] == ("extends",) and name and "." not in name and "/" not in name:
        way = f"a base is named as a file: write `extends: {name}.yaml`; `specgen explain extends` shows one"
        problem.helps = problem.helps or [way]
    return codes.BROKEN_REFERENCE.at(place, message, notes=problem.notes, helps=problem.helps)


def is_profile(api_version: object) -> bool:
    """Whether an ``apiVersion`` is meant to be of specgen's language, of whatever version."""
    return isinstance(api_version, str) and api_version.startswith("specgen/")


def is_meant(data: dict[str, Any]) -> bool:
    """Whether a document is plainly meant as a job profile, though its ``apiVersion`` is missing or another one.

    Objects of Kubernetes have a ``spec`` or ``data`` where profiles have their words, and no batch Job has such words.
    """
    if "spec" in data:
        return False
    from specgen.diagnostics.suggest import similar
    from specgen.tables.job import RECORDS

    envelope = ("apiVersion", "kind", "metadata")
    words = {name for name, *_ in RECORDS["JobProfile"].values()}.difference(envelope)
    said = [key for key in data if key not in envelope]
    known = sum(key in words for key in said)
    version, kind = data.get("apiVersion"), data.get("kind")
    if not known:
        return False
    if isinstance(version, str) and (version.startswith("specgen") or similar(version, [API_VERSION])):
        return kind not in ("Base", "Cluster")
    named = kind == "Job" or (kind is None and "metadata" in data and ("target" in data or "extends" in data))
    return named and 2 * known >= len(said)


class Library:
    """Documents by file name.

    ``laid``: documents with the path in each that a layer begins at, weakest first → those layers over each other.
    """

    __slots__ = ("_clusters", "_contents", "_known", "_objects", "files", "laid")

    def __init__(self, files: Files) -> None:
        self.files = files
        self._known: dict[str, tuple[Document | None, list[Finding]]] = {}
        self._clusters: dict[Document, ClusterProfile] = {}
        self.laid: dict[tuple[tuple[Document, Path], ...], Layers] = {}
        self._contents: dict[str, tuple[bytes | None, list[Finding]]] = {}
        self._objects: dict[str, tuple[list[Document], list[Finding]]] = {}

    def document(self, name: str) -> tuple[Document | None, list[Finding]]:
        """The checked profile in a file, or why there is none. Findings point into that file."""
        if name not in self._known:
            self._known[name] = self._load(name)
        return self._known[name]

    def documents(self) -> list[Document]:
        """The profiles that were read so far."""
        return [document for document, _ in self._known.values() if document is not None]

    def keep(self, name: str, checked: tuple[Document | None, list[Finding]]) -> None:
        """Takes a file that was read and checked already."""
        self._known[name] = checked

    def is_broken(self, where: object) -> bool:
        """Whether something is the document of a file that has errors, as far as it can be read."""
        held = [findings for document, findings in self._known.values() if document is None]
        return any(finding.where is where for findings in held for finding in findings)

    def holding(self, broken: Document, copy: Document) -> Library:
        """The same files, with a copy in place of one that has errors."""
        held = Library(self.files)
        for name, (document, findings) in self._known.items():
            is_broken = document is None and any(one.where is broken for one in findings)
            held.keep(name, (copy, []) if is_broken else (document, findings))
        return held

    def cluster(self, document: Document) -> ClusterProfile:
        """A cluster's document as a record, the same for all jobs that name it."""
        if document not in self._clusters:
            from specgen.tables.cluster import RECORDS

            self._clusters[document] = record(document.data, "ClusterProfile", RECORDS)
        return self._clusters[document]

    def content(self, name: str, beside: Document) -> tuple[bytes | None, list[Finding]]:
        """The bytes of a file that the profile ``beside`` names, or SG202 without a place."""
        file = self.named(name, beside)
        if file not in self._contents:
            self._contents[file] = self.files.content(file)
        return self._contents[file]

    def objects(self, name: str, beside: Document) -> tuple[list[Document], list[Finding]]:
        """Every document of a file that the profile ``beside`` names. Findings point into it, or are SG202."""
        file = self.named(name, beside)
        if file not in self._objects:
            source, findings = self.files.read(file)
            documents: list[Document] = []
            if source is not None:
                documents, findings = read(source)
                for finding in findings:
                    finding.where = finding.where or Document(source, Mapping(0), 0)
            for document in documents:
                for finding in wary(document):
                    finding.where = document
                    findings.append(finding)
            self._objects[file] = documents, findings
        return self._objects[file]

    def named(self, name: str, beside: Document) -> str:
        """The file that a profile calls ``name``: paths count from where they stand, those of --set from here."""
        return self.files.join(name, "" if beside.source.name.startswith("--set ") else beside.source.name)

    def _load(self, name: str) -> tuple[Document | None, list[Finding]]:
        source, findings = self.files.read(name)
        if source is None:
            return None, findings
        return check(source)


def check(
    source: Source, parsed: tuple[list[Document], list[Finding]] | None = None
) -> tuple[Document | None, list[Finding]]:
    """Text → a document whose shape is right, or findings in it. ``parsed``: the documents, where they are known."""
    document, doubts = one(source, what="profile", parsed=parsed)
    if document is None:
        return None, doubts
    if not source.text.isascii():
        from specgen.document.hidden import hidden  # most profiles hold nothing else

        doubts += hidden(source)
    findings = envelope(document)
    if not has_errors(findings):
        from specgen.profile.shape import shape, typed  # with the tables of the language, for which lint has no use

        findings += shape(document)
        if document.ambiguous:
            typed(document, doubts)
        said = document.data.get("scheduling") if document.data["kind"] == "Cluster" else None
        if said and not has_errors(findings) and "queues" in said:
            from specgen.profile.queues import contradictions  # most clusters have none

            findings += contradictions(document.data)
    elif document.data.get("kind") not in ("Base", "Cluster") and is_meant(document.data):
        from specgen.profile.shape import shape  # a manifest is met more often

        meant = document.data | {"apiVersion": API_VERSION, "kind": "Job"}
        findings += shape(document.holding(meant))
    findings = unexplained(doubts, findings, document)
    if not source.text.isascii():
        from specgen.document.lookalikes import lookalikes

        findings = _with_signs(findings, lookalikes(document), document)
    for finding in findings:
        finding.where = finding.where or document
    return (None if has_errors(findings) else document), findings


def _with_signs(findings: list[Finding], signs: list[Finding], document: Document) -> list[Finding]:
    """Findings, and signs that look like others; where such a sign is why there is a finding, it is its help."""
    at = {document.span(finding.place)[1]: finding for finding in findings if finding.where in (None, document)}
    for sign in signs:
        found = at.get(document.span(sign.place)[1])
        if found is None:
            findings = [*findings, sign]
            continue
        meant = sign.fix.title if sign.fix is not None else sign.helps[0] if sign.helps else ""
        found.helps = [f"{sign.message}: {meant}" if meant else sign.message]
    return findings


def envelope(document: Document) -> list[Finding]:
    """``apiVersion`` and ``kind`` say that this is a profile, and which."""
    data = document.data
    findings = []
    if data.get("apiVersion") == API_VERSION and data.get("kind") in KINDS:
        return []
    kinds = listed(KINDS).replace(", and", ", or")
    wanted = {"apiVersion": f"`{API_VERSION}`", "kind": kinds}
    missing = [key for key in wanted if key not in data]
    if missing:
        place = Place(next(((name,) for name in data), ()), KEY)
        message = "the profile has no " + " and no ".join(f"`{key}`" for key in missing)
        helps = [" and ".join(f"`{key}` is {wanted[key]}" for key in missing)]
        findings.append(codes.WRONG_ENVELOPE.at(place, message, helps=helps))
    for key in wanted:
        if key not in missing and not isinstance(data[key], str):
            helps = [f"`{key}` is {wanted[key]}"]
            findings.append(codes.WRONG_ENVELOPE.at(Place((key,)), f"`{key}` takes text", helps=helps))
    version, kind = data.get("apiVersion"), data.get("kind")
    if isinstance(version, str) and version != API_VERSION:
        helps = [f"a profile begins with `apiVersion: {API_VERSION}`"]
        if isinstance(kind, str) and kind not in KINDS:
            # one help: of a manifest nobody makes a profile
            helps = [
                "a manifest stays one, which `specgen lint` and `specgen fix` check and mend; "
                "`specgen init --from FILE` prints the line that begins a profile of such a job"
            ]
        message = f"`{version}` is not the language of profiles"
        findings.append(codes.WRONG_ENVELOPE.at(("apiVersion",), message, helps=helps))
    elif isinstance(kind, str) and kind not in KINDS:
        helps = [f"a job is a `Job`, and `target: {kind}` says what it compiles to"] if _is_target(kind) else []
        findings.append(codes.WRONG_ENVELOPE.at(("kind",), f"a profile is a {kinds}, not a `{kind}`", helps=helps))
    return findings


def _is_target(kind: str) -> bool:
    """Whether profiles compile to a kind, by its word."""
    from specgen.tables.job import DEFINITIONS

    return bool(DEFINITIONS["TargetChoice"][dict][0]["kind"][str](kind))


def level_of(cluster: ClusterProfile, namespace: str | None) -> tuple[str | None, Path]:
    """(the Pod Security level of pods in a namespace, where the cluster profile says it); None: it says none."""
    own = cluster.namespaces.get(namespace) if namespace is not None else None
    if own is not None and own.pod_security is not None:
        return own.pod_security, ("namespaces", str(namespace), "podSecurity")
    return cluster.pod_security, ("podSecurity",)


def installed(cluster: ClusterProfile, name: str) -> Operator | None:
    """What a cluster profile says of an operator; None: it does not list it, or has no word for it.

    There is none for operators that nothing here installs, such as Volcano.
    """
    return getattr(cluster.operators, name.replace("-", "_"), None)


def class_of(cluster: ClusterProfile, name: str) -> str | None:
    """Whether a cluster profile lists a priority of a ``pod`` or of a ``workload``; None: it does not list it."""
    said = cluster.scheduling.priorities.get(name)
    return said if said is None or isinstance(said, str) else said.of
