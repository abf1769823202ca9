"""``specgen diff`` on what stands in files, revisions and on standard input: which jobs are compared, and what is said.

The words of changes stand in ``scripts/diff.txt``; what updates do is held against recordings by
``tests/operators/test_updates.py``.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.cli.main import main

JOB = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: NAME}
extends: ../base.yaml
command: [python, train.py]
pods: 2
"""
BASE = "apiVersion: specgen/v1\nkind: Base\ntarget: PyTorchJob\nimage: registry.example.com/train:1\n"
FILES = {"base.yaml": BASE, "jobs/a.yaml": JOB.replace("NAME", "a"), "jobs/b.yaml": JOB.replace("NAME", "b")}
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is absent, by which revisions are read")


def git(*words: str) -> None:
    own = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    subprocess.run(["git", *words], check=True, capture_output=True, env={**os.environ, **own})


class Asked:
    """The command line, in this process: its exit code, and what it prints."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch = monkeypatch
        self.capsys = capsys

    def __call__(self, *words: str, stdin: str = "") -> tuple[int, str, str]:
        self.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main(["diff", *words])
        out, err = self.capsys.readouterr()
        return code, out, err

    def jobs(self, *words: str, stdin: str = "") -> dict[str, Any]:
        """Name → what is said of the job that changed."""
        _, out, _ = self(*words, "--format", "json", stdin=stdin)
        return {one["name"]: one for one in json.loads(out)["jobs"]}


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Asked:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / ".specgen-root").touch()
    monkeypatch.chdir(tmp_path)
    return Asked(monkeypatch, capsys)


@pytest.fixture
def repository(ask: Asked) -> Asked:
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    return ask


@needs_git
def test_a_revision_against_the_working_tree(repository: Asked, tmp_path: Path) -> None:
    assert repository("HEAD:jobs", "jobs") == (0, "", "nothing changed\n")
    (tmp_path / "jobs/a.yaml").write_text(FILES["jobs/a.yaml"].replace("pods: 2", "pods: 4"))
    code, out, err = repository("HEAD:jobs", "jobs")
    assert (code, err) == (1, "")
    assert "PyTorchJob a: changed (HEAD:jobs/a.yaml → jobs/a.yaml)\n" in out and "ranks        2 → 4\n" in out
    assert list(repository.jobs("HEAD:", ".")) == ["a"]
    assert list(repository.jobs("HEAD:jobs/a.yaml", "jobs/a.yaml")) == ["a"]
    git("commit", "-qam", "two")
    assert list(repository.jobs("HEAD~1:", "HEAD:")) == ["a"] and repository("HEAD:", ".")[0] == 0


@needs_git
@pytest.mark.parametrize("here", [".", "jobs"])
def test_a_stale_tree_beside_its_profiles_counts_no_job(
    repository: Asked, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: str
) -> None:
    assert main(["build", "jobs", "--out", "out"]) == 0
    capsys.readouterr()
    git("add", "-A")
    git("commit", "-qm", "a tree")
    (tmp_path / "jobs/a.yaml").write_text(FILES["jobs/a.yaml"].replace("{name: a}", "{name: other}"))
    (tmp_path / "jobs/b.yaml").write_text(FILES["jobs/b.yaml"].replace("pods: 2", "pods: 4"))
    monkeypatch.chdir(here)
    found = repository.jobs("HEAD:", "." if here == "." else "..")
    assert {name: one["change"] for name, one in found.items()} == {"a": "removed", "b": "changed", "other": "added"}
    # a tree that is compared itself says what it holds
    assert repository.jobs("HEAD:out", os.path.relpath(tmp_path / "out")) == {}
    # where its profile is gone, the job of the tree is still applied
    (tmp_path / "jobs/a.yaml").unlink()
    assert "a" not in repository.jobs("HEAD:", "." if here == "." else "..")


@needs_git
@pytest.mark.parametrize("side", ["HEAD:", "old"])
def test_what_a_profile_names_changed(repository: Asked, tmp_path: Path, side: str) -> None:
    """Profiles that nobody touched are compiled all the same where a file that they name is another one."""
    shutil.copytree(tmp_path, tmp_path / "old", ignore=shutil.ignore_patterns("old", ".git"))
    (tmp_path / "new").mkdir()
    for name, text in FILES.items():
        (tmp_path / "new" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "new" / name).write_text(text)
    (tmp_path / "new/.specgen-root").touch()
    (tmp_path / "new/base.yaml").write_text(BASE.replace("train:1", "train:2"))
    changed = repository.jobs(side, "new")
    assert {name: [row["what"] for row in one["changes"]] for name, one in changed.items()} == {
        "a": ["image"],
        "b": ["image"],
    }


@needs_git
def test_links_roots_and_names_of_a_revision(repository: Asked, tmp_path: Path) -> None:
    (tmp_path / "jobs/c.yaml").write_text(JOB.replace("NAME", "c").replace("../base", "link"))
    (tmp_path / "jobs/link.yaml").symlink_to("../base.yaml")
    (tmp_path / "jobs/d.yaml").write_text(JOB.replace("NAME", "d").replace("../base", "../../outside"))
    git("add", "-A")
    git("commit", "-qm", "two")
    code, out, err = repository("HEAD:", "HEAD~1:")
    assert code == 1 and "PyTorchJob c: removed (HEAD:jobs/c.yaml)" in out
    assert "HEAD:jobs/d.yaml:4:10: error[SG202] `../../outside.yaml`: it lies outside the repository" in err
    (tmp_path / "jobs/.specgen-root").touch()
    git("add", "-A")
    git("commit", "-qm", "three")
    assert "HEAD:jobs/a.yaml:4:10: error[SG202] `../base.yaml`" in repository("HEAD:jobs", "HEAD~1:jobs")[2]


@needs_git
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gone:", "there is no revision `gone` in this repository"),
        ("--help:", "there is no revision `--help` in this repository"),
        (":jobs", ":jobs: a revision stands before the colon, as in HEAD~1:profiles"),
        ("HEAD:/x", "HEAD:/x: the path counts from the root of the repository"),
        ("HEAD:../x", "HEAD:../x: it leads out of the repository"),
        ("HEAD:absent", "HEAD:absent: there is no such file or folder in the revision"),
        ("absent", "absent: there is no such file"),
        ("HEAD~9:", "there is no revision `HEAD~9` in this repository"),
    ],
)
def test_questions_that_are_wrong(repository: Asked, name: str, sentence: str) -> None:
    code, out, err = repository("--", name, "jobs") if name.startswith("-") else repository(name, "jobs")
    assert (code, out, err) == (2, "", f"specgen: {sentence}\n")


@needs_git
def test_a_path_that_begins_in_a_folder(repository: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path / "jobs")
    assert repository("HEAD:./a.yaml", "a.yaml")[0] == repository("HEAD:../jobs", ".")[0] == 0
    code, out, err = repository("HEAD:a.yaml", "a.yaml")
    assert (code, out) == (2, "") and "= help: `HEAD:jobs/a.yaml`, or `HEAD:./a.yaml`:" in err


@needs_git
def test_without_a_repository(ask: Asked) -> None:
    code, _, err = ask("HEAD:", "jobs")
    assert code == 2 and "this folder lies in no repository of git" in err


@needs_git
def test_git_runs_no_program_of_a_configuration(repository: Asked, tmp_path: Path) -> None:
    """Hooks, filters, pagers, monitors and helpers of the repository's own settings."""
    mark = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    hook = tmp_path / ".git/hooks/post-index-change"
    shutil.copy(program, hook)
    for key in (
        "core.pager",
        "core.fsmonitor",
        "filter.x.smudge",
        "filter.x.clean",
        "core.sshCommand",
        "diff.external",
    ):
        git("config", key, str(program))
    (tmp_path / ".gitattributes").write_text("* filter=x diff=x\n")
    assert repository("HEAD:", ".")[0] == 0
    assert not mark.exists()


