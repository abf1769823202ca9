"""How an HCA reaches a pod without being one of its resources: as secondary networks, or with the node's own network.

Multus 4.2 (docs/how-to-use.md) gives a pod a further interface for each name in its annotation, and sriov-network-
device-plugin 3.11 (README) wants as many units of the resource as there are such names.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, plural
from specgen.manifest.origins import Sourced
from specgen.plan.pods import MountPoint
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.draft import RoleDraft

NETWORKS = "k8s.v1.cni.cncf.io/networks"
_DEVICES = "/dev/infiniband"


def networks(role: RoleDraft) -> list[Finding]:
    """``rdma: sriov``: the annotation that gives the pod as many networks as it has HCAs."""
    pool, profile = role.devices.pool, role.profile
    assert pool is not None
    units, named = role.devices.hca, pool.fabric.networks
    place = _fabric(role, "networks")
    if named is None:
        message = "`rdma: sriov` needs `networks`: an HCA reaches the pod as an interface of a secondary network"
        related = [(profile.place(("resources", "hca")), "asks for HCAs")]
        return [codes.CONTRADICTION.at(_fabric(role, "rdma"), message, related=related)]
    if NETWORKS in profile.data.get("annotations", {}):
        message = "the annotation contradicts `rdma: sriov`, which writes it"
        related = [(place, "the networks of the HCAs")]
        return [codes.CONTRADICTION.at(profile.place(("annotations", NETWORKS), KEY), message, related=related)]
    if NETWORKS in pool.fabric.adds.annotations:
        message = "the annotation contradicts `networks`, from which it follows"
        where = _fabric(role, "adds", "annotations", NETWORKS, part=KEY)
        return [codes.CONTRADICTION.at(where, message, related=[(place, "the networks of the HCAs")])]
    if isinstance(named, str):
        wanted, reason = [named] * units, "`fabric.networks` of the pool, once for each HCA"
    else:
        wanted, reason = list(named[:units]), "`fabric.networks` of the pool, one for each HCA"
    if len(wanted) < units:
        verb = "contradicts" if units == 1 else "contradict"
        message = f"{plural(units, 'HCA')} {verb} the {plural(len(wanted), 'network')} of the pool"
        related = [(place, "each HCA is an interface of its own network")]
        return [codes.CONTRADICTION.at(profile.place(("resources", "hca")), message, related=related)]
    if not profile.removed(("annotations", NETWORKS)):
        role.annotations[NETWORKS] = Sourced(", ".join(wanted), place, reason)
    return []


def host(role: RoleDraft) -> list[Finding]:
    """``rdma: host``: the node's network, and the right to open the node's devices.

    No device plugin lets the container's cgroup open what a hostPath shows, so only a privileged one can (runc 1.3,
    libcontainer/specconv/spec_linux.go, AllowedDevices).
    """
    profile = role.profile
    hca = profile.place(("resources", "hca"))
    related = [(_fabric(role, "rdma"), "`rdma: host`"), (hca, "asks for HCAs")]
    findings = []
    if profile.data.get("pod", {}).get("hostNetwork") is False:
        message = "`hostNetwork: false` contradicts `rdma: host`, by which HCAs reach the pod with the node's network"
        place = profile.place(("pod", "hostNetwork"))
        findings.append(codes.CONTRADICTION.at(place, message, related=related))
    elif not profile.removed(("pod", "hostNetwork")):
        reason = "an HCA reaches the pod with the node's own network: `fabric.rdma` of the pool"
        role.devices.on_host = Sourced(True, hca, reason)
        role.pod.setdefault("hostNetwork", role.devices.on_host)
    if profile.words.security.privileged is False:
        message = f"`privileged: false` contradicts `rdma: host`: only a privileged container opens `{_DEVICES}`"
        place = profile.place(("security", "privileged"))
        findings.append(codes.CONTRADICTION.at(place, message, related=related))
    elif not profile.removed(("security", "privileged")):
        role.privileged = Sourced(True, hca, f"only a privileged container opens the node's `{_DEVICES}`")
    return findings


def host_devices(role: RoleDraft) -> None:
    """``rdma: host``: the node's devices, unless the job mounts something there itself."""
    profile = role.profile
    if profile.removed(("mounts", _DEVICES)) or any(mount.path.rstrip("/") == _DEVICES for mount in role.mounts):
        return
    said = Sourced(
        _DEVICES, profile.place(("resources", "hca")), "`fabric.rdma` of the pool: the devices are the node's"
    )
    volume = role.add_volume("infiniband", {"hostPath": {"path": _DEVICES, "type": "Directory"}}, said)
    role.mounts.append(MountPoint(_DEVICES, volume, False, None, said))


def _fabric(role: RoleDraft, *path: str, part: str = "value") -> Place:
    return role.profile.job.cluster_place(("pools", role.devices.pool_name or "", "fabric", *path), part)
