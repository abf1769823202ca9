"""Jobs that one profile comes to, beside each other: its variants, and the choices of its matrix."""

from __future__ import annotations

import json

from specgen.diagnostics.model import listed, plural, shown
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.directories import OF_IMAGES, top
from specgen.profile.codes import SHARED_OUTPUT
from specgen.rules._mounted import OF_OBJECTS, mount_of, source_of
from specgen.rules._paths import OUTPUTS, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Workload
    from specgen.rules._paths import Use

# Volumes that each pod has for itself, or that nothing is written to.
_OWN = (*OF_OBJECTS, "emptyDir", "ephemeral", "image")
# Jobs that a message names.
_MOST = 4


def overwritten(workloads: Sequence[Workload]) -> Iterator[Finding]:
    """SG275, at the first job: one finding for each place of a volume that options or variables of several name."""
    written: dict[tuple[str, str], dict[str, tuple[Workload, Use]]] = {}
    for workload in workloads:
        for role in workload.roles:
            for container in role.containers() if role.replicas else ():
                for use in paths(container):
                    there = _there(container, use.path) if use.said in OUTPUTS else None
                    if there is not None:
                        written.setdefault(there, {}).setdefault(workload.manifest.ref.name, (workload, use))
    for jobs in written.values():
        if len(jobs) < 2:
            continue
        workload, use = next(iter(jobs.values()))
        names = [f"`{shown(name)}`" for name in jobs]
        more = len(names) - _MOST
        finding = SHARED_OUTPUT.at(
            use.place,
            f"{plural(len(jobs), 'job')} of this profile write to `{shown(use.path)}`",
            label="the same in each of them",
            notes=[f"one replaces what another has written: {listed(names[:_MOST])}" + _and(more)],
            helps=[_own(use.path)],
        )
        finding.where = workload.manifest.where
        yield finding


def _own(path: str) -> str:
    """What the path is to be, so that each job has its own."""
    stem, dot, ending = path.rpartition(".")
    if dot and "/" not in ending and ending.isalpha():
        return f"`{shown(stem)}-$<name>.{shown(ending)}` is a file of its own for each job, by its name"
    return f"`{shown(path)}/$<name>` is a folder of its own for each job, by its name"


def _and(more: int) -> str:
    return f", and {more} more" if more > 0 else ""


def _there(container: Container, path: str) -> tuple[str, str] | None:
    """(a volume that outlives its pods, the place in it) of a path; None where each pod has its own, or none is."""
    found = mount_of(container, path)
    if "$" in path or found is None:
        return None
    mount = found[1]
    source = source_of(container, mount)
    if not source or any(kind in source for kind in _OWN) or mount.get("subPathExpr"):
        return None
    # what images bring is of each node by itself
    host = mapping(source.get("hostPath")).get("path")
    if isinstance(host, str) and top(host) in OF_IMAGES:
        return None
    inside = f"{mount.get('subPath') or ''}/{path.removeprefix(mount['mountPath'].rstrip('/')).strip('/')}"
    return json.dumps(source, sort_keys=True, default=str), inside
