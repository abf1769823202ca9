"""What Argo CD and Flux are told of a tree: each step is rendered by the real kubectl, and holds what it must."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.cli.main import main
from specgen.emit.flux import guarded
from specgen.emit.kustomize import RUNTIMES
from specgen.emit.synced import name_of
from specgen.operators.controllers import SUBSTITUTE
from tests.kubectl import kubectl

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: c}\noperators: {trainer: {version: 2.3.0}}\n"
JOB = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: NAME}
target: TARGET
image: registry.example.com/train:1
command: [train.py]
start: torchrun
pods: 2
"""


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[Any], str]:
    code = main(["gitops", *words])
    out, err = capsys.readouterr()
    return code, list(yaml.safe_load_all(out)), err


def built(top: Path, *jobs: tuple[str, str, str]) -> Path:
    """A repository with a tree of jobs: (name, target, more lines)."""
    (top / ".git").mkdir()
    (top / "jobs").mkdir()
    for name, target, more in jobs:
        (top / "jobs" / f"{name}.yaml").write_text(JOB.replace("NAME", name).replace("TARGET", target) + more)
    (top / "cluster.yaml").write_text(CLUSTER)
    assert main(["build", str(top / "jobs"), "--out", str(top / "deploy" / "out"), "-q"]) == 0
    assert main(["operators", str(top / "cluster.yaml"), "--out", str(top / "deploy" / "operators"), "-q"]) == 0
    return top / "deploy" / "out"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return built(tmp_path, ("one", "PyTorchJob", ""), ("two", "TrainJob", "cluster: ../cluster.yaml\n"))


def objects(folder: Path) -> list[tuple[str, str]]:
    binary = kubectl()
    if binary is None:
        pytest.skip("kubectl is not installed")
    done = subprocess.run([binary, "kustomize", str(folder)], capture_output=True, text=True, check=True)
    return [(one["kind"], one["metadata"]["name"]) for one in yaml.safe_load_all(done.stdout)]


