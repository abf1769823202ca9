"""Kubeflow Trainer: TrainJob with its runtime.

``facts`` (releases, names), ``spelling`` (what each release spells in its own way), ``trainjob`` (the kind),
``runtime`` (as it is stored, and patched), ``shipped`` (runtimes that Trainer installs), ``job`` (a TrainJob laid over
its runtime), ``roles`` (how its pods are read), ``pods`` (what is created), ``policies`` with ``mpi``, ``flux``,
``torchtune`` and ``gang`` (what each policy of a runtime does), ``claims`` (those that do not reach the pods),
``refusals`` (of the CRD and the webhook), ``verdict`` (all that is refused of a TrainJob and of what follows from it),
``updates`` (of a TrainJob, and of its runtime).
Its lives are JobSet's.
"""
