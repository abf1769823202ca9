"""The kinds of training-operator 1.9.4, all in `kubeflow.org/v1`."""

from __future__ import annotations

from specgen.generate.pod_versions import KUBERNETES_136
from specgen.generate.shapes import Field, Kind, Shape

# Shared by all kinds of the training-operator: 1.9.4, pkg/apis/kubeflow.org/v1/common_types.go
# for the fields, pkg/controller.v1/common/job.go and pkg/core/job.go for what they do.
SCHEDULING_POLICY = Shape(
    "SchedulingPolicy",
    {
        "minAvailable": Field("int32", "Pods that must fit at once; all pods of the job where it is absent."),
        "queue": Field("string", "Volcano queue of the gang; cannot be changed after creation."),
        "minResources": Field(
            "map[quantity]", "Resources the gang needs to start; computed from the pods where it is absent."
        ),
        "priorityClass": Field("string", "Priority class of the gang; read with Volcano only."),
        "scheduleTimeoutSeconds": Field("int32", "Seconds to wait for the gang; read with scheduler-plugins only."),
    },
    "How the pods are scheduled as a gang; read only by an operator started with a gang scheduler.",
)

RUN_POLICY = Shape(
    "RunPolicy",
    {
        "cleanPodPolicy": Field(
            "string", "Pods to delete when the job ends: None (default), Running or All; any other word acts like All."
        ),
        "ttlSecondsAfterFinished": Field("int32", "Seconds until the ended job is deleted; never where it is absent."),
        "activeDeadlineSeconds": Field(
            "int64", "Seconds the job may run; noticed only when something else wakes the operator."
        ),
        "backoffLimit": Field("int32", "Container restarts, summed over the running pods, at which the job fails."),
        "schedulingPolicy": Field("SchedulingPolicy", "How the pods are scheduled as a gang."),
        "suspend": Field("boolean", "True keeps the job without pods; setting it later deletes them.", default=False),
        "managedBy": Field(
            "string",
            "Who reconciles the job: kubeflow.org/training-operator (default) or kueue.x-k8s.io/multikueue.",
        ),
    },
    "What holds for the whole job: cleaning up, deadlines, suspension, gang scheduling.",
)

REPLICA_SPEC = Shape(
    "ReplicaSpec",
    {
        "replicas": Field("int32", "Number of pods of this role."),
        "template": Field("PodTemplateSpec", "The pod of this role."),
        "restartPolicy": Field(
            "string",
            "Always, OnFailure, Never or ExitCode (restart on codes from 128 up); overrides the pod template's.",
        ),
    },
    "One role of the job: how many pods, made from which template.",
)

SHARED = (RUN_POLICY, SCHEDULING_POLICY, REPLICA_SPEC)

_RUN_POLICY = Field("RunPolicy", "Cleaning up, deadlines, suspension and gang scheduling.")


def _kind(kind: str, description: str, spec: dict[str, Field], *shapes: Shape) -> Kind:
    """A kind whose spec has the shared run policy."""
    fields = {**spec, "runPolicy": _RUN_POLICY}
    return Kind(
        group="kubeflow.org",
        version="v1",
        kind=kind,
        operator="training-operator 1.9.4",
        description=f"{kind} of training-operator 1.9.4: {description}",
        fields={"spec": Field(f"{kind}Spec")},
        shapes=(Shape(f"{kind}Spec", fields, "Roles and policies of the job."), *shapes, *SHARED),
    )


# pkg/apis/kubeflow.org/v1/pytorch_types.go, pkg/webhooks/pytorch/pytorchjob_webhook.go,
# pkg/controller.v1/pytorch/elastic.go.
PYTORCH_JOB = _kind(
    "PyTorchJob",
    "one pod per node, started with the PET_ variables of torchrun.",
    {
        "pytorchReplicaSpecs": Field(
            "map[ReplicaSpec]",
            "The roles: Master, Worker or both.",
            required=True,
            known_keys={
                "Master": "The pod of rank 0; replicas must be given and be 1.",
                "Worker": "The other pods, or all pods where there is no Master.",
            },
        ),
        "nprocPerNode": Field(
            "string", 'Processes per pod, a string: auto (default), cpu, gpu or a number in quotes such as "8".'
        ),
        "elasticPolicy": Field("ElasticPolicy", "Lets the number of Workers vary while the job runs."),
    },
    Shape(
        "ElasticPolicy",
        {
            "minReplicas": Field("int32", "Fewest Workers; takes the value of maxReplicas where it is absent."),
            "maxReplicas": Field("int32", "Most Workers; takes the value of minReplicas where it is absent."),
            "rdzvBackend": Field("string", "Rendezvous backend of torchrun: c10d (default), etcd or etcd-v2."),
            "rdzvHost": Field("string", "Host of the rendezvous; Worker 0 where it is absent."),
            "rdzvPort": Field("int32", "Port of the rendezvous; the Worker's pytorchjob-port where it is absent."),
            "rdzvId": Field("string", "Name of the rendezvous, PET_RDZV_ID."),
            "rdzvConf": Field("list[RendezvousSetting]", "Further settings of the rendezvous backend."),
            "standalone": Field("boolean", "True sets PET_STANDALONE, a rendezvous inside each pod."),
            "nProcPerNode": Field("int32", "Deprecated since training-operator 1.7 in favour of spec.nprocPerNode."),
            "maxRestarts": Field("int32", "Restarts of the worker group that torchrun allows, PET_MAX_RESTARTS."),
            "metrics": Field(
                "list[MetricSpec]", "Makes the operator create a HorizontalPodAutoscaler for the Workers."
            ),
        },
        "Rendezvous and range of Workers; needs a Worker role.",
    ),
    Shape(
        "RendezvousSetting",
        {"key": Field("string", "Name of the setting."), "value": Field("string", "Value of the setting.")},
        "One entry of PET_RDZV_CONF.",
    ),
)

