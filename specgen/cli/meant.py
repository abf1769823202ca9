"""What somebody meant whose command, option, or choice there is none of."""

from __future__ import annotations

import re
import shlex

from specgen.cli import exits
from specgen.diagnostics.suggest import similar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.cli.terminal import Terminal

_APPLIED = "`specgen build FILE | kubectl apply -f -` submits a job"
_DELETED = "`specgen build FILE | kubectl delete -f -` deletes a job"
_HERE = "`specgen run FILE` starts its processes on this machine"
_WATCHED = "jobs that run are watched with kubectl: `specgen expand FILE` names their pods"
# What others call a verb.
ELSEWHERE = {
    "add": "init",
    "argo": "gitops",
    "argocd": "gitops",
    "check": "lint",
    "clean": "fix",
    "autocomplete": "completion",
    "complete": "completion",
    "compare": "diff",
    "compile": "build",
    "create": "init",
    "debug": "expand",
    "describe": "expand",
    "doc": "explain",
    "docs": "explain",
    "export": "build",
    "flux": "gitops",
    "format": "fix",
    "fmt": "fix",
    "function": "krm",
    "generate": "build",
    "github": "ci",
    "gitlab": "ci",
    "hydrate": "build",
    "info": "explain",
    "inspect": "expand",
    "install": "operators",
    "json-schema": "schema",
    "local": "run",
    "ls": "expand",
    "man": "help",
    "mutate": "fix",
    "new": "init",
    "patch": "fix",
    "place": "fit",
    "pods": "expand",
    "print": "build",
    "pull": "images",
    "repair": "fix",
    "render": "build",
    "scaffold": "init",
    "schedule": "fit",
    "show": "expand",
    "simulate": "fit",
    "synth": "build",
    "template": "build",
    "test": "run",
    "to-yaml": "build",
    "tree": "expand",
    "validate": "lint",
    "verify": "lint",
    "vet": "lint",
    "why": "explain",
    "yaml": "build",
}
# What no verb does, and what there is for it.
INSTEAD = {
    "argo-cd": ("`specgen gitops argocd` and `specgen cmp` are of Argo CD",),
    "attach": (_WATCHED,),
    "baseline": (
        "`specgen lint --write-baseline FILE …` accepts what is found now",
        "`specgen lint --baseline FILE …` tells new findings alone",
    ),
    "cancel": (_DELETED,),
    "codes": (
        "`specgen explain SG711` prints the page of a code, and `specgen explain --all` those of all",
        "`specgen lint --help` says which are looked for",
    ),
    "delete": (_DELETED,),
    "deploy": (_APPLIED, "`specgen gitops` has Argo CD or Flux do it"),
    "destroy": (_DELETED,),
    "docker": ("images are built elsewhere: `specgen images FILE` lists those that a job pulls",),
    "dry-run": (
        "`specgen expand FILE` prints what the operator would make, without a cluster",
        "`specgen apply --dry-run=server FILE` asks a cluster",
    ),
    "edit": ("`specgen build FILE --set PATH=VALUE` changes a word for one build; files are edited in an editor",),
    "exec": (_WATCHED,),
    "get": (_WATCHED,),
    "helm": (
        "`helm template CHART | specgen lint -` checks a chart",
        "`specgen operators CLUSTER` prints what installs operators, with Helm or kustomize",
    ),
    "hook": ("`specgen explain pre-commit` prints a hook",),
    "kill": (_DELETED,),
    "kubectl": ("with `kubectl-specgen` on the path, `kubectl specgen` is the same program", _APPLIED),
    "kustomize": (
        "`specgen build FILE --out DIR` writes a folder for kustomize: `kubectl apply -k DIR/NAME`",
        "`specgen krm` is a function of kustomize; `specgen lint DIR` checks what a kustomization comes to",
    ),
    "list": ("`specgen expand DIR` prints every job of a folder", _WATCHED),
    "launch": (_APPLIED, _HERE),
    "logs": (_WATCHED,),
    "plan": (
        "`specgen expand FILE` prints what the operator will make of a job",
        "`specgen diff OLD NEW` says what a change does, with `--live` to what the cluster holds",
    ),
    "pre-commit": ("`specgen explain pre-commit` prints a hook",),
    "precommit": ("`specgen explain pre-commit` prints a hook",),
    "mpirun": ("`specgen init job -- mpirun …` makes a profile of such a line",),
    "sbatch": (_APPLIED, "`specgen init job -- sbatch SCRIPT` makes a profile of a batch script"),
    "scale": ("`pods` in the profile, or `specgen build FILE --set pods=8`",),
    "srun": (_APPLIED, "`specgen init job -- srun …` makes a profile of such a line", _HERE),
    "start": (_APPLIED, _HERE),
    "status": (_WATCHED,),
    "stop": (_DELETED,),
    "submit": (_APPLIED,),
    "sync": ("`specgen gitops` prints what has Argo CD or Flux sync a rendered tree",),
    "torchrun": ("`specgen init job -- torchrun …` makes a profile of such a line",),
    "train": (_APPLIED, _HERE),
    "update": ("`specgen diff OLD NEW` says what an update does to a job that runs", _APPLIED),
    "upgrade": ("`specgen` itself is upgraded by pip; `specgen diff OLD NEW` says what a change does to a job",),
    "version": ("`specgen --version`",),
    "wait": (_WATCHED,),
    "watch": (_WATCHED,),
}
# What makes a profile of a manifest, if there were one.
BACKWARD = ("adopt", "convert", "decompile", "from-manifest", "from-yaml", "import", "migrate", "reverse", "translate")

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


