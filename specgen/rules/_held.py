"""A job, and what it has of all that rules may need: each word of ``_needs`` is worked out once a rule asks for it."""

from __future__ import annotations

from specgen.diagnostics.model import Place
from specgen.document.tree import Document
from specgen.manifest.origins import Copied, Origins
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_image
from specgen.operators.kubernetes.shell import LAUNCHERS
from specgen.rules import _needs as needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from specgen.manifest.views import Container, Workload
    from specgen.rules._context import Context


class Needs:
    """A job, and what it has of all that rules may need."""

    __slots__ = ("_env", "_faults", "_known", "_line", "_slipped", "containers", "context", "fields", "workload")

    def __init__(self, workload: Workload, containers: Iterable[Container], context: Context) -> None:
        self.workload = workload
        self.containers = list(containers)
        self.context = context
        spec = mapping(workload.manifest.tree.get("spec"))
        fields = set(spec).union(*[policy for policy in spec.values() if isinstance(policy, dict)])
        for role in workload.roles:
            fields.update(role.tree, role.pod)
            if workload.terms is None:  # of a Job, whose limits stand around its pods
                fields.update(mapping(mapping(role.tree.get("template")).get("spec")))
        fields.update(*[container.tree for container in self.containers])
        # names of the job's fields: of its spec, the policies in it, its roles, pods and containers
        self.fields = fields
        self._known: dict[str, bool] = {}
        self._env: str | None = None
        self._line: str | None = None
        self._slipped: set[str] | None = None
        self._faults: set[str] | None = None

    @property
    def env(self) -> str:
        """The variables of all containers, each between two line ends: a name, or the beginning of one, is sought."""
        if self._env is None:
            self._env = "\n" + "\n".join([name for container in self.containers for name in container.env]) + "\n"
        return self._env

    @property
    def line(self) -> str:
        """The command lines of all containers."""
        if self._line is None:
            self._line = "\n".join([container.line for container in self.containers])
        return self._line

    def has(self, word: str) -> bool:
        """Whether the job has what a word in brackets says."""
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = self._holds(word)
        return known

    def _holds(self, word: str) -> bool:
        test = _TESTS.get(word)
        return test(self) if test is not None else word in self._slips()

    def faults(self) -> set[str]:
        """What is wrong with its variables of NCCL, by those words."""
        if self._faults is None:
            self._faults = set()
            if self.has(needs.NCCL):
                from specgen.rules._nccl import faults

                for container in self.containers:
                    self._faults.update([f"<nccl: {fault}>" for fault in faults(container, self.context)])
        return self._faults

    def _slips(self) -> set[str]:
        if self._slipped is None:
            slips = [slip for container in self.containers for slip in self.context.slips(container)]
            self._slipped = {needs.SLIP.format(slip.cause) for slip in slips}
        return self._slipped


def _begins_with_python(container: Container) -> bool:
    words = container.words()
    return bool(words) and words[0][2].rpartition("/")[2][:6] == "python"


def _has_several_gpus(container: Container) -> bool:
    return any(["gpu" in str(name) and str(amount) != "1" for name, (amount, _) in container.amounts().items()])


def _has_dollar(container: Container) -> bool:
    return any(["$" in str(entry.get("value", "")) for _, entry in container.env.values()])


def _has_quote(container: Container) -> bool:
    return any([text[-1:] in ("'", '"') for _, _, text in container.words()])


def _is_no_image(container: Container) -> bool:
    image = container.tree.get("image")
    return isinstance(image, str) and not is_image(image)


def _keeps_pods(workload: Workload) -> bool:
    spec = mapping(workload.manifest.tree.get("spec"))
    policy = mapping(spec.get("runPolicy")).get("cleanPodPolicy") or spec.get("cleanPodPolicy")
    return policy in (None, "", "None")


def _has_gpus(container: Container) -> bool:
    return any(["gpu" in str(name) for name in container.amounts()])


def _has_ttl(runtime: dict[str, Any]) -> bool:
    template = mapping(mapping(runtime.get("spec")).get("template"))
    return mapping(template.get("spec")).get("ttlSecondsAfterFinished") is not None


