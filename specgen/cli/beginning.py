"""The job profile to begin with, for what was asked: few words, each of them needed, and comments for the next ones.

Images are upstream's, and hold what the program needs to start: PyTorch's, TensorFlow's and Horovod's on Docker Hub,
AMD's for its own GPUs (ROCm documentation, "Docker image support matrix"), NVIDIA's with JAX (the one of Trainer's
runtime ``jax-distributed``), and Trainer's own with DeepSpeed, Open MPI and sshd (kubeflow/trainer v2.3.0,
cmd/runtimes/deepspeed/Dockerfile). MindSpore's are named by version and device, so that none fits everybody. What
frameworks read: PyTorch the variables of its `env://`; JAX what `initialize` is given (jax.distributed); TensorFlow
`TF_CONFIG` (MultiWorkerMirroredStrategy), which a worker alone is not given; Horovod and DeepSpeed what mpirun sets.
"""

from __future__ import annotations

from specgen.cli.brought import Brought
from specgen.document.write import scalar
from specgen.operators.kubernetes.lightning import numbered
from specgen.plan.twin import ENDLESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.plan.kind import Kind
    from specgen.profile.cluster import Storage

PYTORCH, TENSORFLOW, MINDSPORE, JAX, HOROVOD = "pytorch", "tensorflow", "mindspore", "jax", "horovod"
# DeepSpeed's library is started by others: its own launcher goes over ssh.
DEEPSPEED = "deepspeed"
STARTERS = ("torchrun", "accelerate", DEEPSPEED, "mpirun", "horovodrun", "self", "none")
MPI = ("mpirun", "horovodrun")
# What the one process of a pod is told, by every kind that tells it anything.
_OF_PROCESS = ("RANK", "MASTER_ADDR", "MASTER_PORT")
# Time to end; torchrun kills by itself (torch 2.13, torch/distributed/launcher/api.py, `shutdown_timeout`).
_SOONER = ("grace: 30s", "from SIGTERM to SIGKILL, torchrun's own (`explain SG498`)")
_GRACE = ("grace: 5m", "from SIGTERM to SIGKILL: time for a checkpoint")
# Those that start a script of Python, by Python, and by torch's launcher.
_OF_SCRIPTS = ("torchrun", "accelerate")


# Kinds that put another pod in the place of one that fails and does not start again, unless they are told otherwise.
_REPLACED = ("JobSet", "TrainJob", "VolcanoJob", "MPIJob")


class Framework:
    """What trains: its image, the kinds that tell it its ranks, and who can start it; the usual ones first."""

    __slots__ = ("image", "kinds", "starters")

    def __init__(self, image: str, kinds: tuple[str, ...], starters: tuple[str, ...]) -> None:
        self.image = image
        self.kinds = kinds
        self.starters = starters


