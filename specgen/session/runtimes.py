"""The runtimes in the files of a run: a TrainJob has no pods without the one that it names, in whichever file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from specgen.manifest.model import Manifest
    from specgen.pipeline import Text

    # kind, namespace, name
    Name: TypeAlias = tuple[str, str, str]

_API = "trainer.kubeflow.org/v1alpha1"
# of the cluster, which a reference without a kind means; of a namespace
_CLUSTERS, _OWN = "ClusterTrainingRuntime", "TrainingRuntime"


class Runtimes:
    """Runtimes by name. Of several ones of a name, that of the job's own file counts, then one of its folder, then any.

    The last one counts of those that are equally near, as it is applied last.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        # (file, folder, or nothing) with the name → runtime
        self._known: dict[tuple[str, Name], Manifest] = {}

    def take(self, text: Text) -> bool:
        """Takes the runtimes of a text, and says whether its TrainJobs need none of another one."""
        file = text.source.name
        needed = []
        for manifest in (one for found in text.objects for one in found):
            self.add(manifest, file)
            name = _needed(manifest)
            if name is not None:
                needed.append(name)
        return all((file, name) in self._known for name in needed)

    def add(self, manifest: Manifest, file: str) -> None:
        """Takes an object of a file, if it is a runtime."""
        ref = manifest.ref
        if ref.api_version != _API or ref.kind not in (_CLUSTERS, _OWN):
            return
        name = (ref.kind, _space(ref.kind, ref.namespace), ref.name)
        for near in (file, _folder(file), ""):
            self._known[near, name] = manifest

    def of(self, job: Manifest, file: str) -> Manifest | None:
        """The runtime that an object of a file names, if it is a TrainJob."""
        name = _needed(job)
        if name is None:
            return None
        found = (self._known.get((near, name)) for near in (file, _folder(file), ""))
        return next((one for one in found if one is not None), None)

    def near(self, job: Manifest) -> list[Manifest]:
        """Runtimes that a TrainJob may mean whose own is not there: of the other kind, or called nearly so."""
        name = _needed(job)
        if name is None:
            return []
        from specgen.diagnostics.suggest import similar  # most runtimes are there, or in no file

        alike = {one[2]: found for (file, one), found in self._known.items() if not file and one[:2] == name[:2]}
        kind = _OWN if name[0] == _CLUSTERS else _CLUSTERS
        other = self._known.get(("", (kind, _space(kind, job.ref.namespace), name[2])))
        return [*([other] if other is not None else []), *(alike[one] for one in similar(name[2], alike))]


def _needed(job: Manifest) -> Name | None:
    ref = job.ref
    if ref.api_version != _API or ref.kind != "TrainJob":
        return None
    spec = job.tree.get("spec")
    reference = spec.get("runtimeRef") if isinstance(spec, dict) else None
    if not isinstance(reference, dict):
        return None
    kind, name = reference.get("kind", _CLUSTERS), reference.get("name")
    return (kind, _space(kind, ref.namespace), name) if isinstance(kind, str) and isinstance(name, str) else None


def _space(kind: str, namespace: str | None) -> str:
    """The namespace that counts, as that of ``kubectl apply`` where none is written."""
    return "" if kind == _CLUSTERS else namespace or "default"


def _folder(file: str) -> str:
    """The folder of a file; no file is called so."""
    return file.rpartition("/")[0] + "/"
