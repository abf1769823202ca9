"""What the API server refuses of the pods and Services that an operator sends it.

Read from Kubernetes 1.36, pkg/apis/core/validation/validation.go (ValidatePodCreate, ValidateService), with the
defaults that it fills in before (pkg/apis/core/v1/defaults.go): a field that is absent, null, or empty where a default
stands for it is not judged. This is the one place that says so: rules present it, ``expand`` refuses by it, and what is
compiled is held to it. ``reason`` has the words; ``names``, ``containers``, ``resources``, ``variables``, ``handlers``,
``volumes``, ``scheduling``, and ``security`` the parts, each loaded where a pod has any of it.
"""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.containers import Pod, containers
from specgen.operators.kubernetes.names import is_address, is_label, is_search_domain, is_subdomain, known
from specgen.operators.kubernetes.objects import marks
from specgen.operators.kubernetes.reason import at_least, because, missing, one_of, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from specgen.operators.kubernetes.reason import Reason
    from specgen.source import Path

_SPEC = ("spec",)
_RESTART = ("Always", "OnFailure", "Never")
_DNS = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")


def refusals(pod: dict[str, Any]) -> Iterator[Reason]:
    """Everything for which a pod is refused; nothing: it is created. ``pod``: its metadata and its spec."""
    spec = mapping(pod.get("spec"))
    if "volumes" in spec:
        from specgen.operators.kubernetes.volumes import volumes

        yield from volumes(sequence(spec["volumes"]), (*_SPEC, "volumes"))
    yield from containers(Pod(spec), _SPEC)
    yield from one_of(spec, "restartPolicy", _SPEC, _RESTART, cause="restart-policy")
    for key in spec:
        judge = _JUDGES.get(key)
        if judge is not None and spec[key] is not None:
            yield from judge(spec, key)
    if "metadata" in pod:
        yield from marks(mapping(pod["metadata"]))


def pod_refusal(pod: dict[str, Any]) -> str:
    """The first reason for which a pod is refused; empty: it is created."""
    for one in refusals(pod):
        return one.reason
    return ""


