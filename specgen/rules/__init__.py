"""What manifests get wrong: one file a rule, and the folder is the registry.

A rule is a module with a docstring (its page), ``CODE``, ``SCOPE``, ``KINDS``, and ``check(subject, context)``, a
generator of findings. ``SCOPE`` says what it looks at: a ``WORKLOAD``, a ``ROLE``, a ``CONTAINER`` (init containers
too), a workload that is ``REFUSED`` for one of its ``CAUSES``, the manifest of an object that stands ``BESIDE`` jobs,
or that of an ``OBJECT`` of any kind whose shape is known. ``KINDS`` says which kinds of jobs, or of objects beside
them, it is for; others do not load it, nor do jobs whose commands do not name the trainer load rules that begin with
``trainer_``. Rules that begin with ``policy_`` are opt-in: what they find is advice that not every team follows, and
nobody loads one before somebody asks for its code (``Context.chosen``). Where it has nothing to say of a job without
certain fields, ``NEEDS`` names them, of which one is enough: no other job loads it. They are fields of the job's spec,
of the policies in it, of a role, a pod, or a container: nobody looks any deeper. What no name of a field tells has a
word in ``_needs``. A code that is found in profiles as well stands with its page in ``profile.codes``.
What somebody refuses of a job is worked out by its operator's ``refusals``, for ``expand`` as well. A rule that
presents it asks the context for the ``CAUSES`` that it names, and adds the page, the place, the words, and the fix.
Its subject is a view of ``manifest.views``. It imports ``diagnostics``, ``manifest.views``, and what no rule decides by
itself: what the API server refuses (``operators.kubernetes``), what operators send (``operators.template``), and what
their limits count (``operators.incidents``). It never trusts a tree: shape findings are reported
elsewhere, a rule that lacks its facts says nothing.
To add a rule: the file, ``tests/rules/<module>/bad.yaml`` (lines end in ``# expect: CODE``) and ``good.yaml``; then
``python -m specgen.generate`` enters it in ``_index`` and in the ``README``.
"""

from __future__ import annotations

