"""Written by `python -m specgen.generate` from `schemas/k8s/scheduling.x-k8s.io/podgroup_v1alpha1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType, quantity
from specgen.tables.metadata import ObjectMeta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PodGroupSpec: Any = (
    {
        "minMember": {int: range(1, 2147483648).__contains__, NoneType: True},
        "minResources": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None), NoneType: True},
        "scheduleTimeoutSeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
    },
    (),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("scheduling.x-k8s.io/v1alpha1",)).__contains__}, "kind": {str: frozenset(("PodGroup",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _PodGroupSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
