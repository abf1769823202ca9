"""What is asked of the files of a run: by its command line, and by the configuration that is nearest to each file."""

from __future__ import annotations

import posixpath

from specgen.diagnostics.model import BadQuestion
from specgen.diagnostics.selection import Selection, codes_of
from specgen.profile.library import check
from specgen.recognise.kustomize import KUSTOMIZATIONS
from specgen.session import globs
from specgen.session.config import Config, Terms
from specgen.session.versions import Versions, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from specgen.diagnostics.model import Diagnostic, Finding
    from specgen.document.tree import Document
    from specgen.pipeline import Text
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.library import Library
    from specgen.session.files import Files


class Options:
    """What a command line says. Raises BadQuestion for words that mean nothing.

    ``select`` takes the place of what configurations select, ``ignore`` and ``exclude`` add to theirs, ``operators``
    (``NAME=VERSION[,VERSION]``) take the place of the versions of those operators. ``config``: the one configuration of
    all files; empty: there is none; None: the nearest one upwards. ``stdin``: what standard input is called.
    ``kustomize``: whether kustomizations are judged as they are rendered; None: where configurations say so.
    """

    __slots__ = ("config", "exclude", "ignore", "kustomize", "operators", "select", "stdin")

    def __init__(
        self,
        *,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        exclude: Sequence[str] = (),
        operators: Sequence[str] = (),
        config: str | None = None,
        stdin: str = "<stdin>",
        kustomize: bool | None = None,
    ) -> None:
        self.select = frozenset(code for word in select for code in codes_of(word)) if select else None
        self.ignore = frozenset(code for word in ignore for code in codes_of(word))
        self.exclude = list(exclude)
        self.operators = parsed(operators)
        self.config = config
        self.stdin = stdin
        self.kustomize = kustomize


