"""How a schema and a value are said: what a field takes, what stands there instead, what an object is called."""

from __future__ import annotations

from specgen.diagnostics.model import spelt
from specgen.diagnostics.secrets import secret as is_secret
from specgen.schema.checks import QUANTITY_PATTERN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from specgen.source import Path

    Schema = dict[str, Any]

_SCALARS = ("string", "integer", "number", "boolean")
_LONGEST = 60


class Wording:
    """What differs between profiles and manifests: who refuses, and names known from elsewhere.

    ``aliases``: unknown name → the path of the field for it, from the mapping where the name stands or its end there.
    ``unknown``, ``refused``: notes of unknown fields and of everything else. ``values``: field → value that it does not
    take → what to write. ``idle``: mapping → unknown fields in it that mean nothing and can go. ``whole``: notes of a
    number such as `2.0` where a whole one is taken, as a warning; without any it is refused like others. ``patched``:
    names known from elsewhere for which there is no field → the path of the one that takes them, and the line to write.
    ``each``: names among ``aliases`` that count for one of what another field counts, where their field is of all.
    """

    __slots__ = ("aliases", "each", "idle", "patched", "refused", "unknown", "values")

    def __init__(
        self,
        aliases: dict[str, str],
        unknown: Sequence[str] = (),
        refused: Sequence[str] = (),
        values: dict[str, dict[str, str]] | None = None,
        idle: dict[str, tuple[str, ...]] | None = None,
        patched: dict[str, tuple[str, str]] | None = None,
        each: dict[str, str] | None = None,
    ) -> None:
        self.aliases = aliases
        self.values = values or {}
        self.idle = idle or {}
        self.patched = patched or {}
        self.each = each or {}
        self.unknown = unknown
        self.refused = refused

    def alias(self, name: str) -> str:
        """The path of the field that a name is known for, in any of the name's spellings; empty: there is none."""
        if name in self.aliases or name.isupper():
            return self.aliases.get(name, "")  # in capitals it is a variable
        plain = folded(name)
        return next((field for alias, field in self.aliases.items() if folded(alias) == plain), "")


# deepspeedai/DeepSpeed 0.19.8, deepspeed/comm/comm.py (init_distributed): ranks come of torchrun's variables or of MPI.
_DEEPSPEED = (
    "write `torchrun`, or `mpirun` for an MPIJob: DeepSpeed's library takes its ranks from either; its own launcher "
    "needs ssh between the pods: `start: self` in an MPIJob, with `--hostfile /etc/mpi/hostfile` in its line"
)
_RUN = "write `{by: torchrun, path: python -m torch.distributed.run}`"
_STARTERS = {
    "deepspeed": _DEEPSPEED,
    "torch.distributed.run": _RUN,
    "python -m torch.distributed.run": _RUN,
    "torch.distributed.launch": _RUN,
    "python -m torch.distributed.launch": _RUN,
    "accelerate launch": "write `accelerate`",
    "python": "write `none`, and `python` in `command`",
    "mpiexec": "write `mpirun`",
    "horovod": "write `horovodrun`",
    **dict.fromkeys(("bash", "shell", "sh"), "write `none`: the command stands in `command`"),
    **dict.fromkeys(("ddp", "fsdp", "pytorch", "torch"), "write `torchrun`"),
}
# jax-ml/jax, jax/_src/distributed.py (01f4709: of variables JAX_COORDINATOR_ADDRESS alone is read for certain) and
# clusters/k8s_cluster.py (2226be4: count and number come of the Job where the image has jax[k8s] and the account may
# read pods).
_JAX = (
    "write `target: JobSet` and `start: none`, one process a pod with all its GPUs; a JobSet sets `MASTER_ADDR`, "
    "`MASTER_PORT`, `WORLD_SIZE`, and `RANK`, which the program hands to `jax.distributed.initialize(address:port, "
    "count, number)`: JAX reads none of the four by itself"
)
_OF_JAX = (
    *("jax", "JAX", "JAXJob", "jax.distributed.initialize", "jax.distributed"),
    *("JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID"),
)
# Slurm's variables by those that operators set for a process that nobody else starts (PyTorchJob, JobSet, VolcanoJob),
# and by those that torchrun sets for each process (torch 2.13, distributed/run.py, "Environment Variables").
_OF_SLURM = {
    "SLURM_PROCID": "RANK",
    "SLURM_NODEID": "RANK",
    "SLURM_NTASKS": "WORLD_SIZE",
    "SLURM_NNODES": "WORLD_SIZE",
    "SLURM_LOCALID": "",
}
OF_TORCHRUN = {
    "SLURM_PROCID": "RANK",
    "SLURM_LOCALID": "LOCAL_RANK",
    "SLURM_NTASKS": "WORLD_SIZE",
    "SLURM_NPROCS": "WORLD_SIZE",
    "SLURM_NODEID": "GROUP_RANK",
    "SLURM_NNODES": "GROUP_WORLD_SIZE",
    "SLURM_JOB_NUM_NODES": "GROUP_WORLD_SIZE",
    "SLURM_NTASKS_PER_NODE": "LOCAL_WORLD_SIZE",
    "OMPI_COMM_WORLD_RANK": "RANK",
    "OMPI_COMM_WORLD_LOCAL_RANK": "LOCAL_RANK",
    "OMPI_COMM_WORLD_SIZE": "WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_SIZE": "LOCAL_WORLD_SIZE",
    "PMI_RANK": "RANK",
    "PMI_SIZE": "WORLD_SIZE",
}


