"""A path of a shared file system, or one that is written to, at which nothing is mounted.

## What it checks
Paths of command lines, variables and `workingDir` that no mount of the container covers. Three sorts are told: those
that begin with a file system's name, be it one of the cluster profile's `storage` or a usual one (`/scratch`,
`/lustre`, `/mnt/…`); those that an option or a variable says are written to (`--output_dir`, `--save`, `--ckpt`),
caches and logs (`HF_HOME`, `--log_dir`) below usual names alone; and, where the cluster profile lists file systems,
data below `/data` and the like. Directories that images bring (`/workspace`, `/opt`, `/tmp`, …) are passed over, as is
what a shell's text fetches, links or mounts by itself, and, of a launcher, what its workers mount.

## Why it hurts
The path lies in the container's own layer. Data are not there. What is written, such as a checkpoint, is lost with the
container: each restart begins anew, and no other pod sees it.

## Severity
- warning: nobody sees here what the image holds, nor what a webhook mounts.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
command: [python, train.py, --data, /scratch/imagenet, --out, /scratch/ckpt]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
command: [python, train.py, --data, /scratch/imagenet, --out, /scratch/ckpt]
volumeMounts: [{name: scratch, mountPath: /scratch}]
```

## Fix
Mount a volume there. None is applied: which one is meant is known to its author, and to a cluster profile at best.

## When to ignore it
Where the image holds the data, a webhook mounts the volume, or nobody needs what is written there.

## References
Kubernetes 1.36, "Volumes" (files in a container are ephemeral); Filesystem Hierarchy Standard 3.0. Data below `/data`
are told only where a cluster profile lists file systems, as images hold small datasets there.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.directories import OF_IMAGES, SHARED, USUAL, below, point, top
from specgen.rules import ALL, CONTAINER, OUTSIDE
from specgen.rules._words import words, written_by_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.profile.cluster import Storage
    from specgen.rules import Context
    from specgen.rules._words import Word

CODE = Code("SG414", "unmounted-path", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (OUTSIDE,)

# What is said of a path: that it is written to, that caches or logs fill it, that data lie there, or nothing.
_WRITTEN, _CACHE, _DATA, _NAMED = "written", "cache", "data", ""
# Words of names by which it is.
# fmt: off
_OUT = frozenset((
    "out", "output", "outputs", "outdir", "outputdir", "save", "saves", "savedir", "ckpt", "ckpts", "checkpoint",
    "checkpoints", "results",
))
# Logs and caches are missed less: they are told below names of file systems alone.
_LOGS = frozenset(("cache", "log", "logdir", "logging", "logs", "tensorboard"))
# The same of variables, whose other names any program may give to anything.
_OUT_OF_ENV = frozenset(("checkpoint", "checkpoints", "ckpt", "output", "save"))
_NAMES_OF_OUT = ("default_root_dir", "exp_dir", "run_dir", "work_dir")
_CACHES = ("hf_home", "torch_home", "xdg_cache_home", "huggingface_hub_cache")
# Words of which a file is one to go on from, and not written.
_CKPT = frozenset(("checkpoint", "checkpoints", "ckpt", "ckpts"))
_MODELS = (".bin", ".ckpt", ".pt", ".pth", ".safetensors")
# Words that turn it, and files that say something.
_READ = frozenset(("config", "from", "init", "input", "load", "pretrained", "restore", "resume"))
_SETTINGS = (".cfg", ".conf", ".ini", ".json", ".py", ".sh", ".toml", ".yaml", ".yml")
# Programs that bring what is to lie at a path, or take it away from there.
_BRINGS = frozenset((
    "aws", "azcopy", "bbcp", "cp", "curl", "gcloud", "gcsfuse", "git", "goofys", "gsutil", "hf", "huggingface-cli",
    "juicefs", "kaggle", "ln", "mc", "mount", "mount-s3", "mv", "rclone", "rsync", "s3cmd", "s3fs", "s5cmd", "scp",
    "sshfs", "tar", "unzip", "wget",
))
# Programs to which a path is a text.
_SAYS = ("awk", "echo", "egrep", "grep", "printf", "sed")
# fmt: on
# Where a command ends, and words in front of its program.
_ENDS = ";&|"
_BEFORE = ("exec", "sudo", "then", "do", "else", "if", "!", "{", "(", "time")


class _Use:
    """A path, what is said of it, and where."""

    __slots__ = ("path", "place", "said")

    def __init__(self, path: str, said: str, place: Place) -> None:
        self.path = path
        self.said = said
        self.place = place


def missing(container: Container, storage: Mapping[str, Storage]) -> dict[str, list[_Use]]:
    """Where volumes are missing → the paths that say so."""
    mounted = _mounted(container)
    found: dict[str, list[_Use]] = {}
    if mounted is None or "image" not in container.tree:
        return found
    for use in _uses(container):
        here = _missing(use, mounted, storage)
        if here:
            found.setdefault(here, []).append(use)
    return found


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each place at which a volume is missing."""
    storage = context.cluster.storage if context.cluster is not None else {}
    found = missing(container, storage)
    told = _out_of_trainer(container, context) if found else ""
    for here, uses in found.items():
        if told and any(told.endswith(use.path) for use in uses):
            continue
        first = next((use for use in uses if use.said in (_WRITTEN, _CACHE)), uses[0])
        written = first.said in (_WRITTEN, _CACHE)
        # of a shell's text one is enough
        others = {use.place.path: use for use in uses if use.place.path != first.place.path}
        yield CODE.at(
            first.place,
            f"`{shown(first.path)}` lies in the container's own layer: nothing is mounted at `{shown(here)}`",
            label="written to there" if written else "no volume holds it",
            related=[(use.place, "so does this") for use in [*others.values()][:3]],
            notes=[
                "what is written there is lost with the container, and no other pod sees it"
                if written
                else "only what the image holds is there, and what is written is lost with the container"
            ],
            helps=[_help(container, here, storage)],
        )


