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
    options(parser)


def options(parser: ArgumentParser, *, standard_input: bool = True) -> None:
    """Options of every verb that lints."""
    from specgen.cli.options import common, variant

    what = "manifests, folders of them, or - for standard input" if standard_input else "manifests, and folders of them"
    parser.add_argument("files", nargs="+", metavar="FILE", help=what)
    parser.add_argument(
        "--cluster", metavar="FILE", help="a cluster profile: resource names, operator versions, libraries"
    )
    variant(parser)
    common(parser)


def run(asked: Namespace, terminal: Terminal) -> int:
    """The verb."""
    return lint(asked.files, terminal, cluster=asked.cluster, variant=asked.variant)


def lint(names: Sequence[str], terminal: Terminal, *, cluster: str | None = None, variant: str | None = None) -> int:
    """Checks every file and reports on standard output."""
    from specgen.cli.files import opened

    session = opened(cluster=cluster, variant=variant)
    session.lint(names)
    clean = "clean"
    if session.foreign:
        from specgen.diagnostics.model import plural

        clean = f"clean; {plural(session.foreign, 'object')} of a kind that specgen does not check"
    return terminal.conclude(session, stream=terminal.out, clean=clean)
