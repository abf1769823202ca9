"""What the mpi-operator creates for an MPIJob v2beta1: Workers, and the launcher's batch Job with its pod.

Read from kubeflow/mpi-operator release-0.8 (b10758d), v0.6.0 and v0.4.0: pkg/controller/{mpi_job_controller,
podgroup}.go; the launcher's pod from pkg/controller/job/utils.go of Kubernetes 1.36.
"""

from __future__ import annotations

from specgen.manifest.model import ObjectRef
from specgen.manifest.prune import without_nulls
from specgen.manifest.views import mapping, sequence
from specgen.operators import gang as _gang
from specgen.operators.expansion import Expansion, Instance, Refusal
from specgen.operators.kubernetes.admission import pod_refusal
from specgen.operators.kubernetes.command import command, devices, environment
from specgen.operators.kubernetes.names import RANDOM, known
from specgen.operators.kubernetes.objects import SERVER, name_of, owned
from specgen.operators.mpi.facts import (
    LAUNCHER_IS_FIRST,
    LAUNCHER_WORDS,
    ONE_SERVICE,
    OPERATOR,
    REPLACES_FAILED,
    RESTARTS,
    SSH_PATH,
    idle,
    workers,
)
from specgen.operators.mpi.hosts import Hosts
from specgen.operators.mpi.lifecycle import lifecycle
from specgen.operators.mpi.mpirun import ranks
from specgen.operators.mpi.refusals import refusals
from specgen.operators.queues import COSCHEDULING_GROUP, VOLCANO_GROUP, VOLCANO_QUEUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Workload

_PREFIX = "training.kubeflow.org/"
_ATTEMPTS = "-o ConnectionAttempts=10"
_HOSTFILE = "/etc/mpi/hostfile"
# The API server cuts the prefix of a generated name to leave room for five letters.
_LONGEST_PREFIX = 58


class _Job:
    """An MPIJob after the operator's defaults."""

    __slots__ = ("as_worker", "gang", "hosts", "name", "policy", "ref", "release", "roles", "spec", "suspended")

    def __init__(self, ref: ObjectRef, spec: dict[str, Any], workload: Workload) -> None:
        self.ref = ref
        self.name = ref.name
        self.spec = spec
        self.gang = workload.gang or None
        self.release = OPERATOR.at(workload.version)
        self.roles = mapping(spec.get("mpiReplicaSpecs"))
        self.policy = mapping(spec.get("runPolicy"))
        self.suspended = self.policy.get("suspend") is True
        self.as_worker = self.release >= LAUNCHER_WORDS and spec.get("runLauncherAsWorker") is True
        self.hosts = Hosts(ref, spec, as_worker=self.as_worker, release=self.release)

    @property
    def launcher(self) -> str:
        """The name of the launcher's Job."""
        return f"{self.name}-launcher"

    @property
    def waits(self) -> bool:
        """Whether the launcher comes after the Workers are ready; words other than AtStartup count (recorded)."""
        at_start = self.spec.get("launcherCreationPolicy") or "AtStartup"
        return (
            self.release >= LAUNCHER_WORDS and at_start != "AtStartup" and "Worker" in self.roles and not self.suspended
        )


def begin(workload: Workload) -> tuple[Expansion, _Job | None]:
    """The expansion before anything is made, and the job that is to get objects; None: it gets nothing."""
    tree, ref, version = mapping(without_nulls(workload.manifest.tree)), workload.manifest.ref, workload.version
    job_ref = ObjectRef(ref.api_version, ref.kind, name_of(tree), ref.namespace)
    expansion = Expansion(OPERATOR.name, version, job_ref)
    spec = mapping(tree.get("spec"))
    objections = list(refusals(workload))
    objection = next((one for one in objections if not one.of), None)
    if objection is None or objection.by != SERVER:
        # a job that is another controller's is stored, and not looked at
        expansion.idle = idle(spec, version)
        if expansion.idle:
            return expansion, None
    if objection is not None:
        expansion.refusals.append(Refusal(ref.kind, job_ref.name, objection.by, objection.reason))
        return expansion, None
    for one in objections:
        pods = f"{job_ref.name}-{str(one.path[-1]).lower()}-*"
        expansion.refusals.append(Refusal(one.of, pods, one.by, one.reason))
    expansion.lifecycle = lifecycle(spec, RESTARTS)
    return expansion, _Job(job_ref, spec, workload)


