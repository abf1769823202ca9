"""What a resource of a node is by its name: a GPU, an NPU, a network adapter, or a part of a GPU.

Names: NVIDIA/k8s-device-plugin 0.20 (README), ROCm/k8s-device-plugin, intel/intel-device-plugins-for-kubernetes 0.34
(gpu_plugin), Ascend/ascend-device-plugin, aws-neuron (k8s-neuron-device-plugin), google.com/tpu of GKE,
habana.ai/gaudi of the Gaudi device plugin, Cambricon, Enflame and MetaX device plugins; adapters by the parts of their
names, since those are free (Mellanox/k8s-rdma-shared-dev-plugin, whose prefix is ``rdma`` by default).
"""

from __future__ import annotations

# The resource that a job's `gpu` is where no cluster profile says another.
NVIDIA = "nvidia.com/gpu"
# In this order: of several on one node the first is meant.
GPUS = (NVIDIA, "amd.com/gpu", "nvidia.com/gpu.shared", "gpu.intel.com/xe", "gpu.intel.com/i915")
_GPU_ENDS = ("/gpu", "/dcu")
# A chip of which one process drives all that a host has (torch_xla's SPMD, JAX).
TPU = "google.com/tpu"
NPUS = (TPU, "habana.ai/gaudi", "aws.amazon.com/neuron", "cambricon.com/mlu", "enflame.com/gcu")
_ASCEND = "huawei.com/ascend"
# A part of a GPU: no word asks for one, a job's `resources: {other: …}` does.
_MIG = "nvidia.com/mig-"
# A turn on one that others have too, so that two of them may be of one GPU.
_TURNS = ".shared"
_NOT_IN_NAMES = "/._-"
# Parts of names that stand for a network adapter with verbs; the names themselves are free (facts/operators.md, 14.1).
EFA = "vpc.amazonaws.com/efa"
HCA_PARTS = frozenset(("rdma", "hca", "ib", "infiniband", "roce", "mlnx", "mellanox", "hostdev"))


def is_gpu(resource: str) -> bool:
    """Whether a resource is a GPU, be it a turn on one."""
    return resource in GPUS or resource.endswith(_GPU_ENDS)


def is_npu(resource: str) -> bool:
    """Whether a resource is an NPU."""
    return resource in NPUS or is_ascend(resource)


def is_ascend(resource: str) -> bool:
    """Whether a resource is an NPU of Ascend, whose library is HCCL."""
    return resource.lower().startswith(_ASCEND)


def is_part(resource: str) -> bool:
    """Whether a resource is a part of a GPU."""
    return resource.startswith(_MIG)


def is_turn(resource: str) -> bool:
    """Whether a resource is a turn on a GPU."""
    return resource.endswith(_TURNS)


def names_of(resource: str) -> list[str]:
    """The parts of a resource's or file's name: ``rdma/hca_shared_devices_a`` → rdma, hca, shared, devices, a."""
    out = resource.lower()
    for letter in _NOT_IN_NAMES:
        out = out.replace(letter, " ")
    return out.split()


def is_adapter(resource: str) -> bool:
    """Whether the name of a resource sounds like that of a network adapter, EFAs with them."""
    return not HCA_PARTS.isdisjoint(names_of(resource)) or resource == EFA


def word_of(resource: str) -> str:
    """The word of a profile that asks for a resource: gpu, npu, hca; empty: none does."""
    if is_turn(resource) or is_part(resource):
        return ""
    if is_gpu(resource):
        return "gpu"
    return "npu" if is_npu(resource) else "hca" if is_adapter(resource) else ""
