"""A job profile with everything it stands on → one job.

Weakest first: the cluster's ``defaults``, ``extends`` from left to right, the profile, the variant, ``--set``.
Then roles inherit (``roles.py``). Paths count from the file they stand in.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place, has_errors, listed, many
from specgen.document.codes import LIMIT
from specgen.profile import codes
from specgen.profile.layers import At, Layers, Written, first, step_down
from specgen.profile.library import class_of, level_of, unusable
from specgen.profile.shape import lacking as lacking_below
from specgen.profile.shape import shape
from specgen.schema.record import record
from specgen.tables import cluster as cluster_table
from specgen.tables import job as job_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.suggest import Names
    from specgen.document.tree import Document
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.job import JobProfile
    from specgen.profile.library import Library
    from specgen.profile.variants import Variant, Variants
    from specgen.source import Path

# Bases of one profile, and theirs: real ones have a handful.
MOST_BASES = 100
# Words that every job says, and what they say.
NEEDED = {"target": "what to compile to, such as `PyTorchJob`", "image": "the image of the program"}
# Digits of the hash in a name of `suffix: hash`: one job has hundreds of states at most, and pods' names little room.
HASH = 8
# What a profile says beside the words of its jobs.
_OF_VARIANTS = frozenset(("variants", "matrix", "variantsOnly"))
_NOT_OF_THE_JOB = ("extends", *sorted(_OF_VARIANTS), "ignore")
# Paths at which a default of the language stands.
_DEFAULTED = frozenset(
    (("lifecycle", "cleanPods"), ("lifecycle", "restart"), ("start",), ("procsPerPod",), ("scheduling", "gang"))
)


class ResolvedJob:
    """One job: its document, merged words, and the cluster that it is for (an empty one if none is named)."""

    __slots__ = (
        "cluster",
        "cluster_document",
        "document",
        "job",
        "layers",
        "library",
        "mark",
        "name",
        "named",
        "near",
        "prefix",
        "variant",
        "varied",
    )

    def __init__(self, document: Document, layers: Layers, library: Library, variant: Variant | None) -> None:
        self.document = document
        self.layers = layers
        self.library = library
        self.job: JobProfile = record(layers.data, "JobProfile", job_table.RECORDS)
        # a null of a variant or setting may have taken the metadata away, which `_complete` reports
        metadata = self.job.metadata if "metadata" in layers.data else None
        name = metadata.name if metadata is not None else None
        prefix = metadata.generate_name if metadata is not None else None
        # the variant that it is, None: the job itself
        self.variant = variant.name if variant is not None else None
        # what a generated name begins with; None: the job has a name of its own
        self.prefix: str | None = None
        if name is None and prefix is not None:
            self.prefix = f"{prefix.rstrip('-')}-{variant.name}-" if variant is not None else prefix
            name = prefix.rstrip("-")
        # its name with the variant, and where what tells it from others stands
        self.name = f"{name}-{variant.name}" if variant is not None else str(name)
        key = "name" if self.prefix is None else "generateName"
        self.named = variant.place if variant is not None else self.place(("metadata", key))
        # what its name ends in: of `suffix: hash` first a text as long, until the manifests are known; None: in nothing
        self.mark: str | None = None
        if metadata is not None and metadata.suffix is not None and self.prefix is None:
            self.mark = "x" * HASH
        # the names at a path of the cluster profile, once one is not among them
        self.near: dict[Path, Names] = {}
        # whether a text of the job may hold a variable
        self.varied = True
        self.cluster_document: Document | None = None
        self.cluster: ClusterProfile = record({}, "ClusterProfile", cluster_table.RECORDS)

    @property
    def pod_security(self) -> tuple[str | None, Path]:
        """The Pod Security level of its namespace, and where the cluster profile says it."""
        metadata = self.job.metadata if "metadata" in self.layers.data else None
        return level_of(self.cluster, metadata.namespace if metadata is not None else None)

    @property
    def called(self) -> str:
        """The name of the job object, of which operators make all others. ``name`` is without the hash: what outlives
        the job is called by it, as a claim, a path of checkpoints, or the folder in a tree."""
        return self.name if self.mark is None else f"{self.name}-{self.mark}"

    @property
    def runtime(self) -> str | None:
        """The runtime of the cluster that brings what the job leaves unsaid, such as image and command."""
        target = self.job.target
        return None if target is None or isinstance(target, str) else target.runtime

    @property
    def of_workloads(self) -> bool:
        """Whether the job's priority is a WorkloadPriorityClass of Kueue, which no pod may name."""
        name = self.job.scheduling.priority
        return name is not None and class_of(self.cluster, name) == "workload"

    def place(self, path: Path, part: str = "value", *, inside: tuple[int, int] | None = None) -> Place:
        """Where a path of the merged job was written."""
        return Written(self.layers, path, part, inside)

    def defaulted(self, path: Path) -> bool:
        """Whether a default of the language stands at this path, so that a null has something to remove."""
        return path in _DEFAULTED

    def cluster_place(self, path: Path, part: str = "value") -> Place:
        """A place in the cluster profile."""
        return Place(path, part, where=self.cluster_document or self.document)


