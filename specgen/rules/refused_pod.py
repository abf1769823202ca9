"""A pod template that the job takes and the API server refuses once a pod is made of it.

## What it checks
Names of containers, volumes, ports, and variables have the form and are there once; labels have the form. No request is
above its limit, no amount below 0. What excludes another field stands without it, host ports are the container's under
`hostNetwork`, and `imagePullPolicy`, `fieldPath`, and `resource` hold words that there are.

## Why it hurts
The schema of the job leaves all this open, so the job is accepted. The API server then refuses every pod of the role,
the operator tries again without end, and the reason stands only in its events.

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
Change what the finding points at. None is applied: which of the two sides is meant is not known.

## When to ignore it
Where an admission webhook of the cluster changes that field of the pods.

## References
Kubernetes 1.36, pkg/apis/core/validation/validation.go (ValidatePodSpec) and pkg/apis/core/pods/helpers.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Code, Place, listed
from specgen.manifest.views import mapping, sequence
from specgen.rules import ROLE
from specgen.rules._amounts import nano
from specgen.rules._operators import operator
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG315", "refused-pod", ERROR, since="0.1", page=__doc__)
SCOPE = ROLE

_NOTE = "the API server refuses the pods; the job itself is accepted"
_LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
_LABEL = "abcdefghijklmnopqrstuvwxyz0123456789-"
_PULL = ("Always", "IfNotPresent", "Never")
# validateVolumeSource, without `image`: a cluster without that feature drops it first.
# fmt: off
_SOURCES = (
    "awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "configMap", "csi", "downwardAPI",
    "emptyDir", "ephemeral", "fc", "flexVolume", "flocker", "gcePersistentDisk", "gitRepo", "glusterfs", "hostPath",
    "iscsi", "nfs", "persistentVolumeClaim", "photonPersistentDisk", "portworxVolume", "projected", "quobyte",
    "rbd", "scaleIO", "secret", "storageos", "vsphereVolume",
)
# fmt: on
# validEnvDownwardAPIFieldPathExpressions, with `spec.host`, which the conversion of version v1 renames.
# fmt: off
_FIELDS = (
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "spec.host",
    "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
)
# fmt: on
_KEYED = ("metadata.labels['", "metadata.annotations['")
_AMOUNTS = ("cpu", "memory", "ephemeral-storage")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each field at fault; a role without pods has none, and twins have them once."""
    pod = role.pod
    if pod and role.replicas >= 1 and "metadata" in role.template:
        yield from _labels(role)
    if not pod or role.replicas < 1 or _has_twin(role):
        return
    yield from _names(role)
    for init in (True, False):
        for container in role.containers(init=init):
            yield from _container(container)
    if "volumes" in pod:
        yield from _volumes(role)
    if "tolerations" in pod:
        for index, one in enumerate(sequence(pod["tolerations"])):
            tree = mapping(one)
            if tree.get("operator") == "Exists" and isinstance(tree.get("value"), str) and tree["value"]:
                path = (*role.pod_path, "tolerations", index)
                message = f"`operator: Exists` of a toleration contradicts `value: {shown(tree['value'])}`"
                yield _at((*path, "value"), message, "goes with `Equal`", [(Place((*path, "operator")), "here")])
    # the operators of MPIJobs set another policy where pods share the host's network
    if pod.get("dnsPolicy") == "None" and not pod.get("hostNetwork"):
        config = pod.get("dnsConfig")
        if config is None or (isinstance(config, dict) and config.get("nameservers") in (None, [])):
            message = "`dnsPolicy: None` contradicts a `dnsConfig` without `nameservers`"
            yield _at((*role.pod_path, "dnsPolicy"), message, "needs a name server in `dnsConfig`")


def _has_twin(role: Role) -> bool:
    """Whether a role before it has the very same pods: two of a compiled job, or one as the alias of the other."""
    for other in role.workload.roles:
        if other is role:
            break
        if other.pod is role.pod and other.replicas >= 1:
            return True
    return False


def _at(place: Path | Place, message: str, label: str, related: list[tuple[Place, str]] | None = None) -> Finding:
    return CODE.at(place, message, label=label, related=related or [], notes=[_NOTE])


def _text(value: Any) -> str:
    """A text that is final; empty for other values and for those that a tool still fills in: `${NAME}`, `{{name}}`."""
    return value if isinstance(value, str) and "$" not in value and "{{" not in value else ""


def _schema_compares(role: Role) -> bool:
    """Whether the CRD holds names in one list unique, which is then a finding of its own (SG104)."""
    return operator(role.workload).unique_lists(role.workload.version) is None