_KINDS_OF_MPI = ("MPIJob", "MPIJob/v1", "TrainJob", "VolcanoJob")
_DEEPSPEED_IMAGE = "ghcr.io/kubeflow/trainer/deepspeed-runtime:v2.3.0"
FRAMEWORKS: dict[str, Framework] = {
    PYTORCH: Framework(
        "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime",
        ("PyTorchJob", "TrainJob", "JobSet", "VolcanoJob", "MPIJob", "MPIJob/v1"),
        ("torchrun", "accelerate", DEEPSPEED, "mpirun", "self", "none"),
    ),
    TENSORFLOW: Framework("tensorflow/tensorflow:2.15.0-gpu", ("TFJob",), ("none",)),
    MINDSPORE: Framework("registry.example.com/mindspore:2", ("MSJob",), ("self", "none")),
    JAX: Framework("nvcr.io/nvidia/jax:25.10-py3", ("JobSet", "PyTorchJob", "VolcanoJob"), ("none",)),
    HOROVOD: Framework("horovod/horovod:0.28.1", _KINDS_OF_MPI, ("mpirun", "horovodrun", "self")),
}
# Frameworks with a back end for NPUs, and an image that says so; Ascend's own name for a device, by its device plugin
# (gitcode.com/Ascend/mind-cluster, component/ascend-device-plugin).
NPU_IMAGES = {PYTORCH: "registry.example.com/torch-npu:2", MINDSPORE: "registry.example.com/mindspore:2"}
_NPU = "huawei.com/Ascend910"
_AMD = "amd.com/gpu"
# AMD's, for its GPUs.
AMD_IMAGES = {
    PYTORCH: "rocm/pytorch:rocm6.4.3_ubuntu24.04_py3.12_pytorch_release_2.6.0",
    TENSORFLOW: "rocm/tensorflow:rocm6.4.2-py3.12-tf2.18-dev",
    JAX: "rocm/jax:rocm7.1-jax0.7.1-py3.12",
}
# NVIDIA's, with rdma-core, which PyTorch's own lacks (SG447; NVIDIA, PyTorch Release Notes 25.10).
VERBS_IMAGE = "nvcr.io/nvidia/pytorch:25.10-py3"
# Those that bring a framework, and nothing that starts it.
PLAIN = (FRAMEWORKS[PYTORCH].image, AMD_IMAGES[PYTORCH], VERBS_IMAGE)
OWN = "registry.example.com/train:1"
# Every kind that profiles compile to; one that is not its newest version is named with it.
KINDS = tuple(dict.fromkeys(kind for one in FRAMEWORKS.values() for kind in one.kinds))


class Choice:
    """What was asked for, with nothing left open. ``kind``: one of ``KINDS``; ``gpu``: devices of a pod, which
    ``device`` names; ``cluster``: the profile's path as the job is to say it; ``hca``: whether the cluster has adapters
    that belong to the GPUs; ``command``: what runs, empty for an example, with the starter's ``own`` options, and
    ``brought``, what else its line says; ``alone``: why it says that it is no gang, which its kind cannot be on the
    cluster; ``amounts``: whether CPU and memory are said, as the fabric asks; ``procs``: processes of a pod without
    devices; ``resources``: what its pods ask for on the cluster; ``whole``: GPUs of a node there; ``apart``: the pods,
    and the devices of each, that became pods with one; ``holds``: what an image of one's own must hold; ``least``:
    fewest pods of an elastic job, else 0; ``restarts``: how often its processes start again; ``cpu``: cores of a
    pod, 0 where nobody says them; ``refused``: why it asks for no adapters although the cluster has them; ``amd``:
    whether its GPUs are AMD's, and no cluster names them; ``guessed``: whether the line has torchrun count the GPUs
    of a machine, and nobody else does; ``served``: the kind
    as it is built on the cluster; ``missing``: the operator that the cluster has not, so that another one serves it;
    ``storage``: the cluster's file systems; ``unmounted``: where a path of the program has no volume → that path;
    ``single``: whether a pod with devices has one process; ``asks_rank``: whether a shell's text reads a pod's number.
    """

    __slots__ = (
        "alone",
        "amd",
        "amounts",
        "apart",
        "asks_rank",
        "brought",
        "cluster",
        "command",
        "cpu",
        "device",
        "framework",
        "gpu",
        "guessed",
        "hca",
        "holds",
        "image",
        "kind",
        "least",
        "missing",
        "name",
        "own",
        "pods",
        "procs",
        "refused",
        "resources",
        "restarts",
        "served",
        "single",
        "starter",
        "storage",
        "unmounted",
        "whole",
    )

    def __init__(
        self, framework: str, kind: str, starter: str, pods: int, gpu: int, name: str, image: str, cluster: str | None
    ) -> None:
        self.framework = framework
        self.kind = kind
        self.starter = starter
        self.pods = pods
        self.gpu = gpu
        self.device = "GPU"
        self.name = name
        self.image = image
        self.cluster = cluster
        self.command: list[str] = []
        self.brought = Brought()
        self.own: list[str] = []
        self.procs = 1
        self.least = self.restarts = self.cpu = 0
        self.hca = False
        self.refused = ""
        self.amd = self.asks_rank = self.guessed = self.single = False
        self.amounts = False
        self.alone: str = ""
        self.served: Kind | None = None
        self.missing = ""
        self.resources: set[str] = set()
        self.storage: dict[str, Storage] = {}
        self.unmounted: dict[str, str] = {}
        self.whole = 0
        self.apart: tuple[int, int] | None = None
        self.holds = ""


