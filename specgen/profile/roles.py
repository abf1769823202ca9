"""One role's words: those of the job with its own laid over them, variables filled in."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place
from specgen.profile.layers import Layers, Written, nearest, step_down
from specgen.profile.resolve import incomplete
from specgen.profile.variables import BUILTIN, MOST_FILLED, Texts, variables
from specgen.schema.accept import accepts
from specgen.schema.record import record
from specgen.tables import job as job_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.suggest import Names
    from specgen.profile.job import JobScheduling, Lifecycle
    from specgen.profile.pod import Role
    from specgen.profile.resolve import ResolvedJob
    from specgen.source import Path

    class Words(Role):
        """A role with what it inherits: the job's gang and lifecycle stand in it too."""

        scheduling: JobScheduling
        lifecycle: Lifecycle


# What makes a program start, of which a launcher inherits: what makes it train (devices, mounts, files, rights,
# placement, containers beside) stays with the pods that train.
_OF_A_START: dict[str, tuple[str, ...] | None] = {
    "image": None,
    "pull": None,
    "command": None,
    "args": None,
    "workdir": None,
    "env": None,
    "envFrom": None,
    "labels": None,
    "scheduling": ("scheduler", "gang", "queue", "priority"),
    "security": ("user", "group", "nonRoot", "seccomp"),
    "pod": None,
    "vars": None,
    "lifecycle": None,
}
# Devices, and what fabrics bring with them: those of pods that compute.
_DEVICES = ("gpu", "npu", "hca", "other", "claims")


class RoleProfile:
    """What a profile says of one role: the job's words with the role's own laid over them, variables filled in."""

    __slots__ = ("consumed", "data", "job", "layers", "meets", "name", "serves", "starts", "texts", "words")

    def __init__(
        self,
        job: ResolvedJob,
        name: str,
        layers: Layers,
        texts: Texts,
        *,
        starts: bool = False,
        meets: bool = False,
        serves: bool = False,
    ) -> None:
        self.job = job
        self.name = name
        # as written, with where
        self.layers = layers
        self.texts = texts
        # whether the role starts the others' processes and runs none of its own
        self.starts = starts
        # whether it only brings the others together
        self.meets = meets
        # whether it holds what the others compute with, and computes nothing
        self.serves = serves
        # plain, with variables filled in
        self.data = texts.filled(layers.data, ()) if job.varied else layers.data
        # nulls that kept something off
        self.consumed: dict[Path, None] = {}
        # a typed look at the data
        self.words: Words = record(self.data, "JobProfile", job_table.RECORDS, job.job)

    def removed(self, path: Path) -> bool:
        """Whether a null keeps off what the fabric or a default would add at this path; it is consumed then."""
        if path not in self.layers.removals:
            return False
        self.consumed[path] = None
        return True

    def place(self, path: Path, part: str = "value", *, inside: tuple[int, int] | None = None) -> Place:
        """Where a path of the role's words was written."""
        return Written(self.layers, self.texts.written(path), part, inside)


def _refused(layers: Layers, texts: Texts, data: dict[str, Any]) -> list[Finding]:
    """What the language refuses once its variables are filled in, such as a path without a slash. ``data``: filled."""
    changed = {key: value for key, value in data.items() if value is not layers.data.get(key)}
    if not changed or accepts(job_table.DEFINITIONS["Layer"], changed):
        return []
    from specgen.schema.files import load
    from specgen.schema.judge import judge
    from specgen.schema.wording import PROFILE

    findings = []
    for finding in judge(load("job.schema.json"), "Layer", data, wording=PROFILE):
        path = texts.written(finding.place.path)
        text, filled = path[-1:], finding.place.path[-1:]
        if finding.place.part != KEY:
            text, filled = (_at(layers.data, path),), (_at(data, finding.place.path),)
        # what holds no variable was judged where it stands
        if text != filled:
            at = layers.origin(path)
            place = Place(at.path, finding.place.part, where=at.document)
            findings.append(finding.code.at(place, finding.message, notes=[f"it is written as `{text[0]}`"]))
    return findings


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def has_own_words(job: ResolvedJob, name: str) -> bool:
    """Whether a role says or removes anything itself; all roles that do not have the same words."""
    written = job.layers.data.get("roles") or {}
    return bool(written.get(name)) or any(path[:2] == ("roles", name) for path in job.layers.removals)


