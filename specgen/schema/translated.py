"""A mapping of Kubernetes' operators at the top of a profile, as the words that say the same: ``runPolicy``,
``securityContext``, ``elasticPolicy``, ``trainer``; and what stands for the pods of a job, which profiles have no level
for.
"""

from __future__ import annotations

from specgen.schema.foreign import amounts, asked_line
from specgen.schema.remedies import candidates, said
from specgen.schema.wording import folded, secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schema.walk import Schema, Walk
    from specgen.schema.wording import Wording

# Mappings around words that stand at the top of a profile.
_AROUND = ("jobSpec", "pod", "podSpec", "trainer", "training", "worker", "workers")
# Amounts of one pod.
_AMOUNTS = ("resourcesPerNode", "resourcesPerPod", "resourcesPerWorker", "resources_per_node")
# What holds the pods of a job, or their containers.
_OF_PODS = (
    "containers",
    "jaxreplicaspecs",
    "mpireplicaspecs",
    "msreplicaspecs",
    "paddlereplicaspecs",
    "podspec",
    "podtemplate",
    "pytorchreplicaspecs",
    "replicaspecs",
    "replicatedjobs",
    "services",
    "tasks",
    "template",
    "tfreplicaspecs",
    "trainer",
    "xgbreplicaspecs",
)
_COUNTS = ("replicas", "pods", "count", "numNodes", "num_nodes", "nodes", "parallelism")
# Roles that share one count, and those with a count of their own.
_TOGETHER = ("chief", "master", "worker", "workers")
_APART = ("evaluator", "ps")
_DEPTH = 12


def left_out(key: str, value: Any, instance: dict[str, Any]) -> str | None:
    """The line that takes choices out of a matrix, as other tools' matrices do it by a list."""
    if folded(key) not in ("exclude", "excludes", "skip") or not isinstance(instance.get("matrix"), dict):
        return None
    named = isinstance(value, list) and value and all(isinstance(one, (str, int, float)) for one in value)
    names = [str(one) for one in value] if named else ["NAME"]
    return f"write `{said('variants', dict.fromkeys(names[:3]))}`: the values of a choice with dashes are its name"


def translated(key: str, value: Any, walk: Walk, wording: Wording) -> str | None:
    """The lines for a mapping at the top whose entries all have a word here; None: one of them has none."""
    if key in _AMOUNTS and isinstance(value, dict):
        found = amounts("limits", value)
        return asked_line(found) if found and _fits(("resources",), found, walk) else None
    whole = _words(key, value, walk, wording, 0)
    if whole is None:
        return None
    lines = [f"`{said(word, below)}`" for word, below in whole.items()]
    return f"write {' and '.join(lines) if len(lines) < 3 else ', '.join(lines[:-1]) + ', and ' + lines[-1]}"


def _words(key: str, value: Any, walk: Walk, wording: Wording, depth: int) -> dict[str, Any] | None:
    """The words that a mapping with a name of Kubernetes comes to."""
    under = wording.alias(key)
    if not isinstance(value, dict) or not value or (not under and key not in _AROUND) or secret(key) or depth > _DEPTH:
        return None
    if under and all(one.get("type") != "object" for one in _schemas(tuple(under.split(".")), walk)):
        return None
    whole: dict[str, Any] = {}
    for name, below in value.items():
        at = _path(str(name), under, walk, wording)
        one = _amounts(str(name), below) if at is None else _value(at, below, walk)
        if one is None:
            one = _words(str(name), below, walk, wording, depth + 1)
        if one is None or not _merged(whole, one):
            return None
    return whole


def gang_of(key: str, instance: dict[str, Any]) -> str | None:
    """The line for a number of pods that start together."""
    if key not in ("minAvailable", "minMember") or type(instance[key]) is not int:
        return None
    return (
        "leave it out: `gang` counts all pods" if "gang" in instance else "write `scheduling: {gang: true}`: all pods"
    )