def without_value(resources: Any) -> list[tuple[str, str]]:
    """(side, resource) of the amounts that are null. A device that is requested without a limit is another finding."""
    limits, requests = (mapping(mapping(resources).get(side)) for side in ("limits", "requests"))
    none: dict[str, Any] = {}
    sides = (("limits", limits, requests), ("requests", requests, none))
    return [
        (side, str(name))
        for side, amounts, others in sides
        for name, amount in amounts.items()
        if amount is None and (others.get(name) is None or "/" not in str(name))
    ]


def _has_slashes(job: Needs) -> bool:
    where = job.workload.manifest.where
    source, _, _ = where.span(Place(()))
    node = where.root if isinstance(where, Document) else None
    if isinstance(where, Copied):
        node = where.document.node(where.below(()))
    # of many jobs in a text each looks at its own part
    start, end = (node.start, node.end) if node is not None else (0, len(source.text))
    return source.text.find(" //", start, end) >= 0


def _lacks_values(job: Needs) -> bool:
    trainer = mapping(mapping(job.workload.manifest.tree.get("spec")).get("trainer"))
    return any([without_value(one.tree.get("resources")) for one in job.containers]) or bool(
        without_value(trainer.get("resourcesPerNode"))
    )


def _has_ttls(job: Needs) -> bool:
    from specgen.manifest.beside import any_of

    return any_of(job.workload.companions, _has_ttl)


def _has_claims(job: Needs) -> bool:
    from specgen.manifest.beside import of_kind

    return bool(of_kind(job.context.companions, "PersistentVolumeClaim"))


_DOWNLOADS = ("wget", "curl ", "git clone", "aws s3", "gsutil", "gcloud storage", "download")


def _counts_bytes(container: Container) -> bool:
    resources = mapping(container.tree.get("resources"))
    amounts = [str(mapping(resources.get(side)).get("memory", "")) for side in ("limits", "requests")]
    return any([amount[-1:].isdigit() or amount[-1:] in ("m", "u", "n", "k") for amount in amounts])


def _is_odd(job: Needs) -> bool:
    sides = [
        mapping(mapping(container.tree.get("resources")).get(side))
        for container in job.containers
        for side in ("limits", "requests")
    ]
    if any([len(str(side["cpu"])) > 3 and str(side["cpu"])[-1] != "m" for side in sides if "cpu" in side]):
        return True
    volumes = [mapping(one) for role in job.workload.roles for one in sequence(role.pod.get("volumes"))]
    sizes = [volume["emptyDir"]["sizeLimit"] for volume in volumes if "sizeLimit" in mapping(volume.get("emptyDir"))]
    sizes += [side["ephemeral-storage"] for side in sides if "ephemeral-storage" in side]
    return any([str(size)[-1:] not in ("i", "G", "T") for size in sizes])


def _may_be_made(volume: Any) -> bool:
    source = mapping(volume).get("hostPath")
    return source is not None and mapping(source).get("type") in (None, "", "DirectoryOrCreate")


def _sizes_memory(job: Needs) -> bool:
    volumes = [mapping(one) for role in job.workload.roles for one in sequence(role.pod.get("volumes"))]
    sized = any(["sizeLimit" in mapping(volume.get("emptyDir")) for volume in volumes])
    return sized and any(["memory" in container.amounts() for container in job.containers])


def _is_meshed(job: Needs) -> bool:
    """Whether the job itself speaks of a proxy, or a template does anything but keep it out."""
    own = _marks(job.workload.manifest.tree)
    of_pods = [mark for role in job.workload.roles for mark in _marks(role.template)]
    return bool(own) or any([value not in ("false", "disabled") for value in of_pods])


def _marks(tree: dict[str, Any]) -> list[Any]:
    metadata = mapping(tree.get("metadata"))
    marks = [mark for kind in ("annotations", "labels") for mark in mapping(metadata.get(kind)).items()]
    return [value for name, value in marks if isinstance(name, str) and name.endswith(".io/inject")]


def _has_some_gpus(job: Needs) -> bool:
    mains = [role.main for role in job.workload.roles]
    return len({"nvidia.com/gpu" in main.amounts() for main in mains if main is not None}) > 1


def _annotations(job: Needs) -> dict[str, Any]:
    return mapping(mapping(job.workload.manifest.tree.get("metadata")).get("annotations"))


