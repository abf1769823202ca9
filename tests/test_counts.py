"""What adding a thing takes by hand, exercised: a rule, a kind, an operator, a release, a word, a verb, a format.

`counts/<thing>/` holds what is written by hand, file by file as it lies in a checkout; what ends in `.diff` is put into
a file that is there (lines with `-` go, lines with `+` come, the others say where). All of it is laid into one copy of
the checkout, `python -m specgen.generate` is run in it, and the command line of the copy is asked. Then each file is
left out in turn, and something must say which.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.members import missing

pytestmark = pytest.mark.soak

ROOT = Path(__file__).resolve().parents[1]
SCAFFOLDS = ROOT / "tests" / "counts"
COPIED = ("specgen", "schemas", "tests", "trainer", "profiles", "pyproject.toml")

# Thing → files by hand, of the program and of its tests.
COUNTS = {
    "rule": (1, 2),
    "kind": (4, 0),
    "operator": (7 + 3, 0),  # a folder of six words and its docstring; lower, install, and the schema of the kind
    "release": (1, 0),
    "word": (2, 0),
    "verb": (2, 1),
    "format": (1, 1),
}

JOB = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: train}
target: TARGET
image: registry.example.com/train:1
command: [python, train.py]
pods: 2
"""
CLUSTER = """\
apiVersion: specgen/v1
kind: Cluster
metadata: {name: lab}
operators: {OPERATOR: {version: VERSION}}
"""


def files(thing: str) -> list[str]:
    """What a thing takes by hand, by path in `counts/<thing>`."""
    folder = SCAFFOLDS / thing
    paths = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return sorted(path for path in paths if "__pycache__" not in path)


def lay(thing: str, file: str, to: Path) -> None:
    """Puts one file of a scaffold into a checkout."""
    text = (SCAFFOLDS / thing / file).read_text("utf-8")
    target = to / file.removesuffix(".diff")
    if file.endswith(".diff"):
        lines = text.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        there = (ROOT / file.removesuffix(".diff")).read_text("utf-8")
        assert there.count(before) == 1, f"{file} does not fit what is there"
        text = there.replace(before, after)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, "utf-8")


class Copy:
    """A checkout of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            if (ROOT / name).is_dir():
                # compiled modules go along: they fit as long as the times of their sources do; not those half written
                apart = shutil.ignore_patterns("counts", ".*", "*.pyc.*")
                shutil.copytree(ROOT / name, folder / name, ignore=apart)
            else:
                shutil.copy2(ROOT / name, folder / name)

    def python(self, *words: str) -> tuple[int, str]:
        """Exit code, and all that is printed."""
        outside = {"PATH": os.environ.get("PATH", ""), "SPECGEN_SHARED": "/none", "PYTHONPATH": str(self.folder)}
        done = subprocess.run(
            [sys.executable, *words], cwd=self.folder, env=outside, capture_output=True, text=True, timeout=300
        )
        return done.returncode, done.stdout + done.stderr

    def specgen(self, *words: str) -> tuple[int, str]:
        return self.python("-m", "specgen", *words)

    def pytest(self, *words: str) -> tuple[int, str]:
        return self.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *words)

    def profiles(self, target: str, operator: str, version: str, more: str = "") -> None:
        (self.folder / "job.yaml").write_text(JOB.replace("TARGET", target) + more)
        (self.folder / "cluster.yaml").write_text(CLUSTER.replace("OPERATOR", operator).replace("VERSION", version))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy with everything in it, generated."""
    copy = Copy(tmp_path_factory.mktemp("full"))
    for thing in COUNTS:
        for file in files(thing):
            lay(thing, file, copy.folder)
    code, said = copy.python("-m", "specgen.generate")
    assert code == 0, said
    return copy


@pytest.mark.parametrize("thing", COUNTS)
def test_it_takes_so_many_files_by_hand(thing: str) -> None:
    found = files(thing)
    of_tests = [file for file in found if file.startswith("tests/")]
    assert (len(found) - len(of_tests), len(of_tests)) == COUNTS[thing], found
    assert {file.partition("/")[0] for file in found} <= {"specgen", "tests"}


def test_a_release_without_news_is_one_line() -> None:
    (file,) = files("release")
    lines = (SCAFFOLDS / "release" / file).read_text("utf-8").splitlines()
    assert [line[0] for line in lines].count("+") == 1 and [line[0] for line in lines].count("-") == 0


def test_every_scaffold_is_counted() -> None:
    assert sorted(path.name for path in SCAFFOLDS.iterdir()) == sorted(COUNTS)


@pytest.mark.soak
def test_nothing_is_missing_with_everything_in_it(full: Copy) -> None:
    assert missing(full.folder) == []


@pytest.mark.soak
def test_generating_once_is_enough(full: Copy) -> None:
    """Models of profiles are made of what the generators find in higher floors: the order must be right."""
    assert full.python("-m", "specgen.generate", "--check") == (0, "all generated files are fresh\n")


