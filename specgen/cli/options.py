"""Options that several verbs share."""

from __future__ import annotations

from specgen.cli.terminal import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser


def common(parser: ArgumentParser) -> None:
    """``--format`` and ``--quiet``."""
    parser.add_argument(
        "--format", choices=FORMATS, help="form of the diagnostics; human on a terminal, concise in a pipe"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing where nothing is wrong")
