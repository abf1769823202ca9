"""A few questions on a terminal, of which a job profile comes, and the command that would have given the same."""

from __future__ import annotations

import os
import shlex

from specgen.cli.beginning import FRAMEWORKS, image, starters, usual
from specgen.cli.begun import begin, decided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from specgen.cli.terminal import Terminal

_FILE = "job.yaml"


def ask(options: Namespace, terminal: Terminal) -> int:
    """Asks what the job is like, writes it, and prints the command. Raises BadQuestion where nobody answers."""
    terminal.say("An empty answer takes what stands in brackets; ? lists the answers. The file can be edited after.")
    usually = decided(options)
    options.framework = _one(terminal, "What trains", tuple(FRAMEWORKS), usually.framework)
    kinds = FRAMEWORKS[options.framework].kinds
    options.target = _one(terminal, "Kind of the job", kinds, kinds[0])
    options.pods = _number(terminal, "Pods that train", usually.pods, 1)
    options.gpu = _number(terminal, "GPUs of each pod", usually.gpu, 0)
    found = starters(options.framework, options.target, options.gpu)
    by = usual(options.framework, options.target, options.gpu)
    options.start = _one(terminal, "Who starts its processes", found, by) if len(found) > 1 else by
    picture = image(options.framework, options.target, options.start)
    options.image = _answer("Image", picture)
    options.out = _file(terminal)
    defaults = {"image": picture, "start": by, "target": kinds[0]}
    words = ["specgen", "init", "job"]
    for name in ("framework", "target", "pods", "gpu", "start", "image", "out"):
        value = getattr(options, name)
        if value != defaults.get(name):
            words += [f"--{name}", str(value)]
    code = begin(options, terminal)
    terminal.answer(f"The same without questions: {shlex.join(words)}\n")
    return code


def _answer(question: str, default: object) -> str:
    """What is typed, or the default. Raises BadQuestion at the end of the input."""
    try:
        return input(f"{question} [{default}]: ").strip() or str(default)
    except EOFError:
        from specgen.diagnostics.model import BadQuestion

        raise BadQuestion("no answer", "`specgen init job --help` says how it is done without questions") from None


def _one(terminal: Terminal, question: str, choices: Sequence[str], default: str) -> str:
    """One of the choices, whatever its case; asks again after another answer."""
    from specgen.diagnostics.suggest import similar

    if len(choices) == 1:
        return choices[0]
    while True:
        said = _answer(question, default)
        same = [one for one in choices if one.lower() == said.lower()]
        if same:
            return same[0]
        near = similar(said, choices) or [one for one in choices if said.lower() in one.lower()]
        meant = f"there is {' or '.join(near)}" if near else f"it is one of {', '.join(choices)}"
        terminal.say(f"  {meant}" if said == "?" else f"  there is no {said}: {meant}")


def _number(terminal: Terminal, question: str, default: int, least: int) -> int:
    """A number; asks again after another answer."""
    while True:
        said = _answer(question, default)
        if said.isascii() and said.isdigit() and len(said) < 7 and int(said) >= least:
            return int(said)
        terminal.say(f"  a number from {least} on")


def _file(terminal: Terminal) -> str:
    """A file that is not there yet; asks again where one is."""
    while True:
        said = _answer("File", _FILE)
        if not os.path.lexists(said):
            return said
        terminal.say(f"  there is a file {said}: take another name (with options, `--force` writes over it)")
