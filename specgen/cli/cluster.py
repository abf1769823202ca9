"""Write a cluster profile from what the cluster says of itself.

  specgen cluster capture > cluster.yaml                       from the cluster of kubectl's current context
  specgen cluster capture cluster.json > cluster.yaml          from what kubectl printed, - for standard input

The profile names pools of equal nodes with their devices, amounts and taints, the operators with versions and flags,
queues, priorities, and levels of the topology. What no object says, such as the names of adapters, is a comment with
the question: read it, answer, and keep it in Git. Nothing secret is read: no Secrets, no variables. The same objects
give the same text, so that a later capture is compared with `git diff`.

Without a file the API server is asked, with what kubectl's configuration says; kinds that it does not let this user
read are named in the profile. These commands write the file:

"""

from __future__ import annotations

from specgen.capture.wanted import commands

__doc__ += commands()

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from specgen.capture.objects import Objects
    from specgen.cli.terminal import Terminal

HELP = "write a cluster profile from what the cluster says of itself"
EXAMPLES = (
    ("specgen cluster capture nodes.json", "of what kubectl printed"),
    ("specgen cluster capture --name lab nodes.json", "by another name"),
)

NAME = "my-cluster"


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.files import PRINTED_MIB
    from specgen.cli.options import cluster_access, max_input

    parser.add_argument("action", choices=("capture",), help="capture: print the profile of the cluster")
    parser.add_argument("file", nargs="?", metavar="JSON", help="what kubectl printed, or - for standard input")
    parser.add_argument("--name", metavar="NAME", help="name of the cluster in the profile")
    cluster_access(parser)
    max_input(parser, PRINTED_MIB)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.diagnostics.model import BadQuestion

    if options.file is not None:
        for option in ("context", "kubeconfig"):
            if getattr(options, option) is not None:
                raise BadQuestion(f"--{option} says which cluster is asked, and {options.file} is a file")
        return captured(options.file, options.name, options.max_input, terminal)
    from specgen.cli.api import Api
    from specgen.cli.listing import listed

    with Api(options.kubeconfig, options.context) as api:
        objects, unread = listed(api)
    return _print(objects, options.name or api.name or NAME, unread, api.host, terminal)


def captured(file: str, name: str | None, mib: int, terminal: Terminal, out: str | None = None) -> int:
    """Prints the profile of the objects in a file, or writes it to another; ``-``: standard input."""
    from specgen.capture.objects import Objects
    from specgen.cli.files import printed
    from specgen.diagnostics.model import BadQuestion
    from specgen.document.printed import Unreadable, read

    said = "standard input" if file == "-" else file
    try:
        objects = Objects(read(printed(file, mib << 20)))
    except (BadQuestion, Unreadable) as error:
        raise BadQuestion(f"{said}: {error}", error.help or None) from None
    return _print(objects, name or NAME, {}, said, terminal, out)


def _print(
    objects: Objects, name: str, unread: dict[str, str], said: str, terminal: Terminal, out: str | None = None
) -> int:
    from specgen.capture import capture
    from specgen.cli.handed import hand
    from specgen.diagnostics.model import BadQuestion, has_errors
    from specgen.profile.library import check
    from specgen.schema import formats
    from specgen.source import Source

    if not formats.name(name):
        raise BadQuestion(f"--name: `{name}` is no name of lower-case letters, digits, and dashes")
    try:
        text, warnings = capture(objects, name, unread)
    except ValueError as error:
        help = "`specgen cluster capture --help` prints the commands that write such a file"
        raise BadQuestion(f"{said}: {error}", help) from None
    # what is printed is a profile, whatever the objects called themselves
    findings: Any = check(Source(f"{name}.yaml", text))[1]
    if has_errors(findings):
        raise AssertionError(findings[0].message)
    for warning in warnings:
        terminal.say(f"specgen: warning: {warning}")
    return hand(text, out, "its comments are questions that no object answers", terminal)
