"""What people look up that is no word of any language: what they want to have, and the words that say it.

Names stand without blanks, dashes and underscores, in small letters.
"""

from __future__ import annotations

import re

from specgen.schema.wording import folded

_TOPICS: dict[tuple[str, ...], str] = {
    (
        "matrix",
        "variants",
    ): (
        "array arrayjob jobarray sweep grid gridsearch hyperparameter hyperparameters hyperparametersearch hparams "
        "learningrate lr parametersweep seed seeds"
    ),
    (
        "mounts",
        "lifecycle.grace",
    ): "checkpoint checkpoints checkpointdir checkpointing ckpt ckpts savecheckpoint savedir",
    ("mounts", "dataset", "mounts.create"): "data datasets",
    ("dataset", "model"): "initializer",
    ("env.secret", "dataset.uri", "model", "mounts"): "hf hfhub hub huggingface huggingfacehub pretrainedmodel",
    ("dataset", "init", "prepare"): "datasetinitializer download downloader downloads fetch modelinitializer",
    ("dataset.uri", "init", "target"): "before copy once predownload stage stagein staging",
    ("mounts.storage", "cluster.storage"): "beegfs filesystem fsx gpfs lustre parallelfilesystem",
    ("mounts.scratch", "resources.disk", "mounts.hostPath"): "localdisk localssd localstorage nvme ssd",
    ("mounts",): "logdir output outputdir results",
    ("files", "mounts", "init"): "code git gitclone source sourcecode upload workspace",
    ("command", "args"): (
        "arguments argv batchsize bf16 dataparallel dp epochs fp16 gradientaccumulation megatron mixedprecision nemo "
        "pipelineparallel pp precision strategy tensorparallel tp activationcheckpointing gradientcheckpointing lora "
        "fp8 loss offload peft qlora quantization earlystopping zero1 zero2 zero3"
    ),
    ("command", "prepare"): "bash prestart",
    ("mounts.pvc", "mounts.create"): "persistentvolumeclaim",
    ("mounts.scratch",): "emptydir tmp tmpfs cache",
    ("env.secret", "envFrom.secret", "mounts.secret"): "apikey credentials password secret secretkeyref secrets token",
    ("mounts.pvc", "mounts.scratch", "env"): "datacache datasetcache hfcache hfhome modelcache torchhome",
    ("env.configMap", "envFrom.configMap", "mounts.configMap", "files"): "configfile configmapkeyref",
    ("prepare", "image"): (
        "apt aptget conda condaenv dependencies install libraries micromamba module modules package packages pip "
        "pipinstall poetry pythonenv pythonversion requirements requirements.txt setup uv venv virtualenv"
    ),
    ("resources",): "limits requests resourcesperworker usegpu",
    ("pods", "resources"): "scalingconfig",
    ("env", "prepare", "image"): "runtimeenv",
    ("resources.gpu", "procsPerPod"): "devices",
    ("resources.memory", "resources.cpu"): "mempercpu",
    ("resources.memory",): "mempergpu",
    ("resources.cpu",): "cpuspergpu",
    ("resources.hugepages",): "hugepages1gi hugepages2mi",
    ("resources.gpu",): "a100 cuda gpucount h100 cudavisibledevices nvidia nvidia.com/gpu",
    (
        "resources.other",
        "cluster.pools.gpu.resource",
    ): "amd amd.com/gpu gpu.intel.com/i915 gpu.intel.com/xe hipvisibledevices mi300 rocm rocrvisibledevices xpu",
    ("resources.other", "cluster.pools.npu.resource"): (
        "aws.amazon.com/neuron gaudi google.com/tpu habana habana.ai/gaudi neuron tpu trainium trn1"
    ),
    ("resources.other", "scheduling.nodeLabels"): "mig",
    (
        "scheduling.pool",
        "scheduling.nodeLabels",
    ): "accelerator acceleratortype gpumodel gputype instancetype machinetype",
    ("pods", "scheduling.hosts", "scheduling.pool", "scheduling.nodeLabels"): "node worker",
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
    ("security.readOnlyRoot", "mounts.scratch"): "readonlyrootfilesystem",
    ("security", "patch.container"): "allowprivilegeescalation procmount",
    ("security.group", "patch.pod"): "fsgroupchangepolicy supplementalgroups sysctls",
    ("pod.dnsPolicy",): "dns",
    ("image", "pull.secrets", "cluster.images.mirrors"): "registry",
    ("pull.secrets", "image", "cluster.images.mirrors"): "privateimage privateregistry",
    ("pull.secrets",): "dockerconfigjson imagepullsecret pullsecret pullsecrets registrycredentials",
    ("image", "pull.policy"): "apptainer dockerfile imagepull imagetag imageversion latest singularity sif tag",
    ("annotations",): "annotation comment description notes",
    ("labels", "scheduling.nodeLabels"): "label",
    ("ports",): "containerport expose service",
    ("ports", "objects"): "ingress loadbalancer",
    ("image", "command", "init", "sidecars"): "container containers",
    ("vars", "variants", "extends"): "jinja placeholder placeholders template templating",
    ("extends", "cluster.defaults"): "default defaultvalues",
    ("mounts", "cluster.storage"): "volume",
    ("mounts.configMap", "files", "env"): "cabundle certificate certificates",
    ("security.user", "patch.pod"): "sudo",
    ("security.capabilities",): "gdb ptrace pyspy strace",
    ("command", "mounts"): "ncu nsight nsys profiler profiling",
    ("roles.master", "elastic.rendezvous"): "leader",
    ("workdir",): "cwd",
    ("env",): (
        "environmentvariable environmentvariables envvar envvars httpproxy lang locale proxy timezone tz variable "
        "variables"
    ),
    ("cluster.pools.fabric.interface",): "eth0 nic",
    ("pods", "procsPerPod", "resources", "lifecycle.deadline"): "bsub lsf pbs qsub sge",
    ("start", "command"): "srun",
    ("elastic.rendezvous", "start"): "c10d etcd rendezvousbackend static",
    # programs that start their processes by themselves
    ("start", "command", "resources.gpu"): "vllm sglang lmeval lmevalharness trtllm axolotl verl trl torchtune tune",
    ("image", "mounts"): "containerimage containermounts enroot pyxis sqsh",
    # a variable, by the one that holds the same (``PROFILE.values``)
    ("start.by",): "slurmlocalid slurmnnodes slurmnodeid slurmntasks slurmprocid",
    ("pods",): "completions distributed distributedtraining multinode multinodetraining parallelism",
    ("procsPerPod", "start"): "fsdp ddp localrank localworldsize ranks slots",
    ("start",): "accelerate deepspeed horovod horovodrun launch mpirun torchrun zero",
    ("cluster.pools.npu.library", "resources.npu"): "cann hccl",
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
    ): "faulttolerance maxretries maxretry resilience restartsonfailure resume retries retry retrylimit",
    ("lifecycle.cleanPods", "lifecycle.ttl"): "cleanup delete finished",
    ("lifecycle.grace", "lifecycle.restart"): "graceperiod requeue signal sigterm sigusr1",
    ("scheduling.priority", "scheduling.tolerations"): "preemptable preemptible volcano.sh/preemptable",
    ("scheduling.tolerations",): "taint tolerate toleration",
    ("scheduling.tolerations.seconds",): "tolerationseconds",
    (
        "scheduling.tolerations",
        "scheduling.pool",
        "lifecycle.restarts",
        "lifecycle.grace",
    ): "spot spotinstance spotinstances",
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
    ("start.ssh",): "rsh sshauthmountpath",
    ("start.ssh", "image"): "openssh sshd",
    ("start.implementation", "start.options"): (
        "genv genvlist hydra impi intel intelmpi mpich mpiexec.hydra mvapich openmpi ppn"
    ),
    ("communication.library", "communication.version"): "gloo libnccl ncclversion rccl",
    ("resources.claims", "cluster.pools.gpu.deviceClass", "cluster.pools.gpu.claim"): (
        "dra dynamicresourceallocation gpu.nvidia.com mig.nvidia.com resourceclaim resourceclaims "
        "resourceclaimtemplate resourceclaimtemplates resourceclaimtemplatename resourceslice"
    ),
    ("communication.nvlink", "cluster.pools.fabric.nvlink"): "computedomain gb200 imex mnnvl nvl72 nvswitch",
    ("scheduling.priority", "cluster.scheduling.priorities"): (
        "kueue.xk8s.io/priorityclass preempt preempted preemption prioritylevel workloadpriorityclass nice"
    ),
    ("cluster.scheduling.flavors", "cluster.scheduling.queues.flavors"): "flavor flavour resourceflavors spotflavor",
    ("cluster.scheduling.queues", "scheduling.queue"): (
        "clusterqueues fairshare nominalquota borrowinglimit lendinglimit scheduling.volcano.sh/queuename"
    ),
    ("cluster.scheduling.queues.checks",): "admissioncheck admissionchecks provisioningrequest",
    ("scheduling.managedBy",): "kueue.xk8s.io/multikueue multikueue",
    ("scheduling.gang", "cluster.scheduling.gang"): (
        "allornothing gangscheduling minresources podgroups scheduling.k8s.io/groupname "
        "scheduling.xk8s.io/podgroup waitforpodsready"
    ),
    ("scheduling.scheduler", "cluster.scheduling.scheduler"): "kai kaischeduler kubescheduler runai schedulerplugins",
    ("scheduling.within", "scheduling.near", "scheduling.slices", "cluster.topology"): (
        "hypernode hypernodes kueue.xk8s.io/podsetpreferredtopology kueue.xk8s.io/podsetrequiredtopology "
        "kueue.xk8s.io/podsetslicerequiredtopology kueue.xk8s.io/podsetslicesize placementgroup switches tas "
        "topology.kubernetes.io/rack topology.kubernetes.io/region topology.kubernetes.io/zone "
        "topologyawarescheduling topologies"
    ),
    ("cluster.pools.fabric.networks", "cluster.pools.fabric.adds.annotations", "annotations"): (
        "cni ipvlan k8s.v1.cni.cncf.io/networks macvlan multus netattachdef networkattachmentdefinition "
        "secondarynetwork sriov sriovnetwork whereabouts"
    ),
    ("cluster.pools.fabric.net", "cluster.nccl", "cluster.pools.fabric.adds"): (
        "awsofinccl fasttrak gib libfabric ncclfastsocket ncclplugin ncclrdmasharp ofi sharp tcpx tcpxo "
        "gpudirecttcpx gpudirecttcpxo"
    ),
    (
        "cluster.pools.fabric.rdma",
        "resources.hca",
    ): "gpudirect gpudirectrdma ibverbs libibverbs librdmacm networkoperator rdmacore verbs",
    ("communication.library", "resources.npu"): "collective hccl hccllibrary ranktable",
    ("start", "roles.scheduler", "procsPerPod"): "msrun mslaunch",
    ("start", "start.options", "procsPerPod"): (
        "colossalai composer torch.distributed ddpspawn fabricrun gpuspernode lightning lightningcli processespernode "
        "ptlauncher rdzv rdzvbackend rdzvendpoint rdzvid rdzvconf standalone torchelastic trainer.devices xmpspawn"
    ),
    ("pods", "elastic"): "devicespernode nodecount nnodesrange numhosts nummachines",
    ("start", "start.hostfile"): "machinefile ompihostfile",
    ("start.bind", "start.mapBy", "start.options"): "bindto cpubind mpiargs oversubscribe",
    ("lifecycle.deadline", "lifecycle.grace"): "maxruntime timeoutseconds wallclock",
    ("lifecycle.suspend",): "hold suspended pause",
    ("lifecycle.success", "lifecycle.cleanPods"): "completion completionmode successpolicies",
    ("lifecycle.backoffLimit", "lifecycle.restarts"): "maxfailures",
    (
        "guard",
        "lifecycle.restart",
    ): "deadlock freeze frozen hang hanging hangs heartbeat stuck straggler stragglers watchdog",
    ("scheduling.pool", "scheduling.nodeLabels", "cluster.pools.labels"): (
        "capacitytype gkenodepool instance karpenter karpenter.sh/capacitytype karpenter.sh/nodepool "
        "nodegroup nodepool nodepools"
    ),
    ("scheduling.tolerations", "cluster.pools.taints"): "noexecute noschedule unschedulable",
    ("scheduling.hosts", "scheduling.avoidHosts"): "badnodes excludenodes nodelists",
    ("scheduling.spread", "pods"): "exclusivetopology onepernode",
    ("pod.runtimeClassName", "cluster.pools.runtimeClass"): "gpuoperator nvidiacontainerruntime",
    ("cluster.podSecurity", "cluster.namespaces.podSecurity", "security"): (
        "podsecuritypolicy podsecuritystandards psa psp rootless scc seccompprofile apparmor"
    ),
    ("cluster.mesh", "annotations"): "istio linkerd sidecar.istio.io/inject servicemesh",
    ("cluster.namespaces.quota", "cluster.scheduling.queues"): "quotas resourcequota resourcequotas",
    ("cluster.namespaces.limitRange",): "limitranges",
    ("resources.cpu", "start.bind"): "cpumanager cpuset numa numactl pinning",
    ("mounts.create.class",): "storageclass storageclassname",
    ("resources.disk", "mounts.scratch"): "ephemeral localstorageclass",
    ("mounts.create", "cluster.storage", "mounts.pvc"): (
        "accessmode accessmodes csi dynamicprovisioning persistentvolume pv readwritemany rwx "
        "volumeclaimtemplate volumeclaimtemplates"
    ),
    ("cluster.storage", "mounts.nfs"): "nfsserver shareddisk sharedfilesystem",
    ("env", "env.secret"): "comet mlflow neptune",
    ("env", "communication"): "nccltests ncclenv ncclopts",
    ("env.field", "env.resource"): "downwardapi fieldref resourcefieldref valuefrom",
    ("objects",): (
        "configmaps extraobjects networkpolicies networkpolicy pdb poddisruptionbudget podmonitor podmonitors "
        "rolebinding servicemonitor servicemonitors"
    ),
    ("objects", "pod.serviceAccountName"): "irsa podidentity workloadidentity",
    ("annotations", "mounts.secret", "env.secret"): "agentinject hashicorpvault injector vault vaultagent",
    ("files", "args"): "accelerateconfig deepspeedconfig dsconfig",
    ("resources.gpu", "cluster.pools.gpu.resource"): "fractionalgpu gpusharing gputimeslicing mps timeslicing vgpu",
    ("pod.hostIPC", "resources.shm"): "ipc ipchost",
    ("cluster.pools.hca.devices",): "ibdev2netdev ibstat ibvdevinfo",
    ("matrix", "command"): "katib optuna raytune",
    ("mounts", "files"): "dockervolume filemounts mount mountdata mounting volumemount",
    ("image", "cluster.images.mirrors"): "baseimage docker nvcr pullthrough",
    ("metadata.name", "metadata.generateName"): "jobid jobname runid runname",
    ("extends", "variants", "vars"): "hydra inheritance overlay overlays override overrides templates",
    ("cluster.operators",): "helmrelease kubeflow operator operatorversion versions",
    ("target", "roles"): "pytorchjobs tfreplicatype",
}
# What is answered by one choice of a word, and what is to be known beside it: (the word, the sentence) → names.
# Lightning 2.6.6, fabric/plugins/environments/{lightning,torchelastic}.py; torch 2.13, distributed/elastic/agent.
_CHOSEN: dict[tuple[str, str], str] = {
    (
        "start",
        "write `start: torchrun`, from which Lightning takes its ranks; nodes × devices of its trainer are the pods × "
        "GPUs of the job",
    ): "fabricrun lightning lightningcli ptlauncher pytorchlightning trainer.devices trainer.numnodes",
    (
        "start",
        "no operator sets it: with `start: torchrun` each process has `GROUP_RANK`, the number of its pod; who reads "
        "`NODE_RANK` has `prepare: export NODE_RANK=$RANK` in a PyTorchJob, `$PET_NODE_RANK` in a TrainJob",
    ): "grouprank noderank",
    (
        "matrix",
        'each task of an array is a job of its own: `matrix: {task: {t0: {env: {SLURM_ARRAY_TASK_ID: "0"}}, …}}` with '
        "a line for each sets the variable; nobody else does; `specgen init job -- sbatch SCRIPT` writes these lines",
    ): "arrayjobid arraytaskid slurmarraytaskid slurmarraytaskcount",
    (
        "pods",
        "the number of a pod is `JOB_COMPLETION_INDEX` in JobSets and TrainJobs, and with `start: torchrun` "
        "`GROUP_RANK` in each process; a part of the work for each is a `matrix` as well",
    ): "completionindex podindex",
    (
        "env.secret",
        "write `env: {WANDB_API_KEY: {secret: NAME, key: KEY}}`, of a Secret that `kubectl create secret generic NAME "
        "--from-literal=KEY=…` makes",
    ): "wandb wandbapikey weightsandbiases",
    (
        "env.secret",
        "write `env: {HF_TOKEN: {secret: NAME, key: KEY}}`, of a Secret that `kubectl create secret generic NAME "
        "--from-literal=KEY=…` makes",
    ): "hftoken huggingfacehubtoken huggingfacetoken",
}
CHOSEN: dict[str, tuple[str, str]] = {name: said for said, names in _CHOSEN.items() for name in names.split()}

