"""One run, whatever the verb: its files together, compiled or linted, and all that was found on them.

A verb opens a session with what its command line names, takes results from it, adds what it finds itself, and prints.
Files come through ``Files``: a disk, or what an editor holds. What a session says is the same for every verb:

- a file named on the command line that cannot be opened is a sentence of ``unreadable``, and the other files go on; a
  cluster profile or a setting that cannot be used is a ``BadQuestion``, and there is no session;
- a folder stands for the YAML files below it, and of these only jobs are built;
- what is wrong in a file, be it a job's, a base, or the cluster profile, is a diagnostic at its place there;
- jobs that come to one object are a diagnostic, whichever of the files they are in.

Lives here: ``Session``; ``collisions`` (objects that two jobs come to), ``runtimes`` (those that a TrainJob may need),
``queues`` (those that jobs may name, and PodGroups), ``crds`` (kinds of a user's own cluster), ``asked`` (the one
variant that is asked for), ``attempt`` (what specgen itself fails at); ``files`` (what is asked of files), ``parts``
(several processes), ``repair`` (fixes that are applied); ``kustomize`` (what kustomizations come to); ``policy`` (what
the command line and configurations ask of files: ``config``, with ``toml`` and ``globs``; ``versions`` of operators),
``jobs`` (those of a run with what stands beside them), ``own_trees`` (what specgen wrote, and for which cluster),
``compare`` (jobs of two runs), ``companions`` (what stands beside these), ``places`` (where in its profile a changed
field stands), ``replaced`` (files of a tree that become others), ``world`` (the nodes that jobs are asked against) and
``supposed`` (what is asked if it were otherwise), ``baseline`` (findings that are accepted), ``comments`` (those that
ignore some).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, BadQuestion, Place
from specgen.diagnostics.place import order, place, region
from specgen.diagnostics.suppress import commented
from specgen.pipeline import PARTS, Result, Text, compile_texts
from specgen.profile.library import Library, check
from specgen.source import is_markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from specgen.diagnostics.model import Diagnostic, Finding, Placer, Region
    from specgen.diagnostics.selection import Selection
    from specgen.document.tree import Document
    from specgen.linting import Kinds, Linted
    from specgen.manifest.model import Manifest
    from specgen.pipeline import Compiled
    from specgen.profile.cluster import ClusterProfile
    from specgen.recognise.kustomize import Around
    from specgen.schedulers.world import World
    from specgen.session.asked import Asked
    from specgen.session.attempt import Attempt
    from specgen.session.baseline import Baseline
    from specgen.session.collisions import Collisions
    from specgen.session.comments import Comments
    from specgen.session.files import Files
    from specgen.session.kustomize import Render
    from specgen.session.kustomize.judge import Judged
    from specgen.session.own_trees import OwnTrees
    from specgen.session.parts import Together
    from specgen.session.policy import Options, Policy
    from specgen.session.queues import Queues
    from specgen.session.runtimes import Runtimes
    from specgen.source import Path, Source


# Characters of texts that are worked on together: a stage runs faster for some dozens than for one after the other,
# and what is known of them while they are compiled takes some hundred times the room of their text.
_BLOCK = 64 * 1024
# Files after which what was found in the earlier ones holds on to nothing that was read.
_MANY = 200


class Session:
    """The files of one run and what was found on them. Raises BadQuestion for a cluster or a setting of no use.

    ``cluster``: the cluster profile in place of those that jobs name. ``variant``: one variant alone of each profile
    that has it, empty for the job itself; a profile that was named must have it. ``today``, as ``2027-01-31``, ends the
    ignores that are dated; without it they last. ``options``: what the command line says of the files that are linted;
    without it configurations may. ``baseline``: findings that were there before.
    """

    __slots__ = (
        "_applied",
        "_around",
        "_asked",
        "_baseline",
        "_cluster",
        "_collisions",
        "_comments",
        "_files",
        "_first",
        "_kinds",
        "_linted",
        "_markdown",
        "_option",
        "_options",
        "_own_trees",
        "_policy",
        "_settings",
        "_today",
        "_tree",
        "baselined",
        "cluster",
        "diagnostics",
        "excluded",
        "files",
        "judged",
        "library",
        "looked_at",
        "progress",
        "renders",
        "suppressed",
        "texts",
        "unchecked",
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
        options: Options | None = None,
        baseline: Baseline | None = None,
    ) -> None:
        self._files = files
        self._option = cluster
        self._settings = settings
        self._asked: Asked | None = None
        # (apiVersion, kind) → schema, of kinds that only the cluster knows
        self._kinds: Kinds = {}
        # the files that are linted, and those beside them
        self._linted: Sequence[str] = ()
        # files of Markdown of which a block was judged
        self._markdown: set[str] = set()
        self._around: Around | None = None
        self._own_trees: OwnTrees | None = None
        self._today = today
        self._options = options
        self._baseline = baseline
        # what the command line and configurations say of files; None: nothing
        self._policy: Policy | None = None
        # the cluster profile of the option, as it is written and as a record
        self._cluster: tuple[Document, ClusterProfile] | None = None
        # whether the jobs are built into a tree, and whether a controller applies them from elsewhere
        self._tree = self._applied = False
        # the objects of all jobs so far, and until a second job comes the first one
        self._collisions: Collisions | None = None
        self._first: tuple[Compiled, Source, bool] | None = None
        # those of manifests and parts: a profile applies its own; None: there are none
        self._comments: Comments | None = None
        self.library = Library(files)
        self.diagnostics: list[Diagnostic] = []
        # files that were looked at
        self.files = 0
        # files of which something was judged, and what was left alone, as it is counted → how many
        self.judged = 0
        self.unchecked: dict[str, int] = {}
        # findings that an ignore took out
        self.suppressed = 0
        # findings that are in the baseline
        self.baselined = 0
        # files that were left out
        self.excluded = 0
        # names of files that were linted, with the objects in each
        self.looked_at: dict[str, list[dict[str, str]]] = {}
        # whether kustomizations were to be judged as they are rendered
        self.renders = False
        # is told how many files of how many are done
        self.progress: Callable[[int, int], None] | None = None
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
        if options is not None:
            from specgen.session.policy import Policy

            self._policy = Policy(files, self.library, options)

    def add_settings(self, settings: Sequence[str]) -> None:
        """Further settings, of profiles that are read from now on."""
        self._settings = [*self._settings, *settings]
        self._try_settings()

    def _try_settings(self) -> None:
        from specgen.profile.settings import BadSetting, layer
        from specgen.tables import job as table

        for setting in self._settings:
            try:
                layer(setting, table.DEFINITIONS["Layer"])
            except BadSetting as error:
                from specgen.profile.meant import helped

                raise helped(error, setting) from None
            self.texts[f"--set {setting}"] = setting

    def _open_cluster(self, name: str) -> None:
        from specgen.profile.resolve import cluster_of_option

        source = self._source(name)
        self.library.keep(name, (None, []) if source is None else check(source))
        document, findings = cluster_of_option(self.library, name)
        if document is not None:
            self.cluster = self.library.cluster(document)
            self._cluster = (document, self.cluster)
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
        """All diagnostics in their order, without those that are ignored, or that the baseline holds."""
        self._choose()
        if self._baseline is not None:
            self.diagnostics, self.baselined = self._baseline.take(
                self.diagnostics, self.looked_at, self._files.is_there, self._reported
            )
            self._baseline = None
            self._choose()  # what the baseline itself is told
        return self.diagnostics

    def accept(self, name: str) -> tuple[str, int, int]:
        """A baseline of all that is found, as the text of a file of that name; from now on it is known.

        How many findings it holds, and how many of them the file held before, for which this run did not look. Raises
        BadQuestion where the file is something else.
        """
        from specgen.session.baseline import Baseline, before, written
        from specgen.source import Source

        self._choose()
        former = before(self._files, name)
        kept = {}
        if former is not None:
            kept = former.kept(self.diagnostics, self.looked_at, self._files.is_there, self._reported)
        text, count = written(self.diagnostics, name, kept)
        self._baseline = Baseline(Source(name, text))
        return text, count, sum(kept.values())

    def _choose(self) -> None:
        self.settle()
        if self._policy is not None:
            self.diagnostics, ignored = self._policy.reported(self.diagnostics)
            self.suppressed += ignored

    def text(self, name: str) -> str:
        """What a file held when it was read, or holds now, for reports that quote it; empty where it is gone."""
        return self.texts[name] if name in self.texts else self._files.again(name)

    def begin(self) -> None:
        """Forgets what was found: a copy of a session is for other files."""
        self.diagnostics = []
        self.unreadable = []
        self._comments = None
        self.files = self.judged = self.suppressed = 0
        self.unchecked = {}
        self.looked_at = {}

    def keeps_to(self, names: Collection[str]) -> bool:
        """Whether all that was found is of these files, and no comment says that anything else is to be ignored."""
        return self._comments is None and all(one["primary"]["file"] in names for one in self.diagnostics)

    def settle(self) -> None:
        """Gives what was found its severities and order, and leaves out what comments ignore."""
        if self._policy is not None:
            self.diagnostics = self._policy.severe(self.diagnostics)
        self.diagnostics = order(self.diagnostics)
        self._comment_beside()
        if self._comments is not None:
            self.diagnostics, ignored = self._comments.apply(self.diagnostics, self._today, self._chosen)
            self.suppressed += ignored

    def _comment(self, text: Text, *, part: bool = False) -> None:
        if commented(text.source):
            from specgen.session.comments import Comments  # most files have none

            self._comments = self._comments or Comments()
            self._comments.take(text, part=part)

    def _comment_beside(self) -> None:
        """Takes the comments of the profiles that jobs name, where anything was found."""
        read = self.library.documents() if self.diagnostics or self._comments is not None else []
        if self._comments is None and any([commented(document.source) for document in read]):
            from specgen.session.comments import Comments

            self._comments = Comments()
        if self._comments is not None:
            self._comments.read(read)

    def _reported(self, file: str, code: str) -> bool:
        """Whether anybody looked for a code in a file."""
        return self._policy is None or self._policy.terms(file).selection.looked_for(code)

    def document(self, name: str) -> Document | None:
        """The profile in a file named on the command line; None: it is none, and why has been found."""
        self.files += 1
        source = self._source(name)
        if source is None:
            return None
        text = Text(source)
        document, findings = check(source, text.parsed)
        self._comment(text, part=True)
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
        applied: bool = False,
    ) -> Iterator[Result]:
        """What the job profiles among the files come to. Bases and clusters that are met in a folder pass.

        ``clusters`` takes the cluster profiles that were named; without it, to name one is an error.

        Without ``folders`` there are none: every name is that of a file. Without ``origins`` objects do not know where
        their parts came from: a large batch could not hold the nodes of all its files. ``tree``: they are built into an
        output tree, where each has a folder, and which a controller may apply. ``applied``: a controller applies them.
        """
        self._applied = applied
        yield from self.built(self.read(names, folders, told=True), origins=origins, clusters=clusters, tree=tree)
        self._miss(names)

    def built(
        self,
        texts: Iterable[tuple[Text, bool]],
        *,
        origins: bool = False,
        clusters: list[Document] | None = None,
        tree: bool = False,
    ) -> Iterator[Result]:
        """What the job profiles among texts come to, each beside whether its name was given; as ``compile``."""
        self._tree = tree
        jobs = (text for text, asked in texts if self._is_built(text, asked, clusters))
        for block in _blocks(jobs):
            yield from self._compiled(block, origins)

    def _is_built(self, text: Text, asked: bool, clusters: list[Document] | None) -> bool:
        """Whether a text is to be a job: it was named, or looks like one."""
        try:
            return (asked or text.is_job) and not self._is_cluster(text, clusters)
        except Exception as error:
            self._take_bug(error, text.source)
        return False

    def _take_bug(self, error: Exception, source: Source) -> None:
        """Takes an exception for a finding of a file, or raises it again where it is none of specgen's own bugs."""
        from specgen.session.attempt import bug, is_bug

        if not is_bug(error):
            raise error
        self.diagnostics.append(bug(error, source))

    def trying(self, source: Source) -> Attempt:
        """A block of work for one file: where specgen itself fails in it, that is a finding of the file."""
        from specgen.session.attempt import Attempt

        return Attempt(source, self.diagnostics)

    def _is_cluster(self, text: Text, clusters: list[Document] | None) -> bool:
        """Whether a text is a cluster profile that is taken."""
        if clusters is None or text.kind != "Cluster":
            return False
        self.files += 1
        document, findings = check(text.source, text.parsed)
        self._comment(text, part=True)
        self.add(findings)
        if document is not None:
            clusters.append(document)
        return True

    def expand(
        self, names: Sequence[str], unless: Callable[[Text], bool] | None = None
    ) -> Iterator[tuple[Text, Result | None]]:
        """Each file, with what it comes to if it is a profile. Bases and clusters that are met in a folder pass.

        So do texts of which ``unless`` says that nobody needs what they come to. Of Markdown each block is a file.
        """
        for text, asked in ((part, asked) for whole, asked in self.read(names) for part in self._parted(whole)):
            if unless is not None:
                needless = False
                with self.trying(text.source):
                    needless = unless(text)
                if needless:
                    continue
            meant = taken = False
            with self.trying(text.source):
                meant = text.kind is not None
                taken = not meant or asked or text.is_job
            if taken and not meant:
                self.files += 1
                yield text, None
            elif taken:
                yield text, self._compiled([text])[0]
        self._miss(names)

    def lint(
        self,
        names: Sequence[str],
        *,
        crds: Sequence[str] = (),
        jobs: int = 1,
        together: Together | None = None,
        prove: bool | None = None,
        render: Render | None = None,
    ) -> None:
        """Checks manifests, and profiles as they are built.

        ``crds``: files and folders of CustomResourceDefinitions, by whose schemas objects of other kinds are judged.
        ``prove``: the fixes of many texts are proven as these go by, or lose their edits, which hold on to what was
        read; None: all are kept until somebody asks. ``together`` runs so many parts at once, each in a process.
        ``render`` renders the kustomizations of which it is asked that they are judged so.
        """
        if crds:
            from specgen.session.crds import kinds  # most clusters have none that matter here

            self._kinds, findings = kinds(self._files, crds)
            self.add(findings)
        taken = self._linted = self._taken(names)
        texts: Iterable[Text] = (part for text, _ in self.read(taken, folders=False) for part in self._parted(text))
        judged: Judged | None = None
        others: list[Text] = []
        if render is not None and (named := self._kustomizations(taken)):
            from specgen.session.kustomize.judge import Judged

            self.renders = True
            others = list(texts)
            judged = Judged(self._files, {text.source.name: text for text in others}, named, render)
            texts = others = [text for text in others if text.source.name not in judged.covered]
        if together is not None and jobs > 1:
            from specgen.session.parts import in_parts

            texts = in_parts(self, list(texts), jobs, together, prove=bool(prove))
        self._lint_texts(texts, len(taken), () if judged is None else judged.covered.values(), prove=prove)
        if judged is not None:
            self._lint_rendered(judged, others)
        self._miss(names)

    def _kustomizations(self, names: Sequence[str]) -> list[str]:
        """The kustomizations among files that are judged as they are rendered."""
        policy = self._policy
        return [] if policy is None else [name for name in names if policy.renders(name)]

    def _lint_rendered(self, judged: Judged, others: list[Text]) -> None:
        """Checks what kustomizations come to, each with the ``others`` of the run that are in none of them."""
        from specgen.session.queues import Queues
        from specgen.session.runtimes import Runtimes

        # those that may hold what an object of another text needs, once one needs it
        holding: list[Text] | None = None

        def lint(text: Text, name: str) -> Linted:
            nonlocal holding
            runtimes, queues = Runtimes(), Queues()
            if not queues.take(text) & runtimes.take(text):
                if holding is None:
                    holding = [one for one in others if not Queues().take(one) or "TrainingRuntime" in one.source.text]
                for other in holding:
                    queues.take(other)
                    runtimes.take(other)
            return self._judge(text, name, runtimes, queues)

        judged.lint(lint)
        for name, text in judged.covered.items():
            self._comment(text)
            self.looked_at[name] = [one.ref.as_dict() for found in text.objects for one in found]
        self.files += len(judged.covered)
        self.judged += judged.checked
        policy = self._policy
        self.diagnostics += [
            one for one in judged.diagnostics if policy is None or not policy.leaves_out(one["primary"]["file"])
        ]
        for what, count in judged.unchecked.items():
            self.unchecked[what] = self.unchecked.get(what, 0) + count

    def _parted(self, text: Text) -> list[Text]:
        """A text, or the blocks of a file of Markdown that hold objects."""
        if not is_markdown(text.source.name):
            return [text]
        from specgen.recognise.markdown import blocks

        found = []
        with self.trying(text.source):
            sources, findings = blocks(text.source)
            self.add(findings)
            found = [Text(block) for block in sources]
        if not found:
            self.files += 1
            self.unchecked["Markdown file"] = self.unchecked.get("Markdown file", 0) + 1
        self.files -= max(0, len(found) - 1)
        return found

    def _lint_texts(
        self, texts: Iterable[Text], count: int, beside: Iterable[Text] = (), *, prove: bool | None = None
    ) -> None:
        """Checks texts; those ``beside`` them hold runtimes and queues, and are checked elsewhere."""
        from specgen.session.queues import Queues
        from specgen.session.runtimes import Runtimes

        runtimes, queues = Runtimes(), Queues()
        for text in beside:
            queues.take(text)
            runtimes.take(text)
        # texts with a TrainJob whose runtime, or a job whose queue or PodGroup, may stand in a later file
        waiting: list[Text] = []
        room = _BLOCK
        settled = len(self.diagnostics)
        for block in _blocks(texts):
            if prove is not None and len(self.looked_at) > _MANY:
                self._settle_fixes(settled, prove)
                settled = len(self.diagnostics)
            block = [text for text in block if self._is_read(text)]
            self._compiled([text for text in block if text.kind is not None and text.kind not in PARTS])
            for text in block:
                self.looked_at.setdefault(text.source.name, [])
                if self.progress is not None:
                    self.progress(len(self.looked_at), count)
                with self.trying(text.source):
                    if text.kind is None:
                        if queues.take(text) & runtimes.take(text):
                            self.lint_text(text, runtimes, queues)
                            if self.renders:
                                text.forget()  # its source is held to the end of the run
                            continue
                        waiting.append(text)
                        room -= len(text.source.text)
                        if room < 0:
                            text.forget()
                    elif text.kind in PARTS:
                        self.files += 1
                        self.judged += 1
                        self._comment(text, part=True)
                        self.add(check(text.source, text.parsed)[1])
        for text in waiting:
            with self.trying(text.source):
                self.lint_text(text, runtimes, queues)
            text.forget()

    def _settle_fixes(self, start: int, prove: bool) -> None:
        from specgen.diagnostics.place import settled
        from specgen.manifest.edits import edits

        self.diagnostics[start:] = settled(self.diagnostics[start:], edits if prove else None)

    def _is_read(self, text: Text) -> bool:
        """Whether a text can be asked what it holds: specgen itself did not fail at it."""
        with self.trying(text.source):
            text.kind  # noqa: B018 (what is read is kept)
            return True
        self.files += 1
        return False

    def lint_text(self, text: Text, runtimes: Runtimes, queues: Queues) -> None:
        """Checks the objects of one text, with the runtimes and queues of others."""
        self.files += 1
        self._comment(text)
        name = text.source.name
        linted = self._judge(text, name, runtimes, queues, self._beside)
        self.looked_at[name] = [
            *self.looked_at.get(name, []),
            *(one.ref.as_dict() for found in text.objects for one in found),
        ]
        self.diagnostics += linted.diagnostics
        # a file of Markdown is one, however many blocks it has
        self.judged += bool(linted.checked) and name not in self._markdown
        if linted.checked and is_markdown(name):
            self._markdown.add(name)
        for what, count in linted.unchecked.items():
            self.unchecked[what] = self.unchecked.get(what, 0) + count

    def _judge(
        self,
        text: Text,
        file: str,
        runtimes: Runtimes,
        queues: Queues,
        around: Callable[[], Around] | None = None,
    ) -> Linted:
        """What is found of the objects of a text, by what is asked of a file."""
        from specgen.linting import lint_objects  # a build lints nothing

        name = text.source.name

        def beside(manifest: Manifest) -> list[Manifest]:
            runtime = runtimes.of(manifest, name)
            return [*(runtimes.near(manifest) if runtime is None else [runtime]), *queues.beyond(manifest, name)]

        known, versions = self._cluster, None
        if self._policy is not None:
            known, versions = self._policy.judge(file, self._cluster, self.add)
        if known is None and versions is None:
            known = self._built_for(file)
        said, cluster = known if known is not None else (None, None)
        return lint_objects(text, cluster, beside, self._chosen(file), versions, around, self._kinds, said)

    def _built_for(self, file: str) -> tuple[Document, ClusterProfile] | None:
        """The cluster profile for which specgen built a file."""
        if self._own_trees is None:
            from specgen.session.own_trees import OwnTrees

            self._own_trees = OwnTrees(self._files)
        return self._own_trees.cluster(file)

    def _beside(self) -> Around:
        """The files around those that are linted; most manifests are told from other texts without them."""
        if self._around is None:
            from specgen.recognise.kustomize import Around

            self._around = Around(self._files, self._linted)
        return self._around

    def _chosen(self, name: str) -> frozenset[str]:
        """Codes of opt-in rules that are looked for in a file."""
        return frozenset() if self._policy is None else self._policy.terms(name).selection.chosen

    def _compiled(self, texts: list[Text], origins: bool = True) -> list[Result]:
        if self._policy is None:
            return self._compiled_alike(texts, None, origins)
        alike = self._policy.alike(texts)
        return [one for own, group in alike for one in self._compiled_alike(group, own, origins)]

    def _compiled_alike(self, texts: list[Text], selection: Selection | None, origins: bool) -> list[Result]:
        self.files += len(texts)
        self.judged += len(texts)
        results = self._results(texts, selection)
        for text, result in zip(texts, results, strict=True):
            if self._asked is not None and result.variants is not None:
                self._asked.take(text.source.name, result.variants)
            self.diagnostics += result.diagnostics
            self.suppressed += result.suppressed
            try:
                for compiled in result.compiled:
                    self._meet(compiled, text.source, origins)
            except Exception as error:
                self._take_bug(error, text.source)
        return results

    def _results(self, texts: list[Text], selection: Selection | None) -> list[Result]:
        """What the profiles come to; where specgen itself fails at one of them, each is compiled by itself."""
        variant = None if self._asked is None else self._asked.variant
        try:
            return compile_texts(
                texts,
                self.library,
                cluster=self._option,
                settings=self._settings,
                variant=variant,
                today=self._today,
                tree=self._tree,
                applied=self._applied,
                selection=selection,
            )
        except Exception as error:
            from specgen.session.attempt import bug, is_bug

            if not is_bug(error):
                raise
            if len(texts) > 1:
                return [result for text in texts for result in self._results([text], selection)]
            failed = Result()
            failed.diagnostics.append(bug(error, texts[0].source))
            return [failed]

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

    def read(self, names: Sequence[str], folders: bool = True, *, told: bool = False) -> Iterator[tuple[Text, bool]]:
        """Every text, and whether its name was given: other files were met in a folder.

        ``told``: as they are read, so they are worked on, and whoever waits is told of it.
        """
        asked = frozenset(names)
        files = self._expanded(names) if folders else names
        for at, name in enumerate(files):
            if told and self.progress is not None:
                self.progress(at, len(files))
            try:
                source = self._source(name)
            except BadQuestion as error:
                self.unreadable.append(str(error))
                continue
            if source is None:
                self.files += 1
            else:
                yield Text(source), name in asked

    def _taken(self, names: Sequence[str]) -> list[str]:
        """The files that are linted, with those below folders, and without those that are left out."""
        expanded = self._expanded(names)
        if self._policy is None:
            if not any(self._files.config(name) for name in expanded):
                return expanded
            from specgen.session.policy import Options, Policy

            self._policy = Policy(self._files, self.library, Options())
        found = self._policy.taken(names, expanded)
        self.excluded = sum(name not in found for name in expanded)
        self._files.expect(found)
        return found

    def suppose(self, document: Document | None, cluster: ClusterProfile) -> None:
        """Takes the cluster profile that a job names, where the option names none."""
        if self.cluster is None:
            self.cluster = cluster
            self._cluster = (document, cluster) if document is not None else None

    def said(self, found: Iterable[tuple[Path, str]]) -> list[Region]:
        """What the cluster profile says at paths there, each where it stands."""
        if self._cluster is None:
            return []
        return [region(self._cluster[0].span(Place(path)), said) for path, said in found]

    def world(self, names: Sequence[str], usage: Sequence[str], namespaces: Iterable[str] = ()) -> World:
        """What jobs are asked against: objects of files, or what the cluster profile says; with what runs already.

        ``namespaces``: those of the jobs, in each of which the profile's queues are.
        Raises BadQuestion where neither is named, or nothing can be made of it.
        """
        from specgen.session import world  # one verb asks for it

        running, findings = world.objects(self._files, usage, "--usage")
        self.add(findings)
        if names:
            trees, findings = world.objects(self._files, names, "--world")
            self.add(findings)
            return world.of_objects([*trees, *running])
        if self.cluster is None:
            raise BadQuestion("which nodes are there? name a cluster profile with --cluster, or objects with --world")
        made = world.of_cluster(self.cluster, running, namespaces)
        made.housed = world.house(made)
        for key, sentence in world.unheld(made):
            at = self.said([made.said[key]])[0]
            raise BadQuestion(f"{at['file']}:{at['start']['line']}:{at['start']['column']}: {sentence}")
        return made

    def _expanded(self, names: Sequence[str]) -> list[str]:
        # a file of two names is one: of those of the command line the last, else the one in its folder
        found: dict[str, str] = {}
        for name in names:
            below = self._files.below(name)
            if below is None:
                plain = len(names) == 1 or ".." in name  # above a link lies another folder than is written
                found[name if plain else self._files.join(name, "")] = name
            elif not below:
                self.unreadable.append(f"the folder {name} holds no YAML file")
            else:
                for file in below:
                    found.setdefault(file, file)
        self._files.expect(found.values())
        return list(found.values())

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
