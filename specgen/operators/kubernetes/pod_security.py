"""What a level of Pod Security refuses of a pod (Kubernetes 1.36, staging/src/k8s.io/pod-security-admission/policy)."""

from __future__ import annotations

from specgen.diagnostics.model import listed
from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

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


def refused(spec: dict[str, Any], *, strict: bool) -> Iterator[Wrong]:
    """What the level `baseline` refuses of the spec of a pod; ``strict``: the level `restricted`."""
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
