"""Written by `python -m specgen.generate` from `schemas/k8s/scheduling.volcano.sh/podgroup_v1beta1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType, quantity
from specgen.schema.formats import subdomain
from specgen.tables.claims import LabelSelector
from specgen.tables.metadata import ObjectMeta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NetworkTopology: Any = (
    {
        "mode": {str: frozenset(("hard", "soft",)).__contains__, NoneType: True},
        "highestTierAllowed": {int: (0).__le__, NoneType: True},
        "highestTierName": {str: lambda text: len(text) <= 253, NoneType: True},
    },
    (),
    None,
    None,
)
_SubGroupPolicy: Any = (
    {
        "name": {str: lambda text: len(text) <= 253, NoneType: True},
        "labelSelector": {dict: LabelSelector, NoneType: True},
        "matchLabelKeys": {list: {str: True}, NoneType: True},
        "subGroupSize": {int: range(1, 2147483648).__contains__, NoneType: True},
        "minSubGroups": {int: range(0, 2147483648).__contains__, NoneType: True},
        "networkTopology": {dict: _NetworkTopology, NoneType: True},
    },
    (),
    None,
    None,
)
_PodGroupSpec: Any = (
    {
        "minMember": {int: range(0, 2147483648).__contains__, NoneType: True},
        "minTaskMember": {dict: ({}, (), {int: range(-2147483648, 2147483648).__contains__, NoneType: True}, None), NoneType: True},
        "queue": {str: lambda text: len(text) <= 253 and subdomain(text), NoneType: True},
        "priorityClassName": {str: lambda text: len(text) <= 253, NoneType: True},
        "minResources": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None), NoneType: True},
        "networkTopology": {dict: _NetworkTopology, NoneType: True},
        "subGroupPolicy": {list: {dict: _SubGroupPolicy}, NoneType: True},
    },
    (),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("scheduling.volcano.sh/v1beta1",)).__contains__}, "kind": {str: frozenset(("PodGroup",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _PodGroupSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
