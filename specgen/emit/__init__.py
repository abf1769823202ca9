"""Bundles → files, and files → differences.

Lives here: ``layout`` (a bundle as a folder: relative path → bytes), ``kustomize`` (the ``kustomization.yaml`` beside
the manifests), ``references`` (which fields name an object beside the job, for overlays that rename), ``compare`` (two
trees → differences by path). May import ``manifest``, ``document``, ``source``.
To add a file to the output: a function here, a line in ``layout``.
"""
