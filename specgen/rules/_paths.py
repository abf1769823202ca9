"""Paths that the words of a container name, and what options and variables say of them."""

from __future__ import annotations

from specgen.diagnostics.model import Place
from specgen.operators.kubernetes.directories import below, top
from specgen.rules._words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.manifest.views import Container
    from specgen.rules._words import Word

# What is said of a path: that it is written to, that it is a checkpoint, written to or begun with, that caches or logs
# fill it, that data lie there, or nothing.
WRITTEN, CHECKPOINT, CACHE, DATA, NAMED = "written", "checkpoint", "cache", "data", ""
# Those whose loss is missed.
OUTPUTS = (WRITTEN, CHECKPOINT)
# Words of names by which it is.
# fmt: off
OUT = frozenset((
    "out", "output", "outputs", "outdir", "outputdir", "save", "saves", "savedir", "ckpt", "ckpts", "checkpoint",
    "checkpoints", "results",
))
# Logs and caches are missed less: they are told below names of file systems alone.
_LOGS = frozenset(("cache", "log", "logdir", "logging", "logs", "tensorboard"))
# The same of variables, whose other names any program may give to anything.
_OUT_OF_ENV = frozenset(("checkpoint", "checkpoints", "ckpt", "output", "save"))
_NAMES_OF_OUT = ("default_root_dir", "exp_dir", "run_dir", "work_dir", "workdir")
# Hydra's own fields, which say where its jobs run.
_OF_HYDRA = ("hydra.run.dir", "hydra.sweep.dir")
_CACHES = ("hf_home", "torch_home", "xdg_cache_home", "huggingface_hub_cache")
# Words of which a file is one to go on from, and not written.
_CKPT = frozenset(("checkpoint", "checkpoints", "ckpt", "ckpts"))
_MODELS = (".bin", ".ckpt", ".pt", ".pth", ".safetensors")
# Words that turn it, and files that say something.
_READ = frozenset(("config", "from", "init", "input", "load", "pretrained", "restore", "resume"))
_SETTINGS = (".cfg", ".conf", ".ini", ".json", ".py", ".sh", ".toml", ".yaml", ".yml")
# Programs that bring what is to lie at a path, or take it away from there.
BRINGS = frozenset((
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


class Use:
    """A path, what is said of it, and where."""

    __slots__ = ("path", "place", "said")

    def __init__(self, path: str, said: str, place: Place) -> None:
        self.path = path
        self.said = said
        self.place = place


def paths(container: Container) -> Iterator[Use]:
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
            yield Use(path, said_of(name, path), Place(word.path, inside=inside))
    for name, (index, entry) in container.env.items():
        text = entry.get("value")
        path = _path(text) if isinstance(text, str) else ""
        if path:
            yield Use(path, said_of(name, path, _OUT_OF_ENV), Place((*container.path, "env", index, "value")))
    folder = container.tree.get("workingDir")
    path = _path(folder) if isinstance(folder, str) else ""
    if path:
        yield Use(path, NAMED, Place((*container.path, "workingDir")))


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


def said_of(name: str, path: str, out: frozenset[str] = OUT) -> str:
    """What the name of an option or a variable says of its path; ``out``: words by which it is written to."""
    whole = name.lstrip("-+").lower().replace("-", "_")
    name = whole.rpartition(".")[2]
    parts = {*name.split("_")}
    if not name:
        return NAMED
    if any([part.startswith("data") for part in parts]) and OUT.isdisjoint(parts):
        return CACHE if "cache" in parts else DATA
    # of what is no output in so many words, a file is one that is there
    read = path.endswith((*_MODELS, *_SETTINGS)) and parts & OUT <= _CKPT
    if _READ.isdisjoint(parts) and not read:
        if name in _CACHES or not _LOGS.isdisjoint(parts):
            return CACHE
        named = name in _NAMES_OF_OUT or whole in _OF_HYDRA
        if named or not (parts & out) <= _CKPT:
            return WRITTEN
        return NAMED if out.isdisjoint(parts) else CHECKPOINT
    return NAMED


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
            if program in BRINGS or program in _SAYS:
                found += [path for word in said if (path := _path(word.rpartition("=")[2]))]
    return found
