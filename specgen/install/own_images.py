"""The images that the operators of a cluster pull: their own, of what they bring along, and what they put into pods."""

from __future__ import annotations

from specgen.install import jobset
from specgen.install.index import MODULES
from specgen.install.install import folder, listed_operators
from specgen.install.mirrors import Pulled, of_operator
from specgen.install.pytorch_operator import FOLDER
from specgen.install.training_operator import shares_crd
from specgen.operators.training.facts import DELIVERY, FORERUNNER
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.operators.release import Operator
    from specgen.profile.cluster import ClusterProfile

OWN, INJECTED = "own", "injected"
# What holds an image still. No release that is known here names a digest in its manifests.
DIGEST, TAG, MOVING_TAG, UNKNOWN = "digest", "tag", "moving tag", "unknown"
_MOVING = "latest"
# Kubernetes' own registry of images before they are released: it is emptied after 90 days (kubernetes-sigs/jobset,
# issue 1216).
_STAGING = "us-central1-docker.pkg.dev/k8s-staging-images"


class OwnImage:
    """An image of an operator: ``kind`` is ``own`` or ``injected`` (into pods of jobs).

    ``written``: as upstream has it, without a tag where that is not known here; ``flag``: by which it is replaced.
    """

    __slots__ = ("flag", "kind", "operator", "pulled", "written")

    def __init__(self, operator: str, kind: str, written: str, pulled: Pulled, flag: str = "") -> None:
        self.operator = operator
        self.kind = kind
        self.written = written
        self.pulled = pulled
        self.flag = flag if pulled.by else ""

    @property
    def pinned(self) -> str:
        """What upstream's manifests hold the image by; the tag of a release moves only if somebody pushes it again."""
        if "@" in self.written:
            return DIGEST
        _, colon, tag = self.written.rpartition("/")[2].partition(":")
        return UNKNOWN if not colon else MOVING_TAG if tag == _MOVING else TAG


def own_images(cluster: ClusterProfile) -> tuple[list[OwnImage], list[Finding]]:
    """The images of all operators that the profile lists, in their order; findings as of ``moving``."""
    found = []
    findings = []
    entries = listed_operators(cluster)
    for module in MODULES:
        name = module.OPERATOR.name
        if name not in entries or (module is jobset and jobset.brought(cluster)):
            continue  # or it is listed with the operator that brings it
        version = entries[name].version
        is_chart = folder(name, entries[name]) == FOLDER
        found += [
            OwnImage(name, OWN, written, of_operator(written, cluster, name))
            for written in _written(FORERUNNER if is_chart else module.OPERATOR, version)
        ]
        for container, flag in {} if is_chart else module.OPERATOR.image_flags.items():
            if container == DELIVERY and shares_crd(cluster):
                continue  # its MPIJobs are the other operator's
            written = module.OPERATOR.image(container, version)
            found.append(OwnImage(name, INJECTED, written, of_operator(written, cluster, name), flag))
        findings += moving(cluster, name)
    return found, findings


def moving(cluster: ClusterProfile, name: str) -> list[Finding]:
    """SG273: an operator's own images that do not stay as they are, where no mirror stands between."""
    entry = listed_operators(cluster)[name]
    operator = next(module.OPERATOR for module in MODULES if module.OPERATOR.name == name)
    is_chart = folder(name, entry) == FOLDER
    findings = []
    for written in _written(FORERUNNER if is_chart else operator, entry.version):
        if of_operator(written, cluster, name).by:
            continue
        if written.endswith(f":{_MOVING}"):
            message = f"`{written}` moves: it is another image whenever one is pushed"
            helps = ["copy it into a mirror that stays, and say `mirror`"]
        elif written.startswith(f"{_STAGING}/"):
            message = f"`{written}` vanishes: images of a staging registry are removed after 90 days"
            released = written.removeprefix(f"{_STAGING}/").partition("/")[0]
            helps = [
                f"`images: {{mirrors: {{{_STAGING}/{released}: registry.k8s.io/{released}}}}}` pulls the released one"
            ]
        else:
            continue
        findings.append(codes.MOVING_TAG.at(("operators", name), message, part="key", helps=helps))
    return findings


def _written(operator: Operator, version: str) -> list[str]:
    return [f"{image}:{tag}" if tag else image for image, tag in operator.pulled_images(version).items()]