def in_each_process(names: list[str], program: str) -> str:
    """The text of a shell that torchrun starts in each process, behind `--no-python bash -c`."""
    sets = " ".join(f"{name}=${OF_TORCHRUN[name]}" for name in names)
    return f"{sets} exec {program}"


# The user of no name that containers have everywhere; what is not limited is not said.
_VALUES = {
    "start.by": {
        **{
            name: "with `start: torchrun`, `command: [--no-python, bash, -c, "
            f"'{in_each_process([name], 'python -u train.py')}']` sets it in each process; with `start: none`, one "
            "process in a pod of a PyTorchJob, JobSet, or VolcanoJob, "
            + (f"`prepare: export {name}=${ours}` does" if ours else f'`env: {{{name}: "0"}}` does')
            for name, ours in _OF_SLURM.items()
        },
    },
    "target": {
        **dict.fromkeys(_OF_JAX, _JAX),
        **dict.fromkeys(
            ("Job", "job", "batch", "BatchJob", "batch/v1"),
            "write `PyTorchJob`, or `JobSet` for any program: no profile becomes a plain Job of Kubernetes",
        ),
    },
    "start": _STARTERS,
    "by": _STARTERS,
    "user": {"root": "write `user: 0`"},
    "group": {"root": "write `group: 0`"},
    **{
        word: dict.fromkeys(("never", "none", "unlimited", "infinite"), f"leave `{word}` out: nothing limits it then")
        for word in ("deadline", "ttl")
    },
    "restarts": dict.fromkeys(
        ("never", "none", "unlimited", "infinite"), "leave `restarts` out: the operator's own limit holds then"
    ),
    "link": {
        "ib": "write `link: infiniband`",
        **dict.fromkeys(
            ("eth", "ethernet", "tcp"),
            "write `link: roce` for HCAs that speak RDMA over Ethernet, and leave `hca` out where there are none",
        ),
    },
    "mode": {"ro": "write `readOnly: true` in its place", "rw": "leave `mode` out: the program may write there"},
}

# What Kubernetes has in the spec of a job, of a pod, or of a container, and the language has no word for.
_OF_PODS = (
    "affinity",
    "dnsConfig",
    "ephemeralContainers",
    "hostname",
    "os",
    "overhead",
    "preemptionPolicy",
    "schedulingGates",
    "setHostnameAsFQDN",
    "subdomain",
    "topologySpreadConstraints",
)
_OF_JOBS = (
    "coordinator",
    "enableDynamicWorker",
    "failurePolicy",
    "mainContainer",
    "minSuccess",
    "network",
    "plugins",
    "policies",
    "runningEstimate",
    "startupPolicy",
    "volumeClaimPolicies",
)
_OF_CONTAINERS = (
    "livenessProbe",
    "readinessProbe",
    "resizePolicy",
    "startupProbe",
    "stdin",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "tty",
    "volumeDevices",
)

