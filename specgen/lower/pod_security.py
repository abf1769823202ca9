"""The Pod Security level of the cluster: what `restricted` demands is written, what a level refuses is found.

Kubernetes 1.36, staging/src/k8s.io/pod-security-admission/policy. Loaded where the cluster profile names a level.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Place, listed
from specgen.manifest.origins import located
from specgen.manifest.views import mapping, sequence
from specgen.plan.codes import POD_SECURITY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.origins import Origins
    from specgen.plan.model import Plan
    from specgen.source import Path

    # (path below the pod's spec, what stands there)
    Wrong = tuple[Path, str]

_ADDABLE = frozenset(
    (
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    )
)
_VOLUMES = frozenset(
    (
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    )
)
_SYSCTLS = frozenset(
    (
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.ip_unprivileged_port_start",
        "net.ipv4.ping_group_range",
        "net.ipv4.tcp_fin_timeout",
        "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
        "net.ipv4.tcp_keepalive_time",
        "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.tcp_wmem",
    )
)
_SELINUX = frozenset(("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"))


def check(plan: Plan, tree: dict[str, Any], origins: Origins) -> list[Finding]:
    """SG325 for every pod template below ``tree``, patches and all; equal templates are looked at once."""
    if plan.pod_security is None:
        return []
    level, cluster = plan.pod_security.value, plan.pod_security.at
    strict = level == "restricted"
    findings = []
    seen: list[dict[str, Any]] = []
    for path, spec in _pods(tree, ()):
        if any(spec is other for other in seen):
            continue
        seen.append(spec)
        for below, what in _refused(spec, strict):
            findings.append(
                POD_SECURITY.at(
                    Place((*path, *below), where=origins),
                    f"{what} contradicts `podSecurity: {level}`",
                    related=[(cluster, "the level of the namespaces")],
                    notes=["the API server refuses the pods; the job itself is accepted"],
                )
            )
    role, name = _added(plan) if strict else ("", "")
    if len(plan.roles) > 1 and any(one.name == role for one in plan.roles):
        findings.append(
            POD_SECURITY.at(
                cluster,
                "`podSecurity: restricted` contradicts "
                f"the container `{name}`, which the operator adds to every {role}",
                related=[(located(plan.world.target), f"{plan.kind.one}")],
                notes=["as it is built in, it says nothing of privileges, and the API server refuses the pod"],
                helps=["the administrator of the operator can give it another template"],
                severity=WARNING,
            )
        )
    return findings


def _added(plan: Plan) -> tuple[str, str]:
    """(role, container) of what the operator puts into pods without a word about security; empty where it adds none."""
    if plan.kind.operator != "training-operator":
        return "", ""
    from specgen.operators.training.facts import ADDED  # jobs of other operators do not load it

    return ADDED.get(plan.kind.name, ("", ""))


def _pods(tree: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """(path, spec) of every pod template in a tree."""
    if isinstance(tree, list):
        for index, item in enumerate(tree):
            yield from _pods(item, (*path, index))
    if not isinstance(tree, dict):
        return
    spec = mapping(tree.get("template")).get("spec")
    if isinstance(spec, dict) and "containers" in spec:
        yield (*path, "template", "spec"), spec
        return
    for key, value in tree.items():
        yield from _pods(value, (*path, key))


def _refused(spec: dict[str, Any], strict: bool) -> Iterator[Wrong]:
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(key) is True:
            yield (key,), f"`{key}: true`"
    for index, volume in enumerate(sequence(spec.get("volumes"))):
        for source in mapping(volume):
            if source == "hostPath" or (strict and source != "name" and source not in _VOLUMES):
                yield ("volumes", index, source), f"a `{source}` volume"
    pod = mapping(spec.get("securityContext"))
    for index, sysctl in enumerate(sequence(pod.get("sysctls"))):
        name = mapping(sysctl).get("name")
        if name not in _SYSCTLS:
            yield ("securityContext", "sysctls", index), f"the sysctl `{name}`"
    yield from _options(pod, ("securityContext",), strict)
    for group in ("initContainers", "containers"):
        for index, container in enumerate(sequence(spec.get(group))):
            yield from _of_container(mapping(container), (group, index), pod, strict)


def _options(context: dict[str, Any], path: Path, strict: bool) -> Iterator[Wrong]:
    """What a pod's and a container's security context have in common."""
    for key in ("seccompProfile", "appArmorProfile"):
        if mapping(context.get(key)).get("type") == "Unconfined":
            yield (*path, key), f"`{key}: Unconfined`"
    linux = mapping(context.get("seLinuxOptions"))
    if linux.get("user") or linux.get("role") or (linux.get("type") or "") not in _SELINUX:
        yield (*path, "seLinuxOptions"), "an SELinux identity of its own"
    if mapping(context.get("windowsOptions")).get("hostProcess") is True:
        yield (*path, "windowsOptions"), "`hostProcess: true`"
    if strict and context.get("runAsNonRoot") is False:
        yield (*path, "runAsNonRoot"), "`runAsNonRoot: false`"
    if strict and context.get("runAsUser") == 0:
        yield (*path, "runAsUser"), "user 0"


def _of_container(container: dict[str, Any], path: Path, pod: dict[str, Any], strict: bool) -> Iterator[Wrong]:
    context = mapping(container.get("securityContext"))
    here: Path = (*path, "securityContext")
    name = container.get("name")
    if context.get("privileged") is True:
        yield (*here, "privileged"), "`privileged: true`"
    if context.get("procMount") not in (None, "Default"):
        yield (*here, "procMount"), f"`procMount: {context['procMount']}`"
    for index, port in enumerate(sequence(container.get("ports"))):
        if mapping(port).get("hostPort"):
            yield (*path, "ports", index, "hostPort"), f"`hostPort: {port['hostPort']}`"
    capabilities = mapping(context.get("capabilities"))
    kept = ("NET_BIND_SERVICE",) if strict else _ADDABLE
    added = [str(one) for one in sequence(capabilities.get("add")) if one not in kept]
    if added:
        yield (*here, "capabilities", "add"), f"adding {listed(added)}"
    yield from _options(context, here, strict)
    if not strict:
        return
    if context.get("allowPrivilegeEscalation") is not False:
        yield (*here, "allowPrivilegeEscalation"), f"container `{name}`, which may gain privileges,"
    if "ALL" not in sequence(capabilities.get("drop")):
        yield (*here, "capabilities"), f"container `{name}`, which keeps capabilities,"
    if context.get("runAsNonRoot") is None and pod.get("runAsNonRoot") is None:
        yield (*here, "runAsNonRoot"), f"container `{name}`, which may run as root,"
    if not context.get("seccompProfile") and not pod.get("seccompProfile"):
        yield (*here, "seccompProfile"), f"container `{name}`, which has no seccomp profile,"
