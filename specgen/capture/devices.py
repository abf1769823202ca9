"""Which resource of a node is a GPU, an NPU, or a network adapter, and how the adapters reach a pod.

Names are those of ``specgen.devices``, and functions of adapters with them (k8snetworkplumbingwg/
sriov-network-device-plugin 3.11).
"""

from __future__ import annotations

from specgen.capture.objects import MOST
from specgen.devices import EFA, GPUS, NPUS, is_adapter, is_ascend, is_gpu, names_of
from specgen.operators.kubernetes.resources import is_extended
from specgen.quantity import NANO, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# More of them than any node has adapters: units that stand for nothing (rdmaHcaMax of the shared device plugin).
MOST_ADAPTERS = 16


def amounts(resources: Mapping[str, Any]) -> dict[str, int]:
    """Devices of a node by the names of their resources, sorted; what is none, or of which it has none, is left out."""
    found = {}
    for name in sorted(key for key in resources if is_extended(key)):
        value = nano(resources[name])
        if value is not None and value >= NANO:
            found[name] = min(value // NANO, MOST)
    return found


def gpu(devices: Mapping[str, int]) -> str:
    """The resource of the GPUs, empty where there is none."""
    known = next((name for name in GPUS if name in devices), "")
    return known or next((name for name in devices if is_gpu(name)), "")


def npu(devices: Mapping[str, int]) -> str:
    """The resource of the NPUs, empty where there is none."""
    ascend = next((name for name in devices if is_ascend(name)), "")
    return ascend or next((name for name in NPUS if name in devices), "")


def adapters(devices: Mapping[str, int], networks: Mapping[str, Any]) -> list[str]:
    """The resources of adapters, those of secondary ``networks`` first."""
    found = [name for name in devices if name in networks]
    return [*found, *[name for name in devices if name not in found and (is_adapter(name) or _is_function(name))]]


def _is_function(name: str) -> bool:
    """Whether a name is that of SR-IOV functions."""
    return not {"sriov", "vf", "vfs"}.isdisjoint(names_of(name))


def link(resource: str) -> str:
    """What the adapters speak, as far as the name says so; empty: it does not."""
    parts = names_of(resource)
    if resource == EFA:
        return "efa"
    return "roce" if "roce" in parts else "infiniband" if "ib" in parts or "infiniband" in parts else ""


def is_shared(resource: str, units: int, gpus: int) -> bool:
    """Whether units stand for no adapter each, as those of the shared device plugin."""
    if not resource.startswith("rdma/"):
        return False
    return units > MOST_ADAPTERS or units == 1 or bool(gpus and units % gpus and gpus % units)
