"""Objects beside the job: claims that mounts ask for, an NVLink domain, objects that the profile names or holds.

Files that the job carries are in ``carried``. Nothing is written here: ``backends._companions`` does that for all
kinds.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, Place, has_errors, listed
from specgen.document import codes as document_codes
from specgen.profile import codes
from specgen.schema import codes as schema_codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Document
    from specgen.plan.carried import Carried
    from specgen.plan.model import RolePlan, Said
    from specgen.profile.mount import Mount, VolumeCreate
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.roles import RoleWords
    from specgen.source import Path

# Fields of a PersistentVolume that `create` has words for.
_SAID = {"capacity": "size", "accessModes": "access", "storageClassName": "class"}


class Claim:
    """A claim that is made beside the job, with the words of ``create`` and where they stand."""

    __slots__ = ("_path", "_words", "create", "data", "name")

    def __init__(self, name: str, create: VolumeCreate, data: dict[str, Any], words: RoleWords, path: Path) -> None:
        self.name = name
        self.create = create
        self.data = data
        self._words = words
        self._path = path

    def place(self, *below: str, part: str = "value") -> Place:
        """Where a word of ``create`` was written."""
        return self._words.place((*self._path, "create", *below), part)

    @property
    def named(self) -> Place:
        """Where the claim's name was written."""
        return self._words.place((*self._path, "pvc"))


class Given:
    """An object as somebody wrote it: in a file of its own, or in the profile below ``path``."""

    __slots__ = ("document", "path", "tree")

    def __init__(self, tree: dict[str, Any], document: Document, path: Path) -> None:
        self.tree = tree
        self.document = document
        self.path = path


class Companions:
    """All of one job, each group in the order in which it was written. ``domain``: the name of its compute domain."""

    __slots__ = ("carried", "claims", "domain", "given")

    def __init__(self, claims: list[Claim], carried: Carried | None, given: list[Given], domain: Said | None) -> None:
        self.claims = claims
        self.carried = carried
        self.given = given
        self.domain = domain


def plan_companions(
    job: ResolvedJob, roles: list[RolePlan], carried: Carried | None
) -> tuple[Companions | None, list[Finding]]:
    """What stands beside the job, None if nothing does."""
    claims, findings = _claims(roles)
    domain: Said | None = None
    if job.job.communication.nvlink:
        from specgen.plan.claims import domain as domain_of  # few jobs span NVLink over pods

        domain, wrong = domain_of(job, roles)
        findings += wrong
    given: list[Given] = []
    for index, entry in enumerate(job.layers.data.get("objects") or ()):
        found, wrong = _given(job, index, entry)
        given += found
        findings += wrong
    if not claims and not given and carried is None and domain is None:
        return None, findings
    return Companions(claims, carried, given, domain), findings


def _claims(roles: list[RolePlan]) -> tuple[list[Claim], list[Finding]]:
    """Each claim once, however many roles and containers mount it."""
    claims: dict[str, Claim] = {}
    findings: list[Finding] = []
    for words, path, mount in _mounts(roles):
        if mount.create is None or mount.pvc is None:
            continue
        data: Any = words.data
        for step in (*path, "create"):
            data = data[step]
        claim = Claim(mount.pvc, mount.create, data, words, path)
        other = claims.setdefault(claim.name, claim)
        if other is claim:
            findings += _volume(claim)
        elif other.data != claim.data:
            message = f"the claim `{claim.name}` is described twice, and differently"
            related = [(other.place(part=KEY), "the first description")]
            findings.append(codes.CONTRADICTION.at(claim.place(part=KEY), message, related=related))
    for claim in claims.values():
        findings += _access(claim, roles)
    return list(claims.values()), findings


def _access(claim: Claim, roles: list[RolePlan]) -> list[Finding]:
    """SG207: more pods than may mount the claim; a warning where it is of one node, which they may share."""
    access = claim.create.access
    if not access.startswith("ReadWriteOnce"):
        return []
    users = [role for role in roles if any(mount.pvc == claim.name for _, _, mount in _mounts([role]))]
    pods = sum(int(role.replicas.value) for role in users)
    if pods < 2 or (access == "ReadWriteOnce" and all(role.words.words.scheduling.within == "host" for role in users)):
        return []
    one = "pod" if access == "ReadWriteOncePod" else "node"
    who = "one pod" if one == "pod" else "the pods of one node"
    message = f"`access: {access}` lets {who} mount the claim, and {pods} pods mount it"
    notes = ["a pod that may not mount it does not start, and the others wait for it"]
    helps = ["`access: ReadWriteMany`, where the storage class has it"]
    if one == "node":
        helps.append("`scheduling: {within: host}` puts all pods on one node")
    place, severity = claim.place("access"), ERROR if one == "pod" else WARNING
    return [codes.CONTRADICTION.at(place, message, notes=notes, helps=helps, severity=severity)]


def _mounts(roles: list[RolePlan]) -> Iterator[tuple[RoleWords, Path, Mount]]:
    """Every mount that the job's roles and the containers beside their programs list."""
    seen: list[RoleWords] = []
    for role in roles:
        words = role.words
        if any(words is other for other in seen):
            continue
        seen.append(words)
        for path, mount in words.words.mounts.items():
            yield words, ("mounts", path), mount
        for group, containers in (("init", words.words.init), ("sidecars", words.words.sidecars)):
            for name, container in containers.items():
                for path, mount in (container.mounts or {}).items():
                    yield words, (group, name, "mounts", path), mount


def _volume(claim: Claim) -> list[Finding]:
    """SG207 where the volume's source says what ``create`` has a word for, or where it names no source."""
    volume = claim.create.volume
    if volume is None:
        return []
    findings = []
    for field, word in _SAID.items():
        if field in volume:
            message = f"`{field}` in `volume` contradicts `create`, whose word for it is `{word}`"
            findings.append(codes.CONTRADICTION.at(claim.place("volume", field, part=KEY), message))
    if not any(isinstance(value, dict) and field != "nodeAffinity" for field, value in volume.items()):
        helps = ["write one, such as `hostPath: {path: /data}`, `nfs`, or `csi`"]
        place = claim.place("volume", part=KEY)
        findings.append(
            codes.CONTRADICTION.at(place, f"the volume of the claim `{claim.name}` has no source", helps=helps)
        )
    return findings


def _given(job: ResolvedJob, index: int, entry: Any) -> tuple[list[Given], list[Finding]]:
    """One entry of ``objects``: itself, or every object of the file that it names."""
    at = job.layers.origin(("objects", index))
    place = Place(at.path, where=at.document)
    if isinstance(entry, dict):
        findings = _incomplete(entry, at.document, at.path, (at.path, KEY))
        return ([] if findings else [Given(entry, at.document, at.path)]), findings
    documents, problems = job.library.objects(entry, at.document)
    findings = []
    for problem in problems:
        if problem.code is codes.BROKEN_REFERENCE:
            problem = codes.BROKEN_REFERENCE.at(place, f"`{entry}`: {problem.message}")
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
            given.append(Given(document.data, document, ()))
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
