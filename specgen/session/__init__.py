"""One run, whatever the verb: its files together, compiled or linted, and all that was found on them.

A verb opens a session with what its command line names, takes results from it, adds what it finds itself, and prints.
Files come through ``Files``: a disk, or what an editor holds. What a session says is the same for every verb:

- a file named on the command line that cannot be opened is a sentence of ``unreadable``, and the other files go on; a
  cluster profile or a setting that cannot be used is a ``BadQuestion``, and there is no session;
- a folder stands for the YAML files below it, and of these only jobs are built;
- what is wrong in a file, be it a job's, a base, or the cluster profile, is a diagnostic at its place there;
- jobs that come to one object are a diagnostic, whichever of the files they are in.

Lives here: ``Session``; ``collisions`` (objects that two jobs come to), ``runtimes`` (those that a TrainJob may need),
``asked`` (the one variant that is asked for).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, BadQuestion
from specgen.diagnostics.place import order, place
from specgen.diagnostics.suppress import commented, suppress
from specgen.pipeline import PARTS, Text, compile_texts, lint_objects
from specgen.profile.library import Library, check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Protocol

    from specgen.diagnostics.model import Diagnostic, Finding, Placer
    from specgen.document.tree import Document
    from specgen.pipeline import Compiled, Result
    from specgen.profile import library
    from specgen.profile.cluster import ClusterProfile
    from specgen.session.asked import Asked
    from specgen.session.collisions import Collisions
    from specgen.session.runtimes import Runtimes
    from specgen.source import Source

    class Files(library.Files, Protocol):
        """Files by name: those that profiles name, and those of the command line."""

        def below(self, name: str) -> list[str] | None:
            """The YAML files below a folder, sorted; None: it is no folder."""
            ...

        def expect(self, names: Iterable[str]) -> None:
            """All names that will be asked for: what profiles may read must not depend on which of them comes first."""
            ...

        def named(self, name: str) -> tuple[Source | None, list[Finding]]:
            """A file of the command line; ``-`` is standard input. Raises BadQuestion with the reason alone."""
            ...


# Characters of texts that are worked on together: a stage runs faster for some dozens than for one after the other,
# and what is known of them while they are compiled takes some hundred times the room of their text.
_BLOCK = 64 * 1024


class Session:
    """The files of one run and what was found on them. Raises BadQuestion for a cluster or a setting of no use.

    ``cluster``: the cluster profile in place of those that jobs name. ``variant``: one variant alone of each profile
    that has it, empty for the job itself; a profile that was named must have it. ``today``, as ``2027-01-31``, ends the
    ignores that are dated; without it they last. ``select``: groups, codes, their beginnings and their names; opt-in
    rules among them are asked.
    """

    __slots__ = (
        "_asked",
        "_chosen",
        "_collisions",
        "_comments",
        "_files",
        "_first",
        "_option",
        "_settings",
        "_today",
        "_tree",
        "cluster",
        "diagnostics",
        "files",
        "foreign",
        "library",
        "suppressed",
        "texts",
        "unreadable",
    )

    def __init__(
        self,
        files: Files,
        *,
        cluster: str | None = None,
        settings: Sequence[str] = (),
        variant: str | None = None,
        today: str = "",
        select: Sequence[str] = (),
    ) -> None:
        self._files = files
        self._option = cluster
        self._settings = settings
        self._asked: Asked | None = None
        self._today = today
        # codes of opt-in rules that are looked for
        self._chosen: frozenset[str] = frozenset()
        if select:
            from specgen.diagnostics.selection import codes_of, opt_in  # most runs select nothing

            self._chosen = frozenset(code for word in select for code in codes_of(word) if opt_in(code))
        # whether the jobs are built into a tree
        self._tree = False
        # the objects of all jobs so far, and until a second job comes the first one
        self._collisions: Collisions | None = None
        self._first: tuple[Compiled, Source, bool] | None = None
        # sources of manifests that may have comments to ignore findings, with the texts that only look like comments
        self._comments: list[tuple[Source, _Texts]] = []
        self.library = Library(files)
        self.diagnostics: list[Diagnostic] = []
        # files that were looked at
        self.files = 0
        # objects of kinds that are not checked
        self.foreign = 0
        # findings that an ignore took out
        self.suppressed = 0
        # sentences about files named on the command line that cannot be opened, or lack the variant that is asked for
        self.unreadable: list[str] = []
        # texts that stand in no file: standard input and settings, by the names of their sources
        self.texts: dict[str, str] = {}
        # the cluster profile of the option
        self.cluster: ClusterProfile | None = None
        if variant is not None:
            from specgen.session.asked import Asked  # most runs ask for none

            self._asked = Asked(variant)
        if settings:
            self._try_settings()
        if cluster is not None:
            self._open_cluster(cluster)

    def _try_settings(self) -> None:
        from specgen.profile.settings import layer
        from specgen.tables import job as table

        for setting in self._settings:
            layer(setting, table.DEFINITIONS["Layer"])
            self.texts[f"--set {setting}"] = setting

    def _open_cluster(self, name: str) -> None:
        from specgen.profile.resolve import cluster_of_option

        source = self._source(name)
        self.library.keep(name, (None, []) if source is None else check(source))
        document, findings = cluster_of_option(self.library, name)
        if document is not None:
            self.cluster = self.library.cluster(document)
        self.add(findings)

    def add(self, findings: Iterable[Finding], where: Placer | None = None) -> None:
        """Takes findings, at the places in ``where`` if they know no other."""
        for finding in findings:
            placer = finding.where or where or finding.place.where
            assert placer is not None
            self.diagnostics.append(place(finding, placer))

    @property
    def failed(self) -> bool:
        """Whether anything found is an error."""
        return any(diagnostic["severity"] == ERROR for diagnostic in self.diagnostics)

    def found(self) -> list[Diagnostic]:
        """All diagnostics in their order, without those that a comment ignores."""
        self.diagnostics = order(self.diagnostics)
        if self._comments:
            self._apply_comments()
        return self.diagnostics

    def _apply_comments(self) -> None:
        by_file: dict[str, list[Diagnostic]] = {}
        for diagnostic in self.diagnostics:
            by_file.setdefault(diagnostic["primary"]["file"], []).append(diagnostic)
        for source, texts in self._comments:
            by_file[source.name], ignored = suppress(source, by_file.get(source.name, []), [texts])
            self.suppressed += ignored
        self._comments = []
        self.diagnostics = order(diagnostic for found in by_file.values() for diagnostic in found)

    def document(self, name: str) -> Document | None:
        """The profile in a file named on the command line; None: it is none, and why has been found."""
        self.files += 1
        source = self._source(name)
        if source is None:
            return None
        text = Text(source)
        document, findings = check(source, text.parsed)
        self._comment(text)
        self.add(findings)
        return document

    def compile(
        self,
        names: Sequence[str],
        *,
        folders: bool = True,
        origins: bool = True,
        clusters: list[Document] | None = None,
        tree: bool = False,
    ) -> Iterator[Result]:
        """What the job profiles among the files come to. Bases and clusters that are met in a folder pass.

        ``clusters`` takes the cluster profiles that were named; without it, to name one is an error.

        Without ``folders`` there are none: every name is that of a file. Without ``origins`` objects do not know where
        their parts came from: a large batch could not hold the nodes of all its files. ``tree``: they are built into an
        output tree, where each has a folder, and which a controller may apply.
        """
        self._tree = tree
        texts = self._texts(names, folders)
        jobs = (text for text, asked in texts if (asked or text.is_job) and not self._is_cluster(text, clusters))
        for block in _blocks(jobs):
            yield from self._compiled(block, origins)
        self._miss(names)

    def _is_cluster(self, text: Text, clusters: list[Document] | None) -> bool:
        """Whether a text is a cluster profile that is taken."""
        if clusters is None or text.kind != "Cluster":
            return False
        self.files += 1
        document, findings = check(text.source, text.parsed)
        self._comment(text)
        self.add(findings)
        if document is not None:
            clusters.append(document)
        return True

    def expand(self, names: Sequence[str]) -> Iterator[tuple[Text, Result | None]]:
        """Each file, with what it comes to if it is a profile. Bases and clusters that are met in a folder pass."""
        for text, asked in self._texts(names, True):
            if text.kind is None:
                self.files += 1
                yield text, None
            elif asked or text.is_job:
                yield text, self._compiled([text])[0]
        self._miss(names)

    def lint(self, names: Sequence[str]) -> None:
        """Checks manifests, and profiles as they are built."""
        from specgen.session.runtimes import Runtimes

        runtimes = Runtimes()
        # texts with a TrainJob whose runtime stands in none of their own objects, but may stand in a later file
        waiting: list[Text] = []
        room = _BLOCK
        for block in _blocks(text for text, _ in self._texts(names, True)):
            self._compiled([text for text in block if text.kind is not None and text.kind not in PARTS])
            for text in block:
                if text.kind is None:
                    if runtimes.take(text):
                        self._lint(text, runtimes)
                        continue
                    waiting.append(text)
                    room -= len(text.source.text)
                    if room < 0:
                        text.forget()
                elif text.kind in PARTS:
                    self.files += 1
                    self._comment(text)
                    self.add(check(text.source, text.parsed)[1])
        for text in waiting:
            self._lint(text, runtimes)
            text.forget()
        self._miss(names)

    def _lint(self, text: Text, runtimes: Runtimes) -> None:
        self.files += 1
        self._comment(text)
        name = text.source.name
        diagnostics, foreign = lint_objects(text, self.cluster, lambda job: runtimes.of(job, name), self._chosen)
        self.diagnostics += diagnostics
        self.foreign += foreign

    def _comment(self, text: Text) -> None:
        if commented(text.source):
            spans = [span for document in text.parsed[0] for span in document.texts()]
            self._comments.append((text.source, _Texts(spans)))

    def _compiled(self, texts: list[Text], origins: bool = True) -> list[Result]:
        self.files += len(texts)
        results = compile_texts(
            texts,
            self.library,
            cluster=self._option,
            settings=self._settings,
            variant=None if self._asked is None else self._asked.variant,
            today=self._today,
            tree=self._tree,
            chosen=self._chosen,
        )
        for text, result in zip(texts, results, strict=True):
            if self._asked is not None and result.variants is not None:
                self._asked.take(text.source.name, result.variants)
            self.diagnostics += result.diagnostics
            self.suppressed += result.suppressed
            for compiled in result.compiled:
                self._meet(compiled, text.source, origins)
        return results

    def _miss(self, names: Sequence[str]) -> None:
        """Says which files lack the variant that is asked for."""
        if self._asked is not None:
            self.unreadable += self._asked.missing(names)

    def _meet(self, compiled: Compiled, source: Source, origins: bool) -> None:
        """Takes the objects of a job, to find those that two jobs come to."""
        if self._collisions is None:
            alone = compiled.bundle is None or len(compiled.bundle.manifests) == 1
            if self._first is None and alone:
                self._first = (compiled, source, origins)
                return
            from specgen.session.collisions import Collisions  # most runs have one job of one object

            self._collisions = Collisions(tree=self._tree)
            if self._first is not None:
                first, file, kept = self._first
                self._first = None
                self.diagnostics += self._collisions.of(first, file, origins=kept)
        self.diagnostics += self._collisions.of(compiled, source, origins=origins)

    def _texts(self, names: Sequence[str], folders: bool) -> Iterator[tuple[Text, bool]]:
        """Every text, and whether its name was given: other files were met in a folder."""
        asked = frozenset(names)
        for name in self._expanded(names) if folders else names:
            try:
                source = self._source(name)
            except BadQuestion as error:
                self.unreadable.append(str(error))
                continue
            if source is None:
                self.files += 1
            else:
                yield Text(source), name in asked

    def _expanded(self, names: Sequence[str]) -> list[str]:
        found: list[str] = []
        for name in names:
            below = self._files.below(name)
            if below is None:
                found.append(name)
            elif not below:
                self.unreadable.append(f"the folder {name} holds no YAML file")
            else:
                found += below
        found = list(dict.fromkeys(found))
        self._files.expect(found)
        return found

    def _source(self, name: str) -> Source | None:
        """A file of the command line; None: it is no text, which has been found. Raises BadQuestion."""
        try:
            source, findings = self._files.named(name)
        except BadQuestion as error:
            raise BadQuestion(f"{name}: {error}") from None
        self.add(findings)
        if source is not None and source.name != name:
            self.texts[source.name] = source.text
        return source


def _blocks(texts: Iterable[Text]) -> Iterator[list[Text]]:
    """Texts some dozens at a time."""
    block: list[Text] = []
    characters = 0
    for text in texts:
        block.append(text)
        characters += len(text.source.text)
        if characters >= _BLOCK:
            yield block
            block, characters = [], 0
    if block:
        yield block


class _Texts:
    """Where the texts of a source stand, after its documents are gone."""

    __slots__ = ("_spans",)

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._spans = spans

    def texts(self) -> list[tuple[int, int]]:
        return self._spans