PROFILE = Wording(
    {
        # Kubernetes and its operators
        "claim": "mounts.pvc",
        "claimName": "mounts.pvc",
        "configMapName": "env.configMap",
        "secretName": "env.secret",
        "cleanPodPolicy": "lifecycle.cleanPods",
        "activeDeadlineSeconds": "lifecycle.deadline",
        "backoff": "lifecycle.backoffLimit",
        "base": "extends",
        "bases": "extends",
        "inherit": "extends",
        "inherits": "extends",
        "parent": "extends",
        "backoff_limit": "lifecycle.backoffLimit",
        "clean_pods": "lifecycle.cleanPods",
        "configmap": "configMap",
        "elasticPolicy": "elastic",
        "env_vars": "env",
        "environment": "env",
        "hostAffinity": "scheduling.hosts",
        "imagePullPolicy": "pull.policy",
        "imagePullSecrets": "pull.secrets",
        "pullPolicy": "pull.policy",
        "initContainers": "init",
        "launcherCreationPolicy": "start.wait",
        "maxReplicas": "elastic.max",
        "maxRetries": "lifecycle.restarts",
        "max_retries": "lifecycle.restarts",
        "minAvailable": "scheduling.gang",
        "minMember": "scheduling.gang",
        "minReplicas": "elastic.min",
        "mpiImplementation": "start.implementation",
        "name": "metadata.name",
        "namespace": "metadata.namespace",
        "nodeName": "scheduling.hosts",
        "nodeSelector": "scheduling.nodeLabels",
        "numNodes": "pods",
        "numProcPerNode": "procsPerPod",
        "numReplicas": "pods",
        "podLabels": "labels",
        "port": "ports",
        "replicaCount": "pods",
        "cap_add": "security.capabilities",
        "mem_limit": "resources.memory",
        "set_cpu_limit": "resources.cpu",
        "set_gpu_limit": "resources.gpu",
        "set_memory_limit": "resources.memory",
        "stop_grace_period": "lifecycle.grace",
        "display_name": "metadata.name",
        "run": "command",
        "tasks_per_node": "procsPerPod",
        "priorityClass": "scheduling.priority",
        "priorityClassName": "scheduling.priority",
        "queueName": "scheduling.queue",
        "replicas": "pods",
        "retries": "lifecycle.restarts",
        "restartPolicy": "lifecycle.restart",
        "runLauncherAsWorker": "start.launcherTrains",
        "runPolicy": "lifecycle",
        "runAsUser": "security.user",
        "runAsGroup": "security.group",
        "runAsNonRoot": "security.nonRoot",
        "runtimeRef": "target.runtime",
        "schedulerName": "scheduling.scheduler",
        "schedulingPolicy": "scheduling",
        "securityContext": "security",
        "serviceAccount": "pod.serviceAccountName",
        "serviceAccountName": "pod.serviceAccountName",
        "slotsPerWorker": "procsPerPod",
        "sshAuthMountPath": "start.ssh.keys",
        "successPolicy": "lifecycle.success",
        "terminationGracePeriodSeconds": "lifecycle.grace",
        "topology": "scheduling.within",
        "tolerations": "scheduling.tolerations",
        "ttlSecondsAfterFinished": "lifecycle.ttl",
        "volumeMounts": "mounts",
        "volumes": "mounts",
        "ttlSeconds": "lifecycle.ttl",
        "workers": "pods",
        "workingDir": "workdir",
        # PyTorch and its launchers
        "backend": "communication.library",
        "gpus_per_node": "resources.gpu",
        "gpusPerNode": "resources.gpu",
        "launcher": "start",
        "max_nodes": "elastic.max",
        "max_restarts": "elastic.restarts",
        "min_nodes": "elastic.min",
        "nnodes": "pods",
        "nproc": "procsPerPod",
        "nprocPerNode": "procsPerPod",
        "nproc_per_node": "procsPerPod",
        "num_gpus": "resources.gpu",
        "num_nodes": "pods",
        "num_processes": "procsPerPod",
        "processes": "procsPerPod",
        "rdzv_backend": "elastic.rendezvous.backend",
        "rdzv_endpoint": "elastic.rendezvous.host",
        "world_size": "pods",
        # Slurm
        "chdir": "workdir",
        "cpus_per_task": "resources.cpu",
        "exclude": "scheduling.avoidHosts",
        "exclusive": "scheduling.spread",
        "gres": "resources.gpu",
        "gpus_per_task": "resources.gpu",
        "job_name": "metadata.name",
        "nodelist": "scheduling.hosts",
        "ntasks": "pods",
        "ntasks_per_node": "procsPerPod",
        "partition": "scheduling.pool",
        "qos": "scheduling.priority",
        "time": "lifecycle.deadline",
        "walltime": "lifecycle.deadline",
        # adapters, by the names of their makers and of what they speak
        "adapters": "resources.hca",
        "efa": "resources.hca",
        "ib": "resources.hca",
        "infiniband": "resources.hca",
        "nic": "resources.hca",
        "nics": "resources.hca",
        "rdma": "resources.hca",
        "roce": "resources.hca",
        # TensorFlow
        "eval": "roles.evaluator",
        "parameterServer": "roles.ps",
        "parameter_server": "roles.ps",
        # Docker, and what one would call it
        "cmd": "command",
        "cores": "resources.cpu",
        "cpus": "resources.cpu",
        "entrypoint": "command",
        "ephemeral-storage": "resources.disk",
        "ephemeralStorage": "resources.disk",
        "gpus": "resources.gpu",
        "hcas": "resources.hca",
        "instances": "pods",
        "mem": "resources.memory",
        "nodes": "pods",
        "ram": "resources.memory",
        "script": "command",
        "shm_size": "resources.shm",
        "storage": "resources.disk",
        "timeout": "lifecycle.deadline",
        "accessMode": "mounts.create.access",
        "accessModes": "mounts.create.access",
        "storageClass": "mounts.create.class",
        "storageClassName": "mounts.create.class",
        "tolerationSeconds": "scheduling.tolerations.seconds",
        "working_dir": "workdir",
        "working_directory": "workdir",
    },
    values=_VALUES,
    each={"cpus_per_task": "procsPerPod", "gpus_per_task": "procsPerPod"},
    patched={
        **{name: ("patch.pod", f"patch: {{pod: {{spec: {{{name}: …}}}}}}") for name in _OF_PODS},
        **{name: ("patch.job", f"patch: {{job: {{spec: {{{name}: …}}}}}}") for name in _OF_JOBS},
        **{name: ("patch.container", f"patch: {{container: {{{name}: …}}}}") for name in _OF_CONTAINERS},
    },
)

