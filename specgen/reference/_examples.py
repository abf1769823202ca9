"""The shortest profile that says a word, where it does not follow from the word's own schema.

Word → lines of a job profile, and of its cluster profile where they are needed; in YAML's short form.
"""

from __future__ import annotations

_GPU = "pools: {h100: {gpu: {resource: nvidia.com/gpu, perNode: 8}}}"
_NPU = "pools: {ascend: {npu: {resource: huawei.com/Ascend910, perNode: 8}}}"
_HCA = "resource: rdma/hca, perNode: 8"
_ONE_GPU = "resources: {gpu: 1}"
_ONE_HCA = "resources: {gpu: 1, hca: 1}"
_RACK = "topology: {rack: example.com/rack}"
_PVC = "mounts: {/data: {pvc: datasets}}"
_GANG = "scheduling: {gang: volcano}"


_QUOTA = "quota: {nvidia.com/gpu: 64}"


def _pool(more: str, hca: str = "") -> str:
    """A pool with GPUs and adapters, and whatever else is said of it."""
    return f"pools: {{h100: {{gpu: {{resource: nvidia.com/gpu, perNode: 8}}, hca: {{{_HCA}{hca}}}, {more}}}}}"


def _fabric(more: str, rdma: str = "shared-device") -> str:
    """A pool whose adapters reach the pods."""
    return _pool(f"fabric: {{rdma: {rdma}{more}}}")


def _tainted(more: str) -> str:
    """A pool of GPUs whose nodes are marked."""
    return f"pools: {{h100: {{gpu: {{resource: nvidia.com/gpu}}, {more}}}}}"


def _adds(more: str) -> str:
    """The same, with what every pod gets that asks for one."""
    return _fabric(f", adds: {{{more}}}")


def _mpi(words: str) -> str:
    """A start by mpirun."""
    return f"start: {{by: mpirun, {words}}}"


