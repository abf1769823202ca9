"""Operators and schedulers by their Deployments: version by the tag of the image, gang scheduler by the flags.

Releases, names of Deployments and images are those that installing knows (``operators.release``); the flags are those
of ``install``. Of a Deployment its image, its flags and its labels are read, never its variables.
"""

from __future__ import annotations

from specgen.capture.objects import labels, name, namespace, spec, text
from specgen.capture.text import Tree
from specgen.diagnostics.model import listed
from specgen.gangs.coscheduling import SCHEDULER
from specgen.install import mpi_operator, ms_operator, training_operator
from specgen.install.index import MODULES
from specgen.manifest.views import mapping, sequence
from specgen.operators.release import numbers, plain
from specgen.plan.images import registry
from specgen.schema import formats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.capture.objects import Object, Objects
    from specgen.operators.release import Operator

_GANGS = {
    training_operator.OPERATOR.name: training_operator.GANG,
    mpi_operator.OPERATOR.name: mpi_operator.GANG,
    ms_operator.OPERATOR.name: ms_operator.GANG,
}
_VERSION = "app.kubernetes.io/version"
# The word of `scheduling.gang` → ends of its images' names, no longer than tells them apart, for mirrors keep the last
# part at least; the API group that it serves, and the kind of its queues.
# Images: volcano-sh/volcano 1.15 (installer), kubernetes-sigs/kueue 0.19 (config), scheduler-plugins 0.34 (manifests),
# NVIDIA/KAI-Scheduler (charts), apache/yunikorn-release (helm-charts).
_SCHEDULERS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "volcano": (("vc-scheduler", "vc-controller-manager"), "scheduling.volcano.sh", "Queue"),
    "coscheduling": (("scheduler-plugins/kube-scheduler",), "scheduling.x-k8s.io", ""),
    "kueue": (("kueue",), "kueue.x-k8s.io", "LocalQueue"),
    "kai": (("kai-scheduler/scheduler",), "scheduling.run.ai", "Queue"),
    "yunikorn": (("yunikorn",), "", ""),
}
_GROUPS = ("podgroups", "clusterqueues")
# Operator → a CRD that it brings: where it is there, somebody serves it.
_CRDS = {
    "jobset": "jobsets.jobset.x-k8s.io",
    "training-operator": "pytorchjobs.kubeflow.org",
    "mpi-operator": "mpijobs.kubeflow.org",
    "ms-operator": "msjobs.mindspore.gitee.com",
    "trainer": "trainjobs.trainer.kubeflow.org",
}
MESH = "istiod"


class Found:
    """What is installed.

    ``operators``: name → its words, with the version where it is known. ``schedulers``: word of a gang → its version,
    empty where that is not known. ``gangs``: gang schedulers that operators were started with, by their flags.
    ``namespaces``: those in which any of it runs.
    """

    __slots__ = ("gangs", "mesh", "namespaces", "operators", "scheduler", "schedulers", "unsure")

    def __init__(self) -> None:
        self.operators: dict[str, dict[str, Any]] = {}
        self.schedulers: dict[str, str] = {}
        self.gangs: list[str] = []
        self.scheduler = ""
        self.namespaces: set[str] = set()
        self.mesh = False
        # operator → what keeps its version from being known
        self.unsure: dict[str, str] = {}


def installed(objects: Objects) -> Found:
    """Looks at all Deployments and definitions."""
    found = Found()
    for tree in objects.of("apps", "Deployment"):
        pod = mapping(mapping(mapping(spec(tree).get("template")).get("spec")))
        found.mesh = found.mesh or name(tree).startswith(MESH)
        containers = [mapping(one) for one in sequence(pod.get("containers"))]
        for container in containers:
            image = text(container.get("image"))
            for module in MODULES:
                own = _own(module.OPERATOR, container, len(containers) == 1)
                if own:
                    _take(found, module.OPERATOR, tree, container, own)
            for word, (ends, _, _) in _SCHEDULERS.items():
                if any(_path(image).endswith(f"/{end}") or _path(image) == end for end in ends):
                    found.schedulers[word] = found.schedulers.get(word) or _version(image, tree)
                    found.namespaces.add(namespace(tree))
    for word, (_, group, kind) in _SCHEDULERS.items():
        defined = group and any(objects.definition(f"{one}.{group}") for one in _GROUPS)
        if defined or (kind and objects.of(group, kind)):
            found.schedulers.setdefault(word, "")
    return found


