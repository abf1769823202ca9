"""JobSet, ``jobset.x-k8s.io/v1alpha2``: what the JobSet controller takes and makes of it.

Read from kubernetes-sigs/jobset v0.12.0 (f22e565ac3cc): api/jobset/v1alpha2/jobset_types.go and the modules named
``_jobset_*`` here.
"""

from __future__ import annotations

from specgen.backends._jobset_spec import job_spec, number
from specgen.manifest.views import Role, Workload, mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.backends._expansion import Expansion
    from specgen.manifest.model import Manifest
    from specgen.source import Path

API_VERSION = "jobset.x-k8s.io/v1alpha2"
KIND = "JobSet"
SCHEMA = "jobset_v1alpha2"
OPERATOR = "jobset"
NEWEST = "0.12.0"
# Releases whose behaviour was read and recorded; another one is said to be unknown.
RELEASES: tuple[str, ...] = ("0.12",)


class ReplicatedJob(Role):
    """A role whose pods are those of several Jobs."""

    __slots__ = ()

    @property
    def replicas(self) -> int:
        """Pods of all its Jobs together."""
        return number(self.tree.get("replicas"), 1) * number(job_spec(self.tree).get("parallelism"), 1)

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
    workload = Workload(manifest, container=None, operator=OPERATOR, version=version or NEWEST)
    workload.refusals = refusals
    spec = mapping(manifest.tree.get("spec"))
    for index, job in enumerate(sequence(spec.get("replicatedJobs"))):
        name = mapping(job).get("name")
        if isinstance(job, dict):
            path = ("spec", "replicatedJobs", index)
            called = name if isinstance(name, str) else ""
            workload.roles.append(ReplicatedJob(workload, called, path, job, ("template", "spec", "template")))
    return workload


def absent_fields(version: str) -> frozenset[tuple[str, str]]:
    """None: only one version is known."""
    return frozenset()


def unique_lists(version: str) -> tuple[str, ...] | None:
    """All that the vendored schema holds unique."""
    return None


def expand(workload: Workload) -> Expansion:
    """What the JobSet controller creates. Never raises."""
    # loaded here: linting does not ask for it
    from specgen.backends._jobset_expand import expand as objects

    return objects(workload)


def refusals(workload: Workload) -> Iterator[tuple[Path, str, str, str]]:
    """(path, why, who, assumed) of what is refused, beyond what rules find (``_jobset_webhook``)."""
    # loaded here: expanding does not ask for it
    from specgen.backends._jobset_webhook import refusals as judged

    return judged(workload)
