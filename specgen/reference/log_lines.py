"""Lines of logs and events, and the pages that know their cause.

A line is known by a part of its text that does not change, with `…` for what does: `Call to ibv_… failed`. Each entry
says once what the line means, what to do next, which names to look up, and which file prints the text. Rules and words
say the rest on their own pages. A text may have several causes, and the pages are in the order of likelihood.
"""

from __future__ import annotations

from specgen.reference.page import Page
from specgen.schema.wording import folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# The shortest part of a known text that is taken for it.
_LEAST = 8
# Entries of one line that are shown.
MOST = 3


class LogLine:
    """One text of a log: its forms, the first of which is its name; the pages are names that can be looked up.

    ``called``: what people call it, folded, who have no line at hand.
    """

    __slots__ = ("called", "forms", "meaning", "pages", "remedy", "source")

    def __init__(
        self, forms: tuple[str, ...], meaning: str, remedy: str, pages: str, source: str, called: str = ""
    ) -> None:
        self.called = called.split()
        self.forms = forms
        self.meaning = meaning
        self.remedy = remedy
        self.pages = tuple(pages.split())
        self.source = source


# The more particular text stands above the general one.
LOG_LINES = (
    LogLine(
        ("insufficient unused quota for", "couldn't assign flavors to pod set"),
        "Kueue finds no room for the job in its queue: what runs there uses the quota, or none of its flavors suits.",
        "`specgen fit` with the objects of the cluster says what is short, and who would have to end.",
        "SG711 scheduling.queue cluster.scheduling.queues.quota",
        "kubernetes-sigs/kueue pkg/scheduler/flavorassigner",
    ),
    LogLine(
        ("LocalQueue … doesn't exist", "ClusterQueue … doesn't exist", "ClusterQueue … is inactive"),
        "Kueue knows no such queue in the namespace of the job, or it is stopped, or lacks what its flavors name.",
        "Compare the name with `kubectl get localqueues` of that namespace.",
        "SG613 scheduling.queue cluster.scheduling.queues.localQueues",
        "kubernetes-sigs/kueue pkg/queue, pkg/cache",
    ),
    LogLine(
        ("Preempted to accommodate a workload", "Exceeded the PodsReady timeout"),
        "Kueue took the job's place back: for one of a higher priority, or since not all pods were ready in time.",
        "Of a timeout, look for the pod that was not ready; the job waits in its queue again.",
        "scheduling.priority scheduling.queue lifecycle.grace",
        "kubernetes-sigs/kueue pkg/scheduler/preemption, pkg/controller/core",
    ),
    LogLine(
        ("RendezvousClosedError",),
        "torchrun came to a rendezvous that was over: the others had ended, or failed, when this pod came.",
        "Look at the pod that ended first; one that begins later has to wait for a new rendezvous.",
        "SG498 elastic lifecycle.restarts",
        "pytorch/pytorch torch/distributed/elastic/rendezvous/dynamic_rendezvous.py",
    ),
    LogLine(
        (
            "clients joined",
            "RendezvousTimeoutError",
            "Timed out initializing process group",
            "in store based barrier",
        ),
        "Some ranks did not come in time to the store at which all meet: pods that are missing, or that begin late.",
        "Look for the pod that is Pending or failed; `specgen expand` says how many there are to be.",
        "SG210 scheduling.gang elastic",
        "pytorch/pytorch torch/csrc/distributed/c10d/TCPStore.cpp, torch/distributed/distributed_c10d.py",
        "barriertimeout inittimeout rendezvoustimeout rdzvtimeout",
    ),
    LogLine(
        ("ChildFailedError", "exitcode: … traceback : To enable traceback"),
        "torchrun tells that a process of this pod failed; the cause stands in the log of that process, above.",
        "Read the first traceback in the log of the rank that it names under `Root Cause`.",
        "guard lifecycle.restarts",
        "pytorch/pytorch torch/distributed/elastic/multiprocessing/errors",
    ),
    LogLine(
        ("ncclInternalError", "internal error - please report"),
        "NCCL met a state that it does not expect: often ranks of different versions, or a rank that went away.",
        "Set `NCCL_DEBUG: INFO`, and read the first warning of any rank.",
        "NCCL_DEBUG SG437",
        "NVIDIA/nccl src/init.cc",
    ),
    LogLine(
        ("fallen off the bus", "Xid (PCI", "Xid 79"),
        "The driver lost a GPU, or reports a fault of one: of the hardware most often, and never of the manifest.",
        "Drain the node, and keep jobs off it until it was looked at.",
        "scheduling.avoidHosts lifecycle.restarts",
        "NVIDIA, XID Errors",
    ),
    LogLine(
        ("Stale file handle", "ESTALE"),
        "A file of a network file system was replaced or deleted on another node while this pod had it open.",
        "Write checkpoints under a new name and rename them; a pod that begins anew opens the file again.",
        "mounts lifecycle.restarts",
        "Linux, errno(3), ESTALE",
    ),
    LogLine(
        ("Transport endpoint is not connected", "LustreError", "mount.lustre"),
        "The client of a file system on the node has lost its servers, or could not mount it.",
        "Look at the node (`dmesg`, `lfs check servers`); other pods there meet the same.",
        "cluster.storage mounts.hostPath scheduling.avoidHosts",
        "lustre-release lustre/utils/mount_lustre.c; Linux, errno(3), ENOTCONN",
    ),
    LogLine(
        ("NET/OFI Unable to find a protocol", "No eligible providers were found", "NET/OFI … Failing initialization"),
        "The plugin of libfabric finds no EFA: the pod has none, or the image's libfabric is not that of EFA.",
        "Ask for the adapters, and look at `fi_info -p efa` in the pod.",
        "SG438 resources.hca cluster.pools.fabric.adds",
        "aws/aws-ofi-nccl src/nccl_ofi_net.cpp",
    ),
    LogLine(
        ("network AWS Libfabric not found", "NCCL_NET … was not found", "Failed to find network"),
        "`NCCL_NET` names a network whose plugin the image does not bring.",
        "Take an image with the plugin, or leave `NCCL_NET` out.",
        "NCCL_NET NCCL_NET_PLUGIN",
        "NVIDIA/nccl src/plugin/net.cc",
    ),
    LogLine(
        ("Failed to open libibverbs",),
        "The image has no libibverbs: NCCL sees no HCA and goes on over TCP, or stops where `NCCL_NET` asks for IB.",
        "Install `libibverbs1` and `rdma-core` in the image.",
        "SG447 NCCL_NET resources.hca",
        "NVIDIA/nccl src/misc/ibvsymbols.cc; pytorch/pytorch#73790",
    ),
    LogLine(
        ("hostPath type check failed",),
        "On this node the path is not there, or is no folder: the file system is not mounted there.",
        "Mount it on the node, or keep pods off nodes without it; `type: DirectoryOrCreate` makes an empty folder.",
        "mounts.type scheduling.nodeLabels",
        "kubernetes/kubernetes pkg/volume/hostpath",
    ),
    LogLine(
        ("UnexpectedAdmissionError", "Allocate failed due to"),
        "The node did not get the devices that the scheduler had counted there: its device plugin said otherwise.",
        "Look at the device plugin of that node; a failed pod of this kind is never begun again by itself.",
        "resources.gpu resources.hca lifecycle.restarts",
        "kubernetes/kubernetes pkg/kubelet/cm/devicemanager",
    ),
    LogLine(
        ("nvidia-container-cli",),
        "The runtime could not give the GPUs of the node to the container: its driver is too old, or not there.",
        "Compare the CUDA that the image asks for with the driver of the node.",
        "resources.gpu cluster.pools.gpu",
        "NVIDIA/libnvidia-container src/cli",
    ),
    LogLine(
        ("no kernel image is available for execution", "CUDA error: invalid device function"),
        "The program was built for other GPUs than those of the node: its CUDA code has none for their architecture.",
        "Take an image of a PyTorch that knows the GPU; `scheduling.pool` chooses nodes of another one.",
        "image scheduling.pool cluster.pools.gpu.product",
        "CUDA Runtime API, cudaErrorNoKernelImageForDevice",
    ),
    LogLine(
        ("invalid device ordinal", "Invalid device id"),
        "A process chose a GPU that its pod has not: more processes than GPUs, or the rank among all.",
        "Choose by LOCAL_RANK, and start a process for each GPU of the pod.",
        "SG467 procsPerPod resources.gpu",
        "CUDA Runtime API, cudaErrorInvalidDevice; pytorch/pytorch torch/cuda/__init__.py",
    ),
    LogLine(
        ("device-side assert triggered",),
        "A kernel found a value that cannot be, such as a label beyond the classes; the manifest has no part in it.",
        'Run it once with `CUDA_LAUNCH_BLOCKING: "1"`: the traceback then names the call.',
        "env lifecycle.restarts",
        "CUDA Runtime API, cudaErrorAssert",
    ),
    LogLine(
        ("GatedRepoError", "Repository Not Found for url", "Access to model … is restricted"),
        "The hub does not give the model or dataset to this token, or there is none in the pod.",
        "Ask for access on the model's page, and give the pods the token from a Secret.",
        "env.secret model dataset",
        "huggingface/huggingface_hub src/huggingface_hub/errors.py",
    ),
    LogLine(
        ("Max retries exceeded", "LocalEntryNotFoundError", "We couldn't connect to"),
        "The pods reach no server outside: the cluster has no way out, or a proxy that the pods are not told of.",
        "Bring the files by `dataset` or `model` from a store that is reached, or mount them, with `HF_HUB_OFFLINE`.",
        "dataset model mounts env",
        "huggingface/huggingface_hub src/huggingface_hub/file_download.py; psf/requests src/requests/adapters.py",
    ),
    LogLine(
        ("Default process group has not been initialized",),
        "The program uses collectives before `init_process_group()`: it was written for a launcher that calls it.",
        "Call it first, or start the program by the launcher that its authors name.",
        "start.by",
        "pytorch/pytorch torch/distributed/distributed_c10d.py",
    ),
    LogLine(
        ("connectFullMesh failed",),
        "Gloo's processes do not reach each other: names that do not resolve, an interface that is none, or a policy.",
        "Name the pods' interface, and look whether a NetworkPolicy keeps them apart.",
        "cluster.pools.fabric.interface SG510",
        "pytorch/pytorch torch/csrc/distributed/c10d/ProcessGroupGloo.cpp",
    ),
    LogLine(
        ("No plugin found (libnccl-net.so)", "NET/Plugin: Could not find: libnccl-net.so"),
        "NCCL found no plugin and goes on with its own networks: right for InfiniBand and TCP, wrong on EFA and TCPXO.",
        "On EFA or TCPXO take an image with the plugin, and its folder in `LD_LIBRARY_PATH`.",
        "NCCL_NET SG530 cluster.pools.fabric.net",
        "NVIDIA/nccl src/plugin/net.cc",
    ),
    LogLine(
        ("The node was low on resource", "Evicted … ephemeral-storage", "Pod ephemeral local storage usage exceeds"),
        "The kubelet ended the pod: the disk of the node was full, or the pod wrote more than it may.",
        "Write to a claim, or ask for the disk.",
        "resources.disk mounts.scratch mounts.pvc",
        "kubernetes/kubernetes pkg/kubelet/eviction",
    ),
    LogLine(
        ("toomanyrequests", "You have reached your pull rate limit"),
        "The registry answers no more pulls for now: every node pulls the image by itself.",
        "Pull through a mirror of the cluster's own, or with an account.",
        "cluster.images.mirrors",
        "docker.io, rate limits of pulls",
    ),
    LogLine(
        ("unbound immediate PersistentVolumeClaims", "persistentvolumeclaim … not found"),
        "A claim that the pod mounts is not there, or has no volume yet: the pod waits for it.",
        "Look at `kubectl get pvc` in the job's namespace: its name, its StorageClass, its size.",
        "mounts.pvc mounts.create",
        "kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding",
    ),
    LogLine(
        (
            "executable file not found in $PATH",
            "StartError … no such file or directory",
            "exec: … no such file or directory",
        ),
        "The command's first word is no program of the image: a shell's line in one word, or another image.",
        "Write the command as a list of words, or begin it with `bash -c`.",
        "SG460 command prepare",
        "opencontainers/runc libcontainer",
    ),
    LogLine(
        ("can't open file", "No module named", "ModuleNotFoundError"),
        "Python finds no such file or module in the container: another folder, another image, or a package it lacks.",
        "Say the whole path or `workdir`; what the image lacks, `files`, `mounts` or `prepare` bring.",
        "workdir files prepare image",
        "python/cpython Modules/main.c, Lib/importlib/_bootstrap.py",
    ),
    LogLine(
        ("torchrun: not found", "torchrun: command not found", "accelerate: command not found", "mpirun: not found"),
        "The image has no such program, or has it in an environment that is not on the `PATH`.",
        "Take an image that holds it, or say the whole path in `command` or `start.path`.",
        "image start.path prepare",
        "dash src/exec.c; bash execute_cmd.c",
    ),
    LogLine(
        ("exec format error",),
        "The image is of another machine than the node, amd64 against arm64, or a script has no `#!` line.",
        "Build the image for the nodes, or begin the command with the script's shell.",
        "image command",
        "Linux, errno(3), ENOEXEC",
    ),
    LogLine(
        ("ORTE has lost communication", "ORTE was unable to reliably start", "PRTE has lost communication"),
        "mpirun lost a worker, or could not begin its daemon there: a pod that ended, or names that do not resolve.",
        "Look at the worker's log and whether it was ready; Open MPI's own options limit it to one interface.",
        "SG520 start.wait start.options",
        "open-mpi/ompi orte/mca/errmgr, orte/mca/plm",
    ),
    LogLine(
        ("Host key verification failed",),
        "ssh does not know the key of the worker: the image's configuration asks for known hosts.",
        "Let ssh take any: `start: {by: mpirun, ssh: {client: [StrictHostKeyChecking=no]}}`.",
        "start.ssh.client start.ssh.keys",
        "openssh/openssh-portable sshconnect.c",
    ),
    LogLine(
        ("network-attachment-definition", "cannot find a network-attachment"),
        "Multus finds no NetworkAttachmentDefinition of that name in the namespace that the annotation means.",
        "Name it as `NAMESPACE/NAME`, or create it in the job's namespace.",
        "cluster.pools.fabric.networks",
        "k8snetworkplumbingwg/multus-cni pkg/k8sclient",
    ),
    LogLine(
        ("tasks in gang unschedulable",),
        "Volcano finds no room for all pods that must begin together, and begins none.",
        "`specgen fit` says what is short; `minAvailable` is the least that begins.",
        "scheduling.gang scheduling.queue",
        "volcano-sh/volcano pkg/scheduler/plugins/gang",
    ),
    LogLine(
        ("container has runAsNonRoot and image will run as root",),
        "The image's user is root, and the pod may not be.",
        "Say who it is to be: `security: {user: 1000}`, or a user in the image.",
        "security.user security.nonRoot cluster.podSecurity",
        "kubernetes/kubernetes pkg/kubelet/kuberuntime/security_context.go",
    ),
    LogLine(
        ("HSA_STATUS_ERROR_OUT_OF_RESOURCES",),
        "ROCm could not allocate: memory of the GPU or shared memory is used up, or too many processes use one GPU.",
        "Ask for as many GPUs as processes, and for a larger `/dev/shm`.",
        "resources.shm procsPerPod",
        "ROCm/ROCR-Runtime inc/hsa.h",
    ),
    LogLine(
        ("ibv_reg_mr", "Couldn't allocate MR", "ibv_create_cq", "ibv_create_qp … Cannot allocate memory"),
        "The process may not lock the memory that an HCA is to reach: its limit (`ulimit -l`) is too low.",
        "Add the capability `IPC_LOCK`, or raise the limit of the container runtime and say so by `memlock`.",
        "SG410 cluster.pools.fabric.memlock security.capabilities.add",
        "NVIDIA/nccl src/misc/ibvwrap.cc; NVIDIA/nccl-tests#206",
    ),
    LogLine(
        ("ibv_modify_qp",),
        "Two HCAs do not reach each other: the index of the GID, the network of RoCE, or the port differs by pod.",
        "Drop `NCCL_IB_GID_INDEX`, and check that each pod has an address in the network of its HCA.",
        "SG868 SG540 NCCL_IB_GID_INDEX cluster.pools.fabric.networks",
        "NVIDIA/nccl src/misc/ibvwrap.cc; NVIDIA/nccl#718",
    ),
    LogLine(
        ("ibv_create_qp",),
        "The HCA makes no queue pair: most often memory cannot be locked, else the device is not the container's.",
        "Look at `ulimit -l` in the pod, then at the devices that it asks for.",
        "SG410 SG438 cluster.pools.fabric.memlock resources.hca",
        "NVIDIA/nccl src/misc/ibvwrap.cc",
    ),
    LogLine(
        ("Got completion from peer", "Got completion with error", "IBV_WC_RETRY_EXC_ERR"),
        "A packet of RDMA was not answered: the network between two HCAs, a wrong GID, or a rank that has died.",
        "Look for the first rank that failed; where none did, try the nodes pair by pair with `specgen preflight`.",
        "SG868 SG545 NCCL_IB_TIMEOUT NCCL_IB_HCA",
        "NVIDIA/nccl src/transport/net_ib.cc",
    ),
    LogLine(
        ("NET/IB : No device found",),
        "NCCL sees no HCA and goes on over TCP.",
        "Ask for HCAs, and compare `NCCL_IB_HCA` with the names in `/sys/class/infiniband` of the pod.",
        "SG438 SG446 SG543 resources.hca NCCL_IB_HCA",
        "NVIDIA/nccl src/transport/net_ib.cc; NVIDIA/nccl#958",
    ),
    LogLine(
        ("NET/Socket", "Using network Socket"),
        "NCCL talks TCP; on a cluster with HCAs that is a fraction of the speed.",
        "Set `NCCL_DEBUG: INFO` and look for the line before it, which says why InfiniBand was not taken.",
        "SG530 SG446 SG439 communication.rdma NCCL_DEBUG",
        "NVIDIA/nccl src/transport/net_socket.cc; awslabs/awsome-distributed-ai#386",
    ),
    LogLine(
        ("no socket interface found", "Bootstrap : no socket"),
        "No interface of the pod has a name that `NCCL_SOCKET_IFNAME` allows.",
        "Leave the variable out, or name the interface of the pod: `ip addr` in it shows them.",
        "SG442 SG542 NCCL_SOCKET_IFNAME cluster.pools.fabric.interface",
        "NVIDIA/nccl src/bootstrap.cc; NVIDIA/nccl#1837",
    ),
    LogLine(
        ("failed to extend /dev/shm", "Error while creating shared memory segment"),
        "NCCL's segment does not fit into `/dev/shm`, which has 64 MiB where nobody says another size.",
        "Say `resources: {shm: …}`, which mounts memory there.",
        "SG401 resources.shm",
        "NVIDIA/nccl src/misc/shmutils.cc",
    ),
    LogLine(
        ("Bus error", "SIGBUS", "out of shared memory", "exit code 135", "exitcode : -7"),
        "A process wrote to shared memory for which `/dev/shm` has no room; loader processes do so first.",
        "Say `resources: {shm: …}`, or start fewer loader processes.",
        "SG401 SG450 resources.shm",
        "pytorch/pytorch torch/csrc/DataLoader.cpp; pytorch/pytorch#16979",
    ),
    LogLine(
        ("No space left on device",),
        "A file system is full; under `/dev/shm` it is the shared memory, elsewhere the disk of the node or a claim.",
        "Look at the path in the line: `resources.shm` for `/dev/shm`, `resources.disk` or a mount for others.",
        "SG401 resources.shm resources.disk mounts",
        "errno ENOSPC, errno(3)",
        "diskfull",
    ),
    LogLine(
        ("unhandled system error", "ncclSystemError"),
        "A call of the system failed inside NCCL; the cause stands in a line `NCCL WARN` above, of one rank.",
        "Run again with `NCCL_DEBUG: INFO`, and look the line `NCCL WARN` up.",
        "NCCL_DEBUG SG401 SG410 SG442",
        "NVIDIA/nccl src/init.cc, ncclGetErrorString",
    ),
    LogLine(
        ("unhandled cuda error", "ncclUnhandledCudaError"),
        "A call of CUDA failed inside NCCL: a GPU out of memory, a driver too old, or one GPU for two ranks.",
        "Run again with `NCCL_DEBUG: INFO`, and count the processes of a pod against its GPUs.",
        "NCCL_DEBUG SG467 procsPerPod",
        "NVIDIA/nccl src/init.cc, ncclGetErrorString",
    ),
    LogLine(
        ("remote process exited or there was a network error", "ncclRemoteError", "DistBackendError"),
        "Another rank ended or is not reached any more; this rank is not the cause.",
        "Look for the rank whose log ends first; `guard` names it.",
        "guard exit-codes lost-node",
        "NVIDIA/nccl src/init.cc, ncclGetErrorString",
    ),
    LogLine(
        ("Duplicate GPU detected",),
        "Two ranks of a pod use one GPU.",
        "Start as many processes as the pod has GPUs, and let each take that of its `LOCAL_RANK`.",
        "SG467 SG482 procsPerPod resources.gpu",
        "NVIDIA/nccl src/init.cc",
    ),
    LogLine(
        ("Watchdog caught collective operation timeout", "collective operation timeout", "Timeout at NCCL work"),
        "A rank waited for the others in a collective until its limit: one of them hangs, has died, or came late.",
        "Look for the rank that did not begin the collective: `guard` names it, and `NCCL_DEBUG: INFO` shows the net.",
        "guard SG410 SG442 NCCL_DEBUG",
        "pytorch/pytorch torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp; pytorch/pytorch#97191",
        "allreducetimeout collectivetimeout nccltimeout processgrouptimeout",
    ),
    LogLine(
        ("Unable to find address for:",),
        "Gloo has no interface of that name; it takes names of interfaces, not the patterns of NCCL.",
        "Name one interface in `GLOO_SOCKET_IFNAME`, without `^` and `=`, or leave it out.",
        "SG442 cluster.pools.fabric.interface",
        "pytorch/pytorch torch/csrc/distributed/c10d/GlooDeviceFactory.cpp; aws-samples/aws-do-eks PR 51",
    ),
    LogLine(
        ("Connection closed by peer", "Connection reset by peer", "Failed to recv, got 0 bytes"),
        "Another rank ended while this one talked with it; this rank is not the cause.",
        "Look for the rank whose log ends first; `guard` names it.",
        "guard exit-codes lost-node SG483",
        "pytorch/gloo gloo/transport/tcp/pair.cc",
    ),
    LogLine(
        ("Address already in use", "EADDRINUSE", "failed to listen on any local network address"),
        "The port is taken: by another job on the network of the same node, or by a process that has not gone yet.",
        "Leave `hostNetwork` out, give each job a port of its own, or place one pod on a node.",
        "SG618 SG867 pod.hostNetwork elastic.rendezvous.port",
        "errno EADDRINUSE, errno(3); pytorch/pytorch torch/csrc/distributed/c10d/socket.cpp; kubeflow/trainer#1797",
    ),
    LogLine(
        ("Connection refused", "client socket has timed out", "RendezvousConnectionError"),
        "The master is not listening: it has not started, has ended, has another port, or waits for its place.",
        "Look at the pod of rank 0 first: whether it runs, and what its log says.",
        "SG510 SG466 SG432 SG700 scheduling.gang",
        "errno ECONNREFUSED, errno(3); pytorch/pytorch torch/csrc/distributed/c10d/socket.cpp",
    ),
    LogLine(
        ("Could not resolve hostname",),
        "The launcher begins before the names of its workers are known, or nobody has such a name.",
        "Let the launcher wait for the workers: `start: {wait: …}`.",
        "start.wait SG510 SG484",
        "openssh/openssh-portable ssh.c; kubeflow/mpi-operator#481",
    ),
    LogLine(
        (
            "Name or service not known",
            "Temporary failure in name resolution",
            "Name does not resolve",
            "gaierror",
            "nodename nor servname",
        ),
        "Nobody has the name of the master: it is misspelt, its pod is not there yet, or the pod asks the node's DNS.",
        "Compare the name with what `specgen expand` prints; with `hostNetwork` it takes `ClusterFirstWithHostNet`.",
        "SG510 SG484 SG432 pod.dnsPolicy",
        "EAI_NONAME and EAI_AGAIN, gai_strerror(3)",
    ),
    LogLine(
        ("CUDA out of memory", "CUDA error: out of memory", "OutOfMemoryError: CUDA", "cudaErrorMemoryAllocation"),
        "The memory of the GPU is full; limits of the pod have no part in it.",
        "Make the batch or the model's share smaller; two processes on one GPU do the same.",
        "SG467 SG503 procsPerPod cluster.pools.gpu.memory",
        "pytorch/pytorch c10/cuda/CUDACachingAllocator.cpp",
        "cudaoom gpumemory gpuoom oom outofmemory",
    ),
    LogLine(
        ("No CUDA GPUs are available", "no CUDA-capable device is detected", "Found no NVIDIA driver"),
        "The process sees no GPU: the container asks for none, or is told to see none.",
        "Say `resources: {gpu: …}`, and look for `CUDA_VISIBLE_DEVICES` in its variables.",
        "SG411 SG482 resources.gpu pod.runtimeClassName",
        "pytorch/pytorch c10/cuda/CUDAFunctions.cpp",
    ),
    LogLine(
        (
            "OOMKilled",
            "Out of memory: Killed process",
            "oom-kill",
            "exit code 137",
            "exit 137",
            "exitCode: 137",
            "exitcode : -9",
        ),
        "The kernel killed a process at the memory limit of its container; what lies in `/dev/shm` counts too.",
        "Raise `resources.memory`, or lower `resources.shm`; 137 without `OOMKilled` is a SIGKILL after the grace.",
        "resources.memory SG481 SG444 SG492 137",
        "kubernetes/kubernetes pkg/kubelet/kuberuntime; kubernetes/website#36494",
        "oom outofmemory",
    ),
    LogLine(
        ("Cannot allocate memory", "ENOMEM"),
        "Memory was refused: beside an `ibv_` call memory that may be locked, else that of the container.",
        "Look at the call in the line; for `ibv_` add `IPC_LOCK`, for others raise `resources.memory`.",
        "SG410 resources.memory SG481",
        "errno ENOMEM, errno(3)",
    ),
    LogLine(
        (
            "nodes are available: … Insufficient",
            "Insufficient cpu",
            "Insufficient memory",
            "Insufficient nvidia.com/gpu",
        ),
        "No node has as many of the resource free as the pod asks for.",
        "Ask `specgen fit job.yaml` which sum forbids it, and compare the name of the resource with the nodes'.",
        "SG601 SG619 SG443 cluster.pools",
        "kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go",
    ),
    LogLine(
        ("untolerated taint", "had taint"),
        "Nodes that would do have a taint which the pod does not tolerate.",
        "Name the pool, whose tolerations are then written, or say `scheduling.tolerations`.",
        "scheduling.tolerations scheduling.pool SG435 cluster.pools.taints",
        "kubernetes/kubernetes pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go",
    ),
    LogLine(
        ("didn't match Pod's node affinity/selector", "didn't match node selector"),
        "No node has the labels that the pod asks for.",
        "Compare `scheduling.nodeLabels` and the labels of the pool with `kubectl get nodes --show-labels`.",
        "scheduling.nodeLabels cluster.pools.labels scheduling.hosts",
        "kubernetes/kubernetes pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go",
    ),
    LogLine(
        ("FailedScheduling", "nodes are available"),
        "The scheduler finds no node for the pod; the line says how many nodes fail for which reason.",
        "Ask `specgen fit job.yaml`, which says the sum that forbids it.",
        "SG601 SG602 scheduling.pool scheduling.gang",
        "kubernetes/kubernetes pkg/scheduler/schedule_one.go and framework/types.go",
    ),
    LogLine(
        ("Init:0/", "Init:1/", "Init:2/", "Init:Error", "PodInitializing"),
        "Containers of the pod that run before the program have not ended: those of `init`, or the operator's.",
        "`kubectl logs POD -c NAME` has what one wrote; `specgen expand -o yaml` shows their names.",
        "pod-states init dataset start.wait",
        "kubernetes/kubernetes pkg/printers/internalversion/printers.go",
    ),
    LogLine(
        ("Multi-Attach error",),
        "A volume for one node is to be mounted on a second one.",
        "Use a claim of `ReadWriteMany` for what all pods read, or scratch for what is each pod's own.",
        "SG490 mounts.pvc mounts.scratch",
        "kubernetes/kubernetes pkg/controller/volume/attachdetach/reconciler/reconciler.go; kserve/kserve#3409",
    ),
    LogLine(
        ("FailedMount", "MountVolume.SetUp failed", "Unable to attach or mount volumes"),
        "A volume of the pod cannot be mounted: its claim, Secret, ConfigMap or folder is not there, or elsewhere.",
        "The rest of the line names it; make it in the job's namespace, or put the name right.",
        "mounts env.secret SG490 SG436",
        "kubernetes/kubernetes pkg/kubelet/events/event.go",
    ),
    LogLine(
        ("CreateContainerConfigError", "couldn't find key"),
        "A Secret or ConfigMap that a variable is read from is not there, or has not that key.",
        "Make it in the job's namespace before the job, or mark the variable as `optional`.",
        "env.secret env.configMap env.optional envFrom",
        "kubernetes/kubernetes pkg/kubelet/kuberuntime/kuberuntime_container.go",
    ),
    LogLine(
        ("CreateContainerError", "context deadline exceeded … CreateContainer", "failed to reserve container name"),
        "The runtime does not make the container: a mount, a device or a right of it, or one that it still holds.",
        "`kubectl describe pod` has the runtime's words behind it: look them up. Often `command` begins with no "
        "program.",
        "command mounts security SG460 SG479",
        "kubernetes/kubernetes pkg/kubelet/kuberuntime/kuberuntime_container.go; containerd/containerd#4604",
    ),
    LogLine(
        ("ImagePullBackOff", "ErrImagePull", "InvalidImageName", "Failed to pull image", "Back-off pulling image"),
        "The image cannot be pulled: its name, its registry, the credentials, or a closed network.",
        "`specgen images job.yaml` lists all images, those that operators add too; the event says which one fails.",
        "image pull.secrets cluster.images.mirrors SG421",
        "kubernetes/kubernetes pkg/kubelet/images/types.go; kubeflow/trainer#1696",
    ),
    LogLine(
        ("CrashLoopBackOff", "Back-off restarting failed container"),
        "The container ends again and again, and the kubelet waits before it starts it anew.",
        "Read the log of the run before, `kubectl logs --previous`, and look its last line up.",
        "lifecycle.restart exit-codes SG426",
        "kubernetes/kubernetes pkg/kubelet/kuberuntime/kuberuntime_manager.go",
    ),
    LogLine(
        ("no matches for kind",),
        "The cluster serves no such kind: its operator is not installed, or what is applied is a profile.",
        "`specgen operators cluster.yaml` prints what installs operators; of a profile apply what `specgen build` "
        "prints.",
        "SG847 SG473 cluster.operators kubectl",
        "kubernetes/apimachinery pkg/api/meta/errors.go",
    ),
    LogLine(
        ("field is immutable", "is immutable"),
        "The object is there, and the API server or a webhook takes no other value of this field.",
        "`specgen diff --live` says which changes are refused; delete the job first, or let `metadata.suffix: hash` "
        "name each changed one anew.",
        "metadata.suffix SG825 running-job",
        "kubernetes/apimachinery pkg/api/validation/objectmeta.go",
    ),
    LogLine(
        ("AlreadyExists", "already exists"),
        "An object of that name is there: `kubectl create` makes no second one.",
        "`kubectl apply` updates it, `metadata.generateName` or another `metadata.name` makes another job.",
        "metadata.name metadata.generateName running-job",
        "kubernetes/apimachinery pkg/api/errors/errors.go",
    ),
    LogLine(
        ("violates PodSecurity",),
        "The namespace holds its pods to a Pod Security level, and the pod asks for more than that gives.",
        "Leave out what the line names, or take a namespace of another level: the cluster profile may say each one's.",
        "SG325 cluster.namespaces.podSecurity security",
        "kubernetes/kubernetes staging/src/k8s.io/pod-security-admission/admission/admission.go",
    ),
    LogLine(
        (
            "Permission denied: '",
            "PermissionError",
            "cannot create directory … Permission denied",
            "cannot open … Permission denied",
        ),
        "The user of the container may not write there: the folder belongs to another one.",
        "Run as the owner, `security: {user: …, group: …}`, let `security.fsGroup` give a claim to the group, or write "
        "to a path of `mounts` that may be written.",
        "security.user security.group security.fsGroup SG499",
        "errno EACCES, errno(3); python/cpython Python/errors.c",
        "permission permissions permissiondenied",
    ),
    LogLine(
        ("Read-only file system", "EROFS"),
        "The file system may only be read: a mount with `readOnly`, or the root of the container.",
        "Write to a path of `mounts` without `readOnly`, or to a `scratch` where `security.readOnlyRoot` is said.",
        "mounts.readOnly security.readOnlyRoot mounts.scratch SG499 SG338",
        "errno EROFS, errno(3)",
    ),
    LogLine(
        ("exceeded quota",),
        "The namespace's ResourceQuota has no room for the pod.",
        "The line says what is asked, used and allowed; `specgen fit` counts a quota that the cluster profile has.",
        "cluster.namespaces.quota SG615 SG601",
        "kubernetes/kubernetes staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go",
        "quotaexceeded",
    ),
    LogLine(
        ("There are not enough slots",),
        "mpirun was told to start more processes than the workers have slots.",
        "Leave `-np` out, or make it pods times processes of each.",
        "SG501 procsPerPod start.hostfile",
        "open-mpi/ompi v4 orte/mca/rmaps/base/help-orte-rmaps-base.txt; kubeflow/mpi-operator#680",
    ),
    LogLine(
        ("Permission denied (publickey",),
        "The worker refuses the launcher's key: it lies in the folder of another user, or others may read it.",
        "Put the keys into the home of the user that the pods run as: `start: {ssh: {keys: …}}`.",
        "SG488 start.ssh.keys security.user security.fsGroup",
        "openssh/openssh-portable sshconnect2.c; kubeflow/mpi-operator#472",
    ),
    LogLine(
        ("Permissions … are too open", "UNPROTECTED PRIVATE KEY FILE"),
        "ssh does not use a key that others may read; an `fsGroup` changes the mode of keys so.",
        "Leave `security.fsGroup` out of the launcher and its workers.",
        "SG488 security.fsGroup start.ssh.keys",
        "openssh/openssh-portable authfile.c; kubeflow/mpi-operator#429",
    ),
    LogLine(
        ('chroot("/run/sshd")', "chroot … Operation not permitted"),
        "sshd as root may not change its root directory, as its capabilities were dropped.",
        "Add the capability `SYS_CHROOT`.",
        "SG489 security.capabilities.add",
        "openssh/openssh-portable sshd.c; kubeflow/mpi-operator#642",
    ),
)


