"""``specgen diff --live`` against a stand-in that holds what API servers store, with what others write."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.cli.main import main
from tests.standin import TOKEN, Asked, Reply, Standin, status

JOB = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: train}
target: PyTorchJob
image: registry.example.com/train:2
command: [python, train.py]
pods: 4
resources: {gpu: 1}
env:
  HF_TOKEN: hf_abcdefghijklmnopqrstuvwxyz012345
"""
GROUPS = {"kubeflow.org/v1": ["PyTorchJob"], "trainer.kubeflow.org/v1alpha1": ["TrainJob", "TrainingRuntime"]}
UID = {"uid": "0f0f", "resourceVersion": "7", "creationTimestamp": "2026-01-01T00:00:00Z", "generation": 1}


class Cluster:
    """A stand-in that holds objects by their paths, and answers some paths otherwise."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.held: dict[str, Any] = {}
        self.capsys = capsys
        self.standin = Standin(folder, self.answer)
        self.replies: dict[str, Reply] = {}

    def answer(self, asked: Asked) -> Reply | None:
        if asked.path in self.replies:
            return self.replies[asked.path]
        kinds = GROUPS.get(asked.path.removeprefix("/apis/"))
        if kinds is not None:
            names = [{"name": f"{kind.lower()}s", "kind": kind, "namespaced": True} for kind in kinds]
            return Reply({"kind": "APIResourceList", "resources": names})
        return Reply(self.held[asked.path]) if asked.path in self.held else None

    def store(self, file: str = "job.yaml") -> dict[str, Any]:
        """Stores what a profile comes to, as the server stores it; the job itself."""
        assert main(["build", file]) == 0
        trees = list(yaml.safe_load_all(self.capsys.readouterr().out))
        for tree in trees:
            tree["metadata"] |= {"namespace": "training", **UID}
            plural = f"{tree['kind'].lower()}s"
            path = f"/apis/{tree['apiVersion']}/namespaces/training/{plural}/{tree['metadata']['name']}"
            self.held[path] = copy.deepcopy(tree)
        job: dict[str, Any] = next(one for one in self.held.values() if one["kind"].endswith("Job"))
        job["status"] = {"conditions": [{"type": "Running", "status": "True"}]}
        return job

    def diff(self, *words: str) -> tuple[int, str, str]:
        code = main(["diff", "--live", "--kubeconfig", self.standin.kubeconfig(), *(words or ("job.yaml",))])
        out, err = self.capsys.readouterr()
        assert TOKEN not in out + err and "hf_abc" not in out + err
        return code, out, err


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Cluster]:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "job.yaml").write_text(JOB, "utf-8")
    (tmp_path / ".specgen-root").touch()
    monkeypatch.chdir(tmp_path)
    one = Cluster(tmp_path, capsys)
    yield one
    one.standin.close()


def roles(job: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = job["spec"]["pytorchReplicaSpecs"]
    return found


def test_a_job_that_is_new(cluster: Cluster) -> None:
    assert cluster.diff() == (1, "PyTorchJob train: added (job.yaml)\n", "")
    assert {(asked.method, asked.path) for asked in cluster.standin.asked} == {
        ("GET", "/apis/kubeflow.org/v1"),
        ("GET", "/apis/kubeflow.org/v1/namespaces/training/pytorchjobs/train"),
    }
    assert cluster.diff("--exit-zero", "job.yaml")[0] == 0
    assert cluster.diff("-n", "nlp", "job.yaml")[0] == 1
    assert cluster.standin.asked[-1].path == "/apis/kubeflow.org/v1/namespaces/nlp/pytorchjobs/train"


def test_what_others_write_is_no_difference(cluster: Cluster) -> None:
    text = JOB + "scheduling: {gang: kueue, queue: gpus}\n"
    Path("job.yaml").write_text(text, "utf-8")
    job = cluster.store()
    job["metadata"]["annotations"] = {
        "argocd.argoproj.io/tracking-id": "jobs:kubeflow.org/PyTorchJob:training/train",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
    }
    job["metadata"]["labels"] |= {"kustomize.toolkit.fluxcd.io/name": "jobs"}
    job["metadata"]["finalizers"] = ["foregroundDeletion"]
    job["spec"]["runPolicy"] |= {"suspend": False}
    pod = roles(job)["Worker"]["template"]
    pod.setdefault("metadata", {}).setdefault("labels", {})["kueue.x-k8s.io/podset"] = "worker"
    pod["spec"]["nodeSelector"] = {"cloud.example.com/flavor": "h100"}
    assert cluster.diff() == (0, "", "nothing changed\n")
    assert cluster.diff("--quiet", "job.yaml") == (0, "", "")


CHANGED = """\
PyTorchJob train: changed (cluster lab → job.yaml)
  ranks         3 → 4
  pods          3 → 4
  devices       3 nvidia.com/gpu → 4 nvidia.com/gpu
  Worker pods   2 → 3                                                        in place                    job.yaml:7
  image         registry.example.com/train:1 → registry.example.com/train:2  reaches no pod that exists  job.yaml:5
  env HF_TOKEN  ••• → •••                                                    reaches no pod that exists  job.yaml:10
  env OLD       1 → -                                                        reaches no pod that exists  job.yaml:3
