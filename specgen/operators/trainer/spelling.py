"""How each release of Trainer spells what they all can say, and what they spelled otherwise than the newest.

Read from the API types of v2.0.1, v2.1.0, v2.2.0 and v2.3.0 (pkg/apis/trainer/v1alpha1).
"""

from __future__ import annotations

from specgen.document.tree import Document
from specgen.manifest.views import mapping, sequence
from specgen.operators.release import spelled
from specgen.operators.trainer.facts import BEFORE_PATCHES, GONE, JOBS, OF_RUNTIMES, OPERATOR, PATCHES, POD_METADATA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.source import Path

MANAGER = "specgen/profile"
# Counts of processes were words, too.
_COUNT_WORDS = ("auto", "cpu", "gpu")


def overrides(at: tuple[int, ...], patches: list[tuple[str, dict[str, Any]]]) -> tuple[str, list[dict[str, Any]]]:
    """(field of the TrainJob's spec, its value) by which a release patches the pods of a runtime's jobs.

    ``patches``: job → ``metadata`` and ``spec`` of its pod template. ``below`` says where each one stands. The second
    patch of a job is another manager's: of one manager, the API server takes each job once.
    """
    if at >= PATCHES:
        managers: dict[str, list[dict[str, Any]]] = {}
        for turn, (job, patch) in zip(_turns(patches), patches, strict=True):
            name = f"{MANAGER}-{turn + 1}" if turn else MANAGER
            managers.setdefault(name, []).append({"name": job, "template": {"spec": {"template": patch}}})
        return "runtimePatches", [
            {"manager": name, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}
            for name, jobs in managers.items()
        ]
    targets = [({"targetJobs": [{"name": job}]}, patch) for job, patch in patches]
    if at >= POD_METADATA:
        return "podTemplateOverrides", [{**target, **patch} for target, patch in targets]
    return "podSpecOverrides", [{**target, **mapping(patch.get("spec"))} for target, patch in targets]


def _turns(patches: list[tuple[str, dict[str, Any]]]) -> list[int]:
    """For each patch, how many of the same job stand before it."""
    jobs = [job for job, _ in patches]
    return [jobs[:at].count(job) for at, job in enumerate(jobs)]


def below(at: tuple[int, ...], patches: list[tuple[str, dict[str, Any]]], number: int, path: Path) -> Path:
    """The path in the TrainJob of what stands at ``path`` in the patch with a number, counted from 0."""
    if at >= PATCHES:
        turns = _turns(patches)
        turn = turns[number]
        # managers stand in the order of their first patches, which is that of the turns
        jobs: Path = ("spec", "runtimePatches", turn, "trainingRuntimeSpec", "template", "spec", "replicatedJobs")
        return (*jobs, turns[:number].count(turn), "template", "spec", "template", *path)
    if at >= POD_METADATA:
        return ("spec", "podTemplateOverrides", number, *path)
    return ("spec", "podSpecOverrides", number, *path[1:])


def runtime(tree: dict[str, Any], installed: str | None) -> tuple[dict[str, Any], list[Finding]]:
    """A runtime as the newest release spells it, and SG101 for what the installed version does not know yet.

    Where no version is said to be installed: for what tells that it was written for an older one.
    """
    if installed is None:
        version, findings = older(tree)
    else:
        from specgen.operators.too_new import too_new

        version, findings = installed, too_new(OPERATOR, tree, installed, OF_RUNTIMES)
    return runtime_as_newest(tree, version), findings


def older(tree: dict[str, Any]) -> tuple[str, list[Finding]]:
    """The release that an object of Trainer was written for, where its fields tell; empty: nothing is older than 2.2.

    Findings, all warnings: SG101 for each field that tells.
    """
    of = JOBS if tree.get("kind") == "TrainJob" else OF_RUNTIMES
    telling = {path: last for path, (last, _) in GONE[of].items() if _is_older(tree, path)}
    if not telling or any(_has(tree, field) for field in sorted(OPERATOR.absent_fields(BEFORE_PATCHES, of))):
        return "", []
    from specgen.diagnostics.model import KEY, WARNING
    from specgen.schema.codes import UNKNOWN_FIELD

    version, later = min(telling.values()), f"Trainer {spelled(PATCHES)} and later"
    notes = [f"no cluster profile says which Trainer there is: judged as for {version}, which the fields belong to"]
    findings = []
    for path in telling:
        message = f"{later} have no `{path[-1]}`"
        if path[-2:] == ("trainer", "numProcPerNode"):
            message = f"{later} take a number for `numProcPerNode`"
        findings.append(UNKNOWN_FIELD.at(path, message, part=KEY, notes=notes, severity=WARNING))
    return version, findings


def _is_older(tree: dict[str, Any], path: Path) -> bool:
    holder: Any = tree
    for step in path[:-1]:
        holder = mapping(mapping(holder).get(str(step)))
    # a number of processes is right in every release
    return path[-1] in holder and (path[1] != "trainer" or holder[path[-1]] in _COUNT_WORDS)


def _has(tree: Any, field: tuple[str, str], holder: str = "") -> bool:
    """Whether the field is anywhere, as ``too_new`` names holders."""
    if isinstance(tree, dict):
        return any((holder, key) == field or _has(value, field, key) for key, value in tree.items())
    return isinstance(tree, list) and any(_has(value, field, holder) for value in tree)


