"""Resources of containers and pods (Kubernetes 1.36, validateResourceRequirements and pkg/apis/core/helper)."""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_qualified
from specgen.operators.kubernetes.reason import because, missing, text
from specgen.quantity import NANO, milli, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.operators.kubernetes.reason import Reason
    from specgen.source import Path

_STANDARD = ("cpu", "memory", "ephemeral-storage")
_HUGE = "hugepages-"


def is_extended(name: Any) -> bool:
    """Whether a resource is a device or the like: a name with a domain that is not Kubernetes' own."""
    return isinstance(name, str) and "/" in name and "kubernetes.io/" not in name


def is_whole(name: str) -> bool:
    """Whether a resource cannot be shared out twice, so that its request is its limit: devices and huge pages."""
    return name.startswith(_HUGE) or is_extended(name)


def resources(tree: dict[str, Any], claims: tuple[str, ...], path: Path) -> Iterator[Reason]:
    """What is wrong with a container's resources; ``claims``: names of the pod's resource claims."""
    limits, requests = mapping(tree.get("limits")), mapping(tree.get("requests"))
    for side, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            # what is there twice in the same way is wrong once
            if isinstance(name, str) and amount is not None and (side == "limits" or limits.get(name) != amount):
                yield from _amount(name, amount, (*path, side, name))
    # what is no amount of a resource is said to be none before it is compared
    for name, amount in requests.items():
        if isinstance(name, str) and amount is not None:
            yield from _against(name, amount, limits.get(name), path)
    huge = [name for name in (*limits, *requests) if isinstance(name, str) and name.startswith(_HUGE)]
    if huge:
        named = {name for amounts in (limits, requests) for name, amount in amounts.items() if amount is not None}
        if not named.intersection(("cpu", "memory")) and not named.isdisjoint(huge):
            yield because(path, "huge pages need an amount of `cpu` or `memory` beside them")
    if "claims" in tree:
        yield from _claims(sequence(tree["claims"]), claims, (*path, "claims"))


def _against(name: str, amount: Any, limit: Any, path: Path) -> Iterator[Reason]:
    """A request against its limit."""
    here, there = (*path, "requests", name), (*path, "limits", name)
    if limit is None:
        if is_whole(name):
            yield because(here, f"`{shown(name)}` has no limit, which must equal the request", "no-limit")
        return
    asked, allowed = nano(amount), nano(limit)
    if asked is None or allowed is None or asked == allowed:
        return
    of = f"`{shown(name)}` of {shown(amount)}"
    if is_whole(name):
        yield because(here, f"{of} differs from its limit of {shown(limit)}", "unequal", there)
    elif asked > allowed:
        yield because(here, f"{of} is above its limit of {shown(limit)}", "above-limit", there)


def _amount(name: str, amount: Any, path: Path) -> Iterator[Reason]:
    """One amount, its name with it."""
    if "/" not in name:
        if name not in _STANDARD and not name.startswith(_HUGE):
            message = f"`{shown(name)}` is no resource: only those with a domain may be called anything"
            yield because(path, message, "no-resource")
    elif not is_qualified(name):
        yield because(path, f"`{shown(name)}` is no name of a resource")
    elif is_extended(name) and (name.startswith("requests.") or len(name.partition("/")[0]) > 253 - len("requests.")):
        yield because(path, f"`{shown(name)}` is no name of a resource: `requests.` is for quotas")
    value = nano(amount)
    if value is None:
        if isinstance(amount, (int, float, str)) and not isinstance(amount, bool):
            yield because(path, f"`{shown(amount)}` of `{shown(name)}` is no quantity")
    elif value < 0:
        yield because(path, f"an amount of {shown(amount)} `{shown(name)}` is below 0", "negative")
    elif is_extended(name) and (milli(amount) or 0) % 1000:
        yield because(path, f"`{shown(name)}` of {shown(amount)} is not a whole number", "fraction")
    elif name.startswith(_HUGE):
        page = nano(name[len(_HUGE) :])
        if page is None or page <= 0 or page % NANO:
            yield because(path, f"`{shown(name)}` names no size of a page")
        elif -(-value // NANO) % (page // NANO):
            yield because(path, f"{shown(amount)} of `{shown(name)}` is no multiple of its page")


def _claims(listed: list[Any], known: tuple[str, ...], path: Path) -> Iterator[Reason]:
    seen: dict[tuple[str, str], int] = {}
    for at, claim in enumerate(listed):
        tree, here = mapping(claim), (*path, at)
        name, request = text(tree, "name"), text(tree, "request") or ""
        if name == "":
            yield missing((*here, "name"))
        if not name:
            continue
        for other in ((name, request), (name, "")) if request else [key for key in seen if key[0] == name]:
            if other in seen:
                message = f"the claim `{shown(name)}` is named twice"
                yield because((*here, "name"), message, "claim-twice", (*path, seen[other], "name"))
                break
        seen.setdefault((name, request), at)
        if name not in known:
            yield because((*here, "name"), f"the pod has no resource claim `{shown(name)}`", "no-claim")


def of_pod(tree: dict[str, Any], containers: list[Any], path: Path) -> Iterator[Reason]:
    """What is wrong with the resources of a pod as a whole."""
    if tree.get("claims") is not None:
        yield because((*path, "claims"), "a pod's own resources have no claims")
    limits, requests = mapping(tree.get("limits")), mapping(tree.get("requests"))
    for side, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            if not isinstance(name, str) or amount is None:
                continue
            if name not in ("cpu", "memory") and not name.startswith(_HUGE):
                message = f"`{shown(name)}` is no resource of a pod as a whole: those are `cpu`, `memory`, huge pages"
                yield because((*path, side, name), message)
            else:
                yield from _amount(name, amount, (*path, side, name))
    for name, amount in requests.items():
        asked, limit = nano(amount), nano(limits.get(name))
        if asked is not None and limit is not None and asked > limit:
            message = f"`{shown(name)}` of {shown(amount)} is above its limit of {shown(limits[name])}"
            yield because((*path, "requests", name), message, "", (*path, "limits", name))
        sums = sum(_asked(container, name) for container in containers)
        if asked is not None and sums > asked:
            message = f"`{shown(name)}` of {shown(amount)} is below what the containers request together"
            yield because((*path, "requests", name), message)
    for at, container in enumerate(containers):
        own = mapping(mapping(mapping(container).get("resources")).get("limits"))
        for name, amount in own.items():
            allowed, limit = nano(amount), nano(limits.get(name))
            if allowed is not None and limit is not None and allowed > limit:
                message = f"`{shown(name)}` of {shown(amount)} is above the pod's limit of {limits[name]}"
                place: Path = (*path[:-1], "containers", at, "resources", "limits", name)
                yield because(place, message, "", (*path, "limits", name))


def _asked(container: Any, name: str) -> int:
    """What a container requests of a resource: its limit where it says no request."""
    own = mapping(mapping(container).get("resources"))
    amount = mapping(own.get("requests")).get(name)
    return nano(mapping(own.get("limits")).get(name) if amount is None else amount) or 0