from specgen.diagnostics.model import Code
from specgen.rules._context import Context as Context
from specgen.rules._held import Needs, is_late
from specgen.rules._needs import ADDRESS as ADDRESS
from specgen.rules._needs import ALWAYS as ALWAYS
from specgen.rules._needs import AMOUNTS as AMOUNTS
from specgen.rules._needs import ARGO_CD as ARGO_CD
from specgen.rules._needs import CARRIED as CARRIED
from specgen.rules._needs import CLAIMS as CLAIMS
from specgen.rules._needs import CONFIGURED as CONFIGURED
from specgen.rules._needs import COUNTED as COUNTED
from specgen.rules._needs import COUNTS as COUNTS
from specgen.rules._needs import DOLLAR as DOLLAR
from specgen.rules._needs import DOWNLOAD as DOWNLOAD
from specgen.rules._needs import EXIT_CODE as EXIT_CODE
from specgen.rules._needs import FABRIC as FABRIC
from specgen.rules._needs import FABRIC_CARRIED as FABRIC_CARRIED
from specgen.rules._needs import GANG as GANG
from specgen.rules._needs import HOST_PATH as HOST_PATH
from specgen.rules._needs import IDLE_LAUNCHER as IDLE_LAUNCHER
from specgen.rules._needs import IMAGE as IMAGE
from specgen.rules._needs import INTERFACE as INTERFACE
from specgen.rules._needs import KEPT as KEPT
from specgen.rules._needs import KRM as KRM
from specgen.rules._needs import KUEUE as KUEUE
from specgen.rules._needs import LAUNCHER as LAUNCHER
from specgen.rules._needs import LIBRARY_PATH as LIBRARY_PATH
from specgen.rules._needs import LIGHTNING as LIGHTNING
from specgen.rules._needs import LIMIT_RANGE as LIMIT_RANGE
from specgen.rules._needs import LIMITED as LIMITED
from specgen.rules._needs import LITTLE as LITTLE
from specgen.rules._needs import MEDIUM as MEDIUM
from specgen.rules._needs import MEMORY as MEMORY
from specgen.rules._needs import MESH as MESH
from specgen.rules._needs import MISNAMED as MISNAMED
from specgen.rules._needs import MODEL_PARALLEL as MODEL_PARALLEL
from specgen.rules._needs import MSRUN as MSRUN
from specgen.rules._needs import NCCL as NCCL
from specgen.rules._needs import NCCL_GONE as NCCL_GONE
from specgen.rules._needs import NCCL_IB as NCCL_IB
from specgen.rules._needs import NCCL_UNKNOWN as NCCL_UNKNOWN
from specgen.rules._needs import NCCL_WRONG as NCCL_WRONG
from specgen.rules._needs import NODE_ROLE as NODE_ROLE
from specgen.rules._needs import NODES as NODES
from specgen.rules._needs import ODD_AMOUNT as ODD_AMOUNT
from specgen.rules._needs import OF_OBJECT as OF_OBJECT
from specgen.rules._needs import OFF_PODS as OFF_PODS
from specgen.rules._needs import OPERATOR_ENV as OPERATOR_ENV
from specgen.rules._needs import OTHER_MAKER as OTHER_MAKER
from specgen.rules._needs import OUTSIDE as OUTSIDE
from specgen.rules._needs import PARTS as PARTS
from specgen.rules._needs import POD_SECURITY as POD_SECURITY
from specgen.rules._needs import POOLS as POOLS
from specgen.rules._needs import PRELOAD as PRELOAD
from specgen.rules._needs import PROXY as PROXY
from specgen.rules._needs import PYTHON as PYTHON
from specgen.rules._needs import PYTHON_ON_GPUS as PYTHON_ON_GPUS
from specgen.rules._needs import QUEUES as QUEUES
from specgen.rules._needs import QUOTE as QUOTE
from specgen.rules._needs import RANKED as RANKED
from specgen.rules._needs import READ_ONLY as READ_ONLY
from specgen.rules._needs import REFUSED_POD as REFUSED_POD
from specgen.rules._needs import RELATIVE as RELATIVE
from specgen.rules._needs import ROCE as ROCE
from specgen.rules._needs import RUNTIME_IMAGE as RUNTIME_IMAGE
from specgen.rules._needs import RUNTIME_TTL as RUNTIME_TTL
from specgen.rules._needs import SECRET as SECRET
from specgen.rules._needs import SELECTED as SELECTED
from specgen.rules._needs import SERVER_OWNED as SERVER_OWNED
from specgen.rules._needs import SEVERAL as SEVERAL
from specgen.rules._needs import SIZED_VOLUME as SIZED_VOLUME
from specgen.rules._needs import SLASHES as SLASHES
from specgen.rules._needs import SLIP as SLIP
from specgen.rules._needs import SLURM as SLURM
from specgen.rules._needs import SOME_GPUS as SOME_GPUS
from specgen.rules._needs import SUB_PATH as SUB_PATH
from specgen.rules._needs import SWITCHED_OFF as SWITCHED_OFF
from specgen.rules._needs import TEMPLATE_POLICY as TEMPLATE_POLICY
from specgen.rules._needs import TINY as TINY
from specgen.rules._needs import TWINS as TWINS
from specgen.rules._needs import UNSERVED as UNSERVED
from specgen.rules._needs import VALUELESS as VALUELESS
from specgen.rules._needs import VISIBLE as VISIBLE
from specgen.rules._needs import WITHOUT_MASTER as WITHOUT_MASTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Protocol

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload

    class Rule(Protocol):
        """What a module of this folder offers."""

        CODE: Code
        SCOPE: str
        KINDS: tuple[str, ...]

        def check(self, subject: Any, context: Context) -> Iterator[Finding]: ...


WORKLOAD = "workload"
ROLE = "role"
CONTAINER = "container"

# An object that is no job, of one of the rule's ``KINDS``: its manifest.
BESIDE = "beside"

# An object of any kind whose shape is known, jobs and what stands beside them alike: its manifest.
OBJECT = "object"

# A workload that somebody refuses for one of the rule's ``CAUSES``.
REFUSED = "refused"

# Kinds that a rule is for: jobs of every kind, and those whose roles stand in the job itself, whom the table names.
ALL: tuple[str, ...] = ()
ROLED: tuple[str, ...] = ("<with roles>",)

# Kinds of rules about an ``OBJECT``.
EVERY: tuple[str, ...] = ("<every kind>",)


def names() -> list[str]:
    """Rules by module name, sorted; nothing is imported."""
    import os

    files = os.listdir(os.path.dirname(os.path.abspath(__file__)))
    return sorted(file[:-3] for file in files if file.endswith(".py") and not file.startswith("_"))


def load(name: str) -> Rule:
    """One rule."""
    from specgen.modules import import_module

    module: Any = import_module(f"specgen.rules.{name}")
    return module  # type: ignore[no-any-return]


# Rules whose names begin so are asked for, or are not there.
POLICY = "policy_"


_loaded: dict[str, Rule] = {}
_plans: dict[tuple[str, bool, frozenset[str]], Plan] = {}