def _is_owned(job: Needs) -> bool:
    tree = job.workload.manifest.tree
    owned = "status" in tree or not needs.OWNED.isdisjoint(mapping(tree.get("metadata")))
    return owned or needs.APPLIED in _annotations(job)


# Parts of names of variables and arguments under which secrets stand, and what stands before a password in a URL.
_SECRETS = ("TOKEN", "SECRET", "PASSW", "KEY")
_IN_LINES = ("token=", "token ", "key=", "key ", "secret", "passw", "TOKEN=", "KEY=", "SECRET=", "PASSW", "://")


def _may_hold_secret(job: Needs) -> bool:
    if any([word in job.env for word in _SECRETS]) or any([sign in job.line for sign in _IN_LINES]):
        return True
    entries = [entry for container in job.containers for _, entry in container.env.values()]
    texts = [text for entry in entries if isinstance(text := entry.get("value"), str)]
    texts += [text for container in job.containers for _, _, text in container.words()]
    return any([_may_be_secret(text) for text in texts if len(text) > 20])


def _may_be_secret(text: str) -> bool:
    """Letters and digits with few signs in between; a URL; a key with lines around it."""
    return "://" in text or "-----" in text or text.replace("_", "").replace("-", "").replace(".", "").isalnum()


def _has_roce(context: Context) -> bool:
    pools = context.cluster.pools.values() if context.cluster is not None else ()
    return any([pool.hca is not None and pool.hca.link == "roce" for pool in pools])


def _marked(job: Needs, *beginnings: str) -> bool:
    """Whether a label or annotation of the job or its pods begins so."""
    trees = [job.workload.manifest.tree, *(role.template for role in job.workload.roles)]
    for tree in trees:
        metadata = mapping(tree.get("metadata"))
        for kind in ("labels", "annotations"):
            for name in mapping(metadata.get(kind)):
                if isinstance(name, str) and name.startswith(beginnings):
                    return True
    return False


def _is_ganged(job: Needs) -> bool:
    workload = job.workload
    return (
        workload.gang is not None
        or workload.operator in ("trainer", "volcano")
        or not job.fields.isdisjoint(("schedulerName", "schedulingPolicy"))
        or _marked(job, *_GROUPS)
    )


def _is_written(job: Needs) -> bool:
    """Whether the job is a text and no compiled one, of which the plan knew the cluster."""
    return job.context.cluster is not None and not isinstance(job.workload.manifest.where, Origins)


def _has_level(job: Needs) -> bool:
    cluster = job.context.cluster
    return cluster is not None and cluster.pod_security in ("baseline", "restricted") and _is_written(job)


# Marks of gangs and queues but for Kueue's.
_GROUPS = ("scheduling.", "kai.scheduler/", "yunikorn.apache.org/", "applicationId")