def expand(workload: Workload) -> Expansion:
    """The objects of an MPIJob when all goes well: with the launcher, also where it waits for Workers. Never raises.

    The ConfigMap is as it is created: ``discover_hosts.sh`` names each Worker only once it runs.
    """
    expansion, job = begin(workload)
    if job is None:
        return expansion
    expansion.services += job.hosts.services()
    expansion.others += [job.hosts.config_map(), _secret(job)]
    if job.suspended:
        expansion.notes.append("`spec.runPolicy.suspend` is true: no pod comes before it is false")
    elif job.gang is not None:
        expansion.others.append(_pod_group(job, job.gang, workload.manifest.tree))
    if job.suspended or _workers(expansion, job):
        _launcher(expansion, job)
    expansion.instances.extend(_instances(expansion.pods, job))
    return expansion


def _secret(job: _Job) -> dict[str, Any]:
    data = {"ssh-privatekey": RANDOM, "ssh-publickey": RANDOM}
    own = owned(job.ref, f"{job.name}-ssh", {"app": job.name})
    return {"apiVersion": "v1", "kind": "Secret", "metadata": own, "data": data, "type": "kubernetes.io/ssh-auth"}


def _pod_group(job: _Job, gang: str, tree: dict[str, Any]) -> dict[str, Any]:
    """The gang of a job: the launcher and its Workers; the job's annotations are not copied."""
    policy = dict(mapping(job.policy.get("schedulingPolicy")))
    least = policy.setdefault("minAvailable", workers(job.roles) + 1)
    annotations = mapping(mapping(tree.get("metadata")).get("annotations"))
    policy["queue"] = policy.get("queue") or annotations.get(VOLCANO_QUEUE)
    for role in RESTARTS:
        policy["priorityClass"] = policy.get("priorityClass") or _pod_spec(job, role).get("priorityClassName")
    policy.setdefault("scheduleTimeoutSeconds", 0)
    asked = [(1, _merged(job, "Launcher")), (workers(job.roles), _merged(job, "Worker"))]
    group = _gang.pod_group(gang, job.ref, {}, policy, least, asked)
    if least == 0 and "minResources" not in mapping(job.policy.get("schedulingPolicy")):
        group["spec"].pop("minResources", None)
    return group


def _merged(job: _Job, role: str) -> dict[str, Any]:
    """A pod spec whose requests hold the limits of what is not requested: so the operator counts."""
    containers = []
    for container in sequence(_pod_spec(job, role).get("containers")):
        resources = mapping(mapping(container).get("resources"))
        requests = {**mapping(resources.get("limits")), **mapping(resources.get("requests"))}
        containers.append({"resources": {"requests": requests}})
    return {"containers": containers}


def _template(job: _Job, role: str) -> dict[str, Any]:
    return mapping(mapping(job.roles.get(role)).get("template"))


def _pod_spec(job: _Job, role: str) -> dict[str, Any]:
    return mapping(_template(job, role).get("spec"))


def _metadata(job: _Job, role: str, index: int | None) -> dict[str, dict[str, Any]]:
    """Labels and annotations of a role's pods; ``index``: the value of the label replica-index."""
    given = mapping(_template(job, role).get("metadata"))
    own = {"operator-name": OPERATOR.name, "job-name": job.name, "job-role": role.lower()}
    if index is not None:
        own["replica-index"] = str(index)
    labels = {**mapping(given.get("labels")), **{_PREFIX + key: value for key, value in own.items()}}
    annotations = dict(mapping(given.get("annotations")))
    if job.gang == _gang.VOLCANO:
        annotations[VOLCANO_GROUP] = job.name
    elif job.gang is not None:
        labels[COSCHEDULING_GROUP] = job.name
    return {"labels": labels, "annotations": annotations} if annotations else {"labels": labels}


