"""MSJob `mindspore.gitee.com/v1` of ms-operator 1.0.0."""

from __future__ import annotations

from specgen.generate.pod_versions import KUBERNETES_120
from specgen.generate.shapes import Field, Kind, Shape

# pkg/apis/v1 for the fields, pkg/controllers/v1/msjob_controller.go and utils.go for what they do.
MS_JOB = Kind(
    group="mindspore.gitee.com",
    version="v1",
    kind="MSJob",
    operator="ms-operator 1.0.0",
    description="MSJob of ms-operator 1.0.0: pods that find the Scheduler through MS_SCHED_HOST.",
    fields={"spec": Field("MSJobSpec")},
    shapes=(
        Shape(
            "MSJobSpec",
            {
                "msReplicaSpecs": Field(
                    "map[ReplicaSpec]",
                    "The roles; names in other letter case are corrected.",
                    required=True,
                    known_keys={
                        "Scheduler": "The pod that all others register with; without it no variable is injected.",
                        "PS": "Parameter servers.",
                        "Worker": "The pods that train.",
                    },
                ),
                "successPolicy": Field(
                    "string", "Empty: Worker 0 decides. AllWorkers: every Worker has to end with 0."
                ),
                "enableDynamicWorker": Field("boolean", "True lets Workers fail without failing the job."),
                "runPolicy": Field("RunPolicy", "Cleaning up, limits and gang scheduling."),
            },
            "Roles and policies of the job.",
        ),
        Shape(
            "RunPolicy",
            {
                "cleanPodPolicy": Field("string", "Pods to delete when the job ends: Running (default), None or All."),
                "ttlSecondsAfterFinished": Field("int32", "Seconds until the ended job is deleted; has no effect."),
                "activeDeadlineSeconds": Field(
                    "int64", "Seconds the job may run; noticed only when something else wakes the operator."
                ),
                "backoffLimit": Field("int32", "Container restarts at which the job fails."),
                "schedulingPolicy": Field("SchedulingPolicy", "How the pods are scheduled as a gang."),
            },
            "What holds for the whole job: cleaning up, limits, gang scheduling.",
        ),
        Shape(
            "SchedulingPolicy",
            {
                "minAvailable": Field("int32", "Pods that must fit at once; all pods of the job where it is absent."),
                "queue": Field("string", "Volcano queue of the gang."),
                "minResources": Field("map[quantity]", "Resources the gang needs to start."),
                "priorityClass": Field("string", "Priority class of the gang."),
            },
            "How the pods are scheduled as a gang; read only by an operator started with gang scheduling.",
        ),
        Shape(
            "ReplicaSpec",
            {
                "replicas": Field("int32", "Number of pods of this role."),
                "template": Field(
                    "PodTemplateSpec", "The pod of this role; the API server keeps no labels or annotations of it."
                ),
                "restartPolicy": Field(
                    "string", "Always, OnFailure, Never (default) or ExitCode; overrides the pod template's."
                ),
            },
            "One role of the job: how many pods, made from which template.",
        ),
    ),
)

PODS = KUBERNETES_120
KINDS = (MS_JOB,)
