"""JobSet and the Jobs made from it.

``facts`` (its release, defaults, names), ``jobset`` (the kind), ``pods`` (a JobSet of its own → what is made of it),
``jobs`` (the Jobs of a JobSet, also of a TrainJob's), ``pods_of_jobs`` (the pods of such a Job), ``refusals``,
``lifecycle``, ``updates``.
"""
