"""Containers of a pod (Kubernetes 1.36, validateContainerCommon): names, images, ports, mounts, and what they hold."""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_label, is_port_name
from specgen.operators.kubernetes.reason import because, missing, number, one_of, relative, text
from specgen.operators.kubernetes.resources import resources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.operators.kubernetes.reason import Reason
    from specgen.source import Path

_PULL = ("Always", "IfNotPresent", "Never")
_PROPAGATION = ("Bidirectional", "HostToContainer", "None")
_RESTART = ("Always", "OnFailure", "Never")
_HANDLERS = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
# Fields that few containers have, and that are looked at for them alone.
_RARE = frozenset((*_HANDLERS, "resizePolicy", "restartPolicy", "restartPolicyRules"))
# Fields of a security context with which nothing can be wrong, if they are all.
_HARMLESS = frozenset(("capabilities", "privileged", "readOnlyRootFilesystem", "runAsNonRoot"))


class Pod:
    """What containers must know of their pod."""

    __slots__ = ("claims", "spec", "volumes")

    def __init__(self, spec: dict[str, Any]) -> None:
        self.spec = spec
        # Volume → itself; a name that is no text is nobody's.
        self.volumes: dict[str, dict[str, Any]] = {}
        for volume in sequence(spec.get("volumes")):
            name = mapping(volume).get("name")
            if isinstance(name, str):
                self.volumes[name] = volume
        # Names of the pod's resource claims.
        self.claims = tuple([str(mapping(claim).get("name")) for claim in sequence(spec.get("resourceClaims"))])

    @property
    def grace(self) -> int:
        """Seconds that the pod has to end: 30 where it does not say, and 1 where it says fewer than none."""
        said = number(self.spec, "terminationGracePeriodSeconds")
        return 30 if said is None else said if said >= 0 else 1


def containers(pod: Pod, path: Path) -> Iterator[Reason]:
    """What is wrong with the containers and init containers of a pod."""
    spec = pod.spec
    names: dict[str, Path] = {}
    if "containers" not in spec or spec["containers"] == [] or spec["containers"] is None:
        yield missing((*path, "containers"), "no-containers", what="is empty")
    taken: dict[tuple[Any, ...], Path] = {}
    for key in ("initContainers", "containers"):
        for at, container in enumerate(sequence(spec.get(key))):
            if not isinstance(container, dict):
                continue
            here = (*path, key, at)
            name = text(container, "name")
            if not name or name in names or not is_label(name):
                yield from _misnamed(name, names, (*here, "name"))
            if name:
                names.setdefault(name, (*here, "name"))
            yield from _container(container, pod, key == "initContainers", here)
            if "ports" in container:
                # init containers run one after the other
                yield from _ports(container, pod, {} if key == "initContainers" else taken, here)


def _misnamed(name: str | None, names: dict[str, Path], path: Path) -> Iterator[Reason]:
    if name == "":
        yield missing(path, "container-unnamed")
    elif name is not None and not is_label(name):
        yield because(path, f"`{shown(name)}` is not a DNS label", "container-name")
    if name and name in names:
        yield because(path, f"two containers are called `{shown(name)}`", "container-twice", names[name])


def _container(tree: dict[str, Any], pod: Pod, init: bool, path: Path) -> Iterator[Reason]:
    image = text(tree, "image")
    if image == "":
        yield missing((*path, "image"), "no-image")
    elif image is not None and image != image.strip():
        yield because((*path, "image"), f"`{shown(image)}` has blanks around it")
    if "volumeMounts" in tree or "volumeDevices" in tree:
        yield from _mounts(tree, pod, path)
    if "resources" in tree:
        yield from resources(mapping(tree["resources"]), pod.claims, (*path, "resources"))
    if "envFrom" in tree or ("env" in tree and not all([_is_plain(entry) for entry in sequence(tree["env"])])):
        from specgen.operators.kubernetes.variables import sources, variables

        yield from variables(sequence(tree.get("env")), (*path, "env"))
        yield from sources(sequence(tree.get("envFrom")), (*path, "envFrom"))
    yield from one_of(tree, "imagePullPolicy", path, _PULL, cause="pull-policy")
    yield from one_of(tree, "terminationMessagePolicy", path, ("FallbackToLogsOnError", "File"))
    if "securityContext" in tree and not mapping(tree["securityContext"]).keys() <= _HARMLESS:
        from specgen.operators.kubernetes.security import of_container

        yield from of_container(mapping(tree["securityContext"]), pod.spec, (*path, "securityContext"))
    if not _RARE.isdisjoint(tree):
        yield from _rare(tree, pod, init, path)


