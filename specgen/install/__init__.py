"""What it takes to install operators without all of Kubeflow, and where the images of a job come from.

Lives here: ``install`` (a cluster profile → kustomization directories and Helm values), one module an operator with its
``flags``: ``training_operator``, ``mpi_operator``, ``ms_operator``, ``trainer``, ``jobset``; ``pytorch_operator`` (the
chart of releases that are older than the training operator); ``model`` (what each of them offers); ``mirrors`` (which
image is pulled in place of which, and by which line of the cluster profile), ``images`` (every image that a job's pods
pull), ``own_images`` (those of the operators), ``index`` (generated: the modules of operators).
Which releases there are, where their manifests lie and what they call things is in ``operators.*.facts``. May import
``operators``, ``gangs``, ``plan``, ``profile``, ``emit`` and below.
To add an operator: its module with ``OPERATOR`` and ``flags``, whose docstring begins with the sentence that editors
show beside its word in cluster profiles; then ``python -m specgen.generate``.
"""
