"""What a level of Pod Security refuses of a pod (Kubernetes 1.36, staging/src/k8s.io/pod-security-admission/policy).

A level is that of the API server's own version (`latest`), as it is for namespaces that do not pin another. What a
release after 1.36 allows counts as allowed.
"""

from __future__ import annotations

from specgen.diagnostics.model import listed, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.release import at_least

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.source import Path

    # (path in the pod, what stands there)
    Wrong = tuple[Path, str]

# The label of a namespace that says its level, and what is refused by levels other than `privileged`.
ENFORCE = "pod-security.kubernetes.io/enforce"
HELD = ("baseline", "restricted")

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
        "net.ipv4.tcp_notsent_lowat",  # this and tcp_slow_start_after_idle since 1.37
        "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_slow_start_after_idle",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.tcp_wmem",
    )
)
_SELINUX = frozenset(("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"))


_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
# Where containers name another host than their pod (check_hostProbesAndhostLifecycle.go), refused since this release.
_HANDLERS = (
    ("livenessProbe",),
    ("readinessProbe",),
    ("startupProbe",),
    ("lifecycle", "postStart"),
    ("lifecycle", "preStop"),
)
HOSTS_SINCE = (1, 34)
# What there is to say of them where the version is not known.
SINCE = "the API server refuses the pods since Kubernetes 1.34"


def refused(pod: dict[str, Any], *, strict: bool) -> Iterator[Wrong]:
    """What the level `baseline` refuses of a pod, its metadata and its spec; ``strict``: the level `restricted`."""
    spec, annotations = mapping(pod.get("spec")), mapping(mapping(pod.get("metadata")).get("annotations"))
    for key, profile in annotations.items():
        if not isinstance(key, str) or not key.startswith(_APP_ARMOR) or not isinstance(profile, str):
            continue
        if profile not in ("", "runtime/default") and not profile.startswith("localhost/"):
            yield ("metadata", "annotations", key), f"`{shown(key)}: {shown(profile)}`"
    for path, what in _of_spec(spec, strict):
        yield ("spec", *path), what


def certain(path: Path, kubernetes: str | None) -> bool | None:
    """Whether an API server of this version refuses what stands there; None: newer ones do, and it is not known."""
    if path[-1] != "host":
        return True
    return at_least(kubernetes, HOSTS_SINCE) if kubernetes is not None else None


def _of_spec(spec: dict[str, Any], strict: bool) -> Iterator[Wrong]:
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(key) is True:
            yield (key,), f"`{key}: true`"
    for index, volume in enumerate(sequence(spec.get("volumes"))):
        for source, said in mapping(volume).items():
            if said is None or not isinstance(source, str):
                continue
            if source == "hostPath" or (strict and source != "name" and source not in _VOLUMES):
                yield ("volumes", index, source), f"{_article(source)} `{source}` volume"
    context = mapping(spec.get("securityContext"))
    for index, sysctl in enumerate(sequence(context.get("sysctls"))):
        name = mapping(sysctl).get("name")
        if name not in _SYSCTLS:
            yield ("securityContext", "sysctls", index), f"the sysctl `{name}`"
    # users of its own are nobody on the node (check_runAsNonRoot.go, check_runAsUser.go, check_procMount_baseline.go)
    apart = spec.get("hostUsers") is False
    windows = mapping(spec.get("os")).get("name") == "windows"
    yield from _options(context, ("securityContext",), strict and not apart)
    for group in ("initContainers", "containers"):
        for index, one in enumerate(sequence(spec.get(group))):
            container, path = mapping(one), (group, index)
            yield from _of_container(container, path, strict, apart)
            if strict:
                yield from _demanded(container, path, context, apart, windows)


def _article(name: str) -> str:
    return "an" if name == "nfs" or name[:1] in "aeio" else "a"


def _options(context: dict[str, Any], path: Path, rootless: bool) -> Iterator[Wrong]:
    """What a pod's and a container's security context have in common; ``rootless``: nothing may be root."""
    for key in ("seccompProfile", "appArmorProfile"):
        if mapping(context.get(key)).get("type") == "Unconfined":
            yield (*path, key), f"`{key}: Unconfined`"
    linux = mapping(context.get("seLinuxOptions"))
    if linux.get("user") or linux.get("role") or (linux.get("type") or "") not in _SELINUX:
        yield (*path, "seLinuxOptions"), "an SELinux identity of its own"
    if mapping(context.get("windowsOptions")).get("hostProcess") is True:
        yield (*path, "windowsOptions"), "`hostProcess: true`"
    if rootless and context.get("runAsNonRoot") is False:
        yield (*path, "runAsNonRoot"), "`runAsNonRoot: false`"
    user = context.get("runAsUser")
    if rootless and user == 0 and not isinstance(user, bool):
        yield (*path, "runAsUser"), "user 0"


def _of_container(container: dict[str, Any], path: Path, strict: bool, apart: bool) -> Iterator[Wrong]:
    context = mapping(container.get("securityContext"))
    here: Path = (*path, "securityContext")
    if context.get("privileged") is True:
        yield (*here, "privileged"), "`privileged: true`"
    if context.get("procMount") not in (None, "Default") and (strict or not apart):
        yield (*here, "procMount"), f"`procMount: {context['procMount']}`"
    for index, port in enumerate(sequence(container.get("ports"))):
        if mapping(port).get("hostPort"):
            yield (*path, "ports", index, "hostPort"), f"`hostPort: {port['hostPort']}`"
    added = sequence(mapping(context.get("capabilities")).get("add"))
    kept = ("NET_BIND_SERVICE",) if strict else _ADDABLE
    wrong = [str(one) for one in added if one not in kept]
    if wrong:
        yield (*here, "capabilities", "add"), f"adding {listed(wrong)}"
    yield from _options(context, here, strict and not apart)
    for steps in _HANDLERS:
        handler = container
        for step in steps:
            handler = mapping(handler.get(step))
        for kind in ("httpGet", "tcpSocket"):
            if mapping(handler.get(kind)).get("host"):
                yield (*path, *steps, kind, "host"), f"a `host` of `{steps[-1]}`"


def _demanded(
    container: dict[str, Any], path: Path, pod: dict[str, Any], apart: bool, windows: bool
) -> Iterator[Wrong]:
    """What `restricted` wants said of each container, or of its pod; of those of Windows only what that system has."""
    context = mapping(container.get("securityContext"))
    here: Path = (*path, "securityContext")
    name = container.get("name")
    if context.get("allowPrivilegeEscalation") is not False and not windows:
        yield (*here, "allowPrivilegeEscalation"), f"container `{name}`, which may gain privileges,"
    if "ALL" not in sequence(mapping(context.get("capabilities")).get("drop")) and not windows:
        yield (*here, "capabilities"), f"container `{name}`, which keeps capabilities,"
    if context.get("runAsNonRoot") is None and pod.get("runAsNonRoot") is None and not apart:
        yield (*here, "runAsNonRoot"), f"container `{name}`, which may run as root,"
    if not context.get("seccompProfile") and not pod.get("seccompProfile") and not windows:
        yield (*here, "seccompProfile"), f"container `{name}`, which has no seccomp profile,"