def test_the_others_are_compared_where_one_is_broken(ask: Asked, tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "jobs", tmp_path / "was")
    (tmp_path / "jobs/a.yaml").write_text(FILES["jobs/a.yaml"] + "podz: 3\n")
    (tmp_path / "jobs/b.yaml").write_text(FILES["jobs/b.yaml"].replace("pods: 2", "pods: 3"))
    code, out, err = ask("was", "jobs")
    assert code == 1 and "jobs/a.yaml:7:1: error[SG101]" in err
    assert "PyTorchJob a: not compared (was/a.yaml): no job can be made of `jobs/a.yaml`" in out
    assert "PyTorchJob b: changed" in out and "removed" not in out


def test_a_live_job(ask: Asked, tmp_path: Path) -> None:
    """What the server owns is no difference, and further jobs of the folder are not spoken of."""
    manifest = yaml.safe_load(built(tmp_path))
    live = {**manifest, "status": {"conditions": []}}
    applied = {"kubectl.kubernetes.io/last-applied-configuration": "{}"}
    live["metadata"] = {"name": "a", "namespace": "nlp", "uid": "1", "resourceVersion": "2", "annotations": applied}
    live["spec"]["runPolicy"]["suspend"] = False
    assert ask("-", "jobs", stdin=yaml.safe_dump(live)) == (0, "", "nothing changed\n")
    live["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] = 3
    code, out, _ = ask("-", "jobs", stdin=json.dumps(live))
    assert code == 1 and out.startswith("PyTorchJob a: changed (<stdin> → jobs/a.yaml)\n")
    assert "Worker pods  3 → 1" in out and "PyTorchJob b" not in out
    code, out, _ = ask("jobs", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": [live]}))
    assert code == 1 and "Worker pods  1 → 3" in out and "PyTorchJob b" not in out


@pytest.mark.parametrize("text", ["", "Error from server (NotFound)\n", "apiVersion: v1\nkind: List\nitems: []\n"])
@pytest.mark.parametrize("sides", [("-", "jobs"), ("jobs", "-")])
def test_standard_input_without_a_job_is_no_job_without_a_change(ask: Asked, sides: tuple[str, str], text: str) -> None:
    code, out, err = ask(*sides, stdin=text)
    assert (code, out) == (2, "") and err.endswith("specgen: standard input holds no job, nothing is compared\n")


def test_a_manifest_beside_the_profile_that_it_was_built_from(
    ask: Asked, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What the cluster profile says is so for both, and what a reader finds of a manifest is found of both."""
    cluster = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: c}\noperators:\n"
    (tmp_path / "cluster.yaml").write_text(cluster + "  training-operator: {version: 1.7.0}\n")
    text = FILES["jobs/a.yaml"] + "cluster: ../cluster.yaml\nresources: {gpu: 8, cpu: 8}\n"
    (tmp_path / "jobs/a.yaml").write_text(text)
    assert main(["build", "jobs/a.yaml"]) == 0
    (tmp_path / "a.yaml").write_text(capsys.readouterr().out)
    assert ask("a.yaml", "jobs/a.yaml") == (0, "", "nothing changed\n")
    (tmp_path / "jobs/a.yaml").write_text(text.replace("cpu: 8", "cpu: 9"))
    for sides in (("a.yaml", "jobs/a.yaml"), ("jobs/a.yaml", "a.yaml")):
        changed = ask.jobs(*sides)["a"]
        assert changed["findings"] == {"new": [], "gone": []}
        assert changed["operator"] == {"name": "training-operator", "old": "1.7.0", "new": "1.7.0"}
    # of two profiles as well, unless one says that it is meant
    for more, codes in (("", ["SG503"]), ("ignore: {SG216: one process drives all}\n", [])):
        (tmp_path / "jobs/b.yaml").write_text(text.replace("gpu: 8", "gpu: 1"))
        (tmp_path / "jobs/a.yaml").write_text(text + more)
        found = ask.jobs("jobs/b.yaml", "jobs/a.yaml")["a"]["findings"]
        assert [one["code"] for one in found["new"]] == codes


VOLCANO = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: a}
spec:
  minAvailable: 4
  tasks: [{name: w, replicas: 4, template: {spec: {restartPolicy: Never, containers: [{name: a, image: a:1}]}}}]
"""
JOBSET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: a}
spec:
  replicatedJobs:
  - name: w
    template:
      spec:
        parallelism: 2
        completions: 2
        template: {spec: {restartPolicy: Never, containers: [{name: a, image: a:1}]}}
"""
TFJOB = """\
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: a}
spec:
  tfReplicaSpecs:
    Worker: {template: {spec: {containers: [{name: tensorflow, image: a:1}]}}}
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "said"),
    [
        (VOLCANO, " 4", " 8", ["pods  4 → 8  in place", "gang  4 → 8  in place"]),
        (JOBSET, "name: w", "name: w\n    replicas: 3", ["pods             2 → 6", "replicated Jobs  - → 3  refused"]),
        (TFJOB, "{template", "{replicas: 3, template", ["pods  1 → 3  in place"]),
    ],
)
def test_what_is_said_once(ask: Asked, tmp_path: Path, text: str, old: str, new: str, said: list[str]) -> None:
    """A number that a line says with what becomes of it is not said again; where nobody wrote it, it is the default."""
    for name, one in (("old.yaml", text), ("new.yaml", text.replace(old, new))):
        (tmp_path / name).write_text(one)
    lines = ask("old.yaml", "new.yaml")[1].splitlines()
    assert [line.strip() for line in lines[1 : lines.index(next(one for one in lines if "update:" in one))]] == said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (2, 4, "pods that run keep TF_CONFIG=(worker: 2); those that are created get TF_CONFIG=(worker: 4):"),
        (4, 2, "pods that run keep TF_CONFIG=(worker: 4): they wait for ranks that are gone"),
    ],
)
def test_hosts_are_counted(ask: Asked, tmp_path: Path, old: int, new: int, said: str) -> None:
    for name, number in (("old.yaml", old), ("new.yaml", new)):
        (tmp_path / name).write_text(TFJOB.replace("{template", f"{{replicas: {number}, template"))
    assert said in ask("old.yaml", "new.yaml")[1]