EXAMPLES: dict[str, tuple[str, str]] = {
    "pull": ("pull: {policy: Always}", ""),
    "pull.secrets": ("pull: {secrets: [registry]}", ""),
    "args": ("args: [--epochs, '90']", ""),
    "workdir": ("workdir: /workspace", ""),
    "prepare": ("prepare: pip install tqdm", ""),
    "resources": (_ONE_GPU, _GPU),
    "resources.gpu": (_ONE_GPU, _GPU),
    "resources.npu": ("resources: {npu: 1}", _NPU),
    "resources.hca": ("resources: {gpu: 1, hca: auto}", _fabric("")),
    "resources.disk": ("resources: {disk: 100Gi}", ""),
    "resources.hugepages": ("resources: {cpu: 4, memory: 8Gi, hugepages: 2Gi}", ""),
    "resources.claims": ("resources: {claims: {gpu: {template: one-gpu}}}", ""),
    "resources.claims.template": ("resources: {claims: {gpu: {template: one-gpu}}}", ""),
    "resources.claims.claim": ("resources: {claims: {gpu: {claim: shared-gpu}}}", ""),
    "resources.other": ("resources: {other: {amd.com/gpu: 1}}", ""),
    "env": ("env: {OMP_NUM_THREADS: '8'}", ""),
    "env.secret": ("env: {HF_TOKEN: {secret: hub, key: token}}", ""),
    "env.configMap": ("env: {LAYERS: {configMap: settings, key: layers}}", ""),
    "env.key": ("env: {HF_TOKEN: {secret: hub, key: token}}", ""),
    "env.optional": ("env: {HF_TOKEN: {secret: hub, key: token, optional: true}}", ""),
    "env.field": ("env: {POD_IP: {field: status.podIP}}", ""),
    "env.resource": ("env: {CORES: {resource: limits.cpu}}\nresources: {cpu: 4}", ""),
    "env.prepend": ("env: {LD_LIBRARY_PATH: {prepend: /opt/lib}}", ""),
    "envFrom": ("envFrom: [{secret: credentials}]", ""),
    "envFrom.secret": ("envFrom: [{secret: credentials}]", ""),
    "envFrom.configMap": ("envFrom: [{configMap: settings}]", ""),
    "envFrom.prefix": ("envFrom: [{secret: credentials, prefix: S3_}]", ""),
    "envFrom.optional": ("envFrom: [{secret: credentials, optional: true}]", ""),
    "mounts": (
        "mounts: {/data: {storage: datasets}}",
        "storage: {datasets: {hostPath: /mnt/datasets}}",
    ),
    "mounts.storage": ("mounts: {/data: {storage: datasets}}", "storage: {datasets: {hostPath: /mnt/datasets}}"),
    "mounts.pvc": (_PVC, ""),
    "mounts.create": ("mounts: {/data: {pvc: datasets, create: {size: 500Gi}}}", ""),
    "mounts.create.size": ("mounts: {/data: {pvc: datasets, create: {size: 500Gi}}}", ""),
    "mounts.create.class": ("mounts: {/data: {pvc: datasets, create: {size: 500Gi, class: fast}}}", ""),
    "mounts.create.access": ("mounts: {/data: {pvc: datasets, create: {size: 500Gi, access: ReadOnlyMany}}}", ""),
    "mounts.create.labels": ("mounts: {/data: {pvc: datasets, create: {size: 500Gi, labels: {team: vision}}}}", ""),
    "mounts.create.volume": (
        "mounts: {/data: {pvc: datasets, create: {size: 500Gi, class: '', "
        "volume: {nfs: {server: nfs.example.com, path: /data}}}}}",
        "",
    ),
    "mounts.hostPath": ("mounts: {/data: {hostPath: /mnt/data}}", ""),
    "mounts.type": ("mounts: {/data: {hostPath: /mnt/data, type: DirectoryOrCreate}}", ""),
    "mounts.scratch": ("mounts: {/scratch: {scratch: tmp}}", ""),
    "mounts.size": ("mounts: {/scratch: {scratch: tmp, size: 100Gi}}", ""),
    "mounts.memory": ("mounts: {/scratch: {scratch: tmp, memory: true, size: 8Gi}}", ""),
    "mounts.configMap": ("mounts: {/etc/train: {configMap: settings}}", ""),
    "mounts.secret": ("mounts: {/etc/keys: {secret: credentials}}", ""),
    "mounts.items": ("mounts: {/etc/keys: {secret: credentials, items: {token: hub-token}}}", ""),
    "mounts.mode": ("mounts: {/etc/keys: {secret: credentials, mode: 256}}", ""),
    "mounts.nfs": ("mounts: {/data: {nfs: {server: nfs.example.com, path: /export/data}}}", ""),
    "mounts.nfs.server": ("mounts: {/data: {nfs: {server: nfs.example.com, path: /export/data}}}", ""),
    "mounts.nfs.path": ("mounts: {/data: {nfs: {server: nfs.example.com, path: /export/data}}}", ""),
    "mounts.volume": ("mounts: {/data: {volume: {image: {reference: registry.example.com/data:1}}}}", ""),
    "mounts.readOnly": ("mounts: {/data: {pvc: datasets, readOnly: true}}", ""),
    "mounts.subPath": ("mounts: {/data: {pvc: datasets, subPath: imagenet/train}}", ""),
    "files": ("files: {/etc/train/model.toml: {text: 'layers = 12'}}", ""),
    "files.from": ("files: {/etc/train/model.toml: {from: model.toml}}", ""),
    "files.text": ("files: {/etc/train/model.toml: {text: 'layers = 12'}}", ""),
    "files.mode": ("files: {/opt/start.sh: {text: 'exec train', mode: 493}}", ""),
    "labels": ("labels: {team: vision}", ""),
    "annotations": ("annotations: {example.com/owner: vision}", ""),
    "security": ("security: {user: 1000}", ""),
    "security.group": ("security: {group: 1000}", ""),
    "security.fsGroup": ("security: {fsGroup: 1000}", ""),
    "security.nonRoot": ("security: {user: 1000, nonRoot: true}", ""),
    "security.escalation": ("security: {escalation: false}", ""),
    "security.seccomp": ("security: {seccomp: RuntimeDefault}", ""),
    "security.capabilities": ("security: {capabilities: [IPC_LOCK]}", ""),
    "security.capabilities.add": ("security: {capabilities: {add: [IPC_LOCK]}}", ""),
    "security.capabilities.drop": ("security: {capabilities: {drop: [ALL]}}", ""),
    "pod": ("pod: {hostNetwork: true}", ""),
    "pod.serviceAccountName": ("pod: {serviceAccountName: trainer}", ""),
    "pod.automountServiceAccountToken": ("pod: {automountServiceAccountToken: false}", ""),
    "pod.enableServiceLinks": ("pod: {enableServiceLinks: false}", ""),
    "pod.dnsPolicy": ("pod: {dnsPolicy: Default}", ""),
    "pod.hostAliases": ("pod: {hostAliases: [{ip: 10.0.0.7, hostnames: [store]}]}", ""),
    "pod.hostAliases.ip": ("pod: {hostAliases: [{ip: 10.0.0.7, hostnames: [store]}]}", ""),
    "pod.hostAliases.hostnames": ("pod: {hostAliases: [{ip: 10.0.0.7, hostnames: [store]}]}", ""),
    "init": ("init: {fetch: {command: [sh, fetch.sh]}}", ""),
    "init.image": ("init: {fetch: {image: registry.example.com/fetch:1, command: [fetch]}}", ""),
    "init.pull": ("init: {fetch: {command: [sh, fetch.sh], pull: {policy: Always}}}", ""),
    "init.command": ("init: {fetch: {command: [sh, fetch.sh]}}", ""),
    "init.args": ("init: {fetch: {image: registry.example.com/fetch:1, args: [--all]}}", ""),
    "init.workdir": ("init: {fetch: {command: [sh, fetch.sh], workdir: /opt}}", ""),
    "init.env": ("init: {fetch: {command: [sh, fetch.sh], env: {URL: 's3://data'}}}", ""),
    "init.mounts": ("init: {fetch: {command: [sh, fetch.sh], mounts: {/data: {pvc: datasets}}}}", ""),
    "init.resources": ("init: {fetch: {command: [sh, fetch.sh], resources: {cpu: 1, memory: 1Gi}}}", ""),
    "init.security": ("init: {fetch: {command: [sh, fetch.sh], security: {user: 1000}}}", ""),
    "sidecars": (
        "sidecars: {metrics: {image: registry.example.com/metrics:1}}",
        "kubernetes: '1.31'",
    ),
    "vars": ("vars: {data: imagenet}\nmounts: {/data: {pvc: $<data>}}", ""),
    "cluster": ("cluster: cluster.yaml", "defaults: {env: {NCCL_DEBUG: INFO}}"),
    "target.kind": ("target: {kind: PyTorchJob}", ""),
    "target.version": ("target: {kind: MPIJob, version: v2beta1}", ""),
    "target.runtime": (
        "target: {kind: TrainJob, runtime: torch-distributed}",
        "operators: {trainer: {version: 2.3.0, runtimes: {torch-distributed: torch-distributed.yaml}}}",
    ),
    "pods": ("pods: 4", ""),
    "procsPerPod": ("procsPerPod: 2\nstart: self", ""),
    "roles": ("roles: {worker: {env: {ROLE: worker}}}", ""),
    "roles.master": ("roles: {master: {env: {ROLE: master}}}", ""),
    "roles.worker": ("roles: {worker: {env: {ROLE: worker}}}", ""),
    "roles.chief": ("roles: {chief: {env: {ROLE: chief}}}", ""),
    "roles.ps": ("roles: {ps: {pods: 2}}", ""),
    "roles.evaluator": ("roles: {evaluator: {pods: 1}}", ""),
    "roles.launcher": ("roles: {launcher: {resources: {cpu: 1, memory: 1Gi}}}", ""),
    "roles.scheduler": ("roles: {scheduler: {resources: {cpu: 1, memory: 1Gi}}}", ""),
    "roles.pods": ("roles: {ps: {pods: 2}}", ""),
    "start": ("start: torchrun\nresources: {gpu: 8}", _GPU),
    "start.by": ("start: {by: torchrun}\nresources: {gpu: 8}", _GPU),
    "start.path": ("start: {by: torchrun, path: python -m torch.distributed.run}\nresources: {gpu: 8}", _GPU),
    "start.entrypoint": (_mpi("entrypoint: true"), ""),
    "start.options": ("start: {by: torchrun, options: [--max-restarts=3]}\nresources: {gpu: 8}", _GPU),
    "start.bind": (_mpi("bind: core"), ""),
    "start.mapBy": (_mpi("mapBy: node"), ""),
    "start.hostfile": (_mpi("hostfile: /etc/mpi/hostfile"), ""),
    "start.implementation": (_mpi("implementation: Intel"), ""),
    "start.wait": (_mpi("wait: false"), ""),
    "start.launcherTrains": (_mpi("launcherTrains: true"), ""),
    "start.forward": (_mpi("forward: [PATH, HOROVOD_CYCLE_TIME]"), ""),
    "start.keep": (_mpi("keep: [HYDRA_IFACE]") + "\nenv: {HYDRA_IFACE: eth0}", ""),
    "start.ssh": (_mpi("ssh: {port: 2222}"), ""),
    "start.ssh.port": (_mpi("ssh: {port: 2222}"), ""),
    "start.ssh.keys": (_mpi("ssh: {keys: /home/mpiuser/.ssh}"), ""),
    "start.ssh.config": (_mpi("ssh: {config: /home/mpiuser/.sshd_config}"), ""),
    "start.ssh.server": (_mpi("ssh: {server: [StrictModes=no]}"), ""),
    "start.ssh.client": (_mpi("ssh: {client: [ConnectTimeout=5]}"), ""),
    "communication": (f"{_ONE_GPU}\ncommunication: {{path: /opt/nccl/lib/libnccl.so}}", _GPU),
    "communication.library": (f"{_ONE_GPU}\ncommunication: {{library: gloo}}", _fabric(", interface: eth0")),
    "communication.version": (
        f"{_ONE_GPU}\ncommunication: {{version: 2.27.3}}",
        f"{_GPU}\nnccl: {{2.27.3: /opt/nccl/2.27.3/lib/libnccl.so}}",
    ),
    "communication.path": (f"{_ONE_GPU}\ncommunication: {{path: /opt/nccl/lib/libnccl.so}}", _GPU),
    "communication.rdma": ("resources: {gpu: 1, hca: 0}\ncommunication: {rdma: false}", _fabric("")),
    "communication.nvlink": (
        "resources: {gpu: 8}\ncommunication: {nvlink: true}",
        _pool("fabric: {nvlink: compute-domain}"),
    ),
    "elastic": ("start: torchrun\nelastic: {min: 1, max: 4}", ""),
    "elastic.min": ("start: torchrun\nelastic: {min: 1}", ""),
    "elastic.max": ("start: torchrun\nelastic: {max: 4}", ""),
    "elastic.restarts": ("start: torchrun\nelastic: {min: 1, restarts: 3}", ""),
    "elastic.rendezvous": ("start: torchrun\nelastic: {min: 1, rendezvous: {port: 29401}}", ""),
    "elastic.rendezvous.backend": (
        "start: torchrun\nelastic: {min: 1, rendezvous: {backend: etcd-v2, host: etcd, port: 2379}}",
        "",
    ),
    "elastic.rendezvous.host": (
        "start: torchrun\nelastic: {min: 1, rendezvous: {backend: etcd-v2, host: etcd, port: 2379}}",
        "",
    ),
    "elastic.rendezvous.port": ("start: torchrun\nelastic: {min: 1, rendezvous: {port: 29401}}", ""),
    "elastic.scaleOn": ("start: torchrun\nresources: {cpu: 4}\nelastic: {max: 4, scaleOn: {cpu: 80}}", ""),
    "elastic.scaleOn.cpu": ("start: torchrun\nresources: {cpu: 4}\nelastic: {max: 4, scaleOn: {cpu: 80}}", ""),
    "lifecycle": ("lifecycle: {restart: Never, ttl: 1h}", ""),
    "lifecycle.restart": ("lifecycle: {restart: Never}", ""),
    "lifecycle.restarts": ("lifecycle: {restarts: 3}", ""),
    "lifecycle.backoffLimit": ("lifecycle: {backoffLimit: 6}", ""),
    "lifecycle.restartAll": ("lifecycle: {restartAll: 3}", ""),
    "lifecycle.cleanPods": ("lifecycle: {cleanPods: All}", ""),
    "lifecycle.suspend": ("lifecycle: {suspend: true}", ""),
    "lifecycle.success": ("lifecycle: {success: AllWorkers}", ""),
    "scheduling": ("scheduling: {nodeLabels: {gpu: h100}}", ""),
    "scheduling.pool": ("scheduling: {pool: h100}", "pools: {h100: {labels: {gpu: h100}}}"),
    "scheduling.hosts": ("scheduling: {hosts: [node-1, node-2]}", ""),
    "scheduling.avoidHosts": ("scheduling: {avoidHosts: [node-3]}", ""),
    "scheduling.nodeLabels": ("scheduling: {nodeLabels: {gpu: h100}}", ""),
    "scheduling.preferLabels": ("scheduling: {preferLabels: {gpu: h200}}", ""),
    "scheduling.tolerations": ("scheduling: {tolerations: {nvidia.com/gpu: {}}}", ""),
    "scheduling.tolerations.value": ("scheduling: {tolerations: {dedicated: {value: training}}}", ""),
    "scheduling.tolerations.effect": ("scheduling: {tolerations: {dedicated: {effect: NoSchedule}}}", ""),
    "scheduling.tolerations.seconds": (
        "scheduling: {tolerations: {node.kubernetes.io/unreachable: {seconds: 30}}}",
        "",
    ),
    "scheduling.scheduler": ("scheduling: {scheduler: bin-packing}", ""),
    "scheduling.spread": ("scheduling: {spread: host}", ""),
    "scheduling.spread.job": ("scheduling: {spread: {job: host}}", ""),
    "scheduling.spread.prefer": ("scheduling: {spread: {prefer: host}}", ""),
    "scheduling.spread.over": ("scheduling: {spread: {over: rack}}", _RACK),
    "scheduling.spread.domains": ("scheduling: {spread: {over: rack, domains: 2}}", _RACK),
    "scheduling.spread.skew": ("scheduling: {spread: {over: rack, skew: 2}}", _RACK),
    "scheduling.slices": (
        "scheduling: {gang: kueue, queue: training, slices: {rack: 2}}",
        f"{_RACK}\nscheduling: {{gang: kueue, queues: [training]}}",
    ),
    "scheduling.within": ("scheduling: {within: rack}", _RACK),
    "scheduling.near": ("scheduling: {near: rack}", _RACK),
    "scheduling.gang": ("scheduling: {gang: volcano}", ""),
    "scheduling.queue": ("scheduling: {gang: kueue, queue: training}", ""),
    "scheduling.priority": ("scheduling: {priority: high}", ""),
    "scheduling.managedBy": ("scheduling: {managedBy: kueue.x-k8s.io/multikueue}", ""),
    "dataset": (f"{_PVC}\ndataset: {{path: /data/imagenet}}", ""),
    "dataset.path": (f"{_PVC}\ndataset: {{path: /data/imagenet}}", ""),
    "dataset.uri": (f"{_PVC}\ndataset: {{path: /data/c4, uri: 'hf://allenai/c4'}}", ""),
    "dataset.secret": (f"{_PVC}\ndataset: {{path: /data/c4, uri: 'hf://allenai/c4', secret: hub}}", ""),
    "dataset.offline": (f"{_PVC}\ndataset: {{path: /data/imagenet, offline: true}}", ""),
    "model": (f"{_PVC}\nmodel: {{path: /data/llama}}", ""),
    "objects": (
        "objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {layers: '12'}}]",
        "",
    ),
    "patch": ("patch: {pod: {spec: {terminationGracePeriodSeconds: 60}}}", ""),
    "patch.pod": ("patch: {pod: {spec: {terminationGracePeriodSeconds: 60}}}", ""),
    "patch.container": ("patch: {container: {stdin: true}}", ""),
    "patch.job": ("patch: {job: {metadata: {annotations: {example.com/owner: vision}}}}", ""),
    "patch.runtime": ("patch: {runtime: {metadata: {labels: {team: vision}}}}", ""),
    "extends": ("extends: base.yaml", ""),
    "variants": ("variants: {long: {args: [--epochs, '90']}}", ""),
    "matrix": ("matrix: {size: {small: {pods: 2}, large: {pods: 8}}}\nvariantsOnly: true", ""),
    "variantsOnly": ("variantsOnly: true\nvariants: {long: {pods: 8}}", ""),
    "metadata": ("metadata: {name: train, namespace: vision}", ""),
    "metadata.suffix": ("metadata: {name: bert, suffix: hash}", ""),
    "metadata.name": ("metadata: {name: train}", ""),
    "metadata.generateName": ("metadata: {generateName: sweep-}\npods: 1", ""),
    "metadata.namespace": ("metadata: {name: train, namespace: vision}", ""),
    "metadata.labels": ("metadata: {name: train, labels: {team: vision}}", ""),
    "metadata.annotations": ("metadata: {name: train, annotations: {example.com/owner: vision}}", ""),
    "ignore": ("scheduling: {gang: volcano}\nignore: {SG609: the scheduler is there}", ""),
    "ignore.reason": ("ignore: {SG609: {reason: the scheduler is there}}", ""),
    "ignore.until": ("ignore: {SG609: {reason: it is being upgraded, until: 2027-01-31}}", ""),
    "cluster.metadata": ("", "metadata: {name: h100-rail8}"),
    "cluster.metadata.name": ("", "metadata: {name: h100-rail8}"),
    "cluster.kubernetes": ("sidecars: {metrics: {image: registry.example.com/metrics:1}}", "kubernetes: '1.31'"),
    "cluster.operators": ("", "operators: {training-operator: {version: 1.8.1}}"),
    "cluster.operators.*.version": ("", "operators: {jobset: {version: 0.12.0}}"),
    "cluster.operators.*.gang": (
        _GANG,
        "operators: {training-operator: {version: 1.9.4, gang: volcano}}",
    ),
    "cluster.operators.*.mirror": (
        "",
        "operators: {training-operator: {version: 1.9.4, mirror: registry.example.com}}",
    ),
    "cluster.operators.*.namespace": (
        "",
        "operators: {training-operator: {version: 1.9.4, namespace: kubeflow}}",
    ),
    "cluster.operators.*.runtimes": (
        "target: {kind: TrainJob, runtime: torch-distributed}",
        "operators: {trainer: {version: 2.3.0, runtimes: {torch-distributed: torch-distributed.yaml}}}",
    ),
    "cluster.operators.*.runtimes.file": (
        "target: {kind: TrainJob, runtime: torch-distributed}",
        "operators: {trainer: {version: 2.3.0, runtimes: {torch-distributed: {file: torch-distributed.yaml}}}}",
    ),
    "cluster.operators.training-operator": ("", "operators: {training-operator: {version: 1.8.1}}"),
    "cluster.operators.trainer": (
        "target: {kind: TrainJob, runtime: torch-distributed}",
        "operators: {trainer: {version: 2.3.0, runtimes: {torch-distributed: torch-distributed.yaml}}}",
    ),
    "cluster.pools": (_ONE_GPU, "pools: {mi300: {gpu: {resource: amd.com/gpu}}}"),
    "cluster.pools.nodes": ("", "pools: {h100: {nodes: {count: 16}}}"),
    "cluster.pools.nodes.count": ("", "pools: {h100: {nodes: {count: 16}}}"),
    "cluster.pools.nodes.names": ("", "pools: {h100: {nodes: {names: [node-1, node-2]}}}"),
    "cluster.pools.nodes.cpu": ("", "pools: {h100: {nodes: {cpu: 192}}}"),
    "cluster.pools.nodes.memory": ("", "pools: {h100: {nodes: {memory: 2000Gi}}}"),
    "cluster.pools.nodes.allocatable": ("", "pools: {h100: {nodes: {allocatable: {pods: 110, hugepages-2Mi: 64Gi}}}}"),
    "cluster.pools.nodes.disk": ("", "pools: {h100: {nodes: {disk: 7000Gi}}}"),
    "cluster.pools.nodes.cordoned": (
        "",
        "topology: {rack: example.com/rack}\n"
        "pools: {h100: {nodes: {count: 16, domains: {rack: {r1: 8, r2: 8}}, cordoned: {r1: 1}}}}",
    ),
    "cluster.pools.nodes.notReady": ("", "pools: {h100: {nodes: {count: 16, notReady: 1}}}"),
    "cluster.pools.nodes.domains": (
        "",
        "topology: {rack: example.com/rack}\npools: {h100: {nodes: {count: 16, domains: {rack: 8}}}}",
    ),
    "cluster.pools.nodes.labels": (
        "resources: {gpu: 1}\nscheduling: {nodeLabels: {example.com/capacity: spot}}",
        "pools: {h100: {nodes: {count: 16, labels: {example.com/capacity: spot}}, "
        "gpu: {resource: nvidia.com/gpu, perNode: 8}}}",
    ),
    "cluster.pools.labels": ("resources: {gpu: 1}\nscheduling: {pool: h100}", _tainted("labels: {gpu: h100}")),
    "cluster.pools.taints": (_ONE_GPU, _tainted("taints: [{key: nvidia.com/gpu, effect: NoSchedule}]")),
    "cluster.pools.taints.key": (_ONE_GPU, _tainted("taints: [{key: nvidia.com/gpu, effect: NoSchedule}]")),
    "cluster.pools.taints.value": (
        _ONE_GPU,
        _tainted("taints: [{key: dedicated, value: training, effect: NoSchedule}]"),
    ),
    "cluster.pools.taints.effect": (_ONE_GPU, _tainted("taints: [{key: nvidia.com/gpu, effect: NoSchedule}]")),
    "cluster.pools.gpu": (_ONE_GPU, "pools: {mi300: {gpu: {resource: amd.com/gpu}}}"),
    "cluster.pools.gpu.resource": (_ONE_GPU, "pools: {mi300: {gpu: {resource: amd.com/gpu}}}"),
    "cluster.pools.gpu.perNode": ("resources: {gpu: 8, hca: auto}", _fabric("")),
    "cluster.pools.gpu.memory": (_ONE_GPU, "pools: {h100: {gpu: {resource: nvidia.com/gpu, memory: 80Gi}}}"),
    "cluster.pools.gpu.product": (_ONE_GPU, "pools: {h100: {gpu: {resource: nvidia.com/gpu, product: H100}}}"),
    "cluster.pools.gpu.claim": ("resources: {gpu: 8}", "pools: {h100: {gpu: {claim: all-gpus, perNode: 8}}}"),
    "cluster.pools.gpu.deviceClass": (
        "resources: {gpu: 8}",
        "pools: {h100: {gpu: {claim: all-gpus, perNode: 8, deviceClass: gpu.nvidia.com}}}",
    ),
    "cluster.pools.npu": ("resources: {npu: 1}", _NPU),
    "cluster.pools.npu.resource": ("resources: {npu: 1}", _NPU),
    "cluster.pools.npu.perNode": ("resources: {npu: 1}", _NPU),
    "cluster.pools.npu.library": (
        "resources: {npu: 1}",
        "pools: {ascend: {npu: {resource: huawei.com/Ascend910, library: hccl}}}",
    ),
    "cluster.pools.hca": (_ONE_HCA, _fabric("")),
    "cluster.pools.hca.resource": (_ONE_HCA, _fabric("")),
    "cluster.pools.hca.perNode": ("resources: {gpu: 8, hca: auto}", _fabric("")),
    "cluster.pools.hca.rate": (_ONE_HCA, _pool("fabric: {rdma: shared-device}", ", rate: 400")),
    "cluster.pools.hca.devices": (_ONE_HCA, _pool("fabric: {rdma: shared-device}", ", devices: [mlx5_0, mlx5_1]")),
    "cluster.pools.hca.link": (_ONE_HCA, _pool("fabric: {rdma: shared-device}", ", link: roce")),
    "cluster.pools.hca.claim": (
        "resources: {gpu: 8, hca: 8}",
        "pools: {h100: {gpu: {resource: nvidia.com/gpu, perNode: 8}, hca: {claim: all-hcas, perNode: 8}, "
        "fabric: {rdma: claim}}}",
    ),
    "cluster.pools.hca.deviceClass": (
        "resources: {gpu: 8, hca: 8}",
        "pools: {h100: {gpu: {resource: nvidia.com/gpu, perNode: 8}, "
        "hca: {claim: all-hcas, perNode: 8, deviceClass: dra.net}, fabric: {rdma: claim}}}",
    ),
    "cluster.pools.fabric": (_ONE_HCA, _fabric(", interface: eth0")),
    "cluster.pools.fabric.rdma": (_ONE_HCA, _fabric("")),
    "cluster.pools.fabric.net": (_ONE_HCA, _fabric(", net: IB")),
    "cluster.pools.fabric.interface": (_ONE_HCA, _fabric(", interface: eth0")),
    "cluster.pools.fabric.memlock": (_ONE_HCA, _fabric(", memlock: capability")),
    "cluster.pools.fabric.nvlink": (
        "resources: {gpu: 8}\ncommunication: {nvlink: true}",
        _pool("fabric: {nvlink: compute-domain}"),
    ),
    "cluster.pools.fabric.nvlink.driver": (
        "resources: {gpu: 8}\ncommunication: {nvlink: true}",
        _pool("fabric: {nvlink: {driver: 25.3.0}}"),
    ),
    "cluster.pools.fabric.networks": (_ONE_HCA, _fabric(", networks: rdma-net", "sriov")),
    "cluster.pools.fabric.adds": (_ONE_HCA, _adds("env: {UCX_TLS: rc}")),
    "cluster.pools.fabric.adds.env": (_ONE_HCA, _adds("env: {UCX_TLS: rc}")),
    "cluster.pools.fabric.adds.mounts": (_ONE_HCA, _adds("mounts: {/etc/topology: {hostPath: /etc/topology}}")),
    "cluster.pools.fabric.adds.annotations": (_ONE_HCA, _adds("annotations: {example.com/fabric: ib}")),
    "cluster.pools.fabric.adds.labels": (_ONE_HCA, _adds("labels: {fabric: ib}")),
    "cluster.pools.fabric.adds.resources": (_ONE_HCA, _adds("resources: {other: {example.com/vf: 1}}")),
    "cluster.pools.fabric.adds.sidecars": (
        _ONE_HCA,
        "kubernetes: '1.31'\n" + _adds("sidecars: {daemon: {image: registry.example.com/daemon:1}}"),
    ),
    "cluster.pools.fabric.adds.init": (
        _ONE_HCA,
        _adds("init: {probe: {image: registry.example.com/probe:1}}"),
    ),
    "cluster.pools.fabric.adds.ports": (_ONE_HCA, _adds("ports: {gossip: 7000}")),
    "cluster.pools.fabric.adds.pod": (_ONE_HCA, _adds("pod: {hostIPC: true}")),
    "cluster.pools.fabric.adds.security": (_ONE_HCA, _adds("security: {capabilities: [SYS_RESOURCE]}")),
    "cluster.pools.fabric.adds.security.privileged": (_ONE_HCA, _adds("security: {privileged: true}")),
    "cluster.pools.fabric.adds.security.capabilities": (_ONE_HCA, _adds("security: {capabilities: [SYS_RESOURCE]}")),
    "cluster.pools.fabric.adds.roles": (
        f"{_mpi('bind: none')}\n{_ONE_HCA}",
        _adds("roles: {worker: {env: {MELLANOX_VISIBLE_DEVICES: all}}}"),
    ),
    "cluster.pools.fabric.adds.roles.launcher": (
        f"{_mpi('bind: none')}\n{_ONE_HCA}",
        _adds("roles: {launcher: {env: {UCX_LOG_LEVEL: warn}}}"),
    ),
    "cluster.pools.fabric.adds.roles.launcher.env": (
        f"{_mpi('bind: none')}\n{_ONE_HCA}",
        _adds("roles: {launcher: {env: {UCX_LOG_LEVEL: warn}}}"),
    ),
    "cluster.pools.fabric.adds.roles.launcher.mounts": (
        f"{_mpi('bind: none')}\n{_ONE_HCA}",
        _adds("roles: {launcher: {mounts: {/logs: {hostPath: /var/log/mpi}}}}"),
    ),
    "cluster.pools.fabric.adds.roles.worker": (
        f"{_mpi('bind: none')}\n{_ONE_HCA}",
        _adds("roles: {worker: {env: {MELLANOX_VISIBLE_DEVICES: all}}}"),
    ),
    "cluster.pools.runtimeClass": (
        _ONE_GPU,
        "pools: {h100: {gpu: {resource: nvidia.com/gpu}, runtimeClass: nvidia}}",
    ),
    "cluster.nccl": (
        f"{_ONE_GPU}\ncommunication: {{version: 2.27.3}}",
        f"{_GPU}\nnccl: {{2.27.3: /opt/nccl/2.27.3/lib/libnccl.so}}",
    ),
    "cluster.storage": ("mounts: {/data: {storage: datasets}}", "storage: {datasets: {hostPath: /mnt/datasets}}"),
    "cluster.storage.type": (
        "mounts: {/data: {storage: datasets}}",
        "storage: {datasets: {type: lustre, hostPath: /mnt/datasets}}",
    ),
    "cluster.storage.hostPath": (
        "mounts: {/data: {storage: datasets}}",
        "storage: {datasets: {hostPath: /mnt/datasets}}",
    ),
    "cluster.storage.pvc": ("mounts: {/data: {storage: datasets}}", "storage: {datasets: {pvc: datasets}}"),
    "cluster.storage.nfs": (
        "mounts: {/data: {storage: datasets}}",
        "storage: {datasets: {nfs: {server: nfs.example.com, path: /export/data}}}",
    ),
    "cluster.storage.volume": (
        "mounts: {/data: {storage: datasets}}",
        "storage: {datasets: {volume: {csi: {driver: csi.example.com}}}}",
    ),
    "cluster.storage.readOnly": (
        "mounts: {/data: {storage: datasets}}",
        "storage: {datasets: {hostPath: /mnt/datasets, readOnly: true}}",
    ),
    "cluster.namespaces": ("", "namespaces: {research: {quota: {requests.nvidia.com/gpu: 64}}}"),
    "cluster.namespaces.quota": ("", "namespaces: {research: {quota: {pods: 100, requests.nvidia.com/gpu: 64}}}"),
    "cluster.namespaces.limitRange": (
        "",
        "namespaces: {research: {limitRange: [{type: Container, max: {nvidia.com/gpu: 8}}]}}",
    ),
    "cluster.namespaces.podSecurity": (
        "metadata: {name: train, namespace: research}\nsecurity: {user: 1000}",
        "namespaces: {research: {podSecurity: restricted}}",
    ),
    "cluster.topology": ("scheduling: {within: rack}", _RACK),
    "cluster.topology.label": ("scheduling: {within: rack}", "topology: {rack: {label: example.com/rack, tier: 1}}"),
    "cluster.topology.tier": (
        "scheduling: {gang: volcano, within: rack}",
        "topology: {rack: {label: example.com/rack, tier: 1}}",
    ),
    "cluster.scheduling": ("", "scheduling: {gang: volcano}"),
    "cluster.scheduling.gang": ("", "scheduling: {gang: volcano}"),
    "cluster.scheduling.version": (
        "scheduling: {queue: training}",
        'scheduling: {gang: kueue, version: "0.19.2", queues: [training]}',
    ),
    "cluster.scheduling.scheduler": ("", "scheduling: {scheduler: bin-packing}"),
    "cluster.scheduling.queues": (
        "scheduling: {queue: training}",
        "scheduling: {gang: volcano, queues: [training]}",
    ),
    "cluster.scheduling.queues.quota": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {quota: {nvidia.com/gpu: 64}}}}",
    ),
    "cluster.scheduling.queues.borrow": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: kueue, queues: {{training: {{{_QUOTA}, cohort: all, borrow: {{nvidia.com/gpu: 16}}}}}}}}",
    ),
    "cluster.scheduling.queues.cohort": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: kueue, queues: {{training: {{{_QUOTA}, cohort: a}}, eval: {{{_QUOTA}, cohort: a}}}}}}",
    ),
    "cluster.scheduling.queues.flavors": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: kueue, queues: {{training: {{flavors: {{h100: {{{_QUOTA}}}}}}}}}}}",
    ),
    "cluster.scheduling.queues.flavors.quota": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: kueue, queues: {{training: {{flavors: {{h100: {{{_QUOTA}}}, a100: {{{_QUOTA}}}}}}}}}}}",
    ),
    "cluster.scheduling.queues.flavors.borrow": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {cohort: all, flavors: {h100: {quota: {nvidia.com/gpu: 32}, "
        "borrow: {nvidia.com/gpu: 16}}}}}}",
    ),
    "cluster.scheduling.queues.lend": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: kueue, queues: {{training: {{{_QUOTA}, cohort: all, lend: {{nvidia.com/gpu: 8}}}}}}}}",
    ),
    "cluster.scheduling.queues.flavors.lend": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {cohort: all, flavors: {h100: {quota: {nvidia.com/gpu: 32}, "
        "lend: {nvidia.com/gpu: 8}}}}}}",
    ),
    "cluster.scheduling.queues.weight": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: volcano, queues: {{training: {{{_QUOTA}, weight: 3}}}}}}",
    ),
    "cluster.scheduling.queues.deserved": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: volcano, queues: {{training: {{{_QUOTA}, deserved: {{nvidia.com/gpu: 32}}}}}}}}",
    ),
    "cluster.scheduling.queues.guarantee": (
        "scheduling: {queue: training}",
        "scheduling: {gang: volcano, queues: {training: {guarantee: {nvidia.com/gpu: 8}, deserved: "
        "{nvidia.com/gpu: 32}}}}",
    ),
    "cluster.scheduling.queues.parent": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: volcano, queues: {{training: {{{_QUOTA}, parent: research}}}}}}",
    ),
    "cluster.scheduling.queues.reclaimable": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: volcano, queues: {{training: {{{_QUOTA}, reclaimable: false}}}}}}",
    ),
    "cluster.scheduling.queues.queueingStrategy": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: kueue, queues: {{training: {{{_QUOTA}, queueingStrategy: StrictFIFO}}}}}}",
    ),
    "cluster.scheduling.queues.preemption": (
        "scheduling: {gang: kueue, queue: training, priority: high}",
        f"scheduling: {{gang: kueue, queues: {{training: {{{_QUOTA}, "
        "preemption: {withinClusterQueue: LowerPriority}}}}",
    ),
    "cluster.scheduling.queues.preemption.withinClusterQueue": (
        "scheduling: {gang: kueue, queue: training, priority: high}",
        f"scheduling: {{gang: kueue, queues: {{training: {{{_QUOTA}, "
        "preemption: {withinClusterQueue: LowerPriority}}}}",
    ),
    "cluster.scheduling.queues.preemption.reclaimWithinCohort": (
        "scheduling: {gang: kueue, queue: training, priority: high}",
        f"scheduling: {{gang: kueue, queues: {{training: {{{_QUOTA}, "
        "cohort: all, preemption: {reclaimWithinCohort: Any}}}}",
    ),
    "cluster.scheduling.queues.preemption.borrowWithinCohort": (
        "scheduling: {gang: kueue, queue: training, priority: high}",
        "scheduling: {gang: kueue, queues: {training: {quota: {nvidia.com/gpu: 64}, cohort: all, preemption: "
        "{reclaimWithinCohort: Any, borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 100}}}}}",
    ),
    "cluster.scheduling.queues.preemption.borrowWithinCohort.policy": (
        "scheduling: {gang: kueue, queue: training, priority: high}",
        "scheduling: {gang: kueue, queues: {training: {quota: {nvidia.com/gpu: 64}, cohort: all, preemption: "
        "{reclaimWithinCohort: Any, borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 100}}}}}",
    ),
    "cluster.scheduling.queues.preemption.borrowWithinCohort.maxPriorityThreshold": (
        "scheduling: {gang: kueue, queue: training, priority: high}",
        "scheduling: {gang: kueue, queues: {training: {quota: {nvidia.com/gpu: 64}, cohort: all, preemption: "
        "{reclaimWithinCohort: Any, borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 100}}}}}",
    ),
    "cluster.scheduling.queues.fungibility": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {flavors: {h100: {quota: {nvidia.com/gpu: 32}}, "
        "spot: {quota: {nvidia.com/gpu: 64}}}, fungibility: {whenCanBorrow: TryNextFlavor}}}}",
    ),
    "cluster.scheduling.queues.fungibility.whenCanBorrow": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {flavors: {h100: {quota: {nvidia.com/gpu: 32}}, "
        "spot: {quota: {nvidia.com/gpu: 64}}}, fungibility: {whenCanBorrow: TryNextFlavor}}}}",
    ),
    "cluster.scheduling.queues.fungibility.whenCanPreempt": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {flavors: {h100: {quota: {nvidia.com/gpu: 32}}, "
        "spot: {quota: {nvidia.com/gpu: 64}}}, fungibility: {whenCanPreempt: MayStopSearch}}}}",
    ),
    "cluster.scheduling.queues.fungibility.preference": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {flavors: {h100: {quota: {nvidia.com/gpu: 32}}, "
        "spot: {quota: {nvidia.com/gpu: 64}}}, fungibility: {whenCanBorrow: TryNextFlavor, "
        "preference: PreemptionOverBorrowing}}}}",
    ),
    "cluster.scheduling.queues.undeclared": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: kueue, queues: {{training: {{{_QUOTA}, undeclared: block}}}}}}",
    ),
    "cluster.scheduling.queues.namespaces": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: kueue, queues: {{training: {{{_QUOTA}, namespaces: [default, research]}}}}}}",
    ),
    "cluster.scheduling.queues.localQueues": (
        "scheduling: {queue: team-x}",
        f"scheduling: {{gang: kueue, queues: {{research: {{{_QUOTA}, localQueues: [team-x, team-z]}}}}}}",
    ),
    "cluster.scheduling.queues.localQueues.namespaces": (
        "scheduling: {queue: team-x}",
        f"scheduling: {{gang: kueue, queues: {{research: {{{_QUOTA}, localQueues: {{team-x: {{namespaces: "
        "[default, x]}, team-z: {namespaces: [z]}}}}}",
    ),
    "cluster.scheduling.queues.localQueues.stop": (
        "scheduling: {queue: team-x}",
        f"scheduling: {{gang: kueue, queues: {{research: {{{_QUOTA}, localQueues: {{team-x: {{}}, "
        "team-z: {stop: Hold}}}}}",
    ),
    "cluster.scheduling.queues.stop": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: kueue, queues: {{training: {{{_QUOTA}, stop: Hold}}}}}}",
    ),
    "cluster.scheduling.queues.checks": (
        "scheduling: {queue: training}",
        f"scheduling: {{gang: kueue, queues: {{training: {{{_QUOTA}, checks: [budget]}}}}}}",
    ),
    "cluster.scheduling.cohorts": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {quota: {nvidia.com/gpu: 64}, cohort: research}}, cohorts: "
        "{research: {parent: company}}}",
    ),
    "cluster.scheduling.cohorts.parent": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {quota: {nvidia.com/gpu: 64}, cohort: research}}, cohorts: "
        "{research: {parent: company}}}",
    ),
    "cluster.scheduling.cohorts.flavors": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {quota: {nvidia.com/gpu: 64}, cohort: research}}, cohorts: "
        "{research: {flavors: {h100: {quota: {nvidia.com/gpu: 32}}}}}}",
    ),
    "cluster.scheduling.flavors": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {flavors: {spot: {quota: {nvidia.com/gpu: 64}}}}}, flavors: "
        "{spot: {labels: {example.com/capacity: spot}}}}",
    ),
    "cluster.scheduling.flavors.labels": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {flavors: {spot: {quota: {nvidia.com/gpu: 64}}}}}, flavors: "
        "{spot: {labels: {example.com/capacity: spot}}}}",
    ),
    "cluster.scheduling.flavors.taints": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {flavors: {spot: {quota: {nvidia.com/gpu: 64}}}}}, flavors: "
        "{spot: {labels: {example.com/capacity: spot}, taints: [{key: example.com/spot, effect: NoSchedule}]}}}",
    ),
    "cluster.scheduling.flavors.tolerations": (
        "scheduling: {queue: training}",
        "scheduling: {gang: kueue, queues: {training: {flavors: {spot: {quota: {nvidia.com/gpu: 64}}}}}, flavors: "
        "{spot: {labels: {example.com/capacity: spot}, "
        "tolerations: [{key: example.com/spot, operator: Exists}]}}}",
    ),
    "cluster.scheduling.flavors.topology": (
        "scheduling: {queue: training}",
        "topology: {rack: example.com/rack}\n"
        "scheduling: {gang: kueue, queues: {training: {flavors: {h200: {quota: {nvidia.com/gpu: 64}}}}}, flavors: "
        "{h200: {labels: {example.com/gpu: h200}, topology: [rack, host]}}}",
    ),
    "cluster.scheduling.priorities": (
        "scheduling: {gang: kueue, queue: training, priority: high}",
        "scheduling: {priorities: {high: workload}}",
    ),
    "cluster.scheduling.priorities.of": (
        "scheduling: {gang: kueue, queue: training, priority: high}",
        "scheduling: {priorities: {high: {of: workload, value: 1000}}}",
    ),
    "cluster.scheduling.priorities.value": (
        "scheduling: {priority: high}",
        "scheduling: {priorities: {high: {value: 1000}}}",
    ),
    "cluster.scheduling.priorities.preemption": (
        "scheduling: {priority: patient}",
        "scheduling: {priorities: {patient: {value: 1000, preemption: Never}}}",
    ),
    "cluster.scheduling.priorities.default": (
        "",
        "scheduling: {priorities: {normal: {value: 100, default: true}}}",
    ),
    "cluster.images": ("", "images: {mirrors: {registry.example.com: mirror.example.com}}"),
    "cluster.images.mirrors": ("", "images: {mirrors: {registry.example.com: mirror.example.com}}"),
    "cluster.images.allow": ("", "images: {allow: [registry.example.com]}"),
    "cluster.defaults": ("", "defaults: {env: {NCCL_DEBUG: INFO}}"),
    "cluster.podSecurity": ("security: {user: 1000}", "podSecurity: restricted"),
    "cluster.mesh.kind": ("", "mesh: {kind: istio, by: annotation}"),
    "cluster.mesh.by": ("", "mesh: {kind: istio, by: annotation}"),
}