def runtime_as_newest(tree: dict[str, Any], version: str) -> dict[str, Any]:
    """A runtime without what its torch policy could say until 2.1; the tree itself where it says none of it."""
    policy = mapping(mapping(tree.get("spec")).get("mlPolicy"))
    torch = mapping(policy.get("torch"))
    gone = {path[-1] for path in GONE[OF_RUNTIMES]}
    if OPERATOR.at(version) >= PATCHES or not gone & torch.keys():
        return tree
    kept = {key: value for key, value in torch.items() if key not in gone}
    return {**tree, "spec": {**tree["spec"], "mlPolicy": {**policy, "torch": kept}}}


def as_newest(tree: dict[str, Any], version: str) -> dict[str, Any]:
    """A TrainJob of an older release with its patches as the newest spells them; the tree itself where it has none.

    Fields of the spec that the release does not know yet are gone then, as they are for its API server.
    """
    at, spec = OPERATOR.at(version), tree.get("spec")
    if at >= PATCHES or not isinstance(spec, dict):
        return tree
    field = _field(at)
    known = {field, "labels", "annotations"}
    trainer = spec.get("trainer")
    if isinstance(trainer, dict) and trainer.get("numProcPerNode") in _COUNT_WORDS:
        # the words are what Trainer 2.3 counts by itself
        trainer = {key: value for key, value in trainer.items() if key != "numProcPerNode"}
        spec = {**spec, "trainer": trainer}
        tree = {**tree, "spec": spec}
    if not known & spec.keys():
        return tree
    patches = [_patch(one, field, number) for number, one in enumerate(sequence(spec.get(field)))]
    metadata = {key: spec[key] for key in ("labels", "annotations") if key in spec}
    if metadata:
        template = {"template": {"metadata": metadata}}
        patches.append({"manager": f"{MANAGER}-metadata", "trainingRuntimeSpec": template})
    gone = known | {name for holder, name in OPERATOR.absent_fields(version, JOBS) if holder == "spec"}
    rest = {key: value for key, value in spec.items() if key not in gone}
    return {**tree, "spec": {**rest, "runtimePatches": patches}}


def of_release(job: Manifest, version: str) -> dict[str, Any]:
    """A TrainJob as ``as_newest``, without patches that it says in a field which its release does not know yet."""
    tree, field = job.tree, "runtimePatches"
    spec = tree.get("spec")
    # in the newest spelling it has the field whatever it says itself; what specgen compiled says what there is
    written = job.where.data if isinstance(job.where, Document) else {}
    said = OPERATOR.at(version) < PATCHES and field in mapping(mapping(written).get("spec"))
    if said and isinstance(spec, dict):
        tree = {**tree, "spec": {key: value for key, value in spec.items() if key != field}}
    return as_newest(tree, version)


def processes(job: Manifest, runtime: dict[str, Any], version: str) -> str:
    """``numProcPerNode`` as releases before 2.2 take it of a TrainJob, else of a torch runtime; empty: nothing is said.

    v2.1.0, pkg/runtime/framework/plugins/torch: a number or one of the words `auto`, `cpu`, `gpu`.
    """
    if OPERATOR.at(version) >= PATCHES:
        return ""
    # in the newest spelling the words are gone
    written = job.where.data if isinstance(job.where, Document) else job.tree
    trainer = mapping(mapping(mapping(written).get("spec")).get("trainer"))
    torch = mapping(mapping(mapping(runtime.get("spec")).get("mlPolicy")).get("torch"))
    said = trainer.get("numProcPerNode", torch.get("numProcPerNode"))
    return str(said) if isinstance(said, (int, str)) and not isinstance(said, bool) else ""


def as_written(path: Path, version: str) -> Path:
    """The path in the manifest of what stands at ``path`` in its newest spelling."""
    at = OPERATOR.at(version)
    if at >= PATCHES or path[:2] != ("spec", "runtimePatches"):
        return path
    if path[8:] == ("name",):
        return ("spec", _field(at), path[2], "targetJobs", path[7], "name")
    if len(path) != 3 and path[8:11] != ("template", "spec", "template"):
        return path
    rest = path[11:]
    if at >= POD_METADATA:
        return ("spec", "podTemplateOverrides", path[2], *rest)
    return ("spec", "podSpecOverrides", path[2], *rest[1:])


def said_as_written(reason: str, version: str) -> str:
    """What is said of a patch in its newest spelling, with the field that the manifest has."""
    at = OPERATOR.at(version)
    if at >= PATCHES:
        return reason
    return reason.replace("runtimePatches", _field(at))


def _field(at: tuple[int, ...]) -> str:
    """By which field a release before ``runtimePatches`` patches pods."""
    return "podTemplateOverrides" if at >= POD_METADATA else "podSpecOverrides"


def _patch(one: Any, field: str, number: int) -> dict[str, Any]:
    given = {key: value for key, value in mapping(one).items() if key != "targetJobs"}
    pod = given if field == "podTemplateOverrides" else {"spec": given}
    jobs = [
        {"name": mapping(target).get("name"), "template": {"spec": {"template": pod}}}
        for target in sequence(mapping(one).get("targetJobs"))
    ]
    spec = {"template": {"spec": {"replicatedJobs": jobs}}}
    return {"manager": f"{MANAGER}-{number}", "trainingRuntimeSpec": spec}
