"""What a container really starts: ``$(VAR)`` replaced as the kubelet does, and which ranks a launcher gives.

Read from Kubernetes 1.36, third_party/forked/golang/expansion/expand.go and pkg/kubelet/kubelet_pods.go; what a
launcher's words mean, ``launchers`` knows.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.resources import is_extended
from specgen.quantity import milli

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# The image's own program, which no manifest tells.
ENTRYPOINT = "<entrypoint>"

# More text than any argument list may hold (128 KiB on Linux) is not replaced any further.
_MOST = 131072
# Nor is that of variables, once those of a container have more than any kernel hands to a process (6 MiB on Linux).
_MOST_IN_ALL = 6 * 1024 * 1024


def replaced(text: str, env: dict[str, str]) -> str:
    """Text with ``$(VAR)`` replaced by variables that exist; ``$$`` is one dollar sign, other references stay."""
    if "$" not in text:
        return text
    parts: list[str] = []
    size = at = end = 0
    while True:
        dollar = text.find("$", at)
        if dollar < 0 or dollar + 1 == len(text) or size > _MOST:
            return "".join([*parts, text[at:]])
        after = text[dollar + 1]
        if after == "(" and 0 <= end <= dollar:  # below 0 there is no further one
            end = text.find(")", dollar)
        parts.append(text[at:dollar])
        if after == "$":
            value, at = "$", dollar + 2
        elif after == "(" and end > 0:
            value, at = env.get(text[dollar + 2 : end], text[dollar : end + 1]), end + 1
        else:
            value, at = "$" + after, dollar + 2
        parts.append(value)
        size += len(parts[-2]) + len(value)


def environment(container: dict[str, Any], pod: dict[str, Any]) -> dict[str, str]:
    """Variable → value in the container; what only the cluster knows is a word in angle brackets."""
    values: dict[str, str] = {}
    size = 0
    for entry in sequence(container.get("env")):
        tree = mapping(entry)
        name, value, source = tree.get("name"), tree.get("value"), mapping(tree.get("valueFrom"))
        if isinstance(name, str):
            value = value if isinstance(value, str) else ""
            if source:
                value = _from(source, pod)
            elif size <= _MOST_IN_ALL:
                value = replaced(value, values)
            values[name] = value
            size += len(value)
    return values


def _from(source: dict[str, Any], pod: dict[str, Any]) -> str:
    field = mapping(source.get("fieldRef")).get("fieldPath")
    if isinstance(field, str):
        metadata = mapping(pod.get("metadata"))
        if field in ("metadata.name", "metadata.namespace"):
            value = metadata.get(field[9:])
            return value if isinstance(value, str) else "<namespace>"
        kind, _, key = field.removeprefix("metadata.").partition("['")
        value = mapping(metadata.get(kind)).get(key.removesuffix("']"))
        return value if isinstance(value, str) else f"<{field}>"
    for kind in ("secretKeyRef", "configMapKeyRef"):
        reference = mapping(source.get(kind))
        if reference:
            return f"<{kind[:-6]} {reference.get('name')}, key {reference.get('key')}>"
    return f"<{mapping(source.get('resourceFieldRef')).get('resource', 'unknown')}>"


def command(container: dict[str, Any], env: dict[str, str]) -> list[str]:
    """The words of ``command`` and ``args`` after replacement; ``ENTRYPOINT`` stands for a command that is absent."""
    words = [*(sequence(container.get("command")) or [ENTRYPOINT]), *sequence(container.get("args"))]
    return [replaced(word, env) for word in words if isinstance(word, str)]


def devices(pod: dict[str, Any]) -> dict[str, int]:
    """Extended resource → amount over all containers, in the order of the spec; of each resource claim one."""
    found: dict[str, int] = {}
    for container in sequence(mapping(pod.get("spec")).get("containers")):
        for claim in sequence(mapping(mapping(container).get("resources")).get("claims")):
            found[f"claim {mapping(claim).get('name')}"] = 1
        for name, amount in mapping(mapping(mapping(container).get("resources")).get("limits")).items():
            thousandths = milli(amount) if is_extended(name) else None
            if thousandths is not None:
                found[name] = found.get(name, 0) + thousandths // 1000
    return found


def ranks(words: list[str], env: dict[str, str], accelerators: int) -> tuple[int, int] | None:
    """First and last rank of a pod's processes; None where a rendezvous gives them or nothing says how many start."""
    line = launchers.of_text(words)
    if line is None:
        if words[:1] == [ENTRYPOINT] and accelerators > 1:
            return None  # what the image starts may be a launcher, with a process for each
        rank = launchers.count(env.get("RANK", ""))
        return None if rank is None else (rank, rank)
    node, size = launchers.node(line, env), launchers.processes(line, env, accelerators)
    if node is None or not size or (line.name == launchers.ACCELERATE and size == 1 and not _spreads(line)):
        return None
    return node * size, node * size + size - 1


def _spreads(line: launchers.Line) -> bool:
    """Whether accelerate tells the only process of a pod its rank; else it does not know that there are others."""
    return any(one in line.options for one in launchers.SPREADING)


def meeting(words: list[str], told: str = "") -> str:
    """Where the pods meet: as their variables have it, ``told``, or else a launcher's own options; empty: nobody says.

    With `--standalone` torchrun looks at no variable (torch 2.13, distributed/run.py).
    """
    line = launchers.of_text(words)
    if line is None:
        return told
    if line.name == launchers.TORCHRUN and "standalone" in line.options and not line.doubtful:
        return "localhost"
    return told or launchers.meeting(line)


def never_ends(words: Sequence[str]) -> bool:
    """Whether a command line, or the last line of a shell's text in it, waits for ever: what it says of itself."""
    last = [word for line in words[-1:] for word in line.strip().rpartition("\n")[2].split()]
    said = [*words[:-1], *last][-3:]
    return said[-2:] in (["sleep", "infinity"], ["sleep", "inf"]) or said == ["tail", "-f", "/dev/null"]


# Programs that serve until somebody kills them, whatever they are told.
_SERVERS = frozenset(
    (
        "tensorboard",
        "jupyter-lab",
        "jupyter-notebook",
        "dcgm-exporter",
        "node_exporter",
        "prometheus",
        "nginx",
        "redis-server",
        "fluent-bit",
        "fluentd",
        "promtail",
    )
)


def serves(words: Sequence[str]) -> bool:
    """Whether a command line calls a program that never ends by itself, in front or behind a shell's ``exec``."""
    if not words:
        return False
    line = list(words)
    if line[0].rpartition("/")[2].endswith("sh") and len(line) > 2 and line[1].startswith("-") and "c" in line[1]:
        # the last line alone: whoever stands before it may end
        line = line[2].strip().rpartition("\n")[2].split()
        if any(sign in word for word in line for sign in ("&", "|", ";", "$(")):
            return False
        line = line[1:] if line[:1] == ["exec"] else line
    name = line[0].rpartition("/")[2] if line else ""
    if name == "jupyter" and len(line) > 1:
        name = f"jupyter-{line[1]}"
    return name in _SERVERS and not {"--help", "--version", "-h", "-V", "--inspect"} & set(line)
