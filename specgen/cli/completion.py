"""Print what a shell needs to complete the words of specgen.

  specgen completion bash > /etc/bash_completion.d/specgen
  specgen completion zsh > ~/.zfunc/_specgen                       with ~/.zfunc in fpath
  specgen completion fish > ~/.config/fish/completions/specgen.fish

Commands, options and the values that they know are completed, codes for `explain`, names for `schema`, and files.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.terminal import Terminal

HELP = "print a script by which a shell completes the words of specgen"


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
