"""Changes of a job in words of the job: pods, image, command, mounts, environment, devices, queue, limits.

Every change has a row: one that no word is known for has its path. Secrets are dots, as in all that is printed.
"""

from __future__ import annotations

from specgen.diagnostics.secrets import DOTS, masked, masked_words, secret
from specgen.manifest.views import mapping, sequence
from specgen.operators.compared import ABSENT, NAMES
from specgen.operators.kubernetes.resources import is_extended
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    from specgen.operators.changes import Change
    from specgen.operators.updates import Effect, Update
    from specgen.source import Path

    # before and after
    Sides: TypeAlias = tuple[Any, Any]

# Field → its word; what is not here has its own name.
_WORDS = {
    "replicas": "pods",
    "numNodes": "pods",
    "parallelism": "pods of each Job",
    "restartPolicy": "restart policy",
    "activeDeadlineSeconds": "deadline (s)",
    "ttlSecondsAfterFinished": "time to live (s)",
    "backoffLimit": "backoff limit",
    "maxRetry": "retries",
    "maxRestarts": "restarts",
    "schedulerName": "scheduler",
    "priorityClassName": "priority",
    "priorityClass": "priority",
    "queue": "queue",
    "kueue.x-k8s.io/queue-name": "queue",
    "kueue.x-k8s.io/priority-class": "priority in the queue",
    "minAvailable": "gang",
    "suspend": "suspended",
    "nprocPerNode": "processes per pod",
    "numProcPerNode": "processes per pod",
    "slotsPerWorker": "slots per pod",
    "serviceAccountName": "service account",
    "hostNetwork": "network of the node",
    "runtimeRef": "runtime",
}
# Fields of the spec that hold roles by name.
_ROLES = ("replicatedJobs", "tasks")
# Lists whose items are one thing each.
_ITEMS = ("env", "volumeMounts", "volumes")
_AMOUNTS = ("limits", "requests")


class Row:
    """One thing that changed: of which ``roles`` (none: of the job), what, and how it was and is, empty where absent.

    ``path``: where it stands in the manifest, with items of lists by their names; ``place``: the file, line and column
    that it follows from, once somebody has looked for them.
    """

    __slots__ = ("effect", "new", "old", "path", "place", "roles", "what")

    def __init__(self, roles: Sequence[str], what: str, old: str, new: str, effect: Effect, path: Path) -> None:
        self.roles = list(roles)
        self.what = what
        self.old = old
        self.new = new
        self.effect = effect
        self.path = path
        self.place: tuple[str, int, int] | None = None

    @property
    def alike(self) -> tuple[str, ...]:
        """What rows of several roles share that are one."""
        return self.what, self.old, self.new, self.effect.how, self.effect.why


def rows(update: Update, found: Iterable[tuple[Change, Effect]], known: Sequence[str] = ()) -> list[Row]:
    """A row for each change, those of several roles together. known: texts that are secrets wherever they stand."""
    trees = update.old.manifest.tree, update.new.manifest.tree
    field = update.new.terms.field if update.new.terms is not None else ""
    said: dict[tuple[str, str], Row] = {}
    for change, effect in found:
        role = _role(change.path, field)
        told = [one for one in _told(change, trees, update.new.container, known) if one[2] != one[3] or DOTS in one[2]]
        # what no words tell apart stands as it is written
        for what, path, old, new in told or [_plainly(change, known)]:
            old, new = masked(old, known), masked(new, known)
            said.setdefault((role, what), Row([role] if role else [], what, old, new, effect, path))
    together: dict[tuple[str, ...], Row] = {}
    for row in _single(list(said.values())):
        other = together.setdefault(row.alike, row)
        if other is not row:
            other.roles += row.roles
    return list(together.values())


def _plainly(change: Change, known: Sequence[str]) -> tuple[str, Path, str, str]:
    """A change as it is written."""
    old, new = _text(change.old, known), _text(change.new, known)
    if old == new:  # a number that is text now, or a blank more
        old, new = ("" if one is ABSENT else _json(one) for one in (change.old, change.new))
    return _word(change.path), change.path, old, new


def _single(found: list[Row]) -> list[Row]:
    """Without requests of devices and amounts that are what the limits say."""
    limits = {(*row.roles, row.what[:-6], row.old, row.new) for row in found if row.what.endswith(" limit")}
    kept = []
    for row in found:
        amount = row.what.removesuffix(" request")
        if amount == row.what or (*row.roles, amount, row.old, row.new) not in limits:
            kept.append(row)
        if amount == row.what:
            row.what = row.what.replace(" per pod limit", " per pod")
    return kept


