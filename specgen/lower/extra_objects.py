"""The objects beside a job, the same for every kind: volumes, claims, a compute domain, its files, objects as given.

Fields as of Kubernetes 1.36 (pkg/apis/core/validation): a claim is bound to a volume that it names only if the two
agree in class and access.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place
from specgen.manifest.build import Build
from specgen.manifest.model import Manifest
from specgen.manifest.origins import Copied, Origins
from specgen.plan.images import mirrored_in
from specgen.profile.codes import SAME_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.plan.carried import Carried
    from specgen.plan.companions import Claim
    from specgen.plan.model import Plan, Said


def companions(plan: Plan) -> list[Manifest]:
    """In apply order: volumes before their claims, the domain, the files, then what the profile names or holds."""
    beside = plan.companions
    if beside is None:
        return []
    manifests = [_volume(plan, claim) for claim in beside.claims if claim.create.volume is not None]
    manifests += [_claim(plan, claim) for claim in beside.claims]
    if beside.domain is not None:
        manifests.append(_compute_domain(plan, beside.domain))
    if beside.carried is not None:
        manifests.append(_config_map(plan, beside.carried))
    for given in beside.given:
        tree = mirrored_in(given.tree, plan.job.cluster)
        reason = "`objects`" if tree is given.tree else "`objects`, its images from the mirrors of the cluster profile"
        manifests.append(Manifest(tree, Copied(given.document, given.path, reason)))
    return manifests


def doubled(manifests: list[Manifest]) -> list[Finding]:
    """SG213: two objects of one bundle that are the same to the API server."""
    findings = []
    seen: dict[tuple[str, str, str, str], Manifest] = {}
    for manifest in manifests:
        ref = manifest.ref
        key = (ref.api_version, ref.kind, ref.namespace or "", ref.name)
        other = seen.setdefault(key, manifest)
        if other is not manifest:
            place = Place(("metadata", "name"), where=manifest.where)
            related = [(Place(("metadata", "name"), where=other.where), "the other one")]
            message = f"the job comes with the {ref.kind} `{ref.name}` twice"
            findings.append(SAME_NAME.at(place, message, related=related))
    return findings


def _start(plan: Plan, kind: str, place: Place, reason: str) -> Build:
    build = Build(Origins(plan.job.document))
    build.put("apiVersion", "v1", place, reason)
    build.put("kind", kind, place, reason)
    return build


def _metadata(plan: Plan, build: Build, *, namespaced: bool) -> Build:
    """The job's namespace and labels; the name stands already."""
    job = plan.job
    written = job.layers.data["metadata"]
    metadata = build.within("metadata")
    if namespaced and "namespace" in written:
        place = job.place(("metadata", "namespace"))
        metadata.put("namespace", written["namespace"], place, "`metadata.namespace`, as the job has it")
    for name, value in (written.get("labels") or {}).items():
        place = job.place(("metadata", "labels", name))
        metadata.within("labels").put(name, value, place, "`metadata.labels` go on what specgen makes beside the job")
    return metadata


def _claim_metadata(plan: Plan, claim: Claim, build: Build, *, namespaced: bool) -> None:
    build.within("metadata").put("name", claim.name, claim.named, "`pvc` names the claim that `create` makes")
    metadata = _metadata(plan, build, namespaced=namespaced)
    for name, value in claim.create.labels.items():
        metadata.within("labels").put(name, value, claim.place("labels", name), "`create.labels`")


def _class(claim: Claim) -> tuple[str, Place, str] | None:
    """The class that is written; a volume made for one claim has the empty one where none is said."""
    if claim.create.class_ is not None:
        return claim.create.class_, claim.place("class"), "`create.class`"
    if claim.create.volume is None:
        return None
    reason = "no class: the cluster's default one would be written into the claim, which then never meets its volume"
    return "", claim.place("volume", part=KEY), reason


