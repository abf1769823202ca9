"""A pod template that the job takes and the API server refuses once a pod is made of it.

## What it checks
Everything that the API server judges of a pod: names, keys, and values of labels have the form and are there once; no
request is above its limit, no amount below 0, huge pages come in whole pages beside `cpu` or `memory`; what excludes
another field stands without it; paths stay where they may lead; probes, hooks, volumes, and variables have exactly one
source; operators, effects, policies, and types hold words that there are.

## Why it hurts
The schema of the job leaves all this open, so the job is accepted. The API server then refuses every pod of the role,
the operator tries again without end, and the reason stands only in its events.

## Severity
- error: the API server refuses every pod of the template.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {requests: {cpu: 8}, limits: {cpu: 4}}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {requests: {cpu: 4}, limits: {cpu: 8}}
```

## Fix
Change what the finding points at. A word that is taken stands in place of one that is near it: safe where only the
letters' size differs, as no pod was made with the other. A toleration that exists loses its value, and the name of a
port is written as names are: unsafe, as others may know it by the old one. A device without its domain, such as `gpu`,
is given the name that the cluster's pools have for it, else the one that most plugins do. Of other things that
contradict each other one side is shown as a remedy and not applied: which of the two is meant is not known.

## When to ignore it
Where an admission webhook of the cluster changes that field of the pods.

## References
Kubernetes 1.36, pkg/apis/core/validation/validation.go (ValidatePodSpec) and pkg/apis/core/pods/helpers.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import DISPLAY, ERROR, KEY, SAFE, UNSAFE, VALUE, Code, Fix, Place, listed
from specgen.diagnostics.operations import Remove, Rename, Set
from specgen.manifest.views import mapping
from specgen.rules import ALL, REFUSED_POD, ROLE
from specgen.rules._context import below, is_own
from specgen.rules._twins import mirror
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.operators.kubernetes.reason import Reason
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG315", "refused-pod", ERROR, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (REFUSED_POD,)

_NOTE = "the API server refuses the pods; the job itself is accepted"
# Causes with a code of their own: SG305, SG312, SG412, SG413.
_ELSEWHERE = ("no-containers", "no-image", "no-limit", "no-volume", "port-number", "unequal")
_DNS = "expected at most 63 of `a-z`, `0-9`, `-`"
_LABEL = "expected at most 63 letters, digits, `-`, `_`, and `.`, a letter or digit at both ends"
# Cause → what is said at the place, and at the place that it contradicts.
_LABELS = {
    "amount": ("expected `limits.` or `requests.` and `cpu`, `memory`, or `ephemeral-storage`", ""),
    "above-limit": ("requested", "the limit"),
    "container-name": (_DNS, ""),
    "container-twice": ("needs another name", "the other one"),
    "container-unnamed": ("expected a name", ""),
    "field": ("no such field for variables", ""),
    "host-port": ("no such port", ""),
    "label-key": (_LABEL, ""),
    "label-name": (_LABEL, ""),
    "label-value": (_LABEL, ""),
    "name-servers": ("needs a name server in `dnsConfig`", ""),
    "negative": ("expected 0 or more", ""),
    "port-name": ("expected at most 15 of `a-z`, `0-9`, and single `-`, with a letter", ""),
    "port-twice": ("needs another name", "the other one"),
    "privileged": ("cannot hold here", "a privileged container may do all"),
    "pull-policy": ("expected one of `Always`, `IfNotPresent`, and `Never`", ""),
    "no-resource": ("no resource of Kubernetes' own", ""),
    "toleration-value": ("goes with `Equal`", "here"),
    "two-sources": ("a volume has one source", "the first"),
    "two-values": ("a variable has one source", "and here"),
    "variable-unnamed": ("expected a name", ""),
    "volume-name": (_DNS, ""),
    "volume-twice": ("needs another name", "the other one"),
}
# Causes that lie in the key, and those whose other side does.
_IN_KEY = ("annotation", "label-name", "no-resource", "two-sources", "two-values")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each place that is refused and that no other rule presents; twins have theirs once."""
    found = context.refused_pod(role)
    seen: set[tuple[Path, str]] = set()
    for finding in _findings(role, found, context) if found else ():
        key = (finding.place.path, finding.place.part)
        if key not in seen:
            seen.add(key)
            mirror(finding, role, _borrowers(role, finding, context) if finding.fix is not None else ())
            yield finding


