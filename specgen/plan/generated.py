"""Jobs whose name the API server makes: what would have to name them is refused (SG208). Loaded for those alone."""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.manifest.origins import located
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.draft import JobDraft

# Gangs whose group, where it is no operator's, bears the job's name.
_BY_NAME = {
    "volcano": "its PodGroup is called as the job",
    "coscheduling": "its PodGroup is called as the job",
    "yunikorn": "its application is called as the job",
}


def unnamed(draft: JobDraft) -> list[Finding]:
    """SG208 for each word of which something comes that must name the job, and a runtime of its own."""
    job, gang = draft.job, draft.gang
    findings: list[Finding] = []

    def refuse(place: Place, what: str, helps: Sequence[str] = ()) -> None:
        if all(one.place.path != place.path for one in findings):
            message = f"{what}, and nobody knows the name of a job with `generateName`"
            related = [(draft.named.at, "the API server puts five letters behind")]
            findings.append(codes.NOT_FOR_TARGET.at(place, message, related=related, helps=helps))

    for role in draft.roles:
        scheduling = role.profile.words.scheduling
        for key in ("within", "near", "spread"):
            if getattr(scheduling, key) is None or (key != "spread" and gang is not None and gang.word == "kueue"):
                continue
            refuse(role.profile.place(("scheduling", key)), f"`{key}` selects the pods by the name of their job")
    if gang is not None and not gang.by_operator and gang.word in _BY_NAME:
        refuse(gang.said.place or draft.named.at, f"`gang: {gang.word}` cannot be: {_BY_NAME[gang.word]}")
    if job.job.communication.nvlink:
        refuse(job.place(("communication", "nvlink")), "the compute domain of `nvlink` is called as its job")
    if draft.kind.fetches and draft.runtime is None:
        helps = ["`target: {kind: TrainJob, runtime: …}` uses a runtime of the cluster"]
        refuse(job.place(("target",)), "the TrainingRuntime of a TrainJob is called as its job", helps)
    if draft.target.untold(draft.name, draft.world, draft.version) != draft.target.untold(
        "", draft.world, draft.version
    ):
        place = located(draft.world.unled) if draft.world.unled is not None else job.place(("start",), KEY)
        refuse(place, "torchrun meets at worker 0, which is called after the job")
    if draft.target.tells(draft.name, draft.world) != draft.target.tells("", draft.world):
        refuse(job.place(("target",)), "the pods meet at worker 0, which is called after the job")
    return findings
