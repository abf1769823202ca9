"""Volcano Job, ``batch.volcano.sh/v1alpha1``: what Volcano's webhooks and controller take and make of it.

Read from volcano-sh/volcano v1.15.1: staging/src/volcano.sh/apis/pkg/apis/batch/v1alpha1/job.go, and the modules named
of this folder.
"""

from __future__ import annotations

from specgen.manifest.views import Role, Workload, mapping, sequence
from specgen.operators.reader import Reader
from specgen.operators.volcano.facts import API_VERSION, OPERATOR, task_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion
    from specgen.operators.lifecycle import Counted
    from specgen.operators.objection import Objection


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The Job as Volcano sees it, a role for each task. Never raises."""
    workload = Workload(manifest, container=None, operator=OPERATOR.name, version=version or OPERATOR.newest)
    spec = mapping(manifest.tree.get("spec"))
    paths = [mapping(volume).get("mountPath") for volume in sequence(spec.get("volumes"))]
    workload.added_mounts = tuple([path for path in paths if isinstance(path, str)])
    for index, task in enumerate(sequence(spec.get("tasks"))):
        if isinstance(task, dict):
            path = ("spec", "tasks", index)
            workload.roles.append(Role(workload, task_name(task, index), path, task, default_replicas=0))
    return workload


def expand(workload: Workload) -> Expansion:
    """What Volcano creates. Never raises."""
    # loaded here: linting does not ask for it
    from specgen.operators.volcano.pods import expand as objects

    return objects(workload)


def sent(role: Role) -> dict[str, Any]:
    """A pod of a task as the controller sends it. Never raises."""
    # loaded here: reading does not ask for it
    from specgen.operators.volcano.pods import sent as made

    return made(role)


def refusals(workload: Workload) -> Iterator[Objection]:
    """What is refused of it (``refusals``). Never raises."""
    # loaded here: reading does not ask for it
    from specgen.operators.volcano.refusals import refusals as judged

    return judged(workload)


def counted(roles: dict[str, tuple[int, str]], most: int | None = None) -> Counted | None:
    """What ``maxRetry`` counts of an incident (``lifecycle``)."""
    # loaded here: few jobs have a limit
    from specgen.operators.volcano.lifecycle import counted as count

    return count(roles, most)


READER = Reader(
    API_VERSION,
    "Job",
    schema="job_v1alpha1",
    operator=OPERATOR,
    read=read,
    expand=expand,
    refusals=refusals,
    sent=sent,
    counted=counted,
)