class Resolved:
    """What a profile comes to: each of its jobs with what was found on it, and what was found on the profile.

    ``variants``: the names of all its variants, whichever were asked for; among them an empty one for the job itself.
    """

    __slots__ = ("findings", "jobs", "variants")

    def __init__(self, findings: list[Finding]) -> None:
        self.findings = findings
        self.jobs: list[tuple[ResolvedJob | None, list[Finding]]] = []
        self.variants: list[str] = []


def resolve(
    document: Document,
    library: Library,
    *,
    variant: str | None = None,
    cluster: str | None = None,
    settings: Sequence[str] = (),
) -> Resolved:
    """A checked job document → its jobs: itself, then its variants.

    ``variant``: one variant alone, of a name that may not be there; empty: the job itself alone. ``cluster`` is a file
    name that replaces the profile's own. Raises BadSetting where a setting's path does not exist.
    """
    resolved = Resolved([])
    findings = resolved.findings
    stack = _extended(document, library, [document.source.name], findings, {})
    known = _variants(document, [origin for _, origin, _ in stack])
    findings += known.findings if known is not None else []
    plain = known is None or known.plain
    resolved.variants = [*([""] if plain else []), *(known.names if known is not None else ())]
    stack.append((_without(document.data, _NOT_OF_THE_JOB), document, ()))
    above: list[tuple[dict[str, Any], Document, Path]] = []
    for setting in settings:
        one, wrong = set_layer(setting)
        findings += wrong
        above.append((one.data, one, ()))
    if has_errors(findings):
        return resolved
    wanted = [*([None] if plain else []), *(known.found if known is not None else ())]
    if variant is not None:
        wanted = [one for one in wanted if (one.name if one is not None else "") == variant]
    if len(wanted) > 1 and known is not None:
        from specgen.profile.variants import too_much

        findings += too_much(known, [data for data, _, _ in stack], len(wanted))
        if has_errors(findings):
            return resolved
    for chosen in wanted:
        layers = [*stack, *(chosen.layers if chosen is not None else ()), *above]
        resolved.jobs.append(_job(document, library, layers, chosen, cluster, known))
    if known is not None and len(wanted) > 1 and wanted[0] is None:
        from specgen.profile.variants import again, lacking_beside

        (itself, found), *others = resolved.jobs
        varied = [job.layers if job is not None else None for job, _ in others]
        if itself is not None:
            findings += again(known.found, itself.layers, varied)
            found += lacking_beside(itself.layers, itself.named, varied)
    return resolved


