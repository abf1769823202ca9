"""What the tests of rules and of misplaced fields share: fixtures, what they expect, and examples of pages as jobs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from specgen import operators, rules
from specgen.checking import operator_gang, operator_version, workload_of
from specgen.diagnostics.model import Diagnostic, Finding
from specgen.document.read import read
from specgen.document.tree import Document
from specgen.document.write import write_yaml
from specgen.linting import lint_source
from specgen.manifest.model import Manifest
from specgen.manifest.shape import shape
from specgen.operators.trainer.facts import RUNTIMES
from specgen.operators.training.pytorchjob import READER as pytorchjob
from specgen.profile.cluster import ClusterProfile
from specgen.profile.library import check
from specgen.rules import Context
from specgen.schema.record import record
from specgen.source import Source
from specgen.tables import cluster as table

MARK = "# expect: "


def lint(file: Path) -> list[Diagnostic]:
    """The diagnostics of a file under its bare name, with the cluster profile of the same stem, if there is one.

    Where its folder is that of an opt-in rule, this rule is asked.
    """
    beside = file.with_suffix(".cluster")
    rule = file.parent.name
    chosen = frozenset([rules.load(rule).CODE.id] if rule.startswith(rules.POLICY) else ())
    said = document(beside) if beside.is_file() else None
    profile = cluster(beside) if beside.is_file() else None
    found = lint_source(Source(file.name, file.read_text()), profile, chosen=chosen, said=said)
    return found.diagnostics


def document(file: Path) -> Document:
    """A cluster profile as it is written."""
    found, findings = check(Source(file.name, file.read_text()))
    assert found is not None and not findings
    return found


def cluster(file: Path) -> ClusterProfile:
    profile: ClusterProfile = record(document(file).data, "ClusterProfile", table.RECORDS)
    return profile


def expected(file: Path) -> list[tuple[int, str]]:
    """(line, code) for each code named behind ``# expect:``."""
    found = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        _, mark, codes = line.partition(MARK)
        found += [(number, code) for code in codes.split(", ")] if mark else []
    return found


def summary(diagnostics: list[Diagnostic]) -> list[tuple[int, str]]:
    return [(one["primary"]["start"]["line"], one["code"]) for one in diagnostics]


def examples(page: str) -> list[dict[str, Any]]:
    """The YAML blocks of a page, each as a whole job: a PyTorchJob, where none says its kind."""
    return [job for job, _ in examples_beside(page)]


def examples_beside(page: str) -> list[tuple[dict[str, Any], list[Manifest]]]:
    """The same with the objects that stand before the job, as further documents of its block."""
    found = []
    for block in page.split("```yaml\n")[1:]:
        documents, findings = read(Source("page", block.partition("```")[0]))
        assert not findings and documents
        # a job that says no kind is a PyTorchJob
        known = [(one, str(one.data.get("apiVersion")), one.data.get("kind")) for one in documents]
        jobs = [one for one, version, kind in known if kind is None or operators.by_object(version, str(kind))]
        job = [*jobs, documents[-1]][0]
        found.append((whole(job.data), [Manifest(one.data, one) for one in documents if one is not job]))
    return found


def beside(file: Path) -> list[Manifest]:
    """The runtimes in a file, for the TrainJobs of a page's examples, which have no room for them."""
    documents, _ = read(Source(file.name, file.read_text()))
    return [Manifest(one.data, one) for one in documents if one.data.get("kind") in RUNTIMES]


def whole(part: dict[str, Any]) -> dict[str, Any]:
    """A part of a job with what goes around it: of which mapping it is a part, its keys say."""
    if "kind" in part:
        return part
    if not part.keys().isdisjoint(("pytorchReplicaSpecs", "runPolicy", "elasticPolicy", "nprocPerNode")):
        metadata = {"name": "llama-ft"}
        return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": metadata, "spec": part}
    if not part.keys().isdisjoint(("Master", "Worker")):
        return whole({"pytorchReplicaSpecs": part})
    if not part.keys().isdisjoint(("template", "replicas")):
        return whole({"Worker": part})
    if "containers" in part:
        return whole({"template": {"spec": part}})
    return whole({"containers": [{"name": "pytorch", "image": "registry.example.com/train:1.4", **part}]})


def codes_of_rule(
    rule: Any, tree: dict[str, Any], profile: ClusterProfile | None = None, companions: Sequence[Manifest] = ()
) -> list[str]:
    """The codes that one rule alone yields for a job; a job of another kind than PyTorchJob says its kind."""
    documents, _ = read(Source("page", write_yaml(tree)))
    if rule.SCOPE in (rules.BESIDE, rules.OBJECT):
        return [one.code.id for one in rule.check(Manifest(tree, documents[0]), Context(profile))]
    backend = operators.by_object(str(tree.get("apiVersion")), str(tree.get("kind"))) or pytorchjob
    version = operator_version(profile, backend) if profile is not None else None
    workload = workload_of(backend, Manifest(tree, documents[0]), version, companions)
    if profile is not None:
        workload.gang = operator_gang(profile, backend)
    subjects: dict[str, list[Any]] = {rules.WORKLOAD: [workload], rules.ROLE: list(workload.roles)}
    subjects[rules.CONTAINER] = [
        c for role in workload.roles for init in (True, False) for c in role.containers(init=init)
    ]
    context = Context(profile, objections=backend.refusals(workload), reader=backend, companions=companions)
    if rule.SCOPE == rules.REFUSED:
        subjects[rules.REFUSED] = [workload] if context.refused(*rule.CAUSES) else []
    found: list[Finding] = [one for subject in subjects[rule.SCOPE] for one in rule.check(subject, context)]
    return [one.code.id for one in found]


def codes_of_shape(tree: dict[str, Any]) -> list[str]:
    return [one.code.id for one in shape(pytorchjob.schema, tree)]