def test_a_job_of_another_operator_is_no_update(ask: Asked, tmp_path: Path) -> None:
    text = "apiVersion: kubeflow.org/VERSION\nkind: MPIJob\nmetadata: {name: a}\nspec: {mpiReplicaSpecs: {}}\n"
    for name, version in (("old", "v1"), ("new", "v2beta1")):
        (tmp_path / f"{name}.yaml").write_text(text.replace("VERSION", version))
    code, out, _ = ask("old.yaml", "new.yaml")
    assert code == 1 and "not compared" in out and "mpi-operator serves kubeflow.org/v2beta1: delete the job" in out


def built(folder: Path) -> str:
    """The manifest of the job ``a``."""
    from specgen.cli.files import DiskFiles
    from specgen.document.write import write_yaml
    from specgen.session import Session

    (result,) = Session(DiskFiles()).compile([str(folder / "jobs/a.yaml")])
    bundle = result.compiled[0].bundle
    assert bundle is not None
    return write_yaml(bundle.job.tree)


def test_a_tree_that_was_built(ask: Asked, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    # Flux is told to leave such a script alone, and both controllers to keep the claim
    path = tmp_path / "jobs/a.yaml"
    path.write_text(path.read_text() + "mounts: {/data: {pvc: a, create: {size: 1Gi}}}\n")
    path.write_text(re.sub("(?m)^command: .*$", "command: [sh, -c, 'echo ${HOME%%/*}']", path.read_text()))
    assert main(["build", "jobs", "--out", "out"]) == 0
    capsys.readouterr()
    texts = "".join(file.read_text() for file in (tmp_path / "out").rglob("*.yaml"))
    assert "substitute: disabled" in texts and "Prune=false" in texts
    assert ask("out", "jobs") == (0, "", "nothing changed\n")


ROLES = "spec: {pytorchReplicaSpecs: {Master: {replicas: 1, template: {spec: {containers: [CONTAINER]}}}}}\n"
HEAD = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\n"
WHOLE = "{name: pytorch, image: 'a:1', command: [python, t.py]"


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("env: [{name: A, value: a}]", "env: [{name: A, value: b}]", ("env A", "a", "b")),
        ("env: [{name: A, value: a}]", "", ("env A", "a", None)),
        (
            "env: [{name: A, value: a}]",
            "env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]",
            ("env A", "a", "secret s k"),
        ),
        ("env: [{name: API_KEY, value: abc}]", "env: [{name: API_KEY, value: abd}]", ("env API_KEY", "•••", "•••")),
        (
            "args: [--password=hunter22]",
            "args: [--password=hunter23]",
            ("arguments", "--password=•••", "--password=•••"),
        ),
        ("args: [a,  b, c]", "args: [a, x, c]", ("arguments", "… b …", "… x …")),
        ("args: ['a  b']", "args: ['a b']", ("containers[pytorch].args", '["a  b"]', '["a b"]')),
        ("workingDir: /a", "workingDir: /b", ("containers[pytorch].workingDir", "/a", "/b")),
        ("resources: {limits: {cpu: 1}}", "resources: {limits: {cpu: 2}}", ("cpu limit", "1", "2")),
        ("tty: true", "tty: false", ("containers[pytorch].tty", "true", "false")),
        (
            "volumeMounts: [{name: v, mountPath: /a}]",
            "volumeMounts: [{name: v, mountPath: /a, mountPropagation: None}]",
            ("containers[pytorch].volumeMounts[/a].mountPropagation", None, "None"),
        ),
    ],
)
def test_a_change_of_a_container(ask: Asked, tmp_path: Path, old: str, new: str, what: Any) -> None:
    for name, text in (("old.yaml", old), ("new.yaml", new)):
        body = f"{WHOLE}, {text}}}" if text else f"{WHOLE}}}"
        (tmp_path / name).write_text(HEAD + ROLES.replace("CONTAINER", body))
    (row,) = ask.jobs("old.yaml", "new.yaml")["a"]["changes"]
    assert (row["what"], row["old"], row["new"]) == what
    assert row["effect"]["how"] == "later"