def _job(
    document: Document,
    library: Library,
    stack: list[tuple[dict[str, Any], Document, Path]],
    variant: Variant | None,
    cluster: str | None,
    known: Variants | None,
) -> tuple[ResolvedJob | None, list[Finding]]:
    findings: list[Finding] = []
    cluster_document = _cluster(stack, library, cluster, findings)
    if has_errors(findings):
        return None, findings
    if cluster_document is not None and cluster_document.data.get("defaults"):
        stack.insert(0, (cluster_document.data["defaults"], cluster_document, ("defaults",)))
    resolved = ResolvedJob(document, _laid(stack, document, library), library, variant)
    # an escape may spell a variable in signs of its own
    resolved.varied = any(["$<" in origin.source.text or "\\" in origin.source.text for _, origin, _ in stack])
    if cluster_document is not None:
        resolved.cluster_document = cluster_document
        resolved.cluster = library.cluster(cluster_document)
    findings += _complete(resolved, known)
    return (None if has_errors(findings) else resolved), findings


def _variants(document: Document, below: list[Document]) -> Variants | None:
    """The variants of a job's document, of which its bases may hold some; None: nobody says any."""
    speaking = [one for one in below if one.data["kind"] == "Base" and not _OF_VARIANTS.isdisjoint(one.data)]
    if not speaking and _OF_VARIANTS.isdisjoint(document.data):
        return None
    from specgen.profile.variants import collected  # most jobs have none

    return collected([*speaking, document])


def _laid(stack: list[tuple[dict[str, Any], Document, Path]], document: Document, library: Library) -> Layers:
    """The layers over each other. Those below the profile's own are laid once for all profiles that stand on them."""
    own = next(at for at, (_, origin, _) in enumerate(stack) if origin is document)
    below = tuple([(origin, prefix) for _, origin, prefix in stack[:own]])
    layers = library.laid.get(below)
    for data, origin, prefix in stack[:own] if layers is None else ():
        layers = _over(layers, data, At(origin, prefix))
    if layers is not None:
        library.laid[below] = layers
    for data, origin, prefix in stack[own:]:
        layers = _over(layers, data, At(origin, prefix))
    assert layers is not None
    return layers


def _over(layers: Layers | None, data: dict[str, Any], at: At) -> Layers:
    return first(data, at) if layers is None else layers.over(data, at)


def set_layer(setting: str) -> tuple[Document, list[Finding]]:
    """A setting as a layer, and what is wrong with its value. Raises BadSetting where its path does not exist."""
    from specgen.profile.settings import BadSetting, layer  # most runs have none

    try:
        one = layer(setting, job_table.DEFINITIONS["Layer"])
    except BadSetting as error:
        from specgen.profile.meant import helped

        raise helped(error, setting) from None
    wrong = shape(one, "Layer")
    if wrong:
        from specgen.profile.meant import mended

        mended(setting, wrong)
    for finding in wrong:
        finding.where = finding.where or one
    return one, wrong


def _without(data: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in keys}


def _extended(
    document: Document,
    library: Library,
    trail: list[str],
    findings: list[Finding],
    met: dict[str, None],
) -> list[tuple[dict[str, Any], Document, Path]]:
    """The layers below a profile, weakest first. ``met``: files that are among them already.

    A file that several profiles name counts once, below the first that names it: so no base undoes what extends it.
    """
    named = document.data.get("extends")
    if named is None:
        return []
    stack: list[tuple[dict[str, Any], Document, Path]] = []
    for index, path in enumerate([named] if isinstance(named, str) else named):
        place = Place(("extends",) if isinstance(named, str) else ("extends", index), where=document)
        file = library.files.join(path, document.source.name)
        if file in trail:
            chain = " → ".join([*trail[trail.index(file) :], file])
            findings.append(codes.BROKEN_REFERENCE.at(place, f"the profile extends itself: {chain}"))
            continue
        if file in met:
            continue
        if len(met) >= MOST_BASES:
            if len(met) == MOST_BASES:
                met[""] = None  # no file is called so; one finding says it
                findings.append(LIMIT.at(place, f"the profile extends more than {MOST_BASES} others, all told"))
            break
        met[file] = None
        base = _named(library, file, place, path, ("Job", "Base"), findings)
        if base is None:
            continue
        stack += _extended(base, library, [*trail, file], findings, met)
        stack.append((_without(base.data, job_table.ENVELOPE[base.data["kind"]]), base, ()))
    return stack


