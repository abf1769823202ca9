"""What manifests get wrong: one file a rule, and the folder is the registry.

A rule is a module with a docstring (its page), ``CODE``, ``SCOPE`` and ``check(subject, context)``, a generator of
findings. ``SCOPE`` says what it looks at: a ``WORKLOAD``, a ``ROLE``, or a ``CONTAINER`` (init containers too). Its
subject is a view of ``manifest.views``. It imports ``diagnostics``, ``manifest.views``, and what the API server refuses
(``operators.kubernetes``), which no rule decides by itself. It never trusts a tree: shape findings are reported
elsewhere, a rule that lacks its facts says nothing.
A rule for some kinds only stands in ``ONLY``, so that jobs of other kinds do not load it; neither do jobs whose
commands do not name the trainer load rules that begin with ``trainer_``.
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

# Kinds whose roles stand in the job itself, under the names that the operator gives them.
ROLED = ("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob")
# Rules by module name → the kinds that they are about; a rule that is not named here is about all.
ONLY = {
    "chief_beside_master": ("TFJob",),
    "doubled_process_count": ("PyTorchJob",),
    "elastic_without_worker": ("PyTorchJob",),
    "impossible_elastic_range": ("PyTorchJob",),
    "missing_roles": ROLED,
    "negative_limit": ROLED,
    "refused_job": ("JobSet", "MPIJob", "TrainJob"),
    "reserved_init_container": ("MPIJob", "PyTorchJob"),
    "reserved_volume": ("MPIJob",),
    "too_many_processes": ("MPIJob",),
    "unknown_clean_policy": ROLED,
    "unknown_manager": ("MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"),
    "unknown_restart_policy": ROLED,
    "unknown_role": ROLED,
    "worker_without_sshd": ("MPIJob",),
    "wrong_container_name": tuple(kind for kind in ROLED if kind != "MPIJob"),
    "wrong_replicas": ROLED,
}


class Context:
    """What a rule may ask besides its subject: the cluster, if one is known, and fields that are findings already.

    ``misshapen``: paths of values whose shape is refused. ``misplaced_env``: paths of list items under ``volumeMounts``
    that are environment variables (SG111): they count as written where they belong, so that one slip is one finding.
    """

    __slots__ = ("cluster", "misplaced_env", "misshapen")

    def __init__(
        self,
        cluster: ClusterProfile | None = None,
        misplaced_env: Iterable[tuple[str | int, ...]] = (),
        misshapen: Iterable[tuple[str | int, ...]] = (),
    ) -> None:
        self.cluster = cluster
        self.misplaced_env = tuple(misplaced_env)
        self.misshapen = tuple(misshapen)


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


_loaded: dict[tuple[str, bool], list[Rule]] = {}


def of(kind: str, trainer: bool) -> list[Rule]:
    """The rules for jobs of a kind, in the order of their names; those about the trainer only where it is run."""
    key = (kind, trainer)
    if key not in _loaded:
        about = [name for name in names() if kind in ONLY.get(name, (kind,))]
        _loaded[key] = [load(name) for name in about if trainer or not name.startswith("trainer_")]
    return _loaded[key]


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
        ROLE: list(workload.roles),
        CONTAINER: list(containers.values()),
    }
    findings: list[Finding] = []
    for rule in of(workload.kind, any(_may_run_trainer(one) for one in containers.values())):
        for one in subjects[rule.SCOPE]:
            for finding in rule.check(one, context):
                finding.subject = subject
                findings.append(finding)
    return findings