def _rare(tree: dict[str, Any], pod: Pod, init: bool, path: Path) -> Iterator[Reason]:
    if any(key in tree for key in _HANDLERS):
        yield from _handlers(tree, pod, init, path)
    if "resizePolicy" in tree:
        yield from _resize(sequence(tree["resizePolicy"]), pod.spec, (*path, "resizePolicy"))
    if "restartPolicy" in tree or "restartPolicyRules" in tree:
        yield from one_of(tree, "restartPolicy", path, _RESTART)
        if text(tree, "restartPolicy") == "" and sequence(tree.get("restartPolicyRules")):
            yield because((*path, "restartPolicyRules"), "`restartPolicyRules` needs a `restartPolicy` beside it")


def _is_plain(entry: Any) -> bool:
    """Whether an entry of ``env`` is a plain name and a text, as most are."""
    name = mapping(entry).get("name")
    return isinstance(name, str) and name.isidentifier() and name.isascii() and "valueFrom" not in entry


def _ports(container: dict[str, Any], pod: Pod, taken: dict[tuple[Any, ...], Path], path: Path) -> Iterator[Reason]:
    """What is wrong with a container's ports; ``taken``: ports of the host that others have."""
    names: dict[str, int] = {}
    shared = pod.spec.get("hostNetwork") is True
    for at, port in enumerate(sequence(container.get("ports"))):
        tree, here = mapping(port), (*path, "ports", at)
        number_, name, host = number(tree, "containerPort"), text(tree, "name"), number(tree, "hostPort") or 0
        if number_ is not None and not 1 <= number_ <= 65535:
            yield because((*here, "containerPort"), f"{shown(number_)} is not between 1 and 65535", "port-number")
        if name:
            if not is_port_name(name):
                message = f"`{shown(name)}` is not a service name of at most 15 of `a-z0-9-`"
                yield because((*here, "name"), message, "port-name")
            elif name in names:
                message = f"two ports are called `{shown(name)}`"
                yield because((*here, "name"), message, "port-twice", (*path, "ports", names[name], "name"))
            names.setdefault(name, at)
        if host and not 1 <= host <= 65535:
            yield because((*here, "hostPort"), f"{shown(host)} is not between 1 and 65535", "host-port")
        elif shared and host and number_ is not None and host != number_ and path[-2] == "containers":
            message = f"{host} differs from `containerPort` {shown(number_)} under `hostNetwork`"
            yield because((*here, "hostPort"), message, "host-port-differs", (*here, "containerPort"))
        elif host or (shared and number_):
            # under `hostNetwork` a port of the container is one of the host
            own = (text(tree, "protocol") or "TCP", text(tree, "hostIP"), host or number_)
            if own in taken:
                message = f"the host's port {own[2]} is taken by another port of the pod"
                yield because((*here, "hostPort" if host else "containerPort"), message, "host-port-twice", taken[own])
            taken.setdefault(own, (*here, "hostPort" if host else "containerPort"))
        yield from one_of(tree, "protocol", here, ("TCP", "UDP", "SCTP"))


def _mounts(tree: dict[str, Any], pod: Pod, path: Path) -> Iterator[Reason]:
    paths: dict[str, Path] = {}
    privileged = mapping(tree.get("securityContext")).get("privileged") is True
    for at, entry in enumerate(sequence(tree.get("volumeMounts"))):
        mount, here = mapping(entry), (*path, "volumeMounts", at)
        name, where = text(mount, "name"), text(mount, "mountPath")
        if name is not None and name not in pod.volumes:
            yield because((*here, "name"), f"there is no volume `{shown(name)}`", "no-volume")
        if where == "":
            yield missing((*here, "mountPath"))
        elif where is not None and where in paths:
            message = f"two mounts are at `{shown(where)}`"
            yield because((*here, "mountPath"), message, "mount-twice", paths[where])
        elif where is not None:
            paths[where] = (*here, "mountPath")
        if len(mount) > 2:
            yield from _options(mount, privileged, here)
    if "volumeDevices" in tree:
        yield from _devices(tree, pod, paths, path)