def _path(image: str) -> str:
    """An image without registry, tag and digest."""
    path = registry(image.partition("@")[0])[1]
    return path.rpartition(":")[0] or path


def _tag(image: str) -> str:
    """The tag of an image, empty where it has none."""
    return registry(image.partition("@")[0])[1].rpartition("/")[2].partition(":")[2]


def _own(operator: Operator, container: dict[str, Any], alone: bool) -> str:
    """The image of an operator itself that a container's is, or a copy of; empty: it is another one.

    A copy has the whole path of the image behind its own, or the last part of it alone in a container of the name that
    the manifests give. ``alone``: its pod has no other container, which a proxy for metrics would be.
    """
    manifests, image = operator.manifests, text(container.get("image"))
    if manifests is None or not (alone or container.get("name") == manifests.container):
        return ""
    brought = {one for other in MODULES if other.OPERATOR.comes_with for one in _images(other.OPERATOR)}
    path = _path(image)
    # what comes along with another operator is its own there as well: JobSet beside Trainer
    own = [one for one in sorted(_images(operator)) if operator.comes_with or one not in brought]
    for one in own:
        end = registry(one)[1]
        if path == end or path.endswith(f"/{end}"):
            return one
    last = path.rpartition("/")[2]
    moved = [one for one in own if container.get("name") == manifests.container and one.rpartition("/")[2] == last]
    # tags that are no versions tell which of several images was copied
    return next((one for one in moved if _release(operator, image, one)), moved[0] if moved else "")


def _images(operator: Operator) -> set[str]:
    return {one for release in operator.releases for one in release.own_images or ()}


def _take(found: Found, operator: Operator, tree: Object, container: dict[str, Any], own: str) -> None:
    """Takes the Deployment of an operator."""
    image = text(container.get("image"))
    said: dict[str, Any] = {}
    version = _release(operator, image, own) or _version(image, tree)
    if version:
        said["version"] = version
    else:
        found.unsure[operator.name] = f"the image of {namespace(tree)}/{name(tree)} has no tag that is a version"
    gang = _gang(found, operator, container)
    if gang:
        said["gang"] = gang
    host, path = registry(own)
    copied = "/".join(registry(image.partition("@")[0])).rpartition(":")[0] or "/".join(registry(image))
    prefix = copied.removesuffix(f"/{path}")
    if prefix not in (host, copied):
        said["mirror"] = prefix
    assert operator.manifests is not None
    where = namespace(tree)
    if where and where != operator.manifests.namespace and formats.name(where):
        said["namespace"] = where
    found.namespaces.add(where)
    found.operators[operator.name] = said


def _release(operator: Operator, image: str, own: str) -> str:
    """The release whose manifests name this tag, where tags are no versions; empty: none does."""
    tag = _tag(image)
    return next((one.version for one in operator.releases if tag and one.tags.get(own) == tag), "")


def _version(image: str, tree: Object) -> str:
    """The version in a tag, or else in the label that is made for it; empty: neither is one."""
    for said in (_tag(image), labels(tree).get(_VERSION, "")):
        # the scheduler of YuniKorn is tagged by its part, `scheduler-1.6.0`
        version = plain(said.rpartition("scheduler-")[2])
        if numbers(version) is not None and formats.version(version):
            return version
    return ""


