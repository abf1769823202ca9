"""What starts a program in a container, or behind options of its own: the words of that program.

Apptainer's options as in its manual (1.3, `apptainer exec`).
"""

from __future__ import annotations

import os
import re

from specgen.cli import slurm
from specgen.cli.brought import Brought
from specgen.diagnostics.model import BadQuestion
from specgen.operators.kubernetes.argv import SHELLS
from specgen.operators.kubernetes.launchers import count, of_words
from specgen.operators.mpi import mpirun

CONTAINERS = ("apptainer", "singularity")
DOCKERS = ("docker", "podman", "nerdctl", "nvidia-docker")
# What Docker Compose starts, and reads: https://docs.docker.com/compose/intro/compose-application-model/
COMPOSES = ("docker-compose", "podman-compose")
_COMPOSE_FILE = re.compile(r"(docker-|podman-)?compose([.-][\w.-]+)?\.ya?ml")
_SERVICES = re.compile(r"^services:", re.MULTILINE)
# Flags of `docker run`: every other option has a value. And what says the same here.
_DOCKER_FLAGS = ("--rm", "--init", "--interactive", "--tty", "--detach", "--sig-proxy")
_NAMED_FLAGS = ("--privileged", "--read-only", "--publish-all", "-P", "--no-healthcheck", "--oom-kill-disable")
_PORT = re.compile(r"(?:.*:)?([0-9]{1,5})(?:/tcp)?")
_NAME = re.compile(r"[a-z]([a-z0-9-]{0,38}[a-z0-9])?")
_DOCKER_SHORT = re.compile(r"(-[vepwmu])([^-=].*)")
_DOCKER_WHY = {
    "--shm-size": "`resources.shm`, with the amount",
    "--publish": "`ports`, with a name",
    "-p": "`ports`, with a name",
    "--expose": "`ports`, with a name",
    "--read-only": "`security: {readOnlyRoot: true}`",
    "--tmpfs": "`mounts`, with `scratch`",
    "--ipc": "`resources: {shm: auto}` is the memory that processes share",
    "--network": "`network: {host: true}`, where the fabric needs it: `specgen explain network.host`",
    "--net": "`network: {host: true}`, where the fabric needs it: `specgen explain network.host`",
    "--privileged": "`security: {privileged: true}`, where it is allowed",
    "--cap-add": "`security.capabilities`",
    "--ulimit": "limits of a shell do not travel: `specgen explain ulimit`",
    "--device": "`resources` asks for devices",
    "--cpus": "`resources.cpu`",
    "--memory": "`resources.memory`",
    "-m": "`resources.memory`",
    "--restart": "`lifecycle: {restarts: 3}`, of failures that it goes on after",
    "--user": "`security.user`",
    "-u": "`security.user`",
    "--env-file": "`envFrom: [{secret: NAME}]`, of `kubectl create secret generic NAME --from-env-file=FILE`",
}
# Options of `apptainer exec` with a value, of those that are no word of profiles.
# fmt: off
_VALUED = (
    "--overlay", "-o", "--scratch", "-S", "--network", "--app", "--fusemount", "--security", "--dns", "--memory",
    "--env-file", "--hostname", "--cpus", "--workdir", "-W", "--home", "-H", "--add-caps", "--drop-caps",
)
# fmt: on
# Variables that say those of a container, and the directories in it.
_OF_CONTAINER = ("SINGULARITYENV_", "APPTAINERENV_")
_BINDS = ("SINGULARITY_BIND", "SINGULARITY_BINDPATH", "APPTAINER_BIND", "APPTAINER_BINDPATH")
_DEVICES = ("--nv", "--rocm", "--nvccli")


def program_behind(words: list[str], *, scripts: bool = True) -> int:
    """Where the program begins behind one that runs it with options of its own; 0 where that is not seen.

    ``scripts``: whether a script may be one; behind another one it may be what that reads.
    """
    for at, word in enumerate(words[1:], 1):
        name = word.rpartition("/")[2]
        if name.startswith("python") or (scripts and (name.endswith((".py", ".sh")) or word.startswith("./"))):
            return at
        if name in (*SHELLS, *mpirun.STARTERS) or of_words(words[at:]) is not None:
            return at
    return 0


