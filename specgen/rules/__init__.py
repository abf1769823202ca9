"""What manifests get wrong: one file a rule, and the folder is the registry.

A rule is a module with a docstring (its page), ``CODE``, ``SCOPE`` and ``check(subject, context)``, a generator of
findings. ``SCOPE`` says what it looks at: a ``WORKLOAD``, a ``ROLE``, or a ``CONTAINER`` (init containers too). Its
subject is a view of ``manifest.views``. It imports ``diagnostics`` and ``manifest.views`` and nothing else. It never
trusts a tree: shape findings are reported elsewhere, a rule that lacks its facts says nothing.
To add a rule: the file, and ``tests/rules/<module>/bad.yaml`` (lines end in ``# expect: CODE``) and ``good.yaml``.
"""

from __future__ import annotations

from specgen.diagnostics.model import Code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Protocol

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.profile.cluster import ClusterProfile

    class Rule(Protocol):
        """What a module of this folder offers."""

        CODE: Code
        SCOPE: str

        def check(self, subject: Any, context: Context) -> Iterator[Finding]: ...


WORKLOAD = "workload"
ROLE = "role"
CONTAINER = "container"


class Context:
    """What a rule may ask besides its subject: the cluster, if one is known, and fields filed in the wrong place.

    ``misplaced_env``: paths of list items under ``volumeMounts`` that are environment variables (SG111): they count as
    written where they belong, so that one slip is one finding.
    """

    __slots__ = ("cluster", "misplaced_env")

    def __init__(
        self, cluster: ClusterProfile | None = None, misplaced_env: Iterable[tuple[str | int, ...]] = ()
    ) -> None:
        self.cluster = cluster
        self.misplaced_env = tuple(misplaced_env)


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


_loaded: list[Rule] = []


def run(workload: Workload, context: Context) -> list[Finding]:
    """The findings of every rule on a workload, in the order of the rules' names."""
    if not _loaded:
        _loaded.extend(load(name) for name in names())
    subject = workload.manifest.ref.as_dict()
    # twin roles of a compiled job, and aliases of a text, are one container: what is wrong with it is said once
    containers: dict[int, Any] = {}
    for role in workload.roles:
        for init in (True, False):
            for container in role.containers(init=init):
                containers.setdefault(id(container.tree), container)
    subjects: dict[str, list[Any]] = {
        WORKLOAD: [workload],
        ROLE: list(workload.roles),
        CONTAINER: list(containers.values()),
    }
    findings: list[Finding] = []
    for rule in _loaded:
        for one in subjects[rule.SCOPE]:
            for finding in rule.check(one, context):
                finding.subject = subject
                findings.append(finding)
    return findings
