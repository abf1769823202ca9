"""Every kind that has a schema: what the modules of ``specgen.generate.kinds`` describe, one module for each operator.

Each has ``KINDS``, and ``PODS``: how the pods in their CRDs differ from those of the ``kubernetes`` client.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from specgen.generate.pod_versions import PodTypes
from specgen.generate.shapes import Kind

MODULES = [
    import_module(f"specgen.generate.kinds.{path.stem}")
    for path in sorted((Path(__file__).parent / "kinds").glob("*.py"))
    if path.stem != "__init__"
]
KINDS: tuple[Kind, ...] = tuple(kind for module in MODULES for kind in module.KINDS)
# Operator and version → the pod types of its CRDs.
POD_TYPES: dict[str, PodTypes] = {kind.operator: module.PODS for module in MODULES for kind in module.KINDS}