def _borrowers(role: Role, finding: Finding, context: Context) -> Iterator[Role]:
    """The roles that have the very same pods, or metadata of pods, and of which the same is refused."""
    path = finding.place.path[len(role.template_path) :]
    own = role.template.get(str(path[0]))
    for other in role.workload.roles:
        borrows = other is not role and other.template.get(str(path[0])) is own
        if borrows and any(reason.path == path for reason in context.refused_pod(other)):
            yield other


def _findings(role: Role, found: list[Reason], context: Context) -> Iterator[Finding]:
    same_pod, same_metadata = _twins(role)
    for reason in found:
        if reason.cause in _ELSEWHERE or (same_metadata if reason.path[0] == "metadata" else same_pod):
            continue
        if is_own(role, reason.path):
            yield _named(role, reason, context) if reason.cause == "no-resource" else _finding(role, reason)
        # a name that the operator takes as well is SG314 or SG318
        elif (
            reason.other is not None
            and is_own(role, reason.other)
            and (reason.cause[-6:] != "-twice" or reason.cause in ("mount-twice", "host-port-twice"))
        ):
            yield _at(role, reason, reason.other, VALUE, reason.message, "the operator adds the other", None)
        elif reason.cause == "host-port-twice":  # it adds both
            path: Path = ("spec", "hostNetwork")
            yield _at(role, reason, path, VALUE, reason.message, "the operator adds a port to each container", None)


def _twins(role: Role) -> tuple[bool, bool]:
    """Whether a role before it has the very same pods, and the very same metadata of pods.

    Two of a compiled job do, and one that is the alias of the other in a text.
    """
    metadata = role.template.get("metadata")
    before = role.workload.roles[: role.workload.roles.index(role)]
    return (
        any(other.pod is role.pod and other.replicas >= 1 for other in before),
        any(other.template.get("metadata") is metadata for other in before),
    )


def _finding(role: Role, reason: Reason) -> Finding:
    message, path, other = _message(role, reason), reason.path, reason.other
    if reason.cause == "container-twice" and other is not None and path[1] == "containers" != other[1]:
        path, other = other, path  # the init container has the name for its own alone
    part = VALUE
    if reason.cause in _IN_KEY or not _is_there(role, path):
        part = KEY
    label, beside = _LABELS.get(reason.cause, ("", "here"))
    if reason.cause == "variable-name":
        label = "expected no `=`" if "it holds `=`" in message else "expected printable ASCII"
    elif reason.cause == "host-port-differs":
        label, beside = f"expected {_value(role, (*path[:-1], 'containerPort'))}", "the pod's ports are the host's"
    elif not label:
        label = "refused for this" if part == VALUE else f"lacks `{path[-1]}`"
    return _at(role, reason, path, part, message, label, None if other is None else (other, beside))


def _named(role: Role, reason: Reason, context: Context) -> Finding:
    """A name that no resource has, with the resource that it stands for."""
    from specgen.rules._resource_names import meant

    finding, path = _finding(role, reason), reason.path
    name = str(path[-1])
    right, finding.helps = meant(name, context.cluster)
    holder = path[:-2]
    sides = [one for one in ("limits", "requests") if name in mapping(_value(role, (*holder, one)))]
    taken = any(right in mapping(_value(role, (*holder, side))) for side in sides)
    # of a name in both the one that is found first is renamed with the other
    if right and not taken and (path[-2] == sides[0]):
        moved = [Rename((*role.template_path, *holder, side, name), right) for side in sides]
        finding.fix = Fix(f"rename it to `{right}`", UNSAFE, moved)
    return finding


