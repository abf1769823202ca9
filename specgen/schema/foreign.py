"""Fields of Kubernetes below a word of a profile: the line that says the same here."""

from __future__ import annotations

from specgen.devices import NVIDIA, word_of
from specgen.schema.remedies import command_lines, said, source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.source import Path

# What Kubernetes calls the resources that profiles have a word for.
_RESOURCES = {"cpu": "cpu", "memory": "memory", "ephemeral-storage": "disk"}


def foreign(key: str, path: Path, instance: dict[str, Any]) -> str | None:
    """The help for an unknown field ``key`` of the mapping at a path; None: there is no line for it."""
    value = instance[key]
    above = str(path[-1]) if path else ""
    if above == "resources" or (not path and key in ("limits", "requests")):
        meant = amounts(key, value)
        if {"limits", "requests"} <= instance.keys() and key in ("limits", "requests"):
            meant = _both(amounts("requests", instance["requests"]), amounts("limits", instance["limits"]))
        return asked_line(meant, alone="/" not in key or len(instance) == 1) if meant else None
    if key in ("valueFrom", "secretKeyRef", "configMapKeyRef", "fieldRef", "resourceFieldRef"):
        found = source({key: value})
        return f"write `{said(above, found)}`" if found is not None else None
    if key in ("secretRef", "configMapRef") and isinstance(value, dict) and "name" in value:
        return f"write `envFrom: [{{{'secret' if key == 'secretRef' else 'configMap'}: {value['name']}}}]`"
    if len(path) > 1 and path[-2] == "mounts":
        mount = _mount(key, value)
        return f"write `{said(above, mount)}`" if mount is not None else None
    if key in ("volumes", "volumeMounts"):
        mounts = _mounts(instance.get("volumes"), instance.get("volumeMounts"))
        if mounts:
            return f"write `{said('mounts', mounts)}`"
        return _one_of_two(key, value) if "volumes" not in instance or "volumeMounts" not in instance else None
    if key == "spec" and not path:
        return "the words stand at the top of a profile, below no `spec`"
    return None


def as_kubernetes(key: str, value: Any) -> Iterator[Any]:
    """What a value of a manifest may have been meant to be: a line of words, pairs of names and values, a name."""
    if key in ("command", "args") and isinstance(value, str):
        yield from command_lines(value)
    elif key == "env" and isinstance(value, dict):
        if all(isinstance(one, (str, int, float, bool)) for one in value.values()):
            yield [{"name": name, "value": plain(one)} for name, one in value.items()]
    elif key == "ports" and type(value) is int:
        yield {"containerPort": value}
    elif isinstance(value, str) and len(value.split()) == 1:
        # a line of words is no name
        yield {"name": value}


def plain(value: Any) -> str:
    """A scalar as the text that a variable takes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def amounts(key: str, value: Any) -> dict[str, Any]:
    """``resources`` as profiles say them, of ``limits`` or ``requests``, or of one resource by its name."""
    if key in ("limits", "requests") and isinstance(value, dict):
        found: dict[str, Any] = {}
        for name, amount in value.items():
            word, below = _resource(name, amount)
            if key == "requests" and word in _RESOURCES.values():
                below = {"request": below}
            found = {**found, word: {**found[word], **below} if word == "other" and word in found else below}
        return found
    if "/" in key:
        word, below = _resource(key, value)
        return {word: below}
    return {}


def asked_line(meant: dict[str, Any], *, alone: bool = True) -> str:
    """The line for resources, and the word for a device that a cluster profile can give one.

    Without a cluster profile only one resource has a word: another's own name is what works at once. ``alone``: all
    that is asked for; else the line is one of several below `resources`.
    """
    lines = [f"`{said('resources', meant)}`"] if alone else [f"`{said(*one)}`" for one in meant.items()]
    line = f"write {' and '.join(lines)}"
    for name, count in (meant.get("other") or {}).items():
        word = word_of(name) if type(count) is int else ""
        if word == "hca":
            line += "; the word `hca` needs a cluster profile, see `specgen explain cluster.pools.hca`"
        elif word:
            pool = said("pools", {"all": {word: {"resource": name, "perNode": count}}})
            line += f", or `{word}: {count}` where the cluster profile says `{pool}`"
        if word:
            break
    return line


def _both(requests: dict[str, Any], limits: dict[str, Any]) -> dict[str, Any]:
    """Requests and limits as one: an amount that is both stands once."""
    found = dict(limits)
    for word, amount in requests.items():
        if word not in limits or not isinstance(amount, dict) or "request" not in amount:
            found.setdefault(word, amount)
        elif str(amount["request"]) != str(limits[word]):
            found[word] = {**amount, "limit": limits[word]}
    return found


def _resource(name: str, amount: Any) -> tuple[str, Any]:
    if name in _RESOURCES:
        return _RESOURCES[name], amount
    if name == NVIDIA:
        return "gpu", amount
    if name.startswith("hugepages-"):
        return "hugepages", {name.removeprefix("hugepages-"): amount}
    return "other", {name: amount}


def _mounts(volumes: Any, mounts: Any) -> dict[str, Any] | None:
    """Volumes of Kubernetes and where they are mounted, as paths and what appears there; None: one of them is none."""
    found: dict[str, Any] = {}
    if not isinstance(volumes, list) or not isinstance(mounts, list):
        return None
    sources: dict[Any, Any] = {one.get("name"): one for one in volumes if isinstance(one, dict)}
    for mount in mounts:
        if not isinstance(mount, dict) or not isinstance(mount.get("mountPath"), str):
            return None
        keys = [key for key in sources.get(mount.get("name"), ()) if key != "name"]
        below = _mount(keys[0], sources[mount["name"]][keys[0]]) if len(keys) == 1 else None
        if below is None:
            return None
        if "scratch" in below:
            below["scratch"] = mount["name"]
        if mount["mountPath"] == "/dev/shm":
            continue  # it stands there by itself, and `resources.shm` says its size
        found[mount["mountPath"]] = below | {name: mount[name] for name in ("readOnly", "subPath") if name in mount}
    return found


def _one_of_two(key: str, listed: Any) -> str | None:
    """The line for volumes that are mounted nowhere, or mounts of which nobody says the volume."""
    first = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], dict) else {}
    if key == "volumeMounts":
        if not isinstance(first.get("mountPath"), str):
            return None
        return f"write `{said('mounts', {first['mountPath']: {'pvc': 'NAME'}})}` with the name of the claim"
    keys = [name for name in first if name != "name"]
    below = _mount(keys[0], first[keys[0]]) if len(keys) == 1 else None
    return f"write `{said('mounts', {'/PATH': below})}` with the path in the pods" if below is not None else None


def _mount(key: str, value: Any) -> dict[str, Any] | None:
    """A volume source of Kubernetes as what appears at a path."""
    below = value if isinstance(value, dict) else {}
    if key == "persistentVolumeClaim":
        return {"pvc": below.get("claimName", "NAME")}
    if key == "hostPath" and "path" in below:
        return {"hostPath": below["path"]}
    if key == "nfs" and {"server", "path"} <= below.keys():
        return {"nfs": {"server": below["server"], "path": below["path"]}}
    if key in ("configMap", "secret"):
        name = below.get("name" if key == "configMap" else "secretName")
        return {key: name} if name is not None else None
    if key == "emptyDir":
        found: dict[str, Any] = {"scratch": "scratch"}
        if below.get("medium") == "Memory":
            found["memory"] = True
        return {**found, "size": below["sizeLimit"]} if "sizeLimit" in below else found
    return None
