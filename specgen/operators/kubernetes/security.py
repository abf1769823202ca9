"""Security contexts of pods and containers (Kubernetes 1.36, ValidateSecurityContext and its like for pods)."""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_subdomain, is_sysctl
from specgen.operators.kubernetes.reason import because, missing, number, one_of, relative, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.operators.kubernetes.reason import Reason
    from specgen.source import Path

_MOST_ID = 2**31 - 1
_PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
# Sysctls of the namespaces that a pod may share with its host (k8s.io/component-helpers, node/util/sysctl).
_OF_NETWORK = ("net.",)
_OF_IPC = ("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")
_NEVER_IN_WINDOWS = ("appArmorProfile", "seLinuxOptions", "seccompProfile", "runAsUser", "runAsGroup")
_NOT_OF_PODS = ("capabilities", "readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation", "procMount")
_NOT_OF_CONTAINERS = (
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
)


def of_pod(spec: dict[str, Any], path: Path) -> Iterator[Reason]:
    """What is wrong with a pod's own context and its shares in the host."""
    context = mapping(spec.get("securityContext"))
    here = (*path, "securityContext")
    yield from _common(context, here)
    yield from _id(context, "fsGroup", "group", here)
    for at, group in enumerate(sequence(context.get("supplementalGroups"))):
        yield from _id({str(at): group}, str(at), "group", (*here, "supplementalGroups"), at)
    if "sysctls" in context:
        yield from _sysctls(context, spec, (*here, "sysctls"))
    yield from one_of(context, "fsGroupChangePolicy", here, ("Always", "OnRootMismatch"))
    yield from one_of(context, "supplementalGroupsPolicy", here, ("Merge", "Strict"))
    yield from one_of(context, "seLinuxChangePolicy", here, ("MountOption", "Recursive"))


def processes(spec: dict[str, Any], path: Path) -> Iterator[Reason]:
    """Containers cannot share processes among them that they share with the host."""
    if spec.get("hostPID") is True and spec.get("shareProcessNamespace") is True:
        message = "`shareProcessNamespace` contradicts `hostPID`"
        yield because((*path, "shareProcessNamespace"), message, "", (*path, "hostPID"))


def users(spec: dict[str, Any], path: Path) -> Iterator[Reason]:
    """Users of its own exclude what a pod shares with its host."""
    if spec.get("hostUsers") is False:
        for key in ("hostNetwork", "hostPID", "hostIPC"):
            if spec.get(key) is True:
                message = f"`{key}: true` contradicts `hostUsers: false`"
                yield because((*path, key), message, "", (*path, "hostUsers"))


def of_container(context: dict[str, Any], pod: dict[str, Any], path: Path) -> Iterator[Reason]:
    """What is wrong with a container's context."""
    if context.get("allowPrivilegeEscalation") is False:
        if context.get("privileged") is True:
            message = "`allowPrivilegeEscalation: false` contradicts `privileged: true`"
            yield because((*path, "allowPrivilegeEscalation"), message, "privileged", (*path, "privileged"))
        added = sequence(mapping(context.get("capabilities")).get("add"))
        if "CAP_SYS_ADMIN" in added:
            message = "`allowPrivilegeEscalation: false` contradicts the capability `CAP_SYS_ADMIN`"
            other = (*path, "capabilities", "add", added.index("CAP_SYS_ADMIN"))
            yield because((*path, "allowPrivilegeEscalation"), message, "", other)
    yield from one_of(context, "procMount", path, ("Default", "Unmasked"))
    if context.get("procMount") == "Unmasked" and pod.get("hostUsers") is not False:
        yield because((*path, "procMount"), "`Unmasked` needs `hostUsers: false` in the pod")
    yield from _common(context, path)


def _common(context: dict[str, Any], path: Path) -> Iterator[Reason]:
    yield from _id(context, "runAsUser", "user", path)
    yield from _id(context, "runAsGroup", "group", path)
    for key in ("seccompProfile", "appArmorProfile"):
        if isinstance(context.get(key), dict):
            yield from _profile(key, context[key], (*path, key))
    if isinstance(context.get("windowsOptions"), dict):
        yield from _windows(context["windowsOptions"], (*path, "windowsOptions"))


def _id(tree: dict[str, Any], key: str, what: str, path: Path, at: int | None = None) -> Iterator[Reason]:
    value = number(tree, key)
    if value is not None and not 0 <= value <= _MOST_ID:
        message = f"{shown(value)} is no {what}: those are 0 to {_MOST_ID}"
        yield because((*path, key if at is None else at), message)


