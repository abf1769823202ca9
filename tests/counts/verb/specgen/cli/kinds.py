"""Print the kinds that job profiles compile to, each with the versions that are known."""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.terminal import Terminal

HELP = "print the kinds that job profiles compile to"
EXAMPLES = (
    ("specgen kinds", "the kinds"),
    ("specgen kinds --help", "what is said of them"),
)


def add(parser: ArgumentParser) -> None:
    """No options."""


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.lower.index import TARGETS

    terminal.answer("".join(f"{kind}\n" for kind in TARGETS))
    return exits.GOOD
