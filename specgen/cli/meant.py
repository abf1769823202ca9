"""What somebody meant whose command, option, or choice there is none of."""

from __future__ import annotations

from specgen.cli import exits
from specgen.diagnostics.suggest import similar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.cli.terminal import Terminal

# What others call a verb.
_ELSEWHERE = {
    "apply": "build",
    "check": "lint",
    "compile": "build",
    "convert": "build",
    "create": "init",
    "describe": "expand",
    "doc": "explain",
    "docs": "explain",
    "generate": "build",
    "install": "operators",
    "man": "help",
    "new": "init",
    "render": "build",
    "show": "expand",
    "template": "build",
    "submit": "build",
    "test": "run",
    "validate": "lint",
    "why": "explain",
}
# What others call an option, and a choice of one, where it is no word of profiles.
_OPTIONS = {"f": "from", "kind": "target", "launcher": "start", "o": "out", "output": "out", "type": "target"}
_VALUES = {
    "amd": "mi300",
    "aws": "p5-efa",
    "gcp": "a3-tcpx",
    "huawei": "ascend",
    "huggingface": "pytorch",
    "keras": "tensorflow",
    "lightning": "pytorch",
    "pytorch-lightning": "pytorch",
    "python": "none",
    "srun": "torchrun",
    "tf": "tensorflow",
    "transformers": "pytorch",
}


def verb(word: str, verbs: Sequence[str], terminal: Terminal) -> int:
    """A command that there is none of, and the one that is like it."""
    terminal.say(f"specgen: there is no command `{word}`")
    near = similar(word, verbs) or [meant for meant in (_ELSEWHERE.get(word),) if meant is not None]
    helps = [f"there is `specgen {one}`" for one in near] or ["`specgen help` lists all commands"]
    for one in helps:
        terminal.say(f"  = help: {one}")
    return exits.QUESTION


def option(message: str, parser: Any) -> str:
    """The options, or the choices of one, that are like what argparse does not know."""
    near: list[str] = []
    head, mark, words = message.partition("unrecognized arguments: ")
    if mark and not head:
        known = [option for option in parser._option_string_actions if option[:2] == "--"]
        for word in words.split(" "):
            if word.startswith("-"):
                name = word.partition("=")[0]
                near += similar(name, known) or _elsewhere(name, known)
        if not near and parser.prog.endswith(" init"):
            return _of_profile(words.split(" "))
    name, mark, words = message.removeprefix("argument ").partition(": invalid choice: ")
    if mark:
        value = words.partition("'")[2].partition("'")[0]
        here = [str(one) for action in parser._actions if name in _called(action) for one in action.choices or ()]
        others = [
            f"{action.option_strings[0]} {value}"
            for action in parser._actions
            if action.option_strings and value in (action.choices or ())
        ]
        meant = _VALUES.get(value, "")
        # what stands in a name says which one is meant where all of it would be too far: `pytorch` of `PyTorchJob`
        inside = [one for one in here if value and (value.lower() in one.lower() or one in value)][:4]
        if name == "job|cluster" and (value.endswith((".py", ".sh")) or value.startswith("python")):
            return _of_profile([value])
        near = similar(value, here) or ([meant] if meant in here else inside) or others
    return f"\n  = help: there is {' or '.join(f'`{one}`' for one in dict.fromkeys(near))}" if near else ""


def _elsewhere(option: str, known: list[str]) -> list[str]:
    """The option for what others call so, by the names that profiles are given in other languages."""
    from specgen.schema.wording import PROFILE

    name = option.strip("-").replace("-", "_")
    meant = _OPTIONS.get(name) or PROFILE.alias(name).rpartition(".")[2]
    return [f"--{meant}"] if f"--{meant}" in known else []


def _of_profile(words: list[str]) -> str:
    """What is no option of a beginning: a word of its profile, or the program."""
    if not words[0].startswith("-"):
        return f"\n  = help: the program stands behind two dashes: `specgen init job -- {' '.join(words)}`"
    from specgen.reference.find import elsewhere, find

    name = words[0].lstrip("-").partition("=")[0]
    found = elsewhere(name)[0] or find(name)
    if not found:
        return ""
    return f"\n  = help: the profile says it, by `{found[0].name}`: `specgen explain {found[0].name}`"


def _called(action: Any) -> tuple[str | None, ...]:
    """The names that argparse has for an option in its messages."""
    return ("/".join(action.option_strings), action.metavar, action.dest)
