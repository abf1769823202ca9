"""What an operator makes of a manifest, as a table for people and as objects for programs."""

from __future__ import annotations

from specgen.cli import lifecycle
from specgen.diagnostics.model import plural
from specgen.diagnostics.safe import log_line, printable, width
from specgen.diagnostics.secrets import DOTS, masked_words, values
from specgen.operators.kubernetes.command import ENTRYPOINT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.operators.expansion import Expansion, Instance

_HEAD = ("POD", "ROLE", "RANKS", "DEVICES", "RENDEZVOUS", "COMMAND")
_GAP = "  "
# A command that would get fewer columns stands in a line of its own, below its pod.
_LEAST = 40
_INDENT = "  "
# Programs that start the processes of a pod, or are what a script is about; what stands before them is preparation.
_STARTERS = ("mpirun", "mpiexec", "horovodrun", "torchrun", "accelerate", "deepspeed", "python", "python3")
# Lines of a host file that are shown.
_HOSTS = 12


def table(expansion: Expansion, *, columns: int | None = None) -> str:
    """The expansion in lines, the last one ended: a summary, rows for pods, host files, PodGroups, what becomes
    of the job, refusals.

    Pods of a role that differ only in rank share a row. columns: those of the terminal, into which all of it is to fit;
    None: nothing is cut.
    """
    groups = _groups(expansion.instances)
    lines = _wrapped([_summary(expansion, groups)], columns)
    if groups:
        known = _secrets(expansion, groups)
        lines += ["", *_aligned([_HEAD, *(_row(group, known) for group in groups)], columns)]
    for tree in expansion.autoscalers:
        spec = tree["spec"]
        bounds = f"{spec['minReplicas']} to {spec['maxReplicas']} Workers"
        lines += ["", f"{tree['kind']} {tree['metadata']['name']}: {bounds}"]
    lines += _host_files(expansion)
    for group in _pod_groups(expansion):
        lines += ["", *_wrapped([group], columns)]
    life = _wrapped(lifecycle.lines(expansion), columns)
    lines += ["", *life] if life else []
    notes = []
    if expansion.idle:
        notes.append(f"nothing is created: {expansion.idle}")
    notes += expansion.notes
    notes += refused(expansion)
    if expansion.left_out:
        notes.append(f"{plural(expansion.left_out, 'more pod')} and their Services are not shown")
    notes = _wrapped(notes, columns)
    return "".join(log_line(line) + "\n" for line in [*lines, *([""] if notes else []), *notes])


def refused(expansion: Expansion) -> list[str]:
    """A sentence for each object that nobody takes, the job itself among them."""
    return [f"{one.kind} {one.name} is refused by {one.by}: {one.reason}" for one in expansion.refusals]


def objects(expansion: Expansion) -> dict[str, Any]:
    """All objects as one ``v1`` List, ready to be written as YAML or JSON."""
    return {"apiVersion": "v1", "kind": "List", "items": expansion.objects}


def _summary(expansion: Expansion, groups: list[list[Instance]]) -> str:
    job = expansion.job
    name = f"{job.namespace}/{job.name}" if job.namespace else job.name
    counts = [plural(len(expansion.pods) + expansion.left_out, "pod")]
    kinds: dict[str, int] = {}
    for tree in expansion.others:
        kinds[tree["kind"]] = kinds.get(tree["kind"], 0) + 1
    if expansion.services or not kinds:
        counts.append(plural(len(expansion.services), "Service"))
    counts += [plural(number, kind) for kind, number in kinds.items()]
    made = f"{', '.join(counts[:-1])} and {counts[-1]}"
    if expansion.left_out:
        made = f"{counts[0]}, of which {len(expansion.pods)} are shown with {' and '.join(counts[1:])}"
    said = f"{expansion.operator} {expansion.version}: {job.kind} {name} becomes {made}"
    alike = [_name(group) for group in groups if len(group) > 1]
    if not alike:
        return said
    return f"{said}; {', '.join(alike)} are alike but for index and rank"


def _host_files(expansion: Expansion) -> list[str]:
    """The files by which ``mpirun`` finds its hosts, each with its ConfigMap."""
    lines: list[str] = []
    for tree in expansion.others:
        data = tree.get("data") if tree["kind"] == "ConfigMap" else None
        if not data or "hostfile" not in data:
            continue
        hosts = data["hostfile"].splitlines()
        lines += ["", f"hostfile of ConfigMap {tree['metadata']['name']}:" + ("" if hosts else " empty")]
        lines += [_GAP + host for host in hosts[:_HOSTS]]
        if len(hosts) > _HOSTS:
            lines.append(f"{_GAP}… {plural(len(hosts) - _HOSTS, 'more line')}")
    return lines


def _pod_groups(expansion: Expansion) -> list[str]:
    lines: list[str] = []
    for tree in expansion.others:
        if tree["kind"] == "PodGroup":
            spec = tree["spec"]
            asked = spec.get("minResources") or {}
            # Volcano's own Jobs count their pods as well, and requests under two names
            plain = [name for name in asked if name not in ("pods", "count/pods") and not name.startswith("requests.")]
            needs = ", ".join(f"{asked[name]} {name}" for name in plain)
            pods = len(expansion.pods) + expansion.left_out
            least = "at least " + (f"{spec['minMember']} of {plural(pods, 'pod')}" if pods else str(spec["minMember"]))
            lines.append(f"PodGroup {tree['metadata']['name']}: {least}" + (f" with {needs}" if needs else ""))
    return lines


