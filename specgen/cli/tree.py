"""``build --out`` and ``--check``, and ``operators --out``: the tree on disk, and what there is to say about it."""

from __future__ import annotations

import os

from specgen.cli import exits
from specgen.cli.folder.standing import LINKED, read, standing
from specgen.cli.folder.update import unchanged, update
from specgen.cli.root import root
from specgen.diagnostics.model import WARNING, BadQuestion, Place, article, plural
from specgen.diagnostics.safe import printable
from specgen.emit import codes, kustomize, ownership, references
from specgen.emit import layout as layouts
from specgen.emit import tree as trees
from specgen.manifest.model import key_of
from specgen.operators import by_object
from specgen.operators.updates import REMEDY, WORDS
from specgen.pipeline import Text
from specgen.profile.codes import SAME_NAME
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from specgen.cli.terminal import Terminal
    from specgen.diagnostics.model import Code, Finding
    from specgen.emit.ownership import Owned
    from specgen.emit.tree import Change, Job
    from specgen.manifest.model import Bundle, Key
    from specgen.session import Session
    from specgen.session.replaced import Replaced, Untaken

    # a job's folder as text, and the objects beside it
    Laid: TypeAlias = tuple[Job, list[Key]]

# How to say what was edited, so that it stays.
_PATCHED = "say in the profile what was edited, with `patch` for instance"
# Changes of an object that are named, and jobs.
_MOST = 4
_KUSTOMIZED = "say what was edited in a kustomization of your own over this folder"


