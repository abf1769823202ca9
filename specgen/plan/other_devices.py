"""GPUs and NPUs that a pod asks for by other than their words: by the resource's own name, or by a claim.

A claim is counted by the template that the job carries among its ``objects``, or by
the pool that hands it out; of any other nobody knows here what it brings.
"""

from __future__ import annotations

from specgen.devices import HCA_PARTS, names_of, word_of
from specgen.manifest.origins import Sourced
from specgen.plan.model import Asked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from specgen.diagnostics.model import Place
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.resources import Resources
    from specgen.source import Path

# Parts of the names of device classes: whoever sets up the driver chooses the names, which begin with these
# (kubernetes-sigs/dra-driver-nvidia-gpu 25.8, ROCm/k8s-gpu-dra-driver, intel-resource-drivers-for-kubernetes).
_COMPUTING = {"gpu": "gpu", "npu": "npu", "tpu": "npu", "neuron": "npu", "gaudi": "npu"}
_APART = frozenset(("nic", "nics", "dranet", "sriov", "efa", "mrdma", "channel", "channels"))


def other_devices(job: ResolvedJob, resources: Resources, place: Callable[[Path], Place]) -> Asked:
    """What resources without ``gpu`` and ``npu`` ask for; ``place`` gives where a path of them is written."""
    return _others(job, resources, place) or _claims(job, resources, place)


def _others(job: ResolvedJob, resources: Resources, place: Callable[[Path], Place]) -> Asked | None:
    """Those that a resource's own name asks for: a pool says what it is, and else the name."""
    pools = job.cluster.pools.values()
    known = {pool.gpu.resource: "gpu" for pool in pools if pool.gpu is not None}
    known |= {pool.npu.resource: "npu" for pool in pools if pool.npu is not None}
    for name, count in resources.other.items():
        word = known.get(name) or word_of(name)
        if count and word in ("gpu", "npu"):
            said = Sourced(count, place(("resources", "other", name)), f"`resources.other` of `{name}`")
            return Asked(count, 0, said) if word == "gpu" else Asked(0, count, said)
    return None


def _claims(job: ResolvedJob, resources: Resources, place: Callable[[Path], Place]) -> Asked:
    """Those of the job's own claims together."""
    found = Asked()
    for name, claim in resources.claims.items():
        at = place(("resources", "claims", name))
        counts = _of_template(job, claim.template) if claim.template is not None else None
        if counts is None:
            found.unread = found.unread or Sourced(claim.template or claim.claim, at, name)
            continue
        found.gpu += counts.get("gpu", 0)
        found.npu += counts.get("npu", 0)
        if found.amount and found.said is None:
            found.said = Sourced(found.amount, at, f"`resources.claims` of `{name}`")
    if found.said is not None:
        found.said = Sourced(found.amount, found.said.place, found.said.reason)
    return found


def _of_template(job: ResolvedJob, template: str) -> dict[str, int] | None:
    """Word → devices that a claim of the template brings; None: that is not known."""
    for pool in job.cluster.pools.values():
        if pool.gpu is not None and pool.gpu.claim == template:
            return {"gpu": pool.gpu.per_node} if pool.gpu.per_node else None
    trees = [tree for tree in _carried(job) if tree.get("kind") == "ResourceClaimTemplate"]
    for tree in trees:
        metadata = tree.get("metadata")
        if isinstance(metadata, dict) and metadata.get("name") == template:
            return _requested(job, tree)
    return None


def _carried(job: ResolvedJob) -> Iterator[dict[str, Any]]:
    """The objects beside the job. What is wrong with them is said where they are taken (``extra_objects``)."""
    for index, entry in enumerate(job.layers.data.get("objects") or ()):
        if isinstance(entry, dict):
            yield entry
            continue
        documents, _ = job.library.objects(entry, job.layers.origin(("objects", index)).document)
        for document in documents:
            if isinstance(document.data, dict):
                yield document.data


def _requested(job: ResolvedJob, tree: dict[str, Any]) -> dict[str, int] | None:
    """Word → devices of a template (Kubernetes 1.34, resource/v1, DeviceRequest; before v1 without ``exactly``).

    Of a request that takes the first of several, these must be alike.
    """
    spec: Any = tree
    for step in ("spec", "spec", "devices", "requests"):
        spec = spec.get(step) if isinstance(spec, dict) else None
    counts: dict[str, int] = {}
    for request in spec if isinstance(spec, list) else ():
        if not isinstance(request, dict):
            return None
        first, exact = request.get("firstAvailable"), request.get("exactly")
        parts = first if isinstance(first, list) and first else [exact if isinstance(exact, dict) else request]
        found = {_part(job, part) if isinstance(part, dict) else None for part in parts}
        one = found.pop()
        if found or one is None:
            return None
        word, count = one
        counts[word] = counts.get(word, 0) + count
    return counts or None


def _part(job: ResolvedJob, part: dict[str, Any]) -> tuple[str, int] | None:
    """The word and number of the devices of a request; None: nobody knows. No word: they compute nothing."""
    name, count = part.get("deviceClassName"), part.get("count", 1)
    if part.get("adminAccess") is True:
        return "", 0
    if not isinstance(name, str) or type(count) is not int or count < 1:
        return None
    pools = job.cluster.pools.values()
    parts = names_of(name)
    of = ["gpu" for pool in pools if pool.gpu is not None and pool.gpu.device_class == name]
    of = of or [_COMPUTING[one] for one in parts if one in _COMPUTING]
    if not of:
        adapter = any(pool.hca is not None and pool.hca.device_class == name for pool in pools)
        return ("", 0) if adapter or not (HCA_PARTS | _APART).isdisjoint(parts) else None
    return (of[0], count) if part.get("allocationMode", "ExactCount") == "ExactCount" else None