def _names(role: Role) -> Iterator[Finding]:
    """Names of containers: there once over both lists, since a pod knows its containers by name alone."""
    seen: list[Container] = []
    for container in (*role.containers(), *role.containers(init=True)):
        path = (*container.path, "name")
        if container.tree.get("name") == "":
            yield _at(path, "a container has an empty name", "expected a name")
        name = _text(container.name)
        if not name:
            continue
        if not _is_label(name):
            yield _at(path, f"`{shown(name)}` is no name of a container", "expected at most 63 of `a-z`, `0-9`, `-`")
            continue
        for other in seen:
            if other.name == name and (other.init != container.init or not _schema_compares(role)):
                pair = "a container and an init container" if other.init != container.init else "two containers"
                related = [(Place((*other.path, "name")), "the other one")]
                yield _at(path, f"{pair} of one pod are called `{shown(name)}`", "needs another name", related)
                break
        seen.append(container)


def _labels(role: Role) -> Iterator[Finding]:
    """Labels that the API server refuses; the MSJobs' CRD drops all, which is a finding of its own."""
    metadata = mapping(role.template["metadata"])
    labels = mapping(metadata.get("labels"))
    others = role.workload.roles[: role.workload.roles.index(role)]
    twin = any(mapping(other.template.get("metadata")) is metadata for other in others)
    if not labels or twin or role.workload.operator == "ms-operator":
        return
    from specgen.rules._pod_labels import unusable  # most pods have none of their own

    for name, itself in unusable(labels):
        path = (*role.template_path, "metadata", "labels", name)
        text = shown(name if itself else labels[name])
        label = "expected at most 63 letters, digits, `-`, `_`, and `.`, a letter or digit at both ends"
        if itself:
            yield _at(Place(path, KEY), f"`{text}` is no name of a label", label)
        else:
            yield _at(path, f"`{text}` is no value of a label", label)


def _is_label(name: str) -> bool:
    return 0 < len(name) <= 63 and not name.strip(_LABEL) and name[0] != "-" and name[-1] != "-"


def _is_service_name(name: str) -> bool:
    """IANA_SVC_NAME: at most 15 of ``a-z0-9-``, a letter among them, single dashes between."""
    return len(name) <= 15 and _is_label(name) and "--" not in name and not _LOWER.isdisjoint(name)


def _container(container: Container) -> Iterator[Finding]:
    tree = container.tree
    if "env" in tree:
        for index, entry in enumerate(sequence(tree["env"])):
            variable = mapping(entry)
            name = variable.get("name")
            # most are a plain name and a text
            if "valueFrom" in variable or not isinstance(name, str) or not name.isidentifier():
                yield from _variable((*container.path, "env", index), variable)
    if "resources" in tree:
        yield from _resources(container)
    if "ports" in tree:
        yield from _ports(container)
    policy = _text(tree.get("imagePullPolicy"))
    if policy and policy not in _PULL:
        path = (*container.path, "imagePullPolicy")
        yield _at(path, f"`{shown(policy)}` is no `imagePullPolicy`", f"expected one of {listed(_PULL)}")
    if "securityContext" in tree:
        rights = mapping(tree["securityContext"])
        if rights.get("privileged") is True and rights.get("allowPrivilegeEscalation") is False:
            path = (*container.path, "securityContext")
            message = "`allowPrivilegeEscalation: false` contradicts `privileged: true`"
            related = [(Place((*path, "privileged")), "a privileged container may do all")]
            yield _at((*path, "allowPrivilegeEscalation"), message, "cannot hold here", related)


def _ports(container: Container) -> Iterator[Finding]:
    seen: dict[str, Path] = {}
    shared = container.role.pod.get("hostNetwork") is True
    for index, port in enumerate(sequence(container.tree["ports"])):
        number, host = mapping(port).get("containerPort"), mapping(port).get("hostPort")
        if shared and isinstance(number, int) and isinstance(host, int) and host not in (0, number):
            at = (*container.path, "ports", index)
            message = f"`hostPort` {host} contradicts `containerPort` {number} under `hostNetwork`"
            related = [(Place((*at, "containerPort")), "the pod's ports are the host's")]
            yield _at((*at, "hostPort"), message, f"expected {number}", related)
        elif isinstance(host, int) and not 0 <= host <= 65535:
            path = (*container.path, "ports", index, "hostPort")
            yield _at(path, f"port {host} does not exist, ports are 1 to 65535", "no such port")
        name = _text(mapping(port).get("name"))
        if not name:
            continue
        path = (*container.path, "ports", index, "name")
        if not _is_service_name(name):
            label = "expected at most 15 of `a-z`, `0-9`, and single `-`, with a letter"
            yield _at(path, f"`{shown(name)}` is no name of a port", label)
        elif name in seen:
            message = f"two ports of container `{shown(container.name)}` are called `{name}`"
            yield _at(path, message, "needs another name", [(Place(seen[name]), "the other one")])
        seen.setdefault(name, path)