class Tree:
    """A folder of output and the jobs of this run for it.

    names: the files and folders of the command line, which say what this run covers; ``partial``: of each profile one
    variant alone. ``overlays``: the tree gets what overlays over it need. ``cluster``: the cluster profile that all
    jobs are given in place of their own.
    """

    __slots__ = (
        "_beside",
        "_cluster",
        "_force",
        "_jobs",
        "_names",
        "_overlays",
        "_partial",
        "_prune",
        "_session",
        "out",
    )

    def __init__(
        self,
        out: str,
        names: Sequence[str],
        session: Session,
        *,
        force: bool,
        prune: bool,
        partial: bool = False,
        overlays: bool = False,
        cluster: str | None = None,
    ) -> None:
        if not out:
            raise BadQuestion("`--out` names no folder")
        self.out = out
        self._names = names
        self._session = session
        self._force = force
        self._prune = prune
        self._partial = partial
        self._overlays = overlays
        self._cluster = _cluster(out)
        if cluster:
            # a path that leads out of the repository is this machine's
            self._cluster = from_here(out, cluster) if root(out).holds(os.path.realpath(cluster)) else ""
        self._jobs: list[Job] = []
        # objects beside the jobs → the folder that they come to
        self._beside: dict[Key, str] = {}

    def add(self, bundle: Bundle, profile: str) -> None:
        """Takes a job of the profile in a file, as text: what else is known of it may go."""
        self.take(laid(self.out, bundle, profile))

    def take(self, one: Laid) -> None:
        """Takes a job that was laid out for this folder."""
        job, beside = one
        self._jobs.append(job)
        self._beside.update(dict.fromkeys(beside, job.folder))

    def _seen(self, profile: str) -> str:
        """A profile of the tree's list, as seen from where the command runs."""
        return os.path.relpath(os.path.join(os.path.realpath(self.out), profile)).replace(os.sep, "/")

    def build(self) -> Change | None:
        """Writes the tree, unless something is found that keeps it from being written."""

        def decide() -> tuple[Change | None, Change | None]:
            change, listed, owned = self._change()
            doubled = self._doubled(change)
            found = self._conflicts(change, listed, owned, doubled) + _blocked(
                change, listed, self.out, _PATCHED, force=self._force
            )
            refused = {name for name, _, _ in doubled}
            found += [self._left(listed, name, profile) for name, profile in change.left.items() if name not in refused]
            old: dict[str, str] = {}
            found += self._untaken(change, listed, old) + self._replaced(change, listed, old)
            self._session.add(found)
            return (None, None) if self._session.failed else (change, change)

        return update(self.out, decide)

    def check(self) -> Change:
        """What ``build`` would do. By which way its cluster profile was named makes no tree stale."""
        self._cluster = _cluster(self.out)
        change, listed, owned = unchanged(self.out, self._change)
        change.states = [one for one in change.states if one[0] != trees.FOREIGN or not self._is_profile(one[1])]
        self._session.add(self._conflicts(change, listed, owned, self._doubled(change)))
        if os.path.lexists(os.path.join(self.out, ownership.JOURNAL)):
            change.states.insert(0, (trees.STALE, ownership.JOURNAL, "a build was ended here before its end"))
        return change

    def _change(self) -> tuple[Change, Source, Owned]:
        listed, owned = listing(self.out, ownership.BUILD, self._session)
        wanted = {*(owned or ()), ownership.FILE, kustomize.FILE}
        wanted |= {f"{job.folder}/{path}" for job in self._jobs for path in job.files}
        wanted |= {*layouts.layers(), *layouts.component()}
        fates = self._fates(owned or {})
        here = _standing(self.out, wanted)
        change = trees.change(
            here,
            owned,
            self._jobs,
            fates,
            force=self._force,
            prune=self._prune,
            overlays=self._overlays,
            cluster=self._cluster,
        )
        change.states = [
            (state, path, f"built from {self._seen(why)}" if state == trees.LEFT else why)
            for state, path, why in change.states
        ]
        return change, listed, owned or {}

    def _is_profile(self, path: str) -> bool:
        """Whether a strange file is what trees are built from: profiles may lie in the folder that they come to."""
        if not path.endswith((".yaml", ".yml")):
            return False
        text = (read(self.out, path) or b"").decode("utf-8", "replace")
        return any(line.startswith("apiVersion: specgen/") for line in text.splitlines())

    def _fates(self, owned: Owned) -> dict[str, str]:
        """What became of each profile that something in the tree was built from."""
        out = os.path.realpath(self.out)
        covered = [os.path.realpath(name) for name in self._names if name != "-"]
        built = {job.profile for job in self._jobs}
        fates = {ownership.NOBODY: trees.ELSEWHERE}
        listed = {profile for _, profile in owned.values()} - {ownership.NOBODY}
        # what a run sees of this checkout: a profile that lay there, and does not now, is gone
        known = {folder for one in built - {ownership.NOBODY} for folder in _around(out, one)}
        for profile in listed:
            real = os.path.realpath(os.path.join(out, profile))
            exists = os.path.isfile(real)
            if profile in built:
                fates[profile] = trees.THERE if self._partial else trees.BUILT
            elif any(real == name or real.startswith(f"{name.rstrip('/')}/") for name in covered):
                fates[profile] = trees.SILENT if exists else trees.GONE
            elif not exists and any(os.path.dirname(real) == name or real.startswith(name + os.sep) for name in known):
                fates[profile] = trees.ABSENT
            else:
                fates[profile] = trees.THERE if exists else trees.ELSEWHERE
        return fates

    def _doubled(self, change: Change) -> list[tuple[str, str, Key]]:
        """(folder that stays, folder of this run, object) of each object that both would bring.

        Files that stay are read where their names say that they hold an object of such a kind.
        """
        kinds = tuple(dict.fromkeys(kind.lower() for _, kind, _, _ in self._beside))
        built = {job.folder for job in self._jobs}
        found = []
        for path in ownership.read(change.files[ownership.FILE]) or () if kinds else ():
            folder, name = ownership.folder(path), path.rpartition("/")[2]
            if folder in built or folder.startswith("_") or not name.startswith(kinds):
                continue
            above, _, name = os.path.join(self.out, *path.split("/")).rpartition(os.sep)
            text = (read(above, name) or b"").decode("utf-8", "replace")
            keys = [key_of(one) for document in Text(Source(path, text)).objects for one in document]
            found += [(folder, self._beside[key], key) for key in keys if key in self._beside]
        return found

    def _conflicts(
        self, change: Change, listed: Source, owned: Owned, doubled: Sequence[tuple[str, str, Key]]
    ) -> list[Finding]:
        fates = self._fates(owned)
        found = []
        for name, profile in change.lost.items():
            file = self._seen(profile)
            message = {
                **dict.fromkeys(
                    (trees.GONE, trees.ABSENT), f"`{file}` is gone, and `{name}` in the tree was built from it"
                ),
                trees.SILENT: f"`{file}` is no job profile any more, and `{name}` in the tree was built from it",
            }.get(fates[profile], f"all files of `{name}` are gone, and the tree still lists it")
            helps = [f"`--prune` takes `{name}` out of the tree; a controller that prunes then deletes the job"]
            found.append(_at(codes.LOST_SOURCE, listed, f"{name}/", message, helps=helps))
            if fates[profile] == trees.ABSENT:
                found[-1].severity = WARNING  # this run is about other profiles, and leaves the job as it is
        for name, profile in change.taken.items():
            mine = next(job.profile for job in self._jobs if job.folder == name)
            message = f"`{self._seen(mine)}` comes to `{name}`, which was built from `{self._seen(profile)}`"
            helps = ["rename one of the jobs, or remove the profile that is not meant"]
            found.append(_at(codes.TAKEN_FOLDER, listed, f"{name}/", message, helps=helps))
        for name, other, (_, kind, namespace, called) in doubled:
            space = f" in the namespace `{namespace}`" if namespace else ""
            message = f"`{other}` and `{name}`, which stays in the tree, come to the {kind} `{called}`{space}"
            ways = ["only one of two jobs may create it"]
            if self._partial:
                ways = ["without `--variant` the first variant has what several share"]
            if name in change.left or name in change.lost:
                ways = [f"`--prune` takes `{name}` out of the tree; a controller that prunes then deletes the job"]
            notes = ["kustomize refuses a tree that holds an object twice"]
            found.append(_at(SAME_NAME, listed, f"{name}/", message, notes, ways))
        return found

    def _left(self, listed: Source, name: str, profile: str) -> Finding:
        message = f"`{name}` stays in the tree, though `{self._seen(profile)}` no longer comes to it"
        helps = [f"`--prune` takes `{name}` out of the tree; a controller that prunes then deletes the job"]
        now = [job.folder for job in self._jobs if job.profile == profile]
        notes = [f"it comes to {_and(now)} now, and both are applied"] if now else []
        return _at(codes.LEFT_JOB, listed, f"{name}/", message, notes, helps)

    def _untaken(self, change: Change, listed: Source, old: dict[str, str]) -> list[Finding]:
        """SG825 of each job of which a file is replaced that the cluster does not take as it becomes, and SG827.

        ``old``: path → the text there, as far as it was read.
        """
        replaced = {path for path in change.write if path in change.owned}
        found = []
        for job in self._jobs if replaced else ():
            names = [name for name in job.files if f"{job.folder}/{name}" in replaced]
            told = [one for name in names for one in self._fate(job, name, old)]
            refused = [one for each in told for one in each.refused]
            if refused:
                found.append(_at(codes.REFUSED_UPDATE, listed, f"{job.folder}/", *_refusal(refused)))
            # said beside it: once the refused change is taken back, the tree no longer differs in these
            unreached = [one for each in told for one in each.unreached]
            apart = [one for each in told for one in each.apart]
            if unreached or apart:
                found.append(_at(codes.UNREACHED_UPDATE, listed, f"{job.folder}/", *_unreached(unreached, apart)))
        return found

    def _replaced(self, change: Change, listed: Source, old: dict[str, str]) -> list[Finding]:
        """SG826 of each job that was one of another kind: the old one is deleted by whoever prunes."""
        gone: dict[str, list[str]] = {}
        for path in (*change.remove, *(path for path in change.write if path in change.owned)):
            gone.setdefault(path.rpartition("/")[0], []).append(path)
        found = []
        for job in self._jobs if gone else ():
            now = [one for one in map(_kind, job.files.values()) if one] if job.folder in gone else []
            for path in gone[job.folder] if now else ():
                was = _kind(self._before(path, old))
                if was and was not in now:
                    message = f"`{job.folder}` becomes {_title(now[0], was)}: it was {_title(was, now[0])}"
                    notes = ["whoever prunes deletes the old job with its pods; whoever does not runs both"]
                    helps = ["let the old job end, or delete it, before the tree is applied"]
                    found.append(_at(codes.REPLACED_JOB, listed, f"{job.folder}/", message, notes, helps))
        return found

    def _fate(self, job: Job, name: str, old: dict[str, str]) -> list[Replaced]:
        from specgen.session.replaced import replaced

        path = f"{job.folder}/{name}"
        before = self._before(path, old)
        return [replaced(path, before, job.files[name], job.version)] if before else []

    def _before(self, path: str, old: dict[str, str]) -> str:
        """The text at a path of the tree; empty for what kustomize reads alone."""
        if path not in old:
            above, _, file = os.path.join(self.out, *path.split("/")).rpartition(os.sep)
            text = b"" if file in (kustomize.FILE, references.FILE) else read(above, file) or b""
            old[path] = text.decode("utf-8", "replace")
        return old[path]


