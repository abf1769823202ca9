"""Written by `python -m specgen.generate` from `schemas/k8s/core/resourcequota_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType, quantity
from specgen.tables.metadata import ObjectMeta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ScopedResourceSelectorRequirement: Any = (
    {
        "operator": {str: True},
        "scopeName": {str: True},
        "values": {list: {str: True}, NoneType: True},
    },
    ("operator", "scopeName",),
    None,
    None,
)
_ScopeSelector: Any = (
    {
        "matchExpressions": {list: {dict: _ScopedResourceSelectorRequirement}, NoneType: True},
    },
    (),
    None,
    None,
)
_ResourceQuotaSpec: Any = (
    {
        "hard": {dict: ({}, (), {int: True, float: True, str: quantity, NoneType: True}, None), NoneType: True},
        "scopeSelector": {dict: _ScopeSelector, NoneType: True},
        "scopes": {list: {str: True}, NoneType: True},
    },
    (),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("v1",)).__contains__}, "kind": {str: frozenset(("ResourceQuota",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _ResourceQuotaSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
