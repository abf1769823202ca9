"""What an output tree becomes: a function of what stands there, what is owned, and what was built.

Files that specgen wrote, and nobody changed since, are its own: they are replaced, and taken away where they are no
longer built. Everything else is foreign and stays as it is; where it is in the way, nothing is written at all. Jobs of
other runs stay, and stay listed: only ``prune`` takes a job away, and only one that is certain to be built no more.
"""

from __future__ import annotations

from specgen.emit import ownership
from specgen.emit.kustomize import FILE, OTHERS, former
from specgen.emit.layout import LAYERS, OVERLAYS, on_top

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from specgen.emit.ownership import Owned

    # path → digest of a regular file, or one of the words below
    Standing: TypeAlias = Mapping[str, str]

# What else can stand at a path: a regular file whose bytes nobody asked for, a link, a device or the like, a folder.
UNREAD, LINK, ODD, FOLDER = "unread", "link", "odd", "folder"

# What became of the profile that a job was built from: it was built in this run; this run covers the place where it
# lay, and there is none, or none that is built; it is no part of this run, and lies there, lay beside a profile of this
# run and does not any more, or cannot be seen from here.
BUILT, GONE, SILENT, THERE, ABSENT, ELSEWHERE = "built", "gone", "silent", "there", "absent", "elsewhere"

EDITED, _UNKNOWN = "edited since specgen wrote it", "specgen did not write it"

STALE, MISSING, FOREIGN, LEFT = "stale", "missing", "foreign", "left"


class Job:
    """A job of this run: its folder, the profile that it comes from, and its files by their paths in the folder.

    ``version``: of its operator, empty where nobody says it.
    """

    __slots__ = ("files", "folder", "profile", "version")

    def __init__(self, folder: str, profile: str, files: Mapping[str, str], version: str = "") -> None:
        self.folder = folder
        self.profile = profile
        self.files = files
        self.version = version


class Change:
    """What a tree becomes.

    ``files``: path → text of all that this run writes or keeps; ``write`` and ``remove``: the paths of those that
    change. ``states``: (state, path, why) of all that is not as built, in order; ``blocked``: path → why of the foreign
    ones that are in the way. ``left``, ``lost``: folder → profile of jobs that are no longer built, by a profile that
    was built, or because it was lost. ``taken``: folder → profile of jobs that another profile comes to as well.
    ``jobs``: how many are listed. ``standing``: how many files and folders there are.
    """

    __slots__ = ("blocked", "files", "jobs", "left", "lost", "owned", "remove", "standing", "states", "taken", "write")

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.write: list[str] = []
        self.remove: list[str] = []
        self.states: list[tuple[str, str, str]] = []
        self.blocked: dict[str, str] = {}
        self.left: dict[str, str] = {}
        self.lost: dict[str, str] = {}
        self.taken: dict[str, str] = {}
        self.owned: Owned = {}
        self.jobs = 0
        self.standing = 0

    @property
    def between(self) -> str:
        """The ownership of a tree that is half written: of each file both sides are specgen's own."""
        listed = self.files[ownership.FILE]
        own = ownership.read(listed) or {}
        both = dict(self.owned)
        for path, (digests, profile) in own.items():
            both[path] = ((*both.get(path, ((), ""))[0], *digests), profile)
        return ownership.write(both, ownership.verb(listed), ownership.cluster(listed))


def change(
    standing: Standing,
    owned: Owned | None,
    jobs: Sequence[Job],
    fates: Mapping[str, str],
    *,
    force: bool = False,
    prune: bool = False,
    overlays: bool = False,
    cluster: str = "",
) -> Change:
    """The change that the jobs of a run make.

    standing: all that stands in the tree, with the digests of what is owned or will be written. owned: None where no
    file says so. fates: the profiles of ``owned`` → ``BUILT``, ``GONE``, …
    overlays: the tree gets what overlays over it need; one that has it keeps it, until its folder is removed.
    cluster: the cluster profile of all jobs, as ``ownership.cluster`` has it.
    """
    result = Change()
    result.owned = owned or {}
    kept = _kept(result, standing, {job.folder: job.profile for job in jobs}, fates, prune)
    new: Owned = {path: result.owned[path] for folder in kept for path in kept[folder]}
    for job in jobs:
        for path, text in job.files.items():
            result.files[f"{job.folder}/{path}"] = text
            new[f"{job.folder}/{path}"] = ((ownership.digest(text.encode()),), job.profile)
    folders = {*kept, *(job.folder for job in jobs)}
    result.jobs = len(folders)
    above = on_top(folders, new)
    if overlays or any(path in standing and path.startswith(f"{OVERLAYS}/") for path in result.owned):
        from specgen.emit.overlays import component  # few trees have it

        above.update(component())
    for path, text in above.items():
        result.files[path] = text
        new[path] = ((ownership.digest(text.encode()),), ownership.NOBODY)
    result.files[ownership.FILE] = ownership.write(new, cluster=cluster)
    _compare(result, standing, owned, new, force)
    return result


