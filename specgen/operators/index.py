"""(apiVersion, kind) → the module that reads it; written by ``python -m specgen.generate``."""

from __future__ import annotations

KINDS: dict[tuple[str, str], str] = {
    ("batch.volcano.sh/v1alpha1", "Job"): "volcano.job",
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): "jobset.jobset",
    ("kubeflow.org/v1", "JAXJob"): "training.jaxjob",
    ("kubeflow.org/v1", "MPIJob"): "training.mpijob",
    ("kubeflow.org/v1", "PaddleJob"): "training.paddlejob",
    ("kubeflow.org/v1", "PyTorchJob"): "training.pytorchjob",
    ("kubeflow.org/v1", "TFJob"): "training.tfjob",
    ("kubeflow.org/v1", "XGBoostJob"): "training.xgboostjob",
    ("kubeflow.org/v2beta1", "MPIJob"): "mpi.mpijob",
    ("mindspore.gitee.com/v1", "MSJob"): "mindspore.msjob",
    ("trainer.kubeflow.org/v1alpha1", "TrainJob"): "trainer.trainjob",
}
