"""What an mpirun line says, however it is written: as words, in a shell's script, by options or by variables.

Two launchers are compared by these facts: processes, binding, host file, parameters of Open MPI, variables of the
ranks with their values, other flags, the program, and what a script does before it.
"""

from __future__ import annotations

import re
import shlex
from typing import Any

_MPIRUN = ("mpirun", "mpiexec")
_AS_ROOT = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
_ONE = {
    "np": "np",
    "n": "np",
    "bind-to": "bind",
    "map-by": "map",
    "hostfile": "hostfile",
    "N": "per",
    "npernode": "per",
}
_ASSIGNED = re.compile(r"(?:export +)?([A-Z_][A-Z_0-9]*)=(.*)")
# What a shell computes is one word, whatever blanks are in it.
_COMPUTED = re.compile(r"\$\(\(.*?\)\)|\$\([^()]*\)")
_PREPENDED = re.compile(r"(.+?):\$\{?(\w+)\}?")


def facts(container: dict[str, Any]) -> dict[str, Any]:
    """The launcher's container with ``mpi`` in place of its command; as it is where no single mpirun line is found."""
    argv, env = container.get("argv", []), dict(container.get("env", {}))
    before: list[str] = []
    given: dict[str, Any] = {}
    line = argv
    if argv and argv[0].rpartition("/")[2] in ("sh", "bash"):
        script, line = _script(argv)
        before, given, found = _parts(script)
        line = line or found
    if not line or line[0].rpartition("/")[2] not in _MPIRUN:
        return container
    mpi = _line(line, {**env, **given})
    if [env.pop(name) for name in _AS_ROOT if name in env]:
        mpi["flags"]["allow-run-as-root"] = True
    for variables in (mpi["env"], env):
        for name in [name for name in variables if name.startswith("OMPI_MCA_")]:
            mpi["mca"].setdefault(name.removeprefix("OMPI_MCA_"), variables.pop(name))
    env = {name: value for name, value in env.items() if name not in mpi["env"]}
    mpi["before"] = _waited(before)
    rest = {key: value for key, value in container.items() if key not in ("argv", "env")}
    return {**rest, **({"env": env} if env else {}), "mpi": {key: value for key, value in mpi.items() if value}}


def _waited(before: list[str]) -> list[str]:
    """The lines with specgen's loop as one: how it asks each host, until all have answered."""
    asks = [at for at, line in enumerate(before) if line.startswith("until said=$(")]
    if len(asks) != 1 or "turns=0" not in before:
        return before
    first, asked = before.index("turns=0"), before[asks[0]].removeprefix("until said=$(").partition(" </dev/null")[0]
    last = next(at for at, line in enumerate(before) if line.startswith("done <"))
    return [*before[:first], f"until every host answers to: {asked}", *before[last + 1 :]]


def _script(argv: list[str]) -> tuple[str, list[str]]:
    """The shell's script, and the words that are handed to it."""
    at = next(index for index, word in enumerate(argv) if word.startswith("-") and word.endswith("c"))
    return argv[at + 1].replace("$$(", "$("), argv[at + 3 :]


def _parts(script: str) -> tuple[list[str], dict[str, Any], list[str]]:
    """(other lines, variables that are set, the words of the last mpirun)."""
    before: list[str] = []
    given: dict[str, Any] = {}
    line: list[str] = []
    for text in script.replace("\\\n", " ").split("\n"):
        text = _filled(text.strip(), given)
        assigned = _ASSIGNED.fullmatch(text)
        if assigned is not None:
            given[assigned[1]] = _value(assigned[1], assigned[2])
        elif text.partition(" ")[0].rpartition("/")[2] in _MPIRUN:
            text = _COMPUTED.sub(lambda found: found[0].replace(" ", "_"), text)
            line = shlex.split(text, comments=True)
        elif text and not text.startswith(("#", "set -", 'exec "$@"')):
            before.append(text)
    return before, given, line


def _filled(text: str, given: dict[str, Any]) -> str:
    """A line with the numbers and names that the script set before, and its sums."""
    for name, value in given.items():
        if isinstance(value, str):
            text = re.sub(rf"\$\{{{name}\}}|\${name}\b", value.replace("\\", "\\\\"), text)
    whole = re.compile(r"\$\(\(([\d* ]+|[A-Z_*/ \d]+)\)\)")
    return whole.sub(lambda found: _sum(found[1], given), text)


def _sum(text: str, given: dict[str, Any]) -> str:
    factors = [given.get(word.strip().lstrip("$"), word.strip()) for word in text.split("*")]
    if not all(isinstance(word, str) and word.isdigit() for word in factors):
        return f"$(({text}))"
    product = 1
    for word in factors:
        product *= int(word)
    return str(product)


def _value(name: str, text: str) -> Any:
    """What a variable is set to; the image's own value behind it is marked."""
    plain = text.replace(f'"${{{name}:+:${name}}}"', f":${name}").replace("'", "").replace('"', "")
    prepended = _PREPENDED.fullmatch(plain)
    return {"prepend": prepended[1]} if prepended is not None and prepended[2] == name else plain


def _line(line: list[str], env: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"path": line[0], "mca": {}, "env": {}, "flags": {}}
    at = 1
    while at < len(line) and line[at].startswith("-"):
        option, value = line[at].lstrip("-"), line[at + 1] if at + 1 < len(line) else ""
        if option in _ONE:
            found[_ONE[option]] = value
            at += 2
        elif option == "mca":
            found["mca"][value] = line[at + 2]
            at += 3
        elif option == "x":
            name, equals, text = value.partition("=")
            found["env"][name] = _value(name, text) if equals else env.get(name, "of the image")
            at += 2
        else:
            found["flags"][option] = True
            at += 1
    return {**found, "program": line[at:]}
