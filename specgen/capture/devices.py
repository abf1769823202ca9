"""Which resource of a node is a GPU, an NPU, or a network adapter, and how the adapters reach a pod.

Names: NVIDIA/k8s-device-plugin 0.20 (README), ROCm/k8s-device-plugin, intel/intel-device-plugins-for-kubernetes 0.34
(gpu_plugin), Ascend/ascend-device-plugin, aws-neuron (k8s-neuron-device-plugin), google.com/tpu of GKE,
habana.ai/gaudi of the Gaudi device plugin, Cambricon, Enflame and MetaX device plugins; adapters by the parts of their
names, since those are free (Mellanox/k8s-rdma-shared-dev-plugin, whose prefix is ``rdma`` by default;
k8snetworkplumbingwg/sriov-network-device-plugin 3.11).
"""

from __future__ import annotations

from specgen.capture.objects import MOST
from specgen.operators.kubernetes.resources import EFA, is_adapter, is_extended, names_of
from specgen.quantity import NANO, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# In this order: of several on one node the first is meant.
_GPUS = ("nvidia.com/gpu", "amd.com/gpu", "nvidia.com/gpu.shared", "gpu.intel.com/xe", "gpu.intel.com/i915")
_GPU_ENDS = ("/gpu", "/dcu")
_NPUS = ("google.com/tpu", "habana.ai/gaudi", "aws.amazon.com/neuron", "cambricon.com/mlu", "enflame.com/gcu")
_ASCEND = "huawei.com/ascend"
# A part of a GPU: no word asks for one, a job's `resources: {other: …}` does.
_MIG = "nvidia.com/mig-"
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
    known = next((name for name in _GPUS if name in devices), "")
    return known or next((name for name in devices if name.endswith(_GPU_ENDS)), "")


def npu(devices: Mapping[str, int]) -> str:
    """The resource of the NPUs, empty where there is none."""
    ascend = next((name for name in devices if name.lower().startswith(_ASCEND)), "")
    return ascend or next((name for name in _NPUS if name in devices), "")


def is_hccl(resource: str) -> bool:
    """Whether the library of an NPU is HCCL."""
    return resource.lower().startswith(_ASCEND)


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


def is_part(resource: str) -> bool:
    """Whether a resource is a part of a GPU."""
    return resource.startswith(_MIG)
