"""What every verb that takes files answers alike: one table of questions, one exit code and one sentence for each.

A verb that cannot be asked a question has its reason in ``CANNOT``, and one whose answer differs in ``INSTEAD``.
"""

from __future__ import annotations

import io
import json
from argparse import ArgumentParser
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from specgen.cli.main import VERBS, main
from tests.bad.program import specgen
from tests.standin import Asked as Question
from tests.standin import Reply, Standin

HEAD = "apiVersion: specgen/v1\nkind: {kind}\nmetadata: {{name: {name}}}\n"
JOB = HEAD.format(kind="Job", name="train") + "target: PyTorchJob\nimage: registry.example.com/train:1\n"
JOB += "command: [python, -V]\n"
OTHER = JOB.replace("name: train", "name: other")
CLUSTER = HEAD.format(kind="Cluster", name="lab") + "operators: {training-operator: {version: 1.9.4}}\n"
BASE = "apiVersion: specgen/v1\nkind: Base\nenv: {A: a}\n"
CLAIM = "mounts: {/out: {pvc: out, create: {size: 10Gi, access: ReadWriteOnce}}}\n"

FILES = {
    "job.yaml": JOB,
    "again.yaml": JOB,
    "other.yaml": OTHER,
    "cluster.yaml": CLUSTER,
    "bad.yaml": JOB + "pods: x\n",
    "bad-cluster.yaml": CLUSTER + "kubernetes: [1]\n",
    "base.yaml": BASE,
    "world.yaml": "apiVersion: v1\nkind: Node\nmetadata: {name: node-0}\nstatus: {allocatable: {cpu: 9, pods: 9}}\n",
    "broken-base.yaml": BASE + "env: [a\n",
    "extends.yaml": JOB + "extends: broken-base.yaml\n",
    "expired.yaml": JOB + "ignore: {SG401: {reason: in time, until: '2021-01-01'}}\n",
    "variants.yaml": JOB + CLAIM + "variants: {a: {}, b: {}}\n",
    "sizes.yaml": JOB + "variants: {small: {env: {A: b}}}\n",
    "small.yaml": JOB.replace("name: train", "name: train-small"),
    "alone.yaml": JOB + "variants: {small: {env: {A: b}}}\nvariantsOnly: true\n",
    "empty/notes.txt": "",
    "all/base.yaml": BASE,
    "all/cluster.yaml": CLUSTER,
    # a reader of text takes neither of these for a profile, and the third one for nothing else
    "all/blanks.yaml": OTHER.replace("apiVersion: ", "apiVersion:   "),
    "all/compact.yaml": '{"apiVersion":"specgen/v1","kind":"Job","metadata":{"name":"c"},"target":"PyTorchJob",'
    '"image":"c:1"}',
    "all/text.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  a: |\n"
    "    apiVersion: specgen/v1\n",
    "half/job.yaml": JOB,
    "half/broken.yaml": OTHER + "env: [a\n",
    "parts/base.yaml": BASE,
    "one/.git/HEAD": "",
    "one/job.yaml": JOB + "extends: ../two/base.yaml\n",
    "two/.git/HEAD": "",
    "two/base.yaml": BASE,
    "two/job.yaml": OTHER,
}

# Verb → words before its files.
TAKES_FILES = {
    "build": ["build"],
    "lint": ["lint"],
    "expand": ["expand"],
    "images": ["images"],
    "explain": ["explain"],
    "run": ["run", "--dry-run"],
    "operators": ["operators"],
    "fix": ["fix"],
    "apply": ["apply", "--dry-run=server", "--kubeconfig=kubeconfig"],
    "fit": ["fit", "--world", "world.yaml"],
    "preflight": ["preflight"],
}
# Verbs with something on standard output although there are errors: the report, where what is there came from, and
# what holds of the jobs without an error.
REPORTS = {"lint", "explain", "fix", "fit"}
ONE_FILE = "takes one profile"
A_CLUSTER = "takes a cluster profile, which names no others"