def _kind(text: str) -> tuple[str, str] | None:
    """(apiVersion, kind) of the job that a file of specgen's own holds, whose first lines they are; None: no job."""
    lines = [line.partition(": ") for line in text.split("\n", 3)[:3] if not line.startswith("#")]
    said = {key: value for key, _, value in lines}
    key = said.get("apiVersion", ""), said.get("kind", "")
    return key if by_object(*key) is not None else None


def _title(one: tuple[str, str], other: tuple[str, str]) -> str:
    """A kind, with its version where another one has the same name."""
    return article(one[1]) if one[1] != other[1] else f"{article(one[1])} of `{one[0]}`"


def _around(out: str, profile: str) -> list[str]:
    """The folder of a profile, and those above it that do not hold the tree as well."""
    found = [os.path.dirname(os.path.realpath(os.path.join(out, profile)))]
    shared = os.path.commonpath([out, found[0]])
    while shared not in (found[-1], above := os.path.dirname(found[-1])):
        found.append(above)
    return found


def _refusal(refused: Sequence[Untaken]) -> tuple[str, list[str], list[str]]:
    """The message of SG825, its notes, and its helps."""
    said = [
        f"{one.effect.by} does not let {_and(one.what)} of {_named(one)} change: {one.effect.why}" for one in refused
    ]
    message, *more = said
    notes = [*more, "what is applied together with it may not be applied either: Flux and Argo CD stop there"]
    jobs = [by_object(one.manifest.ref.api_version, one.manifest.ref.kind) is not None for one in refused]
    helps = [REMEDY] if any(jobs) else []
    helps += [] if all(jobs) else ["what has another name is another object: the one that is there stays as it is"]
    return message, notes, helps


