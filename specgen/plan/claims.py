"""Resource claims of a pod: its devices where the pool hands them out so, the job's own, an NVLink domain's channel.

A claim stands twice in a pod: its source among the pod's ``resourceClaims``, its name in the container that uses it
(Kubernetes 1.34, resource.k8s.io/v1). Loaded for jobs that have one.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, plural
from specgen.manifest.origins import Sourced
from specgen.operators.release import at_least, spelled
from specgen.plan.capacity import one_a_node
from specgen.plan.codes import NVLINK_UNKNOWN
from specgen.plan.objects import Domain
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.draft import JobDraft, RoleDraft
    from specgen.plan.model import World
    from specgen.profile.cluster import Gpu, Hca
    from specgen.profile.resources import Claim

# The version of Kubernetes whose pods name a claim's template without a `source` around it (core/v1, types.go).
_SINCE = (1, 31)
# The driver of compute domains that no longer waits for a number of nodes.
_COUNTS = (25, 8)
# The pod's name for its channel, as the examples of the driver have it.
CHANNEL = "compute-domain-channel"


def device_claim(role: RoleDraft, word: str, device: Gpu | Hca, count: int) -> list[Finding]:
    """The pool's claim template as a claim of the pod. Equal names of GPUs and HCAs are one claim for both.

    The template fixes how many devices come with it, and the pool says that these are all of a node.
    """
    devices, profile = role.devices, role.profile
    place = profile.place(("resources", word))
    name = str(device.claim)
    where = profile.job.cluster_place(("pools", devices.pool_name or "", word, "claim"))
    if word == "gpu" and device.resource is not None:
        message = f"`claim: {name}` contradicts `resource: {device.resource}`: GPUs are asked for in one way"
        other = profile.job.cluster_place(("pools", devices.pool_name or "", word, "resource"))
        return [codes.CONTRADICTION.at(where, message, related=[(other, "the other way"), (place, "asked for here")])]
    if device.per_node is not None and count != device.per_node:
        noun = word.upper()
        verb = "contradicts" if count == 1 else "contradict"
        message = f"{plural(count, noun)} {verb} the claim `{name}`, which is {plural(device.per_node, noun)}"
        notes = [f"the template of a claim fixes the number, and the pool says {device.per_node} a node"]
        return [codes.CONTRADICTION.at(place, message, related=[(where, "the claim")], notes=notes)]
    reason = f"`resources.{word}`, handed out by the pool's claim template"
    # the pod's own name of it is a DNS label
    return _claim(role, name.replace(".", "-")[:63], {"resourceClaimTemplateName": name}, place, reason)


def job_claims(role: RoleDraft, world: World) -> list[Finding]:
    """The claims that the job names, and the channel of its NVLink domain."""
    profile = role.profile
    findings: list[Finding] = []
    for name, claim in profile.words.resources.claims.items():
        findings += own_claim(role, name, claim, profile.place(("resources", "claims", name), KEY))
    if profile.job.job.communication.nvlink and role.devices.gpu:
        findings += _channel(role)
    return findings


def own_claim(role: RoleDraft, name: str, claim: Claim, place: Place) -> list[Finding]:
    """A claim of the pod that somebody names: from a template, one for each pod, or one that all pods share."""
    if (claim.template is None) == (claim.claim is None):
        found = "has both `template` and `claim`" if claim.claim is not None else "has neither `template` nor `claim`"
        return [codes.CONTRADICTION.at(place, f"the resource claim `{name}` {found}")]
    if claim.template is not None:
        return _claim(role, name, {"resourceClaimTemplateName": claim.template}, place, "`resources.claims`")
    return _claim(role, name, {"resourceClaimName": claim.claim}, place, "`resources.claims`")


def _claim(role: RoleDraft, name: str, source: dict[str, str | None], place: Place, reason: str) -> list[Finding]:
    job = role.profile.job
    version = job.cluster.kubernetes
    if version is not None and not at_least(version, _SINCE):
        message = f"the resource claim `{name}` contradicts Kubernetes {version}, whose pods have no such claims"
        since = spelled(_SINCE)
        notes = [f"pods name them in this form since {since}; an older API server drops what it does not know"]
        related = [(job.cluster_place(("kubernetes",)), f"Kubernetes {version}")]
        return [codes.CONTRADICTION.at(place, message, related=related, notes=notes)]
    said = role.devices.claims.setdefault(name, Sourced(source, place, reason))
    if said.value == source:
        return []
    related = [(said.place, said.reason.replace("`", ""))] if said.place is not None else []
    return [codes.CONTRADICTION.at(place, f"the pod has two claims `{name}`", related=related)]


def _channel(role: RoleDraft) -> list[Finding]:
    """The claim of a channel. SG532 where no pool says that NVLink spans its nodes: there is no other way to say it."""
    job, pool = role.profile.job, role.devices.pool
    place = job.place(("communication", "nvlink"))
    reason = "`communication.nvlink`: a channel of the job's compute domain"
    findings = _claim(role, CHANNEL, {"resourceClaimTemplateName": channel_template(job.called)}, place, reason)
    if pool is not None and pool.fabric.nvlink is not None:
        return findings
    message, related = "no pool says how NVLink spans the nodes of the job", []
    if pool is not None:
        message = f"the pool `{role.devices.pool_name}` does not say how NVLink spans its nodes"
        related = [(job.cluster_place(("pools", role.devices.pool_name or ""), KEY), "the GPUs are here")]
    notes = ["the pods wait for ever where there is no driver for compute domains"]
    helps = ["`fabric: {nvlink: compute-domain}` in the pool says that there is one"]
    findings.append(NVLINK_UNKNOWN.at(place, message, related=related, notes=notes, helps=helps))
    return findings


def channel_template(job: str) -> str:
    """The claim template that the driver makes for the job's compute domain."""
    return f"{job}-channel"


