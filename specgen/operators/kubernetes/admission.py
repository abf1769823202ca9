"""What the API server refuses of the pods and Services that an operator sends it, as far as templates bring it about.

Read from Kubernetes 1.36, pkg/apis/core/validation/validation.go (ValidatePodSpec, ValidateService); the checks are
those that job templates run into, not all: a template that passes here may still be refused.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.quantity import milli

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_RESTART = ("Always", "OnFailure", "Never")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_LABEL = _LETTERS | frozenset("0123456789-")


def is_label(name: str, *, letter_first: bool = False) -> bool:
    """Whether a name is a DNS label: at most 63 of ``a-z0-9-``, no dash at an end; by RFC 1035 a letter comes first."""
    if not 0 < len(name) <= 63 or not _LABEL.issuperset(name) or name[0] == "-" or name[-1] == "-":
        return False
    return not letter_first or name[0] in _LETTERS


def is_subdomain(name: str) -> bool:
    """Whether a name is labels with dots between them, at most 253 characters: what objects may be called."""
    if len(name) > 253:
        return False
    parts = name.split(".")
    return all(part and _LABEL.issuperset(part) and part[0] != "-" and part[-1] != "-" for part in parts)


def _is_service_name(name: Any) -> bool:
    """IANA_SVC_NAME: at most 15 of ``a-z0-9-``, a letter among them, single dashes between."""
    if not isinstance(name, str) or len(name) > 15 or not is_label(name):
        return False
    return "--" not in name and not _LETTERS.isdisjoint(name)


def pod_refusal(spec: dict[str, Any]) -> str:
    """Why a pod of this spec is refused; empty: it is created."""
    return next(_pod_reasons(spec), "")


def _pod_reasons(spec: dict[str, Any]) -> Iterator[str]:
    volumes = []
    for at, volume in enumerate(sequence(spec.get("volumes"))):
        name = mapping(volume).get("name")
        if name in volumes:
            yield f"`spec.volumes[{at}].name`: two volumes are called `{name}`"
        volumes.append(name)
    names: list[Any] = []
    if not sequence(spec.get("containers")):
        yield "`spec.containers` is empty"
    for key in ("initContainers", "containers"):
        for at, container in enumerate(sequence(spec.get(key))):
            path = f"spec.{key}[{at}]"
            tree = mapping(container)
            name = tree.get("name")
            if not isinstance(name, str) or not is_label(name):
                yield f"`{path}.name`: `{name}` is not a DNS label"
            if name in names:
                yield f"`{path}.name`: two containers are called `{name}`"
            names.append(name)
            if not tree.get("image"):
                yield f"`{path}.image` is missing"
            yield from _ports(path, tree, bool(spec.get("hostNetwork")))
            yield from _mounts(path, tree, volumes)
            yield from _resources(path, mapping(tree.get("resources")))
    restart = spec.get("restartPolicy")
    if restart not in _RESTART:
        yield f"`spec.restartPolicy`: `{restart}` is none of `Always`, `OnFailure`, and `Never`"


def _ports(path: str, container: dict[str, Any], host_network: bool) -> Iterator[str]:
    names = []
    for at, port in enumerate(sequence(container.get("ports"))):
        tree = mapping(port)
        number, name, host = tree.get("containerPort"), tree.get("name"), tree.get("hostPort")
        if not isinstance(number, int) or not 1 <= number <= 65535:
            yield f"`{path}.ports[{at}].containerPort`: {number} is not between 1 and 65535"
        if name:
            if name in names:
                yield f"`{path}.ports[{at}].name`: two ports are called `{name}`"
            names.append(name)
            if not _is_service_name(name):
                yield f"`{path}.ports[{at}].name`: `{name}` is not a service name of at most 15 of `a-z0-9-`"
        if host_network and host and host != number:
            yield f"`{path}.ports[{at}].hostPort`: {host} differs from `containerPort` {number} under `hostNetwork`"
        if tree.get("protocol", "TCP") not in ("TCP", "UDP", "SCTP"):
            yield f"`{path}.ports[{at}].protocol`: `{tree['protocol']}` is none of `TCP`, `UDP`, and `SCTP`"


def _mounts(path: str, container: dict[str, Any], volumes: list[Any]) -> Iterator[str]:
    paths = []
    for at, mount in enumerate(sequence(container.get("volumeMounts"))):
        tree = mapping(mount)
        if tree.get("name") not in volumes:
            yield f"`{path}.volumeMounts[{at}].name`: there is no volume `{tree.get('name')}`"
        if tree.get("mountPath") in paths:
            yield f"`{path}.volumeMounts[{at}].mountPath`: two mounts are at `{tree.get('mountPath')}`"
        paths.append(tree.get("mountPath"))


def _resources(path: str, resources: dict[str, Any]) -> Iterator[str]:
    limits, requests = mapping(resources.get("limits")), mapping(resources.get("requests"))
    for name, amount in requests.items():
        at = f"`{path}.resources.requests`"
        if is_extended(name):
            if name not in limits:
                yield f"{at}: `{name}` has no limit, which must equal the request"
            elif milli(limits[name]) != milli(amount):
                yield f"{at}: `{name}` of {amount} differs from its limit of {limits[name]}"
        elif name in limits:
            asked, allowed = milli(amount), milli(limits[name])
            if asked is not None and allowed is not None and asked > allowed:
                yield f"{at}: `{name}` of {amount} is above its limit of {limits[name]}"
    for side, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            thousandths = milli(amount)
            if is_extended(name) and thousandths is not None and thousandths % 1000:
                yield f"`{path}.resources.{side}`: `{name}` of {amount} is not a whole number"


def is_extended(name: Any) -> bool:
    """Whether a resource is a device or the like: a name with a domain that is not Kubernetes' own."""
    return isinstance(name, str) and "/" in name and "kubernetes.io/" not in name


def service_refusal(name: str, ports: list[dict[str, Any]]) -> str:
    """Why a Service of this name and these ports is refused; empty: it is created."""
    if len(name) > 63:
        return f"its name has {len(name)} characters, at most 63 are allowed"
    if not is_label(name):
        return "its name is not a DNS label"
    if not ports:
        return "it has no ports"
    if len(ports) > 1 and any(not port.get("name") for port in ports):
        return "one of its ports has no name, which only a single port may lack"
    numbers = [port.get("port") for port in ports]
    for number in numbers:
        if numbers.count(number) > 1:
            return f"two of its ports have the number {number}"
    return ""
