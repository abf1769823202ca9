"""A JobSet's spec as it is stored: defaults of the CRD and of the JobSet webhook, and the names that follow from it.

Read from kubernetes-sigs/jobset v0.12.0 (f22e565ac3cc): pkg/webhooks/jobset_webhook.go, pkg/util/placement, the CRD.
What installs it is a file of each release (Makefile, ``artifacts``): the tree itself names an image of the main branch.
"""

from __future__ import annotations

from marshal import dumps, loads

from specgen.diagnostics.suggest import similar
from specgen.manifest.views import mapping, sequence
from specgen.operators.release import Manifests, Operator, Release
from specgen.operators.trainer.facts import JOBSET_IMAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

API_VERSION = "jobset.x-k8s.io/v1alpha2"
# One version is known, and recorded.
OPERATOR = Operator(
    "jobset",
    (Release("0.12.0", own_images=(JOBSET_IMAGE,), tags={JOBSET_IMAGE: "v0.12.0"}),),
    manifests=Manifests(
        "github.com/kubernetes-sigs/jobset",
        "manifests.yaml",
        namespace="jobset-system",
        deployment="jobset-controller-manager",
        container="manager",
        words="args",
        released=True,
    ),
    comes_with="trainer",
)
WEBHOOK = "the validating webhook of JobSet"
PREFIX = "jobset.sigs.k8s.io/"
EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"
BY_SELECTOR = "alpha.jobset.sigs.k8s.io/node-selector"
# Keys of the controller's own, which nobody writes (api/jobset/v1alpha2/jobset_types.go).
_OWN = ("alpha.jobset.sigs.k8s.io/namespaced-job", "alpha.jobset.sigs.k8s.io/no-schedule")


def copied(value: Any) -> Any:
    """A deep copy of a plain tree, in which nothing is shared: a third of the time that a walk in Python takes."""
    return loads(dumps(value, 2))  # version 2 writes what is shared as often as it is met


def opened(value: Any, path: tuple[str, ...]) -> Any:
    """A tree in which the mappings on a path, through all items of lists, may be changed; the rest is the old one's."""
    if isinstance(value, list):
        return [opened(item, path) for item in value]
    if not isinstance(value, dict):
        return value
    tree = dict(value)
    if path and path[0] in tree:
        tree[path[0]] = opened(tree[path[0]], path[1:])
    return tree


def number(value: Any, unsaid: int) -> int:
    """A whole number, ``unsaid`` where there is none; YAML's ``2.0`` is one, as in JSON."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else unsaid


def text(value: Any) -> str:
    """The value if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def template_of(job: Any) -> dict[str, Any]:
    """The Job template of a replicated job."""
    return mapping(mapping(job).get("template"))


def job_spec(job: Any) -> dict[str, Any]:
    """The Job's spec of a replicated job."""
    return mapping(template_of(job).get("spec"))


def pod_template(job: Any) -> dict[str, Any]:
    """The pod template of a replicated job."""
    return mapping(job_spec(job).get("template"))


def pod_spec(job: Any) -> dict[str, Any]:
    """The pod's spec of a replicated job."""
    return mapping(pod_template(job).get("spec"))


def containers_of(job: Any, key: str = "containers") -> list[dict[str, Any]]:
    """The containers of a replicated job's pods."""
    return [mapping(one) for one in sequence(pod_spec(job).get(key))]


def with_crd_defaults(spec: dict[str, Any]) -> dict[str, Any]:
    """A copy with what both CRDs, that of JobSets and that of runtimes, fill in."""
    spec = mapping(copied(spec))
    for job in sequence(spec.get("replicatedJobs")):
        job.setdefault("groupName", "default")
        job.setdefault("replicas", 1)
        for key in ("containers", "initContainers"):
            for container in containers_of(job, key):
                for port in sequence(container.get("ports")):
                    mapping(port).setdefault("protocol", "TCP")
    if isinstance(spec.get("failurePolicy"), dict):
        spec["failurePolicy"].setdefault("restartStrategy", "Recreate")
    for policy in sequence(spec.get("volumeClaimPolicies")):
        if isinstance(mapping(policy).get("retentionPolicy"), dict):
            policy["retentionPolicy"].setdefault("whenDeleted", "Delete")
    return spec


def with_defaults(spec: dict[str, Any]) -> dict[str, Any]:
    """A copy as the API server stores it after the webhook."""
    spec = with_crd_defaults(spec)
    spec.setdefault("successPolicy", {"operator": "All"})
    spec.setdefault("startupPolicy", {"startupPolicyOrder": "AnyOrder"})
    network = spec["network"] = mapping(spec.get("network"))
    network.setdefault("enableDNSHostnames", True)
    network.setdefault("publishNotReadyAddresses", True)
    for index, rule in enumerate(sequence(mapping(spec.get("failurePolicy")).get("rules"))):
        if not rule.get("name"):
            rule["name"] = f"failurePolicyRule{index}"
    for policy in sequence(spec.get("volumeClaimPolicies")):
        policy.setdefault("retentionPolicy", {"whenDeleted": "Delete"})
    for job in sequence(spec.get("replicatedJobs")):
        own = job_spec(job)
        own.setdefault("completionMode", "Indexed")
        pod = pod_spec(job)
        if not pod.get("restartPolicy"):
            pod["restartPolicy"] = "OnFailure"
    return spec


def job_name(jobset: str, job: str, index: int) -> str:
    """The name of a Job of a replicated job."""
    return f"{jobset}-{job}-{index}"


def subdomain(name: str, spec: dict[str, Any]) -> str:
    """The name of the headless Service, empty where host names are off."""
    network = mapping(spec.get("network"))
    if network.get("enableDNSHostnames") is False:
        return ""
    return text(network.get("subdomain")) or name


def exclusive(annotations: dict[str, Any], job: Any) -> tuple[str, bool]:
    """(topology key of exclusive placement, whether node selectors bring it about); empty where it is off."""
    own = mapping(mapping(template_of(job).get("metadata")).get("annotations"))
    for tree in (annotations, own):
        if text(tree.get(EXCLUSIVE)):
            return text(tree.get(EXCLUSIVE)), BY_SELECTOR in tree
    return "", False


def pods_each(spec: dict[str, Any]) -> int:
    """Pods that a Job runs at first."""
    count = number(spec.get("parallelism"), 1)
    if "completions" in spec:
        count = min(count, number(spec["completions"], 1))
    return max(0, count)


def meant(key: str) -> str:
    """The annotation for topology that a key nearly is; empty where it is one, or like none."""
    read, name = (EXCLUSIVE, BY_SELECTOR), key.rpartition("/")[2]
    if key in (*read, *_OWN):
        return ""
    near = similar(name, [one.rpartition("/")[2] for one in read])
    # without `alpha.` others below the prefix are JobSet's own labels
    exact = f"alpha.{PREFIX}{name}"
    if not key.startswith("alpha."):
        return exact if exact in read else ""
    return f"alpha.{PREFIX}{near[0]}" if len(near) == 1 else ""