_TESTS: dict[str, Callable[[Needs], bool]] = {
    needs.REFUSED_POD: lambda job: any([job.context.refused_pod(role) for role in job.workload.roles]),
    needs.LAUNCHER: lambda job: any([name in job.line for name in LAUNCHERS]),
    needs.COUNTS: lambda job: any([name in job.line for name in ("world", "num", "nnodes")]),
    needs.NCCL: lambda job: bool(job.context.misplaced_env) or "\nNCCL_" in job.env or "NCCL_" in job.line,
    needs.NCCL_IB: lambda job: "\nNCCL_IB_" in job.env or "\nNCCL_NET" in job.env or "NCCL_IB_" in job.line,
    needs.PRELOAD: lambda job: bool(job.context.misplaced_env) or "\nLD_PRELOAD\n" in job.env,
    needs.CARRIED: lambda job: "-x" in job.line,
    needs.PYTHON: lambda job: any([_begins_with_python(container) for container in job.containers]),
    needs.PYTHON_ON_GPUS: lambda job: any(
        [_begins_with_python(container) and _has_several_gpus(container) for container in job.containers]
    ),
    needs.NCCL_UNKNOWN: lambda job: needs.NCCL_UNKNOWN in job.faults(),
    needs.NCCL_WRONG: lambda job: needs.NCCL_WRONG in job.faults(),
    needs.NCCL_GONE: lambda job: needs.NCCL_GONE in job.faults(),
    needs.EXIT_CODE: lambda job: any([role.tree.get("restartPolicy") == "ExitCode" for role in job.workload.roles]),
    needs.ALWAYS: lambda job: any([role.tree.get("restartPolicy") == "Always" for role in job.workload.roles]),
    needs.KEPT: lambda job: _keeps_pods(job.workload),
    needs.IDLE_LAUNCHER: lambda job: any(
        [_has_gpus(container) for container in job.containers if container.role.name in ("Launcher", "launcher")]
    ),
    needs.WITHOUT_MASTER: lambda job: [role.name for role in job.workload.roles] == ["Worker"],
    needs.RUNTIME_TTL: lambda job: bool(job.workload.companions) and _has_ttls(job),
    needs.DOWNLOAD: lambda job: any([word in job.line for word in _DOWNLOADS]),
    needs.FABRIC: lambda job: "\nNCCL_IB_" in job.env or "\nFI_" in job.env,
    needs.SWITCHED_OFF: lambda job: "\nNCCL_IB_DISABLE\n" in job.env or "\nNCCL_NET\n" in job.env,
    needs.LIBRARY_PATH: lambda job: "\nLD_LIBRARY_PATH\n" in job.env,
    needs.TWINS: lambda job: len({id(role.main.tree) for role in job.workload.roles if role.main is not None}) > 1,
    needs.OPERATOR_ENV: lambda job: any(
        [not job.workload.rules_env.isdisjoint(container.env) for container in job.containers if container.env]
    ),
    needs.INTERFACE: lambda job: "_SOCKET_IFNAME\n" in job.env,
    needs.MISNAMED: lambda job: any(
        [
            "gpu" in str(name).lower() and name not in ("nvidia.com/gpu", "amd.com/gpu")
            for container in job.containers
            for name in container.amounts()
        ]
    ),
    needs.VALUELESS: _lacks_values,
    needs.SLASHES: lambda job: isinstance(job.workload.manifest.where, Document) and _has_slashes(job),
    needs.HOST_PATH: lambda job: any(
        [_may_be_made(one) for role in job.workload.roles for one in sequence(role.pod.get("volumes"))]
    ),
    needs.NODE_ROLE: lambda job: any(
        [
            "node-role." in str(role.pod.get(key))
            for key in ("nodeSelector", "affinity")
            for role in job.workload.roles
            if key in role.pod
        ]
    ),
    needs.TINY: lambda job: any([_counts_bytes(container) for container in job.containers]),
    needs.UNSERVED: lambda job: job.context.cluster is not None and not job.context.serves(job.workload),
    needs.TEMPLATE_POLICY: lambda job: any(["restartPolicy" in role.pod for role in job.workload.roles]),
    needs.SEVERAL: lambda job: any([len(role.containers()) > 1 for role in job.workload.roles]),
    needs.IMAGE: lambda job: any([_is_no_image(container) for container in job.containers]),
    needs.DOLLAR: lambda job: any([_has_dollar(container) for container in job.containers]),
    needs.QUOTE: lambda job: any([_has_quote(container) for container in job.containers]),
    needs.KUEUE: lambda job: _marked(job, "kueue.x-k8s.io/"),
    needs.GANG: _is_ganged,
    needs.NODES: lambda job: _is_written(job) and bool(job.context.cluster and job.context.cluster.pools),
    needs.QUEUES: lambda job: job.context.cluster is not None and bool(job.context.cluster.scheduling.queues),
    needs.POD_SECURITY: _has_level,
    needs.MEMORY: _sizes_memory,
    needs.MESH: _is_meshed,
    needs.SOME_GPUS: _has_some_gpus,
    needs.CLAIMS: lambda job: bool(job.context.companions) and _has_claims(job),
    needs.SERVER_OWNED: _is_owned,
    needs.KRM: lambda job: any(["config.k" in str(name) for name in _annotations(job)]),
    needs.ARGO_CD: lambda job: any([str(name).startswith("argocd.") for name in _annotations(job)]),
    needs.SECRET: _may_hold_secret,
    needs.ODD_AMOUNT: _is_odd,
    needs.ROCE: lambda job: _has_roce(job.context),
}
