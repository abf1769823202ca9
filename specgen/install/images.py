"""Every image that the pods of a built job pull: as somebody wrote it, as it is pulled, and what rewrote it."""

from __future__ import annotations

from specgen.diagnostics.model import Place
from specgen.install.mirrors import Pulled, of_job, of_operator
from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.model import Bundle, Manifest
    from specgen.manifest.views import Container, Role, Workload
    from specgen.operators.expansion import Expansion
    from specgen.operators.reader import Reader
    from specgen.operators.release import Operator
    from specgen.plan.model import Plan
    from specgen.profile.cluster import ClusterProfile
    from specgen.source import Path

MAIN, INIT, SIDECAR, INJECTED = "main", "init", "sidecar", "injected"
# Objects whose pod templates are those of the job that names them, and are listed with its pods.
_TEMPLATES = ("ClusterTrainingRuntime", "TrainingRuntime")


class Image:
    """An image of one container of one role.

    ``kind``: ``main``, ``init``, ``sidecar``, or ``injected`` by the operator. ``by``: path in the cluster profile of
    what rewrote it, empty where nothing did; ``flag``: of the operator, by which that reaches an injected container.
    ``file`` and ``line``: where it was written, empty and 0 where nobody wrote it.
    """

    __slots__ = ("by", "container", "file", "flag", "kind", "line", "pulled", "role", "written")

    def __init__(self, role: str, container: str, kind: str, written: str, pulled: Pulled) -> None:
        self.role = role
        self.container = container
        self.kind = kind
        self.written = written
        self.pulled = pulled.image
        self.by = pulled.by
        self.flag = ""
        self.file = ""
        self.line = 0


def images(
    bundle: Bundle,
    plan: Plan,
    cluster: ClusterProfile,
    workload: Workload,
    expansion: Expansion | None,
    reader: Reader,
) -> list[Image]:
    """The images of a bundle, role by role: of its job, of what the operator adds to it, of the objects beside it.

    expansion: what the operator creates; None where its version is not known, and nothing is listed as injected.
    """
    found: list[Image] = []
    for role in workload.roles:
        if role.replicas > 0:
            found += _of_template(role, plan, cluster, reader)
            found += _injected(role, expansion, reader.operator, cluster)
    known = [role.name.lower() for role in workload.roles]
    for name, pod in _pods(expansion):
        if name.lower() not in known:
            known.append(name.lower())
            found += [_plain(name, *one) for one in _containers(pod)]
    if not found:
        # over a runtime that is known by its name alone the job has the image of its program, or none
        for one in plan.roles:
            if one.image is not None:
                found.append(_image(one.name, "", MAIN, str(one.image.value), plan, cluster))
                _placed(found[-1], bundle.job, ("spec", "trainer", "image"))
    for manifest in bundle.manifests:
        if manifest is not bundle.job and manifest.ref.kind not in _TEMPLATES:
            found += _beside(manifest, plan, cluster)
    return found


def _image(role: str, container: str, kind: str, image: str, plan: Plan, cluster: ClusterProfile) -> Image:
    """An image as it stands in a manifest, with what was written where a mirror of the cluster rewrote it."""
    written = plan.pulled.get(image)
    if written is None:
        return Image(role, container, kind, image, Pulled(image))
    return Image(role, container, kind, written, of_job(written, cluster))


def _of_template(role: Role, plan: Plan, cluster: ClusterProfile, reader: Reader) -> list[Image]:
    found = []
    for container in (*role.containers(init=True), *role.containers()):
        image = container.tree.get("image")
        if isinstance(image, str):
            one = _image(role.name, container.name, _kind(container), image, plan, cluster)
            _placed(one, *reader.locate(role.workload, (*container.path, "image")))
            found.append(one)
    return found


def _kind(container: Container) -> str:
    if container.init:
        # since Kubernetes 1.29 an init container that restarts is a sidecar
        return SIDECAR if container.tree.get("restartPolicy") == "Always" else INIT
    return MAIN if container is container.role.main else SIDECAR


def _placed(image: Image, manifest: Manifest, path: Path) -> None:
    source, start, _ = manifest.where.span(Place(path))
    image.file, image.line = source.name, source.position(start)[0]


def _injected(role: Role, expansion: Expansion | None, operator: Operator, cluster: ClusterProfile) -> list[Image]:
    """Containers of the role's pods that its template does not have."""
    templates = [(one.name, one.init) for one in (*role.containers(init=True), *role.containers())]
    found: list[Image] = []
    for name, pod in _pods(expansion):
        if name.lower() != role.name.lower():
            continue
        for container, init, image in _containers(pod):
            if (container, init) in templates:
                continue
            templates.append((container, init))
            flag = operator.image_flags.get(container, "")
            # without a flag the operator takes its own image, whatever the cluster profile says
            pulled = of_operator(image, cluster, operator.name) if flag else Pulled(image)
            one = Image(role.name, container, INJECTED, image, pulled)
            one.flag = flag if pulled.by else ""
            found.append(one)
    return found


def _pods(expansion: Expansion | None) -> list[tuple[str, dict[str, Any]]]:
    """(role, pod) of all pods that the operator creates."""
    if expansion is None:
        return []
    roles = {instance.pod: instance.role for instance in expansion.instances}
    named = [(roles.get(str(mapping(pod.get("metadata")).get("name"))), pod) for pod in expansion.pods]
    return [(role, pod) for role, pod in named if role is not None]


def _containers(pod: dict[str, Any]) -> Iterator[tuple[str, bool, str]]:
    """(name, whether it is an init container, image) of each container of a pod."""
    spec = mapping(pod.get("spec"))
    for key in ("initContainers", "containers"):
        for tree in sequence(spec.get(key)):
            name, image = mapping(tree).get("name"), mapping(tree).get("image")
            if isinstance(name, str) and isinstance(image, str):
                yield name, key == "initContainers", image


def _plain(role: str, container: str, init: bool, image: str) -> Image:
    return Image(role, container, INIT if init else MAIN, image, Pulled(image))


def _beside(manifest: Manifest, plan: Plan, cluster: ClusterProfile) -> list[Image]:
    """Images of an object that a profile names."""
    role = f"{manifest.ref.kind}/{manifest.ref.name}"
    found = []
    for path, tree in _with_images(manifest.tree, ()):
        kind = INIT if "initContainers" in path else MAIN
        one = _image(role, str(tree["name"]), kind, tree["image"], plan, cluster)
        _placed(one, manifest, (*path, "image"))
        found.append(one)
    return found


def _with_images(tree: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """(path, container) of every container in a tree, wherever its pod template stands."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        below = (*path, key)
        if key in ("initContainers", "containers"):
            for index, one in enumerate(sequence(value)):
                if isinstance(mapping(one).get("image"), str) and isinstance(one.get("name"), str):
                    yield (*below, index), one
        else:
            yield from _with_images(value, below)