def _named(
    library: Library, file: str, place: Place, path: str, kinds: tuple[str, ...], findings: list[Finding]
) -> Document | None:
    """A profile that another one names; what is wrong inside it is reported inside it."""
    document, problems = library.document(file)
    for problem in problems:
        if problem.code is codes.BROKEN_REFERENCE and problem.where is None:
            problem = unusable(path, place, problem)
        findings.append(problem)
    if document is None:
        return None
    kind = document.data["kind"]
    if kind not in kinds:
        wanted = listed(kinds).replace(" and ", " or ")
        findings.append(codes.BROKEN_REFERENCE.at(place, f"`{path}` is a `{kind}`, this place names a {wanted}"))
        return None
    return document


def _cluster(
    stack: list[tuple[dict[str, Any], Document, Path]], library: Library, override: str | None, findings: list[Finding]
) -> Document | None:
    if override is not None:
        document, problems = cluster_of_option(library, override)
        findings += problems
        return document
    for data, origin, prefix in reversed(stack):
        if "cluster" in data:
            path = data["cluster"]
            if path is None:
                return None
            place = Place((*prefix, "cluster"), where=origin)
            # a --set counts from where the command ran
            beside = origin.source.name if not origin.source.name.startswith("--set ") else ""
            return _named(library, library.files.join(path, beside), place, path, ("Cluster",), findings)
    return None


def cluster_of_option(library: Library, name: str) -> tuple[Document | None, list[Finding]]:
    """The cluster profile that ``--cluster`` names, or what is wrong with it."""
    document, findings = library.document(name)
    if document is None or document.data["kind"] == "Cluster":
        return document, findings
    message = f"`{name}` is a `{document.data['kind']}`, `--cluster` names a `Cluster`"
    return None, [*findings, codes.BROKEN_REFERENCE.at(Place(("kind",), where=document), message)]


def lacking(keys: list[str], place: Place) -> Finding:
    """SG201 of words that a job must say and does not, in one finding: they are missing at one place."""
    what = " and no ".join(f"`{key}`" for key in keys)
    return codes.MISSING.at(place, f"the job has no {what}", helps=[f"`{key}` says {NEEDED[key]}" for key in keys])


def _complete(resolved: ResolvedJob, known: Variants | None) -> list[Finding]:
    findings = []
    data = resolved.layers.data
    head = Place(("metadata",), KEY, where=resolved.document)
    unsaid = []
    for key in NEEDED:
        if key not in data and not (key == "image" and _every_role_has(data, "image")):
            place = _removed(resolved, (key,))
            if place is None:
                unsaid.append(key)
            else:
                findings.append(lacking([key], place))
    if unsaid:
        findings.append(lacking(unsaid, head))
    if findings and resolved.variant is None and known is not None and known.found:
        findings[-1].helps.append("`variantsOnly: true` builds the variants alone, and not the job itself")
    metadata = data.get("metadata") or {}
    if "name" not in metadata and "generateName" not in metadata:
        place = _removed(resolved, ("metadata", "name")) or resolved.place(("metadata",), KEY)
        findings.append(codes.MISSING.at(place, "the job has no `name`", helps=["`metadata: {name: …}` names the job"]))
    elif "name" in metadata and "generateName" in metadata:
        place = resolved.place(("metadata", "generateName"), KEY)
        related = [(resolved.place(("metadata", "name")), "its name")]
        message = "`generateName` contradicts `name`: the API server makes a name only for a job that has none"
        findings.append(codes.CONTRADICTION.at(place, message, related=related))
    if metadata.get("suffix") is not None and "name" not in metadata and "generateName" in metadata:
        place = resolved.place(("metadata", "suffix"), KEY)
        related = [(resolved.place(("metadata", "generateName")), "the API server puts five letters behind")]
        message = "`suffix: hash` contradicts `generateName`: a job has another name each time, or one for each content"
        helps = ["`name` in place of `generateName` names what the hash stands behind"]
        findings.append(codes.CONTRADICTION.at(place, message, related=related, helps=helps))
    if isinstance(data.get("target"), dict) and "kind" not in data["target"]:
        helps = ["`kind` says what to compile to, such as `PyTorchJob`"]
        findings.append(codes.MISSING.at(resolved.place(("target",), KEY), "`target` has no `kind`", helps=helps))
    return findings + incomplete(resolved.layers, data, "Layer") + _base_roles_win(resolved)