def test_each_step_of_flux_waits_for_the_one_before_it(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths are those in the repository, wherever the command runs."""
    operators = str(tree.parent / "operators")
    monkeypatch.chdir(tree)
    code, found, err = asked(capsys, "flux", "--tree", ".", "--operators", operators, "--wait", "24h")
    assert code == 0
    assert "called `jobs.deploy.out`" in err and "delete kustomization jobs runtimes` takes that away" in err
    source, first, second, third = found
    assert [one["metadata"]["name"] for one in found] == [
        *("jobs.deploy.out", "operators.deploy.operators", "runtimes.deploy.out", "jobs.deploy.out")
    ]
    assert (source["kind"], source["spec"]["ref"]) == ("GitRepository", {"branch": "main"})
    assert [one["spec"].get("dependsOn") for one in (first, second, third)] == [
        None,
        [{"name": "operators.deploy.operators"}],
        [{"name": "runtimes.deploy.out"}],
    ]
    assert [one["spec"]["sourceRef"]["name"] for one in (first, second, third)] == [source["metadata"]["name"]] * 3
    assert [one["spec"]["path"] for one in (first, second, third)] == [
        "./deploy/operators",
        "./deploy/out/_flux/1-runtimes",
        "./deploy/out/_flux/2-jobs",
    ]
    assert first["spec"]["prune"] is False, "definitions that are pruned take all jobs with them"
    assert all(one["spec"]["targetNamespace"] == "training" for one in (second, third))
    checks = third["spec"]["healthCheckExprs"]
    assert [one["kind"] for one in checks] == ["PyTorchJob", "TrainJob"]
    assert (third["spec"]["wait"], third["spec"]["timeout"]) == (True, "24h")
    top = tree.parents[1]
    early, late = (objects(top / one["spec"]["path"]) for one in (second, third))
    assert {kind for kind, _ in early} <= set(RUNTIMES)
    assert sorted(early + late) == sorted(objects(tree))
    assert not {kind for kind, _ in late} & set(RUNTIMES)


def test_jobs_of_flux_depend_on_their_twins(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A twin of a TrainJob has a runtime of its own, without which a webhook refuses it."""
    top = tree.parents[1]
    monkeypatch.chdir(top)
    for name in ("one", "two"):
        assert main(["preflight", f"jobs/{name}.yaml", "--out", "preflight", "-q"]) == 0
    capsys.readouterr()
    code, (_, *steps), _ = asked(capsys, "flux", "--tree", "deploy/out", "--preflight", "preflight")
    assert code == 0
    names = ["preflight-runtimes", "preflight", "runtimes.deploy.out", "jobs.deploy.out"]
    assert [one["metadata"]["name"] for one in steps] == names
    assert [one["spec"].get("dependsOn") for one in steps] == [None, *([{"name": name}] for name in names[:-1])]
    twins = steps[1]["spec"]
    assert (twins["wait"], twins["timeout"]) == (True, "2h")
    assert [one["kind"] for one in twins["healthCheckExprs"]] == ["PyTorchJob", "TrainJob"]
    assert {("PyTorchJob", "one-preflight"), ("TrainJob", "two-preflight")} <= set(objects(top / twins["path"]))
    # the second day: nothing changed, a job that is called otherwise, a folder that holds no twins
    assert main(["preflight", "jobs/one.yaml", "--out", "preflight"]) == 0
    assert "0 files written" in capsys.readouterr().err
    text = Path("jobs/one.yaml").read_text("utf-8")
    Path("jobs/one.yaml").write_text(text.replace("name: one", "name: first"), "utf-8")
    assert main(["preflight", "jobs/one.yaml", "--out", "preflight"]) == 0
    assert "`one-preflight` stays in the tree" in capsys.readouterr().err
    assert main(["preflight", "jobs/one.yaml", "--out", "preflight", "--prune"]) == 0
    assert sorted(one.name for one in Path("preflight").iterdir() if "-preflight" in one.name) == [
        "first-preflight",
        "two-preflight",
    ]
    capsys.readouterr()
    assert main(["gitops", "flux", "--tree", "deploy/out", "--preflight", "jobs"]) == 2
    assert main(["gitops", "argocd", "--tree", "deploy/out", "--preflight", "preflight"]) == 2
    assert "comes a wave before its job" in capsys.readouterr().err
    assert main(["preflight", "jobs/one.yaml", "--prune"]) == 2


def test_an_artifact_has_the_paths_of_the_repository(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("flux", "--tree", str(tree), "--repo", "oci://registry.example.com/jobs", "--revision", "latest")
    code, (source, *steps), _ = asked(capsys, *words)
    assert (code, source["kind"], source["spec"]["ref"]) == (0, "OCIRepository", {"tag": "latest"})
    assert {one["spec"]["sourceRef"]["kind"] for one in steps} == {"OCIRepository"}
    assert steps[0]["spec"]["path"] == "./deploy/out/_flux/1-runtimes"
    assert "healthCheckExprs" not in steps[-1]["spec"], "without --wait nobody asks them"


def test_an_application_is_all_that_a_tree_needs(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, (one,), _ = asked(capsys, "argocd", "--tree", str(tree), "--namespace", "vision")
    source = one["spec"]["source"]
    assert (code, one["kind"], source["path"]) == (0, "Application", "deploy/out")
    assert set(source) == {"repoURL", "targetRevision", "path"}, "no plugin"
    assert one["spec"]["destination"]["namespace"] == "vision"
    operators = str(tree.parent / "operators")
    code, (first, second), _ = asked(capsys, "argocd", "--tree", str(tree), "--operators", operators)
    assert first["spec"]["syncPolicy"]["automated"]["prune"] is False
    assert first["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"] == "-1"
    assert "retry" in second["spec"]["syncPolicy"]


# Folders in a repository → what is made of a tree there is called; none of them is another's.
NAMES = {
    "out": "jobs",
    "trees/dev": "jobs.trees.dev",
    "trees/prod": "jobs.trees.prod",
    "trees-dev": "jobs.trees-dev",
    "trees.dev": "jobs.trees--dev",
    "a.b/c": "jobs.a--b.c",
    "trees--dev": "jobs.trees-dev-6b751f5f",
    "Trees/dev": "jobs.trees.dev-49f91f28",
    ".": "jobs-cdb4ee2a",
    "_x/y": "jobs.x.y-53ac2f34",
    "deploy/" + "long-" * 12 + "name": "jobs.deploy.long-long-long-long-long-long-long-long-lo-8bf332dd",
}


@pytest.mark.parametrize("path", NAMES)
def test_a_name_follows_from_the_folder(path: str) -> None:
    found = name_of("jobs", path)
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*", found) and len(found) < 64
    assert found == NAMES[path]
    assert len({name_of("jobs", one) for one in NAMES}) == len(NAMES)


def test_two_trees_of_a_repository(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tree.parents[1]
    monkeypatch.chdir(top)
    met: dict[tuple[str, str], Any] = {}
    for out in ("out", "trees/dev", "trees/prod"):
        assert main(["build", "jobs", "--out", out, "-q"]) == 0
        for controller in ("argocd", "flux"):
            code, found, err = asked(capsys, controller, "--tree", out)
            assert code == 0 and ("stays beside it" in err) == (out != "out")
            for one in found:
                assert met.setdefault((one["kind"], one["metadata"]["name"]), one) is one
    assert {name for kind, name in met if kind == "Application"} == {"jobs", "jobs.trees.dev", "jobs.trees.prod"}
    # a name of its own, and what is no name
    code, found, err = asked(capsys, "flux", "--tree", "trees/dev", "--name", "train")
    assert (code, [one["metadata"]["name"] for one in found], err) == (0, ["train", "train-runtimes", "train"], "")
    for wrong in ("No Name", "n" * 60):
        assert main(["gitops", "argocd", "--tree", "out", "--name", wrong]) == 2


def test_a_folder_of_a_tree(tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """One job is refused, and the others are applied: each has a Kustomization of its own, and its own runtime."""
    top = tree.parents[1]
    monkeypatch.chdir(top)
    code, (source, *steps), err = asked(capsys, "flux", "--tree", "deploy/out", "--by", "folder", "--wait", "24h")
    assert code == 0 and "delete kustomization jobs runtimes jobs.deploy.out runtimes.deploy.out`" in err
    assert [(one["metadata"]["name"], one["spec"].get("dependsOn"), one["spec"]["path"]) for one in steps] == [
        ("jobs.deploy.out.one", None, "./deploy/out/one"),
        ("runtimes.deploy.out.two", None, "./deploy/out/two/runtime"),
        ("jobs.deploy.out.two", [{"name": "runtimes.deploy.out.two"}], "./deploy/out/two/job"),
    ]
    assert {one["spec"]["sourceRef"]["name"] for one in steps} == {source["metadata"]["name"]}
    assert [[of["kind"] for of in one["spec"].get("healthCheckExprs", ())] for one in steps] == [
        ["PyTorchJob"],
        [],
        ["TrainJob"],
    ]
    assert sorted(one for step in steps for one in objects(top / step["spec"]["path"])) == sorted(objects(tree))
    code, found, _ = asked(
        capsys, "argocd", "--tree", "deploy/out", "--by", "folder", "--operators", "deploy/operators"
    )
    assert [one["metadata"]["name"] for one in found] == [
        *("operators.deploy.operators", "jobs.deploy.out.one", "jobs.deploy.out.two")
    ]
    assert all("retry" in one["spec"]["syncPolicy"] for one in found[1:])
    code, found, err = asked(capsys, "flux", "--tree", "deploy/out/two")
    assert (code, [one["metadata"]["name"] for one in found[1:]], err) == (
        *(0, ["runtimes.deploy.out.two", "jobs.deploy.out.two"], ""),
    )
    code, found, _ = asked(capsys, "argocd", "--tree", "deploy/out", "--by", "folder", "--name", "team")
    assert [one["metadata"]["name"] for one in found] == ["team.one", "team.two"]
    for words, says in (
        (("--tree", "deploy/out/_flux"), "the folder of no job in the tree `deploy/out`"),
        (("--tree", "deploy/out/two/job"), "no tree that"),
        (("--tree", "deploy/out/two", "--by", "folder"), "one folder of a tree"),
        (("--tree", "deploy/out", "--by", "folder", "--preflight", "deploy/out"), "one folder of it"),
        (("--by", "folder"), "--by is about the tree"),
        (("--name", "a"), "--name is about the tree"),
    ):
        code, found, err = asked(capsys, "flux", *words)
        assert (code, found) == (2, []) and says in err


NAMESPACES: list[tuple[list[str | None], str | None, bool]] = [
    ([None, None], "training", False),
    (["vision", "vision"], None, False),
    (["vision", None], "vision", False),
    (["vision", "text"], None, False),
    (["vision", "text", None], None, True),
]


@pytest.mark.parametrize(("namespaces", "target", "refused"), NAMESPACES)
def test_who_names_no_namespace(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    namespaces: list[str | None],
    target: str | None,
    refused: bool,
) -> None:
    """`targetNamespace` moves all objects of a Kustomization, those that name another one as well."""
    (tmp_path / "jobs").mkdir()
    for number, namespace in enumerate(namespaces):
        name = f"job-{number}, namespace: {namespace}" if namespace else f"job-{number}"
        text = JOB.replace("NAME", name).replace("TARGET", "PyTorchJob")
        (tmp_path / "jobs" / f"{number}.yaml").write_text(text)
    (tmp_path / ".git").mkdir()
    assert main(["build", str(tmp_path / "jobs"), "--out", str(tmp_path / "out"), "-q"]) == 0
    code, found, err = asked(capsys, "flux", "--tree", str(tmp_path / "out"))
    steps = [one for one in found if one["kind"] == "Kustomization"]
    assert (code, [one["spec"].get("targetNamespace") for one in steps]) == ((1, []) if refused else (0, [target]))
    assert ("`namespace not specified`" in err) is refused


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("argocd", "--tree", "jobs"), "no tree that `specgen build … --out` wrote"),
        (("argocd", "--tree", "absent"), "no tree that `specgen build … --out` wrote"),
        (("flux", "--tree", "out", "--operators", "out"), "no tree that `specgen operators … --out` wrote"),
        (("flux", "--tree", "out", "--wait", "3"), "--wait is a time"),
        (("argocd", "--tree", "out", "--wait", "3h"), "--wait is a time such as 24h or 90m, for flux"),
        (("flux", "PyTorchJob", "--tree", "out"), "is printed without --tree"),
        (("flux", "--repo", "x"), "--repo is about the tree that --tree names"),
        (("flux", "--tree", "out", "--repo", "https://user:s3cret@git.example.com/a"), "`spec.secretRef` of the sour"),
        (("flux", "--tree", "out", "--repo", "oci://s3cret@registry.example.com/a"), "--repo holds credentials"),
        (("argocd", "--tree", "out", "--repo", "https://s3cret@git.example.com/a"), "secret-type: repository"),
        (("argocd", "--tree", "out", "--repo", "ssh://git:s3cret@git.example.com/a"), "--repo holds credentials"),
        (("argocd", "--tree", "out", "--repo", "user:s3cret@git.example.com:a"), "no URL that Argo CD takes"),
        (("flux", "--tree", "out", "--repo", "file:///tmp/s3cret"), "no URL that Flux takes"),
        (("flux", "--tree", "out", "--repo", "https://"), "no URL that Flux takes"),
        (("flux", "--tree", "out", "--repo", "https://[s3cret"), "no URL that Flux takes"),
        (("flux", "--tree", "out", "--namespace", "Bad Name"), "--namespace is no name of a namespace"),
        (("flux", "--tree", "out", "--repo", "oci://registry.example.com/a"), "--revision names one, such as latest"),
        (("argocd", "--tree", "out", "--repo", "oci://registry.example.com/a"), "tags and no branch"),
        (("flux", "--tree", "out", "--repo", ""), "no URL that Flux takes"),
    ],
)
def test_questions_that_are_none(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], says: str
) -> None:
    (tree.parent / "jobs").mkdir()
    monkeypatch.chdir(tree.parent)
    code, found, err = asked(capsys, *words)
    assert (code, found) == (2, [])
    assert says in err
    assert "s3cret" not in err


URL = "ssh://git@git.example.com/team/jobs.git"
URLS = [
    ("flux", "git@git.example.com:team/jobs.git", URL),
    ("argocd", "git@git.example.com:team/jobs.git", "git@git.example.com:team/jobs.git"),
    ("flux", URL, URL),
]


@pytest.mark.parametrize(("controller", "said", "written"), URLS)
def test_a_repository_as_its_controller_takes_it(
    tree: Path, capsys: pytest.CaptureFixture[str], controller: str, said: str, written: str
) -> None:
    code, (first, *_), _ = asked(capsys, controller, "--tree", str(tree), "--repo", said)
    spec = first["spec"]
    assert (code, spec["source"]["repoURL"] if controller == "argocd" else spec["url"]) == (0, written)


OCI = "oci://registry.example.com/jobs"
COMMIT, DIGEST = "0123456789" * 4, f"sha256:{'0' * 64}"
REVISIONS = [
    (URL, "release", {"branch": "release"}),
    (URL, "refs/tags/v1.0", {"name": "refs/tags/v1.0"}),
    (URL, COMMIT, {"commit": COMMIT}),
    (OCI, "v1.0", {"tag": "v1.0"}),
    (OCI, DIGEST, {"digest": DIGEST}),
]


@pytest.mark.parametrize(("repository", "revision", "ref"), REVISIONS)
def test_what_a_source_follows(
    tree: Path, capsys: pytest.CaptureFixture[str], repository: str, revision: str, ref: dict[str, str]
) -> None:
    code, (source, *_), _ = asked(capsys, "flux", "--tree", str(tree), "--repo", repository, "--revision", revision)
    assert (code, source["spec"]["ref"]) == (0, ref)


SCRIPT = 'exec ssh "${host%%:*}"'
OBJECTS: list[tuple[dict[str, Any], bool]] = [
    ({"spec": {"containers": [{"command": ["sh", "-c", SCRIPT]}]}}, True),
    ({"spec": {"containers": [{"args": [SCRIPT]}]}}, True),
    ({"data": {"run.sh": "${X}"}}, True),
    ({"data": {"run.sh": "$X $(X) $$"}}, False),
    ({"spec": {"image": "registry/${TAG}"}}, False),
    ({"spec": {"image": "registry/${TAG}", "command": ["sh", "-c", SCRIPT]}}, False),
    ({"spec": {"args": ["--tag=${TAG}"]}}, False),
    ({"spec": {"env": [{"name": "BUCKET", "value": "${BUCKET}"}]}}, False),
    ({"metadata": {"annotations": {SUBSTITUTE: "enabled"}}, "data": {"a": "${X}"}}, False),
]


@pytest.mark.parametrize(("tree", "is_guarded"), OBJECTS)
def test_whose_variables_flux_leaves_alone(tree: dict[str, Any], is_guarded: bool) -> None:
    before = yaml.safe_dump(tree)
    found = guarded(tree)
    annotations = found.get("metadata", {}).get("annotations", {})
    assert (annotations.get(SUBSTITUTE) == "disabled") is is_guarded
    assert yaml.safe_dump(tree) == before


def test_a_launcher_keeps_its_script(tmp_path: Path) -> None:
    """What MPI's launcher waits with holds a variable of the shell."""
    out = tmp_path / "out"
    assert main(["build", str(ROOT / "profiles/jobs/nccl-tests.yaml"), "--out", str(out), "-q"]) == 0
    (job,) = (yaml.safe_load(path.read_text()) for path in out.glob("*/mpijob.yaml"))
    assert "${host%%:*}" in yaml.safe_dump(job["spec"], width=10_000)
    assert job["metadata"]["annotations"] == {SUBSTITUTE: "disabled"}


BASH = "command: [bash, -c, 'python train.py --host ${HOSTNAME%%-*}']\nstart: none\n"
MEANT = f"metadata: {{name: one, annotations: {{{SUBSTITUTE}: enabled}}}}\n"


@pytest.mark.parametrize(
    ("image", "head", "code"),
    [
        ("train:1", "", ""),
        ("train:${TAG}", "", "SG833"),
        ("train:${TAG}", MEANT, ""),
        ("train:${TAG}", "ignore: {SG833: {reason: something else fills it in}}\n", ""),
    ],
)
def test_a_variable_for_flux_beside_a_script(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], image: str, head: str, code: str
) -> None:
    text = f"apiVersion: specgen/v1\nkind: Job\ntarget: PyTorchJob\nimage: {image}\n{BASH}{head}"
    (tmp_path / "one.yaml").write_text(text + ("" if "metadata" in head else "metadata: {name: one}\n"))
    assert main(["build", str(tmp_path / "one.yaml"), "-q"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["build", str(tmp_path / "one.yaml"), "--out", str(tmp_path / "out"), "-q"]) == 0
    err = capsys.readouterr().err
    assert ("one.yaml:4:8: warning[SG833]" in err) if code else not err
    built = yaml.safe_load((tmp_path / "out" / "one" / "pytorchjob.yaml").read_text())
    marks = built["metadata"].get("annotations", {})
    assert marks.get(SUBSTITUTE) == ("enabled" if head == MEANT else None if "TAG" in image else "disabled")
