"""What an update does to an MPIJob v2beta1: Workers follow, the launcher's Job is created once.

Read from kubeflow/mpi-operator, pkg/controller/mpi_job_controller.go (release-0.8, b10758da23ce; 0.4 and 0.6 alike):
syncHandler creates the launcher's Job where there is none and updates nothing of it but ``suspend``, getOrCreateWorker
creates and deletes Workers by index, getOrCreateConfigMap and getOrCreatePodGroups update what is there. No webhook,
and no rule with ``oldSelf`` in the CRD. Recorded: ``mo-scale-down``, ``mo-suspend``.
"""

from __future__ import annotations

from specgen.operators.updates import ASIDE, IN_PLACE, LATER, NEVER, RESTARTS, UNKNOWN, Effect, scaled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.changes import Change
    from specgen.operators.updates import Update

_ONCE = "the Job of the launcher is created once, and nothing updates it"
# Fields of the policy that the launcher's Job gets, and never again.
_OF_LAUNCHER = ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")


def effect(change: Change, update: Update) -> Effect:
    """What a change of the spec does."""
    field, steps = str(change.path[1]), change.path[2:]
    if field == "runPolicy":
        return _of_policy(change, str(steps[0]) if steps else "")
    if field == "mpiReplicaSpecs":
        if steps[:1] != ("Worker",):
            return Effect(NEVER, _ONCE)
        if steps[1:2] == ("replicas",):
            return scaled(change, unsaid=0)
        return Effect(LATER, "the operator compares no Worker with its template")
    if field == "slotsPerWorker":
        return Effect(IN_PLACE, "the hostfile is written anew; an mpirun that runs does not read it again")
    if field == "launcherCreationPolicy":
        return Effect(ASIDE, "it is asked before the launcher's Job is created")
    if field in ("runLauncherAsWorker", "mpiImplementation", "sshAuthMountPath"):
        return Effect(NEVER, _ONCE)
    return Effect(UNKNOWN, "")


def _of_policy(change: Change, field: str) -> Effect:
    if field == "suspend":
        if change.new is True:
            return Effect(RESTARTS, "the Job of the launcher is suspended, and the Workers are deleted")
        return Effect(IN_PLACE, "its pods are created")
    if field in _OF_LAUNCHER:
        return Effect(NEVER, _ONCE)
    if field == "schedulingPolicy":
        return Effect(IN_PLACE, "the operator updates the PodGroup")
    if field == "cleanPodPolicy":
        return Effect(IN_PLACE, "the operator reads it when the job ends")
    if field == "managedBy":
        return Effect(ASIDE, "the operator looks at it when it looks at the job, and deletes nothing")
    return Effect(UNKNOWN, "")