def test_the_rule_finds_its_bad_example(full: Copy) -> None:
    _, said = full.specgen("lint", "tests/rules/no_grace/bad.yaml")
    assert "bad.yaml:11:42: warning[SG448] pods of Master are killed without time to save anything\n" in said
    assert full.specgen("lint", "--quiet", "tests/rules/no_grace/good.yaml") == (0, "")
    assert full.specgen("explain", "scant-grace")[1].startswith("SG448")


@pytest.mark.parametrize(
    ("target", "operator", "version", "added"),
    [
        ("GridJob", "grid-operator", "0.4.0", "GRID_INDEX"),
        ("MSEvalJob", "ms-operator", "1.0.0", "MS_EVAL_ID"),
        ("PyTorchJob", "training-operator", "1.10.0", "MASTER_ADDR"),
    ],
)
def test_the_kind_the_operator_and_the_release_are_known(
    full: Copy, target: str, operator: str, version: str, added: str
) -> None:
    full.profiles(target, operator, version)
    code, manifest = full.specgen("build", "job.yaml", "--cluster", "cluster.yaml")
    assert code == 0 and f"\nkind: {target}\n" in manifest, manifest
    (full.folder / "manifest.yaml").write_text(manifest)
    assert full.specgen("lint", "--quiet", "manifest.yaml", "--cluster", "cluster.yaml") == (0, "")
    code, expanded = full.specgen("expand", "manifest.yaml", "--operator", f"{operator}={version}", "-o", "yaml")
    assert code == 0 and added in expanded, expanded
    code, schema = full.specgen("schema", target)
    assert code == 0 and f'"title": "{target}"' in schema
    code, listed = full.specgen("operators", "cluster.yaml")
    assert code == 0 and f"?ref={'v' if target != 'MSEvalJob' else ''}" in listed, listed


def test_the_word_stands_in_the_pod_and_explain_knows_its_line(full: Copy) -> None:
    full.profiles("PyTorchJob", "training-operator", "1.10.0", "preempts: false\n")
    code, manifest = full.specgen("build", "job.yaml")
    assert code == 0 and manifest.count("preemptionPolicy: Never\n") == 2, manifest
    path = "spec.pytorchReplicaSpecs.Worker.template.spec.preemptionPolicy"
    code, said = full.specgen("explain", "job.yaml", path)
    assert code == 0 and "job.yaml:8" in said, said


def test_the_verb_runs_and_stands_in_the_help(full: Copy) -> None:
    assert full.specgen("kinds")[1].splitlines()[:2] == ["GridJob", "JobSet"]
    assert "\n    kinds " in full.specgen("--help")[1]


def test_the_format_prints(full: Copy) -> None:
    _, said = full.specgen("lint", "--format", "teamcity", "tests/rules/no_grace/bad.yaml")
    (line,) = (line for line in said.splitlines() if "typeId='SG448'" in line)
    assert line.startswith("##teamcity[inspection typeId='SG448' message='pods of Master ")
    assert line.endswith(" file='tests/rules/no_grace/bad.yaml' line='11' SEVERITY='WARNING']")


@pytest.mark.fuzz
def test_the_tests_of_the_members_pass(full: Copy) -> None:
    """After what is expected of the new things was written, as the page for contributors says."""
    full.pytest("--snapshot-update", "tests/test_rules.py::test_reports[no_grace]")
    code, said = full.pytest(
        "tests/test_members.py",
        "tests/test_floors.py",
        "tests/test_packages.py",
        "tests/operators/test_readers.py",
        "tests/operators/test_releases.py",
        "tests/lower/test_lowerings.py",
        "tests/diagnostics/test_formats.py",
        "tests/test_rules.py::test_reports[no_grace]",
        "tests/test_rules.py::test_a_fixture_gives_what_it_expects_and_nothing_else[no_grace/bad]",
        "tests/test_rules.py::test_a_fixture_gives_what_it_expects_and_nothing_else[no_grace/good]",
        "tests/test_rules.py::test_a_rule_finds_its_bad_example_and_not_its_good_one[no_grace]",
        "tests/test_rules.py::test_no_rule_fails_on_odd_values[no_grace]",
        "tests/cli/test_scripts.py::test_script[kinds]",
        "tests/cli/test_session.py::test_every_verb_is_in_the_table",
    )
    assert code == 0, said[-3000:]


@pytest.mark.fuzz
def test_types_fit(full: Copy) -> None:
    code, said = full.python("-m", "mypy", "specgen")
    assert code == 0, said


