"""One role's words: those of the job with its own laid over them, variables filled in."""

from __future__ import annotations

from specgen.profile.layers import Layers, step_down
from specgen.schema.record import Record
from specgen.profile.variables import Texts
from specgen.tables import job as job_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.profile.job import JobScheduling, Lifecycle, Role
    from specgen.profile.resolve import ResolvedJob
    from specgen.source import Path

    class Words(Role):
        """A role with what it inherits: the job's gang and lifecycle stand in it too."""

        scheduling: JobScheduling
        lifecycle: Lifecycle


# Words of pods: what a role inherits from the top level.
INHERITED = (
    "image",
    "pull",
    "command",
    "args",
    "workdir",
    "prepare",
    "resources",
    "env",
    "envFrom",
    "mounts",
    "files",
    "labels",
    "annotations",
    "ports",
    "scheduling",
    "security",
    "pod",
    "init",
    "sidecars",
    "vars",
    "patch",
    "lifecycle",
)


class RoleWords:
    """The words of one role: plain data, a typed look at it, and where each was written."""

    __slots__ = ("consumed", "data", "job", "layers", "name", "texts", "words")

    def __init__(self, job: ResolvedJob, name: str, layers: Layers, texts: Texts) -> None:
        self.job = job
        self.name = name
        self.layers = layers
        self.texts = texts
        self.data = texts.filled(layers.data, ())
        self.consumed: dict[Path, None] = {}
        self.words: Words = Record(self.data, "JobProfile", job_table.RECORDS)  # type: ignore[assignment]

    def removed(self, path: Path) -> bool:
        """Whether a null keeps off what the fabric or a default would add at this path; it is consumed then."""
        if path not in self.layers.removals:
            return False
        self.consumed[path] = None
        return True

    def place(self, path: Path, part: str = "value", *, inside: tuple[int, int] | None = None) -> Place:
        """Where a path of the role's words was written."""
        from specgen.diagnostics.model import Place

        at = self.layers.origin(self.texts.written(path))
        return Place(at.path, part, where=at.document, inside=inside)


def role_words(job: ResolvedJob, name: str, builtin: Mapping[str, str]) -> tuple[RoleWords, list[Finding]]:
    """The words of role ``name``; ``builtin`` are the variables that are always there. Findings: SG204."""
    data = {key: job.layers.data[key] for key in INHERITED if key in job.layers.data}
    top = job.layers.provenance
    provenance: Any = {key: step_down(top, key) for key in data} if isinstance(top, dict) else top
    removals = {path: at for path, at in job.layers.removals.items() if path and path[0] in INHERITED}
    layers = Layers(data, provenance, removals)
    own = (job.layers.data.get("roles") or {}).get(name)
    if own:
        layers = layers.over(own, step_down(step_down(top, "roles"), name))
    texts = Texts({**builtin, **(layers.data.get("vars") or {})})
    words = RoleWords(job, name, layers, texts)
    findings = [finding for path, text in texts.unknown for finding in [_unknown(words, path, text)]]
    return words, findings


def _unknown(words: RoleWords, path: Path, name: str) -> Finding:
    from specgen.diagnostics.suggest import hint
    from specgen.profile import codes

    at = words.layers.origin(path)
    value: Any = words.layers.data
    for step in path:
        value = value[step]
    start = value.find(f"$<{name}>") if isinstance(value, str) else -1
    from specgen.diagnostics.model import Place

    place = Place(at.path, where=at.document, inside=(start, start + len(name) + 3) if start >= 0 else None)
    help = hint(name, words.texts.known, "variable")
    return codes.UNKNOWN_VARIABLE.at(place, f"nothing defines the variable `$<{name}>`", helps=[help] if help else [])