def is_compose(name: str, text: str = "") -> bool:
    """Whether a file is one of Docker Compose, by its usual name, or by its text where that is no manifest."""
    usual = _COMPOSE_FILE.fullmatch(name.rpartition("/")[2]) is not None
    return usual or (_SERVICES.search(text) is not None and "apiVersion" not in text)


def no_compose(said: str) -> BadQuestion:
    """What to answer who comes with services. ``said``: the line's words, or the file and what it is."""
    return BadQuestion(
        f"{said}, and a job has the program of one of them",
        "the service as a line, which is read: `specgen init job -- docker run --gpus 2 -e NAME=VALUE -v /data:/data "
        "IMAGE python train.py`",
    )


def contained(words: list[str], brought: Brought) -> list[str]:
    """What Apptainer starts in its container."""
    at = 2
    brought.contained = True
    while at < len(words) and words[at].startswith("-"):
        option, equals, value = words[at].partition("=")
        at += 1
        if not equals and (option in ("-B", "--bind", "--env", "--pwd", "--cwd") or option in _VALUED):
            value, at = "".join(words[at : at + 1]), at + 1
        if option in ("-B", "--bind"):
            slurm.mounts(brought, value, option)
        elif option == "--env":
            for one in value.split(","):
                name, _, text = one.partition("=")
                brought.variable(name, text, f"--env {one}")
        elif option in ("--pwd", "--cwd") and value.startswith("/"):
            brought.workdir = value
        elif option in _DEVICES:
            brought.all_gpus = option
        else:
            brought.leave(f"{option} {value}".strip(), f"of {words[0].rpartition('/')[2]}: a pod has its own container")
    if at >= len(words):
        return []
    slurm.image(brought, words[at], words[at])
    if at + 1 >= len(words):
        raise BadQuestion(
            f"`{words[0]} {words[1]}` starts the program of `{words[at]}` itself, which is not seen here",
            "`specgen init job -- …` with the program that it starts",
        )
    return words[at + 1 :]


def entered(brought: Brought) -> None:
    """Takes the variables by which Apptainer is told of those of its container, and of directories in it.

    apptainer 1.3, "Environment and Metadata" and "Bind Paths and Mounts"; the names of Singularity mean the same.
    """
    for prefix in _OF_CONTAINER:
        for name in [one for one in brought.env if one.startswith(prefix) and one != prefix]:
            value = brought.env.pop(name)
            brought.env.setdefault(name.removeprefix(prefix), value)
        for name in [one for one in brought.picked if one.startswith(prefix) and one != prefix]:
            brought.picked[name.removeprefix(prefix)] = brought.picked.pop(name)
    for name in _BINDS:
        if name in brought.env:
            slurm.mounts(brought, brought.env.pop(name), name)


