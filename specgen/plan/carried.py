"""Files that a job carries: one ConfigMap for all of its roles, each file mounted alone at its path."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, plural
from specgen.manifest.origins import Sourced
from specgen.plan.codes import FILES_TOO_LARGE
from specgen.plan.objects import Carried, Entry
from specgen.plan.pods import MountPoint
from specgen.profile import codes
from specgen.profile.library import unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.draft import RoleDraft
    from specgen.profile.mount import File
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.roles import RoleProfile

# What the API server takes as values of one ConfigMap (kubernetes 1.36, pkg/apis/core/validation: MaxSecretSize).
MOST_BYTES = 1024 * 1024
_VOLUME = "files"
# Less than the 253 characters of a key, so that a number fits behind it.
_LONGEST_KEY = 200


class Carrier:
    """The ConfigMap in the making, and which of its keys each role mounts at which paths."""

    __slots__ = ("_keys", "carried")

    def __init__(self, job: str) -> None:
        self.carried = Carried(f"{job}-files")
        self._keys: list[tuple[RoleProfile, dict[str, str]]] = []

    def keys(self, profile: RoleProfile) -> dict[str, str]:
        """Path in the container → key, for the role with this profile."""
        return next((keys for known, keys in self._keys if known is profile), {})

    def add(self, profile: RoleProfile, path: str, entry: Entry) -> None:
        """Files that are the same in all respects share a key; others of one name get a number."""
        entries = self.carried.entries
        stem, dot, ending = entry.base.rpartition(".")
        key, number = entry.base, 2
        while key in entries:
            known = entries[key]
            if (known.base, known.data, known.mode) == (entry.base, entry.data, entry.mode):
                break
            key = f"{stem}-{number}.{ending}" if dot and stem else f"{entry.base}-{number}"
            number += 1
        entries.setdefault(key, entry)
        if not any(other is profile for other, _ in self._keys):
            self._keys.append((profile, {}))
        self.keys(profile)[path] = key

    def seal(self) -> None:
        """Ends the name with what the files hold: another text is another object, and running pods keep theirs."""
        # loaded here: no other job needs it
        from hashlib import sha256

        entries = self.carried.entries
        digest = sha256()
        for key in sorted(entries):
            data = entries[key].data
            digest.update(f"{key}\n{len(data)}\n".encode())
            digest.update(data)
        self.carried.name += f"-{digest.hexdigest()[:10]}"


def carry(job: ResolvedJob, roles: list[RoleDraft]) -> tuple[Carrier | None, list[Finding]]:
    """All files of a job, read. Findings: SG202, SG207, and SG215 where a ConfigMap cannot hold them."""
    carrier = Carrier(job.name)
    findings: list[Finding] = []
    seen: list[RoleProfile] = []
    for role in roles:
        if any(role.profile is other for other in seen):
            continue
        seen.append(role.profile)
        for path, file in role.profile.words.files.items():
            entry = _entry(job, role.profile, path, file, findings)
            if entry is not None:
                carrier.add(role.profile, path, entry)
    if not carrier.carried.entries:
        return None, findings
    findings += _size(carrier.carried)
    carrier.seal()
    return carrier, findings


def _entry(job: ResolvedJob, profile: RoleProfile, path: str, file: File, findings: list[Finding]) -> Entry | None:
    said = ("files", path)
    if (file.from_ is None) == (file.text is None):
        message = (
            f"the file `{path}` has `from` and `text`" if file.text is not None else f"the file `{path}` has no content"
        )
        related = [
            (profile.place((*said, key), KEY), "one content") for key in ("from", "text") if file.text is not None
        ]
        helps = [] if related else ["write `from: <path of a file>`, or `text`"]
        findings.append(codes.CONTRADICTION.at(profile.place(said, KEY), message, related=related, helps=helps))
        return None
    base = path.rpartition("/")[2]
    if base in ("", ".", ".."):
        findings.append(
            codes.CONTRADICTION.at(profile.place(said, KEY), f"the path `{path}` names a folder, not a file")
        )
        return None
    reason = f"`files`: `{path}`"
    if file.text is not None:
        return Entry(_key(base), file.text.encode(), file.mode, profile.place((*said, "text")), reason)
    place = profile.place((*said, "from"))
    assert file.from_ is not None
    at = profile.layers.origin(profile.texts.written((*said, "from")))
    data, problems = job.library.content(file.from_, at.document)
    findings += [unusable(file.from_, place, problem) for problem in problems]
    return None if data is None else Entry(_key(base), data, file.mode, place, reason)


def text_of(profile: RoleProfile, path: str) -> str | None:
    """The text of a file that a role carries, by the path at which its program finds it; None: it carries none there.

    What is wrong with the file is said where it is carried.
    """
    if path and not path.startswith("/"):
        path = f"{(profile.words.workdir or '').rstrip('/')}/{path.removeprefix('./')}"
    file = profile.words.files.get(path)
    if file is None or file.from_ is None:
        return file.text if file is not None else None
    at = profile.layers.origin(profile.texts.written(("files", path, "from")))
    data, _ = profile.job.library.content(file.from_, at.document)
    try:
        return data.decode() if data is not None else None
    except ValueError:
        return None


def _key(base: str) -> str:
    """A file name as a key: letters, digits, ``-``, ``_`` and ``.``, and no two dots at the beginning."""
    key = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-_.") else "-" for sign in base)[:_LONGEST_KEY]
    return "-" + key[1:] if key.startswith("..") else key


def _size(carried: Carried) -> list[Finding]:
    total = sum(len(entry.data) for entry in carried.entries.values())
    if total <= MOST_BYTES:
        return []
    largest = max(carried.entries.values(), key=lambda entry: len(entry.data))
    several = len(carried.entries) > 1
    message = f"the job carries more than {MOST_BYTES:,} bytes in {plural(len(carried.entries), 'file')}"
    notes = ["the API server refuses a ConfigMap that holds more"]
    helps = ["put the file on a file system that the pods mount, or into the image"]
    label = "the largest of them" if several else ""
    return [FILES_TOO_LARGE.at(largest.place, message, label=label, notes=notes, helps=helps)]


def mount_files(role: RoleDraft, carrier: Carrier) -> list[Finding]:
    """Adds the role's files to its volumes and mounts, each alone, so that the rest of its folder stays visible."""
    keys = carrier.keys(role.profile)
    findings: list[Finding] = []
    if not keys:
        return findings
    carried, entries = carrier.carried, carrier.carried.entries
    first = entries[next(iter(keys.values()))]
    source: dict[str, Any] = {"name": carried.name}
    if any(entries[key].mode is not None for key in keys.values()):
        source["items"] = [_item(key, entries[key].mode) for key in dict.fromkeys(keys.values())]
    volume = role.add_volume(_VOLUME, {"configMap": source}, Sourced(_VOLUME, first.place, first.reason))
    # a path, or one above it → the first mount there
    taken: dict[str, tuple[str, Place | None]] = {}
    for mount in role.mounts:
        _take(taken, mount.path, mount.said.place)
    for path, key in keys.items():
        place = role.profile.place(("files", path), KEY)
        if path in taken:
            other, where = taken[path]
            related = [(where, f"`{other}`")] if where is not None else []
            what = "another thing at the same path" if other.rstrip("/") == path else f"the mount `{other}` below it"
            message = f"the file `{path}` contradicts {what}"
            findings.append(codes.CONTRADICTION.at(place, message, related=related))
        _take(taken, path, place)
        said = Sourced(path, place, f"`files`: `{path}` alone, so that the rest of its folder stays visible")
        role.mounts.append(MountPoint(path, volume, False, key, said))
    return findings


def _take(taken: dict[str, tuple[str, Place | None]], path: str, place: Place | None) -> None:
    """Takes a path of a mount, and all above it."""
    at = len(path.rstrip("/"))
    while at > 0 and path[:at] not in taken:
        taken[path[:at]] = path, place
        # no file system takes a longer one
        at = path.rfind("/", 0, min(at, 4096))


def _item(key: str, mode: int | None) -> dict[str, Any]:
    return {"key": key, "path": key, **({} if mode is None else {"mode": mode})}