def counted(key: str, instance: dict[str, Any]) -> str | None:
    """The line for roles at the top of a profile that say how many there are, and nothing else."""
    count = _count(instance[key])
    if count is None or not isinstance(instance[key], dict) or key not in (*_TOGETHER, *_APART, "launcher"):
        return None
    if key == "launcher":
        return "leave it out: a job of MPI has one launcher by itself"
    if key in _APART:
        return f"write `roles: {{{key}: {{pods: {count}}}}}`"
    counts = [_count(instance[name]) for name in _TOGETHER if name in instance]
    chief = " and `roles: {chief: {}}`" if "chief" in instance else ""
    return f"write `pods: {sum(one or 0 for one in counts)}`, which counts all that train{chief}"


def of_pods(key: str, value: Any) -> str | None:
    """The sentence for what holds the pods of a job in a manifest."""
    if folded(key) not in _OF_PODS:
        return None
    count = _total(value, 0)
    pods = f"`pods: {count}`" if count else "`pods`"
    return f"{pods}, `image`, `command`, and `resources` stand at the top of a profile, below no `{key}`"


def _count(value: Any) -> int | None:
    """What a role says of its number, where it says nothing else."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((name, count),) = value.items()
    return count if name in _COUNTS and type(count) is int and 0 <= count < 1_000_000 else None


def _total(value: Any, depth: int) -> int:
    """The pods that a mapping or a list counts."""
    if depth > _DEPTH or not isinstance(value, (dict, list)):
        return 0
    if isinstance(value, dict):
        own: int | None = next((value[name] for name in _COUNTS if type(value.get(name)) is int), None)
        if own is not None:
            return min(max(own, 0), 1_000_000)
    return sum(_total(below, depth + 1) for below in (value.values() if isinstance(value, dict) else value))


def _path(name: str, under: str, walk: Walk, wording: Wording) -> tuple[str, ...] | None:
    """Where a profile says what an entry of the mapping says."""
    own = (*under.split("."), name) if under else (name,)
    if _schemas(own, walk):
        return own
    alias = wording.alias(name)
    return tuple(alias.split(".")) if alias and _schemas(tuple(alias.split(".")), walk) else None


def _amounts(name: str, value: Any) -> dict[str, Any] | None:
    found = amounts("limits", value) if name in _AMOUNTS and isinstance(value, dict) else None
    return {"resources": found} if found else None


def _value(path: tuple[str, ...], value: Any, walk: Walk) -> dict[str, Any] | None:
    """The words of a value at a path, mended where it must be; None: it is not taken there."""
    inside = _schemas(path, walk)
    meant = [value]
    if path == ("scheduling", "gang") and type(value) is int:
        meant = [True]  # a number of pods that start together: all
    if isinstance(value, dict) and set(value) == {"add"}:
        meant = [value["add"]]
    for candidate in (*meant, *candidates((path[-1],), value, inside, walk)):
        if walk.fits(candidate, inside):
            whole: Any = candidate
            for step in reversed(path):
                whole = {step: whole}
            found: dict[str, Any] = whole
            return found
    return None


def _fits(path: tuple[str, ...], value: Any, walk: Walk) -> bool:
    return walk.fits(value, _schemas(path, walk))


def _schemas(path: tuple[str, ...], walk: Walk) -> list[Schema]:
    """The schemas of the value at a path of fields; none: there is no such path."""
    schema: Schema = walk.root
    inside: list[Schema] = []
    for step in path:
        below = schema.get("properties", {}).get(step)
        if below is None:
            return []
        inside = walk.alternatives(below)
        schema = next((one for one in inside if one.get("type") == "object"), {})
    return inside


def _merged(whole: dict[str, Any], more: dict[str, Any]) -> bool:
    """Puts words beside those that are there; false: one of them is said twice."""
    for key, value in more.items():
        if key not in whole:
            whole[key] = value
        elif not isinstance(value, dict) or not isinstance(whole[key], dict) or not _merged(whole[key], value):
            return False
    return True
