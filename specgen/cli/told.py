"""What a person at a terminal is told of a job that was built: what it is, what was added to it, what to do next."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, listed, plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion, Instance
    from specgen.pipeline import Compiled
    from specgen.session.jobs import Job

# Roles that start the processes of others, by the names that MPI's operators give them.
_LAUNCHER = "launcher"
# Additions that are named; a line is no list of everything.
_MOST = 5


def told(compiled: Compiled, profile: str, out: str | None) -> list[str]:
    """Three sentences, each for a line, on the job of a profile; ``out``: the folder of its files, None for a stream.

    They are read from the manifest and from what its operator makes of it, so they say nothing that is not built.
    """
    assert compiled.bundle is not None
    expansion = _expansion(compiled)
    job = compiled.bundle.job
    first = f"{job.ref.kind} {job.ref.name}"
    if expansion is not None and expansion.instances:
        first += f": {_shape(expansion)}"
    lines = [first]
    added = list(dict.fromkeys(_added(job)))
    if added:
        more = [f"{len(added) - _MOST} more"] if len(added) > _MOST else []
        lines.append(f"added: {'; '.join([*added[:_MOST], *more])} (`specgen explain {profile}` says why)")
    else:
        lines.append(f"added: nothing but what the operator needs (`specgen explain {profile}` says why)")
    lines.append(f"next: {_next(compiled, profile, out)}")
    return lines


def _expansion(compiled: Compiled) -> Expansion | None:
    """What the operator makes of the job; None where that is not known."""
    from specgen.operators.expand import expand_manifest

    assert compiled.bundle is not None
    plan, reader = compiled.plan, compiled.reader
    if reader is None or plan is None or not reader.speaks_for(plan.version):
        return None
    # a job that its queue lets begin is what the profile says
    expansion, findings = expand_manifest(
        compiled.bundle.job,
        reader,
        plan.version,
        companions=[*compiled.bundle.manifests, *plan.existing],
        resumed=True,
    )
    return None if any(one.severity == ERROR for one in findings) else expansion


def _shape(expansion: Expansion) -> str:
    """How many pods of what there are, which ranks run where, and who waits for whom."""
    pods = len(expansion.instances) + expansion.left_out
    groups: dict[tuple[str, ...], list[Instance]] = {}
    for one in expansion.instances:
        groups.setdefault((one.role, *(f"{amount} {name}" for name, amount in one.devices.items())), []).append(one)
    ranks = [one.ranks for one in expansion.instances if one.ranks is not None]
    total = f", {plural(max(last for _, last in ranks) + 1, 'rank')}" if ranks and not expansion.left_out else ""
    each = []
    for (role, *devices), members in groups.items():
        of = f" with {' and '.join(devices)} each" if devices and len(members) > 1 else ""
        of = f" with {' and '.join(devices)}" if devices and not of else of
        known = [one.ranks for one in members if one.ranks is not None]
        where = ""
        if len(known) == len(members):
            low, high = known[0][0], known[-1][1]
            where = f" ({'rank' if low == high else 'ranks'} {low if low == high else f'{low}-{high}'})"
        each.append(f"{len(members)} {role}{of}{where}")
    waits = _waits(expansion)
    return f"{plural(pods, 'pod')}{total}: {listed(each, 'and')}" + (f"; {waits}" if waits else "")


def _waits(expansion: Expansion) -> str:
    launchers = [one for one in expansion.instances if one.role.lower() == _LAUNCHER]
    if launchers:
        return "the launcher starts the processes in the others by ssh, once these answer"
    meets = list(dict.fromkeys(one.rendezvous for one in expansion.instances if one.rendezvous))
    if len(expansion.instances) > 1 and len(meets) == 1:
        return f"all wait for one another at {meets[0]}"
    return ""


def _added(job: Manifest) -> Iterator[str]:
    """What stands in pods by the cluster profile or by itself, once for all roles."""
    from specgen.manifest.asked import origin_of, units, value_at
    from specgen.manifest.origins import Origins

    origins = job.where
    assert isinstance(origins, Origins)
    for path in units(job):
        parts = [step for step in path if isinstance(step, str)]
        origin = origin_of(job, path)
        if origin is None or "template" not in parts:
            continue
        _, place, reason = origin
        value = value_at(job.tree, path)
        foreign = place is not None and place.where is not None and place.where is not origins.default
        if "limits" in parts and "/" in parts[-1]:
            yield f"{parts[-1]} {value}"
        elif parts[-2:] == ["capabilities", "add"]:
            yield f"{', '.join(map(str, value))} ({reason.partition(',')[0]})"
        elif parts[-1] == "volumeMounts" and isinstance(value, dict) and value.get("mountPath") == "/dev/shm":
            yield "/dev/shm"
        elif parts[-1] == "env" and isinstance(value, dict) and (foreign or place is None or "preload" in reason):
            yield str(value["name"])
        elif "tolerations" in parts or "nodeSelector" in parts or parts[-1] == "schedulerName":
            if foreign or place is None:
                yield parts[parts.index("spec", parts.index("template")) + 1]


def _next(compiled: Compiled, profile: str, out: str | None) -> str:
    assert compiled.bundle is not None
    job = compiled.bundle.job
    generated = not job.tree.get("metadata", {}).get("name")
    if out is not None:
        return f"`git add {out}` and commit what Argo CD or Flux follow, or `kubectl apply -k {out}/{job.ref.name}`"
    if generated:
        return f"`specgen build {profile} | kubectl create -f -`, which makes a new name each time"
    return f"`specgen build {profile} | kubectl apply -f -`, or `--out DIR` for a repository that Argo CD or Flux follow"
