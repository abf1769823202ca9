"""JobSet, ``jobset.x-k8s.io/v1alpha2``: what the JobSet controller takes and makes of it.

Read from kubernetes-sigs/jobset v0.12.0 (f22e565ac3cc): api/jobset/v1alpha2/jobset_types.go and the modules named
of this folder.
"""

from __future__ import annotations

from specgen.manifest.views import Role, Workload, mapping, sequence
from specgen.operators.jobset.facts import API_VERSION, OPERATOR, job_spec, number, pods_each
from specgen.operators.reader import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion
    from specgen.operators.lifecycle import Counted
    from specgen.operators.objection import Objection


class ReplicatedJob(Role):
    """A role whose pods are those of several Jobs."""

    __slots__ = ()

    @property
    def replicas(self) -> int:
        """Pods of all its Jobs together."""
        return number(self.tree.get("replicas"), 1) * pods_each(job_spec(self.tree))

    @property
    def pod(self) -> dict[str, Any]:
        """The pod's spec with the volumes that the controller adds for ``volumeClaimPolicies``."""
        pod, added = super().pod, []
        for policy in sequence(mapping(self.workload.manifest.tree.get("spec")).get("volumeClaimPolicies")):
            for template in sequence(mapping(policy).get("templates")):
                name = mapping(mapping(template).get("metadata")).get("name")
                added.append({"name": name, "persistentVolumeClaim": {"claimName": f"{name}-<name of the JobSet>"}})
        return {**pod, "volumes": [*sequence(pod.get("volumes")), *added]} if added else pod


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The JobSet as its controller sees it, a role for each replicated job. Never raises."""
    workload = Workload(manifest, container=None, operator=OPERATOR.name, version=version or OPERATOR.newest)
    spec = mapping(manifest.tree.get("spec"))
    for index, job in enumerate(sequence(spec.get("replicatedJobs"))):
        name = mapping(job).get("name")
        if isinstance(job, dict):
            path = ("spec", "replicatedJobs", index)
            called = name if isinstance(name, str) else ""
            workload.roles.append(ReplicatedJob(workload, called, path, job, ("template", "spec", "template")))
    return workload


def expand(workload: Workload) -> Expansion:
    """What the JobSet controller creates. Never raises."""
    # loaded here: linting does not ask for it
    from specgen.operators.jobset.pods import expand as objects

    return objects(workload)


def refusals(workload: Workload) -> Iterator[Objection]:
    """What is refused of it (``refusals``). Never raises."""
    # loaded here: reading does not ask for it
    from specgen.operators.jobset.refusals import refusals as judged

    return judged(workload)


def counted(roles: dict[str, tuple[int, str]], most: int | None = None) -> Counted | None:
    """What a limit on restarts counts of an incident: that of a Job (``jobset.lifecycle``)."""
    # loaded here: few jobs have a limit
    from specgen.operators.jobset.lifecycle import counted as count

    return count(roles, most)


READER = Reader(
    API_VERSION,
    "JobSet",
    schema="jobset_v1alpha2",
    operator=OPERATOR,
    read=read,
    expand=expand,
    refusals=refusals,
    counted=counted,
)