def found(text: str) -> list[LogLine]:
    """The entries whose text stands in a line, or that are called so."""
    said, name = _folded(text), folded(text)
    return [one for one in LOG_LINES if name in one.called or any(_stands(form, said) for form in one.forms)][:MOST]


def partly(text: str) -> list[LogLine]:
    """The entries of whose text a line is a part, where it is long enough to be no other word."""
    said = _folded(text)
    if len(said) < _LEAST or " " not in said:
        return []
    return [one for one in LOG_LINES if any(said in _folded(form) for form in one.forms)][:MOST]


def _folded(text: str) -> str:
    return " ".join(text.lower().replace("\u2019", "'").split())


def _stands(form: str, line: str) -> bool:
    """Whether the parts of a form stand in a line, in their order."""
    at = 0
    for part in form.split("…"):
        wanted = _folded(part)
        start = line.find(wanted, at)
        # `exit 137` is not `exit 1370`
        while start >= 0 and wanted[-1:].isdigit() and line[start + len(wanted) : start + len(wanted) + 1].isdigit():
            start = line.find(wanted, start + 1)
        if start < 0:
            return False
        at = start + len(wanted)
    return True


def log_page(line: LogLine, about: Callable[[str], str]) -> Page:
    """The page of an entry; ``about`` says of a name what it is, in a sentence."""
    page = Page(line.forms[0], "a line of a log", line.meaning)
    page.add("What to do", line.remedy)
    page.add("Look up with `specgen explain`", [f"`{name}`: {about(name)}" for name in line.pages])
    if len(line.forms) > 1:
        page.add("Also", [f"`{form}`" for form in line.forms[1:]])
    page.add("From", line.source)
    return page
