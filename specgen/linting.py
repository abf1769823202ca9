"""A text of manifests, or a profile, and all that is found in it: what ``lint`` says of one file."""

from __future__ import annotations

from specgen import operators
from specgen.checking import advised
from specgen.checking import check as check_object
from specgen.diagnostics.model import ERROR, KEY, WARNING, Place, shown
from specgen.diagnostics.place import against, order, place, published
from specgen.diagnostics.suppress import commented, spans_of, suppress
from specgen.document import codes as document_codes
from specgen.document.one import unexplained, wary
from specgen.manifest.views import mapping
from specgen.pipeline import PARTS, NoFiles, Text, compile_texts, nowhere
from specgen.profile.library import Library, check
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol, TypeAlias

    from specgen.diagnostics.model import Diagnostic, Finding, Placer
    from specgen.diagnostics.selection import Selection
    from specgen.document.tree import Document
    from specgen.manifest.beside import Index
    from specgen.manifest.model import Manifest
    from specgen.profile.cluster import ClusterProfile
    from specgen.recognise import Foreign
    from specgen.recognise.kustomize import Around

    # (apiVersion, kind) → schema, of kinds that only a cluster knows
    Kinds: TypeAlias = dict[tuple[str, str], dict[str, Any]]

    class Versions(Protocol):
        """Cluster profiles that differ in the version of an operator."""

        def judge(
            self,
            manifest: Manifest,
            cluster: ClusterProfile | None,
            companions: Sequence[Manifest],
            chosen: frozenset[str],
            kinds: Kinds | None,
        ) -> list[Finding] | None:
            """As ``checking.check``, with each version of the object's operator."""
            ...


class Linted:
    """What came of one text: placed diagnostics, ignored findings, and what was checked and what was not."""

    __slots__ = ("checked", "diagnostics", "suppressed", "unchecked")

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.suppressed = 0
        # objects, and profiles, that were judged
        self.checked = 0
        # what was left alone, as it is counted → how many
        self.unchecked: dict[str, int] = {}

    def leave(self, foreign: Foreign | None, where: Placer) -> bool:
        """Counts a text or document that is left alone, with its note; False: it is to be judged."""
        if foreign is None:
            return False
        self.count(foreign.what)
        if foreign.finding is not None:
            self.diagnostics.append(place(foreign.finding, where))
        return True

    def count(self, what: str) -> None:
        """Counts an object that is left alone."""
        self.unchecked[what] = self.unchecked.get(what, 0) + 1


def lint_source(
    source: Source,
    cluster: ClusterProfile | None = None,
    library: Library | None = None,
    *,
    cluster_file: str | None = None,
    said: Placer | None = None,
    today: str = "",
    chosen: frozenset[str] = frozenset(),
) -> Linted:
    """The diagnostics of every object in a text; a profile of specgen's own is checked as ``build`` does it.

    ``cluster``: what rules may know of the cluster; ``said``: where that stands; ``cluster_file``: its name, for
    profiles. ``today``: as for ``compile_source``; ``chosen``: codes of opt-in rules that are looked for.
    """
    text = Text(source)
    if text.kind is None:
        linted = lint_objects(text, cluster, chosen=chosen, said=said)
        linted.diagnostics = order(linted.diagnostics)
        return _without_ignored(linted, text, today, chosen)
    linted = Linted()
    linted.checked = 1
    library = library or Library(NoFiles())
    if text.kind not in PARTS:
        result = compile_texts([text], library, cluster=cluster_file, today=today, selection=_selection(chosen))[0]
        linted.diagnostics, linted.suppressed = result.diagnostics, result.suppressed
        return linted
    linted.diagnostics = order(place(finding, nowhere(source)) for finding in check(source, text.parsed)[1])
    return _without_ignored(linted, text, today, chosen)


def _selection(chosen: frozenset[str]) -> Selection | None:
    if not chosen:
        return None
    from specgen.diagnostics.selection import Selection

    return Selection(chosen)


