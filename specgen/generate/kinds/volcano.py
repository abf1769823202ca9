"""Job `batch.volcano.sh/v1alpha1` and PodGroup `scheduling.volcano.sh/v1beta1` of Volcano 1.15.1."""

from __future__ import annotations

from specgen.generate.pod_versions import KUBERNETES_135
from specgen.generate.shapes import Field, Kind, Shape

OPERATOR = "volcano 1.15.1"
EVENTS = (
    "*",
    "PodPending",
    "PodRunning",
    "PodFailed",
    "PodEvicted",
    "Unknown",
    "TaskCompleted",
    "OutOfSync",
    "CommandIssued",
    "JobUpdated",
    "TaskFailed",
)
_TOPOLOGY = Shape(
    "NetworkTopology",
    {
        "mode": Field("string", "Whether the tier is demanded or wished.", default="hard", words=("hard", "soft")),
        "highestTierAllowed": Field("integer", "Highest tier that the pods may span, by number.", minimum=0),
        "highestTierName": Field("string", "The same by name; not together with the number.", length=(0, 253)),
    },
    "How close the pods must be.",
)
_QUEUE = Field(
    "string", "Queue, which must exist and be open.", default="default", grammar="subdomain", length=(0, 253)
)

# staging/src/volcano.sh/apis/pkg/apis/batch/v1alpha1/job.go; pkg/webhooks/admission/jobs.
JOB = Kind(
    group="batch.volcano.sh",
    version="v1alpha1",
    kind="Job",
    operator=OPERATOR,
    description="Job of Volcano 1.15.1: tasks of pods that are scheduled as one gang.",
    fields={"spec": Field("VolcanoJobSpec")},
    shapes=(
        Shape(
            "VolcanoJobSpec",
            {
                "schedulerName": Field("string", "Scheduler of the pods; volcano where it is absent.", length=(0, 63)),
                "minAvailable": Field("int32", "Pods that must fit at once; all pods where it is absent.", minimum=0),
                "minSuccess": Field("int32", "Pods that must succeed for the job to complete.", minimum=1),
                "queue": _QUEUE,
                "priorityClassName": Field(
                    "string", "Priority class of the gang.", grammar="subdomain", length=(0, 253)
                ),
                "tasks": Field("list[Task]", "Groups of equal pods; at least one."),
                "policies": Field("list[LifecyclePolicy]", "What happens at which event."),
                "plugins": Field(
                    "map[list[string]]",
                    "Plugins with their arguments.",
                    known_keys={
                        "env": "The number of each pod in VC_TASK_INDEX.",
                        "svc": "A headless Service, host files and VC_<TASK>_HOSTS.",
                        "ssh": "SSH keys in every pod.",
                        "pytorch": "MASTER_ADDR, MASTER_PORT, WORLD_SIZE and RANK.",
                        "tensorflow": "TF_CONFIG.",
                        "mpi": "MPI_HOST, and a port for SSH.",
                        "ray": "A Ray cluster.",
                        "hcclrank": "The annotation hccl/rankIndex.",
                    },
                ),
                "volumes": Field("list[VolumeSpec]", "Volumes that every pod gets."),
                "networkTopology": Field("NetworkTopology", "How close the pods must be."),
                "runningEstimate": Field("string", "How long the job is expected to run, such as 2h."),
                "maxRetry": Field("int32", "Restarts before the job fails.", default=3, minimum=0),
                "ttlSecondsAfterFinished": Field("int32", "Seconds until the ended job is deleted.", minimum=0),
            },
            "Tasks and policies of the job.",
        ),
        Shape(
            "Task",
            {
                "name": Field("string", "Name of the task, part of its pods' names.", grammar="name"),
                "replicas": Field("int32", "Number of pods.", minimum=0),
                "minAvailable": Field("int32", "Pods of this task that must fit at once.", minimum=0),
                "template": Field("PodTemplateSpec", "The pod."),
                "policies": Field("list[LifecyclePolicy]", "What happens at which event of this task."),
                "topologyPolicy": Field(
                    "string",
                    "NUMA placement of each pod.",
                    words=("none", "best-effort", "restricted", "single-numa-node"),
                ),
                "partitionPolicy": Field("PartitionPolicy", "Parts of the task that are placed together."),
                "maxRetry": Field("int32", "Restarts of the task's pods before the job fails.", minimum=0),
                "dependsOn": Field("TaskDependsOn", "Tasks that must run first."),
            },
            "A group of equal pods.",
        ),
        Shape(
            "LifecyclePolicy",
            {
                "action": Field("string", "What to do, such as RestartJob, AbortJob or CompleteJob."),
                "event": Field("string", "The event; not together with exitCode.", words=EVENTS),
                "events": Field("list[string]", "Several events.", words=EVENTS),
                "exitCode": Field("int32", "Exit code of a container; not 0."),
                "timeout": Field("string", "Time before the action, such as 10m."),
            },
            "What happens at an event or an exit code.",
        ),
        Shape(
            "TaskDependsOn",
            {
                "name": Field("list[string]", "The other tasks."),
                "iteration": Field("string", "Whether any or all of them decide."),
            },
            "Tasks that must run before this one starts.",
        ),
        Shape(
            "PartitionPolicy",
            {
                "totalPartitions": Field("int32", "Number of parts.", required=True, minimum=1),
                "partitionSize": Field("int32", "Pods of each part.", required=True, minimum=1),
                "minPartitions": Field("int32", "Parts that must fit at once.", default=0, minimum=0),
                "networkTopology": Field("NetworkTopology", "How close the pods of a part must be."),
            },
            "Parts of a task.",
        ),
        Shape(
            "VolumeSpec",
            {
                "mountPath": Field("string", "Where every pod mounts it; not empty, without colon.", required=True),
                "volumeClaimName": Field("string", "Name of an existing claim.", length=(0, 253)),
                "volumeClaim": Field("PersistentVolumeClaimSpec", "A claim that is made for the job."),
            },
            "A volume that every pod gets.",
        ),
        _TOPOLOGY,
    ),
)

