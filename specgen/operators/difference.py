"""A job before and after → what changed, in words, what that makes of it, and what the update does to one that runs."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR
from specgen.diagnostics.secrets import masked, values
from specgen.manifest.model import Manifest
from specgen.manifest.prune import NOTHING, prune, without_nulls
from specgen.manifest.views import mapping, sequence
from specgen.operators.changes import Change, changes
from specgen.operators.compared import ABSENT
from specgen.operators.controllers import MARKS
from specgen.operators.expand import expand_manifest
from specgen.operators.kubernetes.objects import SERVER
from specgen.operators.kubernetes.stored import default
from specgen.operators.slower import slower
from specgen.operators.updates import (
    EFFECTS,
    IN_PLACE,
    LATER,
    NEVER,
    REFUSED,
    RESTARTS,
    Effect,
    Update,
    effects,
)
from specgen.operators.worded import Row, at, rows
from specgen.operators.written import pod_at, stored, stored_runtime
from specgen.schema.files import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.operators.expansion import Expansion
    from specgen.operators.reader import Reader


class Side:
    """A job as one side has it: its reader, the version and the gang flag of its operator, what stands beside it.

    ``live``: it comes from a cluster, with what the server, operators and Kueue write into it.
    """

    __slots__ = ("companions", "gang", "live", "manifest", "reader", "version")

    def __init__(
        self,
        manifest: Manifest,
        reader: Reader,
        version: str,
        *,
        gang: str | None = None,
        companions: Sequence[Manifest] = (),
        live: bool = False,
    ) -> None:
        self.manifest = manifest
        self.reader = reader
        self.version = version
        self.gang = gang
        self.companions = companions
        self.live = live


class Difference:
    """What changed of a job.

    ``rows``: what is written otherwise, with the effect of each change; ``facts``: what comes of the job, (what,
    before, after); ``slower``: sentences; ``kept``: variables that pods which run keep while pods that are created
    have others, (name, before, after); ``refused``: why the new one is refused as a whole, by whomever. ``versions``:
    of its operator before and after; ``roles``: those that it has now.
    """

    __slots__ = ("facts", "generated", "kept", "operator", "refused", "roles", "rows", "slower", "versions")

    def __init__(self, operator: str, versions: tuple[str, str]) -> None:
        self.operator = operator
        self.versions = versions
        self.rows: list[Row] = []
        self.facts: list[tuple[str, str, str]] = []
        self.slower: list[str] = []
        self.kept: list[tuple[str, str, str]] = []
        self.refused: list[str] = []
        self.roles: list[str] = []
        # the API server makes its name, and each time it is created another one
        self.generated = False

    @property
    def is_none(self) -> bool:
        """Whether nothing is another thing."""
        return not (self.rows or self.facts or self.versions[0] != self.versions[1])

    @property
    def effect(self) -> Effect | None:
        """The worst that any change does; None: no change does anything."""
        found = sorted((row.effect for row in self.rows), key=lambda one: EFFECTS.index(one.how))
        return found[0] if found else None

    def of(self, how: str) -> list[Row]:
        """The rows whose changes do so."""
        return [row for row in self.rows if row.effect.how == how]

    @property
    def verdict(self) -> str:
        """What the update is as a whole: an effect of ``updates``."""
        if self.refused:
            return REFUSED
        worst = self.effect
        return IN_PLACE if worst is None else worst.how

    @property
    def restarts(self) -> bool:
        """Whether pods of a job that runs are deleted by the update."""
        return not self.refused and self.verdict == RESTARTS

    @property
    def needs_new(self) -> bool:
        """Whether the job has to be created anew, or under another name, to have all of it."""
        return bool(not self.refused and (self.of(REFUSED) or self.of(NEVER) or self.of(LATER) or self.kept))


def difference(old: Side, new: Side) -> Difference:
    """What changed from one side of a job to the other."""
    live = old.live or new.live
    only = old.live - new.live
    update, changed = _updated(old, new)
    before, after = update.old, update.new
    found = Difference(new.reader.operator.name, (old.version, new.version))
    found.generated = not mapping(new.manifest.tree.get("metadata")).get("name")
    found.roles = [role.name for role in after.roles]
    known = values([before.manifest.tree, after.manifest.tree])
    changed += _of_runtime(before, after, only, live=live)
    # how large it is comes first
    found.rows = sorted(rows(update, changed, known), key=lambda row: row.what != "pods")
    found.slower = slower(before, after)
    if not found.rows and old.version == new.version and not _beside(before, after, only, live=live):
        return found
    (was, _), (now, why) = _expanded(before, old), _expanded(after, new)
    found.facts = [one for one in _facts(was, now) if not _is_said(one, found)]
    if now is None or not now.objects:
        found.refused = [masked(one, known) for one in why]
    if any(row.what == "pods" and row.effect.how == IN_PLACE for row in found.rows):
        kept = _kept(was, now, after)
        found.kept = [(name, masked(own, known), masked(other, known)) for name, own, other in kept]
    return found


def refusals(old: Side, new: Side) -> list[Row]:
    """The changes of a job that are refused of one that is there."""
    update, changed = _updated(old, new)
    known = values([update.old.manifest.tree, update.new.manifest.tree])
    return rows(update, [(one, effect) for one, effect in changed if effect.how == REFUSED], known)


def _updated(old: Side, new: Side) -> tuple[Update, list[tuple[Change, Effect]]]:
    """Both sides as they are compared, and what changed of the job with what that does."""
    before, after = (_workload(one, live=old.live or new.live) for one in (old, new))
    update = Update(new.reader, before, after)
    trees = before.manifest.tree, after.manifest.tree
    only = old.live - new.live
    found = effects(update)
    return update, [one for one in found if not _is_none(one[0], trees, new.reader, only, after.gang)]


def _workload(side: Side, *, live: bool) -> Workload:
    """The job as it is stored, without what is there by default; of a live one without what others wrote as well."""
    reader, version = side.reader, side.version
    spelled = reader.as_newest(side.manifest.tree, version)
    if live:
        # a live object has no field that its CRD does not know
        absent = reader.absent_fields(version) if spelled is side.manifest.tree else NOTHING
        schema = load(f"k8s/{reader.api_version.partition('/')[0]}/{reader.schema}.json")
        tree, _ = prune(schema, spelled, absent)
    else:
        tree = without_nulls(spelled)
    workload = reader.read(Manifest(stored(reader, tree, live=live), side.manifest.where), version)
    reader.with_runtime(workload, side.companions)
    workload.gang = side.gang
    return workload


def _expanded(workload: Workload, side: Side) -> tuple[Expansion | None, list[str]]:
    """What comes of a job, as it is resumed, and why nothing does: by whom, and the reason."""
    expansion, findings = expand_manifest(
        workload.manifest,
        side.reader,
        side.version,
        lenient=True,
        gang=side.gang,
        companions=side.companions,
        resumed=True,
    )
    if expansion is None:
        return None, [f"{SERVER}: {one.message}" for one in findings if one.severity == ERROR]
    return expansion, [f"{one.by}: {one.reason}" for one in expansion.refusals]


def _is_none(
    change: Change, trees: tuple[dict[str, Any], dict[str, Any]], reader: Reader | None, only: int, gang: str | None
) -> bool:
    """Whether a value that one side alone has is what the other has without saying it.

    reader: of the job; None: the trees are runtimes. only: 1 where the old side alone comes from a cluster, -1 where
    the new one does. gang: where the operator gives pods that name no scheduler one.
    """
    if (change.old is ABSENT) is (change.new is ABSENT):
        return _is_one_amount(change)
    silent, value = (trees[0], change.new) if change.old is ABSENT else (trees[1], change.old)
    if len(change.path) == 3 and change.path[0] == "metadata" and only == (1 if change.new is ABSENT else -1):
        marks = MARKS.get((str(change.path[1]), str(change.path[2])))
        return marks is not None and marks in ("", value)
    length = pod_at(change.path, reader)
    if not length or (change.path[length] == "schedulerName" and (gang is not None or _is_volcano(reader))):
        return False
    theirs = default(mapping(at(silent, change.path[:length])), change.path[length:])
    return theirs is not ABSENT and type(theirs) is type(value) and bool(theirs == value)


def _is_one_amount(change: Change) -> bool:
    """Whether an amount of a container is only spelled otherwise, and compares as the same."""
    if change.path[-2:-1] not in (("limits",), ("requests",)):
        return False
    from specgen.quantity import nano

    old, new = nano(change.old), nano(change.new)
    return old is not None and old == new


def _is_volcano(reader: Reader | None) -> bool:
    """Whether pods that name no scheduler get the one of their job."""
    return reader is not None and reader.kind == "Job"


def _of_runtime(old: Workload, new: Workload, only: int, *, live: bool) -> list[tuple[Change, Effect]]:
    """Changes of the runtime of a TrainJob, at paths below its kind."""
    runtimes = [_runtime(one) for one in (old, new)]
    if runtimes[0] is None or runtimes[1] is None or runtimes[0].tree == runtimes[1].tree:
        return []
    from specgen.operators.trainer.updates import of_runtime

    effect = of_runtime()
    before, after = (stored_runtime(one.tree, live=live) for one in (runtimes[0], runtimes[1]))
    found = [one for one in changes(before, after) if not _is_none(one, (before, after), None, only, new.gang)]
    return [(Change((runtimes[1].ref.kind, *one.path), one.old, one.new), effect) for one in found]


def _beside(old: Workload, new: Workload, only: int, *, live: bool) -> bool:
    """Whether the runtime is another one."""
    one, other = _runtime(old), _runtime(new)
    if one is None or other is None:
        return one is not other
    return one.tree != other.tree and bool(_of_runtime(old, new, only, live=live))


def _runtime(workload: Workload) -> Manifest | None:
    from specgen.operators.trainer.facts import RUNTIMES

    name = mapping(mapping(workload.manifest.tree.get("spec")).get("runtimeRef")).get("name")
    found = [one for one in workload.companions if one.ref.kind in RUNTIMES and one.ref.name == name]
    return found[-1] if found else None


def _facts(old: Expansion | None, new: Expansion | None) -> list[tuple[str, str, str]]:
    """What comes of the job otherwise: ranks, pods, devices, the least of a gang."""
    if old is None or new is None or not old.objects or not new.objects:
        return []
    found = []
    for what, asked in (("ranks", _ranks), ("pods", _pods), ("devices", _devices), ("gang", _gang)):
        was, now = asked(old), asked(new)
        if was != now:
            found.append((what, was, now))
    return found


def _is_said(fact: tuple[str, str, str], found: Difference) -> bool:
    """Whether a row of the job, or of its only role, says a fact; where nobody wrote a side of it, the row gets it."""
    what, *sides = fact
    for row in found.rows:
        is_whole = row.what == what and (not row.roles or len(found.roles) < 2)
        if is_whole and all(one in ("", other) for one, other in zip((row.old, row.new), sides, strict=True)):
            row.old, row.new = sides
            return True
    return False


def _ranks(expansion: Expansion) -> str:
    known = [one.ranks for one in expansion.instances if one.ranks is not None]
    return str(max(last for _, last in known) + 1) if known and not expansion.left_out else ""


def _pods(expansion: Expansion) -> str:
    return str(len(expansion.pods) + expansion.left_out)


def _devices(expansion: Expansion) -> str:
    total: dict[str, int] = {}
    for one in expansion.instances:
        for name, amount in one.devices.items():
            total[name] = total.get(name, 0) + amount
    return "" if expansion.left_out else ", ".join(f"{amount} {name}" for name, amount in total.items() if amount)


def _gang(expansion: Expansion) -> str:
    """The least that starts, as ``minAvailable`` says it; of several groups of each."""
    groups = [tree for tree in expansion.others if tree["kind"] == "PodGroup"]
    return ", ".join(str(tree["spec"].get("minMember")) for tree in groups)


def _kept(old: Expansion | None, new: Expansion | None, after: Workload) -> list[tuple[str, str, str]]:
    """Variables of the operator's own that a pod which stays has otherwise than it would be created with now."""
    if old is None or new is None:
        return []
    written = {name for role in after.roles for one in role.containers() for name in one.env}
    before = {tree["metadata"]["name"]: tree for tree in old.pods}
    found: dict[str, tuple[str, str]] = {}
    for tree in new.pods:
        was = before.get(tree["metadata"]["name"])
        if was is not None:
            own, now = _environment(was), _environment(tree)
            for name, value in now.items():
                if name not in written and name in own and own[name] != value:
                    found.setdefault(name, (own[name], value))
    return [(name, was, now) for name, (was, now) in found.items()]


def _environment(pod: dict[str, Any]) -> dict[str, str]:
    return {
        str(entry.get("name")): str(entry["value"])
        for container in sequence(pod["spec"].get("containers"))
        for entry in sequence(mapping(container).get("env"))
        if "value" in mapping(entry)
    }