def _spec(job: _Job, role: str, hostname: str, env: dict[str, str], *, config: bool) -> dict[str, Any]:
    """A pod spec: the template with a name in the job's subdomain, and in its first container keys, env, and mounts."""
    base = _pod_spec(job, role)
    path = job.spec.get("sshAuthMountPath") or SSH_PATH
    volumes, mounts = [_ssh_volume(job, path)], [{"name": "ssh-auth", "mountPath": path}]
    if config:
        volumes.append(job.hosts.volume())
        mounts.append({"name": "mpi-job-config", "mountPath": "/etc/mpi"})
    first, *rest = [mapping(one) for one in sequence(base.get("containers"))]
    # an empty value is left out, as Go's JSON has it
    own = [{"name": name, "value": value} if value else {"name": name} for name, value in env.items()]
    mounted = [*sequence(first.get("volumeMounts")), *mounts]
    first = {**first, "env": [*sequence(first.get("env")), *own], "volumeMounts": mounted}
    if role == "Worker" and not first.get("command") and not first.get("args"):
        first["command"] = ["/usr/sbin/sshd", "-De"]
    spec = {**base, "containers": [first, *rest], "hostname": hostname, "subdomain": job.hosts.domain}
    spec["volumes"] = [*sequence(base.get("volumes")), *volumes]
    spec["restartPolicy"] = mapping(job.roles.get(role)).get("restartPolicy") or RESTARTS[role]
    if base.get("hostNetwork") is True:
        spec["dnsPolicy"] = "ClusterFirstWithHostNet"
    if job.gang is not None:
        spec["schedulerName"] = job.gang
    return spec


def _ssh_volume(job: _Job, path: str) -> dict[str, Any]:
    files = (("ssh-privatekey", "id_rsa"), ("ssh-publickey", "id_rsa.pub"), ("ssh-publickey", "authorized_keys"))
    secret: dict[str, Any] = {"secretName": f"{job.name}-ssh", "items": [{"key": key, "path": to} for key, to in files]}
    if path == SSH_PATH:
        # elsewhere the keys are readable by all, which sshd refuses unless the image says otherwise
        secret["defaultMode"] = 0o600
    return {"name": "ssh-auth", "secret": secret}


def _workers(expansion: Expansion, job: _Job) -> bool:
    """Adds the Workers. False: they are refused, and then the launcher does not come either."""
    count = workers(job.roles)
    room = expansion.room(count, job.roles.get("Worker"))
    shift = 1 if job.as_worker and job.release >= LAUNCHER_IS_FIRST else 0
    for index in range(room):
        name = f"{job.name}-worker-{index}"
        spec = _spec(job, "Worker", name, {"K_MPI_JOB_ROLE": "worker"}, config=False)
        if job.release >= ONE_SERVICE:
            given = mapping(spec.get("dnsConfig"))
            # whatever the operator's flag --cluster-domain says
            searched = [*sequence(given.get("searches")), f"{job.name}.{job.hosts.namespace}.svc.cluster.local"]
            spec["dnsConfig"] = {**given, "searches": searched}
        own = {**owned(job.ref, name, {}), **_metadata(job, "Worker", index + shift)}
        reason = pod_refusal({"metadata": own, "spec": spec}) if index == 0 else ""
        if reason:
            expansion.refusals.append(Refusal("Pod", name, SERVER, reason))
            return False
        expansion.pods.append({"apiVersion": "v1", "kind": "Pod", "metadata": own, "spec": spec})
    expansion.left_out += count - room
    return True


