"""Written by `python -m specgen.generate` from `schemas/k8s/jobset.x-k8s.io/jobset_v1alpha2.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType
from specgen.tables.jobsets import Coordinator, JobSetSuccessPolicy, Network, ReplicatedJob, StartupPolicy, VolumeClaimPolicy
from specgen.tables.metadata import ObjectMeta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FailurePolicyRule: Any = (
    {
        "name": {str: True, NoneType: True},
        "action": {str: frozenset(("FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "RestartJob", "RestartJobAndIgnoreMaxRestarts",)).__contains__},
        "onJobFailureReasons": {list: {str: True}, NoneType: True},
        "onJobFailureMessagePatterns": {list: {str: True}, NoneType: True},
        "targetReplicatedJobs": {list: {str: True}, NoneType: True},
    },
    ("action",),
    None,
    None,
)
_FailurePolicy: Any = (
    {
        "maxRestarts": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "restartStrategy": {str: frozenset(("Recreate", "BlockingRecreate", "InPlaceRestart",)).__contains__, NoneType: True},
        "rules": {list: {dict: _FailurePolicyRule}, NoneType: True},
    },
    (),
    None,
    None,
)
_JobSetSpec: Any = (
    {
        "replicatedJobs": {list: {dict: ReplicatedJob}, NoneType: True},
        "network": {dict: Network, NoneType: True},
        "successPolicy": {dict: JobSetSuccessPolicy, NoneType: True},
        "failurePolicy": {dict: _FailurePolicy, NoneType: True},
        "startupPolicy": {dict: StartupPolicy, NoneType: True},
        "suspend": {bool: True, NoneType: True},
        "coordinator": {dict: Coordinator, NoneType: True},
        "managedBy": {str: True, NoneType: True},
        "ttlSecondsAfterFinished": {int: range(0, 2147483648).__contains__, NoneType: True},
        "volumeClaimPolicies": {list: {dict: VolumeClaimPolicy}, NoneType: True},
    },
    (),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("jobset.x-k8s.io/v1alpha2",)).__contains__}, "kind": {str: frozenset(("JobSet",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _JobSetSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
