"""What one look at a job tells of what rules may need: words of ``_needs``."""

from __future__ import annotations

from specgen.manifest.origins import Origins
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_image
from specgen.operators.kubernetes.objects import APPLIED
from specgen.operators.kubernetes.shell import LAUNCHERS
from specgen.profile.library import level_of
from specgen.rules import _needs as needs
from specgen.rules._selected import SELECTORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.manifest.views import Container, Role, Workload
    from specgen.profile.cluster import Pool
    from specgen.rules._context import Context

# What a command line names → word.
_IN_LINES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (needs.LAUNCHER, tuple(LAUNCHERS)),
    (
        needs.SLURM,
        ("SLURM_", "srun", "sbatch", "salloc", "mpirun", "mpiexec", "orterun", "OMPI_COMM", "PMI", "module "),
    ),
    (needs.MSRUN, ("msrun",)),
    (needs.COUNTS, ("world", "num", "nnodes")),
    (
        needs.RANKED,
        ("--rank", "node-rank", "node_rank", "machine-rank", "machine_rank", "--shard", "dist-url"),
    ),
    (needs.LIGHTNING, ("trainer.", "ightning", "litgpt")),
    (needs.MODEL_PARALLEL, ("model-parallel-size", "model_parallel_size", "context-parallel", "context_parallel")),
    (needs.PARTS, ("parallel-size", "parallel_size", "-tp", "num-shard")),
    (needs.NCCL, ("NCCL_",)),
    (needs.NCCL_IB, ("NCCL_IB_",)),
    (needs.CARRIED, ("-x",)),
    (needs.FABRIC_CARRIED, ("NCCL_IB_", "FI_")),
    (needs.DOWNLOAD, ("wget", "curl ", "git clone", "aws s3", "gsutil", "gcloud storage", "download")),
)
# Variables of a container, whole or by how they begin or end.
_IN_ENV: tuple[tuple[str, tuple[str, ...]], ...] = (
    (needs.NCCL, ("\nNCCL_",)),
    (needs.NCCL_IB, ("\nNCCL_IB_", "\nNCCL_NET")),
    (needs.PRELOAD, ("\nLD_PRELOAD\n",)),
    (needs.PROXY, ("_PROXY\n", "_proxy\n")),
    (needs.FABRIC, ("\nNCCL_IB_", "\nFI_")),
    (needs.SWITCHED_OFF, ("\nNCCL_IB_DISABLE\n", "\nNCCL_NET\n")),
    (needs.LIBRARY_PATH, ("\nLD_LIBRARY_PATH\n",)),
    (needs.VISIBLE, ("_VISIBLE_DEVICES\n",)),
    (needs.INTERFACE, ("_SOCKET_IFNAME\n",)),
    (needs.COUNTED, ("\nWORLD_SIZE\n", "\nJAX_NUM_PROCESSES\n", "\nPET_NNODES\n", "\nMS_WORKER_NUM\n")),
)
_GPUS = ("nvidia.com/gpu", "amd.com/gpu")
# Marks of gangs and queues but for Kueue's.
_GROUPS = ("scheduling.", "volcano.sh/", "kai.scheduler/", "yunikorn.apache.org/", "applicationId")
_KUEUE = "kueue.x-k8s.io/"
_JOBSET = ("jobset.sigs.k8s.io/", "alpha.jobset.sigs.k8s.io/")
_MEMORY = "Memory"
_NONE: dict[str, Any] = {}


def gathered(
    workload: Workload, containers: Sequence[Container], context: Context, *, fields: set[str], env: str, line: str
) -> set[str]:
    """The words that a job has, but for late ones; ``fields``, ``env`` and ``line`` are those of ``Needs``."""
    found: set[str] = set()
    has = found.add
    for word, signs in _IN_LINES:
        if any([sign in line for sign in signs]):
            has(word)
    if len(env) > 2:
        for word, signs in _IN_ENV:
            if any([sign in env for sign in signs]):
                has(word)
    if context.misplaced_env:
        found.update((needs.NCCL, needs.PRELOAD))
    of_operator = workload.rules_env
    own = f"{workload.manifest.ref.name}-"
    if own in line:
        has(needs.ADDRESS)
    for container in containers:
        _of_program(container, own, found)
        _of_resources(container, found)
        if container.env and not of_operator.isdisjoint(container.env):
            has(needs.OPERATOR_ENV)
    _of_roles(workload, any(["memory" in container.amounts() for container in containers]), found)
    if not fields.isdisjoint(("schedulerName", "schedulingPolicy")):
        has(needs.GANG)
    _of_job(workload, found)
    _of_marks(workload, found)
    _of_surroundings(workload, context, found)
    return found


