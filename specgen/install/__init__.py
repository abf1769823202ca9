"""What it takes to install operators without all of Kubeflow, and where the images of a job come from.

Lives here: ``install`` (a cluster profile → kustomization directories and Helm values), ``model`` (what is known of one
release), one module an operator: ``training_operator``, ``mpi_operator``, ``ms_operator``, ``trainer``, and
``pytorch_operator`` (the chart of releases that are older than the training operator); ``mirrors`` (which image is
pulled in place of which, and by which line of the cluster profile), ``images`` (every image that the pods of a job
pull). May import ``backends``, ``scheduling``, ``plan``, ``profile``, ``emit`` and below.
To add an operator: its module with ``NAME``, ``KNOWN``, ``layout``, and ``flags``, and a line in ``install.MODULES``.
"""