def facts(kind: str) -> Kind:
    """What the planner knows of a kind."""
    from specgen.lower.index import TARGETS
    from specgen.modules import import_module

    name, _, version = kind.partition("/")
    # the newest version stands last
    module = next(one for one in reversed(TARGETS[name]) if not version or one.endswith(f"_{version}"))
    plan: Kind = import_module(f"specgen.lower.{module}").PLAN
    return plan


def starters(framework: str, kind: str, gpu: int) -> list[str]:
    """Those that start a program of the framework in a kind with so many GPUs a pod, the usual one first.

    A pod of a TrainJob learns what torchrun reads, and nothing else; a launcher of MPI alone starts one process.
    """
    plan = facts(kind)
    found = [one for one in FRAMEWORKS[framework].starters if one == DEEPSPEED or one in plan.starters]
    if plan.starter in MPI or kind == "TrainJob":
        found = [one for one in found if one != "none"]
    if gpu < 2 and plan.starter not in MPI and kind != "TrainJob":
        found = [one for one in found if one != "self"]
    return found


def usual(framework: str, kind: str, gpu: int) -> str:
    """The starter of who said none: one process for each GPU, and no starter where that is one a pod."""
    found = starters(framework, kind, gpu)
    return "none" if gpu < 2 and "none" in found else next(one for one in found if one != DEEPSPEED)


def image(framework: str, kind: str, starter: str, device: str = "GPU") -> str:
    """The image of who named none: for mpirun it has to hold MPI and sshd, for NPUs their libraries."""
    if device == "NPU":
        return NPU_IMAGES[framework]
    if framework == PYTORCH and (starter in (*MPI, DEEPSPEED) or facts(kind).starter in MPI):
        return _DEEPSPEED_IMAGE
    return FRAMEWORKS[framework].image


def of_amd(picture: str) -> bool:
    """Whether an image is one of AMD's own, or says ROCm in its name: the GPUs are AMD's."""
    name = picture.removeprefix("docker.io/").lower()
    return name.startswith("rocm/") or ("rocm" in name.rpartition("/")[2] and "cuda" not in name.rpartition("/")[2])


def fitting(choice: Choice) -> tuple[str, str]:
    """The image for the devices that the cluster has, and what it must hold where it is one's own.

    CUDA finds no GPU of another maker; on EFA, NCCL finds the adapters by libfabric and its plugin alone
    (github.com/aws/aws-ofi-nccl, README), which upstream's images lack.
    """
    from specgen.devices import EFA, HCA_PARTS, NVIDIA, is_ascend, is_gpu, is_npu, names_of

    held = ["Open MPI and sshd"] if choice.image == _DEEPSPEED_IMAGE or choice.framework == HOROVOD else []
    others = sorted(one for one in choice.resources if is_npu(one) or (is_gpu(one) and one != NVIDIA))
    own = [choice.holds] if choice.holds and choice.image == OWN else []
    if not others:
        if EFA in choice.resources:
            return OWN, ", ".join(["libfabric and aws-ofi-nccl (NCCL finds no EFA without)", *(own or held)])
        if own and any(not HCA_PARTS.isdisjoint(names_of(one)) for one in choice.resources):
            return OWN, ", ".join([*own, "libibverbs (NCCL finds no adapter without)"])
        return choice.image, choice.holds
    if is_ascend(others[0]):
        return choice.image, choice.holds
    held = own or held
    if others[0] == _AMD and not held and choice.framework in AMD_IMAGES:
        return AMD_IMAGES[choice.framework], ""
    return OWN, ", ".join(["ROCm" if others[0] == _AMD else f"what finds `{others[0]}`", *held])


