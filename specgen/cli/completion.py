"""Print what a shell needs to complete the words of specgen.

  specgen completion bash > /etc/bash_completion.d/specgen
  specgen completion zsh > ~/.zfunc/_specgen                       with ~/.zfunc in fpath
  specgen completion fish > ~/.config/fish/completions/specgen.fish

`kubectl specgen` is completed by kubectl's own completion, through the program `kubectl_complete-specgen` on the path.

Commands, options and the values that they know are completed, codes for `explain`, names for `schema`, and files.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from specgen.cli.terminal import Terminal

HELP = "print a script by which a shell completes the words of specgen"
EXAMPLES = (
    ("specgen completion bash", "for bash"),
    ("specgen completion zsh", "for zsh"),
)


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from argcomplete.shell_integration import shellcode

    terminal.answer(shellcode(["specgen"], shell=options.shell).strip("\n") + "\n")
    return exits.GOOD


def answer(parser: ArgumentParser) -> None:
    """Tells the shell that asks by ``_ARGCOMPLETE`` which words may follow, and ends the process."""
    from argcomplete import autocomplete

    autocomplete(parser)


def kubectl(parser: ArgumentParser, words: Sequence[str]) -> None:
    """Tells kubectl which words may follow those behind ``specgen``, of which the last one has only begun.

    In the form of cobra's ``__complete`` (kubernetes/kubectl, pkg/cmd/plugin/plugin_completion.go): a word a line,
    behind a tab what it is about, and at the end a number: 4, not to complete files besides, and 2, to leave out the
    blank behind the word (spf13/cobra, completions.go).
    """
    import os
    import shlex
    import sys
    from io import StringIO

    from argcomplete import autocomplete

    *done, begun = words or [""]
    line = " ".join(["specgen", *(shlex.quote(word) for word in done), begun])
    # argcomplete's own protocol: as for fish, which takes a tab and a text behind each word as well
    os.environ |= {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_DFS": "\t",
        "_ARGCOMPLETE_SHELL": "fish",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line.encode())),
    }
    out = StringIO()
    autocomplete(parser, exit_method=lambda code: None, output_stream=out)
    found = [word.rstrip("\t") for word in out.getvalue().split("\n") if word]
    folder = len(found) == 1 and found[0].endswith("/")
    sys.stdout.write("".join(f"{word}\n" for word in found) + f":{6 if folder else 4}\n")