# Question → words, exit code, and sentences of which each is somewhere in the answer.
QUESTIONS: dict[str, tuple[list[str], int, list[str]]] = {
    "a profile that is not there": (["absent.yaml"], 2, ["specgen: absent.yaml: there is no such file\n"]),
    "a cluster profile that is not there": (
        ["job.yaml", "--cluster", "absent.yaml"],
        2,
        ["specgen: absent.yaml: there is no such file\n"],
    ),
    "a cluster profile without a name": (["job.yaml", "--cluster="], 2, ["specgen: : there is no such file\n"]),
    "a cluster profile that is a folder": (["job.yaml", "--cluster=all"], 2, ["specgen: all: it is a folder\n"]),
    "a cluster profile that is a base": (
        ["job.yaml", "--cluster=base.yaml"],
        1,
        ["base.yaml:2:7: error[SG202] `base.yaml` is a `Base`, `--cluster` names a `Cluster`\n"],
    ),
    "a cluster profile with an error": (
        ["job.yaml", "--cluster=bad-cluster.yaml"],
        1,
        ["bad-cluster.yaml:5:1: error[SG103] `kubernetes` takes a minor version of Kubernetes such as 1.31, "],
    ),
    "a cluster profile from standard input": (["job.yaml", "--cluster=-"], 0, []),
    "standard input twice": (["-", "--cluster=-"], 2, ["specgen: -: standard input can be read once\n"]),
    "a file that is not there beside one that is wrong": (
        ["absent.yaml", "bad.yaml"],
        2,
        ["specgen: absent.yaml: there is no such file\n", "bad.yaml:7:7: error[SG103]"],
    ),
    "a base that is no YAML": (
        ["extends.yaml"],
        1,
        ["broken-base.yaml:4:6: error[SG002] the `[` that opens here is never closed (close it with `]`)\n"],
    ),
    "an ignore that has ended": (
        ["expired.yaml"],
        0,
        ["expired.yaml:7:10: warning[SG031] this ignore of SG401 ended on 2021-01-01\n"],
    ),
    "two jobs of one object": (
        ["job.yaml", "again.yaml"],
        1,
        ["again.yaml:3:18: error[SG213] two jobs come to the PyTorchJob `train`\n"],
    ),
    "two variants of one object": (
        ["variants.yaml"],
        1,
        ["variants.yaml:7:22: error[SG213] two jobs come to the PersistentVolumeClaim `out` ("],
    ),
    "a variant of the name of another job": (
        ["small.yaml", "sizes.yaml"],
        1,
        ["sizes.yaml:7:12: error[SG213] two jobs come to the PyTorchJob `train-small`\n"],
    ),
    "a variant": (["sizes.yaml", "--variant=small"], 0, []),
    "a job that has variants": (["sizes.yaml", "--variant="], 0, []),
    "a variant that is not there": (
        ["sizes.yaml", "--variant=smal"],
        2,
        ["specgen: sizes.yaml: it has no variant `smal`; there is a variant with a similar name: `small`\n"],
    ),
    "a variant of a job without any": (["job.yaml", "--variant=small"], 2, ["specgen: job.yaml: it has no variants\n"]),
    "a job that is built as its variants alone": (
        ["alone.yaml", "--variant="],
        2,
        ["specgen: alone.yaml: it has no job without a variant: `variantsOnly` is true\n"],
    ),
    "a folder without the variant": (
        ["two", "--variant=small"],
        2,
        ["specgen: none of these profiles has variants\n"],
    ),
    "standard input": (["-"], 0, []),
    "standard input with an error": (
        ["-", "--format=human"],
        1,
        ["<stdin>:7:7\n", "\n7 | pods: x\n"],
    ),
    "a folder": (["all"], 0, []),
    "a folder without files": (["empty"], 2, ["specgen: the folder empty holds no YAML file\n"]),
    "a folder with a job that cannot be read": (["half"], 1, ["half/broken.yaml:7:6: error[SG002]"]),
    "a folder without jobs": (["parts"], 2, ["specgen: no job profile among these files, nothing is "]),
    "a setting of no field": (
        ["job.yaml", "--set", "podss=4"],
        2,
        [
            "specgen: `podss` is no field of a job profile: there is no `podss`\n",
            "  = help: write `--set pods=4`\n",
        ],
    ),
    "a setting of no field for a profile that is wrong": (
        ["bad.yaml", "--set", "podss=4"],
        2,
        ["specgen: `podss` is no field of a job profile: there is no `podss`\n"],
    ),
    "a setting by a name from elsewhere": (
        ["job.yaml", "--set", "nodes=2"],
        2,
        [
            "specgen: `nodes` is no field of a job profile: there is no `nodes`\n",
            "  = help: write `--set pods=2`\n",
        ],
    ),
    "a setting by a name from elsewhere, further down": (
        ["job.yaml", "--set", "roles.worker.resources.gpus=2"],
        2,
        ["  = help: write `--set roles.worker.resources.gpu=2`\n"],
    ),
    "a setting by a name for what lies further down": (
        ["job.yaml", "--set", "initContainers.a.image=b"],
        2,
        ["  = help: write `--set init.a.image=b`\n"],
    ),
    "a setting of another type": (
        ["job.yaml", "--set", "pods=many", "--format=human"],
        1,
        ["--> --set pods=many:1:6\n", "\n1 | pods=many\n"],
    ),
    "files of two roots": (["one/job.yaml", "two/job.yaml"], 0, []),
}