def _without_ignored(linted: Linted, text: Text, today: str, chosen: frozenset[str]) -> Linted:
    if commented(text.source):
        spans = spans_of(text.parsed[0])
        linted.diagnostics, linted.suppressed = suppress(
            text.source, linted.diagnostics, spans, today=today, chosen=chosen
        )
    return linted


def lint_objects(
    text: Text,
    cluster: ClusterProfile | None,
    elsewhere: Callable[[Manifest], list[Manifest]] | None = None,
    chosen: frozenset[str] = frozenset(),
    versions: Versions | None = None,
    around: Callable[[], Around] | None = None,
    kinds: Kinds | None = None,
    said: Placer | None = None,
) -> Linted:
    """The diagnostics of manifests, before comments ignore any.

    A job may need other objects of the same text, as a TrainJob its runtime; ``elsewhere`` finds them in other ones.
    ``chosen``: codes of opt-in rules that are looked for. ``versions``: judges an object by several of them.
    ``around``: the files beside it, by which charts and patches are told from manifests. ``kinds``: by which objects
    are judged that are of no kind that is known here. ``said``: where what the cluster has is written.
    """
    linted = Linted()
    documents, findings = text.parsed
    whole = nowhere(text.source)
    if linted.leave(_foreign(text, around), whole):
        return linted
    linted.diagnostics = [place(finding, whole) for finding in findings]
    if not findings and not text.source.text.isascii():
        from specgen.document.hidden import hidden  # most manifests hold nothing else

        linted.diagnostics += [place(finding, whole) for finding in hidden(text.source)]
    linted.checked += bool(findings)
    unfilled = None
    if _may_be_unfilled(text.source.text):
        from specgen.recognise.templates import Unfilled  # most manifests have no variables

        unfilled = Unfilled(text.source)

    def judge(manifest: Manifest, companions: Sequence[Manifest]) -> list[Finding] | None:
        judged = check_object if versions is None else versions.judge
        found = judged(manifest, cluster, companions, chosen, kinds)
        against(found or (), manifest.where, said)
        return found

    together = [manifest for found in text.objects for manifest in found]
    index = None
    if len(together) > 1:
        from specgen.manifest.beside import Index  # most texts have one object

        index = Index(together)
    for document, found in zip(documents, text.objects, strict=True):
        wrong = _lint(document, found, index, judge, elsewhere, around, linted)
        if findings and wrong is not None:
            wrong = unexplained(findings, wrong, document)[len(findings) :]
        if unfilled is not None and wrong is not None:
            wrong = unfilled.take(document, wrong)
        linted.diagnostics += [place(finding, document) for finding in wrong or ()]
    # several patches may be of one object
    if len(together) > 1 and "kustomize patch" not in linted.unchecked:
        linted.diagnostics += [place(finding, whole) for finding in _doubled(together)]
    if not findings and all(document.data is None for document in documents):
        linted.count("empty file")
    note = unfilled.note() if unfilled is not None else None
    if note is not None:
        linted.diagnostics.append(place(note, whole))
    return linted


def _may_be_unfilled(text: str) -> bool:
    """Whether a name stands behind a dollar sign, or two brackets somewhere; `$(` is Kubernetes' own."""
    return "{{" in text or any([behind[:1] in "{_" or behind[:1].isalpha() for behind in text.split("$")[1:]])


def _foreign(text: Text, around: Callable[[], Around] | None) -> Foreign | None:
    """What a whole text is that is none of lint's business."""
    if "{{" in text.source.text or "{%" in text.source.text:
        from specgen.recognise.kustomize import Around
        from specgen.recognise.templates import template

        found = template(text.source, text.parsed, around() if around is not None else Around())
        if found is not None:
            return found
    if text.parsed[1]:
        from specgen.recognise.documents import unreadable

        return unreadable(text.source, text.parsed)
    return None


