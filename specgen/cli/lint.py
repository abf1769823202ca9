"""Check manifests that were written by hand, and profiles.

Every object of a known kind is checked: text, shape, misplaced fields, and what its operator and its nodes will make of
it. A profile is checked as ``build`` does it, and nothing is written. Other objects pass untouched. Folders stand for
the YAML files below them. A comment ``# specgen: ignore[SG420] reason`` on the line, or alone on the line above it or
on the first line of the file, leaves a warning or note unreported.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from specgen.cli.terminal import Terminal

HELP = "check manifests that were written by hand"


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common, variant

    parser.add_argument("files", nargs="+", metavar="FILE", help="manifests, folders of them, or - for standard input")
    parser.add_argument(
        "--cluster", metavar="FILE", help="a cluster profile: resource names, operator versions, libraries"
    )
    parser.add_argument(
        "--select",
        action="append",
        default=[],
        metavar="CODES",
        help="look for opt-in codes: groups (policy), codes, their beginnings (SG86), names, with commas between them",
    )
    variant(parser)
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    return lint(options.files, terminal, cluster=options.cluster, variant=options.variant, select=words(options.select))


def words(options: Sequence[str]) -> list[str]:
    """Words of options that take several, with commas between them."""
    return [word.strip() for option in options for word in option.split(",") if word.strip()]


def lint(
    names: Sequence[str],
    terminal: Terminal,
    *,
    cluster: str | None = None,
    variant: str | None = None,
    select: Sequence[str] = (),
) -> int:
    """Checks every file and reports on standard output."""
    from specgen.cli.files import opened

    session = opened(cluster=cluster, variant=variant, select=select)
    session.lint(names)
    clean = "clean"
    if session.foreign:
        from specgen.diagnostics.model import plural

        clean = f"clean; {plural(session.foreign, 'object')} of a kind that specgen does not check"
    return terminal.conclude(session, stream=terminal.out, clean=clean)
