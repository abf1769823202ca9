"""TrainJob and the two runtimes of trainer 2.3.0, `trainer.kubeflow.org/v1alpha1`."""

from __future__ import annotations

from specgen.generate.kinds import jobset
from specgen.generate.pod_versions import KUBERNETES_136
from specgen.generate.shapes import Field, Kind, Shape
from specgen.operators import MULTIKUEUE
from specgen.operators.trainer.refusals import MANAGER

GROUP, VERSION, OPERATOR = "trainer.kubeflow.org", "v1alpha1", "trainer 2.3.0"
MANAGERS = (MANAGER, MULTIKUEUE)
_NAME = (1, 253)

# pkg/apis/trainer/v1alpha1/trainjob_types.go; what may be patched: the same file, PodSpecPatch.
TRAIN_JOB = Kind(
    group=GROUP,
    version=VERSION,
    kind="TrainJob",
    operator=OPERATOR,
    description="TrainJob of trainer 2.3.0: what to train and on how many nodes; the rest comes from a runtime.",
    fields={"spec": Field("TrainJobSpec")},
    shapes=(
        Shape(
            "TrainJobSpec",
            {
                "runtimeRef": Field(
                    "RuntimeRef", "The runtime, which must exist before; cannot be changed.", required=True
                ),
                "trainer": Field(
                    "Trainer", "The training itself; without it no variables are injected. Cannot be changed."
                ),
                "initializer": Field("Initializer", "Data and model to fetch before; cannot be changed."),
                "runtimePatches": Field(
                    "list[RuntimePatch]",
                    "Changes to the runtime's templates, in the order of the list.",
                    list_keys=("manager",),
                ),
                "suspend": Field("boolean", "True keeps the job without pods.", default=False),
                "managedBy": Field(
                    "string", "Who reconciles the job; cannot be changed.", default=MANAGERS[0], words=MANAGERS
                ),
                "activeDeadlineSeconds": Field("int64", "Seconds the job may run; cannot be changed.", minimum=1),
            },
            "Training, runtime and patches of the job.",
        ),
        Shape(
            "RuntimeRef",
            {
                "name": Field("string", "Name of the runtime.", required=True, length=_NAME),
                "apiGroup": Field("string", "Group of the runtime.", default=GROUP, length=(0, 253)),
                "kind": Field(
                    "string",
                    "ClusterTrainingRuntime (default) or TrainingRuntime.",
                    default="ClusterTrainingRuntime",
                    length=(0, 253),
                ),
            },
            "The runtime that the job starts from.",
        ),
        Shape(
            "Trainer",
            {
                "image": Field("string", "Image of the container node.", length=(0, 500)),
                "command": Field("list[string]", "Replaces the runtime's command."),
                "args": Field("list[string]", "Replaces the runtime's args; an empty list removes them."),
                "env": Field("list[EnvVar]", "Variables, merged over the runtime's by name.", list_keys=("name",)),
                "numNodes": Field("int32", "Number of pods."),
                "resourcesPerNode": Field("ResourceRequirements", "Resources of each pod, merged over the runtime's."),
                "numProcPerNode": Field(
                    "int32", "Processes per pod; from GPUs or CPUs of resourcesPerNode where it is absent."
                ),
            },
            "Image, command and size of the training.",
        ),
        Shape(
            "Initializer",
            {
                "dataset": Field("DatasetInitializer", "The data to fetch."),
                "model": Field("ModelInitializer", "The model to fetch."),
            },
            "What is fetched before the training starts; the runtime needs Jobs for it.",
        ),
        *(
            Shape(
                name,
                {
                    "storageUri": Field("string", "From where: scheme://path.", length=(0, 2048)),
                    "env": Field("list[EnvVar]", "Variables of the initializer.", list_keys=("name",)),
                    "secretRef": Field("LocalObjectReference", "Secret with what the storage asks for."),
                },
                text,
            )
            for name, text in (("DatasetInitializer", "Data to fetch."), ("ModelInitializer", "Model to fetch."))
        ),
        Shape(
            "RuntimePatch",
            {
                "manager": Field("string", "Who patches, such as example.com/team.", required=True, length=_NAME),
                "time": Field("time", "When the patch was last changed."),
                "trainingRuntimeSpec": Field("RuntimeSpecPatch", "What is patched."),
            },
            "One change to the runtime.",
        ),
        Shape("RuntimeSpecPatch", {"template": Field("JobSetTemplatePatch", "Patch of the runtime's JobSet.")}),
        Shape(
            "JobSetTemplatePatch",
            {
                "metadata": Field("EmbeddedObjectMeta", "Labels and annotations of the JobSet."),
                "spec": Field("JobSetSpecPatch", "Patch of the JobSet."),
            },
        ),
        Shape(
            "JobSetSpecPatch",
            {"replicatedJobs": Field("list[ReplicatedJobPatch]", "Patches by name of the group.", list_keys=("name",))},
        ),
        Shape(
            "ReplicatedJobPatch",
            {
                "name": Field("string", "Group of the runtime, such as node.", required=True, length=_NAME),
                "template": Field("JobTemplatePatch", "Patch of the group's Job."),
            },
        ),
        Shape(
            "JobTemplatePatch",
            {
                "metadata": Field("EmbeddedObjectMeta", "Labels and annotations of the Job."),
                "spec": Field("JobSpecPatch", "Patch of the Job."),
            },
        ),
        Shape("JobSpecPatch", {"template": Field("PodTemplatePatch", "Patch of the pods.")}),
        Shape(
            "PodTemplatePatch",
            {
                "metadata": Field("EmbeddedObjectMeta", "Labels and annotations of the pods."),
                "spec": Field("PodSpecPatch", "Patch of the pods."),
            },
        ),
        Shape(
            "PodSpecPatch",
            {
                "serviceAccountName": Field("string", length=(0, 253)),
                "volumes": Field("list[Volume]", list_keys=("name",)),
                "initContainers": Field("list[ContainerPatch]", list_keys=("name",)),
                "containers": Field("list[ContainerPatch]", list_keys=("name",)),
                "imagePullSecrets": Field("list[LocalObjectReference]", list_keys=("name",)),
                "securityContext": Field("PodSecurityContext"),
                "nodeSelector": Field("map[string]", "Merged by key."),
                "affinity": Field("Affinity"),
                "tolerations": Field("list[Toleration]", "Replaces the runtime's as a whole."),
                "schedulingGates": Field("list[PodSchedulingGate]", list_keys=("name",)),
                "terminationGracePeriodSeconds": Field("int64", minimum=0),
            },
            "The fields of a pod that a patch may set; all others belong into the runtime.",
        ),
        Shape(
            "ContainerPatch",
            {
                "name": Field("string", "Container of the runtime.", required=True, length=_NAME),
                "env": Field(
                    "list[EnvVar]", "Not for the container node: that takes trainer.env.", list_keys=("name",)
                ),
                "volumeMounts": Field("list[VolumeMount]", list_keys=("name",)),
                "securityContext": Field("SecurityContext"),
            },
            "The fields of a container that a patch may set.",
        ),
    ),
)

