"""All that anybody may ask of a kind of job. Each kind makes one ``Reader``: what it does not say is the usual."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Protocol

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Role, Workload
    from specgen.operators.expansion import Expansion
    from specgen.operators.lifecycle import Counted, Lifecycle
    from specgen.operators.objection import Objection
    from specgen.operators.release import Fields, Operator
    from specgen.source import Path

    class Read(Protocol):
        """The manifest as its operator sees it. Never raises, whatever the tree holds."""

        def __call__(self, manifest: Manifest, version: str | None = None) -> Workload: ...


def _same_tree(tree: dict[str, Any], version: str) -> dict[str, Any]:
    return tree


def _same_path(path: Path, version: str) -> Path:
    return path


def _of_any_release(tree: dict[str, Any]) -> tuple[str, list[Finding]] | None:
    """Releases of most operators only add fields: the newest takes what the others do."""
    return None


def _alone(workload: Workload, companions: Sequence[Manifest]) -> None:
    """Its pods are its own: nothing beside it matters."""


def _here(workload: Workload, finding: Finding) -> None:
    """What is found stands in the object itself."""


def _nothing(workload: Workload) -> Iterator[Objection]:
    """Nobody judges it beyond its schema."""
    yield from ()


def _no_claims(workload: Workload) -> list[tuple[str, Path, Manifest | None]]:
    """Claims of its pods are its pods' own."""
    return []


def _marked(refusals: Callable[[Workload], Iterator[Objection]]) -> Callable[[Workload], Iterator[Objection]]:
    """The refusals of a kind, after those that it shares with all objects: for its namespace, labels, annotations."""

    def judged(workload: Workload) -> Iterator[Objection]:
        yield from of_marks(workload.manifest.tree)
        yield from refusals(workload)

    return judged


def of_marks(tree: dict[str, Any]) -> Iterator[Objection]:
    """Why the API server refuses an object for its namespace, labels or annotations."""
    metadata = tree.get("metadata")
    if not isinstance(metadata, dict):
        return
    if "namespace" in metadata:
        from specgen.operators.kubernetes.objects import SERVER, namespace_refusal  # many jobs have none
        from specgen.operators.objection import Objection

        reason = namespace_refusal(metadata)
        if reason:
            yield Objection(("metadata", "namespace"), reason, SERVER)
    if metadata.get("labels") or metadata.get("annotations"):
        from specgen.operators.kubernetes.objects import SERVER, marks  # many jobs have none
        from specgen.operators.objection import Objection

        for one in marks(metadata):
            yield Objection(one.path, one.reason, SERVER)


def _as_it_stands(role: Role) -> dict[str, Any]:
    from specgen.operators.template import sent

    return sent(role)


def _uncounted(roles: dict[str, tuple[int, str]], most: int | None = None) -> Counted | None:
    """Nothing is known of its limits."""
    return None


def _itself(workload: Workload, path: Path) -> tuple[Manifest, Path]:
    return workload.manifest, path


