"""A Job of Kubernetes itself (``batch/v1``): what the API server refuses of it, and the names of its pods.

It is no kind that is read in full: nobody knows what it is for. What is said of it is certain of every Job.
Read from Kubernetes 1.36, pkg/apis/batch/validation/validation.go (ValidateJobSpec, validateJobSpec) and
pkg/controller/job/indexed_job_utils.go.
"""

from __future__ import annotations

from specgen.manifest.views import Role, Workload, mapping, sequence
from specgen.operators.kubernetes.admission import refusals as pod_refusals
from specgen.operators.kubernetes.job import refusals as job_refusals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from specgen.manifest.model import Manifest
    from specgen.operators.kubernetes.reason import Reason

JOB = ("batch/v1", "Job")
# The controller, as an operator is named.
BATCH = "the Job controller"
# Hosts that are named of a Job, which may have any number of pods.
_MOST = 10_000


def read(manifest: Manifest) -> Workload:
    """The Job as a workload of one role; its pods are those that run at a time."""
    workload = Workload(manifest, container=None, operator=BATCH, version="")
    spec = mapping(manifest.tree.get("spec"))
    workload.roles = [Role(workload, "pod", ("spec",), spec, default_replicas=_count(spec))]
    return workload


def _count(spec: dict[str, object]) -> int:
    numbers = [spec.get(word) for word in ("completions", "parallelism")]
    known = [one for one in numbers if isinstance(one, int) and not isinstance(one, bool)]
    return min(known, default=1)


def hosts(workload: Workload) -> dict[str, str]:
    """Host name → subdomain, empty where none is said, of the pods that have names of their own."""
    spec, name = workload.roles[0].tree, workload.manifest.ref.name
    domain = workload.roles[0].pod.get("subdomain")
    if spec.get("completionMode") != "Indexed":
        return {}
    count = spec.get("completions")
    total = count if isinstance(count, int) and not isinstance(count, bool) else workload.roles[0].replicas
    return {f"{name}-{index}": domain if isinstance(domain, str) else "" for index in range(min(total, _MOST))}


def headless(workload: Workload, services: Iterable[Manifest]) -> Iterator[str]:
    """Services that answer for the hosts of the Job's pods, once these name one as their ``subdomain``.

    Pods have their Job's name as labels (pkg/controller/job/job_controller.go, and pkg/registry/batch/job).
    """
    ref, role = workload.manifest.ref, workload.roles[0]
    name = {word: ref.name for word in ("job-name", "batch.kubernetes.io/job-name")}
    labels = {**mapping(mapping(role.template.get("metadata")).get("labels")), **name}
    for one in services:
        spec = mapping(one.tree.get("spec"))
        selector = mapping(spec.get("selector"))
        near = (one.ref.namespace or "default") == (ref.namespace or "default")
        if near and spec.get("clusterIP") == "None" and selector and selector.items() <= labels.items():
            yield one.ref.name


def refusals(manifest: Manifest) -> Iterator[Reason]:
    """What the API server refuses of a Job and of its pods, whatever it is for; nothing without containers."""
    spec = mapping(manifest.tree.get("spec"))
    template = mapping(spec.get("template"))
    pod = mapping(template.get("spec"))
    lists = [sequence(pod.get(word)) for word in ("initContainers", "containers")]
    if not lists[1] or any([not isinstance(one, dict) for containers in lists for one in containers]):
        return
    yield from job_refusals(spec, manifest.ref.name, mode="NonIndexed", restarts="Always")
    for reason in pod_refusals({"metadata": mapping(template.get("metadata")), "spec": pod}):
        reason.path = ("spec", "template", *reason.path)
        yield reason