# Names of which it is known what they mean, while their values count something else: all processes of a job.
UNLIKE = ("ntasks", "num_processes", "processes", "world_size")

MANIFEST = Wording(
    {},
    unknown=("kubectl refuses the object; without strict validation the API server drops the field in silence",),
    refused=("the API server rejects the object",),
    # what `kubectl get` prints and the API server sets by itself, and what a template has no use for
    idle={
        "metadata": (
            "clusterName",
            "creationTimestamp",
            "generation",
            "managedFields",
            "resourceVersion",
            "selfLink",
            "uid",
        ),
        "template": ("apiVersion", "kind", "status"),
    },
)


def folded(name: str) -> str:
    """A name without what spellings differ in."""
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")


def either(choices: Sequence[str]) -> str:
    """``a``, ``a or b``, ``a, b, or c``."""
    if len(choices) > 2:
        return ", ".join(choices[:-1]) + f", or {choices[-1]}"
    return " or ".join(choices)


def words(choices: Iterable[str]) -> list[str]:
    """Words in backticks; past nine, the first eight and a count."""
    quoted = [f"`{choice}`" for choice in choices]
    return quoted if len(quoted) <= 9 else [*quoted[:8], f"one of {len(quoted) - 8} more"]


def takes(alternatives: Sequence[Schema], value: Any) -> str:
    """What a field takes: scalars only where a scalar was given and the field takes some."""
    scalars = [schema for schema in alternatives if schema.get("type") in _SCALARS]
    shown = scalars if scalars and not isinstance(value, (dict, list)) else alternatives
    said = [part for schema in shown for part in _parts(schema)]
    return either(list(dict.fromkeys(said))) or "another value"


def _parts(schema: Schema) -> list[str]:
    kind = schema.get("type")
    if kind == "string":
        choices = [schema["const"]] if "const" in schema else schema.get("enum")
        if choices is not None:
            return words(choices)
        if schema.get("pattern") == QUANTITY_PATTERN:
            return ["a quantity such as `500m` or `16Gi`"]
        return [schema.get("title", "text")]
    if kind in ("integer", "number"):
        return [("a whole number" if kind == "integer" else "a number") + _range(schema)]
    return {"boolean": ["`true`", "`false`"], "array": ["a list"], "object": ["a mapping"]}.get(str(kind), [])


def _range(schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f" from {least} to {most}"
    if least is not None:
        return f" from {least} up"
    return f" up to {most}" if most is not None else ""


def without_range(schema: Schema) -> Schema:
    """For wrong types, where the range does not matter yet."""
    return {key: value for key, value in schema.items() if key not in ("minimum", "maximum")}


def found(value: Any) -> str:
    """What stands there instead."""
    if isinstance(value, str):
        return f'the text `"{shown(value)}"`'
    if value is None:
        return "`null`"
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else f"the number `{value}`"


def shown(value: object) -> str:
    """A scalar on one line, without backticks, cut where it is long."""
    text = spelt(value)
    line = text if text.isprintable() else ascii(text)[1:-1]
    line = line.replace("`", "'")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def field(path: Path, document: str) -> str:
    """A field as messages name it: its key, with the positions in its lists; the document where there is none."""
    name = ""
    for step in reversed(path):
        if isinstance(step, str):
            return f"`{shown(step)}{name}`"
        name = f"[{step}]{name}"
    return document


def secret(name: object) -> bool:
    """Whether the value of a variable of this name is never shown."""
    return isinstance(name, str) and is_secret(name)