# What is left out → what says so. `missing` is what ``tests/test_members.py`` prints; `generate` the generators; the
# others are words to the program, over a profile with what is missing.
MISSING, GENERATE = "missing", "generate"
SAYS = {
    "rule specgen/rules/no_grace.py": (
        MISSING,
        "tests/rules/no_grace holds the files of a rule, and there is no specgen/rules/no_grace.py",
    ),
    "rule tests/rules/no_grace/bad.yaml": (MISSING, "specgen/rules/no_grace.py has no tests/rules/no_grace/bad.yaml"),
    "rule tests/rules/no_grace/good.yaml": (MISSING, "specgen/rules/no_grace.py has no tests/rules/no_grace/good.yaml"),
    "kind specgen/operators/mindspore/msevaljob.py": (
        MISSING,
        "specgen/lower/msevaljob.py needs specgen/operators/mindspore/msevaljob.py, which is not there",
    ),
    "kind specgen/operators/mindspore/msevaljob_pods.py": (
        MISSING,
        "specgen/operators/mindspore/msevaljob.py needs specgen/operators/mindspore/msevaljob_pods.py",
    ),
    "kind specgen/generate/kinds/ms_operator.py.diff": (
        MISSING,
        "mindspore/msevaljob.py reads MSEvalJob, and no module of specgen/generate/kinds describes it",
    ),
    # a kind may be read alone: then profiles cannot name it
    "kind specgen/lower/msevaljob.py": ("target: MSEvalJob", "`target` takes `VolcanoJob`, `JobSet`"),
    "operator specgen/operators/grid/__init__.py": (MISSING, "specgen/operators/grid has no __init__.py"),
    **{
        f"operator specgen/operators/grid/{word}.py": (MISSING, f"specgen/operators/grid has no {word}.py: ")
        for word in ("facts", "pods", "refusals", "lifecycle", "updates")
    },
    "operator specgen/operators/grid/gridjob.py": (
        MISSING,
        "specgen/operators/grid has no module with a READER: a kind that it takes",
    ),
    "operator specgen/generate/kinds/grid_operator.py": (
        MISSING,
        "specgen/operators/grid/gridjob.py reads GridJob, and no module of specgen/generate/kinds describes it",
    ),
    "operator specgen/lower/gridjob.py": (
        GENERATE,
        "specgen/install/grid_operator.py: no module of specgen/lower compiles to its jobs",
    ),
    "operator specgen/install/grid_operator.py": (
        GENERATE,
        "specgen/install has no module for the grid-operator, whose jobs specgen/lower compiles to",
    ),
    "release specgen/operators/training/facts.py.diff": (
        "--operator",
        "what training-operator 1.10.0 does was not read, this is what 1.9.4 does",
    ),
    "word specgen/profile/pod.py.diff": ("preempts: false", "`preempts` is not a field of a job profile"),
    "word specgen/plan/complete.py.diff": (
        MISSING,
        "profile/pod.py has the word `preempts` in PodWords, and no module of specgen/plan and specgen/lower reads it",
    ),
    "verb specgen/cli/kinds.py": (
        MISSING,
        "`VERBS` of specgen/cli/main.py names `kinds`, and there is no specgen/cli/kinds.py with `add` and `run`",
    ),
    "verb specgen/cli/main.py.diff": (
        MISSING,
        "specgen/cli/kinds.py is a verb, and `VERBS` of specgen/cli/main.py does not name it",
    ),
    "verb tests/cli/scripts/kinds.txt": (
        MISSING,
        "no script calls `specgen kinds`: write tests/cli/scripts/kinds.txt",
    ),
    "format specgen/diagnostics/render/teamcity.py": (
        MISSING,
        "tests/diagnostics/formats/teamcity.txt is of no specgen/diagnostics/render/teamcity.py",
    ),
    "format tests/diagnostics/formats/teamcity.txt": (
        MISSING,
        "specgen/diagnostics/render/teamcity.py has no tests/diagnostics/formats/teamcity.txt: what it prints",
    ),
}


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy with nothing in it, which each test puts back as it was."""
    return Copy(tmp_path_factory.mktemp("bare"))


@pytest.fixture
def without(request: pytest.FixtureRequest, bare: Copy) -> Iterator[Copy]:
    """The copy with one thing in it, but for a file."""
    thing, left_out = str(request.param).split(" ")
    laid = [file for file in files(thing) if file != left_out]
    for file in laid:
        lay(thing, file, bare.folder)
    yield bare
    for file in laid:
        path = file.removesuffix(".diff")
        if (ROOT / path).is_file():
            shutil.copy2(ROOT / path, bare.folder / path)
        else:
            (bare.folder / path).unlink()


def test_each_file_is_left_out_once() -> None:
    assert sorted(SAYS) == sorted(f"{thing} {file}" for thing in COUNTS for file in files(thing))


@pytest.mark.parametrize(
    ("without", "asked", "sentence"), [(key, *said) for key, said in SAYS.items()], indirect=["without"]
)
def test_a_file_that_is_left_out_is_named(without: Copy, asked: str, sentence: str) -> None:
    if asked == MISSING:
        said = "\n".join(missing(without.folder))
    elif asked == GENERATE:
        _, said = without.python("-c", "from specgen.generate.kinds_index import generate; generate()")
    elif asked == "--operator":
        without.profiles("PyTorchJob", "training-operator", "1.10.0")
        _, said = without.specgen("expand", "job.yaml", "--operator", "training-operator=1.10.0")
    else:
        without.profiles("PyTorchJob", "training-operator", "1.9.4")
        job = without.folder / "job.yaml"
        word = asked.partition(":")[0]
        job.write_text(
            "".join(f"{line}\n" for line in job.read_text().splitlines() if not line.startswith(word)) + asked
        )
        _, said = without.specgen("build", "job.yaml")
    assert sentence in said
