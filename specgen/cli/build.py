"""Compile job profiles to manifests.

Without --out, the manifests go to standard output once everything is known to be right; diagnostics go to standard
error. With --out, a folder for each job is written, with a kustomization.yaml that kustomize, Argo CD and Flux take as
it is; only files whose bytes change are touched. --check writes nothing and says which files are stale, missing or
foreign. Folders stand for the job profiles below them.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from specgen.cli.files import DiskFiles
    from specgen.cli.terminal import Terminal
    from specgen.diagnostics.model import Edit, Operation, Place, Refusal, Span
    from specgen.manifest.model import Bundle, Manifest
    from specgen.source import Source

HELP = "compile job profiles to manifests"

# Characters of profiles that are compiled together: a stage runs faster for some dozens than for one after the other,
# and what is known of them while they are compiled takes some hundred times the room of their text.
_BLOCK = 64 * 1024


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common

    parser.add_argument(
        "files", nargs="+", metavar="PROFILE", help="job profiles, folders of them, or - for standard input"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="set a field, such as pods=8 or env.NCCL_DEBUG=WARN",
    )
    parser.add_argument(
        "--cluster", metavar="FILE", help="the cluster profile, in place of the one that the profile names"
    )
    parser.add_argument("--out", metavar="DIR", help="write a folder for each job below DIR")
    parser.add_argument(
        "--check", action="store_true", help="with --out: write nothing, exit 1 if files are stale, missing, or foreign"
    )
    parser.add_argument(
        "-o", "--output", choices=("yaml", "json"), default="yaml", help="form of the manifests on standard output"
    )
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    if options.check and not options.out:
        terminal.say("specgen: --check compares the folder that --out names")
        return exits.QUESTION
    return build(
        options.files,
        terminal,
        settings=options.set,
        cluster=options.cluster,
        out=options.out,
        check=options.check,
        output=options.output,
    )


def build(
    names: Sequence[str],
    terminal: Terminal,
    *,
    settings: Sequence[str] = (),
    cluster: str | None = None,
    out: str | None = None,
    check: bool = False,
    output: str = "yaml",
) -> int:
    """Compiles every file, reports every diagnostic, and prints or writes only if there is no error."""
    from specgen.cli.files import DiskFiles, Unreadable, expanded
    from specgen.diagnostics.place import order
    from specgen.profile.settings import BadSetting

    if cluster is not None and not _is_file(cluster):
        raise Unreadable(f"{cluster}: there is no such file")
    try:
        one = _Build(DiskFiles(), settings, cluster)
        one.add(expanded(list(names)), asked=frozenset(names))
    except BadSetting as error:
        terminal.say(f"specgen: {error}")
        if error.help:
            terminal.say(f"  = help: {error.help}")
        return exits.QUESTION
    one.collisions()
    diagnostics = order(one.diagnostics)
    failed = any(diagnostic["severity"] == "error" for diagnostic in diagnostics)
    code = max(one.code, exits.BAD if failed else exits.GOOD)
    if diagnostics or terminal.format == "json":
        terminal.report(diagnostics, files=one.files, stream=terminal.err, suppressed=one.suppressed)
    for line in one.unreadable:
        terminal.say(line)
    if code:
        return code
    if not one.bundles:
        terminal.say("specgen: no job profile among these files, nothing is built")
        return exits.QUESTION
    if out is not None:
        from specgen.cli.tree import checked, written

        return checked(out, one.bundles, terminal) if check else written(out, one.bundles, terminal)
    terminal.answer(_printed(one.bundles, output))
    return exits.GOOD


def _is_file(name: str) -> bool:
    import os

    return os.path.isfile(name)


def _printed(bundles: list[Bundle], output: str) -> str:
    if output == "yaml":
        from specgen.emit.layout import stream

        return stream(bundles)
    from specgen.document.write import write_json

    trees = [manifest.tree for bundle in bundles for manifest in bundle.manifests]
    return write_json(trees[0] if len(trees) == 1 else {"apiVersion": "v1", "kind": "List", "items": trees})


class _Build:
    """All files of a run; errors of one do not hide those of another."""

    def __init__(self, files: DiskFiles, settings: Sequence[str], cluster: str | None) -> None:
        from specgen.profile.library import Library

        if cluster is not None:
            files.trust(cluster)
        self.disk = files
        self.library = Library(files)
        self.settings = settings
        self.cluster = cluster
        self.diagnostics: list[dict[str, object]] = []
        self.bundles: list[Bundle] = []
        self.origins: dict[tuple[str, str, str, str], tuple[str, Place]] = {}
        self.unreadable: list[str] = []
        self.files = 0
        self.suppressed = 0
        self.code = exits.GOOD

    def add(self, names: Sequence[str], *, asked: frozenset[str]) -> None:
        """Compiles files, some dozens at a time. Bases and clusters met in a folder are not jobs, and pass."""
        self.disk.expect(names)
        block: list[Source] = []
        characters = 0
        for name in names:
            source = self._read(name, asked=name in asked)
            if source is not None:
                block.append(source)
                characters += len(source.text)
            if characters >= _BLOCK:
                self._compile(block)
                block, characters = [], 0
        self._compile(block)

    def _read(self, name: str, *, asked: bool) -> Source | None:
        from specgen.cli.files import Unreadable
        from specgen.cli.terminal import remember
        from specgen.diagnostics.place import place

        try:
            source, findings = self.disk.named(name)
        except Unreadable as error:
            self.unreadable.append(f"specgen: {name}: {error}")
            self.code = exits.QUESTION
            return None
        if source is None:
            self.files += 1
            self.diagnostics += [place(finding, finding.where) for finding in findings if finding.where is not None]
            return None
        if name == "-":
            remember(source.name, source.text)
        if not asked and not _is_job(source.text):
            return None
        self.files += 1
        return source

    def _compile(self, sources: list[Source]) -> None:
        from specgen.cli.files import day
        from specgen.cli.terminal import remember
        from specgen.pipeline import compile_sources

        today = max([day(source.text) for source in sources], default="")
        results = compile_sources(sources, self.library, cluster=self.cluster, settings=self.settings, today=today)
        for setting in self.settings:
            remember(f"--set {setting}", setting)
        for source, result in zip(sources, results, strict=True):
            self.diagnostics += result.diagnostics
            self.suppressed += result.suppressed
            for compiled in result.compiled:
                if compiled.bundle is not None:
                    self.bundles.append(compiled.bundle)
                    name = _kept(compiled.job.place(("metadata", "name")))
                    self.diagnostics += self._met(compiled.bundle, name, source)

    def _met(self, bundle: Bundle, place_of_name: Place, source: Source) -> list[dict[str, object]]:
        """Remembers the objects of a bundle. SG213 for those that another job came to, or for the job alone."""
        found = []
        for manifest in (bundle.job, *(one for one in bundle.manifests if one is not bundle.job)):
            spot = place_of_name if manifest is bundle.job else _place_of_name(manifest)
            # everything is placed: a large batch must not hold the nodes and origins of all its files
            manifest.where = spot.where or manifest.where
            ref = manifest.ref
            key = (ref.api_version, ref.kind, ref.namespace or "", ref.name)
            if key not in self.origins:
                self.origins[key] = (source.name, spot)
                continue
            name, there = self.origins[key]
            if manifest is bundle.job:
                return [_collision(key, spot, there, source, [])]
            helps = ["each variant of the job may name its own"] if name == source.name else []
            found.append(_collision(key, spot, there, source, helps))
        return found

    def collisions(self) -> None:
        """Jobs of one name in several namespaces would overwrite each other's files: each one's folder names its own."""
        spaces: dict[str, list[str | None]] = {}
        for bundle in self.bundles:
            spaces.setdefault(bundle.name, []).append(bundle.job.ref.namespace)
        for bundle in self.bundles:
            namespace = bundle.job.ref.namespace
            if any(other != namespace for other in spaces[bundle.name]):
                bundle.name = f"{namespace or 'default'}.{bundle.name}"


class _Spot:
    """Places everything at one span."""

    __slots__ = ("_span",)

    def __init__(self, span: Span) -> None:
        self._span = span

    def span(self, place: Place) -> Span:
        return self._span

    def edits(self, patch: Sequence[Operation]) -> list[Edit] | Refusal:
        from specgen.diagnostics.model import Refusal

        return Refusal("this place is no document")


def _kept(place: Place) -> Place:
    """The place without the document that it was found in."""
    from specgen.diagnostics.model import Place

    assert place.where is not None
    return Place(place.path, where=_Spot(place.where.span(place)))


def _place_of_name(manifest: Manifest) -> Place:
    """Where a companion's name came from."""
    from specgen.diagnostics.model import Place

    path = ("metadata", "name")
    return Place(path, where=_Spot(manifest.where.span(Place(path))))


def _collision(
    key: tuple[str, str, str, str], here: Place, there: Place, source: Source, helps: list[str]
) -> dict[str, object]:
    from specgen.diagnostics.place import place
    from specgen.pipeline import nowhere
    from specgen.profile.codes import SAME_NAME

    message = f"two jobs come to the {key[1]} `{key[3]}`" + (f" in the namespace `{key[2]}`" if key[2] else "")
    return place(SAME_NAME.at(here, message, related=[(there, "the other one")], helps=helps), nowhere(source))


def _is_job(text: str) -> bool:
    """Whether a file met in a folder looks like a job profile; a broken one does, and is reported."""
    if "apiVersion: specgen/" not in text.replace('"', "").replace("'", ""):
        return False
    text = "\n" + text
    return "\nkind: Base" not in text and "\nkind: Cluster" not in text
