"""The job part of each kind, written from what the operators read and do: a module for each operator.

The folder is the registry. Each module has ``KINDS``, and ``PODS``: the pod types of its CRDs (``pod_versions``).
"""

from __future__ import annotations
