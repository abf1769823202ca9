"""Objects beside the job: claims that mounts ask for, an NVLink domain, objects that the profile names or holds.

Files that the job carries are in ``carried``. Nothing is written here: ``lower.extra_objects`` does that for all
kinds.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, Place, has_errors, listed
from specgen.document import codes as document_codes
from specgen.manifest.origins import Sourced
from specgen.plan.images import mirrored_in
from specgen.plan.objects import Claim, ExtraObjects, Given
from specgen.profile import codes
from specgen.profile.library import unusable
from specgen.schema import codes as schema_codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Document
    from specgen.plan.draft import JobDraft, RoleDraft
    from specgen.plan.objects import Carried, Domain
    from specgen.profile.mount import Mount, VolumeCreate
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.roles import RoleProfile
    from specgen.source import Path

# Fields of a PersistentVolume that `create` has words for.
_SAID = {"capacity": "size", "accessModes": "access", "storageClassName": "class"}


def plan_extra_objects(draft: JobDraft, carried: Carried | None) -> tuple[ExtraObjects | None, list[Finding]]:
    """What stands beside the job, None if nothing does."""
    job, roles = draft.job, draft.roles
    claims, findings = _claims(roles)
    domain: Domain | None = None
    if job.job.communication.nvlink:
        from specgen.plan.claims import domain as domain_of  # few jobs span NVLink over pods

        domain, wrong = domain_of(draft)
        findings += wrong
    given: list[Given] = []
    for index, entry in enumerate(job.layers.data.get("objects") or ()):
        found, wrong = _given(job, index, entry)
        given += found
        findings += wrong
    for one in given:
        tree = mirrored_in(one.tree, draft.mirrors, met=draft.pulled)
        if tree is not one.tree:
            one.tree, one.reason = tree, f"{one.reason}, its images from the mirrors of the cluster profile"
    if not claims and not given and carried is None and domain is None:
        return None, findings
    return ExtraObjects(claims, carried, given, domain), findings


def _claims(roles: list[RoleDraft]) -> tuple[list[Claim], list[Finding]]:
    """Each claim once, however many roles and containers mount it."""
    claims: dict[str, tuple[Claim, Any]] = {}
    findings: list[Finding] = []
    for profile, path, mount in _mounts(roles):
        if mount.create is None or mount.pvc is None:
            continue
        data: Any = profile.data
        for step in (*path, "create"):
            data = data[step]
        if mount.pvc not in claims:
            claim = _claim(mount.pvc, mount.create, profile, path, data)
            claims[mount.pvc] = claim, data
            findings += _volume(claim)
        elif claims[mount.pvc][1] != data:
            message = f"the claim `{mount.pvc}` is described twice, and differently"
            related = [(place, "the first description")] if (place := claims[mount.pvc][0].place) is not None else []
            findings.append(codes.CONTRADICTION.at(profile.place((*path, "create"), KEY), message, related=related))
    for claim, _ in claims.values():
        findings += _access(claim, roles)
    return [claim for claim, _ in claims.values()], findings


def _claim(name: str, create: VolumeCreate, profile: RoleProfile, path: Path, data: dict[str, Any]) -> Claim:
    def place(*below: str, part: str = "value") -> Place:
        return profile.place((*path, "create", *below), part)

    size = Sourced(create.size, place("size"), "`create.size`")
    access = Sourced(create.access, None, "pods on several nodes mount the claim: a default of the language")
    if "access" in data:
        access = Sourced(create.access, place("access"), "`create.access`")
    named = Sourced(name, profile.place((*path, "pvc")), "`pvc` names the claim that `create` makes")
    claim = Claim(named, place(part=KEY), size, access)
    for label, value in create.labels.items():
        claim.labels[label] = Sourced(value, place("labels", label), "`create.labels`")
    if create.volume is not None:
        claim.volume_place = place("volume", part=KEY)
        claim.volume = {
            key: Sourced(value, place("volume", key, part=KEY), "`create.volume`")
            for key, value in data["volume"].items()
        }
    if create.class_ is not None:
        claim.class_ = Sourced(create.class_, place("class"), "`create.class`")
    elif create.volume is not None:
        reason = (
            "no class: the cluster's default one would be written into the claim, which then never meets its volume"
        )
        claim.class_ = Sourced("", claim.volume_place, reason)
    return claim


def _access(claim: Claim, roles: list[RoleDraft]) -> list[Finding]:
    """SG207: more pods than may mount the claim; a warning where it is of one node, which they may share."""
    access, place = claim.access.value, claim.access.place
    if place is None or not access.startswith("ReadWriteOnce"):
        return []
    users = [role for role in roles if any(mount.pvc == claim.name.value for _, _, mount in _mounts([role]))]
    pods = sum(int(role.replicas.value) for role in users)
    if pods < 2 or (
        access == "ReadWriteOnce" and all(role.profile.words.scheduling.within == "host" for role in users)
    ):
        return []
    one = "pod" if access == "ReadWriteOncePod" else "node"
    who = "one pod" if one == "pod" else "the pods of one node"
    message = f"`access: {access}` lets {who} mount the claim, and {pods} pods mount it"
    notes = ["a pod that may not mount it does not start, and the others wait for it"]
    helps = ["`access: ReadWriteMany`, where the storage class has it"]
    if one == "node":
        helps.append("`scheduling: {within: host}` puts all pods on one node")
    severity = ERROR if one == "pod" else WARNING
    return [codes.CONTRADICTION.at(place, message, notes=notes, helps=helps, severity=severity)]


def _mounts(roles: list[RoleDraft]) -> Iterator[tuple[RoleProfile, Path, Mount]]:
    """Every mount that the job's roles and the containers beside their programs list."""
    seen: list[RoleProfile] = []
    for role in roles:
        profile = role.profile
        if any(profile is other for other in seen):
            continue
        seen.append(profile)
        for path, mount in profile.words.mounts.items():
            yield profile, ("mounts", path), mount
        for group, containers in (("init", profile.words.init), ("sidecars", profile.words.sidecars)):
            for name, container in containers.items():
                for path, mount in (container.mounts or {}).items():
                    yield profile, (group, name, "mounts", path), mount