def _lint(
    document: Document,
    objects: list[Manifest],
    index: Index | None,
    judge: Callable[[Manifest, Sequence[Manifest]], list[Finding] | None],
    elsewhere: Callable[[Manifest], list[Manifest]] | None,
    around: Callable[[], Around] | None,
    linted: Linted,
) -> list[Finding] | None:
    """What is found of the objects of a document; None: none of them was judged."""
    if document.data is None:
        return None
    if not isinstance(document.data, dict):
        if isinstance(document.data, list):
            from specgen.recognise.documents import listed as listed_items

            if linted.leave(listed_items(document.data), document):
                return None
        linted.checked += 1
        kind = "list" if isinstance(document.data, list) else "scalar"
        return [document_codes.NOT_A_MAPPING.at((), f"the document is a {kind}, a Kubernetes object is a mapping")]
    findings: list[Finding] = []
    judged = 0
    for manifest in objects:
        if manifest.tree is not document.data and isinstance(manifest.tree.get("items"), list):
            message = "kubectl takes no items out of a List that is an item itself"
            nested = document_codes.NESTED_LIST.at(("items",), message, part=KEY)
            nested.where, nested.subject = manifest.where, manifest.ref.as_dict()
            findings.append(nested)
            judged += 1
            continue
        companions: Sequence[Manifest] = elsewhere(manifest) if elsewhere is not None else []
        if index is not None:
            from specgen.manifest.beside import Beside

            companions = Beside(index, manifest, companions)
        found = judge(manifest, companions)
        if found is None:
            from specgen.recognise.documents import counted

            linted.count(counted(manifest.tree, document.source.name))
        elif around is not None and found and linted.leave(_patch(document, found, around()), document):
            continue
        else:
            judged += 1
            findings += found
            if operators.by_object(manifest.ref.api_version, manifest.ref.kind) is None:
                from specgen.recognise.documents import in_part  # jobs are judged as a whole

                part = in_part(manifest.ref)
                if part:
                    linted.count(part)
    linted.checked += judged
    return unexplained(advised(wary(document), objects), findings, document) if judged else None


def _doubled(objects: Sequence[Manifest]) -> list[Finding]:
    """Objects of one text of which the cluster keeps one. Of several files nobody knows which are applied together."""
    known: dict[tuple[str, ...], Manifest] = {}
    found = []
    for one in objects:
        ref, name = one.ref, mapping(one.tree.get("metadata")).get("name")
        unfilled = any(sign in f"{ref.namespace}{name}" for sign in ("$", "{{"))
        if not ref.kind or not name or not isinstance(name, str) or unfilled:
            continue
        other = known.setdefault((ref.api_version.rpartition("/")[0], ref.kind, ref.namespace or "", ref.name), one)
        if other is not one:
            from specgen.profile.codes import SAME_NAME  # most objects are there once

            there, here = (Place(("metadata", "name"), where=each.where) for each in (other, one))
            in_namespace = f" in the namespace `{ref.namespace}`" if ref.namespace else ""
            finding = SAME_NAME.at(
                here,
                f"two objects are the {ref.kind} `{shown(ref.name)}`{in_namespace}",
                related=[(there, "the other one")],
                notes=["`kubectl apply` leaves the later one, `kubectl create` the earlier; kustomize refuses both"],
                severity=WARNING if one.tree == other.tree else ERROR,
            )
            finding.subject = ref.as_dict()
            found.append(finding)
    return found


def _patch(document: Document, findings: list[Finding], around: Around) -> Foreign | None:
    return around.patch(document.source.name, document.source.text, findings)


def lint_text(text: str, *, name: str = "<manifest>") -> list[Diagnostic]:
    """The Python API of ``specgen lint`` for one text."""
    from specgen.manifest.edits import edits

    return published(lint_source(Source(name, text)).diagnostics, edits)
