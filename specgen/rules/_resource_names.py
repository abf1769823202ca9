"""What a name stands for that is no resource: a device without the domain of its plugin, or a misspelt resource."""

from __future__ import annotations

from specgen.devices import HCA_PARTS, NVIDIA, names_of
from specgen.diagnostics.model import listed
from specgen.diagnostics.suggest import similar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.profile.cluster import ClusterProfile

_GPUS = frozenset(("gpu", "gpus", "nvidia", "cuda"))
_NPUS = frozenset(("npu", "npus", "ascend"))
_STANDARD = ("cpu", "memory", "ephemeral-storage")
_MEMORY = ("mem", "ram")


def meant(name: str, cluster: ClusterProfile | None) -> tuple[str, list[str]]:
    """(the one resource that is meant, what else may be written); empty where nobody knows one.

    What the cluster's pools say goes before the name that the plugin of most of them has.
    """
    parts = frozenset(names_of(name))
    pools = list(cluster.pools.values()) if cluster is not None else []
    if not parts.isdisjoint(_GPUS):
        known = [pool.gpu.resource for pool in pools if pool.gpu is not None]
        return _one([one for one in known if one] or [NVIDIA], "GPUs")
    if not parts.isdisjoint(HCA_PARTS):
        known = [pool.hca.resource for pool in pools if pool.hca is not None]
        return _one([one for one in known if one], "adapters")
    if not parts.isdisjoint(_NPUS):
        return _one([pool.npu.resource for pool in pools if pool.npu is not None], "NPUs")
    if name.lower() in _MEMORY:
        return "memory", []
    near = similar(name, _STANDARD)
    return (near[0], []) if len(near) == 1 else ("", [])


def _one(known: list[str], things: str) -> tuple[str, list[str]]:
    names = list(dict.fromkeys(known))
    if len(names) == 1:
        return names[0], []
    if names:
        return "", [f"the {things} of the pools are {listed(names)}"]
    return "", [f"`kubectl describe node` says by which name nodes offer their {things}: one with a domain"]
