"""SG2xx of what a plan makes impossible or without effect, and SG3xx, SG5xx and SG6xx: its devices, network, pools."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, NOTE, WARNING, Code
from specgen.diagnostics.pages import page
from specgen.profile.codes import DOES_NOT_FIT as DOES_NOT_FIT
from specgen.profile.codes import POD_SECURITY as POD_SECURITY

_LANGUAGE = "The profile's own language: `specgen schema job`, `specgen schema cluster`."

UNUSED_VARIABLE = Code(
    "SG205",
    "unused-variable",
    ERROR,
    since="0.1",
    page=page(
        "A variable that no string uses.",
        "Every name under `vars` is used by some string of the job.",
        "It is most often the other half of a misspelt `$<name>`.",
        "- error: whoever defined it meant some string to use it; specgen builds nothing until one does.",
        "vars: {data: /fsx}\ncommand: [train.py]",
        "vars: {data: /fsx}\ncommand: [train.py, $<data>]",
        "Use it or remove it.",
        "Never; a base may define what its jobs do not use.",
        _LANGUAGE,
    ),
)

NOTHING_TO_REMOVE = Code(
    "SG206",
    "nothing-to-remove",
    ERROR,
    since="0.1",
    page=page(
        "A null that removes nothing.",
        "A `null` takes away what a weaker layer, the fabric or a default says; there must be something to take away.",
        "`{UCX_TLS: self,sm}` without quotes is two entries to YAML, the second one null: a typing slip that would "
        "pass.",
        "- error: what was to be taken away is not there: the profile means something else than it says.",
        "env: {UCX_TLS: self,sm}",
        'env: {UCX_TLS: "self,sm"}',
        "Quote the text, or remove the entry.",
        "Never.",
        _LANGUAGE,
    ),
)

NAME_TOO_LONG = Code(
    "SG211",
    "derived-name-too-long",
    ERROR,
    since="0.1",
    page=page(
        "A job name that grows beyond 63 characters once the operator has added its suffixes.",
        "`<job>-<role>-<index>` of the last replica is a DNS label, as are the names of variants.",
        "The job is admitted, then no Service can be created for the pod, and the job never starts "
        "(recorded: 54 characters work, 55 do not).",
        "- error: the API server refuses the Service or the object that gets the longer name.",
        "metadata: {name: a-name-of-sixty-characters-which-the-operator-makes-longer-x}",
        "metadata: {name: a-shorter-name}",
        "Shorten the name.",
        "Never.",
        "training-operator v1.9.4, pkg/controller.v1/common/util.go (GenGeneralName).",
    ),
)

OPERATOR_SETS_IT = Code(
    "SG212",
    "operator-sets-it",
    ERROR,
    since="0.1",
    page=page(
        "A variable that the operator sets itself.",
        "`env` holds none of the names that the operator of the target appends to every container.",
        "The operator appends its own value, and of two equal names the last one wins: yours is without effect.",
        "- error: the operator's own value comes last and wins, whatever stands here.",
        'env: {WORLD_SIZE: "16"}',
        "env: {}",
        "Remove it; a program that wants a count takes `$<pods>` or `$<processes>` among its arguments.",
        "Never.",
        "training-operator v1.9.4, pkg/controller.v1/pytorch/envvar.go.",
    ),
)

FILES_TOO_LARGE = Code(
    "SG215",
    "files-too-large",
    ERROR,
    since="0.1",
    page=page(
        "Files of a job that no ConfigMap can hold.",
        "The files that a job carries come to one ConfigMap, whose values have 1,048,576 bytes at most.",
        "The API server refuses the ConfigMap, and the pods of the job wait for it. From 262,144 bytes on, `kubectl "
        "apply` needs `--server-side`, as the annotation that it writes otherwise is limited too.",
        "- error: the API server refuses a ConfigMap of that size.",
        "files: {/data/vocabulary.bin: {from: vocabulary.bin}}   # 30 MB",
        "mounts: {/data: {storage: datasets}}",
        "Put large files on a file system that the pods mount, or into the image.",
        "Never.",
        "kubernetes 1.36, pkg/apis/core/validation (ValidateConfigMap).",
    ),
)

NCCL_WITHOUT_GPU = Code(
    "SG310",
    "nccl-without-gpu",
    ERROR,
    since="0.1",
    page=page(
        "NCCL is asked for, and no pod has a GPU.",
        "A job whose `communication.library` is `nccl` asks for GPUs, in whatever form.",
        "PyTorch refuses to create the NCCL process group on a machine without a GPU.",
        "- error: PyTorch refuses to make a process group of NCCL without a GPU.",
        "communication: {library: nccl}\nresources: {cpu: 16}",
        "communication: {library: gloo}\nresources: {cpu: 16}",
        "Choose gloo, or ask for GPUs; specgen cannot know which was meant.",
        "Never.",
        "PyTorch 2.13, torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp.",
    ),
)

RDMA_NOT_USED = Code(
    "SG530",
    "rdma-not-used",
    WARNING,
    since="0.1",
    page=page(
        "Several pods with GPUs on nodes with HCAs, and no HCA asked for.",
        "A job of several pods with GPUs on a pool whose fabric carries RDMA asks for `hca`, or says "
        "`communication: {rdma: false}`.",
        "NCCL then talks TCP without a word: often a tenth of the bandwidth.",
        "- warning: the job runs, over TCP; it may hardly communicate.\n"
        "- note: of eight or more pods with eight GPUs, where no cluster profile says whether the nodes have HCAs.",
        "pods: 16\nresources: {gpu: 8}",
        "pods: 16\nresources: {gpu: 8, hca: auto}",
        "None is applied: devices bring rights.",
        "When the job hardly communicates; say `rdma: false`.",
        "NCCL user guide 2.30.7, environment variables (NCCL_NET).",
    ),
)

AGAINST_FABRIC = Code(
    "SG531",
    "variable-against-fabric",
    WARNING,
    since="0.1",
    page=page(
        "A variable of the job that goes against its pool.",
        "`NCCL_IB_DISABLE`, `NCCL_NET`, `NCCL_IB_HCA`, `NCCL_SOCKET_IFNAME` and `GLOO_SOCKET_IFNAME` of a job against "
        "the HCAs and the interface that its pool has. The job's own variables win over those that follow from the "
        "pool.",
        "NCCL does as it is told: it leaves HCAs idle that the job asked for, or finds no device and stops.",
        "- error: what the job asks for and what its variable says exclude each other, by the pool's own words.\n"
        "- warning: the pods may have devices or interfaces that the cluster profile does not name.",
        'resources: {gpu: 8, hca: auto}\nenv: {NCCL_IB_DISABLE: "1"}',
        "resources: {gpu: 8}\ncommunication: {rdma: false}",
        "Leave the variable out, or correct the cluster profile. An error where NCCL's network of the pool is known, "
        "or where no HCA is left.",
        "Where the pods have further devices or interfaces that the cluster profile does not name.",
        "NVIDIA/nccl, docs/userguide/source/env.rst and src/misc/utils.cc, 2.30.7.",
    ),
)

NVLINK_UNKNOWN = Code(
    "SG532",
    "nvlink-not-in-pool",
    WARNING,
    since="0.1",
    page=page(
        "NVLink across pods, and a pool that says nothing of it.",
        "With `communication: {nvlink: true}`, the pool of the GPUs says `fabric: {nvlink: compute-domain}`.",
        "The pods claim a channel of a compute domain. Without NVIDIA's driver for dynamic resource allocation nobody "
        "makes the claim's template, and the pods stay Pending for ever.",
        "- warning: the driver may be there without the cluster profile saying so.",
        "communication: {nvlink: true}   # a pool of single nodes",
        "pools: {gb300: {fabric: {nvlink: compute-domain}}}",
        "Say it in the cluster profile, or leave the word out.",
        "Where the cluster profile cannot be changed and the driver is there.",
        "kubernetes-sigs/dra-driver-nvidia-gpu 25.8, README.",
    ),
)

AMBIGUOUS_POOL = Code(
    "SG602",
    "ambiguous-pool",
    ERROR,
    since="0.1",
    page=page(
        "Pods that several pools could take, or none.",
        "The devices that a job asks for exist in exactly one pool of the cluster profile, or `scheduling.pool` names "
        "one. Pools that the flavors of the job's queue of Kueue mean are the queue's choice, if they make no "
        "difference to the pods but by labels and taints.",
        "Resource names, rights and interfaces follow from the pool.",
        "- error: without one pool nothing that follows from it can be written.",
        "resources: {gpu: 8}   # two pools have GPUs",
        "resources: {gpu: 8}\nscheduling: {pool: h100}",
        "Name the pool, or have the flavors of the queue be these pools.",
        "Never.",
        _LANGUAGE,
    ),
)

IDLE_GPUS = Code(
    "SG216",
    "idle-gpus",
    WARNING,
    since="0.1",
    page=page(
        "Several GPUs or NPUs in a pod, and fewer processes.",
        "A pod with several GPUs or NPUs has a starter, or says that its command starts the processes (`start: self`) "
        "or is the only one on purpose (`start: none`), however it asks for them. Workers of an MPIJob with GPUs have "
        "a launcher that starts processes on them: `start: none` starts one, in the launcher. Where a resource claim "
        "brings them, the template among `objects`, the pool or `procsPerPod` says how many. `procsPerPod` is not less "
        "than the devices that mpirun spreads processes over; what torchrun and accelerate start on GPUs is SG534.",
        "One process uses one GPU unless its program is written otherwise; the others are held and idle.",
        "- warning: whether the program uses several GPUs by itself is not known.",
        "resources: {gpu: 8}\ncommand: [python, train.py]",
        "resources: {gpu: 8}\nstart: torchrun\ncommand: [train.py]",
        "Say who starts the processes.",
        "When one process drives all GPUs; `start: none` says so, but for an MPIJob, whose GPUs are elsewhere.",
        "The profile's own language, `start`: `specgen schema job`.",
    ),
)

TRAINER_IN_IMAGE = Code(
    "SG469",
    "trainer-in-image",
    NOTE,
    since="0.1",
    page=page(
        "A trainer that the image must hold.",
        "`guard: true` starts the program by `python -m trainer guard`, `specgen preflight` runs the same package, and "
        "nothing of the job says where it comes from: no `prepare`, mount, file, `PYTHONPATH` or command that runs it.",
        "An image without the package ends at once, in every pod: `No module named trainer`.",
        "- note: what the image holds is not known here.",
        "image: registry.example.com/train:1.4\nguard: true\ncommand: [train.py]",
        "image: registry.example.com/train:1.4\nguard: true\nenv: {PYTHONPATH: /opt}\ncommand: [train.py]",
        "Copy the folder `trainer/` of this repository into the image, and let `PYTHONPATH` name the folder above it. "
        "The guard needs Python 3.11 and nothing else, the preflight PyTorch and numpy.",
        "Once the image has it.",
        "trainer/guard; `python -m trainer guard --help`.",
    ),
)

SHARED_UNITS = Code(
    "SG241",
    "shared-units",
    NOTE,
    since="0.1",
    page=page(
        "A number of HCAs that becomes one unit of a shared device.",
        "With `rdma: shared-device` a pod that asks for several HCAs asks the scheduler for one unit.",
        "Nothing is wrong: a unit of a shared device opens all HCAs of the node, and more units open nothing more. "
        "Who looks for the number in the manifest does not find it.",
        "- note: the pod gets all HCAs of its node, as it was meant.",
        "resources: {gpu: 8, hca: 8}",
        "resources: {gpu: 8, hca: auto}",
        "None is needed. `hca: auto` says the same without a number.",
        "Where the number is there for readers.",
        "k8s-rdma-shared-dev-plugin 1.5, README (rdmaHcaMax).",
    ),
)

ALL = (
    IDLE_GPUS,
    UNUSED_VARIABLE,
    NOTHING_TO_REMOVE,
    NAME_TOO_LONG,
    OPERATOR_SETS_IT,
    FILES_TOO_LARGE,
    NCCL_WITHOUT_GPU,
    RDMA_NOT_USED,
    AGAINST_FABRIC,
    NVLINK_UNKNOWN,
    AMBIGUOUS_POOL,
    SHARED_UNITS,
    TRAINER_IN_IMAGE,
)
