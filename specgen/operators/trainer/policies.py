"""What Trainer's policies inject: torch, JAX, XGBoost, and none; MPI, Flux and torchtune have modules of their own.

Read from kubeflow/trainer v2.3.0 (658725bdae5c), pkg/runtime/framework/plugins/{torch,jax,xgboost,plainml}.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset import facts as layout
from specgen.operators.trainer.facts import PORT
from specgen.operators.trainer.job import (
    TRAINER,
    add_port,
    from_index,
    gpus,
    merged_resources,
    upsert,
    variables,
    whole,
)
from specgen.operators.trainer.runtime import ancestor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.operators.trainer.job import TrainJob

RESERVED = {
    "torch": ("PET_MASTER_ADDR", "PET_MASTER_PORT", "PET_NNODES", "PET_NODE_RANK", "PET_NPROC_PER_NODE"),
    "mpi": (
        "OMPI_MCA_orte_default_hostfile",
        "OMPI_MCA_orte_keep_fqdn_hostnames",
        "OMPI_MCA_orte_set_default_slots",
        "OMPI_MCA_plm_rsh_args",
    ),
    "xgboost": ("DMLC_NUM_WORKER", "DMLC_TASK_ID", "DMLC_TRACKER_PORT", "DMLC_TRACKER_URI"),
}
TUNE = ["tune", "run"]


def enforce(job: TrainJob) -> None:
    """Sets the pods' counts and injects what the runtime's policy asks for."""
    at = job.first(step=TRAINER)
    if at is not None and job.source != "mpi" and job.nodes is not None:
        job.counts[at] = job.nodes
    if job.source == "torch":
        _torch(job)
    elif job.source == "jax":
        _jax(job)
    elif job.source == "xgboost":
        _xgboost(job)
    elif job.source == "mpi":
        from specgen.operators.trainer.mpi import enforce as mpi

        mpi(job)
    elif job.source == "flux":
        from specgen.operators.trainer.flux import enforce as flux

        flux(job)


def with_trainer(job: TrainJob) -> None:
    """Puts ``spec.trainer`` into the jobs of its step, and ``spec.initializer`` into those of its own."""
    for replicated in job.jobs:
        for container in layout.containers_of(replicated):
            if container.get("name") == "node":
                _trainer(job, replicated, container)
    initializer = mapping(job.tree.get("initializer"))
    for key in ("dataset", "model"):
        given, step = initializer.get(key), f"{key}-initializer"
        for replicated in job.jobs:
            if isinstance(given, dict) and ancestor(replicated) == step:
                for container in layout.containers_of(replicated):
                    if container.get("name") == step:
                        _initializer(given, container)


def _trainer(job: TrainJob, replicated: dict[str, Any], container: dict[str, Any]) -> None:
    trainer = job.trainer
    if trainer is None or not job.is_node(replicated):
        return
    if ancestor(replicated) == TRAINER:
        for key in ("image", "command", "args"):
            if key in trainer:
                container[key] = layout.copied(trainer[key])
    upsert(container, "env", sequence(trainer.get("env")))


def with_resources(job: TrainJob, *, replaced: bool = False) -> None:
    """Lays ``trainer.resourcesPerNode`` over the runtime's; a runtime without ``mlPolicy`` does not take them.

    ``replaced``: in place of the runtime's, as until 2.2. Since then limits and requests alone are taken, and claims of
    either side are gone (pkg/runtime/core/trainingruntime.go, newRuntimeInfo; recorded).
    """
    given = job.given_resources()
    if given is None or not job.has_policy:
        return
    for replicated in job.jobs:
        if job.is_node(replicated):
            for container in layout.containers_of(replicated):
                if container.get("name") == "node":
                    before = {} if replaced else mapping(container.get("resources"))
                    container["resources"] = merged_resources(before, given)
                    if not replaced:
                        container["resources"].pop("claims", None)


def _initializer(given: dict[str, Any], container: dict[str, Any]) -> None:
    if "storageUri" in given:
        upsert(container, "env", variables(STORAGE_URI=layout.text(given["storageUri"])))
    upsert(container, "env", sequence(given.get("env")))
    if isinstance(given.get("secretRef"), dict):
        source = {"secretRef": {"name": given["secretRef"].get("name", "")}}
        container["envFrom"] = [*sequence(container.get("envFrom")), source]


def _torch(job: TrainJob) -> None:
    container, trainer = job.main(), job.trainer
    processes = torch_processes(job)
    env: list[dict[str, Any]] = variables(PET_NNODES=str(job.size()), PET_NPROC_PER_NODE=processes)
    env.append(from_index("PET_NODE_RANK"))
    if mapping(trainer).get("command") == TUNE:
        from specgen.operators.trainer.torchtune import command

        job.trainer = {**mapping(trainer), "command": command(job, processes)}
    else:
        env += variables(PET_MASTER_ADDR=f"{job.name}-node-0-0.{job.name}", PET_MASTER_PORT=str(PORT))
    _inject(job, env)
    if trainer is not None and container is not None:
        upsert(container, "env", [*sequence(trainer.get("env")), *env])
        add_port(container)


def _inject(job: TrainJob, env: list[dict[str, Any]]) -> None:
    """Gives the variables to the containers that ``envInjection`` names, beside the trainer or without one."""
    for target in sequence(mapping(job.policy.get("envInjection")).get("targets")):
        for replicated in job.jobs:
            if replicated.get("name") == mapping(target).get("jobName"):
                both = [*layout.containers_of(replicated, "initContainers"), *layout.containers_of(replicated)]
                for one in both:
                    if one.get("name") in sequence(mapping(target).get("containerNames")):
                        upsert(one, "env", env)


def torch_processes(job: TrainJob) -> str:
    """PET_NPROC_PER_NODE: as said, or ``auto`` beside a resource with gpu in its name, or the CPUs.

    Before 2.2 the runtime may say it, too; ``gpu`` stays as it is then, and ``cpu`` counts CPUs beside GPUs as well.
    resourcesPerNode alone is looked at where it is given, though the pod has the runtime's resources too (recorded).
    """
    if job.processes is not None:
        return str(job.processes)
    if job.said_processes not in ("", "auto", "cpu"):
        return job.said_processes
    given = job.given_resources()
    resources = job.runtime_resources() if given is None else given
    if gpus(resources) and job.said_processes != "cpu":
        return "auto"
    for side in ("requests", "limits"):
        cpu = mapping(resources.get(side)).get("cpu")
        if cpu is not None:
            return str(max(1, whole(cpu)))
    return "1"


def _jax(job: TrainJob) -> None:
    container = job.main()
    if job.trainer is None or container is None:
        return
    address = f"{job.name}-node-0-0.{job.name}:{PORT}"
    count = variables(JAX_NUM_PROCESSES=str(job.size()))
    upsert(container, "env", [*count, from_index("JAX_PROCESS_ID"), *variables(JAX_COORDINATOR_ADDRESS=address)])
    add_port(container)


def _xgboost(job: TrainJob) -> None:
    container = job.main()
    if job.trainer is None or container is None:
        return
    resources = merged_resources(job.runtime_resources(), job.given_resources() or {})
    workers = job.size() * (gpus(resources) or 1)
    meeting = variables(DMLC_TRACKER_URI=f"{job.name}-node-0-0.{job.name}", DMLC_TRACKER_PORT=str(PORT))
    number = variables(DMLC_NUM_WORKER=str(workers))
    upsert(container, "env", [*meeting, from_index("DMLC_TASK_ID"), *number])
    add_port(container)
