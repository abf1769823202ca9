"""Records: the models' attributes without the models, on every sample profile (the reference's are in test_tables)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specgen.document.read import read
from specgen.profile.cluster import ClusterProfile
from specgen.profile.job import BaseProfile, JobProfile
from specgen.profile.words import Words
from specgen.schema.record import plain as data_of
from specgen.schema.record import record
from specgen.source import Source
from specgen.tables import cluster, job
from tests.schema.test_tables import plain

KINDS: dict[str, tuple[type[Words], Any]] = {
    "Job": (JobProfile, job.RECORDS),
    "Base": (BaseProfile, job.RECORDS),
    "Cluster": (ClusterProfile, cluster.RECORDS),
}


def test_every_sample_reads_like_its_model(root: Path) -> None:
    compared = []
    for path in sorted((root / "profiles").rglob("*.yaml")):
        data = read(Source(path.name, path.read_text("utf-8")))[0][0].data
        model, table = KINDS[data["kind"]]
        assert plain(record(data, model.__name__, table)) == plain(model.model_validate(data)), path.name
        compared.append(path.name)
    assert "allreduce-resnet50.yaml" in compared
    assert "infiniband-16.yaml" in compared


def job_of(**words: Any) -> Any:
    data = {"apiVersion": "specgen/v1", "kind": "Job", "metadata": {"name": "a"}, **words}
    return record(data, "JobProfile", job.RECORDS)


def test_a_record_is_read_only() -> None:
    one = job_of(pods=2)
    with pytest.raises(AttributeError, match="JobProfile is read-only"):
        one.pods = 3
    assert one.pods == 2


def test_what_no_model_has_is_an_error() -> None:
    with pytest.raises(AttributeError, match="JobProfile has no field 'podz'"):
        _ = job_of().podz
    with pytest.raises(AttributeError, match="Resources has no field 'tpu'"):
        _ = job_of(resources={"gpu": 1}).resources.tpu


def test_null_means_the_default() -> None:
    one = job_of(pods=None, resources=None, mounts=None, image=None)
    assert (one.pods, one.resources.gpu, one.mounts, one.image) == (1, None, {}, None)


def test_an_empty_record_is_one_for_all_and_knows_its_own_defaults() -> None:
    assert job_of().lifecycle is job_of(pods=3).lifecycle
    assert plain(job_of().lifecycle) == plain(job_of(lifecycle={}).lifecycle)
    assert job_of(lifecycle={"cleanPods": "All"}).lifecycle.clean_pods == "All"
    assert job_of().lifecycle.clean_pods != "All"


def test_a_field_of_several_types_keeps_what_is_no_mapping() -> None:
    assert job_of(target="PyTorchJob").target == "PyTorchJob"
    assert job_of(target={"kind": "MPIJob"}).target.kind == "MPIJob"
    mixed = job_of(env={"A": "text", "B": {"secret": "s", "key": "k"}}).env
    assert mixed["A"] == "text"
    assert (mixed["B"].secret, mixed["B"].key) == ("s", "k")


def test_the_mapping_itself_can_be_had() -> None:
    mount = {"pvc": "claim"}
    assert data_of(job_of(mounts={"/data": mount}).mounts["/data"]) is mount


def test_a_record_like_another_takes_over_what_did_not_change_and_nothing_else() -> None:
    first = job_of(resources={"gpu": 1}, mounts={"/a": {"pvc": "a"}})
    data = {**data_of(first), "resources": {"gpu": 2}, "env": {"A": "b"}}
    one = record(data, "JobProfile", job.RECORDS, first)
    assert one.mounts is first.mounts
    assert (one.resources.gpu, first.resources.gpu, one.env) == (2, 1, {"A": "b"})
    assert plain(one) == plain(record(data, "JobProfile", job.RECORDS))
