"""A job, and what it has of all that rules may need.

What one look at its containers, roles and marks tells is told at once by ``_gathered``, for every job: rules are many,
and each would look for itself. The ``LATE`` words cost more than a look, and are worked out once a rule asks for them.
"""

from __future__ import annotations

from specgen.diagnostics.model import Place
from specgen.document.tree import Document
from specgen.manifest.origins import Copied
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.directories import OF_IMAGES, top
from specgen.rules import _needs as needs
from specgen.rules._gathered import gathered
from specgen.rules._mounted import mounts_read_only
from specgen.rules._upstream import is_runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from specgen.manifest.views import Container, Workload
    from specgen.rules._context import Context


class Needs:
    """A job, and what it has of all that rules may need.

    ``fields``: names of the job's fields: of its spec, the policies in it, its roles, pods and containers; ``words``:
    those of ``_needs`` that it has, but for late ones; ``env``: the variables of all containers, each between two line
    ends, so that a name or the beginning of one can be sought; ``line``: their command lines.
    """

    __slots__ = ("_faults", "_known", "_slipped", "containers", "context", "env", "fields", "line", "words", "workload")

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
        self.fields = fields
        self.env = "\n" + "\n".join([name for container in self.containers for name in container.env]) + "\n"
        self.line = "\n".join([container.line for container in self.containers])
        self.words = gathered(workload, self.containers, context, fields=fields, env=self.env, line=self.line)
        self._known: dict[str, bool] = {}
        self._slipped: set[str] | None = None
        self._faults: set[str] | None = None

    def has(self, word: str) -> bool:
        """Whether the job has what a late word says."""
        known = self._known.get(word)
        if known is None:
            test = LATE.get(word)
            known = self._known[word] = test(self) if test is not None else word in self._slips()
        return known

    def faults(self) -> set[str]:
        """What is wrong with its variables of NCCL, by those words."""
        if self._faults is None:
            self._faults = set()
            if needs.NCCL in self.words:
                from specgen.rules._nccl import faults

                for container in self.containers:
                    self._faults.update([f"<nccl: {fault}>" for fault in faults(container, self.context)])
        return self._faults

    def _slips(self) -> set[str]:
        if self._slipped is None:
            slips = [slip for container in self.containers for slip in self.context.slips(container)]
            self._slipped = {needs.SLIP.format(slip.cause) for slip in slips}
        return self._slipped


def _has_slashes(job: Needs) -> bool:
    where = job.workload.manifest.where
    source, _, _ = where.span(Place(()))
    node = where.root if isinstance(where, Document) else None
    if isinstance(where, Copied):
        node = where.document.node(where.below(()))
    # of many jobs in a text each looks at its own part
    start, end = (node.start, node.end) if node is not None else (0, len(source.text))
    return source.text.find(" //", start, end) >= 0


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


def _leaves_image(job: Needs) -> bool:
    """Whether a path is named whose directory in the root no image brings."""
    for container in job.containers:
        texts = [text for _, _, text in container.words() if "/" in text]
        texts += [text for _, entry in container.env.values() if isinstance(text := entry.get("value"), str)]
        texts.append(str(container.tree.get("workingDir", "")))
        for text in texts:
            if "/" not in text:
                continue
            for word in text.replace("=", " ").replace('"', " ").replace("'", " ").split():
                if word[0] == "/" and len(word) > 1 and top(word) not in OF_IMAGES - {"home"}:
                    return True
    return False


def _mounts_read_only(job: Needs) -> bool:
    """Whether a container mounts what it cannot write to."""
    return any([mounts_read_only(one) for one in job.containers])


# Parts of the names of options that say where output goes.
_OF_OUTPUTS = ("out", "save", "dir", "results", "path", "ckpt")


LATE: dict[str, Callable[[Needs], bool]] = {
    needs.REFUSED_POD: lambda job: any([job.context.refused_pod(role) for role in job.workload.roles]),
    needs.NCCL_UNKNOWN: lambda job: needs.NCCL_UNKNOWN in job.faults(),
    needs.NCCL_WRONG: lambda job: needs.NCCL_WRONG in job.faults(),
    needs.NCCL_GONE: lambda job: needs.NCCL_GONE in job.faults(),
    needs.SLASHES: lambda job: isinstance(job.workload.manifest.where, Document) and _has_slashes(job),
    needs.UNSERVED: lambda job: job.context.cluster is not None and not job.context.serves(job.workload),
    needs.SECRET: _may_hold_secret,
    needs.OUTSIDE: _leaves_image,
    needs.RELATIVE: lambda job: any([word in job.line for word in _OF_OUTPUTS]),
    needs.READ_ONLY: _mounts_read_only,
    needs.RUNTIME_IMAGE: lambda job: any([is_runtime(one.tree.get("image")) for one in job.containers]),
}


def is_late(word: str) -> bool:
    """Whether a word is not told by ``gathered``: one of the table, or a slip of a command line."""
    return word in LATE or word.startswith(needs.SLIP.partition("{")[0])