CANNOT = {
    **{
        (verb, question): "has no --set: it checks files as they are"
        for verb in ("lint", "fix")
        for question in QUESTIONS
        if question.startswith("a setting")
    },
    **{("fix", question): "mends files" for question, (words, _, _) in QUESTIONS.items() if "-" in words},
    **{
        (verb, question): ONE_FILE
        for verb in ("explain", "run", "preflight")
        for question, (words, _, _) in QUESTIONS.items()
        if sum(word.endswith(".yaml") and not word.startswith("--") for word in words) > 1 and "--cluster" not in words
    },
    **{
        ("operators", question): A_CLUSTER
        for question, (words, _, _) in QUESTIONS.items()
        if len(words) > 1 or words[0].removesuffix(".yaml") in ("extends", "expired", "variants", "sizes")
    },
}
# (verb, question) → another exit code, another sentence, and why.
INSTEAD: dict[tuple[str, str], tuple[int, str, str]] = {
    ("lint", "a folder without jobs"): (0, "1 file clean\n", "bases and clusters are checked too"),
    ("fix", "a folder without jobs"): (0, "1 file clean\n", "as lint"),
    ("fit", "a folder without jobs"): (
        2,
        "specgen: no job among these files, nothing is asked\n",
        "says so of jobs of any kind",
    ),
    ("expand", "a folder without jobs"): (
        2,
        "specgen: no job among these files, nothing is expanded\n",
        "manifests too",
    ),
    **{
        (verb, question): (2, f"specgen: {words[0]}: it is a folder\n", "takes one file")
        for verb in ("explain", "run", "operators", "preflight")
        for question, (words, _, _) in QUESTIONS.items()
        if question.startswith("a folder")
    },
}


def taken(asked: Question) -> Reply | None:
    """A cluster that takes every PyTorchJob and claim."""
    if asked.method != "GET":
        return Reply(asked.body, 201)
    names = {"/apis/kubeflow.org/v1": "PyTorchJob", "/api/v1": "PersistentVolumeClaim"}
    kind = names.get(asked.path)
    return Reply({"resources": [{"name": f"{kind}s".lower(), "kind": kind, "namespaced": True}]}) if kind else None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("home")
    for name, text in FILES.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    standin = Standin(home, taken)
    standin.kubeconfig()
    yield home
    standin.close()


class Asked:
    """The command line, in this process where it can be, with what it answers."""

    # 2021-06-01
    day = "1622505600"

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch = monkeypatch
        self.capsys = capsys
        self.folder = folder
        monkeypatch.chdir(folder)
        monkeypatch.setenv("SOURCE_DATE_EPOCH", self.day)
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.delenv(name, raising=False)

    def __call__(self, *words: str, stdin: str = "") -> tuple[int, str, str]:
        if words[0] == "run":  # which holds the job's ports until its process ends
            ended = specgen(*words, cwd=self.folder, stdin=stdin.encode(), env={"SOURCE_DATE_EPOCH": self.day})
            return ended.code, ended.out, ended.err
        self.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main(words)
        out, err = self.capsys.readouterr()
        return code, out, err