def _access(claim: Claim) -> tuple[Place | None, str]:
    if "access" in claim.data:
        return claim.place("access"), "`create.access`"
    return None, "pods on several nodes mount the claim: a default of the language"


def _volume(plan: Plan, claim: Claim) -> Manifest:
    build = _start(plan, "PersistentVolume", claim.place("volume", part=KEY), "`create.volume`")
    _claim_metadata(plan, claim, build, namespaced=False)
    spec = build.within("spec")
    spec.within("capacity").put("storage", claim.create.size, claim.place("size"), "`create.size`")
    place, reason = _access(claim)
    spec.put("accessModes", [claim.create.access], place, reason)
    named = _class(claim)
    if named is not None:
        spec.put("storageClassName", *named)
    volume: dict[str, Any] = claim.data["volume"]
    for key, value in volume.items():
        spec.put(key, value, claim.place("volume", key, part=KEY), "`create.volume`")
    return Manifest(build.tree, build.origins)


def _claim(plan: Plan, claim: Claim) -> Manifest:
    build = _start(plan, "PersistentVolumeClaim", claim.place(part=KEY), "`create`")
    _claim_metadata(plan, claim, build, namespaced=True)
    spec = build.within("spec")
    place, reason = _access(claim)
    spec.put("accessModes", [claim.create.access], place, reason)
    requests = spec.within("resources").within("requests")
    requests.put("storage", claim.create.size, claim.place("size"), "`create.size`")
    named = _class(claim)
    if named is not None:
        spec.put("storageClassName", *named)
    if claim.create.volume is not None:
        spec.put("volumeName", claim.name, claim.place("volume", part=KEY), "the volume that is made for this claim")
    return Manifest(build.tree, build.origins)


def _compute_domain(plan: Plan, said: Said) -> Manifest:
    """The domain, from which NVIDIA's driver makes a claim template for its channels.

    ``numNodes: 0`` leaves the number to the driver, which no longer waits for it: kubernetes-sigs/dra-driver-nvidia-gpu
    25.8, api/nvidia.com/resource/v1beta1/computedomain.go.
    """
    from specgen.plan.claims import channel_template  # loaded already where there is a domain

    build = Build(Origins(plan.job.document))
    build.put("apiVersion", "resource.nvidia.com/v1beta1", said.place, said.reason)
    build.put("kind", "ComputeDomain", said.place, said.reason)
    build.within("metadata").put("name", said.value, plan.job.place(("metadata", "name")), "the job's name")
    _metadata(plan, build, namespaced=True)
    spec = build.within("spec")
    spec.put("numNodes", 0, said.place, "the driver counts the nodes as pods arrive there")
    template = spec.within("channel").within("resourceClaimTemplate")
    template.put("name", channel_template(plan.job), said.place, "the driver makes this template, which the pods name")
    return Manifest(build.tree, build.origins)


def _config_map(plan: Plan, carried: Carried) -> Manifest:
    first = next(iter(carried.entries.values()))
    build = _start(plan, "ConfigMap", first.place, "`files`")
    reason = "the job's name, and the beginning of a hash over what the files hold"
    build.within("metadata").put("name", carried.name, first.place, reason)
    _metadata(plan, build, namespaced=True)
    for key, entry in carried.entries.items():
        try:
            build.within("data").put(key, entry.data.decode(), entry.place, entry.reason)
        except UnicodeDecodeError:
            # loaded here: few jobs carry bytes that are no text
            from binascii import b2a_base64

            text = b2a_base64(entry.data, newline=False).decode()
            build.within("binaryData").put(key, text, entry.place, f"{entry.reason}, which is not UTF-8")
    return Manifest(_ordered(build.tree), build.origins)


def _ordered(tree: dict[str, Any]) -> dict[str, Any]:
    """``data`` without its mapping where every file is binary: an attempt leaves an empty one behind."""
    return {key: value for key, value in tree.items() if value}
