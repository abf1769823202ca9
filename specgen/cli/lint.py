"""Check manifests that were written by hand, and profiles.

Every object of a known kind is checked: text, shape, misplaced fields, and what its operator and its nodes will make of
it. A profile is checked as ``build`` does it, and nothing is written. Other objects pass untouched. Folders stand for
the YAML files below them. A comment ``# specgen: ignore[SG420] reason`` on the line, or alone on the line above it or
on the first line of the file, leaves a warning or note unreported.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from specgen.cli.files import DiskFiles
    from specgen.cli.terminal import Terminal
    from specgen.diagnostics.model import Diagnostic
    from specgen.profile.cluster import ClusterProfile

HELP = "check manifests that were written by hand"


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common

    parser.add_argument("files", nargs="+", metavar="FILE", help="manifests, folders of them, or - for standard input")
    parser.add_argument(
        "--cluster", metavar="FILE", help="a cluster profile: resource names, operator versions, libraries"
    )
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    return lint(options.files, terminal, cluster_file=options.cluster)


def lint(names: Sequence[str], terminal: Terminal, *, cluster_file: str | None = None) -> int:
    """Checks every file and reports on standard output."""
    from specgen.cli.files import DiskFiles, Unreadable, day, expanded
    from specgen.cli.terminal import remember
    from specgen.diagnostics.model import plural
    from specgen.diagnostics.place import order, place
    from specgen.pipeline import lint_source
    from specgen.profile.library import Library

    disk = DiskFiles()
    library = Library(disk)
    diagnostics = []
    if cluster_file:
        disk.trust(cluster_file)
    cluster, found = _cluster(cluster_file, disk) if cluster_file else (None, [])
    diagnostics += found
    code = exits.GOOD
    files = foreign = suppressed = 0
    for name in expanded(list(names)):
        try:
            source, findings = disk.named(name)
        except Unreadable as error:
            terminal.say(f"specgen: {name}: {error}")
            code = exits.QUESTION
            continue
        files += 1
        if source is None:
            diagnostics += [place(finding, finding.where) for finding in findings if finding.where is not None]
            continue
        if name == "-":
            remember(source.name, source.text)
        result = lint_source(source, cluster, library, cluster_file=cluster_file, today=day(source.text))
        diagnostics += result.diagnostics
        foreign += result.foreign
        suppressed += result.suppressed
    diagnostics = order(diagnostics)
    what = f"clean; {plural(foreign, 'object')} of a kind that specgen does not check" if foreign else "clean"
    if files or terminal.format == "json":
        terminal.report(diagnostics, files=files, stream=terminal.out, suppressed=suppressed, what=what)
    failed = any(diagnostic["severity"] == "error" for diagnostic in diagnostics)
    return max(code, exits.BAD if failed else exits.GOOD)


def _cluster(name: str, disk: DiskFiles) -> tuple[ClusterProfile | None, list[Diagnostic]]:
    """The cluster profile as rules see it, and what is wrong with it."""
    from specgen.cli.files import Unreadable
    from specgen.diagnostics.place import place
    from specgen.profile.codes import BROKEN_REFERENCE
    from specgen.profile.library import check
    from specgen.schema.record import record
    from specgen.tables import cluster as table

    try:
        source, findings = disk.named(name)
    except Unreadable as error:
        raise Unreadable(f"{name}: {error}") from None
    document = None
    if source is not None:
        document, findings = check(source)
        if document is not None and document.data["kind"] != "Cluster":
            message = f"`{name}` is a `{document.data['kind']}`, `--cluster` names a `Cluster`"
            return None, [place(BROKEN_REFERENCE.at(("kind",), message), document)]
    diagnostics = [place(finding, finding.where) for finding in findings if finding.where is not None]
    if document is None:
        return None, diagnostics
    return record(document.data, "ClusterProfile", table.RECORDS), diagnostics