@pytest.fixture
def ask(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Asked:
    return Asked(folder, monkeypatch, capsys)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_in_the_table(verb: str) -> None:
    parser = ArgumentParser()
    import_module(f"specgen.cli.{verb}").add(parser)
    words = [str(one.metavar) for one in parser._actions if not one.option_strings]
    takes = any(word in one for one in words for word in ("FILE", "PROFILE", "CLUSTER"))
    assert takes is (verb in TAKES_FILES), f"say in TAKES_FILES how `specgen {verb}` is called with files"


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("verb", TAKES_FILES)
def test_one_answer(ask: Asked, verb: str, question: str) -> None:
    if (verb, question) in CANNOT:
        pytest.skip(CANNOT[verb, question])
    words, code, sentences = QUESTIONS[question]
    if (verb, question) in INSTEAD:
        code, sentence, _ = INSTEAD[verb, question]
        sentences = [sentence]
    stdin = CLUSTER if "--cluster=-" in words or verb == "operators" else JOB
    stdin += "pods: x\n" if code else ""
    answered, out, err = ask(*TAKES_FILES[verb], *words, stdin=stdin)
    for sentence in sentences:
        assert sentence in out + err
    assert answered == code, out + err
    if code and verb not in REPORTS:
        assert out == "", "an answer with an error"
    assert "error" in out + err or code != 1


@pytest.mark.parametrize("verb", TAKES_FILES)
def test_a_report_for_programs_comes_of_a_clean_run_too(ask: Asked, verb: str) -> None:
    file = "cluster.yaml" if verb == "operators" else "job.yaml"
    # the twin's program is in no image that does not say so
    more = ["--set", "env.PYTHONPATH=/opt"] if verb == "preflight" else []
    code, out, err = ask(*TAKES_FILES[verb], file, *more, "--format=json")
    report = json.loads(out if verb in ("lint", "fix") else err[err.index("{\n") : err.rindex("}\n") + 2])
    assert (code, report["diagnostics"], report["summary"]["files"]) == (0, [], 1)


def test_a_profile_is_read_once_however_many_name_it(ask: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    from specgen.cli import files

    opened: list[str] = []
    real = files._open

    def counted(name: str, *most: int) -> bytes:
        opened.append(name)
        return real(name, *most)

    monkeypatch.setattr(files, "_open", counted)
    for verb in ("build", "lint", "expand", "images"):
        opened.clear()
        assert ask(verb, "job.yaml", "other.yaml", "--cluster", "cluster.yaml")[0] == 0
        assert sorted(opened) == ["cluster.yaml", "job.yaml", "other.yaml"]


def test_comments_speak_of_their_own_file(ask: Asked, folder: Path) -> None:
    """A comment of a job on the line on which something stands in its base."""
    (folder / "quiet.yaml").write_text("# specgen: ignore[SG202] of another file\n" + JOB + "extends: nobody.yaml\n")
    (folder / "nobody.yaml").write_text("# a line\n" + BASE + "extends: absent.yaml\n")
    code, _, err = ask("build", "quiet.yaml")
    assert code == 1
    assert "nobody.yaml:5:10: error[SG202] `absent.yaml`: there is no such file\n" in err
    assert "quiet.yaml:1:1: warning[SG031] this comment ignores no SG202\n" in err


def test_a_world_may_be_longer_than_other_files(tmp_path: Path) -> None:
    """What kubectl prints of a large cluster is; of YAML no more is read than of a manifest."""
    job = (Path(__file__).parent / "files" / "fit" / "high.yaml").read_text("utf-8")
    (tmp_path / "job.yaml").write_text(job, "utf-8")
    note = {"annotations": {"note": "n" * 6_000_000}}
    nodes = [{"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, **note}} for name in "ab"]
    # kubectl writes a text behind the other where its output is appended
    (tmp_path / "world.json").write_text("".join(map(json.dumps, nodes)), "utf-8")
    ended = specgen("fit", "job.yaml", "--world", "world.json", cwd=tmp_path)
    assert (ended.code, ended.err) == (1, "") and "0/2 nodes are available" in ended.out
    (tmp_path / "world.json").write_text(json.dumps(nodes[0])[:-1], "utf-8")
    ended = specgen("fit", "job.yaml", "--usage", "world.json", cwd=tmp_path)
    assert ended.code == 2
    assert ended.err.startswith("specgen: --usage world.json: the JSON ends in the middle of an object, in line 1\n")
    (tmp_path / "world.yaml").write_text(f"kind: Node\nmetadata: {{name: {'n' * 6_000_000}}}\n", "utf-8")
    ended = specgen("fit", "job.yaml", "--world", "world.yaml", cwd=tmp_path)
    assert ended.code == 2
    assert ended.err == (
        "specgen: --world world.yaml: it is longer than 5,242,880 bytes of YAML\n  = help: print it with `-o json`\n"
    )
