"""A few questions on a terminal, of which a job profile comes, and the command that would have given the same."""

from __future__ import annotations

import os
import re
import shlex

from specgen.cli.beginning import FRAMEWORKS, MINDSPORE, image, starters, usual
from specgen.cli.begun import NAME, begin, decided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from specgen.cli.terminal import Terminal

_FILE = "job.yaml"
_CLUSTER = "cluster.yaml"


def ask(options: Namespace, terminal: Terminal) -> int:
    """Asks what the job is like, writes it, and prints the command. Raises BadQuestion where nobody answers."""
    terminal.say("An empty answer takes what stands in brackets; ? lists the answers. The file can be edited after.")
    usually = decided(options)
    options.framework = _one(terminal, "What trains", tuple(FRAMEWORKS), usually.framework)
    kinds = FRAMEWORKS[options.framework].kinds
    options.target = _one(terminal, "Kind of the job", kinds, kinds[0])
    options.pods = _number(terminal, "Pods that train", usually.pods, 1)
    device = "gpu"
    if options.framework == MINDSPORE:
        device = _one(terminal, "Devices of each pod", ("npu", "gpu"), "npu")
    count = _number(terminal, f"{device.upper()}s of each pod", usually.gpu, 0)
    setattr(options, device, count)
    found = starters(options.framework, options.target, count)
    by = usual(options.framework, options.target, count)
    options.start = _one(terminal, "Who starts its processes", found, by) if len(found) > 1 else by
    picture = image(options.framework, options.target, options.start, device.upper() if count else "GPU")
    options.image = _answer("Image", picture)
    options.command = _command(terminal)
    options.name = _name(terminal)
    options.cluster = _cluster(terminal)
    options.out = _file(terminal)
    # which kind is usual is a question of the cluster, too
    defaults = {"image": picture, "start": by, "name": NAME, "target": kinds[0] if options.cluster is None else None}
    words = ["specgen", "init", "job"]
    for name in ("framework", "target", "pods", "gpu", "npu", "start", "image", "name", "cluster", "out"):
        value = getattr(options, name)
        if value is not None and value != defaults.get(name):
            words += [f"--{name}", str(value)]
    if options.command:
        words += ["--", *options.command]
    for name in ("start", "image"):
        if getattr(options, name) == defaults[name]:
            setattr(options, name, None)  # as the command line says it: what fits the cluster
    code = begin(options, terminal)
    terminal.answer(f"The same without questions: {shlex.join(words)}\n")
    return code


def _answer(question: str, default: object) -> str:
    """What is typed, or the default. Raises BadQuestion at the end of the input."""
    try:
        return input(f"{question} [{default}]: ".replace(" []", "")).strip() or str(default)
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


def _command(terminal: Terminal) -> list[str]:
    """The program, as it is typed in a shell; empty: an example of one."""
    while True:
        said = _answer("Command, such as python train.py --epochs 3", "")
        try:
            return shlex.split(said)
        except ValueError as error:
            terminal.say(f"  {str(error).lower()}")


def _name(terminal: Terminal) -> str:
    """A name that a job can have; asks again after another answer."""
    while True:
        said = _answer("Name", NAME)
        if re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", said):
            return said
        terminal.say("  a name of lower-case letters, digits, and dashes, at most 63 characters")


def _cluster(terminal: Terminal) -> str | None:
    """The file of a cluster profile; None: there is none yet. Asks again where there is no such file."""
    default = _CLUSTER if os.path.isfile(_CLUSTER) else ""
    while True:
        said = _answer("Cluster profile, - for none", default)
        if said in ("", "-"):
            return None
        if os.path.isfile(said):
            return said
        terminal.say(f"  there is no file {said}; `specgen init cluster --help` says how one is made")


def _file(terminal: Terminal) -> str:
    """A file that is not there yet; asks again where one is."""
    while True:
        said = _answer("File", _FILE)
        if not os.path.lexists(said):
            return said
        terminal.say(f"  there is a file {said}: take another name (with options, `--force` writes over it)")
