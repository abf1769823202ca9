"""Bad profiles word for word: `cases/<name>.txt` holds a command, what it says, and its exit code.

Nothing may appear on standard output, no run may take more than a second of CPU time or 200 MB.
`pytest tests/bad/test_cases.py --snapshot-update` writes the texts anew; read the difference before keeping it.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.bad.program import controls, specgen
from tests.golden import Golden

CASES = Path(__file__).parent / "cases"
# Profiles that are right to the last character allowed, beside those that are one too long.
GOOD = {"name-54", "plain"}


@pytest.mark.parametrize("case", sorted(CASES.glob("*.txt")), ids=lambda case: case.stem)
def test_bad_input_is_one_clear_finding(case: Path, golden: Golden) -> None:
    command = case.read_text(encoding="utf-8").partition("\n")[0]
    prompt, program, *words = shlex.split(command)
    assert (prompt, program) == ("$", "specgen")
    ended = specgen(*words, cwd=CASES)
    assert f"{command}\n{ended.err}exit {ended.code}\n" == golden(case)
    assert controls(ended.raw_err) == []
    assert "Traceback" not in ended.err
    if case.stem in GOOD:
        assert ended.code == 0
    else:
        assert ended.code in (1, 2)
        assert ended.out == ""