def _mounted(container: Container) -> list[str] | None:
    """Paths at which something is mounted; None where a tool still fills one in.

    What a launcher's line names is its workers': any role's program may hold the mount.
    """
    mains = [role.main for role in container.role.workload.roles]
    found = []
    for one in (container, *mains):
        if one is None:
            continue
        found += [entry["mountPath"] for _, entry in one.mounts]
        devices = [mapping(entry).get("devicePath") for entry in sequence(one.tree.get("volumeDevices"))]
        found += [path for path in devices if isinstance(path, str)]
    return None if any("$" in path or "{{" in path for path in found) else found


def _missing(use: _Use, mounted: list[str], storage: Mapping[str, Storage]) -> str:
    """Where a volume is missing for a path; empty where none is, or nobody can tell."""
    path = use.path
    if any(below(path, mount) or below(mount, path) for mount in mounted):
        return ""
    _, there = of_storage(path, storage)
    if there:
        return there
    first = top(path)
    if first in OF_IMAGES:
        return ""
    if (
        first in SHARED
        or use.said == _WRITTEN
        or (use.said == _CACHE and first in USUAL)
        or (use.said == _DATA and first in USUAL and storage)
    ):
        return point(path, mounted)
    return ""


def of_storage(path: str, storage: Mapping[str, Storage]) -> tuple[str, str]:
    """(the file system of the cluster whose directory or name a path begins with, where it is to be mounted)."""
    for name, one in storage.items():
        if one.host_path is not None and below(path, one.host_path) and top(one.host_path) not in OF_IMAGES:
            return name, one.host_path.rstrip("/")
    first = top(path)
    here = point(path)
    name = here.rpartition("/")[2]
    if name in storage and (first == "home" or first not in OF_IMAGES):
        return name, here
    return "", ""


def _help(container: Container, here: str, storage: Mapping[str, Storage]) -> str:
    name, _ = of_storage(here, storage)
    if not written_by_hand(container.role.workload):
        if not name and storage:
            names = ", ".join([f"`{shown(one)}`" for one in storage])
            return f"`mounts: {{{shown(here)}: {{storage: NAME}}}}` with a file system of the cluster profile: {names}"
        source = f"storage: {shown(name)}" if name else "pvc: NAME"
        return f"`mounts: {{{shown(here)}: {{{source}}}}}` mounts {'it' if name else 'a claim of that name'}"
    claim = storage[name].pvc if name else None
    if claim:
        return f"mount the claim `{shown(claim)}` at `{shown(here)}`: the cluster profile calls it `{shown(name)}`"
    if name:
        return f"mount the cluster profile's `{shown(name)}` at `{shown(here)}`"
    return f"mount a volume at `{shown(here)}`; if the image holds it, say so: `# specgen: ignore[SG414] in the image`"


