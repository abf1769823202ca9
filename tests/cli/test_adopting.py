"""A repository that begins to lint: what it says in its configuration, what it accepts, and what it selects."""

from __future__ import annotations

import io
import json
from itertools import cycle
from pathlib import Path

import pytest

from specgen.cli.main import main

JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: OnFailure
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example.com/train:1
              command: [./train, --world-size=3]
              env:
                - {name: NCCL_DEBGU, value: INFO}
              resources: {limits: {nvidia.com/gpu: 1}}
"""
TRAINJOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: train}
spec:
  runtimeRef: {name: torch-distributed}
  activeDeadlineSeconds: 100
"""
LATER = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: a}\nspec: {}\n"
PROFILE = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: train}\ntarget: PyTorchJob\n"
PROFILE += "image: registry.example.com/train:1\ncommand: [python, -V]\n"
CLUSTER = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: lab}\n"
OLD = CLUSTER + "operators: {trainer: {version: 2.1.0}}\n"


class Repository:
    """A folder with files, and what ``specgen lint`` says there."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.capsys = capsys
        self.patch = patch

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def lint(self, *words: str, stdin: str = "") -> tuple[int, str, str]:
        self.patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main(["lint", *words])
        out, err = self.capsys.readouterr()
        return code, out, err

    def found(self, *words: str, stdin: str = "") -> list[str]:
        """``file:line severity code`` of each diagnostic."""
        _, out, err = self.lint(*words, "--format=json", stdin=stdin)
        assert not err, err
        return [
            f"{one['primary']['file']}:{one['primary']['start']['line']} {one['severity']} {one['code']}"
            for one in json.loads(out)["diagnostics"]
        ]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repository:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1782820000")  # 2026-06-30
    return Repository(tmp_path, capsys, monkeypatch)


SUM, NAME = "job.yaml:14 error SG210", "job.yaml:16 warning SG520"


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ("", [SUM, NAME]),
        ('ignore = ["SG520"]', [SUM]),
        ('ignore = ["unknown-nccl-variable"]', [SUM]),
        ('ignore = ["SG5", "SG2"]', [SUM]),
        ('select = ["SG4"]', [SUM]),
        ('select = ["default"]', [SUM, NAME]),
        ('severity = {SG210 = "warning", SG520 = "note"}', ["job.yaml:14 warning SG210", "job.yaml:16 note SG520"]),
        ('severity = {SG210 = "warning"}\nignore = ["SG2"]', [NAME]),
        ('[severity]\nunknown-nccl-variable = "error"', [SUM, NAME.replace("warning", "error")]),
        ('ignore = ["SG5"]\n[severity]\nSG520 = "error"', [SUM, NAME.replace("warning", "error")]),
        ('exclude = ["job.yaml"]', []),
        ('[paths."*.yaml"]\nignore = ["SG520"]', [SUM]),
        ('[paths."other/**"]\nignore = ["SG520"]', [SUM, NAME]),
        ('ignore = ["SG520"]\n[paths."job.*"]\nselect = ["SG520"]', [SUM]),
        ('select = ["SG4"]\n[paths."job.*"]\nselect = ["SG520"]', [SUM, NAME]),
        (
            '[paths."*"]\nseverity = {SG520 = "error"}\n[paths."job.*"]\nseverity = {SG520 = "note"}',
            [SUM, NAME.replace("warning", "note")],
        ),
    ],
)
@pytest.mark.parametrize("file", ["specgen.toml", "pyproject.toml"])
def test_a_configuration_chooses_what_is_reported(home: Repository, config: str, found: list[str], file: str) -> None:
    if file == "pyproject.toml":
        config = "[tool.specgen]\n" + config.replace("[severity]", "[tool.specgen.severity]").replace(
            "[paths.", "[tool.specgen.paths."
        )
    home.write({file: config, "job.yaml": JOB})
    assert home.found("job.yaml") == found
    assert home.found(".") == found
    assert home.found("job.yaml", "--no-config") == [SUM, NAME]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (
            "selct = []",
            "specgen.toml:1:1: there is no setting `selct`\n  = help: there is a setting with a similar name: `select`",
        ),
        ('[paths.a]\nignore = ["SG401"]\nexclude = ["b"]', "specgen.toml:3:1: there is no setting `exclude`"),
        ("ignore = [\n  'SG401',\n  'SG402',\n]", "specgen.toml:3:3: no code is called `SG402`"),
        (
            'severity = {SG301 = "warning"}',
            "specgen.toml:1:13: SG301 is an error that holds whatever a configuration says",
        ),
        ('severity.SG101 = "warning"', "specgen.toml:1:10: SG101 is an error that holds"),
        ('severity = {SG401 = "fatal"}', "specgen.toml:1:13: a severity is `error`, `warning`, or `note`"),
        ("exclude = 'a'", "specgen.toml:1:1: `exclude` takes a list of texts"),
        ("cluster = ['a']", "specgen.toml:1:1: `cluster` takes a text"),
        ("paths = []", "specgen.toml:1:1: `paths` is a table"),
        ("operators = {trainr = '2.1.0'}", "specgen.toml:1:14: no operator is called `trainr`"),
        ("operators = {trainer = ['9.1.0']}", "specgen.toml:1:14: what trainer 9.1.0 takes is not known here"),
        ("a = = 1", "specgen.toml:1:5: it is no TOML: invalid value"),
        ("a = " + "[" * 5000, "specgen.toml: it is nested too deeply"),
        ("#" * 300_000, "specgen.toml: it is longer than 262,144 characters"),
        ("cluster = 'gone.yaml'", "specgen.toml:1:1: `gone.yaml`: there is no such file"),
        ("cluster = '/etc/hostname'", "specgen.toml:1:1: `/etc/hostname`: it lies outside the root"),
    ],
)
def test_what_is_wrong_in_a_configuration_has_its_place(home: Repository, config: str, said: str) -> None:
    home.write({"specgen.toml": config, "job.yaml": JOB})
    code, out, err = home.lint("job.yaml")
    assert (code, out) == (2, "")
    assert f"specgen: {said}" in err


def test_the_nearest_configuration_counts_as_far_as_the_repository_goes(home: Repository) -> None:
    home.write(
        {
            "specgen.toml": 'ignore = ["SG520"]',
            "a/pyproject.toml": "[tool.other]\n",
            "a/job.yaml": JOB,
            "b/c/job.yaml": JOB,
            "b/specgen.toml": "",
            "d/.git/HEAD": "",
            "d/job.yaml": JOB,
        }
    )
    named = [one for one in home.found(".") if "SG520" in one]
    assert named == ["b/c/job.yaml:16 warning SG520", "d/job.yaml:16 warning SG520"]
    assert not [one for one in home.found(".", "--config=specgen.toml") if "SG520" in one]
    home.patch.chdir(home.folder / "a")
    assert home.found(".") == [SUM]


CONFIGURING = (
    '[tool.specgen]\nignore = ["SG520"]\n',
    '[ tool . "specgen" ]\nignore = ["SG520"]\n',
    '[tool]\nspecgen = {ignore = ["SG520"]}\n',
    '[tool]\nother = 1\n[project]\nname = "a"\n[tool.x]\n["tool".specgen]\nignore = ["SG520"]\n',
    'tool.specgen.ignore = ["SG520"]\n',
    '"tool" = {specgen = {ignore = ["SG520"]}}\n',
)


@pytest.mark.parametrize("text", CONFIGURING)
def test_a_pyproject_configures_in_every_spelling_of_its_table(home: Repository, text: str) -> None:
    home.write({"pyproject.toml": text, "job.yaml": JOB})
    assert home.found("job.yaml") == [SUM]


@pytest.mark.parametrize("head", ["[tool.specgen]", '[ tool . "specgen".paths.a ]'])
def test_a_pyproject_that_cannot_be_read_is_said_where_it_configures(home: Repository, head: str) -> None:
    broken = 'ignore = ["SG520"\n'
    home.write({"pyproject.toml": f"{head}\n{broken}", "job.yaml": JOB})
    code, _, err = home.lint("job.yaml")
    assert (code, err) == (2, "specgen: pyproject.toml: it is no TOML: unclosed array (at end of document)\n")
    home.write({"pyproject.toml": f"# specgen\n[tool.other]\n{broken}"})
    assert home.found("job.yaml") == [SUM, NAME]


def test_a_pyproject_that_only_depends_on_specgen_is_not_read(
    home: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tomllib.loads", lambda text: pytest.fail("it was read"))
    home.write({"pyproject.toml": '[project]\ndependencies = ["specgen"]\n[tool.ruff]\n', "job.yaml": JOB})
    assert home.found("job.yaml") == [SUM, NAME]


def test_a_pyproject_that_is_no_toml_is_the_business_of_others(home: Repository) -> None:
    home.write({"pyproject.toml": "[tool.specgen\n", "job.yaml": JOB})
    assert home.found("job.yaml") == [SUM, NAME]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--ignore=SG520"], [SUM]),
        (["--ignore", "SG401,SG5"], [SUM]),
        (["--select=SG4"], [SUM]),
        (["--exclude=*.yaml"], []),
        (["--exclude=other/"], [SUM, NAME]),
    ],
)
def test_options_choose_too(home: Repository, words: list[str], found: list[str]) -> None:
    home.write({"job.yaml": JOB})
    assert home.found("job.yaml", *words) == found


def test_rules_of_policy_are_selected_beside_a_code(home: Repository) -> None:
    home.write({"job.yaml": JOB})
    found = home.found("job.yaml", "--select=policy,SG520")
    assert [one for one in found if " SG8" not in one] == [SUM, NAME]
    assert [one for one in found if "SG860" in one]


def test_an_option_that_selects_is_stronger_than_what_the_repository_ignores(home: Repository) -> None:
    home.write({"specgen.toml": 'select = ["SG4"]\nignore = ["SG5"]', "job.yaml": JOB})
    assert home.found("job.yaml", "--select=SG520") == [SUM, NAME]
    assert home.found("job.yaml", "--select=SG520", "--ignore=SG5") == [SUM]


def test_files_are_left_out_and_taken_in(home: Repository) -> None:
    home.write({"charts/a.yaml": JOB, "job.json": JOB, "a.yaml": JOB, "b.tmpl.yaml": "{{ a }}\n", "c.yaml": JOB})
    home.write({"specgen.toml": 'exclude = ["charts/", "*.tmpl.yaml"]\ninclude = ["*.json", "a.yaml"]'})
    files = {one.partition(":")[0] for one in home.found(".")}
    assert files == {"a.yaml", "job.json"}
    assert {one.partition(":")[0] for one in home.found("charts/a.yaml", "c.yaml")} == {"c.yaml"}
    assert home.lint("charts")[2] == "0 files clean, 1 file left out\n"


def test_manifests_are_judged_by_the_cluster_and_the_operators_of_their_path(home: Repository) -> None:
    files = {"old/job.yaml": TRAINJOB, "new/job.yaml": TRAINJOB, "two/job.yaml": TRAINJOB, "clusters/old.yaml": OLD}
    config = '[paths."old/**"]\ncluster = "clusters/old.yaml"\n'
    config += '[paths."two/**"]\noperators = {trainer = ["2.1.0", "2.2.0"]}\n'
    home.write({**files, "specgen.toml": config})
    code, out, _ = home.lint(".")
    assert code == 1
    known = "error[SG101] trainer 2.1.0 does not know `activeDeadlineSeconds`, which came with 2.2"
    assert out.splitlines() == [f"old/job.yaml:6:3: {known}", f"two/job.yaml:6:3: {known}"]
    assert home.lint("old", "--operator=trainer=2.2.0")[1] == ""


def test_what_differs_between_versions_says_for_which_it_holds(home: Repository) -> None:
    home.write({"job.yaml": TRAINJOB})
    _, out, _ = home.lint("job.yaml", "--operator=trainer=2.0.0,2.1.0,2.2.0")
    said = "trainer 2.0.0 does not know `activeDeadlineSeconds`, which came with 2.2"
    assert out == f"job.yaml:6:3: error[SG101] {said} (with trainer 2.0.0 and 2.1.0)\n"
    home.write({"job.yaml": JOB})
    assert home.found("job.yaml", "--operator=training-operator=1.7.0,1.8.1") == [SUM, NAME]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("trainer", "`--operator trainer` is not NAME=VERSION"),
        ("trainer=", "`--operator trainer=` is not NAME=VERSION"),
        ("trainr=2.1.0", "no operator is called `trainr`"),
        ("trainer=2.1.0,latest", "what trainer latest takes is not known here"),
    ],
)
def test_an_operator_that_is_not_known_is_no_question(home: Repository, word: str, said: str) -> None:
    code, _, err = home.lint("job.yaml", "--operator", word)
    assert code == 2 and f"specgen: {said}\n" in err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], 0),
        (["--fail-on=warning"], 1),
        (["--fail-on=note"], 1),
        (["--fail-on=never"], 0),
        (["--fail-on=warning", "--exit-zero"], 0),
    ],
)
def test_the_least_severity_of_a_bad_answer_is_chosen(home: Repository, words: list[str], code: int) -> None:
    home.write({"job.yaml": JOB.replace("size=3", "size=2")})
    assert home.lint("job.yaml", *words)[0] == code
    assert home.lint("gone.yaml", *words)[0] == 2


def test_standard_input_has_a_name(home: Repository) -> None:
    home.write({"a/specgen.toml": 'ignore = ["SG520"]', "b/specgen.toml": 'exclude = ["job.yaml"]'})
    assert home.found("-", "--stdin-filename=job.yaml", stdin=JOB) == [SUM, NAME]
    assert home.found("-", "--stdin-filename=a/job.yaml", stdin=JOB) == [f"a/{SUM}"]
    assert home.found("-", "--stdin-filename=b/job.yaml", stdin=JOB) == []
    text = home.lint("-", "--stdin-filename=a/job.yaml", "--format=human", stdin=JOB)[1]
    assert "command: [./train, --world-size=3]" in text


def test_the_configuration_of_the_readme_is_one(home: Repository, root: Path) -> None:
    text = (root / "README.md").read_text().split("```toml\n")[1].partition("```")[0]
    home.write(
        {"specgen.toml": text, "clusters/lab.yaml": CLUSTER, "job.yaml": JOB, "legacy/charts/a.yaml": "{{ a }}\n"}
    )
    found = [one for one in home.found(".") if " SG8" not in one]
    assert found == [SUM, NAME.replace("warning", "error")]


def test_what_is_left_out_or_ignored_is_not_mended(home: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    slip = JOB.replace("size=3", "size=2").replace("value: INFO", "value: 1")
    home.write({"a.yaml": slip, "b.yaml": slip, "specgen.toml": 'exclude = ["b.yaml"]\n'})
    main(["fix", "."])
    capsys.readouterr()
    assert 'value: "1"' in (home.folder / "a.yaml").read_text()
    assert (home.folder / "b.yaml").read_text() == slip


# A baseline.


def test_what_is_accepted_is_not_reported_and_what_is_new_is(home: Repository) -> None:
    home.write({"jobs/job.yaml": JOB})
    code, out, err = home.lint("jobs", "--write-baseline=base.json")
    assert (code, out, err) == (0, "", "base.json holds 2 findings\n1 file clean, 2 in the baseline\n")
    first = (home.folder / "base.json").read_bytes()
    # lines move, numbers change, and a neighbour is renamed
    moved = JOB.replace("spec:\n  py", "# a\n\nspec:\n  py", 1).replace("size=3", "size=4")
    moved = moved.replace(
        "                - {name: NCCL", "                - {name: A, value: b}\n                - {name: NCCL"
    )
    home.write({"jobs/job.yaml": moved})
    assert home.lint("jobs", "--baseline=base.json")[:2] == (0, "")
    home.write({"jobs/job.yaml": JOB, "jobs/other.yaml": JOB})
    assert home.found("jobs", "--baseline=base.json") == [
        f"jobs/{one}".replace("job.yaml", "other.yaml") for one in (SUM, NAME)
    ]
    home.patch.chdir(home.folder / "jobs")
    assert home.found("job.yaml", "--baseline=../base.json") == []
    assert home.lint("job.yaml", "--write-baseline=../base.json")[0] == 0
    assert (home.folder / "base.json").read_bytes() == first


def test_findings_that_are_alike_are_counted(home: Repository) -> None:
    variable = "                - {name: NCCL_DEBGU, value: INFO}\n"
    home.write({"job.yaml": JOB.replace(variable, variable + variable.replace("DEBGU", "DEBGU2"))})
    assert home.lint("job.yaml", "--write-baseline=base.json")[0] == 0
    counts = [one["count"] for one in json.loads((home.folder / "base.json").read_text())["findings"]]
    assert sum(counts) >= 2
    home.write({"job.yaml": JOB})
    (stale,) = home.found("job.yaml", "--baseline=base.json")
    assert stale.startswith("base.json:") and stale.endswith("warning SG033")


def test_entries_whose_findings_are_gone_are_reported_at_their_lines(home: Repository) -> None:
    home.write(
        {"job.yaml": JOB, "other.yaml": JOB.replace("train}", "other}"), "gone.yaml": JOB.replace("train}", "gone}")}
    )
    assert home.lint(".", "--write-baseline=base.json")[0] == 0
    (home.folder / "gone.yaml").unlink()
    home.write({"job.yaml": JOB.replace("size=3", "size=2")})
    code, out, _ = home.lint("job.yaml", "--baseline=base.json")
    assert code == 0
    again = "(`--write-baseline` writes what is left)"
    assert out.splitlines() == [
        f"base.json:2:2: warning[SG033] there is no file `gone.yaml` any more {again}",
        f"base.json:3:2: warning[SG033] there is no file `gone.yaml` any more {again}",
        f"base.json:4:2: warning[SG033] SG210 is not found in `job.yaml` any more {again}",
    ]
    # nobody looked for it
    assert home.found("other.yaml", "--baseline=base.json", "--select=SG4")[2:] == []
    # a text that cannot be read says nothing of what is in it
    home.write({"job.yaml": "a: [\n"})
    assert home.found("job.yaml", "--baseline=base.json", "--ignore=SG033") == ["job.yaml:2 error SG002"]


def test_what_a_run_did_not_look_for_stays_in_the_baseline(home: Repository) -> None:
    home.write({"a.yaml": JOB, "b.yaml": JOB.replace("train}", "b}"), "gone.yaml": JOB.replace("train}", "gone}")})
    assert home.lint(".", "--write-baseline=base.json")[2].startswith("base.json holds 6 findings\n")

    def held() -> list[str]:
        entries = json.loads((home.folder / "base.json").read_text())["findings"]
        return [f"{one['file']} {one['code']}" for one in entries]

    # one file alone: the others keep theirs, but for one that is gone
    (home.folder / "gone.yaml").unlink()
    home.write({"a.yaml": JOB.replace("size=3", "size=2")})
    said = "base.json holds 3 findings, 2 of them from before: this run did not look for them\n"
    assert home.lint("a.yaml", "--write-baseline=base.json")[2].startswith(said)
    assert held() == ["a.yaml SG520", "b.yaml SG210", "b.yaml SG520"]
    # some codes alone
    said = "base.json holds 3 findings, 2 of them from before: this run did not look for them\n"
    assert home.lint(".", "--select=SG210", "--write-baseline=base.json")[2].startswith(said)
    assert held() == ["a.yaml SG520", "b.yaml SG210", "b.yaml SG520"]
    # a text that cannot be read says nothing of what is in it
    home.write({"b.yaml": "a: [\n"})
    assert home.lint("b.yaml", "--write-baseline=base.json")[0] == 1
    assert held() == ["a.yaml SG520", "b.yaml SG210", "b.yaml SG520"]


def test_what_is_accepted_is_not_mended(home: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    slip = JOB.replace("size=3", "size=2").replace("value: INFO", "value: 1")
    home.write({"old.yaml": slip})
    assert home.lint(".", "--write-baseline=base.json")[0] == 0
    home.write({"new.yaml": slip.replace("train}", "new}")})
    assert main(["fix", ".", "--baseline=base.json"]) == 0
    assert "new.yaml:16: fixed SG103" in capsys.readouterr().err
    assert (home.folder / "old.yaml").read_text() == slip
    assert 'value: "1"' in (home.folder / "new.yaml").read_text()
    # what is left may fail the run as it does in lint
    assert main(["fix", ".", "--baseline=base.json", "--fail-on=warning"]) == 1
    assert main(["fix", ".", "--fail-on=warning", "--exit-zero"]) == 0
    capsys.readouterr()
    assert 'value: "1"' in (home.folder / "old.yaml").read_text()


def test_a_file_that_is_no_baseline_is_not_written_over(home: Repository) -> None:
    home.write({"job.yaml": JOB, "base.json": ""})
    code, _, err = home.lint("job.yaml", "--write-baseline=job.yaml")
    assert code == 2 and "it is not written over: remove it, or name another file" in err
    assert (home.folder / "job.yaml").read_text() == JOB
    assert home.lint("job.yaml", "--write-baseline=base.json")[2].startswith("base.json holds 2 findings\n")


def test_what_cannot_be_read_is_never_accepted(home: Repository) -> None:
    home.write({"job.yaml": "a: [\n", "twice.yaml": JOB + "kind: PyTorchJob\n"})
    code, _, err = home.lint(".", "--write-baseline=base.json")
    assert code == 1 and err.startswith("base.json holds 2 findings\n")
    assert home.found(".", "--baseline=base.json") == ["job.yaml:2 error SG002", "twice.yaml:18 error SG003"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "base.json: it is no JSON: expecting value"),
        ("[" * 100_000, "base.json: it is no JSON"),
        ("{}", "base.json: it is no baseline"),
        ('{"version": 2, "findings": []}', "base.json: it is no baseline"),
        ('{"version": 1, "findings": [{"file": 1}]}', "base.json: entry 1 of `findings` is none of a baseline"),
        ('{"version": 1, "findings": [{"file": "a", "count": 0}]}', "base.json: entry 1 of `findings`"),
    ],
)
def test_a_baseline_that_is_none_is_no_question(home: Repository, text: str, said: str) -> None:
    home.write({"base.json": text, "job.yaml": JOB})
    code, out, err = home.lint("job.yaml", "--baseline=base.json")
    assert (code, out) == (2, "") and f"specgen: {said}" in err


# Several processes.


@pytest.mark.soak
def test_several_processes_say_what_one_says(home: Repository) -> None:
    runtime = LATER.replace("spec: {}", "spec: {mlPolicy: {numNodes: 2}, template: {spec: {}}}")
    files = {f"{at:02}.yaml": JOB.replace("train}", f"j{at}" + "}") + "\n" * at for at in range(20)}
    home.write(files)
    home.write(
        {
            "a.yaml": PROFILE,
            "b.yaml": PROFILE + "pods: x\n",
            "z.yaml": PROFILE,
            "runtime.yaml": runtime,
            "use.yaml": TRAINJOB.replace("torch-distributed", "a"),
            "ignored.yaml": JOB.replace("INFO}", "INFO} # specgen: ignore[SG520]"),
            "c.yaml": CLUSTER,
            "broken.yaml": "a: [\n",
            "other.yaml": "kind: A\n",
            "specgen.toml": 'severity = {SG520 = "note"}\n[paths."1*"]\nignore = ["SG520"]\n',
        }
    )
    forms = ("human", "concise", "json", "sarif", "junit", "gitlab", "github")
    for form, jobs in zip(forms, cycle(("2", "3", "40")), strict=False):
        alone = home.lint(".", f"--format={form}")
        assert alone[1]
        assert home.lint(".", f"--format={form}", "--jobs", jobs) == alone


def test_an_error_in_a_process_is_that_of_the_run(home: Repository) -> None:
    home.write({f"{at}/job.yaml": JOB for at in range(4)})
    home.write({"specgen.toml": '[paths."3/*"]\ncluster = "gone.yaml"\n'})
    code, _, err = home.lint(".", "--jobs=4")
    assert code == 2 and "specgen.toml:2:1: `gone.yaml`: there is no such file" in err


def test_progress_is_said_to_people_who_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    from specgen.cli import progress

    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    stream = io.StringIO()
    told = progress.Progress(stream)
    told(1, 300)
    assert stream.getvalue() == ""
    now[0] = 1.5
    told(120, 300)
    told(121, 300)
    said = "\r120 of 300 files, 80 a second, 2 s left"
    assert stream.getvalue() == said
    told(0, 0)
    assert stream.getvalue() == said + "\r" + " " * (len(said) - 1) + "\r"