def _resources(container: Container) -> Iterator[Finding]:
    resources = mapping(container.tree["resources"])
    requests, limits = mapping(resources.get("requests")), mapping(resources.get("limits"))
    for side, amounts in (("requests", requests), ("limits", limits)):
        for name, amount in amounts.items():
            if isinstance(amount, (int, str)) and str(amount).startswith("-") and nano(str(amount)[1:]):
                path = (*container.path, "resources", side, name)
                yield _at(path, f"an amount of {shown(str(amount))} `{shown(name)}` is below 0", "expected 0 or more")
    for name, amount in requests.items():
        if name not in limits or limits[name] == amount:
            continue
        asked, allowed = nano(amount), nano(limits[name])
        if asked is not None and allowed is not None and asked > allowed:
            # of devices and huge pages, plain numbers that differ at all are SG412
            if str(amount).isdigit() and str(limits[name]).isdigit() and _whole(name):
                continue
            path = (*container.path, "resources")
            of = f"the request of {shown(str(amount))} `{shown(name)}` in container `{shown(container.name)}`"
            related = [(Place((*path, "limits", name)), "the limit")]
            message = f"{of} is above its limit of {shown(str(limits[name]))}"
            yield _at((*path, "requests", name), message, "requested", related)


def _whole(name: str) -> bool:
    return name.startswith("hugepages-") or ("/" in name and not name.partition("/")[0].endswith("kubernetes.io"))


def _variable(path: Path, entry: dict[str, Any]) -> Iterator[Finding]:
    name = entry.get("name")
    if name == "":
        yield _at((*path, "name"), "a variable has an empty name", "expected a name")
    elif "=" in _text(name):
        yield _at((*path, "name"), f"`{shown(str(name))}` is no name of a variable: it holds `=`", "expected no `=`")
    source = entry.get("valueFrom")
    if not isinstance(source, dict):
        return
    if isinstance(entry.get("value"), str) and entry["value"]:
        message = f"`value` of variable `{shown(str(name))}` contradicts its `valueFrom`"
        related = [(Place((*path, "value"), KEY), "and here")]
        yield _at(Place((*path, "valueFrom"), KEY), message, "a variable has one source", related)
    field = mapping(source.get("fieldRef"))
    wanted = _text(field.get("fieldPath"))
    if wanted and field.get("apiVersion", "v1") in ("", "v1") and not _is_field(wanted):
        at = (*path, "valueFrom", "fieldRef", "fieldPath")
        yield _at(at, f"variables cannot take `{shown(wanted)}` of a pod", "no such field for variables")
    resource = _text(mapping(source.get("resourceFieldRef")).get("resource"))
    if resource and not _is_amount(resource):
        at = (*path, "valueFrom", "resourceFieldRef", "resource")
        label = "expected `limits.` or `requests.` and `cpu`, `memory`, or `ephemeral-storage`"
        yield _at(at, f"variables cannot take `{shown(resource)}` of a container", label)


def _is_field(path: str) -> bool:
    return path in _FIELDS or any(path.startswith(key) and path[len(key) : -2] for key in _KEYED if path[-2:] == "']")


def _is_amount(resource: str) -> bool:
    side, _, name = resource.partition(".")
    return side in ("limits", "requests") and (name in _AMOUNTS or name.startswith("hugepages-"))


def _volumes(role: Role) -> Iterator[Finding]:
    path = (*role.pod_path, "volumes")
    seen: dict[str, int] = {}
    for index, volume in enumerate(sequence(role.pod["volumes"])):
        tree = mapping(volume)
        name = _text(tree.get("name"))
        if name:
            if not _is_label(name):
                label = "expected at most 63 of `a-z`, `0-9`, `-`"
                yield _at((*path, index, "name"), f"`{shown(name)}` is no name of a volume", label)
            elif name in seen and not _schema_compares(role):
                related = [(Place((*path, seen[name], "name")), "the other one")]
                message = f"two volumes of one pod are called `{name}`"
                yield _at((*path, index, "name"), message, "needs another name", related)
            seen.setdefault(name, index)
        if len(tree) > 2:
            sources = [key for key, value in tree.items() if key in _SOURCES and isinstance(value, dict)]
            if len(sources) > 1:
                message = f"volume `{shown(str(tree.get('name')))}` has more than one source: {listed(sources)}"
                related = [(Place((*path, index, sources[0]), KEY), "the first")]
                yield _at(Place((*path, index, sources[1]), KEY), message, "a volume has one source", related)
