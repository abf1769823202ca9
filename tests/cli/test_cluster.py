"""``specgen cluster capture`` and ``specgen init cluster --from``: files, standard input, and a live cluster."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.capture.wanted import DEFINITIONS, EVERYWHERE, SOMEWHERE, commands
from specgen.cli.main import main
from tests.capture.objects import lab, node
from tests.kubectl import kubectl
from tests.standin import Asked, Reply, Standin, status

GPUS = {"cpu": "64", "memory": "512Gi", "nvidia.com/gpu": "8"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(items: list[Any]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


def test_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("cluster.json").write_text(written(lab()), "utf-8")
    assert main(["cluster", "capture", "cluster.json", "--name", "lab"]) == 0
    captured = capsys.readouterr()
    assert "metadata: {name: lab}\n" in captured.out
    assert captured.err.startswith("specgen: warning: the version of ms-operator is not known: ")
    assert main(["init", "cluster", "--from", "cluster.json", "--name", "lab"]) == 0
    assert capsys.readouterr() == captured


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_standard_input(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(written([node("a", GPUS)]).encode(encoding))))
    assert main(["cluster", "capture", "-"]) == 0
    assert yaml.safe_load(capsys.readouterr().out)["pools"]["gpu"]["nodes"]["count"] == 1


# Text of cluster.json, and words → the sentence and the exit code.
REFUSED: dict[str, tuple[str, list[str], list[str]]] = {
    "no node": (
        written([]),
        [],
        [
            "specgen: cluster.json: there is no node among the objects",
            "  = help: `specgen cluster capture --help` prints the commands that write such a file",
        ],
    ),
    "cut off": (
        written([node("a", GPUS)])[:200],
        [],
        [
            "specgen: cluster.json: the JSON ends in the middle of an object, in line 1",
            "  = help: the command that printed it was cut off, or its file was not written to the end: run it again",
        ],
    ),
    "YAML": (
        "apiVersion: v1\n",
        [],
        ["specgen: cluster.json: line 1 is no JSON", "  = help: print it with `-o json`"],
    ),
    "too long": (
        written([node("a", GPUS)]) + " " * (1 << 20),
        ["--max-input", "1"],
        ["specgen: cluster.json: it is longer than 1 MiB", "  = help: `--max-input MIB` reads more"],
    ),
    "no text": ("\udcff", [], ["specgen: cluster.json: it is no text in UTF-8"]),
    "no name": (
        written([node("a", GPUS)]),
        ["--name", "No Name"],
        ["specgen: --name: `No Name` is no name of lower-case letters, digits, and dashes"],
    ),
    "context": (
        "",
        ["--context", "lab"],
        ["specgen: --context says which cluster is asked, and cluster.json is a file"],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(here: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    text, words, lines = REFUSED[name]
    Path("cluster.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert main(["cluster", "capture", "cluster.json", *words]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.splitlines()) == ("", lines)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["cluster", "--from", "a", "--like", "cpu"],
            "--from and --like contradict each other: the profile is of one cluster",
        ),
        (["--like", "cpu"], "--like is of a cluster: `specgen init cluster --like cpu`"),
        (["cluster", "--name", "a"], "--name goes with --from"),
        (["cluster", "--like", "cpu", "--name", "a"], "--name goes with --from"),
        (["cluster", "--from", "absent.json"], "absent.json: there is no such file"),
    ],
)
def test_init_of_a_cluster(here: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str) -> None:
    assert main(["init", *words]) == 2
    assert capsys.readouterr().err.splitlines()[0] == f"specgen: {sentence}"


def test_no_cluster_at_all(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "capture"]) == 2
    assert "specgen: there is no kubectl configuration: ~/.kube/config is not there\n" in capsys.readouterr().err


PLURALS = {
    "Node": "nodes",
    "Namespace": "namespaces",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "Deployment": "deployments",
    "PriorityClass": "priorityclasses",
    "StorageClass": "storageclasses",
    "LimitRange": "limitranges",
    "CustomResourceDefinition": "customresourcedefinitions",
    "ClusterQueue": "clusterqueues",
    "LocalQueue": "localqueues",
    "Topology": "topologies",
    "WorkloadPriorityClass": "workloadpriorityclasses",
    "Queue": "queues",
    "ClusterTrainingRuntime": "clustertrainingruntimes",
    "TrainingRuntime": "trainingruntimes",
    "Secret": "secrets",
}


def serving(objects: list[dict[str, Any]], **replies: Reply) -> Any:
    """Lists of objects as an API server answers, two at a time; ``replies``: others, by the plural."""

    def answer(asked: Asked) -> Reply | None:
        group, _, plural = asked.path.removeprefix("/").rpartition("/")
        if plural in replies:
            return replies[plural]
        if group == "apis":
            version = next((o["apiVersion"] for o in objects if o["apiVersion"].startswith(f"{plural}/")), None)
            return Reply({"kind": "APIGroup", "preferredVersion": {"groupVersion": version}}) if version else None
        version = group.removeprefix("apis/").removeprefix("api/")
        found = [o for o in objects if o["apiVersion"] == version and PLURALS[o["kind"]] == plural]
        known = [f"{path}/{name}" for path, name in (*EVERYWHERE, DEFINITIONS)]
        if not found and asked.path.removeprefix("/") not in known:
            return None
        # items of a typed list say neither apiVersion nor kind
        items = [{key: value for key, value in o.items() if key not in ("apiVersion", "kind")} for o in found]
        start = int(asked.query.get("continue", 0))
        more = {"continue": str(start + 2)} if start + 2 < len(items) else {}
        kind = f"{found[0]['kind']}List" if found else "List"
        return Reply({"kind": kind, "apiVersion": version, "metadata": more, "items": items[start : start + 2]})

    return answer


@pytest.fixture
def standin(here: Path) -> Iterator[Standin]:
    one = Standin(here, serving(lab()))
    yield one
    one.close()


def test_a_live_cluster(standin: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "capture", "--kubeconfig", standin.kubeconfig()]) == 0
    live = capsys.readouterr()
    Path("cluster.json").write_text(written(lab()), "utf-8")
    assert main(["cluster", "capture", "cluster.json", "--name", "lab"]) == 0
    assert capsys.readouterr() == live
    asked = {one.path for one in standin.asked}
    assert not any("secrets" in path or "configmaps" in path for path in asked)
    assert {one.method for one in standin.asked} == {"GET"}
    wanted = {f"/{path}/{name}" for path, name in (*EVERYWHERE, DEFINITIONS)}
    assert wanted <= asked and {f"/apis/{group}" for group, _ in SOMEWHERE} <= asked


def test_kinds_that_the_cluster_does_not_show(standin: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    forbidden = status(403, 'deployments.apps is forbidden: User "dev" cannot list resource "deployments"', "Forbidden")
    ended = status(410, "The provided continue parameter is too old", "Expired")
    standin.answers = serving(lab(), deployments=forbidden, priorityclasses=ended)
    assert main(["cluster", "capture", "--kubeconfig", standin.kubeconfig(), "--name", "lab"]) == 0
    told = capsys.readouterr()
    assert told.err.splitlines()[:2] == [
        "specgen: warning: the deployments of the cluster are not known: this user may not list them (403)",
        "specgen: warning: the priorityclasses of the cluster are not known: the list changed while it was read (410)",
    ]
    line = "# Not known, as the cluster did not show its deployments: this user may not list them (403).\n"
    assert line in told.out
    assert "# pytorchjobs" not in told.out and "operators:\n" not in told.out
    standin.answers = serving(lab(), nodes=forbidden)
    assert main(["cluster", "capture", "--kubeconfig", standin.kubeconfig()]) == 2
    assert f"specgen: {standin.host}: this user may not list them (403)" in capsys.readouterr().err


def discoverable(objects: list[dict[str, Any]]) -> Any:
    """``serving``, with what kubectl asks before it lists anything: which groups there are, and which kinds in each."""
    kinds: dict[str, dict[str, tuple[str, bool]]] = {}
    for one in objects:
        plural = PLURALS[one["kind"]]
        kinds.setdefault(one["apiVersion"], {})[plural] = one["kind"], "namespace" in one["metadata"]
    # every API server knows it, whether there is one or not
    kinds.setdefault("v1", {})["resourcequotas"] = "ResourceQuota", True
    groups: dict[str, list[dict[str, str]]] = {}
    for group_version in kinds:
        group, slash, version = group_version.partition("/")
        if slash:
            groups.setdefault(group, []).append({"groupVersion": group_version, "version": version})
    lists = serving(objects)

    def answer(asked: Asked) -> Reply | None:
        if asked.path == "/api":
            return Reply({"kind": "APIVersions", "versions": ["v1"]})
        if asked.path == "/apis":
            said = [{"name": name, "versions": all, "preferredVersion": all[0]} for name, all in groups.items()]
            return Reply({"kind": "APIGroupList", "apiVersion": "v1", "groups": said})
        version = asked.path.removeprefix("/apis/").removeprefix("/api/")
        if version not in kinds:
            reply: Reply | None = lists(asked)
            return reply
        resources = [
            {"name": plural, "singularName": "", "kind": kind, "namespaced": namespaced, "verbs": ["get", "list"]}
            for plural, (kind, namespaced) in kinds[version].items()
        ]
        return Reply({"kind": "APIResourceList", "groupVersion": version, "resources": resources})

    return answer


@pytest.mark.soak
def test_the_commands_of_the_help_with_kubectl_itself(standin: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    program = kubectl()
    assert program is not None
    standin.answers = discoverable(lab())
    environment = {"KUBECONFIG": standin.kubeconfig(), "HOME": str(standin.folder)}
    environment["PATH"] = f"{Path(program).parent}:{os.environ['PATH']}"
    ended = subprocess.run(["sh", "-c", commands()], env=environment, capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    assert main(["cluster", "capture", "cluster.json", "--name", "lab"]) == 0
    printed = capsys.readouterr().out
    assert main(["cluster", "capture", "--kubeconfig", standin.kubeconfig(), "--name", "lab"]) == 0
    assert capsys.readouterr().out == printed
    assert main(["cluster", "--help"]) == 0
    assert commands() in capsys.readouterr().out


@pytest.mark.soak
def test_ten_thousand_nodes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nodes as large as kubectl prints them, with the images that each holds."""
    images = [{"names": [f"registry.example.com/{index}@sha256:{'0' * 64}"], "sizeBytes": 10**9} for index in range(50)]
    nodes = []
    for index in range(10_000):
        one = node(f"n{index}", GPUS, labels={"pool": f"p{index % 4}", "example.com/rack": f"r{index // 16}"})
        one["status"]["images"] = images
        nodes.append(one)
    Path("cluster.json").write_text(json.dumps({"kind": "List", "items": nodes}, indent=4), "utf-8")
    assert main(["cluster", "capture", "cluster.json"]) == 0
    pools = yaml.safe_load(capsys.readouterr().out)["pools"]
    assert {name: pool["nodes"]["count"] for name, pool in pools.items()} == {f"p{index}": 2500 for index in range(4)}


def test_a_name_without_a_cluster_is_told_where_to_write_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "cluster", "--like", "cpu", "--name", "a"]) == 2
    assert "  = help: without --from, name the cluster by `metadata.name` of the profile" in capsys.readouterr().err
