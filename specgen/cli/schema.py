"""Print a JSON Schema.

For editors, write it beside your profiles and point at it in their first line:

  specgen schema job > job.schema.json
  # yaml-language-server: $schema=job.schema.json

Of kinds the name and the version, such as mpijob_v2beta1; the name alone where there is one version.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from specgen.cli.terminal import Terminal

HELP = "print the JSON Schema of job profiles, cluster profiles, or a kind"
EXAMPLES = (
    ("specgen schema job", "the schema of job profiles, for editors"),
    ("specgen schema", "the names of all schemas"),
)

PROFILES = {"job": "job.schema.json", "cluster": "cluster.schema.json"}


def names() -> dict[str, str]:
    """Name on the command line → file: profiles, then kinds by name and version, by name alone where one has it."""
    from specgen.schema.files import kinds

    found = dict(PROFILES)
    versions: dict[str, list[str]] = {}
    for file in kinds():
        name = file.rpartition("/")[2].removesuffix(".json")
        found[name] = file
        versions.setdefault(name.partition("_")[0], []).append(file)
    for kind, files in versions.items():
        if len(files) == 1 and kind not in found:
            found[kind] = files[0]
    return found


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    name: Any = parser.add_argument("name", nargs="?", help="which schema; without a name, their names are printed")
    name.completer = lambda **_: sorted(names())


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.schema.files import text

    known = names()
    if options.name is None:
        terminal.answer("".join(f"{name}\n" for name in sorted(known)))
        return exits.GOOD
    file = known.get(options.name.lower())
    if file is None:
        from specgen.diagnostics.suggest import hint

        help = hint(options.name, sorted(known), "schema")
        terminal.say(f"specgen: there is no schema `{options.name}`" + (f"; {help}" if help else ""))
        return exits.QUESTION
    terminal.answer(text(file))
    return exits.GOOD