class Reader:
    """One kind, as one operator takes it."""

    __slots__ = (
        "api_version",
        "as_newest",
        "as_written",
        "counted",
        "expand",
        "gone",
        "group",
        "insists",
        "kind",
        "life",
        "locate",
        "lost_amounts",
        "lost_claims",
        "older",
        "operator",
        "programs",
        "read",
        "refusals",
        "relocate",
        "schema",
        "sent",
        "with_runtime",
    )

    def __init__(
        self,
        api_version: str,
        kind: str,
        *,
        schema: str,
        operator: Operator,
        read: Read,
        expand: Callable[[Workload], Expansion],
        life: Callable[[Workload], Lifecycle | None] | None = None,
        refusals: Callable[[Workload], Iterator[Objection]] = _nothing,
        sent: Callable[[Role], dict[str, Any]] = _as_it_stands,
        insists: bool = False,
        group: str = "",
        as_newest: Callable[[dict[str, Any], str], dict[str, Any]] = _same_tree,
        as_written: Callable[[Path, str], Path] = _same_path,
        older: Callable[[dict[str, Any]], tuple[str, list[Finding]] | None] = _of_any_release,
        gone: Mapping[Path, tuple[str, str]] | None = None,
        with_runtime: Callable[[Workload, Sequence[Manifest]], None] = _alone,
        relocate: Callable[[Workload, Finding], None] = _here,
        locate: Callable[[Workload, Path], tuple[Manifest, Path]] = _itself,
        lost_claims: Callable[[Workload], list[tuple[str, Path, Manifest | None]]] = _no_claims,
        lost_amounts: Callable[[Workload], list[tuple[str, Path, Manifest | None]]] = _no_claims,
        counted: Callable[[dict[str, tuple[int, str]], int | None], Counted | None] = _uncounted,
        programs: tuple[str, ...] = (),
    ) -> None:
        self.api_version = api_version
        self.kind = kind
        # the module of ``specgen.tables``, and the file below ``schemas/k8s``
        self.schema = schema
        self.operator = operator
        # manifest, version of the operator (None: the newest) → the job as the operator sees it
        self.read = read
        # workload → what the operator creates; never raises
        self.expand = expand
        # workload → what becomes of the job once it runs, as ``expand`` has it, without its pods; None: nothing runs
        self.life = life or (lambda workload: expand(workload).lifecycle)
        # workload → all that is refused of it and of what comes of it, in the order in which it is looked at; the specs
        # of pods are judged by ``kubernetes.admission``
        self.refusals = _marked(refusals)
        # role → one of its pods as the operator sends it, but for what grows with its index
        self.sent = sent
        # whether a role of 0 replicas gets pod number 0 all the same, created and deleted without end (recorded)
        self.insists = insists
        # the group of kinds by whose fields ``Release.fields`` goes; "" where all kinds of the operator are alike
        self.group = group
        # tree, version → the tree as the newest version spells it, which schemas are of
        self.as_newest = as_newest
        # path in that spelling, version → path in the manifest
        self.as_written = as_written
        # tree → the release it was written for, where its fields tell (else ""), and warnings that say so; None where
        # it does not matter which release it is judged by
        self.older = older
        # field that older releases had → the last one that has it, and the field that says the same now, if any
        self.gone = gone or {}
        # gives a workload the roles that another object holds, such as the runtime of a TrainJob
        self.with_runtime = with_runtime
        # leads a finding about such a role to the object and the path where its value stands
        self.relocate = relocate
        # workload, path of such a role → the object that holds it, and the path there
        self.locate = locate
        # the resource claims that the operator drops on their way to a container: name, path, and the other object that
        # holds it, if it is another's
        self.lost_claims = lost_claims
        # the same of other resources
        self.lost_amounts = lost_amounts
        # role → its pods and their restart policy, the most pods of an elastic job → what a limit on restarts
        # counts of one incident. Where each Job has a limit of its own, the roles are the one of that Job
        self.counted = counted
        # programs that the operator has its pods run, or whose ways it prepares, and that only the image can bring
        self.programs = programs

    @property
    def newest(self) -> str:
        """The version that schemas and manifests are of."""
        return self.operator.newest

    def answering(self, version: str) -> str:
        """The release that is told of a version: itself where it was read, else the nearest that was.

        Empty where none can be, as ``Operator.nearest`` says.
        """
        return version if self.speaks_for(version) else self.operator.nearest(version, self.kind)

    def answered(self, version: str) -> tuple[str, str]:
        """(The release that is told of, and a sentence that says so where it is another one).

        Raises BadQuestion where none can be.
        """
        name, nearest = self.operator.name, self.answering(version)
        if not nearest:
            from specgen.diagnostics.model import BadQuestion, article

            other = f"`--operator {name}={self.minors[-1]}` shows what that one makes of it"
            raise BadQuestion(f"what {name} {version} does with {article(self.kind)} is not known here", other)
        said = f"what {name} {version} does was not read, this is what {nearest} does"
        return nearest, "" if nearest == version else said

    @property
    def minors(self) -> tuple[str, ...]:
        """Releases whose behaviour with this kind is known, such as ``1.9``."""
        return self.operator.minors(self.kind)

    def speaks_for(self, version: str) -> bool:
        """Whether it is known what this version of the operator does with the kind: same major and minor release."""
        return self.operator.is_read(version, self.kind)

    def makes_pods(self, role: Role) -> bool:
        """Whether the operator makes a pod of a role. One without a template is a finding of its own (SG305)."""
        if role.workload.terms is not None and not role.pod:
            return False
        return role.replicas >= 1 or self.insists

    def absent_fields(self, version: str) -> Fields:
        """Fields of the vendored schema that the CRD of a version lacks."""
        return self.operator.absent_fields(version, self.group)

    def unique_lists(self, version: str) -> tuple[str, ...] | None:
        """The only lists whose keys the CRD of a version holds unique; None: all that the vendored schema does."""
        return self.operator.unique_lists(version)
