"""Acceptor, schema library and models give one verdict on random documents and on changed real ones.

The acceptor must accept exactly what the library accepts: then it is sound, and never sends a valid document the slow
way. For profiles the pydantic models must agree as well. A schema that is compiled wrongly shows here first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from specgen.document.read import read
from specgen.profile.cluster import ClusterProfile
from specgen.profile.job import BaseProfile, JobProfile
from specgen.profile.words import Words
from specgen.schema.accept import accepts
from specgen.schema.files import load
from specgen.schema.library import validator_for
from specgen.schema.walk import Walk
from specgen.source import Source
from specgen.tables import cluster, job, pytorchjob_v1
from tests.schema.documents import mutated, value

HERE = Path(__file__).parent
MERGED = {key for table in (job, cluster) for keys in table.REQUIRED.values() for key in keys}
REPOSITORY = HERE.parents[1]


class Judges:
    """The validators of one kind of document."""

    def __init__(self, kind: str, schema: str, node: Any, model: type[Words] | None = None) -> None:
        self.kind = kind
        self.schema = load(schema)
        self.node = node
        self.model = model
        self.walk = Walk(self.schema, model.__name__ if model else None)
        definitions = {"definitions": self.schema["definitions"]}
        self.library = validator_for({**definitions, "allOf": [self.walk.root]} if model else self.schema)

    def agree(self, document: Any) -> bool:
        """The one verdict; fails where there are two."""
        valid = bool(self.library.is_valid(document))
        assert accepts(self.node, document) == valid, f"acceptor and library differ (library: {valid})"
        if self.model is not None:
            assert _valid_for(self.model, document) == valid, f"model and library differ (library: {valid})"
        return valid


def _valid_for(model: type[Words], document: Any) -> bool:
    try:
        model.model_validate(document, by_alias=True, by_name=False)
    except ValidationError as error:
        # a model is of merged words, and a document one layer of them; of a choice the other ways fail besides
        found = error.errors()
        lacking = [one["loc"] for one in found if one["type"] == "missing" and one["loc"][-1] in MERGED]
        choices = [place[:-2] for place in lacking]
        return all(
            one["loc"] in lacking or (one["loc"][-1:] == ("str",) and one["loc"][:-1] in choices) for one in found
        )
    return True


JUDGES = {
    "Job": Judges("Job", "job.schema.json", job.DEFINITIONS["JobProfile"], JobProfile),
    "Base": Judges("Base", "job.schema.json", job.DEFINITIONS["BaseProfile"], BaseProfile),
    "Cluster": Judges("Cluster", "cluster.schema.json", cluster.DEFINITIONS["ClusterProfile"], ClusterProfile),
    "PyTorchJob": Judges("PyTorchJob", "k8s/kubeflow.org/pytorchjob_v1.json", pytorchjob_v1.ROOT),
}


def documents(paths: list[Path]) -> Iterator[tuple[Path, Any]]:
    """The documents of files that are of a kind in `JUDGES`, as specgen reads them."""
    for path in paths:
        found, _ = read(Source(path.name, path.read_text("utf-8")))
        for document in found:
            if isinstance(document.data, dict) and document.data.get("kind") in JUDGES:
                yield path, document.data


def hold(check: Callable[[Random], bool], examples: int, what: str) -> None:
    """Runs a check with generators of random numbers that hypothesis seeds, and prints the verdicts."""
    verdicts: Counter[bool] = Counter()

    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(min_value=0, max_value=2**64 - 1))
    def run(seed: int) -> None:
        verdicts[check(Random(seed))] += 1

    run()
    print(f"{what}: {verdicts[True]} valid, {verdicts[False]} invalid, one verdict on all")
    assert verdicts[True] > 0
    assert verdicts[False] > 0


def check_random(kind: str, examples: int) -> None:
    judges = JUDGES[kind]
    hold(lambda rng: judges.agree(value(rng, judges.walk, judges.walk.root)), examples, f"random {kind}")


def check_changed(real: list[Any], examples: int, what: str) -> None:
    def one(rng: Random) -> bool:
        document = rng.choice(real)
        return JUDGES[document["kind"]].agree(mutated(rng, document))

    hold(one, examples, what)


@pytest.mark.parametrize(("kind", "examples"), [("Job", 200), ("Base", 100), ("Cluster", 200), ("PyTorchJob", 100)])
def test_random_documents(kind: str, examples: int) -> None:
    check_random(kind, examples)


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", sorted(JUDGES))
def test_many_random_documents(kind: str) -> None:
    check_random(kind, 4_000)


def own() -> list[Path]:
    return [*sorted(REPOSITORY.glob("profiles/*/*.yaml")), *sorted(HERE.glob("cases/*.yaml"))]


def test_own_documents_changed() -> None:
    check_changed([data for _, data in documents(own())], 120, "own documents, changed")


def profiles(shared: Path) -> list[Path]:
    return sorted(shared.glob("profiles/*/*.yaml"))


def test_real_profiles(shared: Path) -> None:
    """They are valid, whatever NCCL makes of their variables."""
    invalid = [path.name for path, data in documents(profiles(shared)) if not JUDGES[data["kind"]].agree(data)]
    assert invalid == []


@pytest.mark.soak
def test_real_profiles_changed(shared: Path) -> None:
    check_changed([data for _, data in documents(profiles(shared))], 800, "real profiles, changed")


@pytest.mark.fuzz
def test_real_profiles_changed_often(shared: Path) -> None:
    check_changed([data for _, data in documents(profiles(shared))], 6_000, "real profiles, changed")


def manifests(shared: Path) -> list[Path]:
    return sorted(shared.glob("corpus/PyTorchJob/*.yaml"))


def test_manifests_that_the_api_server_accepts(shared: Path) -> None:
    import json

    verdicts = json.loads((shared / "corpus/VERDICTS.json").read_text("utf-8"))
    accepted = refused = 0
    for path, data in documents(manifests(shared)):
        valid = JUDGES["PyTorchJob"].agree(data) if data["kind"] == "PyTorchJob" else True
        strict = verdicts[f"PyTorchJob/{path.name}"]["strict"]["accepted"]
        assert valid or not strict, f"{path.name} is refused, the API server takes it"
        accepted += strict
        refused += not valid
    print(f"PyTorchJob: {accepted} documents that the API server accepts, all accepted; {refused} refused")
    assert accepted > 0
    assert refused > 0


def test_real_manifests_changed(shared: Path) -> None:
    real = [data for _, data in documents(manifests(shared)) if data["kind"] == "PyTorchJob"]
    check_changed(real, 500, "PyTorchJobs, changed")


@pytest.mark.fuzz
def test_real_manifests_changed_often(shared: Path) -> None:
    real = [data for _, data in documents(manifests(shared)) if data["kind"] == "PyTorchJob"]
    check_changed(real, 8_000, "PyTorchJobs, changed")
