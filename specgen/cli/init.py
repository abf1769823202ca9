"""Print a commented profile to begin with: of a job, which builds as it is, or of a cluster.

  specgen init > job.yaml
  specgen build job.yaml

  specgen init job --target TrainJob --pods 4 --gpu 8 > job.yaml
  specgen init job --gpu 8 -- python train.py --epochs 3       the program stands behind two dashes
  specgen init job -- torchrun --nnodes 4 --nproc-per-node 8 train.py      four pods with eight GPUs
  specgen init job -- sbatch train.sbatch                      what a script of Slurm says; srun, mpirun, docker too
  specgen init job --target MSJob --npu 8                      NPUs in place of GPUs
  specgen init job --framework jax --out jobs/jax.yaml         into a file that is not there yet

  specgen init --from manifest.yaml                            the line that begins a profile of such a job
  specgen init cluster --from cluster.json > cluster.yaml      from what kubectl printed of the cluster
  specgen init cluster --like p5-efa > cluster.yaml            where there is no cluster yet

On a terminal, `specgen init` asks what the job is like, and prints the command that gives the same. Kinds of `--target`
are looked up by `specgen explain KIND`, starters by `specgen explain start`. --from is `specgen cluster capture`: its
help prints the commands that write such a file.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from specgen.cli.terminal import Terminal

HELP = "print a commented profile to begin with, of a job or of a cluster"
EXAMPLES = (
    ("specgen init job --target PyTorchJob --pods 4 --gpu 8", "a job profile of what is named, to begin with"),
    ("specgen init cluster", "a cluster profile to begin with"),
)

JOB = """\
# yaml-language-server: $schema=job.schema.json
# `specgen schema job > job.schema.json` gives editors completion and help for every word.
apiVersion: specgen/v1
kind: Job
metadata:
  name: my-training
  # namespace: training

# What this compiles to.
target: PyTorchJob

# What the cluster offers (nodes, HCAs, file systems, NCCL libraries) stands in a profile of its own:
# `specgen init cluster > cluster.yaml`. Without one, GPUs are asked for as nvidia.com/gpu.
# cluster: cluster.yaml

image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime
command: [python, -u, train.py, --epochs=1]

# Four pods with one GPU and one process each: a world of four.
# With eight GPUs a pod, write `gpu: 8`, `start: torchrun`, and a command without `python -u`: torchrun starts eight
# processes of train.py in each.
pods: 4
resources:
  gpu: 1
  cpu: 8
  memory: 32Gi
  # hca: auto          # the HCAs that belong to the GPUs; needs a cluster profile
  shm: 8Gi             # /dev/shm, which data loaders and NCCL share memory through

env:
  NCCL_DEBUG: WARN     # numbers in quotes: NCCL_IB_TC: "106"
  # TOKEN: {secret: hub, key: token}

mounts:
  /data: {pvc: datasets, readOnly: true}
  # /mnt/images: {storage: images}      # a file system that the cluster profile names

lifecycle:
  restart: OnFailure
  # cleanPods: Running                  # the default: what still runs at the end goes, and gives its GPUs back
  # deadline: 2d
"""

CLUSTER = """\
# yaml-language-server: $schema=cluster.schema.json
# What a platform team says once, so that jobs need not.
apiVersion: specgen/v1
kind: Cluster
metadata: {name: my-cluster}
kubernetes: "1.31"
operators:
  training-operator: {version: 1.9.4}
pools:
  gpu:
    nodes: {count: 8, cpu: 96, memory: 900Gi}
    gpu: {resource: nvidia.com/gpu, perNode: 8}
    hca: {resource: rdma/hca, perNode: 8, devices: [mlx5_0, mlx5_1, mlx5_2, mlx5_3, mlx5_4, mlx5_5, mlx5_6, mlx5_7]}
    fabric: {rdma: shared-device, net: IB, interface: eth0, memlock: capability}
storage:
  images: {type: lustre, hostPath: /mnt/lustre/images, readOnly: true}
