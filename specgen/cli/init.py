"""Print a commented profile to begin with: of a job, which builds as it is, or of a cluster.

  specgen init > job.yaml
  specgen build job.yaml

  specgen init cluster --from cluster.json > cluster.yaml      from what kubectl printed of the cluster
  specgen init cluster --like p5-efa > cluster.yaml            where there is no cluster yet

--from is `specgen cluster capture`: its help prints the commands that write such a file.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.terminal import Terminal

HELP = "print a commented profile to begin with, of a job or of a cluster"
EXAMPLES = (
    ("specgen init", "a job profile to begin with"),
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


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.capture.like import LIKE
    from specgen.cli.cluster import MIB
    from specgen.cli.options import max_input

    parser.add_argument(
        "what", nargs="?", choices=("job", "cluster"), default="job", help="which profile (default: job)"
    )
    parser.add_argument(
        "--from", dest="file", metavar="FILE", help="of a cluster: what kubectl printed, - for standard input"
    )
    parser.add_argument("--like", choices=LIKE, help="of a cluster: one of a usual fabric")
    parser.add_argument("--name", metavar="NAME", help="with --from: name of the cluster in the profile")
    max_input(parser, MIB)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.diagnostics.model import BadQuestion

    for option, value in (("--from", options.file), ("--like", options.like)):
        if value is not None and options.what != "cluster":
            raise BadQuestion(f"{option} is of a cluster: `specgen init cluster {option} {value}`")
    if options.file is not None and options.like is not None:
        raise BadQuestion("--from and --like contradict each other: the profile is of one cluster")
    if options.name is not None and options.file is None:
        raise BadQuestion("--name goes with --from")
    if options.file is not None:
        from specgen.cli.cluster import captured

        return captured(options.file, options.name, options.max_input, terminal)
    if options.like is not None:
        from specgen.capture.like import like

        terminal.answer(like(options.like))
        return exits.GOOD
    terminal.answer(JOB if options.what == "job" else CLUSTER)
    return exits.GOOD
