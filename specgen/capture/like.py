"""Cluster profiles to begin with, for those who have no cluster at hand: one for each usual fabric.

Every number stands for a machine that is sold so; what differs from site to site has a comment. Sources:

- ``h100-infiniband``: NVIDIA DGX H100 user guide (8 GPUs, 8 ConnectX-7); Mellanox/k8s-rdma-shared-dev-plugin, README
  (prefix ``rdma``, one unit for all adapters, IPC_LOCK in its examples).
- ``p5-efa``: Amazon EC2, accelerated computing instances (p5.48xlarge: 8 H100, 32 EFA); Amazon EKS user guide, "Run
  machine learning training with EFA" (``vpc.amazonaws.com/efa``, huge pages of 5120Mi of the 5128 pages of a node,
  ``FI_PROVIDER``); aws-ofi-nccl 1.19, src/nccl_ofi_interface_nvidia.cpp ("AWS Libfabric" is a name of its network in
  all releases).
- ``a3-tcpx``: GoogleCloudPlatform/container-engine-accelerators 0e5609b, gpudirect-tcpx/nccl-test-latest.yaml, and
  21ed661, gpudirect-tcpx/nccl-config.yaml (networks, daemon, variables); GKE marks GPU nodes by the taint.
- ``roce``: k8snetworkplumbingwg/sriov-network-device-plugin 3.11, README; NCCL user guide 2.30.7 (NCCL_IB_GID_INDEX).
- ``mi300``: ROCm documentation, "vLLM distributed inference with MoRI" (8 MI300X, 8 ConnectX-7);
  kubernetes-sigs/dranet, examples/azure/aks/examples/mi300x (claim of all adapters, variables).
- ``ascend``: Ascend/ascend-device-plugin, README (resource and label); Ascend/mind-cluster, tests
  (``accelerator-type``); its NPUs have RoCE ports of their own, which HCCL finds by itself.
"""

from __future__ import annotations

from specgen.operators.mindspore.facts import OPERATOR as MS_OPERATOR
from specgen.operators.trainer.facts import OPERATOR as TRAINER
from specgen.operators.training.facts import OPERATOR as TRAINING_OPERATOR

_HEAD = """\
# yaml-language-server: $schema=cluster.schema.json
# {what}
# What a platform team says once, so that jobs need not. Names, counts and versions are examples: put yours in.
apiVersion: specgen/v1
kind: Cluster
metadata: {{name: {name}}}
kubernetes: "{kubernetes}"
"""
_TAIL = """\
# storage:
#   datasets: {type: lustre, hostPath: /mnt/lustre/datasets, readOnly: true}
# scheduling: {gang: kueue, queues: [training]}      # or volcano, coscheduling, kai, yunikorn
# images: {mirrors: {docker.io: registry.example.com/hub}}
"""
_OPERATORS = f"""\
operators:
  # those that are installed: a job's `target` is served by one of them
  training-operator: {{version: {TRAINING_OPERATOR.newest}}}
  trainer: {{version: {TRAINER.newest}}}
"""
_OF_NPUS = f"""\
operators:
  # started with the flag by which it makes a gang of each job, as the scheduler below wants it
  ms-operator: {{version: {MS_OPERATOR.newest}, gang: volcano}}
  training-operator: {{version: {TRAINING_OPERATOR.newest}, gang: volcano}}
"""

