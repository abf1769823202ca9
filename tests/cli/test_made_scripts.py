"""What `init job -- sbatch` makes of scripts, held against the real bash, and against scripts that are none."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest
import yaml

from specgen.cli.batch import of_batch
from specgen.cli.main import main
from tests.cli.made_scripts import made, mutated

HERE = Path(__file__).parent
# The step prints its words, and the script ends.
STEP = 'srun() { shift 2; printf "%s\\0" "$@"; exit 0; }; set -f; . ./JOB'


@pytest.mark.parametrize(("seed", "many"), [(1, 60), pytest.param(2, 1200, marks=pytest.mark.fuzz)])
def test_words_are_those_that_bash_hands_to_the_program(
    seed: int, many: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each word is the same, or has a sign that says that it is not known: none is another one, and none is lost."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    monkeypatch.chdir(tmp_path)
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