"""


def test_changes_stand_at_the_lines_of_the_profile(cluster: Cluster) -> None:
    job = cluster.store()
    roles(job)["Worker"]["replicas"] = 2
    for role in roles(job).values():
        container = role["template"]["spec"]["containers"][0]
        container["image"] = "registry.example.com/train:1"
        container["env"][0]["value"] = "hf_abcdefghijklmnopqrstuvwxyz543210"
        container["env"].append({"name": "OLD", "value": "1"})
    code, out, err = cluster.diff()
    assert (code, err) == (1, "")
    assert out.startswith(CHANGED), out
    said = json.loads(cluster.diff("--format", "json", "job.yaml")[1])
    assert (said["old"], said["new"]) == ("cluster lab", "job.yaml")
    (image,) = [one for one in said["jobs"][0]["changes"] if one["what"] == "image"]
    assert image["place"] == {"file": "job.yaml", "line": 5, "column": 8}
    rows = [line for line in cluster.diff("--format", "markdown", "job.yaml")[1].splitlines() if line[:1] == "|"]
    assert rows[0] == "| | before | after | update | line |" and rows[1].count("|") == rows[0].count("|")
    assert rows[5].endswith("| in place | job.yaml:7 |")


def test_a_manifest_has_lines_of_its_own(cluster: Cluster) -> None:
    job = cluster.store()
    assert main(["build", "job.yaml"]) == 0
    Path("built.yaml").write_text(cluster.capsys.readouterr().out, "utf-8")
    assert cluster.diff("built.yaml") == (0, "", "nothing changed\n")
    roles(job)["Worker"]["replicas"] = 9
    lines = Path("built.yaml").read_text("utf-8").splitlines()
    at = next(number for number, line in enumerate(lines, 1) if line.strip() == "replicas: 3")
    assert f"in place  built.yaml:{at}\n" in cluster.diff("built.yaml")[1]


def test_the_operator_of_the_cluster_profile_counts_for_both(cluster: Cluster) -> None:
    head = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: lab}\n"
    Path("cluster.yaml").write_text(head + "operators: {training-operator: {version: 1.8.1}}\n", "utf-8")
    Path("job.yaml").write_text(JOB + "cluster: cluster.yaml\n", "utf-8")
    job = cluster.store()
    assert cluster.diff() == (0, "", "nothing changed\n")
    Path("live.yaml").write_text(yaml.safe_dump(job), "utf-8")
    assert main(["diff", "live.yaml", "job.yaml"]) == 0


def test_a_trainjob_with_its_runtime(cluster: Cluster) -> None:
    text = JOB.replace("PyTorchJob", "TrainJob").replace("[python, train.py]", "[train.py]")
    Path("job.yaml").write_text(text, "utf-8")
    cluster.store()
    runtime = next(one for one in cluster.held.values() if one["kind"] == "TrainingRuntime")
    within = runtime["spec"]["template"]["spec"]
    within |= {"suspend": False, "network": {"enableDNSHostnames": True}}
    within["replicatedJobs"][0] |= {"groupName": "default", "replicas": 1}
    assert cluster.diff() == (0, "", "nothing changed\n")
    pod = within["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod["terminationGracePeriodSeconds"] = 300
    code, out, _ = cluster.diff()
    (line,) = [line for line in out.splitlines() if "terminationGracePeriodSeconds" in line and "→" in line]
    assert code == 1 and "300 → -" in line and "job.yaml:" in line
    path = next(path for path, one in cluster.held.items() if one is runtime)
    cluster.replies[path] = status(403, "no", "Forbidden")
    why = "its TrainingRuntime `train` is not known: this user may not get trainingruntimes in the namespace training"
    assert cluster.diff()[1] == f"TrainJob train: not compared (job.yaml): {why} (403)\n"


LIVE = "/apis/kubeflow.org/v1/namespaces/training/pytorchjobs/train"
# Path and what the server answers → exit code, and what is said, with HOST for name and port.
ANSWERS: dict[str, tuple[str, Reply, int, str]] = {
    "no right": (
        LIVE,
        status(403, "no", "Forbidden"),
        1,
        "PyTorchJob train: not compared (job.yaml): this user may not get pytorchjobs in the namespace training (403)",
    ),
    "another version": (
        "/apis/kubeflow.org/v1",
        status(404, "no"),
        1,
        "PyTorchJob train: not compared (job.yaml): the cluster serves no PyTorchJob of `kubeflow.org/v1` (nothing of "
        "`kubeflow.org` is installed there)",
    ),
    "no rights at all": (
        "/apis/kubeflow.org/v1",
        status(403, "no"),
        2,
        "specgen: HOST: it does not say which kinds it serves (403)",
    ),
    "busy": (LIVE, status(429, "later"), 2, "specgen: HOST: it does not answer now (429)"),
    "no JSON": (LIVE, Reply("<html>", 200), 2, "specgen: HOST: what it answers is not the PyTorchJob `train`"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_that_are_no_job(cluster: Cluster, name: str) -> None:
    path, reply, wanted, sentence = ANSWERS[name]
    cluster.store()
    cluster.replies[path] = reply
    code, out, err = cluster.diff()
    assert (code, (out or err).splitlines()[0]) == (wanted, sentence.replace("HOST", cluster.standin.host))
    assert len([asked for asked in cluster.standin.asked if asked.path == path]) == 1, "nothing is asked twice"


def test_the_others_are_compared_where_one_is_broken(cluster: Cluster) -> None:
    cluster.store()
    Path("jobs").mkdir()
    Path("jobs/a.yaml").write_text(JOB.replace("pods: 4", "pods: 5"), "utf-8")
    Path("jobs/b.yaml").write_text(JOB.replace("name: train", "name: b") + "podz: 1\n", "utf-8")
    code, out, err = cluster.diff("jobs")
    assert code == 1 and "Worker pods  3 → 4" in out and "PyTorchJob b" not in out
    assert "jobs/b.yaml:11:1: error[SG101]" in err