# pkg/apis/kubeflow.org/v1/tensorflow_types.go, pkg/webhooks/tensorflow, pkg/controller.v1/tensorflow.
TF_JOB = _kind(
    "TFJob",
    "pods that find each other through TF_CONFIG in the container tensorflow.",
    {
        "tfReplicaSpecs": Field(
            "map[ReplicaSpec]",
            "The roles; names in other letter case are corrected.",
            required=True,
            known_keys={
                "Chief": "The pod that decides when the job has succeeded; not together with Master.",
                "Master": "The older word for Chief.",
                "Worker": "The pods that train; number 0 decides where there is no Chief.",
                "PS": "Parameter servers.",
                "Evaluator": "The pod that evaluates checkpoints; takes no part in the training.",
            },
        ),
        "successPolicy": Field(
            "string", "Empty: the Chief decides, else Worker 0. AllWorkers: every Worker has to end with 0."
        ),
        "enableDynamicWorker": Field(
            "boolean",
            "True gives each Worker a TF_CONFIG with itself and the PS only, so that Workers can come and go.",
        ),
    },
)

# pkg/apis/kubeflow.org/v1/mpi_types.go, mpi_validation.go, pkg/controller.v1/mpi/mpijob_controller.go.
MPI_JOB = _kind(
    "MPIJob",
    "a launcher pod that starts processes in the Worker pods through kubectl exec.",
    {
        "mpiReplicaSpecs": Field(
            "map[ReplicaSpec]",
            "The roles: Launcher, and Worker in most jobs.",
            required=True,
            known_keys={
                "Launcher": "The pod that runs mpirun; replicas absent or 1.",
                "Worker": "The pods of the hostfile.",
            },
        ),
        "slotsPerWorker": Field("int32", "Slots of each Worker in the hostfile; 1 where it is absent."),
        "cleanPodPolicy": Field(
            "string", "The older place of runPolicy.cleanPodPolicy, which wins where both are set."
        ),
        "mainContainer": Field("string", "Container of the Workers that the launcher's kubectl exec enters."),
    },
)

# pkg/apis/kubeflow.org/v1/xgboost_types.go, pkg/webhooks/xgboost, pkg/controller.v1/xgboost/xgboost.go.
XGBOOST_JOB = _kind(
    "XGBoostJob",
    "one Master and Workers that find it through MASTER_ADDR.",
    {
        "xgbReplicaSpecs": Field(
            "map[ReplicaSpec]",
            "The roles: Master, and Worker in most jobs.",
            required=True,
            known_keys={
                "Master": "The pod of rank 0; replicas must be given and be 1.",
                "Worker": "The pods of rank 1 and up.",
            },
        ),
    },
)

# pkg/apis/kubeflow.org/v1/paddlepaddle_types.go, pkg/controller.v1/paddlepaddle/envvar.go.
PADDLE_JOB = _kind(
    "PaddleJob",
    "pods that find each other through PADDLE_MASTER.",
    {
        "paddleReplicaSpecs": Field(
            "map[ReplicaSpec]",
            "The roles: Worker alone for collective training, Master and Worker for parameter servers.",
            required=True,
            known_keys={
                "Master": "The servers of the parameter server mode.",
                "Worker": "The pods that train; number 0 is the rendezvous where there is no Master.",
            },
        ),
        "elasticPolicy": Field("ElasticPolicy", "Lets the number of Workers vary while the job runs."),
    },
    Shape(
        "ElasticPolicy",
        {
            "minReplicas": Field("int32", "Fewest Workers."),
            "maxReplicas": Field("int32", "Most Workers."),
            "maxRestarts": Field("int32", "Restarts that the job allows itself."),
            "metrics": Field(
                "list[MetricSpec]", "Makes the operator create a HorizontalPodAutoscaler for the Workers."
            ),
        },
        "Range of Workers.",
    ),
)

# pkg/apis/kubeflow.org/v1/jax_types.go, pkg/webhooks/jax, pkg/controller.v1/jax/envvar.go.
JAX_JOB = _kind(
    "JAXJob",
    "Workers that find number 0 through COORDINATOR_ADDRESS.",
    {
        "jaxReplicaSpecs": Field(
            "map[ReplicaSpec]",
            "The one role, Worker.",
            required=True,
            known_keys={"Worker": "All pods; number 0 is the coordinator."},
        ),
    },
)

PODS = KUBERNETES_136
KINDS = (PYTORCH_JOB, TF_JOB, MPI_JOB, XGBOOST_JOB, PADDLE_JOB, JAX_JOB)