def _volume(claim: Claim) -> list[Finding]:
    """SG207 where the volume's source says what ``create`` has a word for, or where it names no source."""
    volume = claim.volume
    if volume is None or claim.volume_place is None:
        return []
    findings = []
    for field, word in _SAID.items():
        if field in volume:
            message = f"`{field}` in `volume` contradicts `create`, whose word for it is `{word}`"
            findings.append(codes.CONTRADICTION.at(volume[field].place or claim.volume_place, message))
    if not any(isinstance(said.value, dict) and field != "nodeAffinity" for field, said in volume.items()):
        helps = ["write one, such as `hostPath: {path: /data}`, `nfs`, or `csi`"]
        message = f"the volume of the claim `{claim.name.value}` has no source"
        findings.append(codes.CONTRADICTION.at(claim.volume_place, message, helps=helps))
    return findings


def _given(job: ResolvedJob, index: int, entry: Any) -> tuple[list[Given], list[Finding]]:
    """One entry of ``objects``: itself, or every object of the file that it names."""
    at = job.layers.origin(("objects", index))
    place = Place(at.path, where=at.document)
    if isinstance(entry, dict):
        findings = _incomplete(entry, at.document, at.path, (at.path, KEY))
        return ([] if findings else [Given(entry, at.document, at.path, "`objects`")]), findings
    documents, problems = job.library.objects(entry, at.document)
    findings = []
    for problem in problems:
        if problem.code is codes.BROKEN_REFERENCE:
            problem = unusable(entry, place, problem)
        findings.append(problem)
    if has_errors(findings):
        return [], findings
    given = []
    for document in documents:
        if document.data is None:
            continue
        if not isinstance(document.data, dict):
            kind = "list" if isinstance(document.data, list) else "scalar"
            message = f"the document is a {kind}, a Kubernetes object is a mapping"
            findings.append(document_codes.NOT_A_MAPPING.at(Place((), where=document), message))
            continue
        found = _incomplete(document.data, document, (), ((next(iter(document.data), ""),), KEY))
        findings += found
        if not found:
            given.append(Given(document.data, document, (), "`objects`"))
    if not given and not findings:
        findings.append(codes.BROKEN_REFERENCE.at(place, f"`{entry}`: it holds no object"))
    return given, findings


def _incomplete(tree: dict[str, Any], document: Document, path: Path, whole: tuple[Path, str]) -> list[Finding]:
    """SG102 and SG103: an object without what identifies it. ``whole``: where to point if a field is absent."""
    missing: list[str] = []
    findings: list[Finding] = []
    for steps in (("apiVersion",), ("kind",), ("metadata", "name")):
        value: Any = tree
        for step in steps:
            value = value.get(step) if isinstance(value, dict) else None
        name = ".".join(steps)
        if value is None:
            missing.append(name)
        elif not isinstance(value, str) or not value:
            message = f"`{name}` of an object is a text that is not empty"
            findings.append(schema_codes.WRONG_TYPE.at(Place((*path, *steps), where=document), message))
    if missing:
        notes = ["kustomize and the API server tell objects apart by these fields"]
        message = f"the object lacks {listed(missing)}"
        findings.append(schema_codes.MISSING_FIELD.at(Place(*whole, where=document), message, notes=notes))
    return findings
