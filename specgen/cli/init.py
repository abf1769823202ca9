"""Print a commented job profile that builds as it is.

specgen init > job.yaml
specgen build job.yaml
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.terminal import Terminal

HELP = "print a commented job profile that builds as it is"

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
    parser.add_argument(
        "what", nargs="?", choices=("job", "cluster"), default="job", help="which profile (default: job)"
    )


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    terminal.answer(JOB if options.what == "job" else CLUSTER)
    return exits.GOOD