def _gang(found: Found, operator: Operator, container: dict[str, Any]) -> str:
    """The word for the gang scheduler that the flags name; empty: none, or none that there is a word for."""
    flag = _GANGS.get(operator.name, "")
    if not flag:
        return ""
    words = [text(one) for key in ("command", "args") for one in sequence(container.get(key))]
    value = ""
    for index, word in enumerate(words):
        if word.partition("=")[0].replace("--", "-", 1) != flag.replace("--", "-", 1):
            continue
        if flag == ms_operator.GANG:
            value = "" if word.partition("=")[2] == "false" else "volcano"
        else:
            value = word.partition("=")[2] if "=" in word else "".join(words[index + 1 : index + 2])
    if value in ("", "none"):
        return ""
    word = "volcano" if value == "volcano" else "coscheduling"
    if word not in found.gangs:
        found.gangs.append(word)
    if word == "coscheduling" and value not in (SCHEDULER, "scheduler-plugins"):
        found.scheduler = value
    return "volcano" if word == "volcano" else "scheduler-plugins"


def say(tree: Tree, found: Found, objects: Objects) -> list[str]:
    """Adds ``operators``, with the runtimes of Trainer; and what is installed besides, as comments."""
    operators, warnings = Tree(), []
    for module in MODULES:
        operator = module.OPERATOR.name
        said = found.operators.get(operator)
        # what goes into the answer
        known = _runtimes(objects) if operator == "trainer" else []
        more = {"runtimes": f"{{{', '.join(f'{one}: {{}}' for one in known)}}}"} if known else {}
        if said is None:
            # both operators with MPIJobs define them
            shared = operator == "mpi-operator" and "training-operator" in found.operators
            defined = objects.definition(_CRDS[operator])
            if (defined or known) and not shared:
                what = f"{_CRDS[operator]} is defined" if defined else "There are ClusterTrainingRuntimes"
                operators.note(f"{what}, and no Deployment has the image of {operator}.")
                operators.note(_which(module.OPERATOR, more))
            continue
        if "version" not in said:
            operators.note(_which(module.OPERATOR, said | more))
            operators.note(f"{found.unsure[operator][:1].upper()}{found.unsure[operator][1:]}.")
            warnings.append(f"the version of {operator} is not known: {found.unsure[operator]}")
            continue
        if not module.OPERATOR.has_minor(said["version"]):
            own = module.OPERATOR
            operators.note(f"{operator} {said['version']} is none that is known here. Known: {listed(own.minors())}.")
            operators.note(f"Jobs are built for {own.newest}.")
        if operator == "trainer":
            _say_runtimes(operators, said, objects)
        operators.add(operator, said)
    others = [f"{word} {version}".rstrip() for word, version in sorted(found.schedulers.items())]
    if others:
        tree.note(f"Queues and gangs: {', '.join(others)}.")
    if operators.entries:
        tree.add("operators", operators)
    else:
        for note in operators.comments or [
            "Which operators are installed, in which version? operators: {trainer: {version: ...}}"
        ]:
            tree.note(note)
    if found.mesh:
        tree.note("Istio is installed. Do its sidecars come into the pods of jobs? mesh: istio")
    return warnings


def _which(operator: Operator, said: dict[str, Any]) -> str:
    """The question for a version, with what else is known."""
    words = {"version": operator.newest, **said}
    return f"Which version is it? {operator.name}: {{{', '.join(f'{key}: {value}' for key, value in words.items())}}}"


def _runtimes(objects: Objects) -> list[str]:
    return [name(one) for one in objects.of("trainer.kubeflow.org", "ClusterTrainingRuntime")]


def _say_runtimes(operators: Tree, said: dict[str, Any], objects: Objects) -> None:
    runtimes = _runtimes(objects)
    if runtimes:
        said["runtimes"] = {one: {} for one in runtimes}
        operators.note("Runtimes whose manifests lie beside this profile are known in full: {file: runtime.yaml}")
    own = [f"{namespace(one)}/{name(one)}" for one in objects.of("trainer.kubeflow.org", "TrainingRuntime")]
    if own:
        operators.note(f"TrainingRuntimes of single namespaces: {listed(own, most=32)}.")