def in_docker(words: list[str], brought: Brought) -> list[str]:
    """What `docker run` starts in its container (docker-cli 29, `docker container run`)."""
    at, first, typed = 2, [], ""
    while at < len(words) and words[at].startswith("-"):
        option, equals, value = words[at].partition("=")
        if short := _DOCKER_SHORT.fullmatch(words[at]):
            option, value = short.groups()
            equals = "="
        at += 1
        flag = option in (*_DOCKER_FLAGS, *_NAMED_FLAGS) or bool(re.fullmatch("-[dit]+", option))
        if not equals and not flag:
            value, at = "".join(words[at : at + 1]), at + 1
        if flag:
            # a terminal is there for somebody who types
            typed += {"--interactive": "i", "--tty": "t"}.get(option, option if option[:2] != "--" else "")
        written = f"{option} {value}".strip()
        if option in ("-v", "--volume"):
            source, _, rest = value.partition(":")
            path, _, flags = rest.partition(":")
            _volume(brought, source, path, written, read_only="ro" in flags.split(","))
        elif option == "--mount" and "=" in value:
            said = dict([one.partition("=")[::2] for one in value.split(",")])
            source, path = (
                next((said[name] for name in names if name in said), "")
                for names in (("source", "src"), ("target", "destination", "dst"))
            )
            _volume(brought, source, path, written, read_only=bool({"ro", "readonly"} & {*said}))
        elif option in ("-e", "--env") and "=" in value:
            name, _, text = value.partition("=")
            brought.variable(name, text, written)
        elif option in ("-e", "--env"):
            brought.leave(written, "no variable of a shell travels, `env` says each")
        elif option in ("-w", "--workdir") and value.startswith("/"):
            brought.workdir = value
        elif option == "--name" and _NAME.fullmatch(value):
            brought.name = value
        elif option == "--gpus":
            brought.gpus = count(value) or len(re.findall(r"\d+", value.partition("device=")[2]))
            brought.all_gpus = "" if brought.gpus else "--gpus all"
        elif option in ("-m", "--memory") and (amount := _amount(value)):
            brought.memory = amount
        elif option == "--shm-size" and (amount := _amount(value)):
            brought.shm = amount
        elif option == "--cpus" and re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,3})?", value):
            whole, _, rest = value.partition(".")
            brought.cpus = f"{int(whole) * 1000 + int(rest.ljust(3, '0'))}m" if rest.strip("0") else whole
        elif option in ("-p", "--publish", "--expose") and (port := _PORT.fullmatch(value)):
            brought.ports[f"port-{int(port[1])}"] = int(port[1])
        elif option == "--entrypoint":
            first = [value]
        elif not flag or option in _NAMED_FLAGS:
            brought.leave(written, _DOCKER_WHY.get(option, f"of {words[0]}: a pod has its own container"))
    if at >= len(words):
        return []
    slurm.image(brought, words[at], words[at])
    if not first and at + 1 >= len(words) and "i" in typed and "t" in typed:
        return ["bash"]
    if not first and at + 1 >= len(words):
        raise BadQuestion(
            f"`{words[0]} run` starts the program of `{words[at]}` itself, which is not seen here",
            "`specgen init job -- …` with the program that it starts",
        )
    # the image's entrypoint is the program where an option stands first, as none is called so
    brought.args = not first and words[at + 1][:1] == "-"
    return [*first, *words[at + 1 :]]


def _volume(brought: Brought, source: str, path: str, written: str, *, read_only: bool) -> None:
    """What docker puts at a path: a directory of the machine, or a volume of its own."""
    if not path.startswith("/") or path == "/" or {"$", "~"} & {*path}:
        brought.leave(written, "`mounts`, with a path, and what is to appear there")
        return
    of_claim = f"`mounts: {{{path}: {{pvc: NAME}}}}`"
    if not source.startswith("/") and not source.startswith((".", "$", "~")):
        brought.leave(written, f"docker's own volume: {of_claim}, with a claim")
    elif not source.startswith("/") or "$" in source or _is_here(source):
        brought.leave(written, f"a folder of this machine, and of no node: the image holds the code, or {of_claim}")
    else:
        of_file = {"type": "File"} if os.path.isfile(source) else {}
        brought.mounts[path] = {"hostPath": source, **of_file} | ({"readOnly": True} if read_only else {})
        brought.why[path] = "each node must have it: the kubelet makes none"


def _is_here(source: str) -> bool:
    """Whether a path lies in the current folder, or in a home: `$PWD` and `~`, which a shell has replaced."""
    known = [os.getcwd(), os.path.expanduser("~"), "/Users"]
    return any([one != "/" and f"{os.path.normpath(source)}/".startswith(f"{one}/") for one in known])


def _amount(text: str) -> str:
    """An amount of memory as docker has it, in powers of 1024; empty where it is none."""
    found = re.fullmatch(r"([0-9]{1,15})([bkmgt]?)b?", text.lower())
    if found is None or not int(found[1]):
        return ""
    if found[2] in ("", "b"):
        return f"{-(-int(found[1]) // (1 << 20))}Mi"
    return f"{int(found[1])}{found[2].upper()}i"
