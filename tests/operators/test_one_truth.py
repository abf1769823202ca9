"""``lint`` has an error of refusal exactly where ``expand`` refuses: the two read one list.

Held on every fixture of a rule, every recording, the corpus, the cases of people who tried it, and on manifests in
which parts are torn out or replaced. ``one_truth_exceptions.yaml`` says why where the two disagree; one that is not
used fails.
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen import operators
from specgen.document.decode import decode
from specgen.document.read import read
from specgen.manifest.model import Manifest
from specgen.manifest.origins import manifests
from tests.operators.one_truth import verdict
from tests.operators.refusals import cluster

HERE = Path(__file__).parent
RULES = HERE.parent / "rules"
SEEDS = HERE / "one_truth"
# Operator → versions that are asked.
VERSIONS = {
    "training-operator": ("1.9.4", "1.8.1", "1.7.0"),
    "mpi-operator": ("0.8.2", "0.6.0", "0.4.0"),
    "ms-operator": ("1.0.0",),
    "trainer": ("2.3.0", "2.2.0", "2.1.0"),
    "jobset": ("0.12.0",),
    "volcano": ("1.15.1",),
}
CLUSTERS = {
    (name, version): cluster(*(("trainer", "2.3.0") if name in ("jobset", "volcano") else (name, version)))
    for name, versions in VERSIONS.items()
    for version in versions
}
EXCEPTIONS: dict[str, dict[str, str]] = yaml.safe_load((HERE / "one_truth_exceptions.yaml").read_text("utf-8"))


def _objects(file: Path) -> list[Manifest]:
    """The objects of a file; none of one that cannot be read."""
    source, findings = decode(file.name, file.read_bytes())
    if source is None or findings:
        return []
    documents, findings = read(source)
    if findings:
        return []
    return [one for document in documents if isinstance(document.data, dict) for one in manifests(document)]


def _disagreements(objects: list[Manifest], ignored: Iterable[str] = ()) -> Iterator[str]:
    """A sentence for each job and version on which the two disagree, but for sentences with a part that is ignored."""
    for manifest in objects:
        reader = operators.by_object(manifest.ref.api_version, manifest.ref.kind)
        if reader is None:
            continue
        for version in VERSIONS[reader.operator.name]:
            told = verdict(
                manifest,
                reader,
                version,
                CLUSTERS[reader.operator.name, version],
                [one for one in objects if one is not manifest],
            )
            if not told.agree and not any(part in told.linted + told.expanded for part in ignored):
                who = f"lint alone: {told.linted}" if told.linted else f"expand alone: {told.expanded}"
                yield f"{reader.operator.name} {version}: {who}"


def _held(section: str, files: list[Path], home: Path) -> None:
    known = EXCEPTIONS[section]
    used, failures, jobs = set(), [], 0
    for file in files:
        name = file.relative_to(home).as_posix()
        objects = _objects(file)
        jobs += any(operators.by_object(one.ref.api_version, one.ref.kind) for one in objects)
        beside = file.with_suffix(".cluster")
        if beside.is_file():
            continue  # its cluster has other versions than those asked here
        for said in _disagreements(objects):
            if name in known:
                used.add(name)
            else:
                failures.append(f"{name}: {said}")
    asked = {file.relative_to(home).as_posix() for file in files}
    failures += [f"{name}: its exception is not used" for name in known if name in asked - used]
    assert not failures, "\n".join(failures)
    assert jobs > 5


def test_fixtures_of_rules() -> None:
    _held("rules", sorted(RULES.glob("*/*.yaml")), RULES)


PATTERNS = pytest.mark.parametrize(
    ("section", "pattern"),
    [
        ("corpus", "corpus/*/*.yaml"),
        ("conformance", "conformance/*/**/*.yaml"),
        ("cases", "findings/cases/lint/**/*.yaml"),
    ],
)


@PATTERNS
def test_some_files(shared: Path, section: str, pattern: str) -> None:
    _held(section, sorted(shared.glob(pattern))[::6], shared)


@pytest.mark.fuzz
@PATTERNS
def test_all_files(shared: Path, section: str, pattern: str) -> None:
    files = sorted(shared.glob(pattern))
    _held(section, files, shared)
    left = set(EXCEPTIONS[section]) - {file.relative_to(shared).as_posix() for file in files}
    assert left == set(), "exceptions of files that are not there"


# Values that somebody may write at a path of a job, whatever stands there today.
WORDS: dict[str, tuple[Any, ...]] = {
    "apiGroup": ("trainer.kubeflow.org", "batch"),
    "backoffLimit": (-1, 0, 3),
    "cleanPodPolicy": ("None", "Running", "All", "Completed", ""),
    "completionMode": ("Indexed", "NonIndexed"),
    "completions": (-1, 0, 2),
    "containers": ([],),
    "dependsOn": ([{"name": "node", "status": "Ready"}], [{"name": "other", "status": "Complete"}]),
    "elasticPolicy": (
        {},
        {"nProcPerNode": 2},
        {"minReplicas": 4, "maxReplicas": 2, "metrics": []},
        {"minReplicas": 1, "maxReplicas": 2},
    ),
    "envInjection": ({"targets": [{"jobName": "node", "containerNames": ["node"]}]}, {"targets": [{"jobName": "x"}]}),
    "failurePolicy": ({"rules": [{"name": "a b", "action": "FailJobSet"}]}, {"maxRestarts": 1}),
    "generateName": ("llama-", "Llama-", "a" * 58, "a" * 70),
    "image": ("", "train:1"),
    "initializer": ({"dataset": {"storageUri": "hf://a/b"}}, {"model": {"storageUri": "a/b"}}),
    "kind": ("TrainingRuntime", "ClusterTrainingRuntime", "Runtime"),
    "managedBy": ("kubeflow.org/training-operator", "kubeflow.org/mpi-operator", "kueue.x-k8s.io/multikueue", "me", ""),
    "mlPolicy": ({"torch": {}}, {"torch": {}, "mpi": {}}, {"flux": {"numProcPerNode": 0}}),
    "mpiImplementation": ("OpenMPI", "Intel", "MPICH"),
    "name": ("llama", "llama-ft", "Llama", "1llama", "a.b", "-a", "a" * 52, "a" * 60, "a" * 64, "node", "pytorch", ""),
    "nprocPerNode": ("2", "auto"),
    "numNodes": (0, 1, 4),
    "numProcPerNode": (-1, 0, 2),
    "parallelism": (-1, 0, 2),
    "podSpecOverrides": ([],),
    "replicas": (-1, 0, 1, 2, 100),
    "restartPolicy": ("Always", "OnFailure", "Never", "ExitCode", "Sometimes", ""),
    "runLauncherAsWorker": (True, False),
    "runtimePatches": ([{"manager": "me"}], [{"manager": "a.b/c"}, {"manager": "a.b/c"}]),
    "slotsPerWorker": (-1, 0, 1, 8),
    "startupPolicy": ({"startupPolicyOrder": "InOrder"}, {"startupPolicyOrder": "AnyOrder"}),
    "subdomain": ("pods", "Pods", "a.b"),
    "successPolicy": ({"operator": "All", "targetReplicatedJobs": ["x"]}, {"operator": "Any"}),
    "suspend": (True, False),
    "trainer": ({}, {"numNodes": 2}, {"command": ["tune", "run"]}, {"env": [{"name": "PET_NNODES", "value": "2"}]}),
}
# Kind, or the key of the mapping or list that holds a mapping → what may be written there.
FIELDS: dict[str, tuple[str, ...]] = {
    "JobSet": ("failurePolicy", "managedBy", "startupPolicy", "successPolicy", "suspend"),
    "MPIJob": ("cleanPodPolicy", "mpiImplementation", "runLauncherAsWorker", "slotsPerWorker"),
    "PyTorchJob": ("elasticPolicy", "nprocPerNode"),
    "TrainJob": ("initializer", "managedBy", "runtimePatches", "suspend", "trainer"),
    "ClusterTrainingRuntime": ("mlPolicy",),
    "containers": ("image", "name"),
    "metadata": ("generateName", "name"),
    "network": ("subdomain",),
    "replicatedJobs": ("dependsOn", "name", "replicas"),
    "runPolicy": ("backoffLimit", "cleanPodPolicy", "managedBy", "suspend"),
    "runtimeRef": ("apiGroup", "kind", "name"),
    "torch": ("envInjection",),
    "trainer": ("numNodes", "numProcPerNode"),
}
ROLES = ("Master", "Worker", "Launcher", "Chief", "PS", "Evaluator", "Scheduler", "worker", "MASTER", "Helper")


def _mutated(tree: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """A copy with up to three parts torn out, renamed, doubled, or replaced by what else is written there."""
    copy: dict[str, Any] = json.loads(json.dumps(tree))
    for _ in range(dice.randint(1, 3)):
        found = [(holder, one) for holder, one in _mappings(copy) if one]
        # what stands near the root is asked as often as all that stands in pods
        holder, one = dice.choice(found[1 : dice.choice((5, 9, len(found)))] or found)
        key, turn = dice.choice(sorted(one)), dice.random()
        roles = [role for role in ROLES if role in one]
        fields = FIELDS.get(str(tree.get("kind")) if holder == "spec" else holder, ())
        if holder in ROLES:
            fields = ("replicas", "restartPolicy")
        words = sorted({*fields, *(word for word in WORDS if word in one)})
        if roles and turn < 0.5:
            role = dice.choice(roles)
            part = one[role] if dice.random() < 0.5 else one.pop(role)
            one[dice.choice(ROLES)] = json.loads(json.dumps(part))
        elif words and turn < 0.85:
            word = dice.choice(words)
            one[word] = json.loads(json.dumps(dice.choice(WORDS[word])))
        elif turn < 0.95:
            del one[key]
        else:
            one[key] = dice.choice((None, {}, [], "", 0))
    return copy


def _mappings(tree: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """All mappings, each with the key that holds it or the list in which it is; those near the root first."""
    level: list[tuple[str, Any]] = [("", tree)]
    while level:
        yield from ((holder, one) for holder, one in level if isinstance(one, dict))
        below = []
        for holder, one in level:
            below += [(str(key), value) for key, value in one.items()] if isinstance(one, dict) else []
            below += [(holder, value) for value in one] if isinstance(one, list) else []
        level = [(holder, value) for holder, value in below if isinstance(value, (dict, list))]


@functools.cache
def _seeds() -> dict[str, list[Manifest]]:
    """Jobs that nobody refuses, with what stands beside them: the good fixtures of rules, and one job of each kind.

    Templates are none: lint waits for what a tool fills in, and expand judges it as it stands.
    """
    found = {
        f"{file.parent.name}/{file.name}": _objects(file)
        for file in sorted([*RULES.glob("*/good.yaml"), *RULES.glob("*/near-*.yaml"), *SEEDS.glob("*.yaml")])
        if "${" not in file.read_text("utf-8") and "{{" not in file.read_text("utf-8")
    }
    return {name: objects for name, objects in found.items() if any(_is_known(one) for one in objects)}


def _is_known(manifest: Manifest) -> bool:
    return operators.by_object(manifest.ref.api_version, manifest.ref.kind) is not None


def _of_mutations(each: int, seed: int) -> list[str]:
    """What is disagreed on of so many mutations of each file; those of one do not depend on which others exist."""
    failures = []
    for name, objects in _seeds().items():
        dice = random.Random(f"{name} {seed}")
        for number in range(each):
            at = dice.randrange(len(objects))
            tree = _mutated(objects[at].tree, dice)
            mutated = [Manifest(tree, one.where) if place == at else one for place, one in enumerate(objects)]
            failures += [
                f"{name} {seed}/{number}: {said}\n{json.dumps(tree)}"
                for said in _disagreements(mutated, EXCEPTIONS["mutations"])
            ]
    return failures


@pytest.mark.fuzz
def test_mutations() -> None:
    failures = _of_mutations(1, 0)
    assert not failures, "\n".join(failures)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(1, 3))
def test_many_mutations(seed: int) -> None:
    failures = _of_mutations(5, seed)
    assert not failures, "\n".join(failures)


def test_every_exception_has_a_reason() -> None:
    assert all(len(reason) > 20 for section in EXCEPTIONS.values() for reason in section.values())