class Plan:
    """The rules for jobs of one kind, as they are chosen for a job.

    ``rules``: (name, causes) in the order of names; by their numbers in it: ``always``, rules that need nothing of the
    job; ``by_field``, a field that a job may have → those that need it; ``by_word`` and ``late``, the same of words in
    brackets, of which late ones cost something to ask for.
    """

    __slots__ = ("always", "by_field", "by_word", "late", "rules")

    def __init__(self, rules: list[tuple[str, tuple[str, ...], tuple[str, ...]]]) -> None:
        self.rules = [(name, causes) for name, causes, _ in rules]
        self.always = [number for number, (_, _, needs) in enumerate(rules) if not needs]
        self.by_field: dict[str, list[int]] = {}
        self.by_word: dict[str, list[int]] = {}
        self.late: dict[str, list[int]] = {}
        for number, (_, _, needs) in enumerate(rules):
            for need in needs:
                table = self.by_field if need[0] != "<" else self.late if is_late(need) else self.by_word
                table.setdefault(need, []).append(number)

    def chosen(self, job: Needs) -> list[tuple[str, tuple[str, ...]]]:
        """The rules that may have something to say of a job, in the order of their names."""
        found = {*self.always}
        by_field = self.by_field
        for field in job.fields & by_field.keys():
            found.update(by_field[field])
        by_word = self.by_word
        for word in job.words & by_word.keys():
            found.update(by_word[word])
        for word, numbers in self.late.items():
            # rules that a field has chosen already need nothing of the word
            if not found.issuperset(numbers) and job.has(word):
                found.update(numbers)
        rules = self.rules
        return [rules[number] for number in sorted(found)]


def _plan(kind: str, trainer: bool, chosen: frozenset[str]) -> Plan:
    """The rules for jobs of a kind; those of the trainer where it may run, opt-in ones where they are chosen."""
    key = (kind, trainer, chosen)
    if key not in _plans:
        from specgen.rules._index import OPT_IN, RULES

        _plans[key] = Plan(
            [
                (name, causes, needs)
                for name, (kinds, causes, needs) in RULES.items()
                if (not kinds or kind in kinds or kinds == EVERY)
                and (trainer or not name.startswith("trainer_"))
                and (name not in OPT_IN or OPT_IN[name] in chosen)
            ]
        )
    return _plans[key]


def _may_run_trainer(line: str) -> bool:
    return "trainer" in line or "main_" in line


def run_beside(manifest: Manifest, context: Context, *, known: bool) -> list[Finding]:
    """The findings of every rule on an object that is no job; ``known``: whether the shape of its kind is."""
    from specgen.rules._index import OPT_IN, RULES

    findings: list[Finding] = []
    for name, (kinds, _, _) in RULES.items():
        if (known if kinds == EVERY else manifest.ref.kind in kinds) and (
            name not in OPT_IN or OPT_IN[name] in context.chosen
        ):
            rule = _loaded.get(name) or _loaded.setdefault(name, load(name))
            findings += rule.check(manifest, context) if rule.SCOPE in (BESIDE, OBJECT) else ()
    return findings


def run(workload: Workload, context: Context) -> list[Finding]:
    """The findings of every rule on a workload, in the order of the rules' names."""
    subject = workload.manifest.ref.as_dict()
    # twin roles of a compiled job, and aliases of a text, are one container: what is wrong with it is said once
    containers: dict[int, Any] = {}
    twins: dict[int, list[Any]] = {}
    for role in workload.roles:
        for container in (*role.containers(init=True), *role.containers()):
            if containers.setdefault(id(container.tree), container) is not container:
                twins.setdefault(id(container.tree), []).append(container)
    subjects: dict[str, list[Any]] = {
        OBJECT: [workload.manifest],
        WORKLOAD: [workload],
        REFUSED: [workload],
        ROLE: list(workload.roles),
        CONTAINER: list(containers.values()),
    }
    findings: list[Finding] = []
    job = Needs(workload, containers.values(), context)
    of_trainer = _may_run_trainer(job.line)
    for name, causes in _plan(workload.kind, of_trainer, context.chosen).chosen(job):
        if causes and not context.refused(*causes):
            continue
        rule = _loaded.get(name) or _loaded.setdefault(name, load(name))
        for one in subjects[rule.SCOPE]:
            found = list(rule.check(one, context))
            if found and rule.SCOPE == CONTAINER and id(one.tree) in twins:
                from specgen.rules._twins import widen  # few texts have aliases

                widen(found, rule.check, one, twins[id(one.tree)], context)
            for finding in found:
                finding.subject = subject
            findings += found
    return findings
