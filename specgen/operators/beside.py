"""Objects that stand beside jobs and are no jobs: of which kinds the shape is known."""

from __future__ import annotations

from specgen.operators.trainer.facts import RUNTIMES

# (apiVersion, kind) → module of ``specgen.tables``, for the objects that are no jobs.
SCHEMAS = {
    **{
        ("trainer.kubeflow.org/v1alpha1", kind): module
        for kind, module in zip(RUNTIMES, ("clustertrainingruntime_v1alpha1", "trainingruntime_v1alpha1"), strict=True)
    },
    ("v1", "ConfigMap"): "configmap_v1",
    ("v1", "PersistentVolume"): "persistentvolume_v1",
    ("v1", "PersistentVolumeClaim"): "persistentvolumeclaim_v1",
    ("v1", "ResourceQuota"): "resourcequota_v1",
    ("v1", "Service"): "service_v1",
    ("resource.k8s.io/v1", "ResourceClaimTemplate"): "resourceclaimtemplate_v1",
    ("scheduling.volcano.sh/v1beta1", "PodGroup"): "podgroup_v1beta1",
    ("scheduling.x-k8s.io/v1alpha1", "PodGroup"): "podgroup_v1alpha1",
}

# (group, kind) of objects whose shape is not known, and of which is read what decides about jobs.
READ = frozenset(
    (
        *(("kueue.x-k8s.io", kind) for kind in ("ClusterQueue", "LocalQueue", "ResourceFlavor", "Topology")),
        ("scheduling.volcano.sh", "Queue"),
        ("", "LimitRange"),
    )
)


def is_read(api_version: str, kind: str) -> bool:
    """Whether what decides about jobs is read of an object whose shape is not known."""
    group, slash, _ = api_version.partition("/")
    return (group if slash else "", kind) in READ
