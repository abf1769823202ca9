"""Fields in the wrong place: what the shape findings of one slip have in common.

A slip shows up as several errors of the schema (an unknown key here, a missing one there). Here it becomes one finding
that names both places; the errors that it explains are dropped, all others stay as they are.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, SAFE, UNSAFE, Fix, Place, article
from specgen.diagnostics.operations import Move, Remove, Set, Wrap
from specgen.manifest import codes
from specgen.schema.codes import MISSING_FIELD, UNKNOWN_FIELD, WRONG_TYPE, WRONG_VALUE
from specgen.schema.walk import Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.operations import Operation
    from specgen.schema.walk import Schema
    from specgen.source import Path

# What the cluster does instead, where a field that is not read changes more than its own part of the job.
_CONSEQUENCES = {
    "schedulerName": "these pods go to the default scheduler, so the gang is not placed as a whole",
    "nodeSelector": "these pods may go to any node",
    "tolerations": "these pods stay away from tainted nodes",
    "hostNetwork": "these pods stay in the pod network",
    "cleanPodPolicy": "the pods of a finished job stay",
    "ttlSecondsAfterFinished": "a finished job is never deleted",
    "labels": "nothing that selects these labels finds the pods",
    "annotations": "nothing that reads these annotations finds them",
}


# A field of a policy that acts once a pod has broken: it places nothing, asks for nothing, and ends no job that is
# well, as a deadline does.
_AT_END = ("runPolicy", "backoffLimit")
# What says what holds without it, but in an MSJob: other words begin to delete pods.
_AS_BEFORE = ("runPolicy", "cleanPodPolicy", "None")


def misplaced(schema: dict[str, Any], tree: Any, findings: list[Finding]) -> list[Finding]:
    """The findings of ``judge``, with misplaced items (SG111, SG113) and fields (SG112) in place of what they explain.

    schema: the whole schema of the kind. The place of an SG111 is the name of the item, below its list and its index.
    """
    out: list[Finding] = []
    moved: dict[Path, bool] = {}
    for finding in findings:
        item = _item(finding.place.path)
        if item and item not in moved:
            entry = _entry(tree, item)
            moved[item] = entry is not None
            if entry is not None:
                out.append(entry)
        if not moved.get(item):
            out.append(finding)
    return _beside(Walk(schema, None), tree, out)


def _item(path: Path) -> Path:
    """The item of ``volumeMounts`` or ``env`` in which a path lies; empty where it lies in none."""
    for index in range(1, len(path)):
        if path[index - 1] in ("volumeMounts", "env") and isinstance(path[index], int):
            return path[: index + 1]
    return ()


def _at(tree: Any, path: Path) -> Any:
    """The value at a path, or None."""
    for step in path:
        if isinstance(step, int):
            if not isinstance(tree, list) or step >= len(tree):
                return None
            tree = tree[step]
        else:
            if not isinstance(tree, dict):
                return None
            tree = tree.get(step)
    return tree


def _entry(tree: Any, path: Path) -> Finding | None:
    """The finding of an item that belongs in the neighbouring list, or None."""
    item = _at(tree, path)
    if not isinstance(item, dict) or not isinstance(item.get("name"), str):
        return None
    gives = next((key for key in ("value", "valueFrom") if key in item), None)
    mounted = isinstance(item.get("mountPath"), str)
    here, there = ("volumeMounts", "env") if path[-2] == "volumeMounts" else ("env", "volumeMounts")
    home = (*path[:-2], there)
    related = []
    if here == "volumeMounts":
        if gives is None or "mountPath" in item:
            return None
        if isinstance(_at(tree, home), list):
            related.append((Place(home, KEY), "environment variables belong in this list"))
        return codes.MISPLACED_ENV.at(
            (*path, "name"),
            f"environment variable `{item['name']}` is listed under `volumeMounts`",
            label=f"has `{gives}`, has no `mountPath`",
            related=related,
            notes=["a volume mount needs `name` and `mountPath`; the API server rejects this one"],
            fix=_moved(tree, path, home),
        )
    if gives is not None or not mounted:
        return None
    if isinstance(_at(tree, home), list):
        related.append((Place(home, KEY), "volume mounts belong in this list"))
    return codes.MISPLACED_MOUNT.at(
        (*path, "mountPath"),
        f"volume mount `{item['mountPath']}` is listed under `env`",
        label="has `mountPath`, has no `value`",
        related=related,
        notes=["an environment variable has no `mountPath`; the API server rejects this one"],
        fix=_moved(tree, path, home),
    )


def _moved(tree: Any, path: Path, home: Path) -> Fix:
    """The item goes to the list where it belongs."""
    there = _at(tree, home)
    if isinstance(there, list):
        # nobody takes the object as it is, and the item has no other home
        return Fix(f"move the item to the end of `{home[-1]}`", SAFE, [Move(path, (*home, len(there)))])
    return Fix(f"move the item into a new `{home[-1]}`", UNSAFE, [Move(path, (*home, 0))])


class _Home:
    """Where a field belongs: the path of that mapping, its schema, and whether it is there already."""

    __slots__ = ("exists", "path", "schema")

    def __init__(self, path: Path, schema: Schema, exists: bool) -> None:
        self.path = path
        self.schema = schema
        self.exists = exists


def _beside(walk: Walk, tree: Any, findings: list[Finding]) -> list[Finding]:
    """SG112 in place of unknown fields that a neighbouring mapping knows, and of what it lacks without them."""
    out: list[Finding] = []
    brought: dict[Path, list[str]] = {}
    # a mapping that is not there → the findings whose fix makes it
    making: dict[Path, list[Finding]] = {}
    for finding in findings:
        path = finding.place.path
        home = None
        if finding.code is UNKNOWN_FIELD and path and isinstance(path[-1], str):
            home = _home(walk, tree, path[:-1], path[-1])
        elif finding.code in (WRONG_TYPE, WRONG_VALUE) and len(path) > 1 and isinstance(path[-1], str):
            home = _around(walk, tree, path[:-1], path[-1])
        if home is None:
            if finding.code is UNKNOWN_FIELD and finding.fix is None:
                _count_devices(walk, tree, finding)
            out.append(finding)
            continue
        out.append(_field(walk, tree, path, home, pruned=finding.code is UNKNOWN_FIELD))
        if not home.exists:
            making.setdefault(home.path, []).append(out[-1])
        brought.setdefault(home.path, []).append(str(path[-1]))
    for path, several in making.items():
        _make_once(path, several)
    return [finding for finding in out if not _explained(walk, tree, finding, brought)]


def _make_once(path: Path, several: list[Finding]) -> None:
    """Leaves one of several fixes that make the same mapping, a safe one before others: applied together they would
    make it twice. Once it is there, the next look offers the others."""
    first = next((one for one in several if one.fix is not None and one.fix.applicability == SAFE), several[0])
    for one in several:
        if one is not first:
            one.fix = None
            one.helps = [f"move it into the same `{path[-1]}` as `{first.place.path[-1]}`"]


def _count_devices(walk: Walk, tree: Any, finding: Finding) -> None:
    """Gives a number of GPUs that stands beside the limits of a container the remedy that puts it among them."""
    path = finding.place.path
    holder, key = path[:-1], path[-1]
    fields = walk.chain(tree, holder)[-1][0].get("properties", {})
    amount = _at(tree, path)
    count = int(amount) if isinstance(amount, str) and amount.isdecimal() and amount.isascii() else amount
    if key not in _GPUS or not {"limits", "requests"} <= fields.keys() or type(count) is not int or count < 1:
        return
    limits = _at(tree, (*holder, "limits"))
    if limits is not None and not isinstance(limits, dict):
        return
    if any("/" in str(name) for name in limits or ()):
        finding.fix = Fix("remove it: `limits` says which devices", UNSAFE, [Remove(path)])
    else:
        there = (*holder, "limits")
        patch: list[Operation] = [Set((*there, _GPU), count) if limits else Set(there, {_GPU: count})]
        patch.append(Remove(path, (*there, _GPU)))
        if len(_at(tree, holder)) == 1:
            patch = [Set(holder, {"limits": {_GPU: count}})]
        # the pods hold devices then
        finding.fix = Fix(f"write `limits: {{{_GPU}: {count}}}`", UNSAFE, patch)
    finding.helps = []


def _explained(walk: Walk, tree: Any, finding: Finding, brought: dict[Path, list[str]]) -> bool:
    """Whether a mapping lacks nothing but the fields that were found beside it."""
    path = finding.place.path
    if finding.code is not MISSING_FIELD or path not in brought:
        return False
    lacking = [key for key in walk.chain(tree, path)[-1][0].get("required", ()) if key not in _at(tree, path)]
    return all(key in brought[path] for key in lacking)


def _home(walk: Walk, tree: Any, path: Path, key: str) -> _Home | None:
    """The one mapping beside, one level down or up, that knows an unknown key of the mapping at a path."""
    chain = walk.chain(tree, path)
    schema, instance = chain[-1]
    # its own place, but for case and dashes: a distance is not asked for, as a text may hold thousands of strange keys
    bare = key.replace("_", "").replace("-", "").lower()
    if any(name.lower() == bare for name in schema.get("properties", {})):
        return None
    homes = _below(walk, schema, instance, path)
    for depth in range(len(path) - 1, -1, -1):
        above = chain[depth][0]
        if above.get("properties") and not (depth and above.get("additionalProperties") is not False):
            homes.append(_Home(path[:depth], above, True))
            break
    value = instance[key]
    fitting = [home for home in homes if _takes(walk, home.schema, key, value)]
    present = [home for home in fitting if home.exists]
    if len(present) == 1:
        return present[0]
    return fitting[0] if len(fitting) == 1 else None


def _around(walk: Walk, tree: Any, path: Path, key: str) -> _Home | None:
    """The nearest of the mappings around one of free names, such as amounts, that knows a key of it.

    What stands there is no amount, so that it was meant for one of them.
    """
    chain = walk.chain(tree, path)
    if chain[-1][0].get("properties") or not isinstance(chain[-1][0].get("additionalProperties"), dict):
        return None
    around = [depth for depth in range(len(path) - 1, -1, -1) if chain[depth][0].get("properties")]
    for depth in around[:_LEVELS]:
        schema, _ = chain[depth]
        if key in schema["properties"]:
            return _Home(path[:depth], schema, True) if _takes(walk, schema, key, _at(tree, (*path, key))) else None
    return None


def _below(walk: Walk, schema: Schema, instance: Any, path: Path) -> list[_Home]:
    """The mappings one level down: fields that hold one, and the only item of a list of them."""
    homes = []
    for name, inner in walk.mappings(schema):
        homes.append(_Home((*path, name), inner, isinstance(instance.get(name), dict)))
    fields = schema.get("properties", {})
    if "limits" in fields and "requests" in fields:
        # amounts of a container: devices are limits, and of the others a limit alone is asked for as well
        homes += [
            _Home((*path, "limits"), one, isinstance(instance.get("limits"), dict))
            for one in walk.alternatives(fields["limits"])
            if one.get("type") == "object"
        ]
    for name, below in fields.items():
        items = instance.get(name)
        if isinstance(items, list) and len(items) == 1 and isinstance(items[0], dict):
            for one in walk.alternatives(below):
                for item in walk.alternatives(one.get("items", {})):
                    if "properties" in item:
                        homes.append(_Home((*path, name, 0), item, True))
    return homes


# How many mappings around one of free names may be the home of what stands in it: a container, its pod.
_LEVELS = 3
# How other tools call the GPUs of a container, and how the plugin of most of them does (k8s-device-plugin 0.17).
_GPUS = ("gpu", "gpus", "GPU", "GPUs", "num_gpus", "numGpus")
_GPU = "nvidia.com/gpu"
# Resources that have no domain.
_AMOUNTS = ("cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "hugepages-1Gi")
_TYPES: dict[type, tuple[str, ...]] = {
    str: ("string",),
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
    dict: ("object",),
    list: ("array",),
}


def _takes(walk: Walk, schema: Schema, key: str, value: Any) -> bool:
    """Whether a mapping knows a key and takes a value of this type there."""
    below = schema.get("properties", {}).get(key)
    if below is None:
        # a mapping of amounts takes what is called like a resource
        free = schema.get("additionalProperties")
        if not isinstance(free, dict) or "$ref" in free or not ("/" in key or key in _AMOUNTS):
            return False
        below = free
    return any(one.get("type") in _TYPES.get(type(value), ("null",)) for one in walk.alternatives(below))


def _says_more(own: Any, known: Any) -> bool:
    """Whether a mapping or list holds what another one by its name does not."""
    if isinstance(own, dict) and isinstance(known, dict):
        return any(key not in known or known[key] != value for key, value in own.items())
    return isinstance(own, (dict, list)) and bool(own) and own != known and known is not None


def noun(path: Path, schema: Schema) -> str:
    """A mapping by its key, with what it is the key of where the schema says: ``the pod `spec` ``."""
    title = schema.get("title", "")
    if not path:
        return f"the {title}" if title else "the object"
    if isinstance(path[-1], int):
        return article(title) if title else f"an item of `{path[-2]}`"
    kind, _, last = title.rpartition(" ")
    return f"the {kind} `{path[-1]}`" if kind and last == path[-1] else f"`{path[-1]}`"


def _field(walk: Walk, tree: Any, path: Path, home: _Home, *, pruned: bool = True) -> Finding:
    """``pruned``: whether a server that takes the object leaves the field out; else it takes no such object."""
    key, holder = path[-1], path[:-1]
    if holder and isinstance(holder[-1], str):
        here = f"`{holder[-1]}`"
    else:
        here = noun(holder, walk.chain(tree, holder)[-1][0])
    there = noun(home.path, home.schema)
    target = f"`{home.path[-1]}`" if home.path and isinstance(home.path[-1], str) else there
    known = _at(tree, home.path)
    instead = _CONSEQUENCES.get(str(key), "the job runs without it")
    notes = ["kubectl refuses the object", f"where unknown fields are pruned instead of refused, {instead}"]
    fix: Fix | None
    # the field begins to act, on a job that may run without it where unknown fields are pruned
    said = (*home.path[-1:], key)
    same = (*said, _at(tree, path)) == _AS_BEFORE and _at(tree, ("kind",)) != "MSJob"
    level = SAFE if not pruned or said == _AT_END or same else UNSAFE
    if isinstance(known, dict) and key in known and isinstance(known[key], (dict, list)) and not pruned:
        fix = None  # what stands in both belongs together
    elif isinstance(known, dict) and _says_more(_at(tree, path), known.get(str(key))):
        fix = None  # removed, it would take with it what stands here alone
    elif isinstance(known, dict) and key in known:
        fix = Fix(f"remove it: {target} has a `{key}` of its own", UNSAFE, [Remove(path)])
    elif home.exists:
        fix = Fix(f"move it into {target}", level, [Move(path, (*home.path, str(key)))])
    else:
        fix = Fix(f"move it into a mapping {target} in {here}", level, [Wrap(path, str(home.path[-1]))])
    related = [(Place(home.path, KEY), "belongs inside this mapping")] if home.exists and home.path else []
    return codes.FIELD_BESIDE_SPEC.at(
        path,
        f"`{key}` is a field of {there}, not of {here}",
        part=KEY,
        label="has no effect here" if pruned else "no amount or text",
        related=related,
        notes=notes if pruned else ["the API server rejects the object"],
        helps=[] if fix is not None else [f"join it with the `{key}` of {target}"],
        fix=fix,
    )