def _of_program(container: Container, own: str, found: set[str]) -> None:
    """``own``: how names of the job's pods begin."""
    words = container.words()
    if words and words[0][2].rpartition("/")[2][:6] == "python":
        found.add(needs.PYTHON)
        if any(["gpu" in str(name) and str(amount) != "1" for name, (amount, _) in container.amounts().items()]):
            found.add(needs.PYTHON_ON_GPUS)
    if any([text[-1:] in ("'", '"') for _, _, text in words]):
        found.add(needs.QUOTE)
    image = container.tree.get("image")
    if isinstance(image, str) and not is_image(image):
        found.add(needs.IMAGE)
    for _, entry in container.env.values():
        value = str(entry.get("value", ""))
        if "$" in value:
            found.add(needs.DOLLAR)
        if own in value:
            found.add(needs.ADDRESS)
    if any(["$(" in f"{mount.get('subPath')} {mount.get('subPathExpr')}" for _, mount in container.mounts]):
        found.add(needs.SUB_PATH)


def _of_resources(container: Container, found: set[str]) -> None:
    image = str(container.tree.get("image")).lower()
    cuda, rocm = "cuda" in image or "nvidia" in image, "rocm" in image
    for name in container.amounts():
        text = str(name)
        if (cuda or rocm) and "/" in text and (rocm if text == "nvidia.com/gpu" else "amd" in text or "Ascend" in text):
            found.add(needs.OTHER_MAKER)
        if "gpu" in text and container.role.name in ("Launcher", "launcher"):
            found.add(needs.IDLE_LAUNCHER)
        if name not in _GPUS and "gpu" in text.lower():
            found.add(needs.MISNAMED)
    resources = mapping(container.tree.get("resources"))
    for key in ("limits", "requests"):
        side = mapping(resources.get(key))
        text = str(side.get("memory", ""))
        memory = text[-1:]
        if memory.isdigit() or text.endswith(("M", "Mi", "k", "Ki", "m")) or str(side.get("cpu", ""))[-1:] == "m":
            found.add(needs.LITTLE)
        if memory.isdigit() or memory in ("m", "u", "n", "k"):
            found.add(needs.TINY)
        cpu = str(side.get("cpu", ""))
        if (len(cpu) > 3 and cpu[-1] != "m") or ("ephemeral-storage" in side and _is_odd(side["ephemeral-storage"])):
            found.add(needs.ODD_AMOUNT)
    if without_value(resources):
        found.add(needs.VALUELESS)


def _is_odd(size: Any) -> bool:
    return str(size)[-1:] not in ("i", "G", "T")


def without_value(resources: Any) -> list[tuple[str, str]]:
    """(side, resource) of the amounts that are null. A device that is requested without a limit is another finding."""
    limits, requests = (mapping(mapping(resources).get(side)) for side in ("limits", "requests"))
    return [
        (side, str(name))
        for side, amounts, others in (("limits", limits, requests), ("requests", requests, _NONE))
        for name, amount in amounts.items()
        if amount is None and (others.get(name) is None or "/" not in str(name))
    ]


def _of_roles(workload: Workload, has_memory: bool, found: set[str]) -> None:
    """``has_memory``: whether a container asks for some."""
    roles = workload.roles
    for role in roles:
        policy = role.tree.get("restartPolicy")
        if policy in ("ExitCode", "Always"):
            found.add(needs.EXIT_CODE if policy == "ExitCode" else needs.ALWAYS)
        if len(role.containers()) > 1:
            found.add(needs.SEVERAL)
        _of_pod(role, has_memory, found)
    mains = [role.main for role in roles if role.main is not None]
    if len({id(main.tree) for main in mains}) > 1:
        found.add(needs.TWINS)
    if len({"nvidia.com/gpu" in main.amounts() for main in mains}) > 1:
        found.add(needs.SOME_GPUS)
    if len(roles) == 1 and roles[0].name == "Worker":
        found.add(needs.WITHOUT_MASTER)


def _of_pod(role: Role, has_memory: bool, found: set[str]) -> None:
    pod = role.pod
    if "restartPolicy" in pod:
        found.add(needs.TEMPLATE_POLICY)
    if any(["node-role." in str(pod[key]) for key in ("nodeSelector", "affinity") if key in pod]):
        found.add(needs.NODE_ROLE)
    contexts = [one.tree.get("securityContext") for one in (*role.containers(init=True), *role.containers())]
    if any([mapping(one).get("runAsUser") == 0 for one in (pod.get("securityContext"), *contexts)]):
        found.add(needs.MEDIUM)
    for entry in sequence(pod.get("volumes")):
        volume = mapping(entry)
        if "configMap" in volume or "secret" in volume:
            found.add(needs.OF_OBJECT)
        source = volume.get("hostPath")
        if source is not None and mapping(source).get("type") in (None, "", "DirectoryOrCreate"):
            found.add(needs.HOST_PATH)
        directory = mapping(volume.get("emptyDir"))
        if directory.get("medium", _MEMORY) != _MEMORY:
            found.add(needs.MEDIUM)
        if "sizeLimit" in directory:
            if _is_odd(directory["sizeLimit"]):
                found.add(needs.ODD_AMOUNT)
            if has_memory:
                found.add(needs.MEMORY)
            if not directory.get("medium"):
                found.add(needs.SIZED_VOLUME)


