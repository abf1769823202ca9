"""apiVersions that kinds had before the releases that are known here, and who served them last.

Kinds that a known release dropped, such as MXJob, stand in the tables of releases (``Release.kinds``) and not here.
"""

from __future__ import annotations

# (apiVersion, kind) → who served it last.
#
# pytorch-operator v0.7.0, tf-operator v1.1.0: manifests/base/crd.yaml has v1 alone (the older ones went with kubeflow/
# pytorch-operator#222 and kubeflow/trainer#1075). mpi-operator v0.3.0, manifests/base/crd.yaml: v1alpha2, v1, and
# v2beta1; v0.4.0 has v2beta1 alone. xgboost-operator: config/crd/bases, moved by its #95. mxnet-operator:
# pkg/apis/mxnet. Trainer: pkg/apis/kubeflow.org/v2alpha1 of its main branch until the tag v2.0.0.
FORMER: dict[tuple[str, str], str] = {
    **{
        (f"kubeflow.org/{version}", "PyTorchJob"): "the pytorch-operator before 0.7"
        for version in ("v1alpha1", "v1alpha2", "v1beta1", "v1beta2")
    },
    **{
        (f"kubeflow.org/{version}", "TFJob"): "the tf-operator before 1.1"
        for version in ("v1alpha1", "v1alpha2", "v1beta1", "v1beta2")
    },
    ("kubeflow.org/v1alpha1", "MPIJob"): "the mpi-operator before 0.3",
    ("kubeflow.org/v1alpha2", "MPIJob"): "the mpi-operator until 0.3",
    **{
        (
            f"xgboostjob.kubeflow.org/{version}",
            "XGBoostJob",
        ): "the xgboost-operator, which the training operator replaced,"
        for version in ("v1alpha1", "v1")
    },
    **{
        (f"kubeflow.org/{version}", "MXJob"): "the mxnet-operator, which the training operator replaced,"
        for version in ("v1alpha1", "v1alpha2", "v1beta1")
    },
    **{
        (f"{group}/v2alpha1", kind): "Trainer before its first release, 2.0,"
        for group in ("kubeflow.org", "trainer.kubeflow.org")
        for kind in ("TrainJob", "TrainingRuntime", "ClusterTrainingRuntime")
    },
}
