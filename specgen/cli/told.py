"""What a person at a terminal is told of a job that was built: what it is, what was added to it, what to do next."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion, Instance
    from specgen.pipeline import Compiled

# Roles that start the processes of others, by the names that MPI's operators give them.
_LAUNCHER = "launcher"
# Fields of pods that say where these go.
_PLACING = frozenset({"nodeSelector", "schedulerName", "tolerations"})
# Additions of a sort that are named; a line is no list of everything.
_MOST = 4
# Sorts of additions, in the order in which they are told.
_SORTS = ("devices ", "", "variables ", "placing by ")


def told(compiled: Compiled, chosen: str, out: str | None) -> list[str]:
    """Three sentences, each for a line, on a job.

    chosen: the profile and the options with which it was built, as a shell takes them. out: the folder of its files,
    None where they went to a stream. The sentences are read from the manifest and from what its operator makes of it.
    """
    assert compiled.bundle is not None
    expansion = _expansion(compiled)
    job = compiled.bundle.job
    first = f"{job.ref.kind} {job.ref.name}"
    if expansion is not None and expansion.instances:
        first += f": {_shape(expansion)}"
        if compiled.reader is not None and compiled.reader.programs:
            first += f"; expects in the image: {', '.join(compiled.reader.programs)}"
    said: dict[str, list[str]] = {}
    for manifest in compiled.bundle.manifests:
        for sort, what in _added(manifest):
            if what not in said.setdefault(sort, []):
                said[sort].append(what)
    added = [sort + _some(said[sort]) for sort in _SORTS if said.get(sort)]
    why = f"`specgen explain {chosen}` says why"
    lines = [first, f"added: {'; '.join(added) or 'nothing but what the operator needs'}; {why}"]
    lines.append(f"next: {_next(compiled, chosen, out)}")
    return lines


def counted(jobs: Sequence[Compiled], profile: str) -> str:
    """How many jobs came of a profile with variants, and whether the job without one is among them."""
    names = _some([compiled.job.name for compiled in jobs])
    plain = [compiled for compiled in jobs if compiled.job.variant is None]
    line = f"{len(jobs)} jobs of {profile}: {names}"
    if not plain:
        return line
    return f"{line}; `{plain[0].job.name}` is the job without a variant, which `variantsOnly: true` leaves out"


def _expansion(compiled: Compiled) -> Expansion | None:
    """What the operator makes of the job; None where that is not known."""
    from specgen.operators.expand import expand_manifest

    assert compiled.bundle is not None
    plan, reader = compiled.plan, compiled.reader
    version = reader.answering(plan.version) if reader is not None and plan is not None else ""
    if reader is None or plan is None or not version:
        return None
    # a job that its queue lets begin is what the profile says
    expansion, findings = expand_manifest(
        compiled.bundle.job,
        reader,
        version,
        companions=[*compiled.bundle.manifests, *plan.existing],
        resumed=True,
    )
    return None if any(one.severity == ERROR for one in findings) else expansion


def _shape(expansion: Expansion) -> str:
    """How many pods of what there are, which ranks run where, and who waits for whom."""
    groups: dict[str, list[Instance]] = {}
    for one in expansion.instances:
        groups.setdefault(one.role, []).append(one)
    kinds = {role: _devices(members[0]) for role, members in groups.items()}
    alike = len(set(kinds.values())) == 1
    pods = plural(len(expansion.instances) + expansion.left_out, "pod")
    same = next(iter(kinds.values())) if alike else ""
    ranked = [one.ranks for one in expansion.instances if one.ranks is not None]
    count = len(expansion.instances)
    if ranked and not expansion.left_out:
        ranks = max(last for _, last in ranked) + 1
        if len(ranked) == count and ranks % count == 0:
            pods += f" × {plural(ranks // count, 'process')}"
        pods += (" = " if "×" in pods else ", ") + plural(ranks, "rank")
    if same:
        pods += f", each pod with {same}" if count > 1 else f", with {same}"
    roles = []
    for role, members in groups.items():
        known = [one.ranks for one in members if one.ranks is not None]
        parts = [kinds[role]] if kinds[role] and not alike else []
        if len(known) == len(members):
            low, high = known[0][0], known[-1][1]
            parts.append(f"rank {low}" if low == high else f"ranks {low}-{high}")
        roles.append(f"{len(members)} × {role}" + (f" ({', '.join(parts)})" if parts else ""))
    waits = _waits(expansion)
    return f"{pods}: {', '.join(roles)}" + (f"; {waits}" if waits else "")


def _devices(one: Instance) -> str:
    return " and ".join(f"{amount} {name}" for name, amount in one.devices.items() if amount)


def _waits(expansion: Expansion) -> str:
    if any(one.role.lower() == _LAUNCHER for one in expansion.instances):
        return "the launcher starts the processes in the others"
    # a place that is the pod itself is nobody's to wait at
    meets = list(dict.fromkeys(one.rendezvous for one in expansion.instances if one.rendezvous[:8] != "<status."))
    if len(expansion.instances) == 1 or len(meets) != 1 or not meets[0]:
        return ""
    if all(one.ranks is not None for one in expansion.instances):
        return f"all wait for one another at {meets[0]}"
    return f"they meet at {meets[0]}"


def _added(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """(one of ``_SORTS``, what) of what stands in pods by the cluster profile, a device's needs, or by itself."""
    from specgen.manifest.asked import origin_of, units, value_at
    from specgen.manifest.origins import Copied, Origins

    origins = manifest.where
    if not isinstance(origins, Origins) or isinstance(origins, Copied):
        return  # somebody wrote the whole object
    for path in units(manifest):
        parts = [step for step in path if isinstance(step, str)]
        origin = origin_of(manifest, path)
        if origin is None or not parts:
            continue
        _, place, reason = origin
        value = value_at(manifest.tree, path)
        foreign = place is None or (place.where is not None and place.where is not origins.default)
        item = value if isinstance(value, dict) else {}
        if "limits" in parts and "/" in parts[-1]:
            yield "devices ", parts[-1]
        elif parts[-2:] == ["capabilities", "add"] and isinstance(value, list):
            yield "", f"{', '.join(map(str, value))} ({reason.partition(',')[0]})"
        elif parts[-1] == "volumeMounts" and item.get("mountPath") == "/dev/shm":
            yield "", "/dev/shm"
        elif parts[-1] == "env" and "name" in item and (foreign or "preload" in reason):
            yield "variables ", str(item["name"])
        elif foreign and (placing := _PLACING.intersection(parts)):
            yield "placing by ", min(placing)


def _some(names: list[str]) -> str:
    more = f", {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more


def _next(compiled: Compiled, chosen: str, out: str | None) -> str:
    from specgen.emit.layout import folder_name

    assert compiled.bundle is not None
    job = compiled.bundle.job
    generated = not job.tree.get("metadata", {}).get("name")
    if out is not None:
        here = f"{out}/{folder_name(compiled.bundle)}"
        return f"`git add {out}` and a commit, where Argo CD or Flux follow it, or `kubectl apply -k {here}`"
    if generated:
        return f"`specgen build {chosen} | kubectl create -f -`, which makes a new name each time"
    return f"`specgen build {chosen} | kubectl apply -f -`, or `--out DIR` for a repository that Argo CD or Flux follow"