@pytest.mark.parametrize(
    "text",
    [
        HEAD,
        HEAD + "spec: []\n",
        HEAD + "spec: {pytorchReplicaSpecs: [1]}\n",
        HEAD
        + "spec: {pytorchReplicaSpecs: {Master: {template: {spec: {containers: [1, {name: 2}], volumes: {a: b}}}}}}\n",
        HEAD + ROLES.replace("CONTAINER", WHOLE + ", env: {A: b}, volumeMounts: [{mountPath: 1}], resources: [2]}"),
        HEAD.replace("{name: a}", "{name: a, labels: [1], annotations: 2}") + ROLES.replace("CONTAINER", WHOLE + "}"),
        HEAD.replace("{name: a}", "[1]"),
    ],
)
def test_odd_objects_on_either_side(ask: Asked, tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.yaml").write_text(text)
    (tmp_path / "well.yaml").write_text(HEAD + ROLES.replace("CONTAINER", WHOLE + "}"))
    for words in (("odd.yaml", "well.yaml"), ("well.yaml", "odd.yaml"), ("odd.yaml", "odd.yaml")):
        for form in ("text", "json", "markdown"):
            code, out, err = ask(*words, "--format", form)
            assert code in (0, 1) and "SG900" not in err, (words, out, err)


def test_markdown_of_a_hostile_name(ask: Asked, tmp_path: Path) -> None:
    """Nothing that a manifest says becomes a cell, a tag, a link or a name that is called."""
    for name, value in (("old.yaml", "a"), ("new.yaml", "b|c`<img>\\n@all")):
        container = f'{WHOLE}, env: [{{name: "A|<b>[x](y)@all", value: "{value}"}}]}}'
        (tmp_path / name).write_text(HEAD + ROLES.replace("CONTAINER", container))
    _, out, _ = ask("old.yaml", "new.yaml", "--format", "markdown")
    (line,) = [line for line in out.splitlines() if line.startswith("| env")]
    assert line.replace("\\|", "").count("|") == 5
    assert "<b>" not in line and "](y)" in line and "\\[x]" in line and "@all" not in line.split("``")[0]


def test_what_nobody_has_read_is_not_called_safe(ask: Asked, tmp_path: Path) -> None:
    """A field whose fate is unknown: whether a job restarts is not known either."""
    pod = "{spec: {containers: [{name: a, image: 'a:1'}]}}"
    counts = "parallelism: 1, completions: 1, completionMode: Indexed"
    jobs = f"replicatedJobs: [{{name: a, template: {{spec: {{{counts}, template: {pod}}}}}}}]"
    for name, more in (("old.yaml", ""), ("new.yaml", ", coordinator: {replicatedJob: a}")):
        head = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\n"
        (tmp_path / name).write_text(f"{head}spec: {{{jobs}{more}}}\n")
    said = ask.jobs("old.yaml", "new.yaml")["a"]
    assert (said["update"]["taken"], said["update"]["restarts"]) == (None, None)
    assert "restarts a running job: not known\n" in ask("old.yaml", "new.yaml")[1]


def test_a_cluster_profile_from_standard_input(ask: Asked) -> None:
    assert ask("jobs", "jobs", "--cluster", "-")[0] == 2


def test_an_amount_that_is_spelled_otherwise_is_no_change(ask: Asked, tmp_path: Path) -> None:
    assert main(["build", "jobs/a.yaml", "--set", "resources={cpu: 2, memory: 4Gi}"]) == 0
    built = ask.capsys.readouterr().out
    assert "cpu: 2\n" in built and "memory: 4Gi\n" in built
    (tmp_path / "one.yaml").write_text(built)
    (tmp_path / "other.yaml").write_text(built.replace("cpu: 2\n", 'cpu: "2000m"\n').replace("4Gi", "4096Mi"))
    assert ask("one.yaml", "other.yaml") == (0, "", "nothing changed\n")
    (tmp_path / "other.yaml").write_text(built.replace("4Gi", "4G"))
    assert ask("one.yaml", "other.yaml")[0] == 1


def test_a_policy_of_success_is_judged_as_it_stands(ask: Asked, tmp_path: Path) -> None:
    """What a JobSet says that is there by default is no change, and is not taken away from what is judged."""
    pod = "{spec: {containers: [{name: a, image: 'a:1'}]}}"
    jobs = f"replicatedJobs: [{{name: a, template: {{spec: {{template: {pod}}}}}}}]"
    head = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\n"
    policies = (
        "successPolicy: {operator: All, targetReplicatedJobs: [a]}, startupPolicy: {startupPolicyOrder: AnyOrder}"
    )
    for name, most in (("old.yaml", 3), ("new.yaml", 4)):
        spec = f"{policies}, failurePolicy: {{maxRestarts: {most}}}, {jobs}"
        (tmp_path / name).write_text(f"{head}spec: {{{spec}}}\n")
    assert "the API server: `spec.failurePolicy` is immutable" in ask("old.yaml", "new.yaml")[1]
    (tmp_path / "bare.yaml").write_text(f"{head}spec: {{{jobs}}}\n")
    (tmp_path / "said.yaml").write_text(f"{head}spec: {{successPolicy: {{operator: All}}, {jobs}}}\n")
    assert ask("bare.yaml", "said.yaml") == (0, "", "nothing changed\n")
