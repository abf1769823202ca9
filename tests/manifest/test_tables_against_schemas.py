"""Table and schema give one verdict on every kind: on random documents, on changed real ones and at the edges."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from specgen.generate.job_kinds import KINDS
from specgen.generate.shapes import Kind
from specgen.schema.accept import accepts
from specgen.schema.files import load
from specgen.schema.library import validator_for
from specgen.schema.walk import Walk
from tests.manifest.recordings import Recording, recordings
from tests.schema.documents import mutated, value

EXAMPLES = 250


class Verdicts:
    """Both validators of a kind."""

    def __init__(self, kind: Kind) -> None:
        self.schema = load(kind.path.removeprefix("schemas/"))
        self.library = validator_for(self.schema)
        self.node = import_module(f"specgen.tables.{Path(kind.path).stem}").ROOT
        self.counts: Counter[bool] = Counter()

    def agree(self, document: Any) -> bool:
        """The one verdict; fails where there are two."""
        valid = bool(self.library.is_valid(document))
        assert accepts(self.node, document) == valid, f"acceptor and library differ (library: {valid}): {document}"
        self.counts[valid] += 1
        return valid


@pytest.fixture(scope="module")
def recorded(shared: Path) -> dict[str, list[Recording]]:
    return recordings(shared)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.key)
def test_random_documents(kind: Kind) -> None:
    verdicts, rng = Verdicts(kind), Random(kind.key)
    walk = Walk(verdicts.schema, None)
    for _ in range(EXAMPLES):
        verdicts.agree(value(rng, walk, walk.root))
    print(f"{kind.key}: {verdicts.counts[True]} valid, {verdicts.counts[False]} invalid")
    assert verdicts.counts[True] > 0
    assert verdicts.counts[False] > 0


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.key)
def test_real_documents_changed(kind: Kind, recorded: dict[str, list[Recording]]) -> None:
    verdicts, rng = Verdicts(kind), Random(kind.key)
    real = [one.document for one in recorded.get(kind.key, ())]
    if not real:
        pytest.skip("there is no recording of this kind")
    for _ in range(EXAMPLES):
        verdicts.agree(mutated(rng, rng.choice(real)))
    print(f"{kind.key}: {verdicts.counts[True]} valid, {verdicts.counts[False]} invalid")
    assert verdicts.counts[False] > 0


def _kind(key: str) -> Kind:
    (kind,) = (kind for kind in KINDS if kind.key == key)
    return kind


def _valid(key: str, **fields: Any) -> bool:
    kind = _kind(key)
    top = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": "a"}}
    return Verdicts(kind).agree({**top, **fields})


TRAIN_JOB = "trainer.kubeflow.org/v1alpha1 TrainJob"
POD_GROUP = "scheduling.volcano.sh/v1beta1 PodGroup"


def test_lengths_of_texts_count_at_both_ends() -> None:
    for length, valid in ((0, False), (1, True), (253, True), (254, False)):
        assert _valid(TRAIN_JOB, spec={"runtimeRef": {"name": "a" * length}}) is valid
        assert _valid(POD_GROUP, spec={"queue": "a" * length}) is valid
    assert not _valid(POD_GROUP, spec={"queue": "a_b"})
    assert _valid(POD_GROUP, spec={"priorityClassName": "a_b"})


def test_words_admit_null_where_the_field_may_be_absent() -> None:
    for word, valid in (("hard", True), ("soft", True), (None, True), ("Hard", False), ("", False), (1, False)):
        assert _valid(POD_GROUP, spec={"networkTopology": {"mode": word}}) is valid
    task: dict[str, Any] = {"policies": [{"events": ["PodFailed", "TaskFailed"]}]}
    assert _valid("batch.volcano.sh/v1alpha1 Job", spec={"tasks": [task]})
    task["policies"][0]["events"].append("PodSucceeded")
    assert not _valid("batch.volcano.sh/v1alpha1 Job", spec={"tasks": [task]})


def test_decimal_quantities_are_for_built_in_kinds_only() -> None:
    claim: dict[str, Any] = {"resources": {"requests": {"storage": 1.5}}}
    assert _valid("v1 PersistentVolumeClaim", spec=claim)
    volume = {"volumeClaim": claim, "mountPath": "/a"}
    assert not _valid("batch.volcano.sh/v1alpha1 Job", spec={"volumes": [volume]})
    claim["resources"]["requests"]["storage"] = "1.5Gi"
    assert _valid("batch.volcano.sh/v1alpha1 Job", spec={"volumes": [volume]})


def test_pod_templates_of_ms_jobs_have_no_metadata() -> None:
    key = "mindspore.gitee.com/v1 MSJob"
    template: dict[str, Any] = {"spec": {"containers": [{"name": "mindspore"}]}, "metadata": {}}
    assert _valid(key, spec={"msReplicaSpecs": {"Worker": {"template": template}}})
    template["metadata"]["labels"] = {"a": "b"}
    assert not _valid(key, spec={"msReplicaSpecs": {"Worker": {"template": template}}})


def test_rules_of_job_sets_need_a_name_in_runtimes_only() -> None:
    job_set = {"failurePolicy": {"rules": [{"action": "FailJobSet"}]}}
    assert _valid("jobset.x-k8s.io/v1alpha2 JobSet", spec=job_set)
    assert not _valid("trainer.kubeflow.org/v1alpha1 TrainingRuntime", spec={"template": {"spec": job_set}})