def spelled(path: Path) -> str:
    """A path as people read it, items of lists by their names."""
    text = ""
    for step in path:
        if isinstance(step, str) and step.startswith("["):
            text += step
        else:
            said = dotted((step,))
            text += said if not text or said.startswith("[") else f".{said}"
    return text


def _role(path: Path, field: str) -> str:
    """The role that a path belongs to; empty: the job."""
    if len(path) > 2 and path[0] == "spec" and path[1] in (field, *_ROLES):
        return str(path[2]).strip("[]")
    return ""


def _told(
    change: Change, trees: tuple[dict[str, Any], dict[str, Any]], main: str | None, known: Sequence[str]
) -> Iterator[tuple[str, Path, str, str]]:
    """(what, path, old, new) of a change; several of a volume that is mounted at several places."""
    path = _anchor(change.path)
    old, new = (change.old, change.new) if path == change.path else (at(tree, path) for tree in trees)
    name, holder = str(path[-1]), path[-2] if len(path) > 1 else ""
    of = _container(path, main)
    if holder == "env":
        called = name.strip("[]")
        yield f"env {called}{of}", path, _variable(called, old, known), _variable(called, new, known)
    elif holder == "volumeMounts":
        yield f"mount {name.strip('[]')}{of}", path, _mount(trees[0], path), _mount(trees[1], path)
    elif holder == "volumes":
        yield from _volume(path, trees, main)
    elif holder in _AMOUNTS:
        what = f"{name} per pod" if is_extended(name) else name
        yield f"{what} {str(holder)[:-1]}{of}", path, _text(old, known), _text(new, known)
    elif name in ("command", "args"):
        what = "command" if name == "command" else "arguments"
        was, now = narrowed(_line(old, known), _line(new, known))
        yield f"{what}{of}", path, was, now
    elif holder in ("containers", "initContainers"):
        what = "container" if holder == "containers" else "init container"
        yield f"{what} {name.strip('[]')}", path, str(mapping(old).get("image", "")), str(mapping(new).get("image", ""))
    elif name == "image":
        yield f"image{of}", path, _text(old, known), _text(new, known)
    else:
        yield _word(path) + of, path, _text(old, known), _text(new, known)


def _word(path: Path) -> str:
    name = str(path[-1])
    if name == "replicas" and path[1:2] == ("replicatedJobs",):
        return "replicated Jobs"
    if name in _WORDS:
        return _WORDS[name]
    if path[-2:-1] in (("labels",), ("annotations",)):
        return f"{str(path[-2])[:-1]} {name}" + (" of pods" if len(path) > 3 else "")
    if len(path) > 1 and path[1] == "runtimeRef":
        return "runtime" if name == "name" else f"runtime {name}"
    # of a pod, what stands below its spec or metadata says enough
    cut = max((number for number, step in enumerate(path) if step in ("spec", "metadata")), default=-1)
    rest = path[cut + 1 :] if path[cut : cut + 1] == ("spec",) else path[max(cut, 0) :]
    return spelled(rest or path)


def _anchor(path: Path) -> Path:
    """The path up to the item that is one thing: a variable, a mount, a volume."""
    for number, step in enumerate(path[:-1]):
        if step in _ITEMS and str(path[number + 1]).startswith("["):
            return path[: number + 2]
    return path


def _container(path: Path, main: str | None) -> str:
    """`` of NAME``, where it is another container than the one that trains."""
    for number, step in enumerate(path[:-2]):
        if step in ("containers", "initContainers"):
            name = str(path[number + 1]).strip("[]")
            return f" of {name}" if step == "initContainers" or (main is not None and name != main) else ""
    return ""


def at(tree: Any, path: Path) -> Any:
    """What stands at a path with items by their names; ``ABSENT`` where nothing does."""
    for step in path:
        if isinstance(tree, list):
            tree = next((one for one in reversed(tree) if _is(one, str(step))), ABSENT)
        else:
            tree = tree.get(step, ABSENT) if isinstance(tree, dict) else ABSENT
    return tree


def numbered(tree: Any, path: Path) -> Path:
    """A path with items by their names → the same by their numbers, as far as a tree has it."""
    found: list[str | int] = []
    for step in path:
        if isinstance(tree, list):
            index = next((number for number in reversed(range(len(tree))) if _is(tree[number], str(step))), None)
            if index is None:
                break
            found.append(index)
            tree = tree[index]
        elif isinstance(tree, dict) and step in tree:
            found.append(step)
            tree = tree[step]
        else:
            break
    return tuple(found)


