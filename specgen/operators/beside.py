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