def _of_job(workload: Workload, found: set[str]) -> None:
    spec = mapping(workload.manifest.tree.get("spec"))
    policy = mapping(spec.get("runPolicy")).get("cleanPodPolicy") or spec.get("cleanPodPolicy")
    if policy in (None, "", "None"):
        found.add(needs.KEPT)
    if without_value(mapping(spec.get("trainer")).get("resourcesPerNode")):
        found.add(needs.VALUELESS)
    if workload.gang is not None or workload.operator in ("trainer", "volcano"):
        found.add(needs.GANG)


def _of_marks(workload: Workload, found: set[str]) -> None:
    """Labels and annotations of the job and of its pods."""
    tree = workload.manifest.tree
    metadata = mapping(tree.get("metadata"))
    annotations = mapping(metadata.get("annotations"))
    if "status" in tree or not needs.OWNED.isdisjoint(metadata) or APPLIED in annotations:
        found.add(needs.SERVER_OWNED)
    for key in annotations:
        name = str(key)
        if "config.k" in name:
            found.add(needs.KRM)
        if name in needs.OF_PODS:
            found.add(needs.OFF_PODS)
        if name.startswith("argocd."):
            found.add(needs.ARGO_CD)
    holders = [tree, *[role.template for role in workload.roles]]
    if workload.kind == "JobSet":
        holders += [mapping(role.tree.get("template")) for role in workload.roles]
    for holder in holders:
        metadata = mapping(holder.get("metadata"))
        for kind in ("labels", "annotations"):
            for name, value in mapping(metadata.get(kind)).items():
                if not isinstance(name, str):
                    continue
                if name.startswith((_KUEUE, *_JOBSET)):
                    found.add(needs.KUEUE)
                elif name.startswith(_GROUPS):
                    found.add(needs.GANG)
                # the job itself speaks of a sidecar, or a template does anything but keep it out
                if name.endswith((".io/inject", "/agent-inject")) and (
                    holder is tree or value not in ("false", "disabled")
                ):
                    found.add(needs.MESH)


def _of_surroundings(workload: Workload, context: Context, found: set[str]) -> None:
    """The files beside the job, and its cluster."""
    if workload.companions:
        from specgen.manifest.beside import any_of

        if any_of(workload.companions, _has_ttl):
            found.add(needs.RUNTIME_TTL)
    if context.companions:
        from specgen.manifest.beside import of_kind

        if of_kind(context.companions, "PersistentVolumeClaim"):
            found.add(needs.CLAIMS)
        if of_kind(context.companions, "LimitRange"):
            found.add(needs.LIMIT_RANGE)
        if of_kind(context.companions, "ConfigMap") or of_kind(context.companions, "Secret"):
            found.add(needs.CONFIGURED)
        if any([of_kind(context.companions, kind) for kind in SELECTORS]):
            found.add(needs.SELECTED)
        if of_kind(context.companions, "ResourceQuota") or of_kind(context.companions, "LimitRange"):
            found.add(needs.LIMITED)
    cluster = context.cluster
    if cluster is None:
        return
    if cluster.scheduling.queues:
        found.add(needs.QUEUES)
    if any([pool.hca is not None and pool.hca.link == "roce" for pool in cluster.pools.values()]):
        found.add(needs.ROCE)
    if cluster.namespaces or any([has_amounts(pool) for pool in cluster.pools.values()]):
        found.add(needs.AMOUNTS)
    if any([own.limit_range for own in cluster.namespaces.values()]):
        found.add(needs.LIMIT_RANGE)
    if cluster.pools:
        found.add(needs.POOLS)
    # the plan knew the cluster of a compiled job
    if not isinstance(workload.manifest.where, Origins):
        if cluster.pools:
            found.add(needs.NODES)
        if level_of(cluster, workload.manifest.ref.namespace)[0] in ("baseline", "restricted"):
            found.add(needs.POD_SECURITY)


def has_amounts(pool: Pool) -> bool:
    """Whether a pool says more of a node than its devices."""
    nodes = pool.nodes
    return bool(nodes.cpu or nodes.memory or nodes.disk or nodes.allocatable)


def _has_ttl(runtime: dict[str, Any]) -> bool:
    template = mapping(mapping(runtime.get("spec")).get("template"))
    return mapping(template.get("spec")).get("ttlSecondsAfterFinished") is not None
