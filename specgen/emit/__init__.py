"""Bundles → files, what a tree of files becomes by them, and files → differences.

Lives here: ``layout`` (a bundle as a folder: relative path → text), ``kustomize`` (the ``kustomization.yaml`` beside
the manifests, and order), ``waves`` (order for Argo CD, and what it keeps), ``references`` (which fields name an object
beside the job, for overlays that rename), ``overlays`` (what kustomize has to be told of training jobs, as a component
of the tree), ``ownership`` (the list of what specgen wrote), ``tree`` (what stands there and what was built → what
changes), ``gitops`` (words that a controller undoes), ``argocd`` and ``flux`` (what these must be told of jobs),
``synced`` (and of a tree), ``plugin`` (what makes specgen a part of Argo CD), ``krm`` (what a KRM function reads) and
``function`` (what it answers), ``suffix`` (the hash in a job's name), ``codes``, ``compare`` (two trees → differences
by path). May import ``operators``, ``manifest``, ``document``, ``source``.
To add a file to the output: a function here, a line in ``layout``.
"""