def _object(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    """A field that names an object."""
    name = text(spec, key)
    if name and not is_subdomain(known(name)):
        yield because((*_SPEC, key), f"`{shown(name)}` is no name of an object")


def _account(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    """The older of two words for the service account counts where the newer is not given."""
    if key == "serviceAccountName" or not text(spec, "serviceAccountName"):
        yield from _object(spec, key)


def _class(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    name = text(spec, key)
    if name is not None and not is_subdomain(name):
        yield because((*_SPEC, key), f"`{shown(name)}` is no name of an object")


def _label(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    name = text(spec, key)
    if name and not is_label(known(name)):
        yield because((*_SPEC, key), f"`{shown(name)}` is not a DNS label")


def _node(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    yield from _object(spec, key)
    if text(spec, key) and sequence(spec.get("schedulingGates")):
        message = "`nodeName` contradicts `schedulingGates`"
        yield because((*_SPEC, key), message, "", (*_SPEC, "schedulingGates"))


def _override(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    name = text(spec, key)
    if name and (len(name) > 64 or not is_subdomain(name)):
        yield because((*_SPEC, key), f"`{shown(name)}` is no name of a host of at most 64 characters")
    for other in ("setHostnameAsFQDN", "hostNetwork"):
        if name and spec.get(other) is True:
            yield because((*_SPEC, key), f"`hostnameOverride` contradicts `{other}: true`", "", (*_SPEC, other))


def _deadline(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    yield from at_least(spec, key, _SPEC, 1, 2**31 - 1)


def _dns_policy(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    yield from one_of(spec, key, _SPEC, _DNS)
    config = spec.get("dnsConfig")
    if spec.get(key) == "None" and (config is None or (isinstance(config, dict) and not config.get("nameservers"))):
        message = "`dnsPolicy: None` contradicts a `dnsConfig` without `nameservers`"
        yield because((*_SPEC, key), message, "name-servers")


def _dns_config(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    config, path = mapping(spec[key]), (*_SPEC, key)
    servers, searches = sequence(config.get("nameservers")), sequence(config.get("searches"))
    if len(servers) > 3:
        yield because((*path, "nameservers"), f"{len(servers)} name servers are more than 3")
    for at, server in enumerate(servers):
        if isinstance(server, str) and not is_address(server):
            yield because((*path, "nameservers", at), f"`{shown(server)}` is no IP address")
    if len(searches) > 32 or len(" ".join(str(one) for one in searches)) > 2048:
        yield because((*path, "searches"), "search domains are at most 32, with at most 2048 characters together")
    for at, search in enumerate(searches):
        if isinstance(search, str) and not is_search_domain(known(search)):
            yield because((*path, "searches", at), f"`{shown(search)}` is no name of a domain")
    for at, option in enumerate(sequence(config.get("options"))):
        if text(mapping(option), "name") == "":
            yield missing((*path, "options", at, "name"))


def _aliases(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    for at, alias in enumerate(sequence(spec[key])):
        tree, path = mapping(alias), (*_SPEC, key, at)
        address = text(tree, "ip")
        if address is not None and not is_address(address):
            yield because((*path, "ip"), f"`{shown(address)}` is no IP address")
        for number_of, name in enumerate(sequence(tree.get("hostnames"))):
            if isinstance(name, str) and not is_subdomain(name):
                yield because((*path, "hostnames", number_of), f"`{shown(name)}` is no name of a host")


def _claims(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    kinds = ("resourceClaimName", "resourceClaimTemplateName")
    seen: list[str | None] = []
    for at, claim in enumerate(sequence(spec[key])):
        tree, path = mapping(claim), (*_SPEC, key, at)
        name = text(tree, "name")
        if name == "":
            yield missing((*path, "name"))
        elif name in seen:
            other = (*_SPEC, key, seen.index(name), "name")
            yield because((*path, "name"), f"two claims are called `{shown(name)}`", "claim-twice", other)
        elif name is not None and not is_label(name):
            yield because((*path, "name"), f"`{shown(name)}` is not a DNS label")
        seen.append(name)
        given = [kind for kind in kinds if tree.get(kind) is not None]
        if len(given) != 1:
            message = "a claim has either `resourceClaimName` or `resourceClaimTemplateName`"
            yield because((*path, given[1]) if given else path, message)
        for kind in given:
            called = text(tree, kind)
            if called is not None and not is_subdomain(called):
                yield because((*path, kind), f"`{shown(called)}` is no name of an object")


def _overhead(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    from specgen.operators.kubernetes.resources import resources

    if mapping(spec[key]) and not text(spec, "runtimeClassName"):
        # not validation but admission (plugin/pkg/admission/runtimeclass)
        yield because((*_SPEC, key), "`overhead` needs the `runtimeClassName` whose it is")
    for one in resources({"limits": spec[key]}, (), (*_SPEC, key)):
        yield because((*_SPEC, key, *one.path[3:]), one.message)


def _resources(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    from specgen.operators.kubernetes.resources import of_pod

    yield from of_pod(mapping(spec[key]), sequence(spec.get("containers")), (*_SPEC, key))


def _ephemeral(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    if sequence(spec[key]):
        yield because((*_SPEC, key), "`ephemeralContainers` are for pods that run, not for new ones")


def _preemption(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    yield from one_of(spec, key, _SPEC, ("Never", "PreemptLowerPriority"))


def _of_scheduling(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    from specgen.operators.kubernetes import scheduling

    value: Any = spec[key]
    path: Path = (*_SPEC, key)
    if key == "nodeSelector":
        yield from scheduling.labels(mapping(value), path)
    elif key == "affinity":
        yield from scheduling.affinity(mapping(value), path)
    elif key == "tolerations":
        yield from scheduling.tolerations(sequence(value), path)
    elif key == "topologySpreadConstraints":
        yield from scheduling.spread(sequence(value), path)
    else:
        yield from scheduling.gates(sequence(value), "name" if key == "schedulingGates" else "conditionType", path)


def _of_security(spec: dict[str, Any], key: str) -> Iterator[Reason]:
    from specgen.operators.kubernetes import security

    if key == "securityContext":
        yield from security.of_pod(spec, _SPEC)
    elif key == "os":
        yield from security.system(spec, _SPEC)
    elif key == "hostUsers":
        yield from security.users(spec, _SPEC)
    else:
        yield from security.processes(spec, _SPEC)


_JUDGES: dict[str, Callable[[dict[str, Any], str], Iterator[Reason]]] = {
    "activeDeadlineSeconds": _deadline,
    "affinity": _of_scheduling,
    "dnsConfig": _dns_config,
    "dnsPolicy": _dns_policy,
    "ephemeralContainers": _ephemeral,
    "hostAliases": _aliases,
    "hostUsers": _of_security,
    "hostname": _label,
    "hostnameOverride": _override,
    "nodeName": _node,
    "nodeSelector": _of_scheduling,
    "os": _of_security,
    "overhead": _overhead,
    "preemptionPolicy": _preemption,
    "priorityClassName": _object,
    "readinessGates": _of_scheduling,
    "resourceClaims": _claims,
    "resources": _resources,
    "runtimeClassName": _class,
    "schedulingGates": _of_scheduling,
    "securityContext": _of_security,
    "serviceAccount": _account,
    "serviceAccountName": _account,
    "shareProcessNamespace": _of_security,
    "subdomain": _label,
    "tolerations": _of_scheduling,
    "topologySpreadConstraints": _of_scheduling,
}


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