def _launcher(expansion: Expansion, job: _Job) -> None:
    """Adds the launcher's batch Job and, as the first of the pods, the one that the Job creates."""
    shifted = 0 if job.as_worker and job.release >= LAUNCHER_IS_FIRST else None
    own = _metadata(job, "Launcher", shifted)
    pod_spec = _spec(job, "Launcher", job.launcher, _launcher_env(job), config=True)
    reason = pod_refusal({"metadata": own, "spec": pod_spec})
    if reason:
        reason = f"`spec.template.{reason[1:]}"
        expansion.refusals.append(Refusal("Job", job.launcher, SERVER, reason))
        return
    owners = [{**owner, "uid": "<uid>"} for owner in owned(job.ref, job.launcher, {})["ownerReferences"]]
    spec: dict[str, Any] = {"backoffLimit": job.policy.get("backoffLimit", 6)}
    for key in ("activeDeadlineSeconds", "ttlSecondsAfterFinished"):
        if key in job.policy:
            spec[key] = job.policy[key]
    if job.release >= REPLACES_FAILED:
        spec["podReplacementPolicy"] = "Failed"
    if job.suspended:
        spec["suspend"] = True
    spec["template"] = {"metadata": {**own, "ownerReferences": owners}, "spec": pod_spec}
    outer = owned(job.ref, job.launcher, {"app": job.name})
    expansion.others.append({"apiVersion": "batch/v1", "kind": "Job", "metadata": outer, "spec": spec})
    if job.waits:
        expansion.notes.append(f"Job {job.launcher} and its pod come when all Workers are ready")
    if not job.suspended:
        expansion.pods.insert(0, _launcher_pod(job, own, pod_spec))


def _launcher_pod(job: _Job, own: dict[str, dict[str, Any]], spec: dict[str, Any]) -> dict[str, Any]:
    prefix = f"{job.launcher}-"
    prefix = prefix[: len(prefix) - max(0, len(known(prefix)) - _LONGEST_PREFIX)]
    tree = owned(ObjectRef("batch/v1", "Job", job.launcher, job.ref.namespace), prefix + RANDOM, {})
    tree |= own
    tree["labels"] = {**own["labels"], "batch.kubernetes.io/job-name": job.launcher, "job-name": job.launcher}
    tree["finalizers"] = ["batch.kubernetes.io/job-tracking"]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": tree, "spec": spec}


def _launcher_env(job: _Job) -> dict[str, str]:
    """Variables of the launcher in the operator's order."""
    count, implementation = str(job.hosts.slots), job.hosts.implementation
    env = {"K_MPI_JOB_ROLE": "launcher"}
    if implementation == "OpenMPI":
        env |= {"OMPI_MCA_orte_keep_fqdn_hostnames": "true", "OMPI_MCA_orte_default_hostfile": _HOSTFILE}
        env |= {"OMPI_MCA_plm_rsh_args": _ATTEMPTS, "OMPI_MCA_orte_set_default_slots": count}
    elif implementation == "Intel":
        env |= {"I_MPI_HYDRA_HOST_FILE": _HOSTFILE, "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": _ATTEMPTS}
        env |= {"I_MPI_PERHOST": count}
    else:
        env |= {"HYDRA_HOST_FILE": _HOSTFILE, "HYDRA_LAUNCH_EXTRA_ARGS": _ATTEMPTS}
    if not job.as_worker:
        # empty even where the launcher asks for GPUs
        env |= {"NVIDIA_VISIBLE_DEVICES": "", "NVIDIA_DRIVER_CAPABILITIES": ""}
    return env


def _instances(pods: list[dict[str, Any]], job: _Job) -> list[Instance]:
    started = []
    for pod in pods:
        first = mapping(pod["spec"]["containers"][0])
        started.append((pod, command(first, environment(first, pod))))
    launched = started[0][1] if started else []
    found, host = [], 0
    for pod, words in started:
        role = "Launcher" if pod["metadata"]["labels"][_PREFIX + "job-role"] == "launcher" else "Worker"
        given = None
        if role == "Worker" or job.as_worker:
            given = ranks(launched, job.hosts, host)
            host += 1
        asked, name = devices(pod), pod["metadata"]["name"]
        found.append(Instance(name, role, ranks=given, devices=asked, rendezvous="", command=words))
    return found
