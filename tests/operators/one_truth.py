"""Whether ``lint`` has an error of refusal where ``expand`` refuses: of one job, with one version of its operator."""

from __future__ import annotations

from collections.abc import Sequence

from specgen.checking import check
from specgen.diagnostics.model import ERROR, Finding
from specgen.manifest.model import Manifest
from specgen.operators.expand import expand_manifest
from specgen.operators.reader import Reader
from specgen.operators.trainer.facts import RUNTIMES
from specgen.profile.cluster import ClusterProfile

# Errors about what becomes of a job that nobody refuses.
HARMS = (
    *(
        "SG210",
        "SG217",
        "SG230",
        "SG231",
        "SG240",
        "SG420",
        "SG421",
        "SG444",
        "SG450",
        "SG452",
        "SG453",
        "SG455",
        "SG460",
        "SG461",
        "SG464",
    ),
    *(
        "SG465",
        "SG466",
        "SG478",
        "SG485",
        "SG490",
        "SG495",
        "SG501",
        # of commands that a shell or the kubelet cannot run
        "SG344",
        "SG346",
        "SG547",
        "SG546",
        # of pods that the API server takes, and the kubelet does not start
        "SG331",
        # of pods that an older API server refuses, as the cluster profile says which it is
        "SG339",
        "SG510",
        "SG512",
        "SG523",
        "SG541",
        "SG550",
        "SG607",
        "SG618",
        "SG711",
        "SG712",
        "SG716",
    ),
)
REFUSED = "SG317"
UNKNOWN_FIELDS = ("SG101", "SG112")


class Verdict:
    """What the two say of a job."""

    def __init__(self, linted: str, expanded: str, *, left: bool = False) -> None:
        # the first error of refusal, empty for none
        self.linted = linted
        # the first refusal, empty for none
        self.expanded = expanded
        # whether ``expand`` cannot tell: a runtime that no file holds, a job that is another controller's
        self.left = left

    @property
    def agree(self) -> bool:
        return self.left or bool(self.linted) == bool(self.expanded)


def verdict(
    manifest: Manifest, reader: Reader, version: str, cluster: ClusterProfile, beside: Sequence[Manifest] = ()
) -> Verdict:
    """What is said of a job beside other objects."""
    findings = check(manifest, cluster, beside) or []
    for other in beside:
        # what is refused of a runtime is said of the runtime
        if other.ref.kind in RUNTIMES and _names(manifest, other):
            findings += _of_runtime(other, cluster)
    errors = [finding for finding in findings if _refuses(finding)]
    linted = f"{errors[0].code.id} {errors[0].message}" if errors else ""
    expansion, found = expand_manifest(manifest, reader, version, companions=beside, resumed=True)
    if expansion is None:
        return Verdict(linted, next(finding.message for finding in found if finding.severity == ERROR))
    reasons = [one.reason for one in expansion.refusals]
    if any("is not among the files" in reason for reason in reasons) or "managedBy" in expansion.idle:
        return Verdict(linted, "", left=True)
    if expansion.idle and "backoffLimit" in expansion.idle:
        reasons.append(expansion.idle)
    early = any("before it has pods" in note for note in expansion.notes)
    nothing = not expansion.objects and not expansion.idle and not early and reader.operator.name != "volcano"
    return Verdict(linted, reasons[0] if reasons else "nothing comes of it" if nothing else "")


def _of_runtime(runtime: Manifest, cluster: ClusterProfile) -> list[Finding]:
    """What is found on a runtime, but for fields that its release does not know.

    They refuse it where fields are validated. ``expand`` takes it that the runtime is there already, drops them, and
    says so in a note.
    """
    findings = check(runtime, cluster) or []
    unknown = [one.place.path for one in findings if one.code.id in UNKNOWN_FIELDS]
    return [one for one in findings if not any(one.place.path[: len(path)] == path for path in unknown)]


def _names(manifest: Manifest, runtime: Manifest) -> bool:
    spec = manifest.tree.get("spec")
    reference = spec.get("runtimeRef") if isinstance(spec, dict) else None
    return isinstance(reference, dict) and reference.get("name") == runtime.ref.name


def _refuses(finding: Finding) -> bool:
    if finding.code.id == REFUSED:
        return True  # a warning where Trainer's own runtime is taken for granted, as ``expand`` takes it
    return finding.severity == ERROR and finding.code.id not in HARMS