# staging/src/volcano.sh/apis/pkg/apis/scheduling/v1beta1/types.go; pkg/webhooks/admission/podgroups.
POD_GROUP = Kind(
    group="scheduling.volcano.sh",
    version="v1beta1",
    kind="PodGroup",
    operator=OPERATOR,
    description="PodGroup of Volcano 1.15.1: pods that are scheduled together or not at all.",
    fields={"spec": Field("PodGroupSpec")},
    shapes=(
        Shape(
            "PodGroupSpec",
            {
                "minMember": Field("int32", "Pods that must fit at once.", minimum=0),
                "minTaskMember": Field("map[int32]", "The same for each task."),
                "queue": _QUEUE,
                "priorityClassName": Field("string", "Priority class of the gang.", length=(0, 253)),
                "minResources": Field("map[quantity]", "Resources that must be free before pods are created."),
                "networkTopology": Field("NetworkTopology", "How close the pods must be."),
                "subGroupPolicy": Field("list[SubGroupPolicy]", "Parts of the gang with conditions of their own."),
            },
            "Size and queue of the gang.",
        ),
        Shape(
            "SubGroupPolicy",
            {
                "name": Field("string", "Name of the policy.", length=(0, 253)),
                "labelSelector": Field("LabelSelector", "The pods for which it holds."),
                "matchLabelKeys": Field("list[string]", "Labels whose values tell the parts apart."),
                "subGroupSize": Field("int32", "Pods of each part.", default=1, minimum=1),
                "minSubGroups": Field("int32", "Parts that must fit at once.", default=0, minimum=0),
                "networkTopology": Field("NetworkTopology", "How close the pods of a part must be."),
            },
            "Parts of the gang.",
        ),
        _TOPOLOGY,
    ),
    keeps_status=True,
)

PODS = KUBERNETES_135
KINDS = (JOB, POD_GROUP)
