"""What the kubelet does not start, although the API server takes it: its pods are placed and wait on their nodes.

Read from Kubernetes 1.36, pkg/volume/emptydir/empty_dir.go (setupTmpfs and its neighbours) and
pkg/kubelet/kuberuntime/security_context_others.go (verifyRunAsNonRoot).
"""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.reason import because

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.operators.kubernetes.reason import Reason

MEMORY, PAGES = "Memory", "HugePages"
_CONTEXT = "securityContext"


def is_medium(word: Any) -> bool:
    """Whether the kubelet makes a directory of a medium; none means the disk of the node."""
    return word in (None, "", MEMORY, PAGES) or str(word).startswith(f"{PAGES}-")


def refusals(pod: dict[str, Any]) -> Iterator[Reason]:
    """Why containers of a pod's spec are not started; paths begin in it."""
    for at, volume in enumerate(sequence(pod.get("volumes"))):
        medium = mapping(mapping(volume).get("emptyDir")).get("medium")
        if isinstance(medium, str) and not is_medium(medium):
            reason = because(
                ("volumes", at, "emptyDir", "medium"),
                f"the kubelet knows no medium `{shown(medium)}`, but `{MEMORY}`, and `{PAGES}` with or without a size",
                "medium",
            )
            reason.words = (MEMORY, PAGES)
            yield reason
    own = mapping(pod.get(_CONTEXT))
    for key in ("initContainers", "containers"):
        for at, one in enumerate(sequence(pod.get(key))):
            context = mapping(mapping(one).get(_CONTEXT))
            # what a container says stands in place of what its pod says
            where = {
                word: (key, at, _CONTEXT, word) if context.get(word) is not None else (_CONTEXT, word)
                for word in ("runAsUser", "runAsNonRoot")
            }
            user, never = ({**own, **{k: v for k, v in context.items() if v is not None}}.get(word) for word in where)
            if never is True and type(user) is int and user == 0:
                message = "`runAsUser: 0` contradicts `runAsNonRoot: true`"
                yield because(where["runAsUser"], message, "root", where["runAsNonRoot"])