def _profile(kind: str, tree: dict[str, Any], path: Path) -> Iterator[Reason]:
    word, file = text(tree, "type"), tree.get("localhostProfile")
    if word == "":
        yield missing((*path, "type"))
    elif word is not None and word not in _PROFILES:
        yield from one_of(tree, "type", path, _PROFILES)
    if word == "Localhost":
        if file is None or (file == "" and kind == "appArmorProfile"):
            yield missing((*path, "localhostProfile"))
        elif isinstance(file, str) and kind == "seccompProfile":
            yield from relative(file, (*path, "localhostProfile"))
        elif isinstance(file, str) and (file != file.strip() or len(file) > 4095):
            wrong = "has blanks around it" if len(file) <= 4095 else "has more than 4095 characters"
            yield because((*path, "localhostProfile"), f"`{shown(file)}` {wrong}")
    elif file is not None:
        message = f"`localhostProfile` contradicts `type: {shown(word)}`"
        yield because((*path, "localhostProfile"), message, "", (*path, "type"))


def _windows(tree: dict[str, Any], path: Path) -> Iterator[Reason]:
    name, spec, user = (tree.get(key) for key in ("gmsaCredentialSpecName", "gmsaCredentialSpec", "runAsUserName"))
    if isinstance(name, str) and (not name or not is_subdomain(name)):
        yield because((*path, "gmsaCredentialSpecName"), f"`{shown(name)}` is no name of an object")
    if isinstance(spec, str) and not 0 < len(spec.encode("utf-8", "replace")) <= 64 * 1024:
        yield because((*path, "gmsaCredentialSpec"), "it must not be empty, nor have more than 64 KiB")
    if isinstance(user, str) and not _is_windows_user(user):
        yield because((*path, "runAsUserName"), f"`{shown(user)}` is no name of a user of Windows")


def _is_windows_user(text: str) -> bool:
    domain, slash, user = text.rpartition("\\")
    if not user or len(user) > 104 or "\\" in domain or not user.strip(". ") or (slash and not 0 < len(domain) < 256):
        return False
    return text.isprintable() and not any(sign in user for sign in '"/\\:;|=,+*?<>@[]')


def _sysctls(context: dict[str, Any], spec: dict[str, Any], path: Path) -> Iterator[Reason]:
    seen: dict[str, int] = {}
    for at, item in enumerate(sequence(context.get("sysctls"))):
        name, here = text(mapping(item), "name"), (*path, at, "name")
        if name == "":
            yield missing(here)
        if not name:
            continue
        if not is_sysctl(name):
            yield because(here, f"`{shown(name)}` is no name of a sysctl")
        elif name in seen:
            yield because(here, f"the sysctl `{shown(name)}` is there twice", "", (*path, seen[name], "name"))
        seen.setdefault(name, at)
        dotted = name.replace("/", ".")
        for share, names in (("hostNetwork", _OF_NETWORK), ("hostIPC", _OF_IPC)):
            if spec.get(share) is True and dotted.startswith(names):
                message = f"the sysctl `{shown(name)}` contradicts `{share}: true`"
                yield because(here, message, "", (*path[:-2], share))


def system(spec: dict[str, Any], path: Path) -> Iterator[Reason]:
    """What the operating system that a pod names does not have."""
    name = text(mapping(spec.get("os")), "name")
    if name == "":
        yield missing((*path, "os", "name"))
    if not name:
        return
    if name not in ("linux", "windows"):
        yield because((*path, "os", "name"), f"`{shown(name)}` is none of `linux` and `windows`")
        return
    contexts: list[tuple[dict[str, Any], Path, tuple[str, ...]]] = [
        (mapping(spec.get("securityContext")), (*path, "securityContext"), _NOT_OF_CONTAINERS)
    ]
    for key in ("initContainers", "containers"):
        for at, container in enumerate(sequence(spec.get(key))):
            context = mapping(mapping(container).get("securityContext"))
            contexts.append((context, (*path, key, at, "securityContext"), _NOT_OF_PODS))
    for context, here, others in contexts:
        for key in ("windowsOptions",) if name == "linux" else (*_NEVER_IN_WINDOWS, *others):
            if context.get(key) is not None:
                message = f"`{key}` contradicts `os: {{name: {name}}}`"
                yield because((*here, key), message, "", (*path, "os", "name"))
    if name == "windows":
        for key in ("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"):
            if spec.get(key) is True or (key in ("hostUsers", "shareProcessNamespace") and spec.get(key) is False):
                yield because((*path, key), f"`{key}` contradicts `os: {{name: windows}}`", "", (*path, "os", "name"))
