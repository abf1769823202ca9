"""JobSet's controller, of JobSets without Kubeflow Trainer.

Trainer's manifests bring it along: where a cluster has both, what they bring is installed, unless both come from local
bases. It has no flag for gangs.
"""

from __future__ import annotations

from specgen.diagnostics.model import NOTE, WARNING
from specgen.operators.jobset.facts import OPERATOR
from specgen.operators.release import full, plain
from specgen.operators.trainer.facts import OPERATOR as TRAINER
from specgen.profile import codes
from specgen.profile.library import installed

__all__ = ["OPERATOR", "as_brought", "brought", "flags", "lost"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.install.model import Flag
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.operator import Operator


def flags(entry: Operator, cluster: ClusterProfile) -> tuple[list[Flag], list[Finding]]:
    """None; a gang scheduler is noted, as JobSet makes no groups of pods."""
    if entry.gang is None:
        return [], []
    message = f"`gang: {entry.gang}` sets no flag of {OPERATOR.name}, which makes no groups of pods"
    return [], [codes.NOT_FOR_TARGET.at(("operators", OPERATOR.name, "gang"), message, severity=NOTE)]


def brought(cluster: ClusterProfile) -> bool:
    """Whether Trainer is there, whose manifests bring JobSet along."""
    return installed(cluster, TRAINER.name) is not None


def as_brought() -> Operator:
    """An entry for JobSet where the profile lists Trainer alone and a local base takes the place of what it brings."""
    from specgen.profile.operator import Operator

    return Operator(version=OPERATOR.newest)


def lost(cluster: ClusterProfile) -> list[Finding]:
    """What the entry of JobSet says and Trainer's manifests, which bring it along, do not."""
    entry, trainer = installed(cluster, OPERATOR.name), installed(cluster, TRAINER.name)
    if entry is None or trainer is None:
        return []
    assert TRAINER.manifests is not None
    findings, place = [], ("operators", OPERATOR.name)
    apart = "`--base trainer=PATH --base jobset=PATH` installs the two apart"
    known = TRAINER.release(trainer.version)
    own = known.tags if known is not None else {}
    tag = next((tag for image, tag in own.items() if image.endswith("/jobset/jobset")), "")
    if tag and full(entry.version) != plain(tag):
        message = f"`version: {entry.version}` contradicts {TRAINER.name} {trainer.version}, which brings {plain(tag)}"
        findings.append(codes.CONTRADICTION.at((*place, "version"), message, helps=[apart]))
    for key, other in (("namespace", trainer.namespace or TRAINER.manifests.namespace), ("mirror", trainer.mirror)):
        value = getattr(entry, key)
        if value not in (None, other):
            message = f"`{key}: {value}` has no effect: the manifests of {TRAINER.name} bring JobSet along"
            helps = [f"`operators.{TRAINER.name}.{key}` speaks for both", apart]
            findings.append(codes.NOT_FOR_TARGET.at((*place, key), message, helps=helps, severity=WARNING))
    return findings