def _devices(tree: dict[str, Any], pod: Pod, paths: dict[str, Path], path: Path) -> Iterator[Reason]:
    """Block devices; ``paths``: where something is mounted."""
    names = [mapping(mount).get("name") for mount in sequence(tree.get("volumeMounts"))]
    for at, entry in enumerate(sequence(tree.get("volumeDevices"))):
        device, here = mapping(entry), (*path, "volumeDevices", at)
        name, where = text(device, "name"), text(device, "devicePath")
        if name is not None and name not in pod.volumes:
            yield because((*here, "name"), f"there is no volume `{shown(name)}`", "no-device")
        elif name is not None and not any(kind in pod.volumes[name] for kind in ("persistentVolumeClaim", "ephemeral")):
            yield because((*here, "name"), f"the volume `{shown(name)}` is no claim, so it is no device")
        if name and name in names:
            message = f"the volume `{shown(name)}` is mounted as well"
            yield because((*here, "name"), message, "", (*path, "volumeMounts", names.index(name), "name"))
        if where == "":
            yield missing((*here, "devicePath"))
        elif where is not None and where in paths:
            yield because((*here, "devicePath"), f"`{shown(where)}` is taken", "mount-twice", paths[where])
        elif where is not None:
            paths[where] = (*here, "devicePath")
            if ".." in where.split("/"):
                yield because((*here, "devicePath"), f"`{shown(where)}` goes upwards with `..`")


def _options(mount: dict[str, Any], privileged: bool, path: Path) -> Iterator[Reason]:
    below, expression = text(mount, "subPath"), text(mount, "subPathExpr")
    yield from relative(below or "", (*path, "subPath"))
    yield from relative(expression or "", (*path, "subPathExpr"))
    if below and expression:
        yield because((*path, "subPathExpr"), "`subPathExpr` contradicts `subPath`", "", (*path, "subPath"))
    yield from one_of(mount, "mountPropagation", path, _PROPAGATION)
    if mount.get("mountPropagation") == "Bidirectional" and not privileged:
        yield because((*path, "mountPropagation"), "`Bidirectional` needs a privileged container")
    yield from one_of(mount, "recursiveReadOnly", path, ("Disabled", "Enabled", "IfPossible"))
    if mount.get("recursiveReadOnly") in ("Enabled", "IfPossible"):
        here = (*path, "recursiveReadOnly")
        if mount.get("readOnly") is not True:
            yield because(here, "`recursiveReadOnly` needs `readOnly: true`")
        if text(mount, "mountPropagation") in ("Bidirectional", "HostToContainer"):
            other = (*path, "mountPropagation")
            yield because(here, "`recursiveReadOnly` contradicts `mountPropagation`", "", other)


def _handlers(tree: dict[str, Any], pod: Pod, init: bool, path: Path) -> Iterator[Reason]:
    from specgen.operators.kubernetes.handlers import PROBES, lifecycle, probe

    if init and tree.get("restartPolicy") != "Always":
        for key in _HANDLERS:
            if tree.get(key) is not None:
                yield because((*path, key), f"`{key}` is for init containers with `restartPolicy: Always`")
        return
    if isinstance(tree.get("lifecycle"), dict):
        yield from lifecycle(tree["lifecycle"], pod.grace, (*path, "lifecycle"))
    for key in PROBES:
        if isinstance(tree.get(key), dict):
            yield from probe(key, tree[key], (*path, key))


def _resize(entries: list[Any], spec: dict[str, Any], path: Path) -> Iterator[Reason]:
    seen: dict[str, int] = {}
    for at, entry in enumerate(entries):
        tree, here = mapping(entry), (*path, at)
        name = text(tree, "resourceName")
        for key, words in (("resourceName", ("cpu", "memory")), ("restartPolicy", ("NotRequired", "RestartContainer"))):
            if text(tree, key) == "":
                yield missing((*here, key))
            yield from one_of(tree, key, here, words)
        if name and name in seen:
            message = f"the resource `{shown(name)}` is there twice"
            yield because((*here, "resourceName"), message, "resize-twice", (*path, seen[name], "resourceName"))
        elif name:
            seen[name] = at
        if spec.get("restartPolicy") == "Never" and tree.get("restartPolicy") == "RestartContainer":
            message = "`RestartContainer` contradicts the pod's `restartPolicy: Never`"
            yield because((*here, "restartPolicy"), message)