def _groups(instances: list[Instance]) -> list[list[Instance]]:
    groups: list[list[Instance]] = []
    for instance in instances:
        if groups and _follows(groups[-1][-1], instance):
            groups[-1].append(instance)
        else:
            groups.append([instance])
    return groups


def _follows(before: Instance, after: Instance) -> bool:
    """Whether a pod is its predecessor with the next ranks."""
    if before.role != after.role or before.rendezvous != after.rendezvous:
        return False
    if before.devices != after.devices or before.command != after.command:
        return False
    if before.ranks is None or after.ranks is None:
        return before.ranks is after.ranks
    return before.ranks[1] + 1 == after.ranks[0]


def _name(group: list[Instance]) -> str:
    if len(group) == 1:
        return group[0].pod
    # the index stands before letters that nobody knows; of pods of several Jobs each has two, that of its Job in front
    unknown = "-<random>" if group[0].pod.endswith("-<random>") else ""
    first, last = (group[at].pod.removesuffix(unknown).split("-") for at in (0, -1))
    same = 0
    while same < len(last) - 1 and first[same : same + 1] == last[same : same + 1]:
        same += 1
    return f"{'-'.join(first)}..{'-'.join(last[same:])}{unknown}"


def _secrets(expansion: Expansion, groups: list[list[Instance]]) -> list[str]:
    """Texts that pods get as secrets in their environment: a command may say them, once its variables are replaced."""
    first = {group[0].pod for group in groups}
    return values([tree for tree in expansion.pods if tree["metadata"]["name"] in first])


def _row(group: list[Instance], known: list[str]) -> tuple[str, ...]:
    from shlex import quote

    one, first, last = group[0], group[0].ranks, group[-1].ranks
    ranks = "-" if first is None or last is None else str(first[0]) if first[0] == last[1] else f"{first[0]}-{last[1]}"
    devices = ", ".join(f"{amount} {name}" for name, amount in one.devices.items() if amount)
    said = [_in_one_line(word) for word in masked_words(one.command, known)]
    words = [word if word == ENTRYPOINT or DOTS in word else quote(word) for word in said]
    return _name(group), one.role, ranks, devices or "-", one.rendezvous or "-", " ".join(" ".join(words).split())


def _in_one_line(text: str) -> str:
    """A script that is written over several lines, without its comments: `⏎` stands where a line ends."""
    if "\n" not in text:
        return text
    lines = [line.strip() for line in text.replace("\\\n", " ").split("\n")]
    return " ⏎ ".join([line for line in lines if line and line[0] != "#"])


def _wrapped(lines: list[str], columns: int | None) -> list[str]:
    """Sentences over as many lines as they take, the further ones indented."""
    if columns is None:
        return lines
    from textwrap import wrap

    return [
        part
        for line in lines
        for part in wrap(
            line,
            columns,
            subsequent_indent=_INDENT + _INDENT * line.startswith(_INDENT),
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]


def _aligned(rows: list[tuple[str, ...]], columns: int | None) -> list[str]:
    """Rows with their columns one below the other; what there is no room for stands in lines of its own below a row."""
    safe = [tuple(printable(cell) for cell in row) for row in rows]
    widths = [max(width(row[at]) for row in safe) for at in range(len(_HEAD) - 1)]
    beside = len(widths)
    while columns is not None and beside > 1 and sum(widths[:beside]) + len(_GAP) * (beside - 1) > columns:
        beside -= 1
    room = None if columns is None else columns - sum(widths) - len(_GAP) * len(widths)
    below = room is not None and room < _LEAST
    lines = []
    for number, row in enumerate(safe):
        cells = [cell + " " * (widths[at] - width(cell)) for at, cell in enumerate(row[:beside])]
        if not below or columns is None:
            lines.append(_GAP.join([*cells, _cut(row[-1], room)]))
            continue
        lines.append(_GAP.join(cells).rstrip())
        if not number:
            continue
        for name, cell in zip(_HEAD[beside:-1], row[beside:-1], strict=True):
            lines += [] if cell == "-" else _wrapped([f"{_INDENT}{name.lower()}: {cell}"], columns)
        lines.append(_INDENT + _cut(row[-1], columns - len(_INDENT)))
    return lines


def _cut(text: str, room: int | None) -> str:
    """A command as far as there is room: of a script the part that starts the processes, the rest as ``…``."""
    if room is None or width(text) <= room:
        return text
    words = text.split(" ")
    for at, word in enumerate(words):
        if word.strip("'\"").rpartition("/")[2] in _STARTERS and words[at + 1 : at + 3] != ["-m", "pip"]:
            return ended(text if at < 3 else "… " + " ".join(words[at:]), room)
    return ended(text, room)


def ended(text: str, room: int | None) -> str:
    """A text as far as there is room, with `…` where it is cut; None: all of it."""
    if room is None or width(text) <= room:
        return text
    kept, taken = "", 0
    for sign in text:
        taken += width(sign)
        if taken > room - 1:
            break
        kept += sign
    return kept.rstrip() + "…"