def _out_of_trainer(container: Container, context: Context) -> str:
    """The trainer's argument for the folder of its checkpoints, where another rule has told of it."""
    if "trainer" not in container.line and "main_" not in container.line:
        return ""
    from specgen.rules import trainer_unshared_out  # most programs are another one
    from specgen.rules._trainer import call

    found = call(container)
    said = found.argument("out") if found is not None else None
    if said is None or container.role.workload.kind not in trainer_unshared_out.KINDS:
        return ""
    return said.written if any(trainer_unshared_out.check(container, context)) else ""


def _uses(container: Container) -> Iterator[_Use]:
    """Every absolute path that the container's own words name."""
    brought = _brought(container)
    line = words(container)
    for number, word in enumerate(line):
        name, equals, value = word.text.partition("=")
        start = word.start + len(name) + 1
        if not equals:
            before = line[number - 1].text if number else ""
            name, value, start = before if before.startswith("-") else "", word.text, word.start
        path = _path(value)
        if path and not any(below(path, one) or below(one, path) for one in brought):
            inside = (start, start + len(value)) if equals or _is_within(word, container) else None
            yield _Use(path, _said(name, path), Place(word.path, inside=inside))
    for name, (index, entry) in container.env.items():
        text = entry.get("value")
        path = _path(text) if isinstance(text, str) else ""
        if path:
            yield _Use(path, _said(name, path, _OUT_OF_ENV), Place((*container.path, "env", index, "value")))
    folder = container.tree.get("workingDir")
    path = _path(folder) if isinstance(folder, str) else ""
    if path:
        yield _Use(path, _NAMED, Place((*container.path, "workingDir")))


def _is_within(word: Word, container: Container) -> bool:
    """Whether a word is a part of its scalar."""
    key, index = word.path[-2:]
    return any(at == index and said == key and text != word.text for said, at, text in container.words())


def _path(text: str) -> str:
    """The absolute path that a word is, up to what a shell fills in; empty where it is none, or a list of several."""
    text = text.removeprefix("file://").strip("\"'")
    if not text.startswith("/") or text.startswith("//") or ":" in text or "\\" in text:
        return ""
    first = top(text)
    plain = first.replace("-", "").replace("_", "").replace(".", "")
    if not (plain.isascii() and plain.isalnum()):
        return ""
    return text.partition(",")[0].rstrip("/")


def _said(name: str, path: str, out: frozenset[str] = _OUT) -> str:
    """What the name of an option or a variable says of its path; ``out``: words by which it is written to."""
    name = name.lstrip("-+").rpartition(".")[2].lower().replace("-", "_")
    parts = {*name.split("_")}
    if not name:
        return _NAMED
    if any([part.startswith("data") for part in parts]) and _OUT.isdisjoint(parts):
        return _CACHE if "cache" in parts else _DATA
    read = path.endswith(_MODELS) and parts & _OUT <= _CKPT
    if _READ.isdisjoint(parts) and not (read or path.endswith(_SETTINGS)):
        if name in _CACHES or not _LOGS.isdisjoint(parts):
            return _CACHE
        return _WRITTEN if name in _NAMES_OF_OUT or not out.isdisjoint(parts) else _NAMED
    return _NAMED


def _brought(container: Container) -> list[str]:
    """Paths that a shell's text fetches, links or mounts something to, copies from, or only speaks of."""
    found = []
    for _, _, written in container.words():
        if " " not in written and "\n" not in written:
            continue
        text = written.replace("\\\n", " ")
        for sign in _ENDS:
            text = text.replace(sign, "\n")
        for command in text.split("\n"):
            said = command.split()
            program = next((word for word in said if word not in _BEFORE and "=" not in word), "").rpartition("/")[2]
            if program in _BRINGS or program in _SAYS:
                found += [path for word in said if (path := _path(word.rpartition("=")[2]))]
    return found
