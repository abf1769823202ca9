"""The objects beside a job, the same for every kind: volumes, claims, a compute domain, its files, objects as given.

Fields as of Kubernetes 1.36 (pkg/apis/core/validation): a claim is bound to a volume that it names only if the two
agree in class and access.
"""

from __future__ import annotations

from specgen.diagnostics.model import Place
from specgen.manifest.build import Build
from specgen.manifest.model import Manifest, reference
from specgen.manifest.origins import Copied, Origins
from specgen.operators.kubernetes.objects import is_namespaced
from specgen.profile.codes import SAME_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.origins import Sourced
    from specgen.plan.model import Plan
    from specgen.plan.objects import Carried, Claim, Domain, Given


def extra_objects(plan: Plan) -> list[Manifest]:
    """In apply order: volumes before their claims, the domain, the files, then what the profile names or holds."""
    objects = plan.objects
    if objects is None:
        return []
    manifests = [_volume(plan, claim, claim.volume) for claim in objects.claims if claim.volume is not None]
    manifests += [_claim(plan, claim) for claim in objects.claims]
    if objects.domain is not None:
        manifests.append(_compute_domain(plan, objects.domain))
    if objects.carried is not None:
        manifests.append(_config_map(plan, objects.carried))
    return manifests + [_given(plan, one) for one in objects.given]


def _given(plan: Plan, one: Given) -> Manifest:
    """An object as somebody wrote it; in the job's namespace where it lies in one and says none."""
    origins = Copied(one.document, one.path, one.reason)
    metadata, said = one.tree["metadata"], plan.namespace
    if said is None or metadata.get("namespace") is not None or not is_namespaced(reference(one.tree)):
        return Manifest(one.tree, origins)
    origins.note(("metadata", "namespace"), said.place, "`metadata.namespace` of the job: the object says none")
    placed = {"name": metadata["name"], "namespace": said.value}
    return Manifest({**one.tree, "metadata": {**placed, **metadata, "namespace": said.value}}, origins)


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


def _start(plan: Plan, kind: str, place: Place | None, reason: str) -> Build:
    build = Build(Origins(plan.document))
    build.put("apiVersion", "v1", place, reason)
    build.put("kind", kind, place, reason)
    return build


def _metadata(plan: Plan, build: Build, *, namespaced: bool) -> Build:
    """The job's namespace and labels; the name stands already."""
    metadata = build.within("metadata")
    if namespaced and plan.namespace is not None:
        said = plan.namespace
        metadata.put("namespace", said.value, said.place, "`metadata.namespace`, as the job has it")
    for name, said in plan.labels.items():
        reason = "`metadata.labels` go on what specgen makes beside the job"
        metadata.within("labels").put(name, said.value, said.place, reason)
    return build


def _of_claim(plan: Plan, kind: str, claim: Claim, place: Place | None, reason: str, *, namespaced: bool) -> Build:
    """A claim or its volume with its metadata."""
    build = _start(plan, kind, place, reason)
    build.within("metadata").say("name", claim.name)
    _metadata(plan, build, namespaced=namespaced)
    for name, said in claim.labels.items():
        build.within("metadata").within("labels").say(name, said)
    return build


def _volume(plan: Plan, claim: Claim, fields: dict[str, Sourced]) -> Manifest:
    build = _of_claim(plan, "PersistentVolume", claim, claim.volume_place, "`create.volume`", namespaced=False)
    spec = build.within("spec")
    spec.within("capacity").say("storage", claim.size)
    spec.put("accessModes", [claim.access.value], claim.access.place, claim.access.reason)
    if claim.class_ is not None:
        spec.say("storageClassName", claim.class_)
    for key, said in fields.items():
        spec.say(key, said)
    return Manifest(build.tree, build.origins)


def _claim(plan: Plan, claim: Claim) -> Manifest:
    build = _of_claim(plan, "PersistentVolumeClaim", claim, claim.place, "`create`", namespaced=True)
    spec = build.within("spec")
    spec.put("accessModes", [claim.access.value], claim.access.place, claim.access.reason)
    spec.within("resources").within("requests").say("storage", claim.size)
    if claim.class_ is not None:
        spec.say("storageClassName", claim.class_)
    if claim.volume is not None:
        spec.put("volumeName", claim.name.value, claim.volume_place, "the volume that is made for this claim")
    return Manifest(build.tree, build.origins)


def _compute_domain(plan: Plan, domain: Domain) -> Manifest:
    """The domain, from which NVIDIA's driver makes a claim template for its channels."""
    from specgen.plan.claims import channel_template  # loaded already where there is a domain

    said = domain.name
    build = Build(Origins(plan.document))
    build.put("apiVersion", "resource.nvidia.com/v1beta1", said.place, said.reason)
    build.put("kind", "ComputeDomain", said.place, said.reason)
    build.within("metadata").put("name", said.value, plan.named.place, "the job's name")
    _metadata(plan, build, namespaced=True)
    spec = build.within("spec")
    spec.say("numNodes", domain.nodes)
    template = spec.within("channel").within("resourceClaimTemplate")
    template.put("name", channel_template(plan.name), said.place, "the driver makes this template, which the pods name")
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
