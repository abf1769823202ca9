"""What manifests get wrong: one file a rule, and the folder is the registry.

A rule is a module with a docstring (its page), ``CODE``, ``SCOPE``, ``KINDS``, and ``check(subject, context)``, a
generator of findings. ``SCOPE`` says what it looks at: a ``WORKLOAD``, a ``ROLE``, a ``CONTAINER`` (init containers
too), or a workload that is ``REFUSED`` for one of its ``CAUSES``. ``KINDS`` says which kinds of jobs it is for; others
do not load it, nor do jobs whose commands do not name the trainer load rules that begin with ``trainer_``.
What somebody refuses of a job is worked out by its operator's ``refusals``, for ``expand`` as well. A rule that
presents it asks the context for the ``CAUSES`` that it names, and adds the page, the place, the words, and the fix.
Its subject is a view of ``manifest.views``. It imports ``diagnostics``, ``manifest.views``, and what the API server
refuses (``operators.kubernetes``), which no rule decides by itself. It never trusts a tree: shape findings are reported
elsewhere, a rule that lacks its facts says nothing.
To add a rule: the file, ``tests/rules/<module>/bad.yaml`` (lines end in ``# expect: CODE``) and ``good.yaml``; then
``python -m specgen.generate`` enters it in ``_index`` and in the ``README``.
"""

from __future__ import annotations

from specgen.diagnostics.model import Code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Protocol

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.operators.objection import Objection
    from specgen.profile.cluster import ClusterProfile

    class Rule(Protocol):
        """What a module of this folder offers."""

        CODE: Code
        SCOPE: str
        KINDS: tuple[str, ...]

        def check(self, subject: Any, context: Context) -> Iterator[Finding]: ...


WORKLOAD = "workload"
ROLE = "role"
CONTAINER = "container"

# A workload that somebody refuses for one of the rule's ``CAUSES``.
REFUSED = "refused"

# Kinds that a rule is for: jobs of every kind; ``operators.index.ROLED`` are those whose roles stand in the job itself.
ALL: tuple[str, ...] = ()


class Context:
    """What a rule may ask besides its subject."""

    __slots__ = ("_by_cause", "_objections", "cluster", "misplaced_env", "misshapen")

    def __init__(
        self,
        cluster: ClusterProfile | None = None,
        misplaced_env: Iterable[tuple[str | int, ...]] = (),
        misshapen: Iterable[tuple[str | int, ...]] = (),
        objections: Iterable[Objection] = (),
    ) -> None:
        # the cluster, if one is known
        self.cluster = cluster
        # paths of list items under ``volumeMounts`` that are environment variables (SG111): they count as written where
        # they belong, so that one slip is one finding
        self.misplaced_env = tuple(misplaced_env)
        # paths of values whose shape is refused
        self.misshapen = tuple(misshapen)
        # what is refused of the job; worked out once a rule asks
        self._objections = objections
        self._by_cause: dict[str, list[Objection]] | None = None

    def refused(self, *causes: str) -> list[Objection]:
        """What is refused of the job for these causes, cause by cause, each in the order in which it is looked at."""
        if self._by_cause is None:
            self._by_cause = {}
            for one in self._objections:
                self._by_cause.setdefault(one.cause, []).append(one)
        found = self._by_cause
        return [one for cause in causes for one in found.get(cause, ())] if found else []


def names() -> list[str]:
    """Rules by module name, sorted; nothing is imported."""
    import os

    files = os.listdir(os.path.dirname(os.path.abspath(__file__)))
    return sorted(file[:-3] for file in files if file.endswith(".py") and not file.startswith("_"))


def load(name: str) -> Rule:
    """One rule."""
    from importlib import import_module

    module: Any = import_module(f"specgen.rules.{name}")
    return module  # type: ignore[no-any-return]


_loaded: dict[str, Rule] = {}
_about: dict[tuple[str, bool], list[tuple[str, tuple[str, ...]]]] = {}


def _of(kind: str, trainer: bool) -> list[tuple[str, tuple[str, ...]]]:
    """(rule, causes without which it is not asked) for jobs of a kind; those about the trainer only where it is run."""
    key = (kind, trainer)
    if key not in _about:
        from specgen.rules._index import RULES

        _about[key] = [
            (name, causes)
            for name, (kinds, causes) in RULES.items()
            if (not kinds or kind in kinds) and (trainer or not name.startswith("trainer_"))
        ]
    return _about[key]


def _may_run_trainer(container: Any) -> bool:
    return any(["trainer" in text or "main_" in text for _, _, text in container.words()])


def run(workload: Workload, context: Context) -> list[Finding]:
    """The findings of every rule on a workload, in the order of the rules' names."""
    subject = workload.manifest.ref.as_dict()
    # twin roles of a compiled job, and aliases of a text, are one container: what is wrong with it is said once
    containers: dict[int, Any] = {}
    for role in workload.roles:
        for container in (*role.containers(init=True), *role.containers()):
            containers.setdefault(id(container.tree), container)
    subjects: dict[str, list[Any]] = {
        WORKLOAD: [workload],
        REFUSED: [workload],
        ROLE: list(workload.roles),
        CONTAINER: list(containers.values()),
    }
    findings: list[Finding] = []
    for name, causes in _of(workload.kind, any(_may_run_trainer(one) for one in containers.values())):
        if causes and not context.refused(*causes):
            continue
        rule = _loaded.get(name) or _loaded.setdefault(name, load(name))
        for one in subjects[rule.SCOPE]:
            for finding in rule.check(one, context):
                finding.subject = subject
                findings.append(finding)
    return findings
