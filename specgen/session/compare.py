"""The jobs of two sessions beside each other: which are the same job, and what changed of each.

A job is known by its group, kind, namespace and name. Where one side does not write the namespace, that of the other
counts: kubectl puts a job into one that its manifest does not name. Jobs whose names differ in a hash at the end alone
are one job, which is created anew.
"""

from __future__ import annotations

import re

from specgen.checking import check
from specgen.diagnostics.model import ERROR
from specgen.diagnostics.secrets import masked, values
from specgen.document.tree import Document
from specgen.manifest.model import Manifest, key_of
from specgen.operators.difference import Side, difference
from specgen.operators.updates import ANEW, Effect
from specgen.pipeline import nowhere
from specgen.profile.resolve import HASH
from specgen.session.jobs import Job

# What a name of `metadata.suffix: hash` ends in.
_HASHED = re.compile(rf"-[0-9a-f]{{{HASH}}}\Z")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Key
    from specgen.operators.difference import Difference
    from specgen.profile.cluster import ClusterProfile
    from specgen.session import Session
    from specgen.session.jobs import Jobs

_UNMADE = "no job can be made of `{}`"


class Told:
    """A finding that one side has alone: severity, code, message."""

    __slots__ = ("code", "message", "severity")

    def __init__(self, finding: Finding, known: Sequence[str]) -> None:
        self.severity = finding.severity
        self.code = finding.code.id
        # known: texts of the job that are secrets
        self.message = masked(finding.message, known)


class Pair:
    """One job on both sides, or on one: ``old`` or ``new`` is None where it is not there.

    ``difference`` None: it is there on one side alone, or nothing changed. ``found`` and ``mended``: findings that come
    and that go with the change. ``also``: the job of another name that has the same content, where there is one.
    ``broken``: why it is not known what the other side has of it, so that the two are not compared.
    ``was``: its name before, where the job is created anew under another one, that differs in a hash at the end.
    """

    __slots__ = ("also", "broken", "difference", "found", "key", "mended", "new", "old", "was")

    def __init__(self, key: Key, old: Job | None, new: Job | None) -> None:
        self.key = key
        self.old = old
        self.new = new
        self.difference: Difference | None = None
        self.found: list[Told] = []
        self.mended: list[Told] = []
        self.also: Key | None = None
        self.was = ""
        self.broken = ""

    @property
    def is_changed(self) -> bool:
        """Whether it is another job now, or there on one side alone."""
        return self.old is None or self.new is None or self.difference is not None


def is_live(manifest: Manifest) -> bool:
    """Whether an object comes from a cluster: only the server gives it a ``uid`` or a ``resourceVersion``."""
    metadata = manifest.tree.get("metadata")
    return isinstance(metadata, dict) and ("uid" in metadata or "resourceVersion" in metadata)


def compare(old: Jobs, new: Jobs, sessions: tuple[Session, Session], *, only: str = "") -> list[Pair]:
    """Every job of either side, those of the new one first, in its order; what is gone behind them.

    only: ``old`` or ``new``, the side whose jobs are compared while further ones of the other side do not count.
    """
    pairs = _anew(matched(old, new))
    if only:
        pairs = [pair for pair in pairs if (pair.old if only == "old" else pair.new) is not None]
    for pair in pairs:
        job = pair.new or pair.old
        assert job is not None
        if pair.old is not None and pair.new is not None:
            pair.broken = _moved(pair.old, pair.new)
            if pair.broken:
                pair.old = None
                continue
            with sessions[1].trying(job.source):
                _compare(pair, pair.old, pair.new, old, new)
        elif pair.old is None:
            pair.broken = _broken(pair.key, job, old)
        else:
            pair.broken = _broken(pair.key, job, new)
    _name_renamed(pairs)
    return pairs


def _moved(old: Job, new: Job) -> str:
    """That a job went from one operator to another, as MPIJobs of v1 and v2beta1 are of two: no update does that."""
    if old.reader.operator is new.reader.operator:
        return ""
    first, second = (f"{one.reader.operator.name} serves {one.manifest.ref.api_version}" for one in (old, new))
    return f"{first}, and {second}: delete the job, install the other operator, create the job"


def _broken(key: Key, job: Job, other: Jobs) -> str:
    """That a file of the other side is one of which the job cannot be made: by its name, or that of its file."""
    file = job.file.rpartition("/")[2].rpartition(":")[2]
    if other.broken and not other.jobs:
        return _UNMADE.format(other.broken[0][0])
    for where, name in other.broken:
        if f"{key[3]}-".startswith(f"{name}-") if name else where.rpartition("/")[2].rpartition(":")[2] == file:
            return _UNMADE.format(where)
    return ""


def matched(old: Jobs, new: Jobs) -> list[Pair]:
    """The jobs of both sides, each with the one that it was."""
    before, after = _known(old.jobs), _known(new.jobs)
    # group, kind, name → those of the old side that have no other of the same namespace
    loose: dict[tuple[str, str, str], list[Key]] = {}
    for key in before:
        if key not in after:
            loose.setdefault((key[0], key[1], key[3]), []).append(key)
    pairs = []
    for key, job in after.items():
        was = before.pop(key, None)
        if was is None:
            near = [one for one in loose.get((key[0], key[1], key[3]), ()) if not (one[2] and key[2]) and one in before]
            was = before.pop(near[0]) if len(near) == 1 else None
        pairs.append(Pair(key, was, job))
    return pairs + [Pair(key, job, None) for key, job in before.items()]


