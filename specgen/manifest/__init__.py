"""Kubernetes objects as plain trees in a fixed order, and what can be said of them.

Lives here: ``model`` (references, manifests, bundles), ``build`` (ordered trees that note where each part came from),
``origins`` (manifest path → profile path and reason; ``nearer``: the one entry of a block),
``asked`` (what a question about a compiled object is about),
``views`` (workload, role, container: read-only looks at a tree), ``beside`` (the other objects, by kind and name),
``shape`` (the vendored schema of a kind: unknown and missing fields), ``misplaced`` (fields in the wrong place),
``symptoms`` (what is wrong only because of a slip that is found by itself),
``numbers`` (numbers that readers disagree on, where the schema takes no text),
``prune`` (what the API server stores), ``merge`` (patches, as Kubernetes merges), ``edits`` (a fix → edits of the file
that holds the object), ``codes`` (SG11x).
May import ``schema``, ``tables``, ``document``, ``diagnostics``, ``source``.
To add a kind: its schema, generated or written into ``schemas/k8s``; ``shape`` finds it by group, version and kind.
"""
