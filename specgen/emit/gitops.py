"""What a controller that applies a tree again and again makes of a job in it."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, VALUE
from specgen.emit.codes import BEHIND_ITS_HOOK, FILLED_IN_SCRIPT, LOST_CHARACTER, SUSPEND_IN_GITOPS, TTL_IN_GITOPS
from specgen.emit.flux import VARIABLE, substituted
from specgen.emit.waves import behind, marks
from specgen.manifest.views import mapping
from specgen.operators.controllers import HOOK, SUBSTITUTE
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Bundle, Manifest
    from specgen.operators.reader import Reader
    from specgen.source import Path

# Codes of jobs that are built into a tree.
CODES = (TTL_IN_GITOPS.id, SUSPEND_IN_GITOPS.id, BEHIND_ITS_HOOK.id, FILLED_IN_SCRIPT.id)
# What kustomize 5.8.1 refuses of texts, and what it makes a blank of; and the beginnings of how Python spells them.
_REFUSED = frozenset((0x7F, *range(0x80, 0x85), *range(0x86, 0xA0), 0xFFFE, 0xFFFF))
_BLANKED = 0x85
_SPELT = ("\\x7f", "\\x8", "\\x9", "\\uff")

_TTL = (("spec", "runPolicy", "ttlSecondsAfterFinished"), ("spec", "ttlSecondsAfterFinished"))
_SUSPEND = (("spec", "runPolicy", "suspend"), ("spec", "suspend"))
_QUEUE = "kueue.x-k8s.io/queue-name"


def check(manifest: Manifest, reader: Reader, version: str) -> Iterator[Finding]:
    """SG720 and SG721 of a job that is built into a tree."""
    if is_hook(manifest):
        return  # it is made anew on purpose, and its delete policy takes it away
    metadata = mapping(manifest.tree.get("metadata"))
    for path in _TTL:
        seconds = _at(manifest, path)
        if seconds is None or not _is_deleted(manifest, reader, version):
            continue
        message = f"the job is deleted {seconds} s after its end, and a controller that applies the tree runs it again"
        notes = ["Argo CD with self-heal and Flux create what is missing; without them it is shown as missing"]
        helps = ["without `ttl` the finished job stays; `lifecycle.cleanPods` says which of its pods do"]
        yield TTL_IN_GITOPS.at(path, message, notes=notes, helps=helps)
    for path in _SUSPEND if _QUEUE in mapping(metadata.get("labels")) else ():
        said = _at(manifest, path)
        if isinstance(said, bool):
            what = "stops the job while it runs" if said else "lets the job begin while it waits"
            message = f"`suspend: {str(said).lower()}`, applied again, {what}: Kueue decides it from the creation on"
            notes = ["Kueue undoes it at once, but the operator may have deleted or created pods in between"]
            helps = ["without `suspend` there is nothing to apply: Kueue's webhook suspends the job by itself"]
            yield SUSPEND_IN_GITOPS.at(path, message, notes=notes, helps=helps)


def is_hook(manifest: Manifest) -> bool:
    """Whether Argo CD makes an object anew with each sync."""
    return HOOK in marks(manifest)


def hooked(bundle: Bundle) -> Iterator[Finding]:
    """SG830 of a job that is built for a controller."""
    waiting = behind(bundle)
    if waiting:
        names = ", ".join(f"{one.ref.kind} `{one.ref.name}`" for one in waiting)
        message = f"the job is a hook before the sync, and waits for {names}, which the sync creates"
        notes = [
            "Argo CD begins the sync once its hooks have ended; what it creates anew each time is no place for data"
        ]
        helps = ["as a `Sync` hook it is created behind them, and a wave keeps it before other jobs"]
        yield BEHIND_ITS_HOOK.at(("metadata", "annotations", HOOK), message, notes=notes, helps=helps)


def _filled_in(manifest: Manifest) -> Iterator[Finding]:
    """SG833 of an object that is built into a tree."""
    theirs, meant = substituted(manifest.tree)
    if theirs and meant:
        message = "where Flux fills in this variable, it empties those of a script in the same object as well"
        notes = [f"`{dotted(theirs[0])}` holds variables of a shell, and Flux tells them not apart"]
        helps = [
            "a variable of the profile, `$<name>`, is filled in when it is built",
            f"the annotation `{SUBSTITUTE}: enabled` says that it is meant",
        ]
        yield FILLED_IN_SCRIPT.at(meant[0], message, notes=notes, helps=helps)


def lost(manifest: Manifest) -> Iterator[Finding]:
    """SG034 and SG833 of an object that is built into a tree."""
    whole = repr(manifest.tree)
    if VARIABLE in whole:
        yield from _filled_in(manifest)
    if not any(spelt in whole for spelt in _SPELT):
        return
    for path, text, is_key in _texts((), manifest.tree):
        code = next((ord(sign) for sign in text if ord(sign) in _REFUSED or ord(sign) == _BLANKED), None)
        if code is not None:
            does = "makes a blank of" if code == _BLANKED else "refuses the tree for"
            message = f"kustomize {does} the control character U+{code:04X} in this text"
            yield LOST_CHARACTER.at(path, message, part=KEY if is_key else VALUE)


def _texts(path: Path, value: object) -> Iterator[tuple[Path, str, bool]]:
    if isinstance(value, str):
        yield path, value, False
    elif isinstance(value, dict):
        for key, below in value.items():
            yield (*path, key), key, True
            yield from _texts((*path, key), below)
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _texts((*path, index), below)


def _at(manifest: Manifest, path: tuple[str, ...]) -> object:
    found: object = manifest.tree
    for step in path:
        found = mapping(found).get(step)
    return found


def _is_deleted(manifest: Manifest, reader: Reader, version: str) -> bool:
    """Whether the operator deletes the job object itself, not only what belongs to it."""
    from specgen.operators.expand import expand_manifest
    from specgen.operators.lifecycle import DELETES_JOB, DELETES_JOBSET

    expansion, _ = expand_manifest(manifest, reader, version, resumed=True)
    life = expansion.lifecycle if expansion is not None else None
    return life is not None and any(
        limit.effect == DELETES_JOB or (limit.effect == DELETES_JOBSET and reader.kind == "JobSet")
        for limit in life.limits
    )
