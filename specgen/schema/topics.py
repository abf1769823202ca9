"""What people look up that is no word of any language: what they want to have, and the words that say it.

Names stand without blanks, dashes and underscores, in small letters.
"""

from __future__ import annotations

from specgen.schema.wording import folded

_TOPICS: dict[tuple[str, ...], str] = {
    (
        "matrix",
        "variants",
    ): "array jobarray sweep grid gridsearch hyperparameter hyperparameters hparams learningrate lr seed seeds",
    ("mounts", "lifecycle.grace"): "checkpoint checkpoints checkpointing",
    ("mounts", "dataset", "mounts.create"): "data datasets gcs huggingface objectstorage s3",
    ("dataset", "model"): "initializer",
    ("dataset", "init", "prepare"): "datasetinitializer download downloader downloads fetch modelinitializer",
    ("mounts.storage", "cluster.storage"): "beegfs filesystem fsx gpfs lustre parallelfilesystem",
    ("mounts.scratch", "resources.disk", "mounts.hostPath"): "localdisk localssd localstorage nvme ssd",
    ("mounts",): "log logdir logs output tensorboard",
    ("files", "mounts", "init"): "code git source workspace",
    ("command", "args"): (
        "arguments argv batchsize bf16 dataparallel dp epochs fp16 gradientaccumulation megatron mixedprecision nemo "
        "pipelineparallel pp precision strategy tensorparallel tp"
    ),
    ("command", "prepare"): "bash prestart shell",
    ("mounts.pvc", "mounts.create"): "persistentvolumeclaim",
    ("mounts.scratch",): "emptydir tmp tmpfs cache",
    ("env.secret", "envFrom.secret", "mounts.secret"): "apikey credentials hftoken password secretkeyref token wandb",
    ("env.configMap", "envFrom.configMap", "mounts.configMap", "files"): "configfile configmapkeyref",
    ("prepare", "image"): "apt conda install modules module pip requirements setup",
    ("resources",): "limits requests",
    ("resources.memory", "resources.cpu"): "mempercpu",
    ("resources.memory",): "mempergpu oom oomkilled",
    ("resources.cpu",): "cpuspergpu",
    ("resources.hugepages",): "hugepages1gi hugepages2mi",
    ("resources.gpu",): "a100 amd amd.com/gpu cuda gpucount h100 mi300 cudavisibledevices nvidia nvidia.com/gpu rocm",
    ("resources.other", "scheduling.nodeLabels"): "gaudi habana mig neuron tpu trainium trn1 xpu",
    ("scheduling.pool", "scheduling.nodeLabels"): "gpumodel gputype instancetype machinetype",
    ("resources.npu",): "ascend ascendrtvisibledevices huawei huawei.com/ascend910",
    (
        "resources.hca",
        "communication.rdma",
    ): "efa efadevice gdr gdrcopy ib infiniband mellanox mlx5 rdma/hca roce vpc.amazonaws.com/efa",
    ("resources.shm",): "/dev/shm devshm dshm sharedmemory",
    ("elastic", "elastic.scaleOn"): "autoscale autoscaler autoscaling hpa scale",
    ("lifecycle.deadline",): "maxtime timelimit",
    ("security.user", "security.group", "security.nonRoot"): "gid root uid",
    ("security.capabilities", "cluster.pools.fabric.memlock"): "ipclock ulimit",
    ("patch.container",): "liveness probe probes readiness",
    ("pod.dnsPolicy",): "dns",
    ("image", "pull.secrets", "cluster.images.mirrors"): "registry",
    ("pull.secrets",): "dockerconfigjson imagepullsecret pullsecret pullsecrets registrycredentials",
    ("image", "pull.policy"): "apptainer dockerfile imagepull singularity sif",
    ("annotations",): "annotation description notes",
    ("ports",): "expose service",
    ("workdir",): "cwd",
    ("env",): "httpproxy proxy variable",
    ("cluster.pools.fabric.interface",): "eth0 nic",
    ("pods", "procsPerPod", "resources", "lifecycle.deadline"): "sbatch slurm",
    ("start", "command"): "srun",
    # a variable, by the one that holds the same (``PROFILE.values``)
    ("start.by",): "slurmlocalid slurmnnodes slurmnodeid slurmntasks slurmprocid",
    ("mounts.create.access",): "accessmodes readonlymany readwritemany readwriteonce rox rwo rwx",
    ("pods",): "completions distributed multinode parallelism",
    ("procsPerPod", "start"): "fsdp ddp localrank localworldsize ranks slots",
    ("start",): "accelerate deepspeed horovod horovodrun launch mpirun torchrun zero",
    ("resources.shm", "resources.cpu"): "dataloader",
    # of a loader, or of a job
    ("resources.shm", "resources.cpu", "pods"): "numworkers",
    ("target",): (
        "framework jax jax.distributed jax.distributed.initialize jaxcoordinatoraddress jaxjob jaxnumprocesses "
        "jaxprocessid mindspore pytorch tensorflow"
    ),
    ("elastic.rendezvous.port", "ports"): "masterport",
    ("init",): "initcontainer",
    ("sidecars",): "sidecar",
    (
        "lifecycle.restarts",
        "lifecycle.restart",
        "lifecycle.restartAll",
    ): "maxretries maxretry restartsonfailure resume retries retry retrylimit",
    ("lifecycle.cleanPods", "lifecycle.ttl"): "cleanup delete finished",
    ("lifecycle.grace", "lifecycle.restart"): "graceperiod requeue signal sigterm sigusr1",
    ("scheduling.tolerations",): "preemptible spot taint toleration",
    ("scheduling.priority",): "priorityclass",
    ("scheduling.within", "scheduling.near"): "az nodeaffinity podaffinity rack region zone",
    ("scheduling.within", "scheduling.near", "cluster.topology"): "highesttierallowed networktopology toposched",
    ("scheduling.nodeLabels",): "constraint",
    ("scheduling.spread",): "antiaffinity podantiaffinity",
    ("scheduling.gang", "scheduling.queue"): (
        "account clusterqueue coscheduling kueue kueue.xk8s.io/queuename localqueue podgroup resourceflavor volcano "
        "yunikorn"
    ),
    ("target.runtime", "cluster.operators.jobset.runtimes"): "clustertrainingruntime trainingruntime",
    ("patch.runtime", "patch.pod"): "podtemplateoverrides replicatedjobs runtimepatches",
    ("start.ssh",): "rsh sshauthmountpath sshd",
    ("communication.library", "communication.version"): "gloo libnccl ncclversion",
}
TOPICS: dict[str, tuple[str, ...]] = {name: found for found, names in _TOPICS.items() for name in names.split()}


# What a variable that is nobody's but a program's holds, by the end of its name, where that must not be seen.
_SECRET = ("KEY", "KEY_ID", "PASSWORD", "SECRET", "TOKEN")


def topic(name: str) -> tuple[str, ...]:
    """The words that say what somebody looks for; none where that is not known."""
    return TOPICS.get(folded(name), ())


def program_variable(name: str) -> tuple[str, ...]:
    """The words that set a variable of a program of which nothing is known here; none: the name is not like one's."""
    if not (name.isupper() and name.isascii() and name.isidentifier() and "_" in name):
        return ()
    return ("env.secret", "envFrom.secret") if name.endswith(_SECRET) else ("env",)