TOPICS: dict[str, tuple[str, ...]] = {name: found for found, names in _TOPICS.items() for name in names.split()}


# What a variable that is nobody's but a program's holds, by the end of its name, where that must not be seen.
_SECRET = ("KEY", "KEY_ID", "PASSWORD", "SECRET", "TOKEN")


# What a name before a slash, or behind it, tells of the whole: labels, annotations and resources have one before.
_BEFORE: dict[str, tuple[str, ...]] = {
    "rdma": ("resources.hca", "cluster.pools.hca.resource"),
    "openshift.io": ("resources.hca", "cluster.pools.hca.resource"),
    "nvidia.com/mig": ("resources.other", "cluster.pools.gpu.resource"),
    "nvidia.com/gpu": ("resources.gpu", "cluster.pools.gpu.resource"),
    "nvidia.com/gpu.": ("scheduling.nodeLabels", "scheduling.pool", "cluster.pools.labels"),
    "nvidia.com/gpu.shared": ("resources.gpu", "cluster.pools.gpu.resource"),
    "nvidia.com/hostdev": ("resources.hca", "cluster.pools.hca.resource"),
    "nvidia.com/rdma": ("resources.hca", "cluster.pools.hca.resource"),
    "mellanox.com": ("resources.hca", "cluster.pools.hca.resource"),
    "amd.com/gpu": ("resources.other", "cluster.pools.gpu.resource"),
    "huawei.com": ("resources.npu", "cluster.pools.npu.resource"),
    "aws.amazon.com/neuron": ("resources.other",),
    "google.com/tpu": ("resources.other",),
    "habana.ai": ("resources.other",),
    "gpu.intel.com": ("resources.other",),
    "kueue.xk8s.io/podset": ("scheduling.within", "scheduling.near", "scheduling.slices"),
    "kueue.xk8s.io/queue": ("scheduling.queue",),
    "kueue.xk8s.io/priority": ("scheduling.priority",),
    "kueue.xk8s.io": ("scheduling", "labels", "annotations"),
    "scheduling.k8s.io": ("scheduling.gang", "annotations"),
    "volcano.sh": ("scheduling.gang", "annotations", "labels"),
    "topology.": ("scheduling.within", "scheduling.near", "cluster.topology"),
    "network.topology.": ("scheduling.within", "scheduling.near", "cluster.topology"),
    "cloud.google.com": ("scheduling.nodeLabels", "scheduling.pool", "cluster.pools.labels"),
    "cloud.google.com/gcetopology": ("scheduling.within", "scheduling.near", "cluster.topology"),
    "eks.amazonaws.com": ("scheduling.nodeLabels", "scheduling.pool", "cluster.pools.labels"),
    "kubernetes.azure.com": ("scheduling.nodeLabels", "scheduling.pool", "cluster.pools.labels"),
    "node.kubernetes.io": ("scheduling.nodeLabels", "scheduling.pool", "cluster.pools.labels"),
    "noderole.kubernetes.io": ("scheduling.nodeLabels", "scheduling.tolerations", "cluster.pools.labels"),
    "karpenter.": ("scheduling.nodeLabels", "scheduling.pool", "cluster.pools.labels"),
    "kubernetes.io/hostname": ("scheduling.hosts", "scheduling.avoidHosts"),
    "feature.node.kubernetes.io": ("scheduling.nodeLabels", "cluster.pools.labels"),
    "networking.gke.io": ("annotations", "cluster.pools.fabric.adds.annotations"),
    "sidecar.istio.io": ("cluster.mesh", "annotations"),
    "clusterautoscaler.kubernetes.io": ("annotations",),
    "training.kubeflow.org": ("labels",),
}
# Any other name of that form: on nodes a label, on a pod a label or an annotation, in `limits` a resource.
_ANY_SLASHED = ("scheduling.nodeLabels", "labels", "annotations", "resources.other")
_SLASHED = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}/[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?|rdma/[A-Za-z0-9._-]+")
# Names before the dot that end in what a file is called, not in a domain.
_FILES = (".yaml", ".yml", ".json", ".txt", ".py", ".sh", ".md")


def topic(name: str) -> tuple[str, ...]:
    """The words that say what somebody looks for; none where that is not known."""
    return TOPICS.get(folded(name)) or _slashed(name)


def _slashed(name: str) -> tuple[str, ...]:
    """Of a name with a domain before a slash, which is a label's, an annotation's or a resource's."""
    if not _SLASHED.fullmatch(name) or name.endswith(_FILES):
        return ()
    plain = folded(name)
    begun = [one for one in _BEFORE if plain.startswith(one)]
    return _BEFORE[max(begun, key=len)] if begun else _ANY_SLASHED


def program_variable(name: str) -> tuple[str, ...]:
    """The words that set a variable of a program of which nothing is known here; none: the name is not like one's."""
    if not (name.isupper() and name.isascii() and name.isidentifier() and "_" in name):
        return ()
    return ("env.secret", "envFrom.secret") if name.endswith(_SECRET) else ("env",)
