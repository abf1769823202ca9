"""The training operator: PyTorchJob, TFJob, XGBoostJob, PaddleJob, JAXJob, and MPIJob v1.

``facts`` (releases, names, images), a module a kind: ``pytorchjob``, ``tfjob``, ``xgboostjob``, ``paddlejob``,
``jaxjob``, ``mpijob``; ``roles`` (how they are read), ``job`` (a job while its pods are made), ``pods`` (from a job to
its pods and Services) with what each kind does of its own: ``pytorch_pods``, ``tf_pods``, ``xgboost_pods``,
``paddle_pods``, ``jax_pods``, ``mpi_pods`` and ``mpi_objects``; ``common`` (what kubeflow/common makes of any job),
``refusals``, ``lifecycle`` (with ``life``, which asks for no pods), ``updates``.
"""
