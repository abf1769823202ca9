"""Written by `python -m specgen.generate` from `schemas/k8s/core/configmap_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import NoneType
from specgen.tables.metadata import ObjectMeta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("v1",)).__contains__}, "kind": {str: frozenset(("ConfigMap",)).__contains__}, "metadata": {dict: ObjectMeta}, "data": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True}, "binaryData": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True}, "immutable": {bool: True, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