# Name → what it is, the version of Kubernetes, and the profile below the head.
LIKE: dict[str, tuple[str, str, str]] = {
    "h100-infiniband": (
        "Nodes of eight H100 and eight InfiniBand adapters, one for each GPU, which all pods of a node share.",
        "1.31",
        _OPERATORS
        + """\
pools:
  h100:
    # allocatable of one node, by `kubectl describe node`: less than the machine has
    nodes: {count: 16, cpu: 208, memory: 1900Gi}
    taints: [{key: nvidia.com/gpu, effect: NoSchedule}]
    gpu: {resource: nvidia.com/gpu, perNode: 8, memory: 80Gi, product: H100}
    hca:
      # the name is the site's own: rdma/hca_shared_devices_a, rdma/ib
      resource: rdma/hca
      perNode: 8
      # `ls /sys/class/infiniband` on a node; without the adapters that storage or the node itself uses
      devices: [mlx5_0, mlx5_1, mlx5_2, mlx5_3, mlx5_4, mlx5_5, mlx5_6, mlx5_7]
      link: infiniband
    fabric:
      # a pod asks for one unit and sees all adapters; `device` where each is a unit of its own
      rdma: shared-device
      # NCCL stops where it finds no adapter, rather than talk TCP
      net: IB
      # by which pods meet; `ip addr` in a pod
      interface: eth0
      # adapters pin memory: the right IPC_LOCK, or `runtime` where containerd lifts the limit
      memlock: capability
topology: {rack: example.com/rack}
""",
    ),
    "p5-efa": (
        "Nodes of the type p5.48xlarge in EKS: eight H100 and 32 EFA, which NCCL reaches through libfabric.",
        "1.32",
        _OPERATORS
        + """\
pools:
  p5:
    # 5128 pages of 2Mi, as the installer of the EFA driver leaves them
    nodes: {count: 8, cpu: 190, memory: 1900Gi, allocatable: {hugepages-2Mi: 10256Mi}}
    labels: {node.kubernetes.io/instance-type: p5.48xlarge}
    taints: [{key: nvidia.com/gpu, effect: NoSchedule}]
    gpu: {resource: nvidia.com/gpu, perNode: 8, memory: 80Gi, product: H100}
    # p5en.48xlarge has 16, p4d.24xlarge 4
    hca: {resource: vpc.amazonaws.com/efa, perNode: 32, link: efa}
    fabric:
      # each EFA is a unit of its own
      rdma: device
      # the plugin's name: NCCL stops where the image lacks it, rather than talk TCP
      net: AWS Libfabric
      # the interfaces of a pod, but these
      interface: "^lo,docker,veth"
      memlock: runtime
      adds:
        # of each pod; two of them have room on a node
        resources: {hugepages: 5120Mi}
        # the image holds libfabric and the plugin aws-ofi-nccl, which since 1.16 tunes NCCL by itself
        env: {FI_PROVIDER: efa, FI_EFA_USE_HUGE_PAGE: "0"}
topology: {layer: topology.k8s.aws/network-node-layer-3}
""",
    ),
    "a3-tcpx": (
        "Nodes of the type a3-highgpu-8g in GKE: eight H100, and four networks besides, over which NCCL talks TCPX.",
        "1.32",
        _OPERATORS
        + """\
pools:
  a3:
    nodes: {count: 8, cpu: 206, memory: 1700Gi}
    labels: {cloud.google.com/gke-accelerator: nvidia-h100-80gb}
    taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]
    gpu: {resource: nvidia.com/gpu, perNode: 8, memory: 80Gi, product: H100}
    # no resource: a job that says `hca: auto` gets what stands below `adds`
    hca: {perNode: 4}
    fabric:
      rdma: network
      interface: eth0
      memlock: capability
      adds:
        env:
          LD_LIBRARY_PATH: {prepend: "/usr/local/tcpx/lib64:/usr/local/nvidia/lib64"}
          NCCL_GPUDIRECTTCPX_SOCKET_IFNAME: "eth1,eth2,eth3,eth4"
          NCCL_GPUDIRECTTCPX_CTRL_DEV: eth0
          NCCL_GPUDIRECTTCPX_TX_BINDINGS: "eth1:8-21,112-125;eth2:8-21,112-125;eth3:60-73,164-177;eth4:60-73,164-177"
          NCCL_GPUDIRECTTCPX_RX_BINDINGS: "eth1:22-35,126-139;eth2:22-35,126-139;eth3:74-87,178-191;eth4:74-87,178-191"
          NCCL_GPUDIRECTTCPX_PROGRAM_FLOW_STEERING_WAIT_MICROS: "500000"
          NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX: /run/tcpx
          NCCL_CROSS_NIC: "0"
          NCCL_ALGO: Ring
          NCCL_PROTO: Simple
          NCCL_NSOCKS_PERTHREAD: "4"
          NCCL_SOCKET_NTHREADS: "1"
          NCCL_NET_GDR_LEVEL: PIX
          NCCL_P2P_PXN_LEVEL: "0"
          NCCL_DYNAMIC_CHUNK_SIZE: "524288"
          NCCL_P2P_NET_CHUNKSIZE: "524288"
          NCCL_P2P_PCI_CHUNKSIZE: "524288"
          NCCL_P2P_NVL_CHUNKSIZE: "1048576"
          NCCL_BUFFSIZE: "4194304"
        mounts:
          /usr/local/nvidia/lib64: {hostPath: /home/kubernetes/bin/nvidia/lib64}
          /usr/local/tcpx/lib64: {hostPath: /var/lib/tcpx/lib64}
          /run/tcpx: {hostPath: /run/tcpx, type: DirectoryOrCreate}
        annotations:
          networking.gke.io/default-interface: eth0
          # the names are those of the cluster's Network objects
          networking.gke.io/interfaces: |
            [{"interfaceName":"eth0","network":"default"},
             {"interfaceName":"eth1","network":"vpc1"},{"interfaceName":"eth2","network":"vpc2"},
             {"interfaceName":"eth3","network":"vpc3"},{"interfaceName":"eth4","network":"vpc4"}]
          devices.gke.io/container.tcpx-daemon: |
            - path: /dev/nvidia0
            - path: /dev/nvidia1
            - path: /dev/nvidia2
            - path: /dev/nvidia3
            - path: /dev/nvidia4
            - path: /dev/nvidia5
            - path: /dev/nvidia6
            - path: /dev/nvidia7
            - path: /dev/nvidiactl
            - path: /dev/nvidia-uvm
        sidecars:
          tcpx-daemon:
            image: us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.12
            command: [/tcpgpudmarxd/build/app/tcpgpudmarxd, --gpu_nic_preset, a3vm, --gpu_shmem_type, fd, --uds_path,
                      /run/tcpx, --setup_param, '\\"--verbose 128 2 0 \\"']
            env: {LD_LIBRARY_PATH: /usr/local/nvidia/lib64}
            security: {capabilities: [NET_ADMIN]}
            mounts:
              /usr/local/nvidia/lib64: {hostPath: /home/kubernetes/bin/nvidia/lib64}
              /run/tcpx: {hostPath: /run/tcpx, type: DirectoryOrCreate}
              /hostsysfs: {hostPath: /sys}
              /hostprocsysfs: {hostPath: /proc/sys}
topology: {block: cloud.google.com/gce-topology-block}
""",
    ),
    "roce": (
        "Nodes of eight H100 and eight RoCE adapters, which reach pods as SR-IOV functions of a secondary network.",
        "1.31",
        _OPERATORS
        + """\
pools:
  h100:
    nodes: {count: 16, cpu: 208, memory: 1900Gi}
    taints: [{key: nvidia.com/gpu, effect: NoSchedule}]
    gpu: {resource: nvidia.com/gpu, perNode: 8, memory: 80Gi, product: H100}
    # the name of the resource is that of the site's SriovNetworkNodePolicy; functions have other names in each pod
    # where each rail has a resource of its own: the first one here with `perNode: 1`, the others as
    # `adds: {resources: {other: {nvidia.com/rail1: 1}}}` below, and in `nodes: {allocatable: {nvidia.com/rail1: 1}}`
    hca: {resource: nvidia.com/sriov_rdma_vf, perNode: 8, devices: mlx5, link: roce}
    fabric:
      rdma: sriov
      # the NetworkAttachmentDefinition of the functions, or a list of eight, one for each rail
      networks: sriov-net
      net: IB
      interface: eth0
      memlock: capability
      adds:
        env:
          # RoCE v2 over IPv4 in most tables: `show_gids` in a pod says
          NCCL_IB_GID_INDEX: "3"
          # the traffic class that the switches keep free of loss
          NCCL_IB_TC: "106"
topology: {rack: example.com/rack}
""",
    ),
    "mi300": (
        "Nodes of eight MI300X and eight adapters, all of which a pod gets by one claim (dynamic resource allocation).",
        "1.34",
        _OPERATORS
        + """\
pools:
  mi300x:
    nodes: {count: 8, cpu: 90, memory: 1700Gi}
    gpu: {resource: amd.com/gpu, perNode: 8, memory: 192Gi, product: MI300X}
    # a ResourceClaimTemplate of that name must be in the namespace of the job
    hca: {perNode: 8, claim: 8nic-all, devices: mlx5, link: infiniband}
    fabric:
      rdma: claim
      net: IB
      interface: eth0
      memlock: capability
      # RCCL reads NCCL's variables
      adds: {env: {NCCL_DMABUF_ENABLE: "1"}}
""",
    ),
    "ascend": (
        "Nodes of eight Ascend 910B, whose own RoCE ports HCCL finds by itself; Volcano places the pods.",
        "1.28",
        _OF_NPUS
        + """\
pools:
  ascend:
    nodes: {count: 8, cpu: 180, memory: 1400Gi}
    labels: {accelerator: huawei-Ascend910, accelerator-type: module-910b-8}
    npu: {resource: huawei.com/Ascend910, perNode: 8, library: hccl}
    # no adapter is asked for: each NPU has a port of its own
scheduling: {gang: volcano, queues: [default]}
""",
    ),
    "cpu": (
        "Nodes without devices: processes talk gloo over the pods' own network.",
        "1.31",
        _OPERATORS
        + """\
pools:
  cpu:
    # allocatable of one node, by `kubectl describe node`
    nodes: {count: 8, cpu: 30, memory: 120Gi}
    labels: {node.kubernetes.io/instance-type: example-32}
""",
    ),
}


def like(name: str) -> str:
    """The profile of one of ``LIKE``."""
    what, kubernetes, text = LIKE[name]
    return _HEAD.format(what=what, name=name, kubernetes=kubernetes) + text + _tail(text)


def _tail(text: str) -> str:
    lines = _TAIL.splitlines(keepends=True)
    return "".join(line for line in lines if not (line.startswith("# scheduling") and "\nscheduling:" in text))