def domain(draft: JobDraft) -> tuple[Domain | None, list[Finding]]:
    """The compute domain of a job with ``nvlink``. Findings: no role has a GPU, nodes that nobody can count."""
    job, roles = draft.job, draft.roles
    if not job.job.communication.nvlink:
        return None, []
    place = job.place(("communication", "nvlink"))
    if not any(role.devices.gpu for role in roles):
        return None, [codes.CONTRADICTION.at(place, "`nvlink: true` contradicts a job whose pods have no GPU")]
    reason = "`communication.nvlink`: the pods share memory over NVLink within one compute domain"
    nodes, findings = _nodes(draft, [role for role in roles if role.devices.gpu])
    return Domain(Sourced(job.called, place, reason), nodes), findings


def _nodes(draft: JobDraft, roles: list[RoleDraft]) -> tuple[Sourced, list[Finding]]:
    """The nodes that the driver waits for. SG207 where it must be told, and pods are no measure of nodes.

    A number gates the driver before 25.8 alone; newer ones recommend zero (kubernetes-sigs/dra-driver-nvidia-gpu 25.8,
    api/nvidia.com/resource/v1beta1/computedomain.go, ``NumNodes``).
    """
    place = draft.job.place(("communication", "nvlink"))
    pool, name = roles[0].devices.pool, roles[0].devices.pool_name or ""
    said = pool.fabric.nvlink if pool is not None else None
    if said is None or isinstance(said, str) or at_least(said.driver, _COUNTS):
        return Sourced(0, place, "the driver counts the nodes as pods arrive there"), []
    where = draft.job.cluster_place(("pools", name, "fabric", "nvlink", "driver"))
    pods = sum(int(role.replicas.value) for role in roles)
    reason = f"a node for each pod with GPUs: the driver {said.driver} waits for all of them"
    if draft.world.fixed and all(_alone(draft, role) for role in roles):
        return Sourced(pods, where, reason), []
    message = f"the driver {said.driver} must know how many nodes NVLink spans, and nobody can tell from the pods"
    helps = ["pods that take all GPUs of their node have one each, and so have those with `spread: host`"]
    return Sourced(pods, where, reason), [
        codes.CONTRADICTION.at(place, message, related=[(where, "this version")], helps=helps)
    ]


def _alone(draft: JobDraft, role: RoleDraft) -> bool:
    """Whether every pod of a role has a node for itself."""
    pool = role.devices.pool
    whole = pool is not None and pool.gpu is not None and pool.gpu.per_node == role.devices.gpu
    return whole or bool(one_a_node(draft, role)) or role.profile.words.scheduling.spread == "host"