class Policy:
    """What holds for each file of a run."""

    __slots__ = ("_clusters", "_configs", "_files", "_library", "_merged", "_one", "_options", "_versions")

    def __init__(self, files: Files, library: Library, options: Options) -> None:
        self._files = files
        self._library = library
        self._options = options
        # a configuration by the name of its file
        self._configs: dict[str, Config] = {}
        # what a configuration says → the same with what the command line says
        self._merged: dict[Terms | None, Terms] = {}
        # name of a cluster profile → what it says, and as a record
        self._clusters: dict[str, tuple[Document, ClusterProfile] | None] = {}
        self._versions: dict[tuple[Terms, int], Versions] = {}
        self._one: Config | None = None
        if options.config:
            try:
                source, findings = files.named(options.config)
            except BadQuestion as error:
                raise BadQuestion(f"{options.config}: {error}") from None
            if source is None:
                raise BadQuestion(f"{options.config}: {findings[0].message}")
            self._one = Config(source)

    def config(self, name: str) -> Config | None:
        """The configuration of a file. Raises BadQuestion where it is wrong."""
        if self._options.config is not None:
            return self._one
        source = self._files.config(name)
        if source is None:
            return None
        if source.name not in self._configs:
            self._configs[source.name] = Config(source)
        return self._configs[source.name]

    def _takes(self, name: str, *, usual: bool, met: bool) -> bool:
        """Whether a file is looked at. ``met``: in a folder, where ``usual`` ones are."""
        name = self._options.stdin if name == "-" else name
        config = self.config(name)
        if globs.first(self._options.exclude, name) is not None:
            return False
        if config is None:
            return usual or not met
        if config.excludes(name):
            return False
        return not met or (usual if config.include is None else config.includes(name))

    def taken(self, names: Sequence[str], usual: list[str]) -> list[str]:
        """The files that are looked at. ``names`` are those of the command line, of which ``usual`` files come."""
        folders = [name for name in names if self._files.below(name) is not None]
        asked = set(names).difference(folders)
        more = [name for folder in folders if self._includes(folder) for name in self._files.all_below(folder)]
        # a kustomization may be called so without an ending
        bare = [name for folder in folders if self._renders(folder) for name in self._files.all_below(folder)]
        usual = [*usual, *(name for name in bare if name.endswith("/Kustomization") or name == "Kustomization")]
        known = set(usual)
        return [
            name
            for name in dict.fromkeys([*usual, *more])
            if self._takes(name, usual=name in known, met=name not in asked)
        ]

    def alike(self, texts: Iterable[Text]) -> Iterator[tuple[Selection, list[Text]]]:
        """Texts in their order, those together for which the same is selected."""
        group: list[Text] = []
        before: Selection | None = None
        for text in texts:
            own = self.terms(text.source.name).selection
            if before is not None and own is not before:
                yield before, group
                group = []
            before = own
            group.append(text)
        if before is not None:
            yield before, group

    def _includes(self, folder: str) -> bool:
        """Whether the configuration of a folder says which files a folder stands for."""
        config = self.config(_inside(folder))
        return config is not None and config.include is not None

    def renders(self, name: str) -> bool:
        """Whether a file is a kustomization, by its name, that is judged as it is rendered."""
        return name.rpartition("/")[2] in KUSTOMIZATIONS and self._renders(name.rpartition("/")[0])

    def _renders(self, folder: str) -> bool:
        """Whether the kustomizations in a folder are."""
        if self._options.kustomize is not None:
            return self._options.kustomize
        config = self.config(_inside(folder))
        return config is not None and config.kustomize

    def leaves_out(self, name: str) -> bool:
        """Whether a file is one that nobody wants to hear of."""
        config = self.config(name)
        return globs.first(self._options.exclude, name) is not None or (config is not None and config.excludes(name))

    def terms(self, name: str) -> Terms:
        """What holds for a file; the same object where the same holds."""
        config = self.config(name)
        said = config.terms(name) if config is not None else None
        if said not in self._merged:
            options = self._options
            own = said if said is not None else Terms(Selection())
            select = options.select if options.select is not None else own.selection.select
            # what is selected by name on the command line is not ignored by what the repository says of all
            ignore = own.selection.ignore if options.select is None else frozenset()
            terms = Terms(
                Selection(select, ignore | options.ignore, own.selection.severities),
                own.cluster,
                {**own.operators, **options.operators},
            )
            terms.where = own.where
            self._merged[said] = terms
        return self._merged[said]

    def judge(
        self,
        name: str,
        option: tuple[Document, ClusterProfile] | None,
        add: Callable[[Iterable[Finding]], None],
    ) -> tuple[tuple[Document, ClusterProfile] | None, Versions | None]:
        """What the manifests of a file are judged by: a cluster with its document, and several versions of operators.

        ``option``: the cluster profile that the command line names; ``add`` takes what is wrong in another one.
        """
        terms = self.terms(name)
        found = option if option is not None else self._cluster(terms, add)
        if not terms.operators:
            return found, None
        key = (terms, id(found[1] if found is not None else None))
        if key not in self._versions:
            self._versions[key] = Versions(found[0].data if found is not None else None, terms.operators)
        return found, self._versions[key]

    def _cluster(
        self, terms: Terms, add: Callable[[Iterable[Finding]], None]
    ) -> tuple[Document, ClusterProfile] | None:
        name = terms.cluster
        if name is None:
            return None
        if name not in self._clusters:
            source, problems = self._files.read(name)
            if source is None:
                raise BadQuestion(f"{terms.where}: `{name}`: {problems[0].message}")
            document, findings = check(source)
            add(findings)
            self._library.keep(name, (document, findings))
            if document is not None and document.data["kind"] != "Cluster":
                raise BadQuestion(f"{terms.where}: `{name}` is a `{document.data['kind']}`, and no `Cluster`")
            self._clusters[name] = None if document is None else (document, self._library.cluster(document))
        return self._clusters[name]

    def severe(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        """The diagnostics with the severities that they are to have."""
        found = []
        for one in diagnostics:
            severity = self.terms(one["primary"]["file"]).selection.severity(one["code"], one["severity"])
            found.append(one if severity == one["severity"] else {**one, "severity": severity})
        return found

    def reported(self, diagnostics: Iterable[Diagnostic]) -> tuple[list[Diagnostic], int]:
        """Those that are reported, and how many of the others were looked for and are ignored."""
        kept = []
        ignored = 0
        for one in diagnostics:
            selection = self.terms(one["primary"]["file"]).selection
            if selection.reports(one["code"], one["severity"]):
                kept.append(one)
            elif one["code"] in selection.ignore:
                ignored += 1
        return kept, ignored


def _inside(folder: str) -> str:
    """The name of a file in a folder."""
    return posixpath.normpath(posixpath.join(folder, "_"))