def whole(standing: Standing, owned: Owned | None, files: Mapping[str, str], profile: str, *, force: bool) -> Change:
    """The change of a tree that one run of ``specgen operators`` writes all of, from one cluster profile.

    What an earlier run wrote and this one does not is taken out.
    """
    result = Change()
    result.owned = owned or {}
    result.files = dict(files)
    new: Owned = {path: ((ownership.digest(text.encode()),), profile) for path, text in files.items()}
    result.files[ownership.FILE] = ownership.write(new, ownership.OPERATORS)
    _compare(result, standing, owned, new, force)
    return result


def _kept(
    result: Change, standing: Standing, built: Mapping[str, str], fates: Mapping[str, str], prune: bool
) -> dict[str, list[str]]:
    """Owned folder → its paths, for the jobs of other runs that stay."""
    kept = {}
    for folder, paths in ownership.by_folder(result.owned).items():
        if folder in ("", LAYERS, OVERLAYS):
            continue
        profile = result.owned[paths[0]][1]
        fate = fates.get(profile, ELSEWHERE)
        if folder in built:
            if fate == THERE and profile != built[folder]:
                result.taken[folder] = profile
            continue
        if not any(path in standing for path in paths):
            fate = GONE  # whoever removed it meant the job, but the list of jobs still names it
        if fate in (BUILT, GONE, SILENT, ABSENT):
            if prune:
                continue
            (result.left if fate == BUILT else result.lost)[folder] = profile
        kept[folder] = paths
    return kept


def _compare(result: Change, standing: Standing, owned: Owned | None, new: Owned, force: bool) -> None:
    """Holds what shall be there against what is."""
    twins = _twins(standing)
    states = result.states
    result.standing = len(standing)
    for path in sorted(result.files):
        state, why = _state(path, result.files[path], standing, owned)
        twin = _other(path, standing) or (_twin(path, twins, result.owned) if state == MISSING else "")
        if twin:
            state, why = FOREIGN, twin
        if state:
            states.append((state, path, why))
            stays = twin or standing.get(path) == FOLDER or _behind(path, standing)
            if state == FOREIGN and (stays or not force):
                result.blocked[path] = why
            result.write.append(path)
    for path, (digests, _) in sorted(result.owned.items()):
        here = standing.get(path)
        if path in new:
            if path not in result.files and here is None:
                states.append((MISSING, path, ""))
        elif here is not None and here != FOLDER and not _behind(path, standing):
            known = here in digests
            states.append((STALE, path, "no longer built") if known else (FOREIGN, path, EDITED))
            if not known and not force:
                result.blocked[path] = EDITED
            result.remove.append(path)
    for path, here in standing.items():
        hidden = any(step.startswith(".") for step in path.split("/"))
        if here != FOLDER and not hidden and path not in new and path not in result.owned:
            states.append((FOREIGN, path, ""))
    for folder, profile in (result.left | result.lost).items():
        states.append((LEFT, folder, profile))
    states.sort(key=lambda one: (one[1], one[0]))


def _state(path: str, text: str, standing: Standing, owned: Owned | None) -> tuple[str, str]:
    """(state of a file that shall be there, why); empty where it is as it shall be."""
    behind = _behind(path, standing)
    if behind:
        return FOREIGN, behind
    here = standing.get(path)
    if here is None:
        return MISSING, ""
    if here == FOLDER:
        return FOREIGN, "it is a folder"
    if here == LINK:
        return FOREIGN, "it is a link, and nothing is written through links"
    if here == ODD:
        return FOREIGN, "it is no regular file"
    if here == ownership.digest(text.encode()):
        return "", ""
    if path == ownership.FILE:
        return (STALE, "") if owned is not None else (FOREIGN, _UNKNOWN)
    if owned is None:
        before = former(text) if path.rpartition("/")[2] == FILE else text
        return (STALE, "") if here == ownership.digest(before.encode()) else (FOREIGN, _UNKNOWN)
    if path not in owned:
        return FOREIGN, _UNKNOWN
    return (STALE, "") if here in owned[path][0] else (FOREIGN, EDITED)


def _behind(path: str, standing: Standing) -> str:
    """What is wrong with the folders above a path: one of them is a link or a file."""
    steps = path.split("/")[:-1]
    for end in range(1, len(steps) + 1):
        above = "/".join(steps[:end])
        here = standing.get(above, FOLDER)
        if here == LINK:
            return f"{above} is a link, and nothing is written through links"
        if here != FOLDER:
            return f"{above} is no folder"
    return ""


def _other(path: str, standing: Standing) -> str:
    """Which file keeps kustomize from reading a kustomization, empty: none."""
    folder, _, name = path.rpartition("/")
    for other in OTHERS if name == FILE else ():
        beside = f"{folder}/{other}" if folder else other
        if beside in standing:
            return f"{beside} stands beside it, and kustomize takes no two of them"
    return ""


def _twins(standing: Standing) -> dict[str, str]:
    """Paths as a file system sees them that takes no notice of case → as they are; only where the two differ."""
    return {path.casefold(): path for path in standing if path.casefold() != path}


def _twin(path: str, twins: Mapping[str, str], owned: Owned) -> str:
    """Why a file or one of its folders cannot stand beside what is there."""
    steps = path.split("/")
    for end in range(1, len(steps) + 1):
        other = twins.get("/".join(steps[:end]))
        if other is not None and other not in owned:
            return f"{other} differs from it by case alone, and Windows and macOS tell them not apart"
    return ""