def _anew(pairs: list[Pair]) -> list[Pair]:
    """The same, where a job that went and one that came are one job: with a hash of its content behind its name."""
    gone: dict[Key, list[Pair]] = {}
    came: dict[Key, list[Pair]] = {}
    for pair in pairs:
        if pair.old is None or pair.new is None:
            group, kind, namespace, name = pair.key
            plain = group, kind, namespace, _HASHED.sub("", name)
            (came if pair.old is None else gone).setdefault(plain, []).append(pair)
    joined: dict[int, None] = {}
    for plain, found in came.items():
        others = gone.get(plain, ())
        if len(found) == len(others) == 1:
            found[0].old, found[0].was = others[0].old, others[0].key[3]
            joined[id(others[0])] = None
    return [pair for pair in pairs if id(pair) not in joined]


def _renamed(manifest: Manifest, old: str, new: str) -> Manifest:
    """An object with another name of its job, wherever that stands."""

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {filled(key): filled(one) for key, one in value.items()}
        if isinstance(value, list):
            return [filled(one) for one in value]
        return named.sub(new, value) if isinstance(value, str) else value

    # no part of a longer word, nor what begins with the plain name and is called by it for good, as a claim
    named = re.compile(rf"(?<![\w-]){re.escape(old)}(?!\w)")
    if not _HASHED.search(old):
        named = re.compile(rf"(?<![\w./-]){re.escape(old)}\Z")
    return Manifest(filled(manifest.tree), manifest.where)


def _known(jobs: Sequence[Job]) -> dict[Key, Job]:
    """Of several jobs of one name the last counts, as it is applied last."""
    return {key_of(job.manifest): job for job in jobs}


def _compare(pair: Pair, old: Job, new: Job, before: Jobs, after: Jobs) -> None:
    beside = before.beside(old), after.beside(new)
    if pair.was:
        name = new.manifest.ref.name
        renamed = _renamed(old.manifest, pair.was, name)
        held = [_renamed(one, pair.was, name) for one in beside[0][1]]
        old = Job(renamed, old.source, old.reader, old.version, old.gang, old.cluster, old.ignored)
        beside = (held, held), (beside[1][1], beside[1][1])
    runtimes = [[one.tree for one in held] for _, held in beside]
    same = old.manifest.tree == new.manifest.tree and runtimes[0] == runtimes[1]
    live = [is_live(job.manifest) for job in (old, new)]
    known = _knowing(old, new, live)
    if same and not pair.was and (known[0].version, known[0].gang) == (known[1].version, known[1].gang):
        return
    sides = [
        Side(job.manifest, job.reader, of.version, gang=of.gang, companions=others, live=is_so)
        for job, of, (others, _), is_so in zip((old, new), known, beside, live, strict=True)
    ]
    found = difference(*sides)
    if found.is_none and not pair.was:
        return
    if pair.was:
        found.kept = []
        for row in found.rows:
            row.effect = Effect(ANEW, "")
    pair.difference = found
    if not (sides[0].live or sides[1].live):
        # what the server wrote into an object is no finding of what somebody wrote
        was, now = (
            _told(job, by.cluster, others) for job, by, (others, _) in zip(_alike(old, new), known, beside, strict=True)
        )
        pair.mended, pair.found = _findings(was, now, {*old.ignored, *new.ignored})


def _knowing(old: Job, new: Job, live: Sequence[bool]) -> tuple[Job, Job]:
    """The jobs by whose cluster each side is judged: who says no cluster has the operator that the other side says."""
    if live[0] != live[1]:
        return (new, new) if live[0] else (old, old)
    return old if old.cluster is not None else new, new if new.cluster is not None else old


def _alike(old: Job, new: Job) -> tuple[Manifest, Manifest]:
    """The manifests of both, as if nobody knew how they were written, where one of them was written as a profile.

    What a planner judges has other codes than what a reader of manifests finds: a change of the file is none of the
    job.
    """
    manifests = old.manifest, new.manifest
    if all([isinstance(one.where, Document) for one in manifests]):
        return manifests
    first, second = (Manifest(job.manifest.tree, nowhere(job.source)) for job in (old, new))
    return first, second


def _findings(
    was: dict[tuple[str, str], Told], now: dict[tuple[str, str], Told], ignored: Collection[str]
) -> tuple[list[Told], list[Told]]:
    """Findings that go, and findings that come, without warnings that a profile ignores."""
    codes = [{one.code for one in side.values()} for side in (was, now)]
    # numbers in a sentence may be others, and the finding the same
    mended = [one for one in was.values() if one.code not in codes[1]]
    found = [one for one in now.values() if one.code not in codes[0]]
    gone, came = ([one for one in side if one.severity == ERROR or one.code not in ignored] for side in (mended, found))
    return gone, came


def _told(
    manifest: Manifest, cluster: ClusterProfile | None, companions: Sequence[Manifest]
) -> dict[tuple[str, str], Told]:
    findings = check(manifest, cluster, companions)
    known = values(manifest.tree) if findings else []
    return {(one.code.id, one.message): Told(one, known) for one in findings or ()}


def _name_renamed(pairs: list[Pair]) -> None:
    """Tells a job that came from one that went where only the name is another."""
    gone = {_content(pair.old.manifest): pair for pair in pairs if pair.new is None and pair.old is not None}
    for pair in pairs if gone else ():
        other = gone.get(_content(pair.new.manifest)) if pair.old is None and pair.new is not None else None
        if other is not None:
            pair.also, other.also = other.key, pair.key


def _content(manifest: Manifest) -> str:
    """A job without its name, as a text."""
    from specgen.document.write import write_json

    name = manifest.ref.name
    tree: dict[str, Any] = {"kind": manifest.ref.kind, "spec": manifest.tree.get("spec")}
    # names of what comes with the job begin with its own
    return write_json(tree).replace(name, "NAME") if name else write_json(tree)