# pkg/apis/trainer/v1alpha1/trainingruntime_types.go.
_RUNTIME_SHAPES = (
    Shape(
        "TrainingRuntimeSpec",
        {
            "mlPolicy": Field("MLPolicy", "How processes of the training are counted and told about each other."),
            "podGroupPolicy": Field("PodGroupPolicy", "How the pods are scheduled as a gang."),
            "template": Field("JobSetTemplate", "The JobSet that a TrainJob becomes."),
        },
        "What TrainJobs start from.",
    ),
    Shape(
        "MLPolicy",
        {
            "numNodes": Field("int32", "Nodes where the TrainJob gives none; 1 where it is absent."),
            "torch": Field("TorchPolicy", "The PET_ variables of torchrun."),
            "mpi": Field("MPIPolicy", "A hostfile and SSH keys; needs the groups launcher and node."),
            "jax": Field("JAXPolicy", "The JAX_ variables."),
            "xgboost": Field("XGBoostPolicy", "The DMLC_ variables."),
            "flux": Field("FluxPolicy", "A Flux cluster."),
        },
        "At most one of torch, mpi, jax, xgboost and flux.",
    ),
    Shape("TorchPolicy", {"envInjection": Field("EnvInjection", "Further containers that get the variables.")}),
    Shape(
        "EnvInjection",
        {"targets": Field("list[EnvInjectionTarget]", "Containers by group.", list_keys=("jobName",))},
    ),
    Shape(
        "EnvInjectionTarget",
        {
            "jobName": Field("string", "Group of the JobSet.", required=True, length=_NAME),
            "containerNames": Field(
                "list[string]",
                "Containers; node has the variables already.",
                required=True,
                unique=True,
                length=(0, 63),
            ),
        },
    ),
    Shape(
        "MPIPolicy",
        {
            "numProcPerNode": Field("int32", "Slots of each node in the hostfile.", default=1),
            "mpiImplementation": Field(
                "string",
                "OpenMPI; with an empty text every TrainJob fails.",
                default="OpenMPI",
                words=("OpenMPI", ""),
            ),
            "sshAuthMountPath": Field(
                "string", "Where the SSH keys are mounted.", default="/root/.ssh", length=(0, 4096)
            ),
            "runLauncherAsNode": Field("boolean", "True counts the launcher as the first of the nodes.", default=False),
        },
    ),
    Shape("JAXPolicy", {}),
    Shape("XGBoostPolicy", {}),
    Shape("FluxPolicy", {"numProcPerNode": Field("int32", "Processes of each node.", default=1, minimum=1)}),
    Shape(
        "PodGroupPolicy",
        {
            "coscheduling": Field("CoschedulingPolicy", "A PodGroup of scheduler-plugins."),
            "volcano": Field("VolcanoPolicy", "A PodGroup of Volcano."),
        },
        "Which PodGroup is made; the template must name the scheduler.",
    ),
    Shape(
        "CoschedulingPolicy", {"scheduleTimeoutSeconds": Field("int32", "Seconds to wait for the gang.", default=60)}
    ),
    Shape("VolcanoPolicy", {"networkTopology": Field("NetworkTopology", "How close the pods must be.")}),
    Shape(
        "NetworkTopology",
        {
            "mode": Field("string", "Whether the tier is demanded or wished.", default="hard", words=("hard", "soft")),
            "highestTierAllowed": Field("integer", "Highest tier that the pods may span.", default=1),
        },
    ),
    Shape(
        "JobSetTemplate",
        {
            "metadata": Field("EmbeddedObjectMeta", "Labels and annotations of the JobSet."),
            "spec": Field("JobSetSpec", "The JobSet."),
        },
    ),
    *jobset.SHAPES,
)


def _runtime(kind: str, place: str) -> Kind:
    return Kind(
        group=GROUP,
        version=VERSION,
        kind=kind,
        operator=OPERATOR,
        description=f"{kind} of trainer 2.3.0: the JobSet that TrainJobs of {place} become.",
        fields={"spec": Field("TrainingRuntimeSpec")},
        shapes=_RUNTIME_SHAPES,
        has_status=False,
    )


TRAINING_RUNTIME = _runtime("TrainingRuntime", "its namespace")
CLUSTER_TRAINING_RUNTIME = _runtime("ClusterTrainingRuntime", "any namespace")

PODS = KUBERNETES_136
KINDS = (TRAIN_JOB, TRAINING_RUNTIME, CLUSTER_TRAINING_RUNTIME)