def _at(
    role: Role, reason: Reason, path: Path, part: str, message: str, label: str, other: tuple[Path, str] | None
) -> Finding:
    related = []
    if other is not None and is_own(role, other[0]):
        in_key = KEY if reason.cause in _IN_KEY else VALUE
        related.append((Place((*role.template_path, *other[0]), in_key), other[1]))
    place = (*role.template_path, *path)
    fix = _remedy(role, reason) if reason.path == path else None
    if reason.words and reason.path == path:
        from specgen.rules._remedies import respelt

        word = str(_value(role, path))
        # no pod was ever made with the word; one that differs in its letters' size alone has one reading
        level = SAFE if any(word.lower() == known.lower() for known in reason.words) else UNSAFE
        fix = respelt(place, word, reason.words, level)
    return CODE.at(place, message, part=part, label=label, related=related, notes=[_NOTE], fix=fix)


def _remedy(role: Role, reason: Reason) -> Fix | None:
    """The one edit after which a pod is taken, where there is one that says nothing new."""
    path, value = (*role.template_path, *reason.path), _value(role, reason.path)
    other = (*role.template_path, *(reason.other or ()))
    if reason.cause == "toleration-value":
        return Fix("remove the value: `Exists` is for any", UNSAFE, [Remove(path)])
    if reason.cause == "two-values":
        return Fix("remove `value`", DISPLAY, [Remove(other)])
    if reason.cause == "above-limit":
        return Fix(f"raise the limit to {shown(value)}", DISPLAY, [Set(other, value)])
    if reason.cause == "port-name":
        plain = "".join([sign if sign.isascii() and sign.isalnum() else " " for sign in str(value).lower()])
        name = "-".join(plain.split())
        if 0 < len(name) <= 15 and not name.replace("-", "").isdigit():
            return Fix(f"write `{name}`", UNSAFE, [Set(path, name)])
    return None


def _message(role: Role, reason: Reason) -> str:
    """What is wrong, where the place alone does not say of what it is."""
    cause, path = reason.cause, reason.path
    value = shown(_value(role, path))
    if cause == "above-limit":
        of = f"the request of {value} `{shown(path[-1])}` in container `{_container(role, path)}`"
        return f"{of} is above its limit of {shown(_value(role, reason.other or ()))}"
    if cause == "container-twice":
        other = reason.other or path
        pair = "a container and an init container" if path[1] != other[1] else "two containers"
        return f"{pair} of one pod are called `{value}`"
    if cause == "port-twice":
        return f"two ports of container `{_container(role, path)}` are called `{value}`"
    if cause == "host-port-differs":
        number = _value(role, (*path[:-1], "containerPort"))
        return f"`hostPort` {value} contradicts `containerPort` {number} under `hostNetwork`"
    if cause == "two-sources":
        volume = mapping(_value(role, path[:-1]))
        kinds = [key for key in volume if key != "name" and isinstance(volume[key], dict)]
        return f"volume `{shown(volume.get('name'))}` has more than one source: {listed(kinds)}"
    said = _SAID.get(cause)
    return said.format(value) if said is not None else reason.message


_SAID = {
    "container-name": "`{}` is no name of a container",
    "container-unnamed": "a container has an empty name",
    "host-port": "port {} does not exist, ports are 1 to 65535",
    "port-name": "`{}` is no name of a port",
    "pull-policy": "`{}` is no `imagePullPolicy`",
    "variable-unnamed": "a variable has an empty name",
    "volume-name": "`{}` is no name of a volume",
    "volume-twice": "two volumes of one pod are called `{}`",
}


def _container(role: Role, path: Path) -> str:
    return shown(mapping(_value(role, path[:3])).get("name"))


def _is_there(role: Role, path: Path) -> bool:
    """Whether a value stands at a path of the template, be it null."""
    above = _value(role, path[:-1])
    return path[-1] in above if isinstance(above, dict) else isinstance(above, list)


def _value(role: Role, path: Path) -> Any:
    tree: Any = role.template
    for step in path:
        tree = below(tree, step)
    return tree
