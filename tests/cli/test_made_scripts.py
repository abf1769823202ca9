"""What `init job -- sbatch` makes of scripts, held against the real bash, and against scripts that are none."""

from __future__ import annotations

import shutil
import subprocess
from itertools import product
from pathlib import Path
from random import Random

import pytest
import yaml

from specgen.cli.batch import of_batch
from specgen.cli.main import main
from specgen.cli.slurm import Asked
from specgen.diagnostics.model import BadQuestion
from tests.cli.made_scripts import made, mutated, started

HERE = Path(__file__).parent
# The step prints its words, and the script ends.
STEP = 'srun() { shift 2; printf "%s\\0" "$@"; exit 0; }; set -f; . ./JOB'


@pytest.fixture
def bash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The real one, in an empty folder."""
    found = shutil.which("bash")
    if found is None:
        pytest.skip("there is no bash here")
    monkeypatch.chdir(tmp_path)
    return found


@pytest.mark.parametrize(("seed", "many"), [(1, 60), pytest.param(2, 1200, marks=pytest.mark.fuzz)])
def test_words_are_those_that_bash_hands_to_the_program(seed: int, many: int, bash: str) -> None:
    """Each word is the same, or has a sign that says that it is not known: none is another one, and none is lost."""
    chance = Random(seed)
    same = unknown = 0
    for _ in range(many):
        script = made(chance)
        Path("JOB").write_text(script)
        ended = subprocess.run([bash, "-c", STEP], env={"LC_ALL": "C.UTF-8"}, capture_output=True, check=False)
        if ended.stderr:
            continue  # a sum by zero
        theirs = ended.stdout.decode().split("\0")[:-1]
        ours = of_batch(["sbatch", "JOB"]).program
        if ours != theirs and any("$" in word for word in ours):
            unknown += 1
        else:
            assert ours == theirs, script
            same += 1
    print(f"{same} scripts with bash's words, {unknown} with some that are not known")
    assert same > 9 * unknown > 0


# Each step prints its words, and the script goes on.
STEPS = 'srun() { shift 2; printf "%s\\0" "$@" END; }; set -f; . ./JOB'
# What says that not every start is among those that are taken.
TOLD = (
    "the program runs once",
    "have other words",
    "start something else",
    "here once",
    "is taken",
    "not known here: once",
)


@pytest.mark.parametrize(("seed", "many"), [(1, 60), pytest.param(2, 1500, marks=pytest.mark.fuzz)])
def test_each_start_is_one_that_bash_makes(seed: int, many: int, bash: str) -> None:
    """Of loops, functions and arrays each start is a variant, or it is told that some are not."""
    chance = Random(seed)
    same = some = unknown = 0
    for _ in range(many):
        script = started(chance)
        Path("JOB").write_text(script)
        theirs: list[list[str]] = []
        failed = False
        for task in range(4) if "--array" in script else [None]:
            given = {} if task is None else {"SLURM_ARRAY_TASK_ID": str(task)}
            try:
                ended = subprocess.run(
                    [bash, "-c", STEPS], env={"LC_ALL": "C.UTF-8", **given}, capture_output=True, check=False, timeout=3
                )
            except subprocess.TimeoutExpired:  # it never ends
                failed = True
                break
            failed = failed or bool(ended.stderr)
            theirs += [one.split("\0")[:-1] for one in ended.stdout.decode().split("END\0")[:-1]]
        if failed:
            continue
        try:
            asked = of_batch(["sbatch", "JOB"])
        except BadQuestion:
            assert not theirs, script
            continue
        ours = starts(asked)
        told = any([one in note for note in asked.brought.notes for one in TOLD])
        told = told or any([why.startswith("the program runs once") for _, _, why in asked.brought.left])
        if any(["$" in word for words in ours for word in words]):
            unknown += 1
        elif told:
            assert [one for one in ours if one not in theirs] == [], script
            some += 1
        else:
            assert sorted(ours) == sorted(theirs), script
            same += 1
    print(f"{same} scripts with all starts of bash, {some} with some of them, {unknown} with words that are not known")
    assert same > some > 0 and same > 2 * unknown


def starts(asked: Asked) -> list[list[str]]:
    """The words of each variant."""
    brought = asked.brought
    tasks: list[dict[str, str]] = []
    for number in range(brought.runs or len(brought.array) or 1):
        env = {name: said[number] for name, said in brought.picked.items()}
        tasks.append(env | ({"SLURM_ARRAY_TASK_ID": str(brought.array[number])} if brought.array else {}))
    loops = [[{name.upper(): value} for value in values] for name, values in brought.loops.items()]
    found: list[list[str]] = []
    for task, *turns in product(tasks, *loops):
        env = {key: value for one in (task, *turns) for key, value in one.items()}
        words = [*asked.program, *(brought.rests[len(found)] if brought.rests else [])]
        for name, value in sorted(env.items(), reverse=True):  # no name begins another one before
            words = [word.replace(f"${{{name}}}", value).replace(f"${name}", value) for word in words]
        found.append(words)
    return found


@pytest.mark.parametrize(("seed", "many"), [(1, 40), pytest.param(2, 1500, marks=pytest.mark.fuzz)])
def test_what_is_no_script_gets_an_answer(
    seed: int, many: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = yaml.safe_load((HERE / "lines" / "lines.yaml").read_text("utf-8"))
    scripts = [case["script"] for case in cases if "script" in case]
    monkeypatch.chdir(tmp_path)
    chance = Random(seed)
    for _ in range(many):
        script = mutated(chance, scripts)
        Path("JOB").write_text(script, "utf-8")
        assert main(["init", "job", "--", "sbatch", "JOB"]) in (0, 2), script
        capsys.readouterr()
