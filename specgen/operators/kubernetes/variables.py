"""Variables of containers, and what they and files may take from a pod (Kubernetes 1.36, ValidateEnv)."""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.names import is_key, is_qualified, is_subdomain, is_variable
from specgen.operators.kubernetes.reason import because, missing, needed, relative, text
from specgen.quantity import canonical, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.operators.kubernetes.reason import Reason
    from specgen.source import Path

_SOURCES = ("configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef")
# `spec.host` is what version v1 called the node before (ConvertDownwardAPIFieldLabel).
# fmt: off
_FIELDS = (
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "spec.host",
    "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
)
# fmt: on
_AMOUNTS = ("cpu", "memory", "ephemeral-storage")
_DIVISORS = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")


def variables(entries: list[Any], path: Path) -> Iterator[Reason]:
    """What is wrong with a container's ``env``. Of equal names the last one counts, so they are none of it."""
    for at, entry in enumerate(entries):
        if not isinstance(entry, dict):
            continue
        name, source = entry.get("name"), entry.get("valueFrom")
        here = (*path, at)
        if name is None or name == "":
            yield missing((*here, "name"), "variable-unnamed")
        elif isinstance(name, str) and not is_variable(name):
            wrong = "it holds `=`" if "=" in name else "only printable ASCII may stand in one"
            yield because((*here, "name"), f"`{shown(name)}` is no name of a variable: {wrong}", "variable-name")
        if isinstance(source, dict):
            yield from _from(entry, source, here)


def _from(entry: dict[str, Any], source: dict[str, Any], path: Path) -> Iterator[Reason]:
    here = (*path, "valueFrom")
    given = [key for key in source if key in _SOURCES and isinstance(source[key], dict)]
    if not given:
        yield because(here, "nothing says where the value comes from")
    elif text(entry, "value"):
        message = f"`value` of variable `{shown(entry.get('name'))}` contradicts its `valueFrom`"
        yield because(here, message, "two-values", (*path, "value"))
    elif len(given) > 1:
        message = f"`{given[1]}` contradicts `{given[0]}`: a variable has one source"
        yield because((*here, given[1]), message, "", (*here, given[0]))
    for key in given:
        tree, below = source[key], (*here, key)
        if key == "fieldRef":
            yield from field_of_pod(tree, _FIELDS, below)
        elif key == "resourceFieldRef":
            yield from amount_of_container(tree, below)
        elif key == "fileKeyRef":
            for field in ("volumeName", "path", "key"):
                yield from needed(tree, field, below)
            yield from relative(text(tree, "path") or "", (*below, "path"))
        else:
            yield from _key(tree, below)


def _key(tree: dict[str, Any], path: Path) -> Iterator[Reason]:
    """A key of a Secret or ConfigMap."""
    name, key = text(tree, "name"), text(tree, "key")
    if name == "":
        yield missing((*path, "name"))
    elif name is not None and not is_subdomain(name):
        yield because((*path, "name"), f"`{shown(name)}` is no name of an object")
    if key == "":
        yield missing((*path, "key"))
    elif key is not None and not is_key(key):
        yield because((*path, "key"), f"`{shown(key)}` is no key: those have letters, digits, `-`, `_`, and `.`")


def field_of_pod(tree: dict[str, Any], fields: tuple[str, ...], path: Path) -> Iterator[Reason]:
    """A ``fieldRef``; ``fields``: those without a subscript that may stand there."""
    version, field = text(tree, "apiVersion"), text(tree, "fieldPath")
    if version not in ("", "v1", None):
        yield because((*path, "apiVersion"), f"`{shown(version)}` is no version of pods")
    elif field == "":
        yield missing((*path, "fieldPath"))
    elif field is not None and field not in fields and not _is_subscripted(field):
        takers = "variables" if fields is _FIELDS else "files"
        yield because((*path, "fieldPath"), f"{takers} cannot take `{shown(field)}` of a pod", "field")


def _is_subscripted(field: str) -> bool:
    """Whether a field is a label or annotation by its key: ``metadata.labels['app']``."""
    kind, bracket, key = field.partition("['")
    if not bracket or not key.endswith("']"):
        return False
    key = key[:-2]
    return is_qualified(key if kind == "metadata.labels" else key.lower()) and kind in (
        "metadata.labels",
        "metadata.annotations",
    )


def amount_of_container(tree: dict[str, Any], path: Path) -> Iterator[Reason]:
    """A ``resourceFieldRef``."""
    resource = text(tree, "resource")
    if not resource:
        if resource == "":
            yield missing((*path, "resource"))
        return
    side, _, name = resource.partition(".")
    if side not in ("limits", "requests") or (name not in _AMOUNTS and not name.startswith("hugepages-")):
        yield because((*path, "resource"), f"variables cannot take `{shown(resource)}` of a container", "amount")
        return
    divisor = nano(tree.get("divisor"))
    if divisor:
        allowed = ("1m", "1") if name == "cpu" else _DIVISORS
        written = canonical(divisor, tree["divisor"])
        if written not in allowed:
            message = f"`{shown(tree['divisor'])}` does not divide `{name}`: only 1 of a unit does"
            yield because((*path, "divisor"), message)


def sources(entries: list[Any], path: Path) -> Iterator[Reason]:
    """What is wrong with a container's ``envFrom``."""
    for at, entry in enumerate(entries):
        tree, here = mapping(entry), (*path, at)
        prefix = text(tree, "prefix")
        if prefix and not is_variable(prefix):
            yield because((*here, "prefix"), f"`{shown(prefix)}` is no beginning of a variable's name")
        given = [key for key in ("configMapRef", "secretRef") if isinstance(tree.get(key), dict)]
        if not given:
            yield because(here, "neither `configMapRef` nor `secretRef` is given")
        elif len(given) > 1:
            message = "`secretRef` contradicts `configMapRef`: an item has one source"
            yield because((*here, "secretRef"), message, "", (*here, "configMapRef"))
        for key in given:
            name = text(tree[key], "name")
            if name == "":
                yield missing((*here, key, "name"))
            # a dash at the end passes here, as in the beginning of a generated name
            elif name is not None and not is_subdomain(name[:-1] + "a" if name.endswith("-") else name):
                yield because((*here, key, "name"), f"`{shown(name)}` is no name of an object")