def _of_image(choice: Choice) -> str:
    """The comment behind the image: what it must hold."""
    if choice.image.startswith(OWN.partition("/")[0]):
        held = [choice.holds] if choice.holds else []
        held += ["accelerate"] if choice.starter == "accelerate" else []
        return "  # yours" + (f", with {', '.join(held)}" if held else "")
    if choice.image == VERBS_IMAGE and not choice.holds:
        return "  # with libibverbs, which pytorch/pytorch lacks"
    return f"  # it must hold {choice.holds}" if choice.holds else ""


def text(choice: Choice) -> str:
    """The profile."""
    plan, said = facts(choice.kind), choice.brought
    kind, _, version = choice.kind.partition("/")
    target = f"{{kind: {kind}, version: {version}}}" if version else kind
    lines = [
        "# yaml-language-server: $schema=job.schema.json",
        "# `specgen schema job > job.schema.json` gives editors completion; `specgen explain WORD` says all of a word.",
        "apiVersion: specgen/v1",
        "kind: Job",
        "metadata:",
        f"  name: {scalar(choice.name, '  ')}",
        "  # namespace: training",
        "",
        f"# A job of {plan.operator}" + (f": the cluster has no {choice.missing}." if choice.missing else "."),
        f"target: {target}",
        "",
        "# What the cluster offers (nodes, adapters, file systems) stands in a profile of its own.",
        f"cluster: {scalar(choice.cluster, '')}"
        if choice.cluster is not None
        else "# cluster: cluster.yaml         # `specgen init cluster --help` says how to write one",
        "",
        f"image: {scalar(choice.image, '')}" + _of_image(choice),
        *_program(choice, plan),
        *([f"workdir: {scalar(said.workdir, '')}"] if said.workdir else []),
        "",
        *(f"# {line}" for line in (*_counts(choice, plan), *said.said_of_counts())),
        *([f"pods: {choice.pods}"] if choice.pods > 1 else ["# pods: 2"]),
        *_elastic(choice),
        *_resources(choice, plan),
        *(["env:", *said.variables()] if said.env else []),
        *([f"ports: {{{', '.join([f'{name}: {port}' for name, port in said.ports.items()])}}}"] if said.ports else []),
        *_mounts(choice),
        *(["files:", *said.file_lines()] if said.files else []),
        *said.lifecycle_lines(
            "restart: Never, restarts: 0" if choice.kind in _REPLACED else "restart: Never",
            plan.name if plan.name in ENDLESS else "",
            choice.restarts,
        ),
        *said.task_lines(),
        *([f"scheduling: {{gang: false}}       # {choice.alone}"] if choice.alone else []),
    ]
    after = [
        *(['# env: {OMP_NUM_THREADS: "8", HF_TOKEN: {secret: hub, key: token}}'] if not said.env else []),
        *([] if said.mounts or choice.unmounted else ["# mounts: {/data: {pvc: datasets, readOnly: true}}"]),
        *(_lifecycle(choice, plan) if not said.deadline and said.restarts is None and not choice.restarts else []),
    ]
    lines += [*(["", "# What most jobs say next:", *after] if after else []), *said.comments()]
    return "".join(f"{line}\n" for line in lines)


def _elastic(choice: Choice) -> list[str]:
    """With how few pods it goes on; with all of them where only its processes start again, together."""
    if not choice.restarts:
        return [f"elastic: {{min: {choice.least}}}            # it goes on with as few pods"] if choice.least else []
    words = f"{{min: {choice.least}, max: {choice.least}, restarts: {choice.restarts}}}"
    return [f"elastic: {words}  # the processes of all pods start again, as `--max-restarts` has it"]