def role_words(
    job: ResolvedJob,
    name: str,
    builtin: Mapping[str, str],
    *,
    starts: bool = False,
    meets: bool = False,
    serves: bool = False,
) -> tuple[RoleProfile, list[Finding]]:
    """The words of role ``name``; ``builtin`` are the variables that are always there. Findings: SG204.

    ``starts``: the role starts the others and does not train, so it inherits less. ``meets``: it only brings the
    others together, so it inherits no amounts. ``serves``: it computes nothing, so it inherits no devices.
    """
    data = {key: job.layers.data[key] for key in job_table.INHERITED if key in job.layers.data}
    if starts:
        data = _to_start(data)
    if meets:
        data.pop("resources", None)
    elif serves and "resources" in data:
        data["resources"] = {word: one for word, one in data["resources"].items() if word not in _DEVICES}
    top = job.layers.provenance
    provenance: Any = {key: top[key] for key in data} if isinstance(top, dict) else top
    if not provenance:
        provenance = nearest(top)  # a job over a runtime may say nothing of its pods
    handed: Any = data if starts or meets else job_table.INHERITED
    removals = {path: at for path, at in job.layers.removals.items() if path and path[0] in handed}
    layers = Layers(data, provenance, removals)
    # a role's null that took nothing from a weaker layer's role takes away what the role inherits
    nulls = {
        path[2:]: at
        for path, (at, met) in job.layers.removals.items()
        if path[:2] == ("roles", name) and path[2:] and not met
    }
    if nulls:
        layers = layers.without(nulls)
    own = (job.layers.data.get("roles") or {}).get(name)
    if own:
        layers = layers.over(own, step_down(step_down(top, "roles"), name))
    known, inside = variables(builtin, layers.data.get("vars") or {})
    words = RoleProfile(job, name, layers, Texts(known), starts=starts, meets=meets, serves=serves)
    words.texts.used.update(inside.used)
    findings = _refused(layers, words.texts, words.data) + _unfilled(job, words.layers, inside, words.texts)
    if own:
        inherited = job.layers.data
        said = {key: value for key, value in layers.data.items() if value is not inherited.get(key)}
        findings += incomplete(layers, said, "Role")
    return words, findings


def _to_start(data: dict[str, Any]) -> dict[str, Any]:
    handed: dict[str, Any] = {}
    for key, inner in _OF_A_START.items():
        if key not in data:
            continue
        value = data[key]
        if inner is not None:
            value = {word: value[word] for word in inner if word in value}
        if value or inner is None:
            handed[key] = value
    return handed


def fill_job(job: ResolvedJob, builtin: Mapping[str, str]) -> tuple[dict[str, None], list[Finding]]:
    """Fills the variables into the words that no role inherits: the job's metadata, start, data, its own patch.

    Answers the names used. Findings: SG204.
    """
    if not job.varied:
        return {}, []
    known, inside = variables(builtin, job.layers.data.get("vars") or {})
    texts = Texts(known)
    data = {
        key: value if key in job_table.INHERITED or key == "roles" else texts.filled(value, (key,))
        for key, value in job.layers.data.items()
    }
    patch = data.get("patch")
    if patch:
        own = {key: texts.filled(patch[key], ("patch", key)) for key in ("job", "runtime") if key in patch}
        data["patch"] = {**patch, **own}
    refused: list[Finding] = []
    if any([data[key] is not value for key, value in job.layers.data.items()]):
        own_words = [key for key in data if key not in ("apiVersion", "kind", "metadata")]
        refused = _refused(job.layers, texts, {key: data[key] for key in own_words})
        job.layers = Layers(data, job.layers.provenance, job.layers.removals)
        job.job = record(data, "JobProfile", job_table.RECORDS, job.job)
    # what is unknown in a variable is so in the words of a role
    texts.overfull = inside.overfull or texts.overfull
    return {**inside.used, **texts.used}, refused + _unfilled(job, job.layers, texts)


def _unfilled(job: ResolvedJob, layers: Layers, *filled: Texts) -> list[Finding]:
    """SG204 of the names that nothing defines, SG004 where variables came to more than is read."""
    unknown = [one for texts in filled for one in texts.unknown]
    overfull = next((texts.overfull for texts in filled if texts.overfull is not None), None)
    if not unknown and overfull is None:
        return []
    from specgen.diagnostics.suggest import Names
    from specgen.document.codes import LIMIT

    names = Names(filled[-1].known)
    findings = [_unknown(job, layers, names, path, name) for path, name in unknown]
    if overfull is not None:
        at = layers.origin(overfull)
        message = f"variables fill in more than {MOST_FILLED:,} characters from here on"
        notes = ["the API server takes no object of that size"]
        findings.append(LIMIT.at(Place(at.path, where=at.document), message, notes=notes))
    return findings


def _unknown(job: ResolvedJob, layers: Layers, names: Names, path: Path, name: str) -> Finding:
    from specgen.profile import codes

    at = layers.origin(path)
    value = _at(layers.data, path)
    start = value.find(f"$<{name}>") if isinstance(value, str) else -1
    place = Place(at.path, where=at.document, inside=(start, start + len(name) + 3) if start >= 0 else None)
    if name == "name":
        message = "nobody knows `$<name>` here: the API server makes the name of each job"
        notes = ["a pod reads its own from `env: {POD: {field: metadata.name}}`"]
        return codes.UNKNOWN_VARIABLE.at(place, message, notes=notes)
    if name in BUILTIN:
        if name == "procsPerPod" or job.job.elastic is None:
            message = f"`$<{name}>` is no number here: torchrun counts the processes of a pod"
            return codes.UNKNOWN_VARIABLE.at(place, message, notes=["it tells them their number as `WORLD_SIZE`"])
        # only of an elastic job are two of them unknown
        message = f"`$<{name}>` is no number in an elastic job: its pods change while it runs"
        notes = ["torchrun tells every process the current number as `WORLD_SIZE`"]
        return codes.UNKNOWN_VARIABLE.at(place, message, notes=notes)
    help = names.hint(name, "variable")
    return codes.UNKNOWN_VARIABLE.at(place, f"nothing defines the variable `$<{name}>`", helps=[help] if help else [])