def _unreached(unreached: Sequence[Untaken], apart: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """The message of SG827, its notes, and its helps."""
    said = [f"{_and(one.what)} of {_named(one)} {WORDS[one.effect.how]}: {one.effect.why}" for one in unreached]
    message, *more = [*said, *apart]
    notes = [*more, "the update is taken, and nothing says that the job runs on as it was"] if unreached else more
    return message, notes, [REMEDY]


def _named(one: Untaken) -> str:
    ref = one.manifest.ref
    return f"the {ref.kind} `{f'{ref.namespace}/{ref.name}' if ref.namespace else ref.name}`"


def _and(what: Sequence[str]) -> str:
    """Things that changed; no list of everything."""
    shown_ = [f"`{one}`" for one in what[:_MOST]] + ([f"{len(what) - _MOST} more"] if len(what) > _MOST else [])
    return shown_[0] if len(shown_) == 1 else f"{', '.join(shown_[:-1])} and {shown_[-1]}"


def laid(out: str, bundle: Bundle, profile: str, version: str = "") -> Laid:
    """A job of the profile in a file, as the text of its folder below ``out``, and the objects beside it."""
    job = trees.Job(layouts.folder_name(bundle), from_here(out, profile), layouts.folder(bundle), version)
    return job, [key_of(one) for one in bundle.manifests if one is not bundle.job]


def remembered(out: str) -> str:
    """The cluster profile that the last build gave all jobs of a tree, as seen from here; empty: each had its own.

    Raises BadQuestion where the list leads out of the repository: who may edit it may not choose what is read.
    """
    cluster = _cluster(out)
    if not cluster:
        return ""
    there = os.path.join(os.path.realpath(out), cluster)
    if not root(out).holds(os.path.realpath(there)):
        said = printable(cluster)
        raise BadQuestion(
            f"{out}: its cluster profile `{said}` lies outside of the repository", "name it by `--cluster`"
        )
    return os.path.relpath(there).replace(os.sep, "/")


def _cluster(out: str) -> str:
    return ownership.cluster((read(out, ownership.FILE) or b"").decode("utf-8", "replace"))


def listing(out: str, verb: str, session: Session) -> tuple[Source, Owned | None]:
    """The list of what a verb wrote into a folder, and what it lists; None: it is no list, or there is none.

    Raises BadQuestion where another verb wrote the folder: each takes out what it does not write itself.
    """
    name = os.path.join(out, ownership.FILE)
    data = read(out, ownership.FILE)
    text = "" if data is None else data.decode("utf-8", "replace")
    session.texts[name] = text
    other = ownership.verb(text)
    if other not in ("", verb):
        raise BadQuestion(f"{out}: `specgen {other}` wrote this folder: choose another one")
    return Source(name, text), ownership.read(text)


def _standing(out: str, wanted: Collection[str]) -> dict[str, str]:
    """What stands in a folder, as ``standing``; raises BadQuestion where a link is in the way."""
    here = standing(out, wanted)
    for path, kind in here.items():
        if kind == trees.LINK and any(one.startswith(f"{path}/") for one in wanted):
            raise BadQuestion(f"{out}/{path}: {LINKED}")
    return here


def write_whole(out: str, files: Mapping[str, str], profile: str, session: Session, *, force: bool) -> Change | None:
    """Writes all that ``specgen operators`` made of the cluster profile in a file, unless something is in the way."""
    if not out:
        raise BadQuestion("`--out` names no folder")
    named = from_here(out, profile)

    def decide() -> tuple[Change | None, Change | None]:
        listed, owned = listing(out, ownership.OPERATORS, session)
        here = _standing(out, {*(owned or ()), ownership.FILE, *files})
        change = trees.whole(here, owned, files, named, force=force)
        session.add(_blocked(change, listed, out, _KUSTOMIZED, force=force))
        return (None, None) if session.failed else (change, change)

    return update(out, decide)


def from_here(out: str, name: str) -> str:
    """A file as seen from a tree: no path of the machine, and the same wherever the command ran."""
    if name.startswith("<"):
        return ownership.NOBODY
    return os.path.relpath(os.path.realpath(name), os.path.realpath(out)).replace(os.sep, "/")


def _blocked(change: Change, listed: Source, out: str, says: str, *, force: bool) -> list[Finding]:
    """SG823: the foreign files that keep a tree from being written; ``says``: how to say what was edited."""
    found = []
    for path, why in change.blocked.items():
        if why == trees.EDITED:
            helps = [f"{says}; `--force` overwrites it"]
        elif force:
            helps = ["move it out of the tree: no build takes it away"]
        else:
            helps = ["move it out of the tree, or `--force` overwrites it"]
            if not listed.text:
                helps.append("a tree from before specgen listed its files is best removed and built anew")
        # a file that the list does not know is a place of its own
        where = listed if f" {path}" in listed.text else Source(os.path.join(out, *path.split("/")), "")
        found.append(_at(codes.FOREIGN_FILE, where, path, f"`{path}` is in the way: {why}", helps=helps))
    return found


def _at(
    code: Code, listed: Source, path: str, message: str, notes: Sequence[str] = (), helps: Sequence[str] = ()
) -> Finding:
    """A finding at the line of the list that names a path, or begins with it."""
    from specgen.pipeline import nowhere

    at = max(listed.text.find(f" {path}") + 1, 0)
    end = min((listed.text + "\n").find("\n", at), at + len(path)) if at else 0
    return code.at(Place((), offsets=(at, end), where=nowhere(listed)), message, notes=[*notes], helps=[*helps])


def say_written(out: str, change: Change, terminal: Terminal) -> None:
    """One line on what was done: how many files, and which jobs came, went, or are others than before."""
    from specgen.diagnostics.model import listed

    gone = f", {len(change.remove)} removed" if change.remove else ""
    touched, was, now = (_folders(paths) for paths in ((*change.write, *change.remove), change.owned, change.files))
    sorts = {
        # in a tree that begins all are
        "new": [name for name in touched if name not in was] if was else [],
        "changed": [name for name in touched if name in was and name in now],
        "removed": [name for name in touched if name not in now],
    }
    said = "".join(f"; {word}: {listed(names, most=_MOST)}" for word, names in sorts.items() if names)
    terminal.say(
        f"{plural(change.jobs, 'job')} in {out}: {plural(len(change.write), 'file')} written{gone}, "
        f"{len(change.files) - len(change.write)} unchanged{said}"
    )


def _folders(paths: Iterable[str]) -> dict[str, None]:
    """The folders of jobs that paths of a tree lead into, in order."""
    return dict.fromkeys(name for path in paths if (name := ownership.folder(path)) and not name.startswith("_"))


def say_checked(out: str, change: Change, terminal: Terminal) -> int:
    """The list of what is not as built, and what cures it."""
    if not change.states:
        if not terminal.quiet:
            terminal.say(f"{plural(len(change.files), 'file')} in {out} up to date")
        return exits.GOOD
    for state, path, why in change.states:
        more = f": {why}" if why else ""
        terminal.answer(printable(f"{state:<8} {path}{more}") + "\n")
    states = [state for state, _, _ in change.states]
    cures = []
    if trees.STALE in states or trees.MISSING in states:
        cures.append(f"`specgen build … --out {out}` writes what is stale or missing")
    if trees.LEFT in states:
        cures.append("`--prune` takes out the jobs that are left")
    if trees.FOREIGN in states:
        ways = "`--force` overwrites it where it is in the way" if change.blocked else "only you can move it out"
        cures.append(f"what is foreign specgen leaves alone: {ways}")
    terminal.say(f"{plural(len(states), 'file')} in {out} not as built; {'; '.join(cures)}")
    return exits.BAD