def _mounts(choice: Choice) -> list[str]:
    """What is mounted, and in comments what seems to be missing."""
    from specgen.schema.remedies import flow  # help needs none of it

    lines = choice.brought.mount_lines()
    lines = ["mounts:", *lines] if lines else ["# mounts:"] if choice.unmounted else []
    for point, path in choice.unmounted.items():
        said = f"#   {flow(point)}: {{{'storage' if choice.storage else 'pvc'}: NAME}}"
        lines.append(f"{said:<30} # which volume holds `{flow(path)}`? nothing is mounted there")
    return lines


def _lifecycle(choice: Choice, plan: Kind) -> list[str]:
    """When it begins again, and when it ends: what no job should leave to its operator."""
    grace, about = _SOONER if _by(choice, plan) in _OF_SCRIPTS else _GRACE
    limits = "restarts: 3" if plan.name in ENDLESS else "restarts: 3, deadline: 2d"
    after = "failures that it goes on after" + ("" if plan.name in ENDLESS else ", and how long it may run")
    return [f"# lifecycle: {{{limits}, {grace}}}", f"#   {after}; {about}"]


def _program(choice: Choice, plan: Kind) -> list[str]:
    """The command and who starts it."""
    from specgen.schema.remedies import flow  # help needs none of it

    by = _by(choice, plan)
    program = ["train.py"] if by in _OF_SCRIPTS else ["python", "-u", "train.py"]
    if choice.framework == MINDSPORE and by == "self" and choice.pods == 1:
        # its own launcher, of one pod: what an operator tells is not for several processes
        program = ["msrun", f"--worker_num={choice.gpu}", f"--local_worker_num={choice.gpu}", "train.py"]
    options: list[str] = []
    notes: list[str] = []
    if choice.starter == DEEPSPEED:
        program.append("--deepspeed_config=ds_config.json")
        notes.append(f"# DeepSpeed's library takes its ranks from {by}; its own launcher would go over ssh.")
    # one process beside several GPUs is a slip, unless it is said
    alone = by == "none" and choice.gpu > 1 and not plan.all_devices
    if choice.command:
        program, options = started(choice.command, by)
        options = [*choice.own, *options]
        program = _among_pods(program, choice, by, plan, notes)
    # a line that came names its starter also where the kind has it anyway: under another kind it is the same program
    said = bool(choice.command) and by in _OF_SCRIPTS
    lines = [f"start: {by}"] if by != plan.starter or alone or said else []
    if words := choice.brought.start(by, options):
        lines = [f"start: {flow({'by': by, **words})}"]
    if choice.framework == MINDSPORE and by == "self" and choice.pods > 1:
        notes.append("# The ms-operator counts pods: processes are told here how many they are.")
        notes.append(f"prepare: export {plan.counts_pods}={choice.pods * choice.gpu}")
    if by == "accelerate" and choice.image in PLAIN:
        notes.append("# The image lacks accelerate: once yours has it, this line goes.")
        notes.append("prepare: pip install --no-cache-dir accelerate==1.15.0")
    if choice.brought.prepare:
        other = next((note for note in notes if note.startswith("prepare: ")), "")
        notes = [note for note in notes if note != other]
        notes.append(
            "# The script asks this once, here each pod does at each start. `$@` are the words of the program."
        )
        notes += choice.brought.prepare_lines(other.removeprefix("prepare: "))
    notes += [f"# {line}" for line in choice.brought.said_of_program()]
    if choice.brought.args:
        return [*notes, *lines, "# The words go to the image's entrypoint.", f"args: {flow(program)}"]
    return [*notes, *lines, f"command: {flow(program)}"]