def verb(word: str, verbs: Sequence[str], terminal: Terminal, words: Sequence[str] = ()) -> int:
    """A command that there is none of, and the one that is like it. ``words``: what stands behind it."""
    if word in BACKWARD:
        from specgen.cli.backward import told

        name = next((one for one in words if not one.startswith("-")), None)
        return told(name, terminal)
    terminal.say(f"specgen: there is no command `{word}`")
    if word in INSTEAD or word in ELSEWHERE:
        for line in INSTEAD.get(word) or (f"there is `specgen {ELSEWHERE[word]}`",):
            terminal.say(f"  = help: {line}")
        return exits.QUESTION
    near = similar(word, verbs)
    helps = [f"there is `specgen {one}`" for one in near] or ["`specgen help` lists all commands"]
    for one in helps:
        terminal.say(f"  = help: {one}")
    return exits.QUESTION


def option(message: str, parser: Any, typed: Sequence[str] = ()) -> str:
    """The options, or the choices of one, that are like what argparse does not know. ``typed``: the command line."""
    near: list[str] = []
    file = next((one.metavar for one in parser._actions if one.metavar in ("FILE", "PATH", "PROFILE")), None)
    # as kubectl has it
    named = re.search(r"(?:^| )(?:-f|--file(?:name)?)(?:[ =](\S+))?(?: |$)", " ".join(typed))
    if named and file is not None and re.search(r": -f|: --file|are required", message):
        return f"\n  = help: files stand by themselves: `{parser.prog} {named[1] or file}`"
    dashed = re.search(r"unrecognized arguments: -+([A-Za-z][\w-]*)$", message)
    if dashed and parser.prog.endswith(" explain"):
        return f"\n  = help: without the dashes: `{parser.prog} {dashed[1]}`"
    head, mark, words = message.partition("unrecognized arguments: ")
    if mark and not head:
        known = [option for option in parser._option_string_actions if option[:2] == "--"]
        whole = _whole(typed, known, 2) if parser.prog.endswith(" init") else ""
        if whole:
            return whole
        for word in words.split(" "):
            if word.startswith("-"):
                name = word.partition("=")[0]
                near += similar(name, known) or _elsewhere(name, known)
        if not near and parser.prog.endswith(" init"):
            return _of_profile(words.split(" "))
        settings = _settings(words.split(" "), typed) if not near and "--set" in known else ""
        if settings:
            return f"\n  = help: write `{settings}`"
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
        whole = _whole(typed, list(parser._option_string_actions), 1) if name == "job|cluster" else ""
        if whole:
            return whole
        if name == "job|cluster" and value == "base":
            return "\n  = help: a base is a few words of a job with `kind: Base`: `specgen explain extends` shows one"
        if name == "job|cluster" and value.endswith((".yaml", ".yml")):
            return f"\n  = help: `specgen init --from {value}` says how a profile of such a job begins"
        near = similar(value, here) or ([meant] if meant in here else inside) or others
    return f"\n  = help: there is {' or '.join(f'`{one}`' for one in dict.fromkeys(near))}" if near else ""


def _settings(unknown: Sequence[str], typed: Sequence[str]) -> str:
    """Options that are words of profiles, as settings; empty: not all of them are."""
    from specgen.profile.meant import meant

    found = []
    for word in unknown if typed else ():
        if not word.startswith("--") or word not in typed:
            continue
        name, equals, value = word[2:].partition("=")
        behind = typed[typed.index(word) + 1 :]
        said = meant(f"{name}={value if equals else behind[0] if behind else ''}")
        if said is None:
            return ""
        found.append(said)
    return " ".join(found)


def _elsewhere(option: str, known: list[str]) -> list[str]:
    """The option for what others call so, by the names that profiles are given in other languages."""
    from specgen.schema.wording import PROFILE

    name = option.strip("-").replace("-", "_")
    meant = _OPTIONS.get(name) or PROFILE.alias(name).rpartition(".")[2]
    return [f"--{meant}"] if f"--{meant}" in known else []


def _whole(typed: Sequence[str], known: list[str], least: int) -> str:
    """The whole line with the options that unknown ones stand for, ``least`` of them; empty: one is like none."""
    words, changed = list(typed), 0
    end = words.index("--") if "--" in words else len(words)
    for at, word in enumerate(words[:end]):
        name, equals, value = word.partition("=")
        if name[:2] != "--" or name in known:
            continue
        near = _elsewhere(name, known) or similar(name, known)[:1]
        if not near:
            return ""
        words[at] = near[0] + equals + value
        changed += 1
    twice = [word.partition("=")[0] for word in words[:end] if word[:2] == "--"]
    if changed < least or len({*twice}) < len(twice):
        return ""
    return f"\n  = help: write `specgen {shlex.join(words)}`"


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
