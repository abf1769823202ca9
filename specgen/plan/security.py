"""The security context of a container: the author's words, what a level of the cluster demands, the fabric's rights.

Loaded for pods that have one.
"""

from __future__ import annotations

from specgen.manifest.origins import Sourced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from specgen.diagnostics.model import Place
    from specgen.plan.pods import Context
    from specgen.profile.pod import Security

DEMANDED = "the level `restricted` demands it of every container"


def context(
    words: Security,
    at: Callable[..., Place | None],
    level: Sourced | None,
    *,
    privileged: Sourced | None = None,
    capabilities: Sequence[Sourced] = (),
) -> Context:
    """Its fields, in Kubernetes' spelling. ``at``: where a word is written.

    ``level``: `restricted`, where the cluster has that level. ``privileged`` and ``capabilities``: the fabric's rights.
    """
    found: Context = {}
    for key, value, word in (
        ("runAsUser", words.user, "user"),
        ("runAsGroup", words.group, "group"),
        ("runAsNonRoot", words.non_root, "nonRoot"),
        ("privileged", words.privileged, "privileged"),
        ("allowPrivilegeEscalation", words.escalation, "escalation"),
        ("readOnlyRootFilesystem", words.read_only_root, "readOnlyRoot"),
    ):
        if value is not None:
            found[key,] = Sourced(value, at(word), f"`security.{word}`")
        elif level is not None and word == "escalation":
            found[key,] = Sourced(False, level.place, DEMANDED)
    if privileged is not None and words.privileged is None:
        found["privileged",] = privileged
    wanted = words.capabilities
    add, drop = ([], []) if wanted is None else (wanted, []) if isinstance(wanted, list) else (wanted.add, wanted.drop)
    place = at("capabilities") if wanted is not None else None
    granted = [Sourced(name, place, "`security.capabilities`") for name in add]
    granted += [said for said in capabilities if said.value not in add]
    if granted:
        last = granted[-1]
        found["capabilities", "add"] = Sourced([said.value for said in granted], last.place, last.reason)
    if level is not None and "ALL" not in drop:
        found["capabilities", "drop"] = Sourced([*drop, "ALL"], level.place, DEMANDED)
    elif drop:
        found["capabilities", "drop"] = Sourced(list(drop), place, "`security.capabilities`")
    if words.seccomp is not None:
        named = words.seccomp in ("RuntimeDefault", "Unconfined")
        profile = {"type": words.seccomp} if named else {"type": "Localhost", "localhostProfile": words.seccomp}
        found["seccompProfile",] = Sourced(profile, at("seccomp"), "`security.seccomp`")
    return found