def _among_pods(program: list[str], choice: Choice, by: str, plan: Kind, notes: list[str]) -> list[str]:
    """The program with what its line says of one pod told to each; what it reads of that is a line of ``prepare``."""
    if by not in ("none", "self") or plan.meets is None:
        return program
    from specgen.operators.kubernetes.self_started import (
        HERE,
        HOST,
        RANK,
        called,
        exported,
        in_shell,
        owns,
        shards,
        told,
    )

    meets = _OF_PROCESS if by == "none" else plan.meets
    if choice.pods < 2:
        away = any([one.what == HOST and one.value not in HERE for one in owns(program)])
        return told(program, meets)[0] if away else program
    line, own = told(program, meets)
    if shards(program) is not None:
        end = "It ends with the last of its pods: they share data out, and do not wait for each other."
        if plan.name == "PyTorchJob":
            end = "It ends with its Master, whatever the other shards still do: `--target JobSet` waits for all."
        notes.append(f"# {end}")
    if own:
        replaced = ", ".join([f"`{one.option} {one.value}`" for one in own])
        notes.append(f"# All pods have one line: in place of {replaced} each is told its own.")
    prepare = exported(program, meets) or (numbered(*meets) if choice.asks_rank else "")
    if prepare and not any([one.what == RANK for one in own]):
        notes.append("# It is told which pod it is in: without, each takes itself for the first (`explain SG535`).")
        notes.append(f"prepare: {prepare}")
    elif not own and line == program and called(in_shell(program)):
        notes.append("# Its line says nothing of the other pods: each works alone, unless a file of it does.")
    return line


def started(command: list[str], by: str) -> tuple[list[str], list[str]]:
    """What stands in ``command`` for a starter, and its options: one of Python's scripts is given it without Python.

    All others start a program, which a script alone mostly is not.
    """
    if by not in _OF_SCRIPTS and command[0].endswith(".py"):
        return ["python", *command], []
    if by not in _OF_SCRIPTS or command[0].rpartition("/")[2] not in ("python", "python3"):
        return command, []
    rest = [word for word in command[1:2] if word != "-u"] + command[2:]
    return (rest[1:], ["-m"]) if rest[:1] == ["-m"] and len(rest) > 1 else (rest or command, [])


def _by(choice: Choice, plan: Kind) -> str:
    """The word of the language for the starter."""
    if choice.starter != DEEPSPEED:
        return choice.starter
    return "torchrun" if "torchrun" in plan.starters else "mpirun"


def _counts(choice: Choice, plan: Kind) -> list[str]:
    """How many processes train, and how each of them learns its number."""
    by = _by(choice, plan)
    many = by not in ("none", "self") and choice.gpu > 1 and choice.procs in (1, choice.gpu) and not choice.single
    ranks = choice.pods * (choice.gpu if many else choice.procs)
    pods = "One pod" if choice.pods == 1 else f"{choice.pods} pods"
    device = choice.device
    gpus = f" with one {device}" if choice.gpu == 1 else f" with {choice.gpu} {device}s" if choice.gpu else ""
    each = " each" if choice.pods > 1 and choice.gpu else ""
    if by == "self" and choice.framework == MINDSPORE and choice.pods == 1 and not choice.command:
        each = f"{choice.gpu} ranks, one for each {device}"
        return [f"{pods}{gpus}: {each}, which msrun starts (MindSpore 2.3 and later)."]
    if by == "self":
        where = ", in the launcher," if plan.starter in MPI else ""
        if choice.brought.args:
            return [f"{pods}{gpus}{each}. The image's entrypoint starts their processes itself."]
        if choice.command:
            return [f"{pods}{gpus}{each}. `command`{where} starts their processes itself."]
        return [f"{pods}{gpus}{each}. `command`{where} starts their processes itself: put the line there that does."]
    head = f"{pods}{gpus}{each}: {ranks} rank{'s' if ranks > 1 else ''}"
    head += f", one for each {device}, which {by} starts." if many else f", which {by} starts." if by != "none" else "."
    if by in MPI and choice.command and not is_python(choice.command):
        return [head]
    if by in MPI:
        return [head, "`hvd.init()` and `deepspeed.init_distributed()` take theirs from mpirun's variables."]
    if choice.pods == 1 and choice.framework in (TENSORFLOW, MINDSPORE):
        return [head]
    if choice.framework == TENSORFLOW:
        return [head, "`TF_CONFIG` says which worker a pod is: MultiWorkerMirroredStrategy reads it and uses all GPUs."]
    if choice.framework == MINDSPORE:
        if choice.apart is not None:
            meant, several = choice.apart
            head += f" The ms-operator counts pods: {meant} with {several} {device}s would be {meant} ranks."
        return [head, "`mindspore.communication.init()` meets the others at the scheduler, a pod beside them."]
    if choice.framework == JAX:
        return [
            head,
            "Give `jax.distributed.initialize` the address of MASTER_ADDR and MASTER_PORT, WORLD_SIZE, and RANK.",
        ]
    if by in ("torchrun", "accelerate"):
        return [head, "RANK, LOCAL_RANK and WORLD_SIZE are set in each: `init_process_group()` needs no argument."]
    return [head, "RANK, WORLD_SIZE and MASTER_ADDR are set in each: `init_process_group()` needs no argument."]


