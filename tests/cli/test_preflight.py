"""`specgen preflight`: the twin has all that the job's pods have, runs another program, and comes first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.cli.main import main

JOB: dict[str, Any] = {
    "apiVersion": "specgen/v1",
    "kind": "Job",
    "metadata": {"name": "bert", "labels": {"team": "vision"}},
    "image": "registry.example.com/train:1.4",
    "pods": 2,
    "resources": {"gpu": 1, "memory": "8Gi", "shm": "1Gi"},
    "env": {"PYTHONPATH": "/opt", "NCCL_DEBUG": "INFO"},
    "mounts": {"/data": {"pvc": "data"}},
    "lifecycle": {"grace": "2m", "ttl": "1d"},
    "command": ["python", "train.py"],
    "args": ["--epochs", "9"],
}
SEVERAL = {"procsPerPod": 2, "resources": {"gpu": 2}, "start": {"by": "torchrun", "options": ["--max-restarts=3"]}}
PYTHON = ["python", "-u", "-m", "trainer", "preflight", "--pairs"]
TORCHRUN = ["python", "-m", "trainer", "guard", "--grace=115", "--", "torchrun", *PYTHON[2:]]


def written(words: dict[str, Any], folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[Any, Any]:
    """The job and its twin, each as `kind` by its objects."""
    (folder / ".specgen-root").touch()
    file = folder / "job.yaml"
    file.write_text(json.dumps({**JOB, **words}))
    found = []
    for verb in (["build"], ["preflight", *more]):
        assert main([verb[0], str(file), *verb[1:]]) == 0, capsys.readouterr().err
        found.append({one["kind"]: one for one in yaml.safe_load_all(capsys.readouterr().out)})
    return found[0], found[1]


def templates(value: Any) -> list[dict[str, Any]]:
    """All pod templates of an object, in order."""
    if isinstance(value, list):
        return [one for item in value for one in templates(item)]
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("spec"), dict) and "containers" in value["spec"]:
        return [value["spec"]]
    return [one for item in value.values() for one in templates(item)]


@pytest.mark.parametrize(
    ("words", "kind", "line"),
    [
        ({"target": "PyTorchJob"}, "PyTorchJob", PYTHON),
        ({"target": "PyTorchJob", "args": ["--lr", "1"], "command": ["train.py"], **SEVERAL}, "PyTorchJob", TORCHRUN),
        ({"target": "TFJob"}, "TFJob", PYTHON),
        ({"target": "JobSet", "start": "none"}, "JobSet", PYTHON),
        ({"target": "VolcanoJob", "lifecycle": {"grace": "2m"}}, "Job", PYTHON),
    ],
)  # fmt: skip
def test_the_twin(words: Any, kind: str, line: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job, twin = (found[kind] for found in written(words, tmp_path, capsys))
    assert twin["metadata"]["name"] == "bert-preflight"
    assert twin["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"] == "-1"
    assert twin["metadata"]["labels"] == job["metadata"]["labels"]
    by_name = json.loads(json.dumps(twin).replace("bert-preflight", "bert"))
    for own, other in zip(templates(job), templates(by_name), strict=True):
        (program, *beside), (container, *others) = own["containers"], other["containers"]
        assert container.pop("command") == line and "args" not in container
        env = container.pop("env")
        assert "NODE_NAME" in [one["name"] for one in env]
        assert [one for one in env if one["name"] != "NODE_NAME"] == program.pop("env")
        program.pop("command"), program.pop("args", None)
        assert (container, others) == (program, beside)
        for key in ("volumes", "terminationGracePeriodSeconds", "nodeSelector"):
            assert other.get(key) == own.get(key)
    said = json.dumps(twin)
    # who creates jobs from Git would create one that deleted itself again and again
    assert "ttlSecondsAfterFinished" in json.dumps(job) or kind == "Job"
    assert "ttlSecondsAfterFinished" not in said
    assert '"restartPolicy": "Never"' in said and '"restartPolicy": "OnFailure"' not in said
    assert ('"activeDeadlineSeconds": 1800' in said) == (kind != "Job")


def test_one_pod_is_checked_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, twin = written({"target": "PyTorchJob", "pods": 1}, tmp_path, capsys)
    (pod,) = templates(twin["PyTorchJob"])
    assert pod["containers"][0]["command"] == ["python", "-u", "-m", "trainer", "preflight"]


def test_its_runtime_comes_before_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both of the twin before both of the job, which says a wave itself."""
    wave = {"annotations": {"argocd.argoproj.io/sync-wave": "5"}}
    words = {"target": "TrainJob", "start": "none", "metadata": {"name": "bert", **wave}}
    _, twin = written(words, tmp_path, capsys, "--min-busbw", "40")
    waves = {kind: one["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"] for kind, one in twin.items()}
    assert waves == {"TrainingRuntime": "3", "TrainJob": "4"}
    assert twin["TrainJob"]["spec"]["trainer"]["command"][-1] == "--min-busbw=40"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"target": "MPIJob", "start": "mpirun"}, "a launcher starts the ranks"),
        ({"target": "MSJob", "lifecycle": {}}, "the scheduler of an MSJob takes part"),
    ],
)
def test_jobs_without_a_twin(words: Any, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(json.dumps({**JOB, **words}))
    assert main(["preflight", str(file)]) == 1
    said = capsys.readouterr()
    assert "SG208" in said.err and says in said.err and said.out == ""


def test_what_is_asked_badly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(json.dumps({**JOB, "target": "PyTorchJob", "variants": {"small": {"pods": 4}}}))
    assert main(["preflight", str(file), "--min-busbw=-1"]) == 2
    for variant, name in (([], "bert-preflight"), (["--variant", "small"], "bert-preflight-small")):
        assert main(["preflight", str(file), *variant]) == 0
        assert yaml.safe_load(capsys.readouterr().out)["metadata"]["name"] == name
    file.write_text(
        json.dumps(
            {**json.loads(file.read_text()), "variantsOnly": True, "variants": {"a": {"pods": 3}, "b": {"pods": 4}}}
        )
    )
    assert main(["preflight", str(file)]) == 2
    assert "name one of its variants with --variant: `a` and `b`" in capsys.readouterr().err


def test_an_elastic_job_has_a_twin_of_fixed_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = {"target": "PyTorchJob", "command": ["train.py"], "elastic": {"max": 4}}
    job, twin = written(words, tmp_path, capsys)
    assert "elasticPolicy" in job["PyTorchJob"]["spec"] and "elasticPolicy" not in twin["PyTorchJob"]["spec"]
    roles = twin["PyTorchJob"]["spec"]["pytorchReplicaSpecs"]
    assert {name: role["replicas"] for name, role in roles.items()} == {"Master": 1, "Worker": 1}


CLUSTER: dict[str, Any] = {
    "apiVersion": "specgen/v1",
    "kind": "Cluster",
    "metadata": {"name": "lab"},
    "pools": {
        "h100": {
            "gpu": {"resource": "nvidia.com/gpu", "perNode": 8},
            "hca": {"resource": "rdma/hca", "perNode": 8, "rate": 400},
            "fabric": {"rdma": "shared-device"},
        }
    },
}


@pytest.mark.parametrize(
    ("words", "more", "least"),
    [
        ({"procsPerPod": 8, "resources": {"gpu": 8, "hca": "auto"}}, [], "280"),  # 8 of 50 GB/s
        ({"resources": {"gpu": 1, "hca": "auto"}}, [], "35"),
        ({"procsPerPod": 8, "resources": {"gpu": 8, "hca": "auto"}}, ["--min-busbw", "40"], "40"),
        ({"resources": {"gpu": 1}}, [], ""),
    ],
)
def test_what_two_nodes_must_exchange_follows_from_their_hcas(
    words: Any, more: list[str], least: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cluster.yaml").write_text(json.dumps(CLUSTER))
    job = {"target": "PyTorchJob", "start": "self", "cluster": "cluster.yaml", **words}
    _, twin = written(job, tmp_path, capsys, *more)
    line = templates(twin["PyTorchJob"])[0]["containers"][0]["command"]
    assert [word for word in line if word.startswith("--min")] == ([f"--min-busbw={least}"] if least else [])


@pytest.mark.parametrize(
    ("hcas", "rule", "expected"),
    [
        ("auto", None, 8),
        ("auto", "=mlx5_0,mlx5_1,mlx5_2,mlx5_3", 4),
        ("auto", "mlx5", 1),  # nobody counts what begins so
        (4, None, 4),
        (None, None, None),
    ],
)
def test_each_pod_must_find_all_adapters_that_nccl_may_use(
    hcas: Any, rule: str | None, expected: int | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cluster.yaml").write_text(json.dumps(CLUSTER).replace("shared-device", "device"))
    job = {"target": "PyTorchJob", "start": "self", "procsPerPod": 8, "cluster": "cluster.yaml"}
    env = {"PYTHONPATH": "/opt", **({"NCCL_IB_HCA": rule} if rule else {})}
    amounts = {"gpu": 8, **({"hca": hcas} if hcas else {})}
    _, twin = written({**job, "env": env, "resources": amounts}, tmp_path, capsys)
    line = templates(twin["PyTorchJob"])[0]["containers"][0]["command"]
    assert [word for word in line if word.startswith("--expect-hca")] == (
        [f"--expect-hca={expected}"] if expected else []
    )


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ({"env": {}, "command": ["train.py"], **SEVERAL}, ["image"]),
        ({"env": {}}, ["image"]),
        ({"env": {}, "guard": True}, ["image"]),
        ({"env": {}, "command": ["-m", "trainer", "train", "--dummy"], "args": [], **SEVERAL}, []),
        ({"command": ["train.py"], **SEVERAL}, []),
    ],
    ids=["torchrun", "plain", "guarded", "trainer", "brought"],
)
def test_an_image_that_must_hold_the_program_is_named_in_the_job(
    words: Any, lines: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At a line that somebody wrote, once, and not where the job says that it is there."""
    file = tmp_path / "job.yaml"
    file.write_text(yaml.safe_dump({**JOB, "target": "PyTorchJob", **words}))
    assert main(["preflight", str(file), "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().err)["diagnostics"]
    assert [(one["code"], one["path"], one["primary"]["file"]) for one in said if one["code"] == "SG469"] == [
        ("SG469", at, str(file)) for at in lines
    ]


def test_a_job_from_standard_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(yaml.safe_dump({**JOB, "target": "PyTorchJob", "command": ["train.py"], **SEVERAL}))
    monkeypatch.chdir(tmp_path)
    assert main(["preflight", "job.yaml"]) == 0
    wanted = capsys.readouterr().out
    with file.open() as text:
        monkeypatch.setattr("sys.stdin", text)
        assert main(["preflight", "-"]) == 0
    assert capsys.readouterr().out.replace("<stdin>", "job.yaml") == wanted


def test_variables_of_the_program_alone_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words: dict[str, Any] = {
        "vars": {"save": "$<root>/a", "root": "/data", "rate": "0.1", "log": "INFO"},
        "env": {"LOG": "$<log>"},
    }
    words |= {"command": ["python", "train.py", "--save=$<save>"], "args": ["--lr=$<rate>"]}
    _, twin = written({"target": "PyTorchJob", **words}, tmp_path, capsys)
    assert {"name": "LOG", "value": "INFO"} in templates(twin["PyTorchJob"])[0]["containers"][0]["env"]