def _is(item: Any, step: str) -> bool:
    return isinstance(item, dict) and step in [f"[{item[key]}]" for key in NAMES if key in item]


def _variable(name: str, entry: Any, known: Sequence[str]) -> str:
    if not isinstance(entry, dict):
        return ""
    if "valueFrom" not in entry:
        value = entry.get("value", "")
        text = value if isinstance(value, str) else str(value)
        return DOTS if secret(name) and not text.startswith("$(") else masked(text, known) or "``"
    for kind, source in mapping(entry["valueFrom"]).items():
        source = mapping(source)
        held = [str(source[key]) for key in ("name", "key", "fieldPath", "resource") if key in source]
        return f"{_source(kind)} {' '.join(held)}".strip()
    return ""


def _source(kind: str) -> str:
    return kind.removesuffix("KeyRef").removesuffix("Ref")


def _pod(tree: Any, path: Path) -> dict[str, Any]:
    """The pod spec that holds a container or a volume."""
    for number in range(len(path) - 1, -1, -1):
        if path[number] in ("containers", "initContainers", "volumes"):
            return mapping(at(tree, path[:number]))
    return {}


def _mount(tree: Any, path: Path) -> str:
    entry = at(tree, path)
    if not isinstance(entry, dict):
        return ""
    for volume in sequence(_pod(tree, path).get("volumes")):
        if mapping(volume).get("name") == entry.get("name"):
            said = _volume_text(volume)
            break
    else:
        said = f"volume {entry.get('name')}"
    said += f" {entry['subPath']}" if entry.get("subPath") else ""
    return said + (" (read-only)" if entry.get("readOnly") is True else "")


def _volume_text(volume: Any) -> str:
    """A volume in words: what kind it is, and of which name, path or size."""
    for kind, source in mapping(volume).items():
        if kind != "name":
            source = mapping(source)
            keys = ("claimName", "name", "secretName", "path", "server", "driver", "image", "reference")
            held = [str(source[key]) for key in keys if key in source]
            if kind == "emptyDir":
                memory = source.get("medium") == "Memory"
                held = [
                    *(["in memory"] if memory else []),
                    *(str(source[key]) for key in ("sizeLimit",) if key in source),
                ]
            word = {"persistentVolumeClaim": "claim", "configMap": "ConfigMap", "secret": "Secret"}.get(kind, kind)
            return f"{word} {' '.join(held)}".strip()
    return ""


def _volume(path: Path, trees: tuple[Any, Any], main: str | None) -> Iterator[tuple[str, Path, str, str]]:
    """A volume as it is mounted, before and after; itself, where nobody mounts it."""
    name = str(path[-1]).strip("[]")
    found: dict[tuple[str, Path], None] = {}
    for tree in trees:
        pod = _pod(tree, path)
        for key in ("containers", "initContainers"):
            for container in sequence(pod.get(key)):
                for entry in sequence(mapping(container).get("volumeMounts")):
                    if mapping(entry).get("name") == name:
                        where = (*path[:-2], key, f"[{mapping(container).get('name')}]")
                        where = (*where, "volumeMounts", f"[{entry.get('mountPath')}]")
                        found[f"mount {entry.get('mountPath')}{_container(where, main)}", where] = None
    for what, where in found:
        yield what, path, _mount(trees[0], where), _mount(trees[1], where)
    if not found:
        yield f"volume {name}", path, _volume_text(at(trees[0], path)), _volume_text(at(trees[1], path))


def _line(value: Any, known: Sequence[str]) -> list[str]:
    """The words of a command, scripts taken apart at their blanks."""
    words = [str(word) for word in value] if isinstance(value, list) else []
    return [part for word in masked_words(words, known) for part in word.split()]


def narrowed(old: list[str], new: list[str]) -> tuple[str, str]:
    """Two command lines without what they begin and end with alike, for which ``…`` stands."""
    if not old or not new:
        return " ".join(old), " ".join(new)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    head -= 1 if head and (head == len(new) - tail or head == len(old) - tail) else 0
    sides = []
    for words in (old, new):
        kept = words[head : len(words) - tail]
        sides.append(" ".join([*(["…"] if head else []), *kept, *(["…"] if tail else [])]))
    return sides[0], sides[1]


def _json(value: Any) -> str:
    from json import dumps  # most changes are of plain values

    return dumps(value, ensure_ascii=False)


def _text(value: Any, known: Sequence[str]) -> str:
    if value is ABSENT or value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list)):
        return masked(_json(value), known)
    return masked(str(value), known)