def is_python(command: list[str]) -> bool:
    """Whether a program is Python, or a script of its own."""
    return command[0].rpartition("/")[2].startswith("python") or command[0].endswith(".py")


def _resources(choice: Choice, plan: Kind) -> list[str]:
    """What a pod asks for. Without a cluster profile nobody says what an NPU is called, nor that it has a process."""
    if not choice.gpu:
        several = [f"procsPerPod: {choice.procs}"] if choice.procs > 1 else []
        amounts = {"cpu": choice.cpu, "memory": choice.brought.memory, "shm": choice.brought.shm}
        written = ", ".join(f"{name}: {amount}" for name, amount in amounts.items() if amount)
        return [*several, f"resources: {{{written}}}" if written else "# resources: {cpu: 8, memory: 32Gi}"]
    unsaid, memory = "" if choice.amounts else "# ", choice.brought.memory
    lines = [
        (f"cpu: {choice.cpu}" if choice.cpu else f"{unsaid}cpu: 16", "a number is request and limit"),
        (f"memory: {memory}" if memory else f"{unsaid}memory: 64Gi", "K, M, G are powers of 1000, Ki, Mi, Gi of 1024"),
    ]
    if choice.brought.shm:
        lines.append((f"shm: {choice.brought.shm}", "of `/dev/shm`, and part of the pod's memory"))
    elif choice.framework == PYTORCH and choice.gpu == 1:
        # several GPUs have it by themselves
        lines.append(("shm: auto", "of `/dev/shm`: a DataLoader's workers fill the 64 MiB that a pod has without"))
    before: list[str] = []
    if choice.device == "NPU" and choice.cluster is None:
        lines.insert(0, (f"other: {{{_NPU}: {choice.gpu}}}", f"`npu: {choice.gpu}` with a cluster profile"))
        if choice.gpu > 1 and _by(choice, plan) not in ("none", "self"):
            before = [f"procsPerPod: {choice.gpu}"]
    elif choice.amd:
        lines.insert(
            0, (f"other: {{{_AMD}: {choice.gpu}}}", f"`gpu: {choice.gpu}` with a cluster profile of such GPUs")
        )
        if choice.gpu > 1 and _by(choice, plan) not in ("none", "self"):
            before = [f"procsPerPod: {choice.gpu}"]
    elif choice.device == "NPU":
        lines.insert(0, (f"npu: {choice.gpu}", "of one pod"))
    else:
        mark, needs = ("", "") if choice.hca else ("# ", "; needs a cluster profile")
        what = f"left out: {choice.refused}" if choice.refused else f"the adapters that belong to the GPUs{needs}"
        lines.insert(0, (f"{mark}hca: auto", what))
        guessed = "; torchrun counts what it finds: `--gpu N` says how many" if choice.guessed else ""
        lines.insert(0, (f"gpu: {choice.gpu}", f"of one pod{guessed}"))
    if choice.single or (choice.procs > 1 and choice.procs != choice.gpu and _by(choice, plan) in MPI):
        before = [f"procsPerPod: {choice.procs}"]
    wide = max(29, *(len(line) + 1 for line, _ in lines))
    return [*before, "resources:", *(f"  {line:<{wide}}# {what}" for line, what in lines)]
