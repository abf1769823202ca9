"""The job part of each kind, written from what the operators read and do.

A kind is one `Kind` with its own shapes; what several kinds of an operator share stands once.
"""

from __future__ import annotations

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

# training-operator 1.9.4: pkg/apis/kubeflow.org/v1/pytorch_types.go,
# pkg/webhooks/pytorch/pytorchjob_webhook.go, pkg/controller.v1/pytorch/elastic.go.
PYTORCH_JOB = Kind(
    group="kubeflow.org",
    version="v1",
    kind="PyTorchJob",
    operator="training-operator 1.9.4",
    spec="PyTorchJobSpec",
    description="PyTorchJob of training-operator 1.9.4: one pod per node, started with the PET_ variables of torchrun.",
    shapes=(
        Shape(
            "PyTorchJobSpec",
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
                "runPolicy": Field("RunPolicy", "Cleaning up, deadlines, suspension and gang scheduling."),
            },
            "Roles and policies of the job.",
        ),
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
                "nProcPerNode": Field(
                    "int32", "Deprecated since training-operator 1.7 in favour of spec.nprocPerNode."
                ),
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
        RUN_POLICY,
        SCHEDULING_POLICY,
        REPLICA_SPEC,
    ),
)

KINDS = (PYTORCH_JOB,)
"""Every kind that has a schema."""
