"""The output tree on the second day: jobs renamed, profiles moved and deleted, partial builds, strangers' files."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from specgen.cli.main import main
from tests.kubectl import kubectl

JOB = "apiVersion: specgen/v1\nkind: Job\nmetadata: {{name: {name}}}\ntarget: PyTorchJob\nimage: r.example.com/x:1\n"


class Run:
    """A root with profiles, and what the last command printed."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self.out = ""
        self.err = ""
        self._capsys = capsys

    def profile(self, name: str, more: str = "", *, file: str = "") -> Path:
        path = self.root / "profiles" / (file or f"{name}.yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(JOB.format(name=name) + more)
        return path

    def build(self, *words: str, of: str = "profiles", out: str = "out") -> int:
        code = main(["build", of, "--out", out, *words])
        self.out, self.err = self._capsys.readouterr()
        return code

    def listed(self, out: str = "out") -> list[str]:
        """The folders that the top kustomization names."""
        lines = (self.root / out / "kustomization.yaml").read_text().split("resources:\n")[1].splitlines()
        return [line.removeprefix("- ") for line in lines]

    def files(self, out: str = "out") -> dict[str, str]:
        folder = self.root / out
        return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}

    def clean(self) -> bool:
        """Whether nothing is left of a build but its output."""
        return not [path for path in self.root.rglob("*") if ".specgen" in path.name and path.name != ".specgen-owned"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    one = Run(tmp_path, capsys)
    for name in ("a", "b"):
        one.profile(name)
    return one


def test_building_one_job_keeps_the_others_listed(run: Run) -> None:
    assert run.build() == 0
    assert "; changed" not in run.err
    run.profile("b", "pods: 2\n")
    assert run.build(of="profiles/b.yaml") == 0
    assert run.err.endswith("unchanged; changed: `b`\n")
    assert run.listed() == ["a", "b"]
    assert run.build("--check") == 0


def test_a_handwritten_file_is_never_overwritten(run: Run) -> None:
    (run.root / "out").mkdir()
    mine = run.root / "out/kustomization.yaml"
    mine.write_text("resources: [mine.yaml]\n")
    assert run.build() == 1
    assert "out/kustomization.yaml:1:1: error[SG823] `kustomization.yaml` is in the way: specgen did not" in run.err
    assert run.files() == {"kustomization.yaml": "resources: [mine.yaml]\n"}
    assert run.build("--force") == 0 and run.listed() == ["a", "b"]


def test_the_working_folder_as_the_tree(run: Run) -> None:
    (run.root / "kustomization.yaml").write_text("resources: [mine.yaml]\n")
    assert run.build(out=".") == 1
    assert (run.root / "kustomization.yaml").read_text() == "resources: [mine.yaml]\n"
    (run.root / "kustomization.yaml").unlink()
    assert run.build(out=".") == 0
    assert run.build("--check", out=".") == 0  # the profiles are in nobody's way
    (run.root / "notes.txt").touch()
    assert run.build("--check", out=".") == 1 and run.out == "foreign  notes.txt\n"
    assert run.clean()


def test_profiles_may_lie_in_the_tree_that_they_come_to(run: Run) -> None:
    run.profile("c", "extends: base.yaml\n")
    (run.root / "profiles/base.yaml").write_text("apiVersion: specgen/v1\nkind: Base\npods: 2\n")
    assert run.build(out="profiles") == 0
    assert run.build("--check", out="profiles") == 0
    (run.root / "profiles/notes.yaml").write_text("a: b\n")
    assert run.build("--check", out="profiles") == 1
    assert "foreign  notes.yaml" in run.out and "base.yaml" not in run.out


def test_an_empty_name_is_no_folder(run: Run) -> None:
    assert run.build(out="") == 2
    assert run.err == "specgen: `--out` names no folder\n"
    assert sorted(path.name for path in run.root.iterdir()) == [".git", "profiles"]


def test_an_edited_file_is_refused_and_named(run: Run) -> None:
    assert run.build() == 0
    edited = run.root / "out/a/pytorchjob.yaml"
    edited.write_text(edited.read_text() + "# mine\n")
    before = run.files()
    assert run.build("--check") == 1
    assert run.out == "foreign  a/pytorchjob.yaml: edited since specgen wrote it\n"
    assert "`--force` overwrites it" in run.err
    run.profile("b", "pods: 2\n")
    assert run.build() == 1 and "error[SG823]" in run.err
    assert run.files() == before, "nothing at all is written"
    assert run.build("--force") == 0 and run.build("--check") == 0


def test_a_deleted_profile(run: Run) -> None:
    assert run.build() == 0
    (run.root / "profiles/a.yaml").unlink()
    before = run.files()
    assert run.build() == 1
    assert "error[SG821] `profiles/a.yaml` is gone, and `a` in the tree was built from it" in run.err
    assert run.files() == before
    assert run.build("--check") == 1 and run.out == "left     a: built from profiles/a.yaml\n"
    assert "`--prune` takes out the jobs that are left" in run.err
    assert run.build(of="profiles/b.yaml") == 0 and "warning[SG821] `profiles/a.yaml` is gone" in run.err
    assert run.listed() == ["a", "b"], "a build that does not cover it leaves it there"
    assert run.build("--prune") == 0
    assert run.listed() == ["b"] and not (run.root / "out/a").exists()
    assert run.build("--check") == 0


@pytest.mark.parametrize("here", [".", "profiles", "out/a"])
def test_a_renamed_profile_that_is_built_alone(run: Run, monkeypatch: pytest.MonkeyPatch, here: str) -> None:
    assert run.build(of="profiles/a.yaml") == 0
    (run.root / "profiles/a.yaml").unlink()
    run.profile("c")
    monkeypatch.chdir(run.root / here)
    names = {"of": os.path.relpath(run.root / "profiles/c.yaml"), "out": os.path.relpath(run.root / "out")}
    gone = os.path.relpath(run.root / "profiles/a.yaml")
    assert run.build(**names) == 0
    assert f"warning[SG821] `{gone}` is gone, and `a` in the tree was built from it" in run.err
    assert "`--prune` takes `a` out of the tree" in run.err
    monkeypatch.chdir(run.root)
    assert run.listed() == ["a", "c"]
    assert run.build("--check", of="profiles/c.yaml") == 1 and run.out == "left     a: built from profiles/a.yaml\n"
    assert run.build("--prune", of="profiles/c.yaml") == 0 and run.listed() == ["c"]
    assert run.build("--check", of="profiles/c.yaml") == 0


def test_a_folder_of_profiles_that_is_gone_is_missed_by_those_beside_it(run: Run) -> None:
    run.profile("c", file="team/c.yaml")
    assert run.build() == 0
    shutil.rmtree(run.root / "profiles/team")
    assert run.build("--check", of="profiles/a.yaml") == 1 and run.out.startswith(
        "left     c: built from profiles/team/c"
    )
    assert run.build(of="profiles/a.yaml") == 0 and "warning[SG821] `profiles/team/c.yaml` is gone" in run.err
    assert run.build("--prune", of="profiles/a.yaml") == 0 and run.listed() == ["a", "b"]


def test_a_profile_that_lies_where_this_run_sees_nothing(run: Run) -> None:
    """A tree that several checkouts build into, or a copy of one: what is not here may be there."""
    run.profile("c", file="../theirs/c.yaml")
    assert run.build() == 0 and run.build(of="theirs/c.yaml") == 0
    shutil.rmtree(run.root / "theirs")
    assert run.build("--prune", of="profiles/b.yaml") == 0 and run.err.count("SG821") == 0
    assert run.listed() == ["a", "b", "c"]
    shutil.copytree(run.root / "out", run.root / "copies/far/out")
    assert run.build("--prune", of="profiles/b.yaml", out="copies/far/out") == 0
    assert run.listed("copies/far/out") == ["a", "b", "c"]


@pytest.mark.parametrize("line", ["apiVersion: spegen/v1", "", "apiVersion: v1", "apiVersion: Specgen/v2"])
@pytest.mark.parametrize("tree", [True, False])
def test_a_slip_in_the_envelope_is_no_silence(run: Run, tree: bool, line: str) -> None:
    if tree:
        assert run.build() == 0
    path = run.root / "profiles/a.yaml"
    path.write_text(path.read_text().replace("apiVersion: specgen/v1", line))
    assert (run.build("--prune") if tree else main(["build", "profiles"])) == 1
    assert "SG110" in (run.err if tree else run._capsys.readouterr().err)
    assert not tree or run.listed() == ["a", "b"]


def test_a_profile_that_became_a_manifest(run: Run) -> None:
    assert run.build() == 0
    (run.root / "profiles/a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    assert run.build() == 1
    assert "`profiles/a.yaml` is no job profile any more" in run.err
    assert run.build("--prune") == 0 and run.listed() == ["b"]


def test_a_renamed_job_and_variants(run: Run) -> None:
    assert run.build() == 0
    run.profile("anew", file="a.yaml")
    assert run.build() == 0
    assert "warning[SG824] `a` stays in the tree, though `profiles/a.yaml` no longer comes to it" in run.err
    assert run.listed() == ["a", "anew", "b"]
    assert run.build("--prune") == 0 and run.listed() == ["anew", "b"]
    run.profile("anew", "variants: {small: {}, large: {pods: 2}}\n", file="a.yaml")
    assert run.build("--prune") == 0 and run.listed() == ["anew", "anew-large", "anew-small", "b"]


CLAIM = "mounts: {/runs: {pvc: runs, create: {size: 1Gi}}}\n"


def test_a_renamed_job_with_a_claim_of_its_own(run: Run) -> None:
    """kustomize refuses a tree in which two jobs bring one object, the one that is left among them."""
    run.profile("a", CLAIM)
    assert run.build() == 0
    before = run.files()
    run.profile("anew", CLAIM.replace("1Gi", "2Gi"), file="a.yaml")
    says = "error[SG213] `anew` and `a`, which stays in the tree, come to the PersistentVolumeClaim `runs` (`--prune`"
    assert run.build() == 1 and says in run.err and "SG824" not in run.err and run.files() == before
    assert run.build("--check") == 1 and says in run.err
    assert run.build("--prune") == 0 and run.listed() == ["anew", "b"]
    # a job that another run built has its claim as well
    run.profile("b", CLAIM)
    assert run.build(of="profiles/b.yaml") == 1
    assert "`b` and `anew`, which stays in the tree, come to" in run.err and "only one of two jobs may" in run.err


def test_one_variant_alone_takes_nothing_from_the_others(run: Run) -> None:
    run.profile("a", "variants: {small: {pods: 1}, large: {pods: 2}}\n")
    assert run.build() == 0
    before = run.files()
    for more in ((), ("--prune",), ("--check",)):
        assert run.build("--variant", "small", *more, of="profiles/a.yaml") == 0, run.err
        assert run.files() == before and "SG824" not in run.err
    assert run.build("--variant", "small", "--set", "pods=3", of="profiles/a.yaml") == 0
    changed = {path for path, text in run.files().items() if text != before[path]}
    assert changed == {".specgen-owned", "a-small/pytorchjob.yaml"}


def test_a_moved_profile_and_another_working_folder(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run.build() == 0
    before = run.files()
    monkeypatch.chdir(run.root / "profiles")
    assert run.build(of=".", out="../out") == 0
    assert run.files() == before, "the same wherever the command ran"
    monkeypatch.chdir(run.root)
    (run.root / "profiles").rename(run.root / "jobs")
    assert run.build(of="jobs") == 0 and run.listed() == ["a", "b"]
    assert run.build("--check", of="jobs") == 0


def test_a_moved_tree(run: Run) -> None:
    assert run.build() == 0
    (run.root / "deploy").mkdir()
    (run.root / "out").rename(run.root / "deploy/out")
    assert run.build(out="deploy/out") == 0 and run.listed("deploy/out") == ["a", "b"]
    assert run.build("--check", out="deploy/out") == 0


def test_two_profiles_of_one_job(run: Run) -> None:
    assert run.build() == 0
    (run.root / "drafts").mkdir()
    shutil.copy(run.root / "profiles/a.yaml", run.root / "drafts/a.yaml")
    assert run.build(of="drafts") == 1
    assert "error[SG822] `drafts/a.yaml` comes to `a`, which was built from `profiles/a.yaml`" in run.err


def test_a_folder_depends_on_no_other_job(run: Run) -> None:
    run.profile("c", file="c-red.yaml")
    run.profile("c", file="c-blue.yaml")
    blue = run.root / "profiles/c-blue.yaml"
    blue.write_text(blue.read_text().replace("{name: c}", "{name: c, namespace: blue}"))
    assert run.build(of="profiles/c-blue.yaml") == 0 and run.listed() == ["blue.c"]
    assert run.build() == 0 and run.listed() == ["a", "b", "blue.c", "c"]


def test_two_kinds_of_one_name(run: Run) -> None:
    path = run.profile("a", file="a-tf.yaml")
    path.write_text(path.read_text().replace("PyTorchJob", "TFJob"))
    assert run.build() == 1
    assert "error[SG820] a TFJob and a PyTorchJob come to the folder `a`" in run.err or (
        "error[SG820] a PyTorchJob and a TFJob come to the folder `a`" in run.err
    )
    assert not (run.root / "out").exists()


def test_another_kind_leaves_no_file_of_the_first(run: Run) -> None:
    assert run.build() == 0
    path = run.root / "profiles/a.yaml"
    path.write_text(path.read_text().replace("PyTorchJob", "TrainJob") + "command: [train.py]\n")
    assert run.build() == 0
    assert sorted(path for path in run.files() if path.startswith("a/")) == [
        "a/job/kustomization.yaml",
        "a/job/trainjob.yaml",
        "a/kustomization.yaml",
        "a/kustomizeconfig.yaml",
        "a/runtime/kustomization.yaml",
        "a/runtime/trainingruntime.yaml",
    ]
    path.write_text(path.read_text().replace("TrainJob", "PyTorchJob"))
    assert run.build() == 0
    assert sorted(one.name for one in (run.root / "out/a").iterdir()) == ["kustomization.yaml", "pytorchjob.yaml"]
    assert not (run.root / "out/_flux").exists() and run.clean()


def test_what_overlays_need_is_asked_for_once(run: Run) -> None:
    component = [f"_overlays/{name}" for name in ("kustomization.yaml", "kustomizeconfig.yaml", "openapi.yaml")]
    assert run.build() == 0
    before = run.files()
    assert run.build("--check", "--overlays") == 1
    assert run.out.splitlines()[1:] == [f"missing  {path}" for path in component]
    assert run.build("--overlays") == 0
    assert sorted({*run.files()} - {*before}) == component and run.listed() == ["a", "b"]
    run.profile("b", "pods: 2\n")
    assert run.build(of="profiles/b.yaml") == 0 and run.build("--check") == 0
    assert set(component) < set(run.files()), "a tree that has it keeps it"
    (run.root / "out" / component[2]).unlink()
    assert run.build("--check") == 1 and run.out == f"missing  {component[2]}\n"
    shutil.rmtree(run.root / "out/_overlays")
    assert run.build("--prune") == 0 and sorted(run.files()) == sorted(before), "unless its folder is removed"
    assert run.build("--check") == 0 and run.clean()


def test_what_overlays_need_overwrites_nothing(run: Run) -> None:
    mine = run.root / "out/_overlays/kustomization.yaml"
    mine.parent.mkdir(parents=True)
    mine.write_text("kind: Component\n")
    assert run.build() == 0 and mine.read_text() == "kind: Component\n"
    assert run.build("--overlays") == 1
    assert "error[SG823] `_overlays/kustomization.yaml` is in the way: specgen did not write it" in run.err
    assert run.build("--overlays", "--force") == 0 and "openapi" in mine.read_text()


def test_a_tree_without_its_list_is_taken_over_if_it_is_the_same(run: Run) -> None:
    assert run.build() == 0
    before = run.files()
    (run.root / "out/.specgen-owned").unlink()
    assert run.build("--check") == 1 and run.out == "missing  .specgen-owned\n"
    assert run.build() == 0 and run.files() == before
    (run.root / "out/.specgen-owned").unlink()
    (run.root / "out/a/pytorchjob.yaml").write_text("kind: Mine\n")
    assert run.build() == 1 and "`a/pytorchjob.yaml` is in the way: specgen did not write it" in run.err


def test_foreign_files_and_their_inodes_stay(run: Run) -> None:
    assert run.build() == 0
    (run.root / "out/a/notes").mkdir()
    notes, link = run.root / "out/a/notes/mine.txt", run.root / "out/link"
    notes.write_text("mine")
    link.symlink_to("/nowhere")
    os.mkfifo(run.root / "out/fifo")
    node = notes.stat().st_ino
    run.profile("a", "pods: 2\n")
    assert run.build() == 0
    assert (notes.read_text(), notes.stat().st_ino, os.readlink(link)) == ("mine", node, "/nowhere")
    assert (run.root / "out/fifo").is_fifo() and run.clean()


@pytest.mark.parametrize("kind", ["fifo", "device", "link to a device"])
def test_what_is_no_file_is_neither_read_nor_waited_for(run: Run, kind: str) -> None:
    assert run.build() == 0
    path = run.root / "out/a/pytorchjob.yaml"
    path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero" if kind == "device" else "/proc/self/fd/0")
    for words in ((), ("--check",)):
        assert run.build(*words) == 1
        assert "a/pytorchjob.yaml" in run.err + run.out


def test_no_link_is_written_through(run: Run) -> None:
    (run.root / "elsewhere").mkdir()
    (run.root / "out").symlink_to("elsewhere")
    assert run.build() == 2
    assert run.err == "specgen: out: it is a link, and nothing is written through links\n"
    (run.root / "out").unlink()
    (run.root / "out").mkdir()
    (run.root / "out/a").symlink_to("../elsewhere")
    for words in ((), ("--check",), ("--force",)):
        assert run.build(*words) == 2
        assert run.err == "specgen: out/a: it is a link, and nothing is written through links\n"
    assert list((run.root / "elsewhere").iterdir()) == []


def test_a_file_that_came_while_the_trees_changed_places_is_kept(run: Run) -> None:
    assert run.build() == 0
    shutil.copytree(run.root / "out", run.root / ".out.specgen/tree")
    (run.root / ".out.specgen/tree/a/late.txt").write_text("late")
    assert run.build() == 0
    assert (run.root / "out/a/late.txt").read_text() == "late" and run.clean()


def test_a_namespace_leads_nowhere(run: Run) -> None:
    run.profile("a", 'patch: {job: {metadata: {namespace: "../../x"}}}\n')
    assert run.build() == 1 and "error[SG317] `metadata.namespace`: `../../x` is no name of a namespace" in run.err
    assert sorted(path.name for path in run.root.iterdir()) == [".git", "profiles"]


def test_a_job_of_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        with open("profiles/a.yaml", encoding="utf-8") as file:
            monkeypatch.setattr("sys.stdin", file)
            assert run.build(of="-") == 0
    assert " -\n" in run.files()[".specgen-owned"]
    assert run.build(of="profiles/b.yaml") == 0 and run.listed() == ["a", "b"]


def test_options_of_a_tree_need_one(run: Run) -> None:
    for option in ("--check", "--prune", "--force"):
        assert main(["build", "profiles", option]) == 2
        assert "the folder that --out names" in run._capsys.readouterr().err


TTL = "lifecycle: {ttl: 1h}\n"
KUEUE = "lifecycle: {suspend: true}\nscheduling: {gang: kueue, queue: q}\n"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (TTL, "SG720"),
        ("patch: {job: {spec: {runPolicy: {ttlSecondsAfterFinished: 5}}}}\n", "SG720"),
        (
            TTL + "patch: {job: {metadata: {annotations: {argocd.argoproj.io/hook: PostSync}}}}\n"
            "ignore: {SG831: {reason: argocd-cm has the check}}\n",
            None,
        ),
        (TTL + "ignore: {SG720: {reason: nothing applies it again}}\n", None),
        ("lifecycle: {cleanPods: All}\n", None),
        (KUEUE, "SG721"),
        (KUEUE.replace("true", "false"), "SG721"),
        (KUEUE.removeprefix("lifecycle: {suspend: true}\n"), None),
        ("lifecycle: {suspend: true}\n", None),
    ],
)
def test_words_that_a_controller_undoes(run: Run, more: str, code: str | None) -> None:
    run.profile("a", more)
    assert main(["build", "profiles/a.yaml"]) == 0
    assert run._capsys.readouterr().err == "", "a manifest that is applied once says nothing"
    assert run.build() == 0
    assert (f"warning[{code}]" in run.err) if code else "warning" not in run.err


TRAINER = "the API server does not let `image` of the TrainJob `a` change: `spec.trainer` is immutable"
SET = (
    "the validating webhook of JobSet does not let `image` of the JobSet `a` change: `spec.replicatedJobs` is immutable"
)
VOLCANO = "does not let `image` of the Job `a` change"
ANEW = "patch: {job: {metadata: {annotations: {KEY}}}}\n"
CLAIMED = "mounts: {/runs: {pvc: runs, create: {size: 1Gi, class: old}}}\n"
SIZED = "mounts: {/runs: {pvc: runs, create: {size: 1Ti}}}\n"
SHRUNK = "`spec.resources.requests.storage` of the PersistentVolumeClaim `runs` change: Kubernetes shrinks no claim"
HELD = "the API server does not let `spec.storageClassName` of the PersistentVolumeClaim `runs` change"


@pytest.mark.parametrize(
    ("target", "more", "said"),
    [
        ("TrainJob", "", TRAINER),
        ("JobSet", "", SET),
        ("VolcanoJob", "", VOLCANO),
        ("PyTorchJob", "", None),
        ("TrainJob", "metadata: {name: a, suffix: hash}\n", None),
        ("TrainJob", ANEW.replace("KEY", "kustomize.toolkit.fluxcd.io/force: enabled"), None),
        ("TrainJob", ANEW.replace("KEY", '"argocd.argoproj.io/sync-options": "Force=true,Replace=true"'), None),
        ("JobSet", ANEW.replace("KEY", "argocd.argoproj.io/hook: Sync"), None),
        ("PyTorchJob", CLAIMED, HELD),
        ("PyTorchJob", SIZED, SHRUNK),
    ],
)
def test_a_change_that_is_refused_is_said_as_it_is_built(run: Run, target: str, more: str, said: str | None) -> None:
    text = JOB.format(name="a").replace("PyTorchJob", target) + "command: [train]\n"
    if more.startswith("metadata"):
        text = text.replace("metadata: {name: a}\n", "")
    path = run.profile("a")
    path.write_text(text + more)
    assert run.build() == 0 and "SG825" not in run.err, "nothing is replaced"
    changed = (text + more).replace("x:1", "x:2").replace("class: old", "class: new").replace("1Ti", "500Gi")
    path.write_text(changed)
    assert run.build() == 0
    assert said is None or said in run.err
    assert run.err.count("SG825") == (said is not None), "one for each job"
    if said:
        (line,) = (one for one in run.err.split("out/.specgen-owned") if "SG825" in one)
        assert ("`metadata.suffix: hash` in its profile" in line) == (more not in (CLAIMED, SIZED))
    # the image of the job changes as well, which is not said again once the claim is as it was
    assert ("SG827" in run.err) == (target == "PyTorchJob")
    assert run.build() == 0 and "SG825" not in run.err


def test_a_build_names_the_jobs_that_came_and_went(run: Run) -> None:
    assert run.build() == 0 and "new:" not in run.err, "in a tree that begins all are"
    (run.root / "profiles/a.yaml").write_text(JOB.format(name="c"))
    assert run.build() == 0
    assert "SG824" in run.err and run.err.endswith("; new: `c`\n")
    assert run.build("--prune") == 0
    assert run.err.endswith("2 removed, 4 unchanged; removed: `a`\n")
    (run.root / "profiles/a.yaml").write_text(JOB.format(name="d"))
    run.profile("b", "labels: {a: b}\n")
    assert run.build("--prune") == 0
    assert run.err.endswith("; new: `d`; changed: `b`; removed: `c`\n")


SHARED = "mounts: {/runs: {pvc: runs, create: {size: 1Gi, access: ReadWriteMany}}}\n"
SWEEP = 'variantsOnly: true\nmatrix: {lr: {low: {env: {LR: "1"}}, high: {env: {LR: "2"}}}}\n'


def test_a_claim_of_all_variants_is_one_object(run: Run) -> None:
    path = run.profile("a")
    text = JOB.format(name="a") + "command: [train]\n"
    path.write_text(text + SHARED + SWEEP)
    assert run.build(of="profiles/a.yaml") == 0 and "error" not in run.err
    claims = [name for name in run.files() if name.endswith("persistentvolumeclaim.yaml")]
    assert claims == ["a-low/persistentvolumeclaim.yaml"]
    assert "persistentvolumeclaim" not in run.files()["a-high/kustomization.yaml"]
    assert run.build("--check", of="profiles/a.yaml") == 0
    # its other variants have it as well, where they are all that is built, but not beside the one that is there
    assert run.build("--variant", "high", of="profiles/a.yaml", out="alone") == 0
    assert (run.root / "alone/a-high/persistentvolumeclaim.yaml").is_file()
    assert run.build("--variant", "high", of="profiles/a.yaml") == 1
    assert "without `--variant` the first variant has what several share" in run.err
    # one node at a time, or other words of it
    differs = SHARED + SWEEP.replace('{LR: "2"}}', '{LR: "2"}, mounts: {/runs: {create: {size: 2Gi}}}}')
    for other in (SHARED.replace("Many", "Once") + SWEEP, differs):
        path.write_text(text + other)
        assert run.build(of="profiles/a.yaml") == 1
        assert "two jobs come to the PersistentVolumeClaim `runs` (variants that say the same of it share it" in run.err
        assert ("with `access: ReadWriteMany`" in run.err) == ("Once" in other)


def test_a_claim_grows(run: Run) -> None:
    path = run.profile("a")
    text = JOB.format(name="a") + "command: [train]\n" + SIZED
    path.write_text(text)
    assert run.build() == 0
    path.write_text(text.replace("1Ti", "2048Gi"))
    assert run.build() == 0 and "warning" not in run.err


UNCOMPARED = "of the PyTorchJob `a` reaches no pod that exists: the operator compares none with its template"
APART = "pods that run keep WORLD_SIZE=2, PET_NNODES=2; those that are created get WORLD_SIZE=4, PET_NNODES=4"
FEWER = "pods that run keep WORLD_SIZE=4, PET_NNODES=4: they wait for ranks that are gone"
UNHURT = "elastic: {min: 1, max: 4}\nstart: torchrun\nresources: {gpu: 1}\nenv: {A: b}\n"


@pytest.mark.parametrize(
    ("target", "more", "old", "new", "said"),
    [
        ("PyTorchJob", "", "x:1", "x:2", f"`image` {UNCOMPARED}"),
        ("PyTorchJob", "", "[train]", "[train, --lr=1]", f"`command` {UNCOMPARED}"),
        ("PyTorchJob", "", "pods: 2", "pods: 4", APART),
        ("PyTorchJob", "", "pods: 4", "pods: 2", FEWER),
        ("PyTorchJob", UNHURT, "pods: 2", "pods: 4", None),
        ("PyTorchJob", "", "cleanPods: All", "cleanPods: None", None),
        ("PyTorchJob", "metadata: {name: a, suffix: hash}\n", "x:1", "x:2", None),
        ("PyTorchJob", ANEW.replace("KEY", "kustomize.toolkit.fluxcd.io/force: enabled"), "x:1", "x:2", None),
        ("TFJob", "", "x:1", "x:2", "`image` of the TFJob `a` reaches no pod that exists"),
        ("MPIJob", "", "x:1", "x:2", "of the MPIJob `a` reaches no pod"),
        ("TrainJob", "scheduling: {nodeLabels: {a: b}}\n", "a: b", "a: c", "of the TrainingRuntime `a` reaches no pod"),
    ],
)
def test_a_change_that_reaches_no_pod_is_said_as_it_is_built(
    run: Run, target: str, more: str, old: str, new: str, said: str | None
) -> None:
    """What ``specgen diff`` says of the two, of every kind: the API server takes it, and nobody is told."""
    text = JOB.format(name="a").replace("PyTorchJob", target) + "command: [train]\npods: 2\n"
    text = text.replace("pods: 2", old) if old.startswith("pods: ") else text
    text += "lifecycle: {cleanPods: All}\n" if target == "PyTorchJob" else ""
    if more.startswith("metadata"):
        text = text.replace("metadata: {name: a}\n", "")
    path = run.profile("a")
    path.write_text(text + more)
    assert run.build() == 0 and "SG827" not in run.err, "nothing is replaced"
    assert old in text + more
    path.write_text((text + more).replace(old, new))
    assert run.build() == 0
    assert run.err.count("SG827") == (said is not None), "one for each job"
    assert said is None or (said in run.err and "`metadata.suffix: hash` in its profile" in run.err)
    assert run.build() == 0 and "SG827" not in run.err


@pytest.mark.parametrize("target", ["TrainJob", "JobSet", "MPIJob"])
def test_a_job_of_another_kind_is_told(run: Run, target: str) -> None:
    """The old one is taken out of the tree, and so of the cluster by whoever prunes."""
    path = run.profile("a")
    text = JOB.format(name="a") + "command: [train]\n"
    path.write_text(text)
    assert run.build() == 0 and "SG826" not in run.err
    path.write_text(text.replace("PyTorchJob", target))
    assert run.build() == 0
    assert f" {target}: it was a PyTorchJob" in run.err
    assert run.build() == 0 and "SG826" not in run.err, "it is said once"


@pytest.mark.parametrize(
    ("escape", "said"),
    [
        ("\\x85", "makes a blank of"),
        *((one, "refuses the tree for") for one in ("\\x7F", "\\x9B", "\\uFFFE", "\\uFFFF")),
    ],
)
def test_kustomize_hands_on_what_is_built_into_a_tree(run: Run, escape: str, said: str) -> None:
    run.profile("a", f'env: {{TEXT: "x{escape}y", OTHER: "\\e\\u2028\\u00e9"}}\n')
    assert run.build() == 1
    (line,) = run.err.splitlines()
    assert line.startswith("profiles/a.yaml:6:13: error[SG034] kustomize " + said)
    # kubectl takes the manifest itself
    assert main(["build", "profiles/a.yaml"]) == 0
    if kubectl() is not None:
        text = run._capsys.readouterr().out
        (run.root / "tree").mkdir()
        (run.root / "tree" / "job.yaml").write_text(text)
        (run.root / "tree" / "kustomization.yaml").write_text("resources: [job.yaml]\n")
        done = subprocess.run(
            [str(kubectl()), "kustomize", "tree"], capture_output=True, env={"HOME": "/"}, check=False
        )
        kept = done.returncode == 0 and "x\\Ny" in done.stdout.decode()
        assert not kept and (done.returncode != 0) == (said == "refuses the tree for")


def test_lint_knows_the_cluster_that_a_tree_was_built_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A field that newer releases lack is right for the older one of the profile beside the tree, and for no other."""
    runtimes = "runtimes: {torch-distributed: {}}"
    for name, version in (("old", "2.1.0"), ("new", "2.3.0")):
        head = f"apiVersion: specgen/v1\nkind: Cluster\nmetadata: {{name: {name}}}\n"
        (run.root / f"{name}.yaml").write_text(f"{head}operators: {{trainer: {{version: {version}, {runtimes}}}}}\n")
    job = JOB.format(name="t").replace("PyTorchJob", "{kind: TrainJob, runtime: torch-distributed}")
    job += "cluster: ../old.yaml\nstart: torchrun\ncommand: [train.py]\npods: 2\nresources: {gpu: 8}\n"
    (run.root / "profiles/t.yaml").write_text(job)
    assert run.build() == 0
    field = "podTemplateOverrides"
    said = {}
    for words in (["."], ["out"], ["out/t/trainjob.yaml"], ["--cluster", "new.yaml", "out"]):
        main(["lint", *words])
        said[words[0]] = "".join(run._capsys.readouterr())
    assert [words for words, text in said.items() if field in text] == ["--cluster"]
    # from inside the tree, too
    for inside, name in (("out", "t"), ("out/t", "."), ("out/t", "trainjob.yaml")):
        monkeypatch.chdir(run.root / inside)
        assert main(["lint", name]) == 0 and field not in "".join(run._capsys.readouterr())
    monkeypatch.chdir(run.root)
    # a manifest that nobody built is asked for what is newest
    text = (run.root / "out/t/trainjob.yaml").read_text()
    (run.root / "hand.yaml").write_text(text)
    (run.root / "out/t/more.yaml").write_text(text)
    for name in ("hand.yaml", "out/t/more.yaml"):
        main(["lint", name])
        assert field in "".join(run._capsys.readouterr())
    # and so is one whose profile is gone
    (run.root / "profiles/t.yaml").unlink()
    main(["lint", "out/t/trainjob.yaml"])
    assert field in "".join(run._capsys.readouterr())


def test_a_tree_stays_that_of_the_cluster_it_was_built_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """``--cluster`` that somebody forgets on the second day makes no other cluster's tree, for no verb."""
    for name, resource in (("dev", "example.com/dev"), ("prod", "example.com/prod")):
        head = f"apiVersion: specgen/v1\nkind: Cluster\nmetadata: {{name: {name}}}\n"
        (run.root / f"{name}.yaml").write_text(f"{head}pools: {{a: {{gpu: {{resource: {resource}, perNode: 8}}}}}}\n")
    for name in ("a", "b"):
        run.profile(name, "cluster: ../prod.yaml\nresources: {gpu: 1}\n")
    assert run.build("--cluster", "dev.yaml") == 0 and "was built with" not in run.err
    first = run.files()
    assert "example.com/dev" in first["a/pytorchjob.yaml"]
    assert run.build() == 0
    assert "out was built with `--cluster dev.yaml`, and is again" in run.err
    assert run.files() == first
    assert run.build("--check") == 0
    monkeypatch.chdir(run.root / "profiles")
    assert run.build(of="a.yaml", out="../out") == 0 and "`--cluster ../dev.yaml`" in run.err
    monkeypatch.chdir(run.root)
    assert run.files() == first
    # pods of the tree are judged by its cluster, not by that of the profile
    assert main(["lint", "out"]) == 0
    assert "example.com/dev" not in "".join(run._capsys.readouterr())
    # a list of before, without that line, is as right as ever
    owned = run.root / "out/.specgen-owned"
    line = next(line for line in owned.read_text().splitlines(keepends=True) if "--cluster" in line)
    owned.write_text(owned.read_text().replace(line, ""))
    assert run.build("--check", "--cluster", "dev.yaml") == 0
    assert run.build("--cluster", "dev.yaml") == 0 and run.files() == first
    # another one is asked for by name, and its own file must be there
    assert run.build("--cluster", "prod.yaml") == 0
    assert "example.com/prod" in run.files()["a/pytorchjob.yaml"]
    (run.root / "prod.yaml").unlink()
    assert run.build() == 2 and "prod.yaml: there is no such file" in run.err


def test_a_cluster_of_the_machine_is_not_written_down(run: Run, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A tree that is committed is the same wherever its repository and such a profile lie, and lists lead nowhere."""
    text = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: c}\n"
    for folder in (tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("other")):
        (folder / "c.yaml").write_text(text)
        assert run.build("--cluster", str(folder / "c.yaml")) == 0
        assert "--cluster" not in run.files()[".specgen-owned"]
    (run.root / "c.yaml").write_text(text)
    assert run.build("--cluster", "c.yaml") == 0 and "--cluster: ../c.yaml" in run.files()[".specgen-owned"]
    assert run.build("--check", "--cluster", str(folder / "c.yaml")) == 0  # the same jobs, by another way
    owned = run.root / "out/.specgen-owned"
    owned.write_text(owned.read_text().replace("../c.yaml", f"../../{folder.name}/c.yaml"))
    assert run.build() == 2 and "lies outside of the repository" in run.err
    assert run.build("--cluster", "c.yaml") == 0
