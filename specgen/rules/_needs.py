"""What a rule may need: the name of a field, or a word in brackets for what no name of a field tells.

A job that has nothing of what a rule ``NEEDS`` does not load it. What a word asks of a job stands in ``_gathered``, and
in ``_held`` where that costs more than a look.
"""

from __future__ import annotations

# A pod of the job is refused by the API server.
REFUSED_POD = "<a refused pod>"
# Something cannot work of a command line: a cause of ``operators.kubernetes.argv``.
SLIP = "<slip: {}>"
# A command line names torchrun, accelerate or DeepSpeed's launcher.
LAUNCHER = "<a launcher>"
# A command line may say the sizes of Lightning's trainer.
LIGHTNING = "<sizes of Lightning>"
# A command line may say the sizes of Megatron's parallelism.
MODEL_PARALLEL = "<sizes of model parallelism>"
# A command line may say over how many GPUs a server spreads a model.
PARTS = "<parts of a model>"
# A command line names a program or a variable of Slurm or MPI.
SLURM = "<a word of Slurm>"
# A command line names MindSpore's launcher.
MSRUN = "<msrun>"
# A command line may say how many pods or processes there are.
COUNTS = "<a count of processes>"
# A variable says how many pods or processes there are.
COUNTED = "<a count in a variable>"
# A container may preload a library.
PRELOAD = "<LD_PRELOAD>"
# A container has a variable of NCCL, or a command that names one.
NCCL = "<a variable of NCCL>"
# A container sets up InfiniBand for NCCL, or says which network it takes.
NCCL_IB = "<a variable of NCCL's InfiniBand>"
# One of them has no name that is known, a value that its release does not take, or is not there in its release.
NCCL_UNKNOWN, NCCL_WRONG, NCCL_GONE = "<nccl: unknown>", "<nccl: wrong>", "<nccl: gone>"
# A command names variables that mpirun is to carry.
CARRIED = "<mpirun -x>"
# A command begins with Python.
PYTHON = "<Python in front>"
# A command begins with Python, and its container has several GPUs.
PYTHON_ON_GPUS = "<Python in front of several GPUs>"
# A role restarts by exit code.
EXIT_CODE = "<a role with ExitCode>"
# No operator of the cluster serves the job.
UNSERVED = "<no operator of the cluster>"
# A role starts its containers again whatever they end with.
ALWAYS = "<a role with Always>"
# Nothing is said of the pods at the end of a job, or that they stay.
KEPT = "<pods that stay>"
# A launcher asks for something by limits.
IDLE_LAUNCHER = "<a launcher's pod with limits>"
# A job of one role that is no Master.
WITHOUT_MASTER = "<one role without a Master>"
# The runtime of a TrainJob has its JobSet deleted some time after the end.
RUNTIME_TTL = "<a runtime with a time to live>"
# A container has a variable by which programs find a proxy.
PROXY = "<a proxy>"
# A command line names a program that downloads.
DOWNLOAD = "<a download>"
# A container has a variable of InfiniBand, or of EFAs.
FABRIC = "<a variable of a fabric>"
# A command line says one.
FABRIC_CARRIED = "<a variable of a fabric in a command line>"
# A container says whether NCCL uses InfiniBand.
SWITCHED_OFF = "<a network of NCCL>"
# A container says where libraries are.
LIBRARY_PATH = "<LD_LIBRARY_PATH>"
# Two roles with templates of their own.
TWINS = "<roles with different containers>"
# A container sets a variable that the operator may set, too.
OPERATOR_ENV = "<a variable of the operator>"
# A container says by which interface NCCL or Gloo talk.
INTERFACE = "<an interface>"
# A resource is called nearly like a GPU.
MISNAMED = "<a resource like a GPU>"
# The text of the job has two slashes behind a word and a blank.
SLASHES = "<slashes like a comment>"
# An amount of a resource has no value.
VALUELESS = "<an amount without a value>"
# A volume is a folder of the node that is made where it is missing.
HOST_PATH = "<a folder of the node that may be made>"
# Pods choose nodes by their role.
NODE_ROLE = "<nodes of a role>"
# An amount of memory in bytes, or in parts of one.
TINY = "<memory in bytes>"
# An amount of memory in mebibytes or less, or of CPU in thousandths.
LITTLE = "<little memory or CPU>"
# A command line may say which of the pods it is in.
RANKED = "<a rank in a command line>"
# A volume is made of an object.
OF_OBJECT = "<a volume of a ConfigMap or a Secret>"
# A pod template says a restart policy, where most operators do not look for it.
TEMPLATE_POLICY = "<a restart policy in a template>"
# Something runs beside the training container.
SEVERAL = "<several containers in a pod>"
# An image by whose name nothing can be pulled.
IMAGE = "<a name of no image>"
# An image of PyTorch's own that has what a program needs to run, and no more.
RUNTIME_IMAGE = "<PyTorch's own runtime image>"
# The name of an image says a maker of GPUs, and the container asks for devices of which that may not be the one.
OTHER_MAKER = "<an image of a maker>"
# A text that holds the job's name, as addresses of its pods do.
ADDRESS = "<the job's name in a text>"
# A command line, a variable or a working directory names a path that no image brings.
OUTSIDE = "<a path outside the image>"
# A command line may say a relative path that is written to.
RELATIVE = "<a relative output>"
# A mount that nothing is written to: it says so, its volume does, or that is made of an object.
READ_ONLY = "<a mount that is read-only>"
# A variable whose value holds a dollar sign.
DOLLAR = "<a dollar in a variable>"
# A mount names a variable in the folder that it takes.
SUB_PATH = "<a variable in the folder of a mount>"
# A word of a command line that holds a quote.
QUOTE = "<a quote in a command line>"
# A label or annotation of Kueue on the job or its pods.
KUEUE = "<a mark of Kueue>"
# The operator groups jobs, or the job names a scheduler, a group, or a queue of one.
GANG = "<a gang or a scheduler>"
# The cluster has pools.
POOLS = "<pools>"
# The cluster has pools, and the job is no compiled one; or the cluster lists its queues.
NODES = "<pools of the cluster>"
QUEUES = "<queues of the cluster>"
# The job has an annotation that says something to whoever handles its pods, one of these.
OFF_PODS = "<an annotation of pods on the job>"
OF_PODS = (
    "k8s.v1.cni.cncf.io/networks",
    "cluster-autoscaler.kubernetes.io/safe-to-evict",
    "karpenter.sh/do-not-disrupt",
)
# A ResourceQuota or a LimitRange stands beside the job.
LIMITED = "<limits of a namespace>"
# The cluster says what a node has besides devices, or what a namespace gets.
AMOUNTS = "<amounts of a node>"
# A LimitRange is among the files, or the cluster says one.
LIMIT_RANGE = "<a LimitRange>"
# The cluster has a level of Pod Security that refuses something.
POD_SECURITY = "<a Pod Security level>"
# A volume in memory has a size, and a container a limit of memory.
MEMORY = "<a volume in memory>"
# A volume on a node's disk has a size.
SIZED_VOLUME = "<a volume with a size>"
# A volume is an empty directory of a medium other than memory, or somebody runs as root in so many words.
MEDIUM = "<a medium or a user of its own>"
# A ConfigMap or a Secret is among the files.
CONFIGURED = "<a ConfigMap beside it>"
# An object beside the job selects pods.
SELECTED = "<an object that selects pods>"
# The job or a template speaks of a sidecar that a webhook adds.
MESH = "<an injected sidecar>"
# One role asks for GPUs and another does not.
SOME_GPUS = "<a role without a GPU>"
# A container says which GPUs it sees.
VISIBLE = "<GPUs that are seen>"
# A claim stands beside the job.
CLAIMS = "<a claim beside the job>"
# The object has a field that the API server writes, or an annotation that tools of its files read.
SERVER_OWNED = "<a field of the API server>"
KRM = "<an annotation of tools>"
# The object has an annotation of Argo CD.
ARGO_CD = "<an annotation of Argo CD>"
# A variable is called like a secret, or a text looks like one.
SECRET = "<a secret>"
# An amount of storage in bytes or in parts of one, or of CPU in thousands.
ODD_AMOUNT = "<an odd amount>"
# The cluster has such a pool.
ROCE = "<a pool with RoCE>"


# Fields of metadata that are the API server's.
OWNED = frozenset(
    (
        "creationTimestamp",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "resourceVersion",
        "selfLink",
        "uid",
    )
)
