"""Print a JSON Schema.

For editors, write it beside your profiles and point at it in their first line:

  specgen schema job > job.schema.json
  # yaml-language-server: $schema=job.schema.json
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.terminal import Terminal

HELP = "print the JSON Schema of job profiles, cluster profiles, or a kind"

FILES = {
    "job": "job.schema.json",
    "cluster": "cluster.schema.json",
    "pytorchjob": "k8s/kubeflow.org/pytorchjob_v1.json",
}


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("name", choices=sorted(FILES), help="which schema")


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.schema.files import text

    terminal.answer(text(FILES[options.name]))
    return exits.GOOD
