"""MPIJob `kubeflow.org/v2beta1` of mpi-operator 0.8.2."""

from __future__ import annotations

from specgen.generate.pod_versions import KUBERNETES_135
from specgen.generate.shapes import Field, Kind, Shape

# pkg/apis/kubeflow/v2beta1/types.go and default.go for the fields, pkg/apis/kubeflow/validation/validation.go and
# pkg/controller/mpi_job_controller.go for what they do.
MPI_JOB = Kind(
    group="kubeflow.org",
    version="v2beta1",
    kind="MPIJob",
    operator="mpi-operator 0.8.2",
    description="MPIJob of mpi-operator 0.8.2: a launcher Job that starts processes in the Worker pods over SSH.",
    fields={"spec": Field("MPIJobSpec")},
    shapes=(
        Shape(
            "MPIJobSpec",
            {
                "mpiReplicaSpecs": Field(
                    "map[ReplicaSpec]",
                    "The roles: Launcher, and Worker in most jobs.",
                    required=True,
                    known_keys={
                        "Launcher": "The pod that runs mpirun; replicas absent or 1.",
                        "Worker": "The pods of the hostfile; replicas must be given.",
                    },
                ),
                "slotsPerWorker": Field("int32", "Slots of each Worker in the hostfile.", default=1),
                "mpiImplementation": Field(
                    "string",
                    "Whose hostfile and variables the launcher gets.",
                    default="OpenMPI",
                    words=("OpenMPI", "Intel", "MPICH"),
                ),
                "sshAuthMountPath": Field("string", "Where the SSH keys are mounted.", default="/root/.ssh"),
                "launcherCreationPolicy": Field(
                    "string",
                    "AtStartup creates the launcher at once; any other word, WaitForWorkersReady among them, waits.",
                    default="AtStartup",
                ),
                "runLauncherAsWorker": Field(
                    "boolean", "True puts the launcher into the hostfile as the first host.", default=False
                ),
                "runPolicy": Field("RunPolicy", "Cleaning up, deadlines, suspension and gang scheduling."),
            },
            "Roles and policies of the job.",
        ),
        Shape(
            "RunPolicy",
            {
                "cleanPodPolicy": Field(
                    "string",
                    "Worker pods to delete when the job ends: None (default) leaves them running, Running or All.",
                ),
                "ttlSecondsAfterFinished": Field(
                    "int32", "Seconds until the ended launcher Job is deleted; the MPIJob itself stays."
                ),
                "activeDeadlineSeconds": Field("int64", "Seconds the launcher Job may run."),
                "backoffLimit": Field("int32", "Launcher pods that may fail until the job does; 6 where it is absent."),
                "schedulingPolicy": Field("SchedulingPolicy", "How the pods are scheduled as a gang."),
                "suspend": Field("boolean", "True keeps the job without pods.", default=False),
                "managedBy": Field(
                    "string",
                    "Who reconciles the job: kubeflow.org/mpi-operator (default) or kueue.x-k8s.io/multikueue; "
                    "a job with any other word is ignored.",
                ),
            },
            "What holds for the whole job: cleaning up, deadlines, suspension, gang scheduling.",
        ),
        Shape(
            "SchedulingPolicy",
            {
                "minAvailable": Field("int32", "Pods that must fit at once; Workers and one where it is absent."),
                "queue": Field(
                    "string",
                    "Volcano queue of the gang; the annotation scheduling.volcano.sh/queue-name where it is absent.",
                ),
                "minResources": Field(
                    "map[quantity]", "Resources the gang needs to start; computed from the pods where it is absent."
                ),
                "priorityClass": Field("string", "Priority class of the gang; the launcher's where it is absent."),
                "scheduleTimeoutSeconds": Field(
                    "int32", "Seconds to wait for the gang; read with scheduler-plugins only."
                ),
            },
            "How the pods are scheduled as a gang; read only by an operator started with a gang scheduler.",
        ),
        Shape(
            "ReplicaSpec",
            {
                "replicas": Field("int32", "Number of pods of this role."),
                "template": Field(
                    "PodTemplateSpec", "The pod of this role; its first container is the one that counts."
                ),
                "restartPolicy": Field(
                    "string", "Never or OnFailure; overrides the pod template's. Others are refused by the operator."
                ),
            },
            "One role of the job: how many pods, made from which template.",
        ),
    ),
)

PODS = KUBERNETES_135
KINDS = (MPI_JOB,)