# Words that become another thing beside another one: (when, lines of a job profile, of a cluster profile).
_KUEUE = "scheduling: {gang: kueue, queues: [training]}"
CASES: dict[str, list[tuple[str, str, str]]] = {
    "scheduling.within": [
        ("with Kueue", "scheduling: {queue: training, within: rack}", f"{_RACK}\n{_KUEUE}"),
        (
            "with Volcano",
            "scheduling: {gang: volcano, within: rack}",
            "topology: {rack: {label: example.com/rack, tier: 1}}",
        ),
    ],
    "scheduling.near": [("with Kueue", "scheduling: {queue: training, near: rack}", f"{_RACK}\n{_KUEUE}")],
    "scheduling.priority": [
        (
            "with Kueue",
            "scheduling: {queue: training, priority: high}",
            "scheduling: {gang: kueue, queues: [training], priorities: {high: workload}}",
        ),
        ("with Volcano", "scheduling: {gang: volcano, priority: high}", ""),
    ],
    "scheduling.gang": [
        ("with Kueue", "scheduling: {gang: kueue, queue: training}", ""),
        ("with coscheduling", "scheduling: {gang: coscheduling}", ""),
    ],
    "scheduling.queue": [("with Volcano", "scheduling: {gang: volcano, queue: training}", "")],
}