"""


# Options of a job, and of a cluster, by the names that argparse gives their values.
_OF_JOBS = ("framework", "target", "pods", "gpu", "npu", "start", "image", "cluster")
_OF_CLUSTERS = ("from", "like")
# Names of scripts, of which a job is begun by its line.
_OF_SLURM = (".sh", ".sbatch", ".slurm", ".bash")


def _target(word: str) -> str:
    """A kind; its newest version is the one without a name."""
    return "MPIJob" if word in ("MPIJob/v2beta1", "MPIJob/v2") else word


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.capture.like import LIKE
    from specgen.cli.beginning import FRAMEWORKS, KINDS, STARTERS
    from specgen.cli.files import PRINTED_MIB
    from specgen.cli.options import max_input

    parser.add_argument(
        "what", nargs="?", choices=("job", "cluster"), help="which profile (default: job)", metavar="job|cluster"
    )
    job = parser.add_argument_group("of a job")
    kinds = ", ".join(KINDS)
    about = f"{kinds} (default: the framework's usual one)"
    job.add_argument("--target", type=_target, choices=KINDS, metavar="KIND", help=about)
    job.add_argument("--pods", type=_count, metavar="N", help="pods that train (default: 4)")
    job.add_argument("--gpu", type=_amount, metavar="N", help="GPUs of one pod; 0 for none (default: 1)")
    job.add_argument("--npu", type=_amount, metavar="N", help="NPUs of one pod, in place of GPUs")
    job.add_argument(
        "--framework",
        choices=FRAMEWORKS,
        metavar="NAME",
        help=f"what trains: {', '.join(FRAMEWORKS)} (default: the kind's usual one)",
    )
    job.add_argument(
        "--start",
        choices=STARTERS,
        metavar="NAME",
        help=f"who starts the processes of a pod: {', '.join(STARTERS)} (default: one process for each GPU)",
    )
    job.add_argument("--image", metavar="IMAGE", help="the image of its pods (default: one of upstream's)")
    job.add_argument("--cluster", metavar="FILE", help="the cluster profile that it is for")
    cluster = parser.add_argument_group("of a cluster")
    cluster.add_argument("--from", metavar="FILE", help="what kubectl printed, - for standard input")
    cluster.add_argument("--like", choices=LIKE, help="one of a usual fabric")
    max_input(parser, PRINTED_MIB)
    parser.add_argument("--name", metavar="NAME", help="name of the job; with --from, of the cluster")
    parser.add_argument("--out", metavar="FILE", help="where it is written, instead of standard output")
    parser.add_argument(
        "--force", action="store_true", default=None, help="with --out: write over a file that is there"
    )


def _count(text: str) -> int:
    number = _amount(text)
    if not number:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError("a job has one pod at least")
    return number


def _amount(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        import re
        from argparse import ArgumentTypeError

        # `4xA100`, and `a100:4` as Slurm has it: which devices they are is said by the cluster's pool
        found = re.fullmatch(r"([0-9]{1,6})[x*].+|.*[A-Za-z].*[:=]([0-9]{1,6})", text)
        meant = f": write `{found[1] or found[2]}`" if found is not None else ""
        raise ArgumentTypeError(f"`{text}` is no number{meant}")
    return int(text)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.diagnostics.model import BadQuestion

    said = {name: value for name, value in vars(options).items() if value is not None}
    command = said.pop("command", [])
    if command and options.what == "cluster":
        raise BadQuestion("a command is of a job: `specgen init job -- COMMAND`")
    if "force" in said and "out" not in said:
        raise BadQuestion("--force goes with --out")
    if options.what == "cluster":
        return _cluster(said, terminal)
    from specgen.cli.begun import asked_on_terminal, begin

    if "from" in said and said["from"] != "-":
        from specgen.cli.backward import is_manifest, told

        if is_manifest(said["from"]):
            return told(said["from"], terminal)
        from specgen.cli.read_by import contents
        from specgen.cli.wrapped import is_compose, no_compose

        if is_compose(said["from"], contents(said["from"])):
            raise no_compose(f"`{said['from']}` is a file of services, for Docker Compose")
        if said["from"].endswith(_OF_SLURM):
            line = f"`specgen init job -- sbatch {said['from']}`"
            raise BadQuestion(f"--from takes objects of Kubernetes, and `{said['from']}` is a script", line)
    for name in _OF_CLUSTERS:
        if name in said:
            raise BadQuestion(f"--{name} is of a cluster: `specgen init cluster --{name} {said[name]}`")
    if command or any(name in said for name in (*_OF_JOBS, "name", "out")):
        return begin(options, terminal)
    if asked_on_terminal(terminal):
        from specgen.cli.asking import ask

        return ask(options, terminal)
    terminal.answer(JOB)
    terminal.say("specgen: for another job say what it is, as in `specgen init job --target TrainJob --pods 4 --gpu 8`")
    return exits.GOOD


def _cluster(said: dict[str, Any], terminal: Terminal) -> int:
    """The profile of a cluster. ``said``: the options that were given."""
    from specgen.diagnostics.model import BadQuestion

    for name in _OF_JOBS:
        if name in said:
            raise BadQuestion(f"--{name} is of a job: `specgen init job --{name}{_value(said[name])}`")
    if "from" in said and "like" in said:
        raise BadQuestion("--from and --like contradict each other: the profile is of one cluster")
    if "name" in said and "from" not in said:
        raise BadQuestion(
            "--name goes with --from", "without --from, name the cluster by `metadata.name` of the profile"
        )
    from os.path import basename

    from specgen.cli.handed import free, hand

    out = said.get("out")
    free(out, "cluster.yaml", force="force" in said)
    if "from" in said:
        from specgen.cli.cluster import captured

        return captured(said["from"], said.get("name"), said["max_input"], terminal, out)
    profile = CLUSTER
    if "like" in said:
        from specgen.capture.like import like

        profile = like(said["like"])
    return hand(profile, out, f"a job beside it says `cluster: {basename(out or '')}`", terminal)


def _value(value: object) -> str:
    return "" if value is True else f" {value}"
