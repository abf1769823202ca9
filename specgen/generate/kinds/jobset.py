"""JobSet `jobset.x-k8s.io/v1alpha2` of JobSet 0.12.0; runtimes of the trainer hold the same spec."""

from __future__ import annotations

from dataclasses import replace

from specgen.generate.pod_versions import KUBERNETES_136
from specgen.generate.shapes import Field, Kind, Shape

_RULE = Shape(
    "FailurePolicyRule",
    {
        "name": Field("string", "Name of the rule.", required=True),
        "action": Field(
            "string",
            "What to do; the two that restart one Job need a feature gate.",
            required=True,
            words=(
                "FailJobSet",
                "RestartJobSet",
                "RestartJobSetAndIgnoreMaxRestarts",
                "RestartJob",
                "RestartJobAndIgnoreMaxRestarts",
            ),
        ),
        "onJobFailureReasons": Field("list[string]", "Reasons of the failed Job; any where it is absent."),
        "onJobFailureMessagePatterns": Field(
            "list[string]", "Regular expressions for the failed Job's message; any where it is absent."
        ),
        "targetReplicatedJobs": Field("list[string]", "Groups for which the rule holds; all where it is absent."),
    },
    "Which failures lead to which action.",
)

# api/jobset/v1alpha2/jobset_types.go for the fields, pkg/webhooks/jobset_webhook.go for defaults and refusals.
SHAPES = (
    Shape(
        "JobSetSpec",
        {
            "replicatedJobs": Field("list[ReplicatedJob]", "The Jobs, in groups of equal ones.", list_keys=("name",)),
            "network": Field("Network", "The headless Service and the names of the pods."),
            "successPolicy": Field("JobSetSuccessPolicy", "When the set has succeeded; all Jobs where it is absent."),
            "failurePolicy": Field("FailurePolicy", "What happens when a Job fails; the set fails where it is absent."),
            "startupPolicy": Field("StartupPolicy", "Order in which the Jobs start; not together with dependsOn."),
            "suspend": Field("boolean", "True keeps the set without pods."),
            "coordinator": Field("Coordinator", "The pod whose address all pods get as a label."),
            "managedBy": Field("string", "Who reconciles the set: the JobSet controller where it is absent."),
            "ttlSecondsAfterFinished": Field("int32", "Seconds until the ended set is deleted.", minimum=0),
            "volumeClaimPolicies": Field("list[VolumeClaimPolicy]", "Claims that are made for the set."),
        },
        "Jobs that start, fail and end together.",
    ),
    Shape(
        "ReplicatedJob",
        {
            "name": Field("string", "Name of the group, part of the names of Jobs and pods.", required=True),
            "groupName": Field("string", "Name shared by several groups, a label of their pods.", default="default"),
            "template": Field("JobTemplateSpec", "The Job.", required=True),
            "replicas": Field("int32", "Number of Jobs.", default=1),
            "dependsOn": Field("list[DependsOn]", "Groups that must be ready or complete first.", list_keys=("name",)),
        },
        "A group of equal Jobs.",
    ),
    Shape(
        "DependsOn",
        {
            "name": Field("string", "An earlier group.", required=True),
            "status": Field("string", "What that group must have reached.", required=True, words=("Ready", "Complete")),
        },
        "A condition for the start of a group.",
    ),
    Shape(
        "Network",
        {
            "enableDNSHostnames": Field("boolean", "Whether pods have host names; true where it is absent."),
            "subdomain": Field("string", "Name of the headless Service; the set's name where it is absent."),
            "publishNotReadyAddresses": Field(
                "boolean", "Whether pods are found before they are ready; true where it is absent."
            ),
        },
        "How the pods find each other.",
    ),
    Shape(
        "JobSetSuccessPolicy",
        {
            "operator": Field("string", "Whether all or any of the Jobs decide.", required=True, words=("All", "Any")),
            "targetReplicatedJobs": Field("list[string]", "Groups that count; all where it is absent."),
        },
        "When the set has succeeded.",
    ),
    Shape(
        "FailurePolicy",
        {
            "maxRestarts": Field("int32", "Restarts of the whole set before it fails."),
            "restartStrategy": Field(
                "string",
                "How Jobs are replaced at a restart; InPlaceRestart needs a feature gate.",
                default="Recreate",
                words=("Recreate", "BlockingRecreate", "InPlaceRestart"),
            ),
            "rules": Field("list[FailurePolicyRule]", "The first rule that fits decides."),
        },
        "What happens when a Job fails.",
    ),
    _RULE,
    Shape(
        "StartupPolicy",
        {
            "startupPolicyOrder": Field(
                "string",
                "InOrder waits for each group to be ready before the next.",
                required=True,
                words=("AnyOrder", "InOrder"),
            )
        },
        "Order in which the Jobs start.",
    ),
    Shape(
        "Coordinator",
        {
            "replicatedJob": Field("string", "Group of the pod.", required=True),
            "jobIndex": Field("integer", "Number of the Job in the group."),
            "podIndex": Field("integer", "Number of the pod in the Job."),
        },
        "One pod of the set.",
    ),
    Shape(
        "VolumeClaimPolicy",
        {
            "templates": Field("list[VolumeClaim]", "The claims; volumes of their names are added to the pods."),
            "retentionPolicy": Field("VolumeRetentionPolicy", "What becomes of the claims."),
        },
        "Claims made for the set.",
    ),
    Shape(
        "VolumeClaim",
        {
            "apiVersion": Field("string"),
            "kind": Field("string"),
            "metadata": Field("EmbeddedObjectMeta", "Name, labels and annotations; no namespace."),
            "spec": Field("PersistentVolumeClaimSpec", "What is claimed."),
            "status": Field("object"),
        },
        "A claim that is made for the set.",
    ),
    Shape(
        "VolumeRetentionPolicy",
        {
            "whenDeleted": Field(
                "string",
                "What happens to the claims when the set is deleted.",
                default="Delete",
                words=("Delete", "Retain"),
            )
        },
        "What becomes of claims.",
    ),
)

# The webhook gives rules without a name one before the API server validates; for a runtime nobody does.
_NAMELESS = replace(_RULE, fields={**_RULE.fields, "name": Field("string", "Name of the rule; given if absent.")})

JOB_SET = Kind(
    group="jobset.x-k8s.io",
    version="v1alpha2",
    kind="JobSet",
    operator="jobset 0.12.0",
    description="JobSet 0.12.0: groups of batch Jobs that start, fail and end together.",
    fields={"spec": Field("JobSetSpec")},
    shapes=tuple(_NAMELESS if shape is _RULE else shape for shape in SHAPES),
)

PODS = KUBERNETES_136
KINDS = (JOB_SET,)