def incomplete(layers: Layers, data: dict[str, Any], model: str) -> list[Finding]:
    """SG102 of the mappings of merged words that lack what no layer says."""
    findings = lacking_below({key: one for key, one in data.items() if key != "roles"}, model)
    for finding in findings:
        finding.place = Written(layers, finding.place.path, KEY, None)
    return findings


def _removed(resolved: ResolvedJob, path: Path) -> Place | None:
    """Where a null took away what stood at a path, or all that it stood in; None: none did."""
    for depth in range(len(path), 0, -1):
        removal = resolved.layers.removals.get(path[:depth])
        if removal is not None:
            return Place(removal[0].path, KEY, where=removal[0].document)
    return None


def _every_role_has(data: dict[str, Any], key: str) -> bool:
    target = data.get("target")
    if isinstance(target, dict) and target.get("runtime"):
        return True
    roles = data.get("roles") or {}
    return bool(roles) and "worker" in roles and all(isinstance(role, dict) and key in role for role in roles.values())


def _base_roles_win(resolved: ResolvedJob) -> list[Finding]:
    """SG221: the profile's own top level loses against a role of a base."""
    findings: list[Finding] = []
    roles = resolved.layers.data.get("roles")
    if not roles:
        return findings
    provenance = resolved.layers.provenance
    if not isinstance(provenance, dict):
        return findings
    for role, words in roles.items():
        below = step_down(step_down(provenance, "roles"), role)
        for key in words:
            if key not in provenance or isinstance(words[key], dict):
                continue
            own, base = provenance[key], step_down(below, key)
            if isinstance(own, dict) or isinstance(base, dict):
                continue
            if base.document.source.name.startswith("--set "):
                continue  # who sets it knows
            if own.document is resolved.document and base.document is not resolved.document:
                findings.append(
                    codes.BASE_ROLE_WINS.at(
                        Place(own.path, where=own.document),
                        f"`{key}` has no effect on the role `{role}`: a base says it for that role",
                        related=[(Place(base.path, where=base.document), "this one counts")],
                    )
                )
    return findings


def unknown(
    name: str, known: Collection[str], noun: str, place: Place, resolved: ResolvedJob, path: Path, line: str = ""
) -> Finding:
    """SG203: a name that the cluster profile does not have, with both places.

    ``line``: what the cluster profile says where it has the name, for one that names nothing of the kind.
    """
    from specgen.diagnostics.suggest import Names

    cluster = resolved.cluster_document
    if cluster is None:
        message = f"there is no {noun} `{name}`: the job names no cluster profile"
        helps = ["`cluster: FILE` names one; `specgen init cluster --help` says how to write it"]
        if path == ("pools",):
            helps.append("`scheduling.nodeLabels` leads pods to nodes by their labels, without one")
        return codes.UNKNOWN_NAME.at(place, message, helps=helps)
    if path not in resolved.near:
        resolved.near[path] = Names(known)
    help = resolved.near[path].hint(name, noun) or (f"write `{line}` there" if line and not known else "")
    return codes.UNKNOWN_NAME.at(
        place,
        f"the cluster profile has no {noun} `{name}`",
        related=[(resolved.cluster_place(path, KEY), f"its {many(noun)} stand here" if known else "it names none")],
        helps=[help] if help else [],
    )
